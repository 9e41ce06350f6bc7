package markdown

import (
	"slices"
	"strings"

	east "github.com/yuin/goldmark/extension/ast"

	"conch/tui/cells"
)

const (
	columnGap = 2 // blanks between columns
	columnMin = 4 // a narrower column is not readable
)

// table draws a table without borders: bold heads over a rule, columns with
// blanks between. Where the columns don't fit, each row becomes lines of
// "head: cell".
func (r *renderer) table(dst []string, n *east.Table, width int) []string {
	r.inTable = true
	defer func() { r.inTable = false }()
	var rows [][]flow
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		l := look(0)
		if row.Kind() == east.KindTableHeader {
			l = strong
		}
		var cs []flow
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			var f flow
			r.inline(&f, cell, l, 0)
			r.bareLinks(&f)
			cs = append(cs, f)
		}
		rows = append(rows, cs)
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return dst
	}
	widths := r.columns(rows, width-columnGap*(len(rows[0])-1))
	if widths == nil {
		return r.stacked(dst, rows, width)
	}
	for i, row := range rows {
		dst = r.row(dst, row, widths, n.Alignments)
		if i == 0 {
			rule := make([]string, len(widths))
			for c, w := range widths {
				rule[c] = strings.Repeat(r.th.Signs.Rule, w)
			}
			dst = append(dst, r.paint(muted, strings.Join(rule, strings.Repeat(" ", columnGap))))
		}
	}
	return dst
}

// columns shares room cells out: each column gets what its widest cell needs,
// and when that is too much the widest are made narrower. nil: they don't fit.
func (r *renderer) columns(rows [][]flow, room int) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for c := range min(len(row), len(widths)) {
			widths[c] = max(widths[c], r.widest(&row[c]), 1)
		}
	}
	total := 0
	for _, w := range widths {
		total += w
	}
	if total <= room {
		return widths
	}
	sorted := slices.Clone(widths)
	slices.Sort(sorted)
	left, limit := room, 0
	for i, w := range sorted {
		limit = left / (len(sorted) - i)
		if w > limit {
			left -= limit * (len(sorted) - i)
			break
		}
		left -= w
	}
	if limit < columnMin {
		return nil
	}
	for c, w := range widths {
		if w > limit {
			widths[c] = limit
			if left > 0 { // what the division left over
				widths[c]++
				left--
			}
		}
	}
	return widths
}

func (r *renderer) widest(f *flow) int {
	w := 0
	for line := range strings.SplitSeq(string(f.text), "\n") {
		w = max(w, cells.Width(r.m, line))
	}
	return w
}

func (r *renderer) row(dst []string, row []flow, widths []int, align []east.Alignment) []string {
	lines := make([][]string, len(widths))
	height := 1
	for c := range min(len(row), len(widths)) {
		lines[c] = r.wrapped(nil, &row[c], widths[c])
		height = max(height, len(lines[c]))
	}
	for y := range height {
		var b strings.Builder
		owed := 0 // blanks that are written only when something follows
		for c, w := range widths {
			s := ""
			if y < len(lines[c]) {
				s = lines[c][y]
			}
			free := w - cells.Width(r.m, s)
			before := 0
			if c < len(align) {
				switch align[c] {
				case east.AlignRight:
					before = free
				case east.AlignCenter:
					before = free / 2
				}
			}
			if s != "" {
				b.WriteString(cells.Blank(owed + before))
				b.WriteString(s)
				owed = free - before
			} else {
				owed += w
			}
			owed += columnGap
		}
		dst = append(dst, b.String())
	}
	return dst
}

// stacked draws a table whose columns don't fit.
func (r *renderer) stacked(dst []string, rows [][]flow, width int) []string {
	heads := rows[0]
	if len(rows) == 1 {
		for c := range heads {
			dst = r.wrapped(dst, &heads[c], width)
		}
	}
	for i, row := range rows[1:] {
		if i > 0 {
			dst = append(dst, "")
		}
		for c := range row {
			var f flow
			if c < len(heads) {
				f.join(&heads[c])
			}
			if len(f.text) > 0 {
				f.add(": ", 0, 0)
			}
			f.join(&row[c])
			dst = r.wrapped(dst, &f, width)
		}
	}
	return dst
}

// join adds another flow.
func (f *flow) join(o *flow) {
	from := 0
	for _, r := range o.runs {
		link := 0
		if r.link > 0 {
			link = f.link(o.links[r.link-1])
		}
		f.add(string(o.text[from:r.end]), r.look, link)
		from = r.end
	}
}
