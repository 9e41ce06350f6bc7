package search

import (
	"unicode"
	"unicode/utf8"
)

// maxTerm is how many bytes of a word count. Longer ones are data: two that begin
// alike are the same word.
const maxTerm = 64

// splitter takes a text apart into the words that the index knows: runs of
// letters and digits, small and without their marks. A letter of a script that
// writes no blanks (Chinese, Japanese, Korean, Thai and others) is a word of its
// own, so that any part of such a text is a phrase. A word with a change of case
// in it ("getUserName") is followed by its parts.
//
// Index, query and snippet all use it, so that what is searched as one word was
// stored as one.
type splitter struct {
	text string
	at   int
	part bool // the word is a part of the one before it

	from, to int    // of the word, in text
	word     []byte // as the index knows it; valid until next

	parts, end int // where the next part begins and the last one ends; parts < end while there are some
}

// Kinds of bytes.
const (
	gap   = iota // between words
	small        // a small letter or a digit
	large        // a large letter
	wide         // of a rune with more than one byte
)

// kinds is by byte, so that plain English costs one look-up each.
var kinds = func() (k [256]byte) {
	for b := range k {
		switch {
		case b >= utf8.RuneSelf:
			k[b] = wide
		case b >= 'A' && b <= 'Z':
			k[b] = large
		case b >= 'a' && b <= 'z', b >= '0' && b <= '9':
			k[b] = small
		}
	}
	return k
}()

// next finds the next word.
func (s *splitter) next() bool {
	if s.parts < s.end {
		s.nextPart()
		return true
	}
	s.part = false
	s.word = s.word[:0]
	text, at := s.text, s.at
	humps := false
	before := byte(gap) // kinds of the two bytes before
	last := byte(gap)
	for at < len(text) {
		c := text[at]
		kind := kinds[c]
		switch kind {
		case small:
			if last == large && before == large && c > '9' {
				humps = true
			}
		case large:
			if last == small {
				humps = true
			}
			c += 'a' - 'A'
		case gap:
			if len(s.word) > 0 {
				s.done(at, at+1, humps)
				return true
			}
			at++
			continue
		default:
			r, size := utf8.DecodeRuneInString(text[at:])
			how := look(r)
			switch {
			case how == mark && len(s.word) > 0:
				at += size
				continue
			case how == between || how == mark:
				if len(s.word) > 0 {
					s.done(at, at+size, humps)
					return true
				}
				at += size
				continue
			case how == alone:
				if len(s.word) > 0 {
					s.done(at, at, humps)
					return true
				}
				s.from = at
				s.word = utf8.AppendRune(s.word, plainRune(r))
				at += size
				at = s.marks(at)
				s.done(at, at, false)
				return true
			}
			if len(s.word) == 0 {
				s.from = at
			}
			if len(s.word) < maxTerm {
				s.word = utf8.AppendRune(s.word, plainRune(r))
			}
			kind = small
			if unicode.IsUpper(r) {
				kind = large
				humps = humps || last == small
			}
			at += size
			before, last = last, kind
			continue
		}
		if len(s.word) == 0 {
			s.from = at
		}
		if len(s.word) < maxTerm {
			s.word = append(s.word, c)
		}
		at++
		before, last = last, kind
	}
	if len(s.word) == 0 {
		s.at = at
		return false
	}
	s.done(at, at, humps)
	return true
}

// done ends a word before to; the next one begins at at or later.
func (s *splitter) done(to, at int, humps bool) {
	s.to, s.at = to, at
	if humps && to-s.from <= maxTerm {
		s.parts, s.end = s.from, to
	}
}

// nextPart finds the next part of a word with humps.
func (s *splitter) nextPart() {
	text := s.text[:s.end]
	from := s.parts
	s.word = s.word[:0]
	var before, last byte
	at := from
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		kind := byte(small)
		if unicode.IsUpper(r) {
			kind = large
		}
		if at > from {
			if kind == large && last == small {
				break
			}
			if last == large && before == large && kind == small && r > '9' && at-1 > from {
				// The last large letter begins the next part: HTTPServer.
				_, back := utf8.DecodeLastRuneInString(text[:at])
				at -= back
				s.word = s.word[:len(s.word)-lastLen(s.word)]
				break
			}
		}
		if look(r) != mark {
			s.word = utf8.AppendRune(s.word, plainRune(r))
		}
		at += size
		before, last = last, kind
	}
	s.part, s.from, s.to, s.parts = true, from, at, at
}

func lastLen(b []byte) int {
	_, n := utf8.DecodeLastRune(b)
	return n
}

// marks passes over the marks behind a letter that is a word of its own.
func (s *splitter) marks(at int) int {
	for at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[at:])
		if r < 0x300 || !unicode.In(r, unicode.M) {
			break
		}
		at += size
	}
	return at
}

// What a rune is to a word.
const (
	between = iota // not in a word
	within         // in a word
	alone          // a word of its own
	mark           // passed over
)

func look(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		if kinds[byte(r)] == gap {
			return between
		}
		return within
	case r >= 0x300 && r <= 0x36f, r >= 0x483 && r <= 0x489, // accents
		r >= 0x591 && r <= 0x5bd, r >= 0x64b && r <= 0x65f, // points of Hebrew and Arabic
		r >= 0xfe00 && r <= 0xfe0f, r == 0xad, r >= 0x200b && r <= 0x200f, r == 0x2060: // nothing to be seen
		return mark
	case r < 0xe00:
		if unicode.In(r, unicode.L, unicode.N, unicode.M) {
			return within
		}
		return between
	case r == 0x30fc, r == 0xff70: // the long sound of Japanese
		return alone
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar, unicode.Bopomofo, unicode.Yi):
		if unicode.In(r, unicode.L, unicode.N) {
			return alone
		}
		if unicode.In(r, unicode.M) {
			return mark
		}
		return between
	case unicode.In(r, unicode.L, unicode.N, unicode.M):
		return within
	}
	return between
}

// plainRune is a letter small and without its marks.
func plainRune(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if r >= 0xff01 && r <= 0xff5e { // the wide forms of ASCII
		return plainRune(r - 0xfee0)
	}
	for _, b := range blocks() {
		if i := int(r - b.first); i >= 0 && i < len(b.plain) && b.plain[i] != ' ' {
			return b.plain[i]
		}
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// terms are the words of a text, without parts.
func terms(text string, most int) []string {
	var list []string
	s := splitter{text: text}
	for len(list) < most && s.next() {
		if !s.part {
			list = append(list, string(s.word))
		}
	}
	return list
}

// blankless reports that a term is a letter of a script without blanks.
func blankless(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return look(r) == alone
}
