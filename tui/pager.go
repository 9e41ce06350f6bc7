package tui

import (
	"strings"

	"charm.land/bubbletea/v2"

	"conch/plain"
	"conch/tui/cells"
	"conch/tui/keys"
	"conch/tui/theme"
)

// pager is a page to read over the chat: the help, what was handed over, what a
// provider said last.
type pager struct {
	title string
	make  func(th *theme.Theme, width int) []string // the lines at a width

	made  []string
	width int
	theme *theme.Theme
	top   int
	rows  int
}

// textPage shows foreign text as it is, wrapped.
func textPage(title, text string) *pager {
	text = plain.Text(text)
	return &pager{title: title, make: func(th *theme.Theme, width int) []string {
		return cells.Wrap(th.Widths, strings.ReplaceAll(text, "\t", "    "), max(width, 1))
	}}
}

func (p *pager) scroll(n int) {
	p.top = max(min(p.top+n, len(p.made)-p.rows), 0)
}

func (m *model) pagerKey(a keys.Action, found bool, k tea.KeyPressMsg) {
	p := m.pager
	switch a {
	case keys.Interrupt, keys.Help:
		m.pager = nil
		return
	case keys.ScrollUp:
		p.scroll(-max(p.rows-2, 1))
		return
	case keys.ScrollDown:
		p.scroll(max(p.rows-2, 1))
		return
	}
	switch k.Keystroke() {
	case "up", "k":
		p.scroll(-1)
	case "down", "j", "enter":
		p.scroll(1)
	case "space":
		p.scroll(max(p.rows-2, 1))
	case "g", "home":
		p.scroll(-len(p.made))
	case "shift+g", "end":
		p.scroll(len(p.made))
	case "q", "?", "shift+/":
		m.pager = nil
	default:
		if found {
			if a != keys.Redraw && a != keys.Mouse && a != keys.Suspend {
				m.pager = nil
			}
			m.act(a, k)
		}
	}
}

// lines draws the page: its title, a rule, and height-2 rows.
func (p *pager) lines(th *theme.Theme, width, height int) []string {
	if p.made == nil || p.width != width || p.theme != th {
		p.made, p.width, p.theme = p.make(th, max(width-2, 1)), width, th
	}
	p.rows = max(height-2, 1)
	p.scroll(0)
	where := "esc back"
	if len(p.made) > p.rows {
		where = count(p.top+p.rows, "line", "lines") + " of " + number(len(p.made)) + " · esc back"
	}
	out := []string{
		cells.Sides(th.Widths, " "+th.Strong.Render(p.title), th.Muted.Render(where)+" ", width, 1, th.Signs.Ellipsis),
		th.Muted.Render(strings.Repeat(th.Signs.Rule, width)),
	}
	for i := p.top; i < min(p.top+p.rows, len(p.made)); i++ {
		out = append(out, " "+p.made[i])
	}
	for len(out) < height {
		out = append(out, "")
	}
	return out[:max(height, 0)]
}

func (m *model) showHandoff(msg handoffMsg) {
	if msg.block == "" {
		m.say("nothing was handed over in this chat", false)
		return
	}
	m.pager = textPage("What "+msg.provider+" was told of what it missed", msg.block)
}

func (m *model) showDetails(r *room) {
	m.pager = textPage("What "+plain.Line(r.status.LastEnd.Engine, 40)+" said last", r.status.LastEnd.Detail)
}
