// Package plain makes text from outside harmless for a terminal: no escape
// sequence, no control character, no bidi control, no invisible trick survives
// it. It is pure; everything that draws, prints, imports or hands over foreign
// text uses it.
//
// A whole escape sequence goes, with what it carries. A control character that
// is not part of a whole one becomes its sign ("␛", "␇"), so that nothing after
// an unfinished sequence is swallowed and a person sees what a command or a
// file name really holds. Cleaning text that is clean costs no allocation, and
// cleaning twice is cleaning once.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Text cleans text of several lines. Line feeds and tabs stay; every other line
// break (CRLF, a lone CR, VT, FF, NEL, U+2028, U+2029) becomes a line feed.
// Invalid UTF-8 becomes U+FFFD.
func Text(s string) string {
	var c cleaner
	var b strings.Builder
	start := 0 // of the stretch that is not copied yet
	for i := 0; i < len(s); {
		if n := c.clean(s[i:]); n > 0 {
			i += n
			continue
		}
		n, put := c.next(s[i:])
		if put == keep {
			i += n
			continue
		}
		if b.Cap() == 0 {
			b.Grow(len(s) + 16)
		}
		b.WriteString(s[start:i])
		if put != drop {
			b.WriteRune(put)
		}
		i += n
		start = i
	}
	if start == 0 {
		return s
	}
	b.WriteString(s[start:])
	return b.String()
}

// Line cleans text for one line: line breaks and runs of white space become one
// space, those at the ends go, and what is longer than max characters (runes)
// is cut between two graphemes and ends in "…", which counts. max <= 0 is no
// limit. The work is bounded by max, not by the length of s.
func Line(s string, max int) string {
	if isLine(s, max) {
		return s
	}
	var c cleaner
	b := make([]byte, 0, lineRoom(len(s), max))
	runes, space := 0, false
	for i := 0; i < len(s); {
		n, put := c.next(s[i:])
		r := put
		if put == keep {
			r, _ = utf8.DecodeRuneInString(s[i:])
		}
		i += n
		switch {
		case put == drop:
			continue
		case unicode.IsSpace(r):
			space = true
			continue
		}
		if space && runes > 0 {
			b = append(b, ' ')
			runes++
		}
		space = false
		b = utf8.AppendRune(b, r)
		runes++
		if max > 0 && runes > max {
			return cut(string(b), max)
		}
	}
	return string(b)
}

// isLine reports that s is a clean line already.
func isLine(s string, max int) bool {
	var c cleaner
	runes, prev := 0, ' '
	for i := 0; i < len(s); {
		n, put := c.next(s[i:])
		if put != keep {
			return false
		}
		r, _ := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) && (r != ' ' || prev == ' ') {
			return false
		}
		if runes++; max > 0 && runes > max {
			return false
		}
		prev = r
		i += n
	}
	return runes == 0 || prev != ' '
}

func lineRoom(n, max int) int {
	if max > 0 && n > 4*max+8 {
		return 4*max + 8
	}
	return n + 8
}

// cut shortens a clean line to max runes, the "…" among them.
func cut(s string, max int) string {
	end, runes, state := 0, 0, -1
	for rest := s; rest != ""; {
		var g string
		g, rest, _, state = uniseg.StepString(rest, state)
		k := utf8.RuneCountInString(g)
		if runes+k > max-1 {
			break
		}
		runes += k
		end += len(g)
	}
	// A joiner that has lost what it joined would be invisible.
	return strings.TrimRight(s[:end], " \u200c\u200d") + "…"
}
