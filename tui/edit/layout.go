package edit

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// row is one line on the screen: the bytes start..end of the text. A blank at
// which the line was broken stands between end and the next row's start and is
// not drawn, like the LF that ends a line.
type row struct{ start, end int }

// tabWidth is the distance of tab stops.
const tabWidth = 4

// SetWidth wraps into rows of at most width cells; below one counts as one.
// One cell more is needed for a cursor at a row's end.
func (b *Buffer) SetWidth(width int) {
	if width = max(width, 1); width != b.width {
		b.width = width
		b.layout()
	}
}

// SetMethod measures with another method from now on.
func (b *Buffer) SetMethod(m ansi.Method) {
	if m != b.method {
		b.method = m
		b.layout()
	}
}

// Rows is the number of rows, at least one.
func (b *Buffer) Rows() int { return len(b.rows) }

// Cell is the row and the column of the cursor. The column may be the width.
func (b *Buffer) Cell() (row, col int) {
	row = b.rowOf(b.cursor)
	return row, b.column(row, b.cursor)
}

func (b *Buffer) layout() {
	b.rows = b.rows[:0]
	for start := 0; start >= 0; {
		end, next := b.wrapRow(start)
		b.rows = append(b.rows, row{start, end})
		start = next
	}
}

// relayout wraps again after the bytes from..oldTo became from..newTo. A row's
// end depends on no text behind the row after it, so wrapping begins two rows
// before the change, and stops where a row begins at the same text as before.
func (b *Buffer) relayout(from, oldTo, newTo int) {
	delta := newTo - oldTo
	first := max(b.rowOf(from)-2, 0)
	start := b.rows[first].start
	again := first
	for again < len(b.rows) && b.rows[again].start < oldTo {
		again++
	}
	var fresh []row
	for start >= 0 {
		if start >= newTo {
			for again < len(b.rows) && b.rows[again].start+delta < start {
				again++
			}
			if again < len(b.rows) && b.rows[again].start+delta == start && b.rows[again].start >= oldTo {
				break
			}
		}
		end, next := b.wrapRow(start)
		fresh = append(fresh, row{start, end})
		start = next
	}
	if start < 0 {
		again = len(b.rows)
	}
	tail := b.rows[again:]
	if delta != 0 {
		for i := range tail {
			tail[i].start += delta
			tail[i].end += delta
		}
	}
	if first+len(fresh) == again {
		copy(b.rows[first:], fresh)
		return
	}
	rows := make([]row, 0, first+len(fresh)+len(tail)+16)
	rows = append(rows, b.rows[:first]...)
	rows = append(rows, fresh...)
	b.rows = append(rows, tail...)
}

// wrapRow gives the end of the row that begins at start and where the next one
// begins, -1 behind the last.
func (b *Buffer) wrapRow(start int) (end, next int) {
	col, breakAt := 0, -1
	for at := start; ; {
		if at >= len(b.text) {
			return at, -1
		}
		if b.text[at] == '\n' {
			return at, at + 1
		}
		size, w := b.glyph(at, col)
		blank := size == 1 && (b.text[at] == ' ' || b.text[at] == '\t')
		if col+w > b.width && at > start {
			switch {
			case blank:
				return at, at + size
			case breakAt > start:
				return breakAt, breakAt
			}
			return at, at
		}
		wide := w > 1 && !blank
		if wide && at > start {
			breakAt = at
		}
		at += size
		col += w
		if blank || wide {
			breakAt = at
		}
	}
}

// glyph measures what stands at a byte of the text, drawn at column col: the
// bytes it takes and its cells, at least one and at most the width.
func (b *Buffer) glyph(at, col int) (size, width int) {
	c := b.text[at]
	if c < utf8.RuneSelf && (at+1 == len(b.text) || b.text[at+1] < utf8.RuneSelf || b.text[at+1] == markByte) {
		if c == '\t' {
			return 1, min(tabWidth-col%tabWidth, b.width)
		}
		return 1, 1
	}
	if b.isMark(at) {
		return markLen, min(max(b.method.StringWidth(b.atom(at).Label), 1), b.width)
	}
	cluster, w := b.cluster(at)
	if cluster[0] == '\t' {
		return len(cluster), min(tabWidth-col%tabWidth, b.width)
	}
	if w < 1 || odd(cluster) {
		w = 1
	}
	return len(cluster), min(w, b.width)
}

// cluster is the grapheme cluster at a byte that is no mark.
func (b *Buffer) cluster(at int) (string, int) {
	cluster, w := ansi.FirstGraphemeCluster(b.text[at:], b.method)
	if i := strings.IndexByte(cluster, markByte); i > 0 {
		cluster = cluster[:i]
		w = b.method.StringWidth(cluster)
	}
	return cluster, w
}

// rowOf is the row on which a byte offset stands.
func (b *Buffer) rowOf(at int) int {
	return sort.Search(len(b.rows), func(i int) bool { return b.rows[i].start > at }) - 1
}

func (b *Buffer) column(r, at int) int {
	col := 0
	for i := b.rows[r].start; i < at && i < b.rows[r].end; {
		size, w := b.glyph(i, col)
		i += size
		col += w
	}
	return col
}

// boundary moves an offset to the end of the cluster that it stands in.
func (b *Buffer) boundary(at int) int {
	if at <= 0 {
		return 0
	}
	if at >= len(b.text) {
		return len(b.text)
	}
	i := b.rows[b.rowOf(at)].start
	for i < at {
		size, _ := b.glyph(i, 0)
		i += size
	}
	return i
}

// Style draws a piece of a row.
type Style func(string) string

// Draw gives row r without blanks at its end: atoms pass atom, signs for what
// cannot be seen pass sign. Either may be nil.
func (b *Buffer) Draw(r int, ellipsis string, atom, sign Style) string {
	if r < 0 || r >= len(b.rows) {
		return ""
	}
	var out strings.Builder
	col := 0
	start, end := b.rows[r].start, b.rows[r].end
	for at := start; at < end; {
		size, w := b.glyph(at, col)
		switch s := b.text[at : at+size]; {
		case s[0] == '\t':
			out.WriteString(strings.Repeat(" ", w))
		case s[0] == markByte:
			label := b.atom(at).Label
			if label == "" {
				label = " "
			}
			if b.method.StringWidth(label) > w {
				label = b.method.Truncate(label, w, ellipsis)
				label += strings.Repeat(" ", w-b.method.StringWidth(label))
			}
			out.WriteString(styled(atom, label))
		case size == 1 && s[0] >= ' ' && s[0] < 0x7f:
			out.WriteByte(s[0])
		default:
			out.WriteString(b.shown(s, w, sign))
		}
		at += size
		col += w
	}
	return out.String()
}

// shown is how a cluster is drawn in w cells.
func (b *Buffer) shown(cluster string, w int, sign Style) string {
	if !odd(cluster) {
		switch n := b.method.StringWidth(cluster); {
		case n == w:
			return cluster
		case n > w: // wider than the whole row
			return strings.Repeat(" ", w)
		}
	}
	return styled(sign, picture(cluster)+strings.Repeat(" ", w-1))
}

// picture is a sign of one cell for what cannot be seen.
func picture(cluster string) string {
	switch r, _ := utf8.DecodeRuneInString(cluster); {
	case r < ' ':
		return string(0x2400 + r)
	case r == 0x7f:
		return "\u2421"
	}
	return "·"
}

func styled(s Style, text string) string {
	if s == nil {
		return text
	}
	return s(text)
}
