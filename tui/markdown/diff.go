package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"conch/plain"
	"conch/tui/cells"
	"conch/tui/theme"
)

// DiffOptions say how a change is drawn.
type DiffOptions struct {
	Width int
	Split bool // old and new side by side; callers ask for it from 120 columns on
	Limit int  // at most so many lines, the rest folded to one with its count; 0 is no limit
	Line  int  // 1-based line of the first line of old in its file; 0 is unknown, counted from 1
}

const (
	diffContext = 2    // unchanged lines shown around a change
	diffTab     = 2    // a diff is narrow already
	maxDiffLine = 1000 // characters of one line
)

// Diff draws the change from old to new; nil is a file that is not there. Each
// line has its number, a sign (+, −, blank) and the text.
func Diff(old, new *string, th *theme.Theme, o DiffOptions) []string {
	d := diffRenderer{pen: newPen(th), rows: diffRows(old, new, max(o.Line, 1)), limit: o.Limit}
	d.digits = 4
	for _, row := range d.rows {
		d.digits = max(d.digits, len(strconv.Itoa(max(row.old, row.new))))
	}
	if o.Width < 2*d.digits {
		d.digits = 0 // no room for numbers
	}
	if o.Split {
		return d.split(max(o.Width, 1))
	}
	return d.unified(max(o.Width, 1))
}

// Count gives the lines that a change adds and removes.
func Count(old, new *string) (added, removed int) {
	a, b := diffLines(old), diffLines(new)
	for _, e := range lineEdits(a, b) {
		added += e.newEnd - e.newStart
		removed += e.oldEnd - e.oldStart
	}
	return added, removed
}

// diffRow is one line of a change: unchanged (both numbers), removed (old) or
// added (new). gap: lines that did not change are left out here.
type diffRow struct {
	old, new int
	text     string
	gap      bool
}

func diffRows(old, new *string, line int) []diffRow {
	a, b := diffLines(old), diffLines(new)
	edits := lineEdits(a, b)
	var rows []diffRow
	at := 0 // next line of a that is not in rows
	for i, e := range edits {
		shift := e.newStart - e.oldStart
		from := max(at, e.oldStart-diffContext)
		if from > at && i > 0 {
			rows = append(rows, diffRow{gap: true})
		}
		for ; from < e.oldStart; from++ {
			rows = append(rows, diffRow{old: line + from, new: line + from + shift, text: a[from]})
		}
		for k := e.oldStart; k < e.oldEnd; k++ {
			rows = append(rows, diffRow{old: line + k, text: a[k]})
		}
		for k := e.newStart; k < e.newEnd; k++ {
			rows = append(rows, diffRow{new: line + k, text: b[k]})
		}
		at = e.oldEnd
		until := min(at+diffContext, len(a))
		if i+1 < len(edits) {
			until = min(until, edits[i+1].oldStart)
		}
		shift = e.newEnd - e.oldEnd
		for ; at < until; at++ {
			rows = append(rows, diffRow{old: line + at, new: line + at + shift, text: a[at]})
		}
	}
	return rows
}

// lineEdit replaces a stretch of old lines by new ones; counted from 0.
type lineEdit struct{ oldStart, oldEnd, newStart, newEnd int }

// lineEdits compares line by line, as they came: cleaning may make two lines
// look the same that are not.
func lineEdits(a, b []string) []lineEdit {
	var before, after strings.Builder
	starts := make(map[int]int, len(a)+1) // byte offset to line
	for i, l := range a {
		starts[before.Len()] = i
		before.WriteString(l)
		before.WriteByte('\n')
	}
	starts[before.Len()] = len(a)
	for _, l := range b {
		after.WriteString(l)
		after.WriteByte('\n')
	}
	var edits []lineEdit
	shift := 0
	for _, e := range udiff.Lines(before.String(), after.String()) {
		from, to := starts[e.Start], starts[e.End]
		n := strings.Count(e.New, "\n")
		edits = append(edits, lineEdit{from, to, from + shift, from + shift + n})
		shift += n - (to - from)
	}
	return edits
}

func diffLines(s *string) []string {
	if s == nil || *s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(*s, "\n"), "\n")
}

type diffRenderer struct {
	pen
	rows   []diffRow
	digits int // of the column of numbers; 0: there is none
	limit  int
}

func (d *diffRenderer) unified(width int) []string {
	var lines []string
	for i, row := range d.rows {
		n := len(lines)
		lines = d.cell(lines, row, max(row.new, row.old), row.look(), width)
		if d.limit > 0 && len(lines) > d.limit || d.limit > 0 && len(lines) == d.limit && i+1 < len(d.rows) {
			return append(lines[:min(n, d.limit-1)], d.more(len(d.rows)-i, width))
		}
	}
	return lines
}

// split sets old and new side by side.
func (d *diffRenderer) split(width int) []string {
	const between = 2
	half := max((width-between)/2, 1)
	var lines []string
	for i := 0; i < len(d.rows); {
		row := d.rows[i]
		n := len(lines)
		used := 1
		switch {
		case row.gap:
			lines = d.cell(lines, row, 0, muted, width)
		case row.old > 0 && row.new > 0:
			lines = d.beside(lines, d.cell(nil, row, row.old, 0, half), d.cell(nil, row, row.new, 0, half), half+between, width)
		default:
			var left, right []string
			k := i
			for ; k < len(d.rows) && d.rows[k].look() == removed; k++ {
				left = d.cell(left, d.rows[k], d.rows[k].old, removed, half)
			}
			for ; k < len(d.rows) && d.rows[k].look() == added; k++ {
				right = d.cell(right, d.rows[k], d.rows[k].new, added, half)
			}
			lines = d.beside(lines, left, right, half+between, width)
			used = k - i
		}
		if d.limit > 0 && (len(lines) > d.limit || len(lines) == d.limit && i+used < len(d.rows)) {
			// A long block is shown as far as there is room for it.
			keep := d.limit - 1
			rest := len(d.rows) - i - max(keep-n, 0)
			return append(lines[:keep], d.more(max(rest, 1), width))
		}
		i += used
	}
	return lines
}

func (d *diffRenderer) beside(dst, left, right []string, column, width int) []string {
	for y := range max(len(left), len(right)) {
		l, r := "", ""
		if y < len(left) {
			l = left[y]
		}
		if y < len(right) {
			r = right[y]
		}
		if r != "" {
			l += cells.Blank(column-cells.Width(d.m, l)) + r
		}
		dst = append(dst, fit(d.m, l, width))
	}
	return dst
}

func (r diffRow) look() look {
	switch {
	case r.gap:
		return muted
	case r.new == 0:
		return removed
	case r.old == 0:
		return added
	}
	return 0
}

// cell draws a row: number, sign, text. What is longer than the width goes on
// below, under the text.
func (d *diffRenderer) cell(dst []string, row diffRow, no int, l look, width int) []string {
	if row.gap {
		return append(dst, fit(d.m, d.paint(muted, cells.Blank(max(d.digits-1, 0))+d.th.Signs.Ellipsis), width))
	}
	sign := " "
	switch l {
	case added:
		sign = "+"
	case removed:
		sign = d.th.Signs.Minus
	}
	head := ""
	if d.digits > 0 {
		head = d.paint(muted, fmt.Sprintf("%*d", d.digits, no)) + " "
	}
	lead := d.paint(l, sign) + " "
	indent := 2
	if d.digits > 0 {
		indent += d.digits + 1
	}
	if indent >= width {
		return append(dst, fit(d.m, head+lead, width))
	}
	var f flow
	f.add(expandTabs(diffText(row.text), diffTab), l, 0)
	from := len(dst)
	dst = d.hardWrapped(dst, &f, width-indent)
	if len(dst) == from {
		dst = append(dst, "")
	}
	behind(dst[from:], head+lead, cells.Blank(indent))
	return dst
}

// diffText cleans one line of a file. A return that is not at the end stays one
// line, as the numbers have it.
func diffText(s string) string {
	s = strings.TrimSuffix(s, "\r")
	if strings.ContainsAny(s, "\r\v\f\u0085\u2028\u2029") {
		s = strings.NewReplacer("\r", "␍", "\v", "␋", "\f", "␌", "\u0085", "␤", "\u2028", "␤", "\u2029", "␤").Replace(s)
	}
	if len(s) > maxDiffLine {
		s = plain.Line(s, maxDiffLine)
	}
	return plain.Text(s)
}

func (d *diffRenderer) more(n, width int) string {
	s := d.th.Signs.Ellipsis + " " + count(n, "more line")
	return fit(d.m, cells.Blank(max(d.digits-1, 0))+d.paint(muted, s), width)
}

// count is a number with thousands grouped and its word, which gets an s.
func count(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return group(n) + " " + word
}

func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// aroundContext is what Around keeps on both sides: as much as Patch shows.
const aroundContext = udiff.DefaultContextLines

// Around gives a change without the lines far before and after it, which old and
// new have in common, and the line of the new beginning in its file. Diff and
// Count show the same of both. What it gives keeps nothing of the long strings
// alive.
func Around(old, new *string, line int) (*string, *string, int) {
	if old == nil || new == nil || len(*old)+len(*new) < 2048 {
		return old, new, line
	}
	a, b := strings.SplitAfter(*old, "\n"), strings.SplitAfter(*new, "\n")
	before := 0
	for before < len(a) && before < len(b) && a[before] == b[before] {
		before++
	}
	after := 0
	for after < len(a)-before && after < len(b)-before && a[len(a)-1-after] == b[len(b)-1-after] {
		after++
	}
	before, after = max(before-aroundContext, 0), max(after-aroundContext-1, 0)
	if before+after == 0 {
		return old, new, line
	}
	part := func(lines []string) *string {
		s := strings.Clone(strings.Join(lines[before:len(lines)-after], ""))
		return &s
	}
	return part(a), part(b), max(line, 1) + before
}

// Patch is a change as text, for copying: a unified diff, cleaned.
func Patch(path string, old, new *string) string {
	a, b := "", ""
	from, to := "a/"+path, "b/"+path
	if old == nil {
		from = "/dev/null"
	} else {
		a = *old
	}
	if new == nil {
		to = "/dev/null"
	} else {
		b = *new
	}
	s, err := udiff.ToUnified(from, to, a, udiff.Lines(a, b), udiff.DefaultContextLines)
	if err != nil {
		return ""
	}
	return clean(s)
}
