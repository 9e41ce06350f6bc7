package tui

import (
	"strings"

	"conch/allchat/change"
	"conch/tui/cells"
	"conch/tui/keys"
	"conch/tui/markdown"
	"conch/tui/theme"
)

// composeRun puts the run together: who takes part, the timeline, what waits, the prompt.
func (m *model) composeRun() (lines []string, x, y int) {
	r, th, w, h := m.run, m.th, m.w, m.h
	short := h <= shortRows
	rule := th.Muted.Render(strings.Repeat(th.Signs.Rule, w))
	lines = r.pane.Head(w, m.at, short)
	if !short {
		lines = append(lines, rule)
	}
	var footer []string
	if !short || m.note.words != "" {
		footer = m.footer()
	}
	r.prompt.SetWidth(w)
	r.prompt.SetMaxRows(max(min(h/4, 8), 1))
	r.prompt.SetPlaceholder(m.runPlaceholder(r))
	prompt := r.prompt.Lines()
	px, py := r.prompt.Cursor()
	if r.opened && !r.alive() {
		prompt = nil // nothing can be said
	}
	rest := max(h-len(lines)-len(footer)-1-len(prompt), 1)
	below, cardAt, cx, cy := m.runWaiting(r, w, rest)
	body := max(rest-len(below), 0)
	x, y = -1, -1
	switch {
	case r.offering && m.picker == nil && m.ask == nil:
		offers := r.offers.Lines(w, rest)
		below, body = offers, rest-len(offers)
	case cx >= 0:
		x, y = cx, len(lines)+body+cardAt+cy
	}
	m.areas = areas{body: len(lines), bodyRows: body, main: w, cards: len(lines) + body, cardRows: len(below), picker: len(lines) + body, prompt: h - len(footer) - len(prompt), promptRows: len(prompt)}
	lines = append(lines, m.runBody(r, w, body)...)
	lines = append(lines, below...)
	if popup := r.prompt.Popup(); len(popup) > 0 && m.ask == nil && m.picker == nil && len(prompt) > 0 {
		lay(lines, popup)
	}
	lines = append(lines, m.runRule(r, w))
	if r.stop != nil {
		shown, col := r.stop.draw(max(w/3, 4))
		lines[len(lines)-1] = cells.Cut(th.Widths, " "+th.Attention.Render("type "+stopText+" and enter to end the run")+"  "+shown, w, "")
		x, y = min(len(" type "+stopText+" and enter to end the run  ")+col, w-1), len(lines)-1
	} else if r.focus == runPrompt && m.ask == nil && m.picker == nil && len(prompt) > 0 {
		x, y = px, len(lines)+py
	}
	lines = append(lines, prompt...)
	lines = append(lines, footer...)
	if len(lines) > h {
		lines = lines[:h]
	}
	return lines, x, y
}

// runBody is the timeline, or why there is none.
func (m *model) runBody(r *running, w, rows int) []string {
	th := m.th
	if r.failed == "" && (r.opened || r.w == nil) {
		return r.pane.Body(w, rows)
	}
	out := []string{""}
	switch {
	case r.failed != "":
		for _, row := range cells.Wrap(th.Widths, th.Signs.Failed+" "+r.failed, max(w-4, 1)) {
			out = append(out, "  "+th.Error.Render(row))
		}
		if r.next != "" {
			for _, row := range cells.Wrap(th.Widths, th.Signs.Next+" "+r.next, max(w-4, 1)) {
				out = append(out, "  "+row)
			}
		}
		out = append(out, "")
	case len(r.snapshot().State.Events) == 0:
		out = append(out, "  "+th.Muted.Render(th.Signs.Running+" opening the participants"))
	default:
		out = []string{"  " + th.Muted.Render(th.Signs.Running+" opening the participants again")}
	}
	if left := rows - len(out); left > 0 && len(r.snapshot().State.Events) > 0 {
		out = append(out, r.pane.Body(w, left)...)
	}
	for len(out) < rows {
		out = append(out, "")
	}
	return out[:rows]
}

// runWaiting are the lines between the timeline and the rule: a question of Conch's, a
// picker, or a card, and where its text is typed.
func (m *model) runWaiting(r *running, w, rest int) (lines []string, at, x, y int) {
	x = -1
	switch {
	case m.ask != nil:
		lines = m.ask.lines(m.th, w)
	case m.picker != nil:
		lines, x = m.picker.lines(m.th, w, max(rest-1, 2))
	case r.cards.Len() > 0 && !r.offering:
		lines = r.cards.Lines(w, max(rest*2/3, min(rest, 4)))
		if cx, cy, ok := r.cards.Cursor(); ok && r.focus == runCard {
			x, y = cx, cy
		}
	}
	if len(lines) > rest {
		lines = lines[len(lines)-rest:]
	}
	if rest-len(lines) > 4 && len(lines) > 0 {
		lines, at = append([]string{""}, lines...), 1
	}
	return lines, at, x, y
}

// runRule stands above the prompt. It says what came below what is in sight, whose rows
// alone are shown, and what waits.
func (m *model) runRule(r *running, w int) string {
	th := m.th
	var words []string
	if n := waitingOffers(r.snapshot()); n > 0 && r.alive() && !r.offering {
		words = append(words, count(n, "proposal waits", "proposals wait"))
	}
	switch n := r.pane.Unseen(); {
	case r.pane.Following():
	case n > 0:
		words = append(words, th.Signs.More+" "+number(n)+" new")
	default:
		words = append(words, th.Signs.More+" more below")
	}
	if len(words) == 0 {
		return th.Muted.Render(strings.Repeat(th.Signs.Rule, w))
	}
	said := " " + cells.Cut(th.Widths, strings.Join(words, " "+th.Signs.Dot+" "), max(w-6, 1), th.Signs.Ellipsis) + " "
	left := max(w-cells.Width(th.Widths, said)-2, 0)
	return th.Muted.Render(strings.Repeat(th.Signs.Rule, left)) + th.Accent.Render(said) + th.Muted.Render(strings.Repeat(th.Signs.Rule, 2))
}

func (m *model) runPlaceholder(r *running) string {
	switch {
	case !r.opened:
		return "what the coordinator is to do"
	case r.snapshot().State.TurnOpen:
		return "the coordinator works; your next words go when its turn is over"
	}
	return "say what is to be done"
}

// runHints are what is worth saying in a run.
func (m *model) runHints(p keys.Place) []hint {
	r := m.run
	var out []hint
	switch p {
	case keys.Card:
		if r.offering {
			return []hint{{keys.CardDetails, "folded or whole"}, {keys.FocusNext, "back"}, {keys.Interrupt, "back"}}
		}
		return []hint{{keys.FocusNext, "on"}, {keys.Interrupt, "stop its turn"}, {keys.RunStop, ""}}
	case keys.Field:
		return []hint{{keys.Interrupt, "back"}}
	case keys.List:
		return []hint{{keys.Complete, ""}, {keys.Interrupt, "close"}}
	}
	if p == keys.RunDraft {
		out = append(out, hint{keys.Send, ""})
	}
	if r.cards.Len() > 0 {
		out = append(out, hint{keys.FocusNext, "answer"})
	}
	if p == keys.Timeline || p == keys.Players {
		if len(r.snapshot().State.Proposals) > 0 {
			out = append(out, hint{keys.RunProposals, ""})
		}
		out = append(out, hint{keys.RunFilter, ""})
	} else if r.cards.Len() == 0 {
		words := "timeline"
		if waitingOffers(r.snapshot()) > 0 {
			words = "timeline, then p: proposals"
		}
		out = append(out, hint{keys.FocusNext, words})
	}
	if who, _ := m.playerOf(r); who != "" {
		out = append(out, hint{keys.Interrupt, "stop " + string(who)})
	}
	if r.alive() {
		out = append(out, hint{keys.RunStop, ""})
	}
	return append(out, hint{keys.Run, "chat"}, hint{keys.Help, ""})
}

// clickRun moves the focus to where the mouse was pressed.
func (m *model) clickRun(x, y int) {
	r, a := m.run, m.areas
	switch {
	case m.ask != nil || r.stop != nil:
	case m.picker != nil:
		m.picker.click(y - a.picker - 1)
	case a.promptRows > 0 && y >= a.prompt && y < a.prompt+a.promptRows:
		m.focusRun(r, runPrompt)
		r.prompt.Click(x, y-a.prompt)
	case y >= a.cards && y < a.cards+a.cardRows && (r.cards.Len() > 0 || r.offering):
		m.focusRun(r, runCard)
	case y >= a.body && y < a.body+a.bodyRows:
		m.focusRun(r, runTimeline)
	case y >= 1 && r.pane.Choose(y-1):
		m.focusRun(r, runPlayers)
	}
}

// previewPage shows what a proposal of a run that goes on no more would have changed.
func (m *model) previewPage(proposal string, p change.Preview) *pager {
	minus := m.th.Signs.Minus
	return &pager{title: "What proposal " + proposal + " is", make: func(th *theme.Theme, width int) []string {
		lines := strings.Split(counted(p, minus), "\n")
		for _, d := range p.Diffs {
			lines = append(lines, "", d.Path)
			lines = append(lines, markdown.Diff(d.Old, d.New, th, markdown.DiffOptions{Width: width, Line: d.Line})...)
		}
		if p.Left > 0 {
			lines = append(lines, "", th.Muted.Render(count(p.Left, "line", "lines")+" more are not shown"))
		}
		return lines
	}}
}
