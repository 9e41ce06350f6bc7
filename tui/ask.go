package tui

import (
	"time"

	"charm.land/bubbletea/v2"

	"conch/tui/cells"
	"conch/tui/theme"
)

// asking is a yes or no of Conch's own, above the prompt. Enter is no answer,
// and what was typed before it could be read is none either.
type asking struct {
	words string
	yes   string // what y does, in a word or two
	do    func()
	since time.Time
}

// quiet is how long a question takes no key.
const quiet = 300 * time.Millisecond

func (m *model) asks(words, yes string, do func()) {
	m.ask = &asking{words: words, yes: yes, do: do, since: m.at}
}

func (m *model) askKey(k tea.KeyPressMsg) {
	if m.at.Sub(m.ask.since) < quiet {
		return
	}
	switch k.Keystroke() {
	case "y":
		do := m.ask.do
		m.ask = nil
		do()
	case "n":
		m.ask = nil
	}
}

func (a *asking) lines(th *theme.Theme, width int) []string {
	var out []string
	for i, row := range cells.Wrap(th.Widths, a.words, max(width-4, 1)) {
		lead := "    "
		if i == 0 {
			lead = "  " + th.Attention.Render(th.Signs.Waiting) + " "
		}
		out = append(out, lead+row)
	}
	keys := "    " + th.Accent.Render("y") + " " + a.yes + "   " + th.Accent.Render("n") + " no"
	return append(out, cells.Cut(th.Widths, keys, width, th.Signs.Ellipsis))
}
