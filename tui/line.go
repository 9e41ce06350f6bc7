package tui

import (
	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"conch/plain"
	"conch/tui/cells"
	"conch/tui/edit"
)

// line is one line of typed words: a filter, words to find.
type line struct {
	buf *edit.Buffer
	m   ansi.Method
}

func newLine(m ansi.Method) *line { return &line{buf: edit.New(m), m: m} }

func (l *line) text() string { return l.buf.Text() }

func (l *line) key(k tea.KeyPressMsg) bool { return l.buf.Key(k) }

func (l *line) paste(s string) { l.buf.Insert(plain.Line(s, 500), edit.Pasted) }

// draw gives the words and the cursor's column in at most width cells; the end
// before the cursor is what shows when there is no room.
func (l *line) draw(width int) (string, int) {
	before, after := plain.Line(l.buf.Before(), 0), plain.Line(l.buf.After(), 0)
	if end := l.buf.Before(); end != "" && end[len(end)-1] == ' ' {
		before += " "
	}
	for before != "" && cells.Width(l.m, before) > max(width-1, 0) {
		first, _ := cells.First(l.m, before)
		before = before[len(first):]
	}
	col := cells.Width(l.m, before)
	return before + cells.Cut(l.m, after, width-col, ""), col
}
