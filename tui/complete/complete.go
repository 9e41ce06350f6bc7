// Package complete is the list that helps to finish a word: commands after a
// slash, files after an at sign, earlier prompts in a history search.
//
// A List filters its items fuzzily and shows at most eight rows. Walk lists a
// project within a budget of time and number, honours .gitignore as git does,
// and never follows a link. Names are cleaned for the screen and inserted
// exactly. Nothing here reads a disk but Walk, which the screen runs in a
// command of its own.
package complete

import (
	"slices"
	"strings"

	"charm.land/bubbletea/v2"

	"conch/plain"
	"conch/tui/cells"
	"conch/tui/theme"
)

// Rows is how many items a list shows at once.
const Rows = 8

// Item is one thing to take.
type Item struct {
	Insert string // what goes into the text, exactly
	Label  string // what is shown and matched; cleaned when drawn
	Detail string // a muted word behind it: a description, "3 Oct"
	Hint   string // what may follow it: "[name]"; "" when nothing does
	Dir    bool   // a folder: taking it goes on inside it
}

// List is a filtered list with a selection. The zero value is empty.
type List struct {
	items  []Item
	files  *Files // instead of items
	query  string
	found  []match // best first; nil with all set
	all    bool    // everything is shown, in its own order
	broad  []int   // what query matches at all, in its own order, for a longer query
	chosen int
	top    int
}

// SetItems replaces the items; the filter stays and the selection goes to the
// best match.
func (l *List) SetItems(items []Item) {
	l.items, l.files, l.broad = items, nil, nil
	l.refilter(l.query)
}

// SetFiles shows the paths of a project instead of items.
func (l *List) SetFiles(f *Files) {
	l.items, l.files, l.broad = nil, f, nil
	l.refilter(l.query)
}

// Filter shows the items that match the query, best first; "" shows all in
// their own order. The selection goes to the best one.
func (l *List) Filter(query string) {
	if query != l.query || l.found == nil && !l.all {
		l.refilter(query)
	}
}

// Len is the number of items that match.
func (l *List) Len() int {
	if l.all {
		return l.size()
	}
	return len(l.found)
}

// Selected is the item that enter takes.
func (l *List) Selected() (Item, bool) {
	if l.chosen < 0 || l.chosen >= l.Len() {
		return Item{}, false
	}
	return l.item(l.match(l.chosen).index), true
}

// At is the i-th item that matches, best first.
func (l *List) At(i int) Item { return l.item(l.match(i).index) }

// Position is the number of the selected item, from 1; 0 when there is none.
func (l *List) Position() int {
	if l.Len() == 0 {
		return 0
	}
	return l.chosen + 1
}

// Move moves the selection by n rows; it stops at the ends.
func (l *List) Move(n int) { l.selectAt(l.chosen + n) }

func (l *List) selectAt(i int) { l.chosen = max(min(i, l.Len()-1), 0) }

// Key moves the selection by up, down, pgup and pgdn, and reports whether the
// key was one of them.
func (l *List) Key(k tea.KeyPressMsg) bool {
	switch k.Keystroke() {
	case "up":
		l.Move(-1)
	case "down":
		l.Move(1)
	case "pgup":
		l.Move(-Rows)
	case "pgdown":
		l.Move(Rows)
	default:
		return false
	}
	return true
}

// Lines draws at most rows rows, and at most Rows, of exactly width cells.
func (l *List) Lines(th *theme.Theme, width, rows int) []string {
	rows = min(rows, Rows, l.Len())
	if rows < 1 || width < 1 {
		return nil
	}
	l.top = max(min(l.top, l.chosen, l.Len()-rows), l.chosen-rows+1, 0)
	labels := make([]string, rows)
	column := 0
	for i := range labels {
		labels[i] = plain.Line(l.item(l.match(l.top+i).index).Label, 0)
		column = max(column, cells.Width(th.Widths, labels[i]))
	}
	room := max(width-3, 0)
	detailed := false
	for i := range labels {
		detailed = detailed || l.item(l.match(l.top+i).index).Detail != ""
	}
	if detailed {
		column = min(column, max(room*2/3, min(room, 16)))
	}
	column = min(column, room)
	lines := make([]string, rows)
	for i := range lines {
		m := l.match(l.top + i)
		lines[i] = l.line(th, m, labels[i], column, width, l.top+i == l.chosen)
	}
	return lines
}

// line draws one row: a bar where the selection is, the label, its detail.
func (l *List) line(th *theme.Theme, m match, label string, column, width int, selected bool) string {
	it := l.item(m.index)
	lead := "  "
	style := func(s string) string { return s }
	if selected {
		lead = th.Accent.Render(th.Signs.Bar) + " "
		style = func(s string) string { return th.Selected.Inherit(th.Accent).Render(s) }
	}
	var shown string
	if l.files != nil {
		shown = cells.CutPath(th.Widths, label, column, th.Signs.Ellipsis)
	} else {
		shown = cells.Cut(th.Widths, label, column, th.Signs.Ellipsis)
	}
	pad := cells.Blank(column - cells.Width(th.Widths, shown))
	if shown == it.Label && len(m.at) > 0 && !selected {
		shown = cells.Mark(th.Widths, shown, func(i int) bool { return slices.Contains(m.at, i) }, func(s string) string { return th.Accent.Render(s) })
	} else {
		shown = style(shown)
	}
	detail := strings.TrimSpace(plain.Line(it.Hint, 80) + "  " + plain.Line(it.Detail, 400))
	rest := width - 2 - column
	if rest >= 3 && detail != "" {
		detail = "  " + th.Muted.Render(cells.Cut(th.Widths, detail, rest-2, th.Signs.Ellipsis))
	} else {
		detail = ""
	}
	return cells.Fill(th.Widths, lead+shown+pad+detail, width, "")
}

func (l *List) size() int {
	if l.files != nil {
		return len(l.files.Paths)
	}
	return len(l.items)
}

func (l *List) label(i int) string {
	if l.files != nil {
		return l.files.Paths[i]
	}
	return l.items[i].Label
}

func (l *List) item(i int) Item {
	if l.files != nil {
		p := l.files.Paths[i]
		return Item{Insert: p, Label: p, Dir: strings.HasSuffix(p, "/")}
	}
	return l.items[i]
}

func (l *List) match(i int) match {
	if l.all {
		return match{index: i}
	}
	return l.found[i]
}
