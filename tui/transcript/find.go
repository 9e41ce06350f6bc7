package transcript

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"conch/plain"
	"conch/tui/cells"
)

// Find marks words and shows the nearest place above the end of what is in
// sight that holds them. It ignores case. "" ends the search. What Mark marked is
// no longer.
func (t *Transcript) Find(query string) (found bool) {
	t.marks = nil
	t.query = strings.TrimSpace(plain.Line(query, 200))
	t.match = place{item: -1}
	if t.query == "" || len(t.items) == 0 || t.h == 0 || t.w == 0 {
		return false
	}
	t.settlePlace()
	from := t.move(t.top, t.h-1)
	from.line++ // what is in the last line counts too
	return t.seek(from, -1)
}

// NextMatch and PrevMatch go to the next place below or above, around the ends.
func (t *Transcript) NextMatch() bool { return t.again(+1) }

// PrevMatch goes to the next place above.
func (t *Transcript) PrevMatch() bool { return t.again(-1) }

func (t *Transcript) again(dir int) bool {
	if t.query == "" || len(t.items) == 0 || t.h == 0 || t.w == 0 {
		return false
	}
	from := t.match
	if from.item < 0 {
		t.settlePlace()
		from = t.top
	}
	return t.seek(from, dir)
}

// seek looks for the query from a place on, that place not counted, in every
// item once, and shows it.
func (t *Transcript) seek(from place, dir int) bool {
	i := from.item
	for n := 0; n <= len(t.items); n++ {
		if has(t.items[i].body.source(), t.query) {
			if y, ok := t.lineWith(i, from, dir, n); ok {
				t.match = place{i, y}
				t.showMatch()
				return true
			}
		}
		i = (i + dir + len(t.items)) % len(t.items)
	}
	return false
}

// lineWith finds the line of an item that shows the query: in the item where the
// search began (n 0) beyond that place, in others the first in the direction. An
// item that holds it out of sight is opened.
func (t *Transcript) lineWith(i int, from place, dir, n int) (int, bool) {
	at, ok := t.visibleLine(i, from, dir, n)
	if !ok && n > 0 && t.items[i].foldable() && !t.items[i].isOpen() && !t.anyLine(i) {
		t.items[i].toggle()
		if at, ok = t.visibleLine(i, from, dir, n); !ok {
			t.items[i].toggle() // it was no use
		}
	}
	if !ok && n > 0 && n < len(t.items) && !t.anyLine(i) {
		return t.gap(i), true // broken by a line end: the item is as near as it gets
	}
	return at, ok
}

func (t *Transcript) visibleLine(i int, from place, dir, n int) (int, bool) {
	lines, gap := t.linesOf(i), t.gap(i)
	y, end := 0, len(lines)
	if dir < 0 {
		y, end = len(lines)-1, -1
	}
	for ; y != end; y += dir {
		p := place{i, gap + y}
		if n == 0 && (dir > 0 && !from.before(p) || dir < 0 && !p.before(from)) {
			continue
		}
		if has(ansi.Strip(lines[y]), t.query) {
			return gap + y, true
		}
	}
	return 0, false
}

func (t *Transcript) anyLine(i int) bool {
	for _, line := range t.linesOf(i) {
		if has(ansi.Strip(line), t.query) {
			return true
		}
	}
	return false
}

// showMatch brings the match in sight, in the middle when it was not.
func (t *Transcript) showMatch() {
	if t.focus {
		t.sel = t.match.item
	}
	t.settlePlace()
	bottom := t.move(t.top, t.h-1)
	if t.match.before(t.top) || bottom.before(t.match) {
		t.show(t.move(t.match, -t.h/2))
		return
	}
	if t.follow { // a place that is looked at stays
		t.unfollow()
	}
}

// marked gives a drawn line with what is found in it marked.
func (t *Transcript) marked(line string) string {
	text := ansi.Strip(line)
	words := t.marks
	if t.query != "" {
		words = []string{t.query}
	}
	var found [][2]int
	for _, w := range words {
		for at := 0; at < len(text); {
			i, n := index(text[at:], w)
			if i < 0 {
				break
			}
			found = append(found, [2]int{at + i, at + i + n})
			at += i + max(n, 1)
		}
	}
	if len(words) > 1 {
		slices.SortFunc(found, func(a, b [2]int) int { return a[0] - b[0] })
	}
	var ranges []lipgloss.Range
	end := 0
	for _, f := range found {
		from := cells.Width(t.m, text[:max(f[0], end)])
		to := cells.Width(t.m, text[:max(f[1], end)])
		if to > from {
			ranges = append(ranges, lipgloss.NewRange(from, to, t.th.Match))
		}
		end = max(end, f[1])
	}
	if len(ranges) == 0 {
		return line
	}
	return lipgloss.StyleRanges(line, ranges...)
}

func has(s, query string) bool {
	i, _ := index(s, query)
	return i >= 0
}

// index finds query in s without regard to case: where it is and how long.
func index(s, query string) (at, length int) {
	if query == "" {
		return -1, 0
	}
	first, _ := utf8.DecodeRuneInString(query)
	lower, upper := finder{r: unicode.ToLower(first)}, finder{r: unicode.ToUpper(first)}
	for at < len(s) {
		at = min(lower.from(s, at), upper.from(s, at))
		if at == len(s) {
			break
		}
		if n, ok := foldPrefix(s[at:], query); ok {
			return at, n
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return -1, 0
}

// finder finds a character again and again, and looks at no part of the text
// twice.
type finder struct {
	r    rune
	next int // where it is, len of the text when there is none
	seen bool
}

func (f *finder) from(s string, at int) int {
	if !f.seen || f.next < at {
		f.seen = true
		f.next = len(s)
		if i := strings.IndexRune(s[at:], f.r); i >= 0 {
			f.next = at + i
		}
	}
	return f.next
}

// foldPrefix reports that s begins with query but for case, and how much of s
// that is.
func foldPrefix(s, query string) (int, bool) {
	n := 0
	for _, q := range query {
		r, size := utf8.DecodeRuneInString(s[n:])
		if size == 0 || r != q && unicode.ToLower(r) != unicode.ToLower(q) {
			return 0, false
		}
		n += size
	}
	return n, true
}
