package markdown

import "strings"

// language is what the scanner knows of one. It is enough to tell comments,
// strings, numbers, keywords and types apart; a grammar it is not.
type language struct {
	line     []string    // what begins a comment up to the end of the line
	block    [][2]string // what begins and ends a comment
	quotes   []quote     // the longer ones first
	keywords map[string]bool
	types    map[string]bool

	anyCase bool   // keywords in capitals count
	inName  string // characters of a name besides letters, digits and _
	sigil   byte   // begins a variable, 0: none
	keys    string // a name that one of these follows is a key
	hash    bool   // # begins a comment only after a blank, $# does not
	regex   bool   // /…/ where a value may stand
	directs bool   // # and a word is a directive, @ and a word a decorator
	hexes   bool   // # and hexadecimal digits is a number
	scalars bool   // a string begins only where a value does
	special func(s string, put func(end int, l look))
}

// quote is one kind of string.
type quote struct {
	open, close string
	escapes     bool
	lines       bool // it may go over several lines
}

// scan calls put for each stretch of s, in order: where it ends and how it
// looks. The last stretch may be left out when it is plain.
func (g *language) scan(s string, put func(end int, l look)) {
	if g.special != nil {
		g.special(s, put)
		return
	}
	value := true // a value may stand here, so / begins an expression
	for i := 0; i < len(s); {
		from := i
		end, l := g.token(s, i, value)
		if l != 0 {
			put(from, 0)
			put(end, l)
		}
		if c := s[end-1]; l != comment && c != ' ' && c != '\t' && c != '\n' {
			value = l == keyword || l == 0 && strings.IndexByte("(,=:[!&|?{};+-*%<>~^\n", c) >= 0
		}
		i = end
	}
}

// token is the stretch that begins at s[i].
func (g *language) token(s string, i int, value bool) (end int, l look) {
	c := s[i]
	if c == ' ' || c == '\n' || c == '\t' {
		return i + 1, 0
	}
	for _, open := range g.line {
		if strings.HasPrefix(s[i:], open) && (!g.hash || i == 0 || strings.IndexByte(" \t\n;(", s[i-1]) >= 0) {
			return lineEnd(s, i), comment
		}
	}
	for _, b := range g.block {
		if strings.HasPrefix(s[i:], b[0]) {
			return closeAt(s, i+len(b[0]), b[1]), comment
		}
	}
	for _, q := range g.quotes {
		if strings.HasPrefix(s[i:], q.open) && (!g.scalars || beginsValue(s, i)) {
			if end := q.end(s, i+len(q.open)); end > 0 {
				return end, str
			}
		}
	}
	switch {
	case isDigit(c) || c == '.' && i+1 < len(s) && isDigit(s[i+1]) && (i == 0 || !g.named(s[i-1])):
		return numberEnd(s, i), number
	case c == '#' && g.hexes:
		end = i + 1
		for end < len(s) && hexValue(s[end]) < 16 {
			end++
		}
		if end > i+3 {
			return end, number
		}
	case c == '/' && g.regex && value:
		if end := regexEnd(s, i+1); end > 0 {
			return end, str
		}
	case g.sigil != 0 && c == g.sigil:
		if end := g.nameEnd(s, i+1); end > i+1 {
			return end, name
		}
	case g.directs && (c == '#' || c == '@'):
		if end := g.nameEnd(s, i+1); end > i+1 {
			return end, keyword
		}
	case g.named(c):
		return g.word(s, i)
	}
	return i + 1, 0
}

func (g *language) word(s string, i int) (end int, l look) {
	end = g.nameEnd(s, i)
	if g.keys != "" && g.isKey(s, i, end) {
		return end, typ
	}
	w := s[i:end]
	if g.anyCase {
		w = strings.ToLower(w)
	}
	switch {
	case g.keywords[w]:
		return end, keyword
	case g.types[w]:
		return end, typ
	}
	return end, 0
}

// isKey reports that a name stands first in its line, or after a brace, and is
// followed by what makes it a key.
func (g *language) isKey(s string, from, end int) bool {
	before := from - 1
	for before >= 0 && strings.IndexByte(" \t-{,", s[before]) >= 0 {
		before--
	}
	if before >= 0 && s[before] != '\n' {
		return false
	}
	for end < len(s) && s[end] == ' ' {
		end++
	}
	return end < len(s) && strings.IndexByte(g.keys, s[end]) >= 0
}

// beginsValue reports that what stands before s[i] in its line lets a value begin.
func beginsValue(s string, i int) bool {
	blank := false
	for i--; i >= 0 && (s[i] == ' ' || s[i] == '\t'); i-- {
		blank = true
	}
	return i < 0 || s[i] == '\n' || strings.IndexByte("[{,", s[i]) >= 0 || blank && (s[i] == ':' || s[i] == '-')
}

func (g *language) nameEnd(s string, i int) int {
	for i < len(s) && (g.named(s[i]) || isDigit(s[i])) {
		i++
	}
	return i
}

func (g *language) named(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80 || g.inName != "" && strings.IndexByte(g.inName, c) >= 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

func closeAt(s string, i int, end string) int {
	if n := strings.Index(s[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(s)
}

// end is where a string ends whose inside begins at s[i]; 0 when it does not end
// in its line, as an apostrophe in a sentence.
func (q quote) end(s string, i int) int {
	for i < len(s) {
		switch {
		case q.escapes && s[i] == '\\':
			i += 2
		case strings.HasPrefix(s[i:], q.close):
			return i + len(q.close)
		case s[i] == '\n' && !q.lines:
			return 0
		default:
			i++
		}
	}
	if q.lines {
		return len(s)
	}
	return 0
}

func numberEnd(s string, i int) int {
	for from := i; i < len(s); i++ {
		c := s[i]
		switch {
		case isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
		case c == '.' && i+1 < len(s) && isDigit(s[i+1]):
		case (c == '+' || c == '-') && i > from && (s[i-1] == 'e' || s[i-1] == 'E') && i+1 < len(s) && isDigit(s[i+1]) && !strings.HasPrefix(s[from:], "0x"):
		default:
			return i
		}
	}
	return i
}

func regexEnd(s string, i int) int {
	class := false
	for ; i < len(s) && s[i] != '\n'; i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if class {
				continue
			}
			for i++; i < len(s) && s[i] >= 'a' && s[i] <= 'z'; i++ {
			}
			return i
		}
	}
	return 0
}
