package composer

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"conch/plain"
	"conch/tui/cells"
	"conch/tui/complete"
)

// lead is the width of the bar and the blank before each row.
func (c *Composer) lead() int {
	if c.width < 4 {
		return 0
	}
	return 2
}

// inner is the width of the text; the cell behind it is for the cursor.
func (c *Composer) inner() int { return max(c.width-c.lead()-1, 1) }

// Lines are the prompt's rows and below them what is to be known about it and
// the queue, each exactly as wide as was set; at least one, at most as many as
// SetMaxRows said.
func (c *Composer) Lines() []string {
	if c.search != nil {
		row, _ := c.search.query.Cell()
		sign := c.th.Accent.Render("?")
		return []string{c.row(sign, c.search.query.Draw(row, c.th.Signs.Ellipsis, nil, c.muted))}
	}
	shown, notes := c.view()
	lines := make([]string, 0, shown+len(notes))
	for i := range shown {
		lines = append(lines, c.row(c.sign(i, shown), c.textRow(c.top+i)))
	}
	for _, n := range notes {
		lines = append(lines, cells.Fill(c.th.Widths, n, c.width, c.th.Signs.Ellipsis))
	}
	return lines
}

func (c *Composer) textRow(row int) string {
	if c.buf.Empty() {
		return c.muted(cells.Cut(c.th.Widths, plain.Line(c.placeholder, 0), c.inner(), c.th.Signs.Ellipsis))
	}
	return c.buf.Draw(row, c.th.Signs.Ellipsis, c.accent, c.muted)
}

func (c *Composer) row(sign, text string) string {
	if c.lead() == 0 {
		return cells.Fill(c.th.Widths, text, c.width, "")
	}
	return cells.Fill(c.th.Widths, sign+" "+text, c.width, "")
}

// sign stands before row i of those shown: the person's bar, a shell's mark, or
// an arrow where rows are out of sight.
func (c *Composer) sign(i, shown int) string {
	style := c.th.Person
	if !c.focused {
		style = c.th.Muted
	}
	switch {
	case i == 0 && c.top > 0:
		return c.muted(c.th.Signs.Less)
	case i == shown-1 && c.top+shown < c.buf.Rows():
		return c.muted(c.th.Signs.More)
	case c.Kind() == Shell:
		return c.accent("$")
	}
	return style.Render(c.th.Signs.Bar)
}

// view gives how many rows of text are shown and the notes below them, and
// brings the cursor's row into sight.
func (c *Composer) view() (shown int, notes []string) {
	notes = c.notes()
	shown = min(c.buf.Rows(), max(c.rows-len(notes), min(c.rows, 3), 1))
	c.scroll(shown)
	return shown, notes[:min(len(notes), c.rows-shown)]
}

// scroll moves the first row that is drawn as little as shows the cursor.
func (c *Composer) scroll(shown int) {
	row, _ := c.buf.Cell()
	c.top = min(c.top, row, c.buf.Rows()-shown)
	c.top = max(c.top, row-shown+1, 0)
}

// Cursor is the cell in Lines where the terminal's cursor stands.
func (c *Composer) Cursor() (x, y int) {
	if c.search != nil {
		_, col := c.search.query.Cell()
		return c.column(col), 0
	}
	c.view()
	row, col := c.buf.Cell()
	return c.column(col), row - c.top
}

func (c *Composer) column(col int) int { return min(c.lead()+col, c.width-1) }

// Click puts the cursor at a cell of the last Lines; a folded paste under it
// opens.
func (c *Composer) Click(x, y int) {
	if c.search != nil || y < 0 || c.top+y >= c.buf.Rows() {
		return
	}
	c.closeCompletion()
	c.buf.MoveTo(c.top+y, max(x-c.lead(), 0))
	if a, ok := c.buf.AtomAt(c.buf.Cursor()); ok {
		if _, ok := a.Value.(folded); ok {
			c.Expand()
		}
	}
}

// shownQueue is how many messages of the queue are shown.
const shownQueue = 3

// notes are the muted rows below the text.
func (c *Composer) notes() []string {
	var notes []string
	add := func(style lipgloss.Style, words string) {
		notes = append(notes, style.Render(cells.Cut(c.th.Widths, words, c.width, c.th.Signs.Ellipsis)))
	}
	if c.Kind() == Shell {
		add(c.th.Muted, "  shell: you run it, in this folder; its output is offered to the chat")
	}
	if c.hasFolded() && len(c.keys.Open) > 0 {
		add(c.th.Muted, "  "+c.keys.Open[0]+" opens what is folded; it is sent whole")
	}
	if len(c.queue) == 0 {
		return notes
	}
	first := max(len(c.queue)-shownQueue, 0)
	if first > 0 {
		add(c.th.Muted, fmt.Sprintf("  %s %d more", c.th.Signs.Waiting, first))
	}
	for _, words := range c.queue[first:] {
		add(c.th.Muted, "  "+c.th.Signs.Waiting+" "+plain.Line(words, 400))
	}
	add(c.th.Muted, c.queueWords())
	return notes
}

func (c *Composer) queueWords() string {
	words := "  queued: it goes when this turn is over"
	switch {
	case c.held:
		words = "  held back: enter sends it"
		if len(c.queue) > 1 {
			words = "  held back: enter sends the first"
		}
	case len(c.queue) > 1:
		words = "  queued: they go one by one when this turn is over"
	}
	if c.keys.Unqueue == "" {
		return words
	}
	what := "it"
	if len(c.queue) > 1 {
		what = "the last"
	}
	back := " · " + c.keys.Unqueue + " takes " + what + " back"
	if cells.Width(c.th.Widths, words+back) > c.width {
		return words
	}
	return words + back
}

// Popup is what stands above the prompt (and its rule): the open list or the
// history search; nil when there is none. Rows are exactly as wide as the prompt.
func (c *Composer) Popup() []string {
	switch {
	case c.search != nil:
		return c.searchPopup()
	case !c.completion.open:
		return nil
	case c.completion.files && c.files == nil:
		return []string{c.note("  " + c.th.Signs.Running + " looking through the files")}
	case c.completion.list.Len() == 0:
		return nil
	}
	l := &c.completion.list
	hint := fmt.Sprintf("  %s of %s · %s takes it · esc closes", grouped(l.Position()), grouped(l.Len()), first(c.keys.Complete))
	if c.completion.files && c.files.Cut {
		hint += " · the folder holds more than was looked through"
	}
	return append(l.Lines(c.th, c.width, complete.Rows), c.note(hint))
}

func (c *Composer) searchPopup() []string {
	s := c.search
	scope, other := "this chat", "every chat"
	if s.all {
		scope, other = other, scope
	}
	hint := "  history of " + scope + " · tab " + other + " · enter takes it · esc closes"
	if s.list.Len() == 0 {
		words := "  nothing was typed before"
		if !s.query.Empty() {
			words = "  nothing typed before holds these words"
		}
		return []string{c.note(words), c.note(hint)}
	}
	return append(s.list.Lines(c.th, c.width, complete.Rows), c.note(hint))
}

func (c *Composer) note(words string) string {
	return cells.Fill(c.th.Widths, c.muted(cells.Cut(c.th.Widths, words, c.width, c.th.Signs.Ellipsis)), c.width, "")
}

func (c *Composer) muted(s string) string  { return c.th.Muted.Render(s) }
func (c *Composer) accent(s string) string { return c.th.Accent.Render(s) }

func first(keys []string) string {
	if len(keys) == 0 {
		return "enter"
	}
	return strings.ToLower(keys[0])
}
