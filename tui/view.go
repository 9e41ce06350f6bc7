package tui

import (
	"strings"

	"charm.land/bubbletea/v2"

	"conch/tui/cells"
)

// The smallest window in which anything fits, and from when on what is shown.
const (
	minWidth  = 20
	minHeight = 6
	shortRows = 16  // up to here the header and the hints go
	pinRows   = 20  // from here on there is room for the pinned plan
	wideCols  = 120 // from here on the side pane is beside the chat
	sideCols  = 36
)

// areas are where things are on the screen, in cells from the top left.
type areas struct {
	body, bodyRows     int // the chat's items
	main               int // their width
	side               int // the side pane's width beside them, 0 for none
	cards, cardRows    int
	picker             int
	prompt, promptRows int
}

// view joins the lines that the parts have ready.
func (m *model) view() tea.View {
	if m.begun && m.d.PanicAt == "view" {
		panic("CONCH_TEST_PANIC: view")
	}
	v := tea.View{AltScreen: true, ReportFocus: true, WindowTitle: m.title(), ProgramStatus: m.programStatus()}
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if !m.sized || m.w == 0 || m.h == 0 {
		return v
	}
	if m.w < minWidth || m.h < minHeight {
		v.Content = m.th.Muted.Render(cells.Cut(m.th.Widths, "the window is too small", m.w, ""))
		return v
	}
	lines, x, y := m.compose()
	v.Content = strings.Join(lines, "\n")
	if x >= 0 && x < m.w && y >= 0 && y < m.h {
		v.Cursor = tea.NewCursor(x, y)
	}
	return v
}

// compose gives the screen's lines and the cursor, -1 for none.
func (m *model) compose() (lines []string, x, y int) {
	switch {
	case m.pager != nil && m.ask == nil:
		return m.pager.lines(m.th, m.w, m.h), -1, -1
	case m.reader != nil && m.picker == nil && m.ask == nil:
		return m.readerLines()
	case m.sheeted && m.picker == nil && m.ask == nil:
		return m.composeSheet()
	case m.onRun():
		return m.composeRun()
	}
	return m.composeChat()
}

func (m *model) composeSheet() (lines []string, x, y int) {
	lines = m.sheet.Lines(m.w, m.h, m.at)
	x, y = m.sheet.Cursor()
	if note := m.footer(); m.note.words != "" && len(lines) > len(note) {
		copy(lines[len(lines)-len(note):], note)
	}
	return lines, x, y
}

// composeChat puts the chat together from the bottom up: hints, prompt, rule,
// what waits, and the items in the rest.
func (m *model) composeChat() (lines []string, x, y int) {
	r, w, h := m.room, m.w, m.h
	short := h <= shortRows
	head := 2
	var footer []string
	if short {
		head = 0
	} else {
		footer = m.footer()
	}
	foot := len(footer)
	r.prompt.SetWidth(w)
	r.prompt.SetMaxRows(max(min(h/3, 10), 1))
	r.prompt.SetPlaceholder(m.placeholder(r))
	prompt := r.prompt.Lines()
	px, py := r.prompt.Cursor()
	if room := max(h-head-foot-1-2, 1); len(prompt) > room {
		from := max(min(py-room/2, len(prompt)-room), 0)
		prompt, py = prompt[from:from+room], py-from
	}
	rest := h - head - foot - 1 - len(prompt)

	below, pickerAt, pickerCol := m.waiting(r, w, rest)
	cards := 0
	if m.ask == nil && m.picker == nil {
		cards = m.areas.cardRows
	}
	body := max(rest-len(below), 0)
	a := areas{body: head, bodyRows: body, main: w, cards: head + rest - cards, cardRows: cards, picker: head + rest - len(below) + pickerAt, prompt: h - foot - len(prompt), promptRows: len(prompt)}
	if w >= wideCols && !m.sideOff && r.sided() && body >= 3 && !m.bring.shown {
		a.side = sideCols
		a.main = w - sideCols - 1
	}
	pin := m.pinned(r, a)
	if pin != "" {
		a.bodyRows--
		a.cards--
		a.picker--
	}
	m.areas = a

	if !short {
		lines = append(lines, m.header(), m.th.Muted.Render(strings.Repeat(m.th.Signs.Rule, w)))
	}
	lines = append(lines, m.body(r, a)...)
	lines = append(lines, below...)
	if popup := r.prompt.Popup(); len(popup) > 0 && m.ask == nil && m.picker == nil {
		lay(lines[head:], popup)
	}
	if pin != "" {
		lines = append(lines, pin)
	}
	lines = append(lines, m.rule(r, short))
	lines = append(lines, prompt...)
	lines = append(lines, footer...)

	switch {
	case m.ask != nil:
		return lines, -1, -1
	case m.picker != nil:
		return lines, pickerCol, a.picker
	case r.search != nil:
		_, col := r.search.draw(max(w-10, 1))
		return lines, 7 + col, a.prompt - 1
	case r.focus == onCard:
		if cx, cy, ok := r.cards.Cursor(); ok {
			return lines, cx, a.cards + cy
		}
		return lines, -1, -1
	case r.focus == onPrompt:
		return lines, px, a.prompt + py
	}
	return lines, -1, -1
}

// lay puts lines over the end of others.
func lay(under, over []string) {
	over = over[max(len(over)-len(under), 0):]
	copy(under[len(under)-len(over):], over)
}

// waiting are the lines between the items and the rule: a question of Conch's, a
// picker, or a card; and above it what runs.
func (m *model) waiting(r *room, w, rest int) (lines []string, pickerAt, pickerCol int) {
	m.areas.cardRows = 0
	switch {
	case m.ask != nil:
		lines = m.ask.lines(m.th, w)
	case m.picker != nil:
		lines, pickerCol = m.picker.lines(m.th, w, max(rest-1, 2))
	default:
		lines = r.cards.Lines(w, max(rest*2/3, min(rest, 4)))
		m.areas.cardRows = len(lines)
	}
	if len(lines) > rest {
		lines = lines[len(lines)-rest:]
	}
	live := m.live(r, w)
	if room := rest - len(lines) - 1; len(live) > room {
		live = live[:max(room, 0)]
	}
	if len(live) > 0 || len(lines) > 0 {
		if rest-len(lines)-len(live) > 4 {
			live = append([]string{""}, live...)
		}
	}
	return append(live, lines...), len(live), pickerCol
}

// pinned is the line right above the rule with the plan that is worked on, while
// neither the chat nor the side pane shows it. Plain lines say it themselves.
func (m *model) pinned(r *room, a areas) string {
	if m.h < pinRows || a.bodyRows < 2 || m.bring.shown || a.side > 0 || m.sideOn || !r.status.Running {
		return ""
	}
	r.items.SetSize(a.main, a.bodyRows)
	return r.items.Pinned(a.bodyRows)
}

// body are the chat's items, with the side pane beside or instead of them.
func (m *model) body(r *room, a areas) []string {
	if m.sideOn && a.side == 0 && !m.bring.shown {
		return r.side.lines(m, r, m.w, a.bodyRows, false)
	}
	if m.bring.shown {
		return m.bring.card.Lines(a.main, a.bodyRows, m.at.In(m.zone), !r.prompt.Empty())
	}
	r.items.SetSize(a.main, a.bodyRows)
	if r.items.Empty() {
		return m.first(r, a.main, a.bodyRows)
	}
	items := r.items.Lines()
	lines := make([]string, a.bodyRows)
	copy(lines, items)
	if a.side == 0 {
		return lines
	}
	side := r.side.lines(m, r, a.side-1, a.bodyRows, true)
	bar := m.th.Muted.Render(m.upright())
	for i := range lines {
		lines[i] = cells.Fill(m.th.Widths, lines[i], a.main, "") + bar + " " + side[i]
	}
	return lines
}

// rule stands above the prompt. It says what came below what is in sight, and,
// where there are no hints, what a note says.
func (m *model) rule(r *room, short bool) string {
	th := m.th
	words := ""
	switch {
	case r.search != nil:
		shown, _ := r.search.draw(max(m.w-10, 1))
		return cells.Cut(th.Widths, " "+th.Accent.Render("find")+"  "+shown, m.w, "")
	case short && m.note.words != "":
		words = m.note.words
	case !r.items.Following() && r.items.Unseen() > 0:
		words = th.Signs.More + " " + number(r.items.Unseen()) + " new"
	case !r.items.Following():
		words = th.Signs.More + " more below"
	}
	if words == "" {
		return th.Muted.Render(strings.Repeat(th.Signs.Rule, m.w))
	}
	words = " " + cells.Cut(th.Widths, words, max(m.w-6, 1), th.Signs.Ellipsis) + " "
	left := max(m.w-cells.Width(th.Widths, words)-2, 0)
	look := th.Accent
	if short && m.note.words != "" {
		look = m.noteLook()
	}
	return th.Muted.Render(strings.Repeat(th.Signs.Rule, left)) + look.Render(words) + th.Muted.Render(strings.Repeat(th.Signs.Rule, 2))
}
