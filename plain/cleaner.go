package plain

import (
	"unicode"
	"unicode/utf8"
)

// What next says of a piece when it is not a rune to put in its place.
const (
	keep rune = -1
	drop rune = -2
)

const (
	maxMarks = 12 // combining marks on one character; more paint over other lines
	maxJoins = 8  // joined emoji in one; more are one endless character
)

const (
	esc  = 0x1b
	bel  = 0x07
	nel  = 0x85
	st   = 0x9c // string terminator as one character
	zwnj = 0x200c
	zwj  = 0x200d
)

// cleaner remembers what was put out, as far as the next rune depends on it.
type cleaner struct {
	last  rune // the newest rune that was put out
	marks int  // combining marks since a base
	joins int  // joined emoji since one that was not
}

// clean gives the length of the ASCII text at the start of s that needs nothing.
func (c *cleaner) clean(s string) int {
	i := 0
	for i < len(s) && (s[i]-0x20 < 0x5f || s[i] == '\n' || s[i] == '\t') {
		i++
	}
	if i > 0 {
		c.put(rune(s[i-1]))
	}
	return i
}

// next looks at the start of s, which isn't empty: how many bytes are one piece,
// and what becomes of them: keep, drop, or a rune in their place.
func (c *cleaner) next(s string) (n int, put rune) {
	if b := s[0]; b < utf8.RuneSelf {
		return c.ascii(s, b)
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		return n, c.put(utf8.RuneError)
	case r < 0xa0:
		if k := sequence8(s, r, n); k > 0 {
			return k, drop
		}
		if r == nel {
			return n, c.put('\n')
		}
		return n, c.put(utf8.RuneError)
	case r == 0x2028 || r == 0x2029:
		return n, c.put('\n')
	case isNonCharacter(r):
		return n, c.put(utf8.RuneError)
	case !c.admits(r, s[n:]):
		return n, drop
	}
	c.put(r)
	return n, keep
}

func (c *cleaner) ascii(s string, b byte) (n int, put rune) {
	switch {
	case b-0x20 < 0x5f || b == '\n' || b == '\t':
		c.put(rune(b))
		return 1, keep
	case b == '\r':
		if len(s) > 1 && s[1] == '\n' {
			return 1, drop
		}
		return 1, c.put('\n')
	case b == '\v' || b == '\f':
		return 1, c.put('\n')
	case b == esc:
		if k := sequence(s); k > 0 {
			return k, drop
		}
	case b == 0x7f:
		return 1, c.put('␡')
	}
	return 1, c.put('␀' + rune(b))
}

// put notes a rune that goes out, and gives it back.
func (c *cleaner) put(r rune) rune {
	switch {
	case r < 0x300:
		c.marks, c.joins = 0, 0
	case isMark(r):
		c.marks++
	case r == zwj:
		c.joins++
	case c.last == zwj:
		c.marks = 0
	default:
		c.marks, c.joins = 0, 0
	}
	c.last = r
	return r
}

// admits decides on runes that are invisible or change how others look. rest is
// what follows r.
func (c *cleaner) admits(r rune, rest string) bool {
	switch {
	case r < 0xad:
		return true
	case r == zwj:
		return c.joinsEmoji(rest) || needsJoiners(c.last)
	case r == zwnj:
		return needsJoiners(c.last)
	case r == 0x180e: // Mongolian vowel separator
		return unicode.Is(unicode.Mongolian, c.last)
	case r >= 0xfe00 && r <= 0xfe0f: // variation selectors: one, on something that can vary
		return takesVariation(c.last)
	case r >= 0xe0100 && r <= 0xe01ef: // ideographic variation selectors
		return unicode.Is(unicode.Han, c.last)
	case isInvisible(r):
		return false
	case isMark(r):
		return c.marks < maxMarks
	}
	return true
}

func (c *cleaner) joinsEmoji(rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return c.joins < maxJoins && isPictograph(next) && (isPictograph(c.last) || c.last == 0xfe0f)
}
