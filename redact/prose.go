package redact

import "strings"

// joins are the words that may stand between a label and its value in prose, by
// their first byte.
var joins = byFirst("is", "was", "ist", "lautet", "war", "est", "es", "jest", "to", "now", "set", "for", "of", "are", "be", "will", "er", "är", "on", "é", "è", "zu", "auf", "sur", "by", "as", "là", "byl", "в", "это",
	"—", "–", "→", "是", "为", "為", "は", "が", "는", "은", "을")

func byFirst(words ...string) (by [256][]string) {
	for _, word := range words {
		by[word[0]] = append(by[word[0]], word)
	}
	return by
}

// afterBlank finds the value of a label that only a blank, or a word such as
// "is", parts from it.
func (s *scan) afterBlank(p place, b, i int, k kind, closed bool) place {
	if start := s.wordStart(b); isLetter(s.text[i]) && (s.byteAt(start-1) == '<' || s.byteAt(start-1) == ':') {
		tag := start
		if s.byteAt(start-1) == ':' {
			tag = s.wordStart(start - 1)
		}
		if s.byteAt(tag-1) == '<' { // an element with attributes
			if end := s.tagEnd(tag - 1); end > 0 && s.text[end-2] != '/' && s.byteAt(end) != '<' {
				p.op, p.at, p.xml = opElement, end, true
				return p
			}
		}
	}
	if strings.HasPrefix(s.text[i:], Marker) {
		return p
	}
	if c := s.text[i]; c == '(' || c == '[' { // password (staging): x, Secret Access Key [None]: x
		end := strings.IndexByte(s.text[i:min(len(s.text), i+32)], c+1+c>>6)
		if end < 0 {
			s.short = s.short || len(s.text)-i < 32
			return p
		}
		if i = s.skip(s.blanks(i+end+1), 2, ":="); s.text[i-1] == ':' || s.text[i-1] == '=' {
			p.op, p.at = opColon, i
		}
		return p
	}
	if closed && (s.text[i] == 'v' || s.text[i] == 'd' || s.text[i] == 'c') {
		if v := s.pair(i); v > 0 {
			p.op, p.at = opElement, v
			return p
		}
	}
	if isLetter(s.text[i]) && !closed || s.text[i] == '*' || s.text[i] == '[' {
		if v := s.typed(i); v > 0 && s.byteAt(s.wordStart(b)-1) != '<' { // const password string = "x"
			p.op, p.at = opAssign, v
			return p
		}
	}
	first := i
	if j, colon := s.ofWhat(i); j > 0 && s.moreThanAWord(j) {
		p.op, p.at, p.bare = opProse, j, !colon
		return p
	}
	for range 3 {
		n := 0
		for _, join := range joins[s.text[i]] {
			if strings.HasPrefix(s.text[i:], join) && (join[0] >= 0x80 || isBlank(s.byteAt(i+len(join))) || s.byteAt(i+len(join)) == ':') {
				n = len(join)
				break
			}
		}
		if n == 0 {
			break
		}
		i = s.skip(s.blanks(i+n), 1, ":")
		if s.follows(i, "：") {
			i += len("：")
		}
		if i = s.blanks(i); i >= len(s.text) {
			s.short = true
			return p
		}
	}
	i = s.openQuote(i)
	if s.isOneOf(i, &participles) { // "is generated for root@localhost: x"
		j := i
		for isLetter(s.byteAt(j)) {
			j++
		}
		if what, colon := s.ofWhat(s.blanks(j)); what > 0 && s.moreThanAWord(what) {
			p.op, p.at, p.bare = opProse, what, !colon
			return p
		}
	}
	if !s.moreThanAWord(i) {
		return p
	}
	p.op, p.at = opProse, i
	p.bare = i == first
	if i == first && s.text[i] < 0x80 && !closed && (s.isFlag(b) || s.isCommand(b)) {
		p.op = opFlag
	}
	return p
}

// ofWhat passes what a label in prose is for, and the word or colon before its value:
// "for the staging database is", "für den Server lautet", "от базы:". It gives 0 when
// no value follows, and whether a colon said that one does.
func (s *scan) ofWhat(i int) (at int, colon bool) {
	const window = 64
	if !s.isOneOf(i, &prepositions) {
		return 0, false
	}
	end := min(len(s.text), i+window)
	for i < end {
		word := i
		for i < end && (isIn(userName, s.text[i]) || s.text[i] >= 0x80 && s.text[i] < 0xe2) {
			i++
		}
		switch {
		case i == word:
			return 0, false
		case i < end && s.text[i] == ':' && isBlank(s.byteAt(i+1)):
			return s.openQuote(s.blanks(i + 1)), true
		case i >= end || s.text[i] != ' ':
			s.short = s.short || i >= len(s.text)
			return 0, false
		}
		i++
		if s.isOneOf(i, &verbs) {
			for i < end && s.text[i] != ' ' {
				i++
			}
			if i = s.blanks(i); s.byteAt(i) == ':' {
				i, colon = s.blanks(i+1), true
			}
			return s.openQuote(i), colon
		}
	}
	s.short = s.short || i >= len(s.text)
	return 0, false
}

var (
	prepositions = byFirst("for", "of", "on", "in", "I", "we", "für", "zum", "zur", "vom", "von", "des", "der", "del", "de", "du", "da", "do", "di", "della", "para", "pour", "voor", "van", "till", "från", "от", "для", "к", "na", "la")
	participles  = byFirst("generated", "created", "set", "assigned", "changed")
	verbs        = byFirst("is", "was", "ist", "lautet", "est", "es", "è", "é", "jest", "är", "er", "это", "now")
)

// isOneOf reports that a word of the list stands at i, with a blank or colon after it.
func (s *scan) isOneOf(i int, words *[256][]string) bool {
	for _, word := range words[s.byteAt(i)] {
		if strings.HasPrefix(s.text[i:], word) && (isBlank(s.byteAt(i+len(word))) || s.byteAt(i+len(word)) == ':') {
			return true
		}
	}
	return false
}

// moreThanAWord reports that what stands up to the next blank is not letters alone
// of one case.
func (s *scan) moreThanAWord(i int) bool {
	const window = 64
	for end := min(len(s.text), i+window); i < end; i++ {
		if c := s.text[i]; c <= ' ' || c >= 0xe2 {
			return false
		} else if c < 'a' && c != '-' && c != '.' && c != ',' || c == '~' {
			return true
		}
	}
	s.short = s.short || i >= len(s.text)
	return i < len(s.text)
}
