package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	snippetLength = 160 // characters
	leadIn        = 50  // characters before the first match
	sight         = 100 // characters, about, in which matches are seen together
)

// snippet cuts one line out of a text, around the place where most of what is
// wanted stands together. marks are byte ranges of it.
func snippet(text string, found []mark0) (line string, marks [][2]int) {
	found = slices.Clone(found)
	slices.SortFunc(found, func(a, b mark0) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	from := 0
	if len(found) > 0 {
		from = before(text, found[best(found)].from)
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	rest, state := text[from:], -1
	at, n := from, 0
	next := 0
	open := -1    // the mark that the last character was in
	space := true // no blank at the beginning
	cut := false
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		start := at
		at += len(cluster)
		for next < len(found) && found[next].to <= start {
			next++
		}
		shown, isSpace := harmless(cluster)
		if isSpace || shown == "" {
			if isSpace && !space {
				space = true
				b.WriteByte(' ')
				n++
			}
			continue
		}
		if n >= snippetLength {
			cut = true
			break
		}
		in := -1
		if next < len(found) && found[next].from < at {
			in = next
		}
		if in >= 0 && in == open && len(marks) > 0 {
			marks[len(marks)-1][1] = b.Len() + len(shown)
		} else if in >= 0 {
			marks = append(marks, [2]int{b.Len(), b.Len() + len(shown)})
		}
		open = in
		b.WriteString(shown)
		space = false
		n++
	}
	line = strings.TrimRight(b.String(), " ")
	if cut {
		line += "…"
	}
	return line, marks
}

// best is the mark to begin with: the first of those with the most different
// groups in sight.
func best(found []mark0) int {
	top, at := 0, 0
	for i := range found {
		var groups uint64
		for _, f := range found[i:] {
			if f.from > found[i].from+sight {
				break
			}
			groups |= 1 << (f.group % 64)
		}
		n := 0
		for ; groups > 0; groups &= groups - 1 {
			n++
		}
		if n > top {
			top, at = n, i
		}
	}
	return at
}

// before is where a snippet begins whose match is at at: behind a blank, where
// there is one near.
func before(text string, at int) int {
	from := at
	n := 0
	blankAt := 0
	for from > 0 && n < leadIn {
		r, size := utf8.DecodeLastRuneInString(text[:from])
		if unicode.IsSpace(r) {
			blankAt = from
			if r == '\n' && n > leadIn/2 {
				break
			}
		}
		from -= size
		n++
	}
	switch {
	case from == 0:
		return 0
	case blankAt > 0:
		return blankAt
	}
	// Text without blanks: where a character begins, counted from a little before.
	near := max(0, from-256)
	for near > 0 && !utf8.RuneStart(text[near]) {
		near--
	}
	rest, state := text[near:], -1
	for near < from && rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		near += len(cluster)
	}
	return min(near, at)
}

// harmless is a character as a terminal may have it: no control, nothing that
// cannot be seen or turns the writing round.
func harmless(cluster string) (shown string, space bool) {
	if len(cluster) == 1 && cluster[0] > ' ' && cluster[0] < 0x7f {
		return cluster, false
	}
	ok := true
	for i, r := range cluster {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Z, r), unicode.Is(unicode.Cc, r):
			if i == 0 {
				return "", true
			}
			ok = false
		case r == utf8.RuneError, r != 0x200d && unicode.Is(unicode.Cf, r), unicode.In(r, unicode.Co, unicode.Cs):
			ok = false
		}
	}
	if ok {
		return cluster, false
	}
	var b strings.Builder
	for _, r := range cluster {
		switch {
		case r == utf8.RuneError:
			b.WriteRune(utf8.RuneError)
		case unicode.IsSpace(r), unicode.In(r, unicode.Z, unicode.C) && r != 0x200d:
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), false
}
