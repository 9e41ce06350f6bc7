package tui

import (
	"conch/engine"
	"conch/plain"
	"conch/tui/cells"
	"conch/tui/keys"
)

// first is what an empty chat shows: where one is, who is here and ready, and
// the one command for who is not.
func (m *model) first(r *room, width, height int) []string {
	th := m.th
	out := make([]string, height)
	if r.id != "" && !r.opened && r.failed == nil {
		return out // a chat is on its way; nothing flashes up before it
	}
	put := []string{
		th.Strong.Render("Conch") + th.Muted.Render("  "+m.d.Version),
		"",
		"A new chat in " + th.Strong.Render(plain.Line(short(r.folderNow(), m.d.Home), 200)) + ".",
	}
	if known := len(m.health) > 0; known {
		put = append(put, "")
		put = append(put, m.whoIsHere(r, width-4)...)
	}
	row, cut := m.cutOff(r)
	switch {
	case cut:
		put = append(put, "", cutOffWords(row), "Press "+th.Accent.Render("enter")+" to carry it on.")
	case m.offersDemo(r):
		put = append(put, "", "No agent is ready yet. Press "+th.Accent.Render("enter")+" to try the demo.")
		put = append(put, cells.Wrap(th.Widths, "It is scripted, uses no network, and shows everything that Conch does.", max(width-4, 1))...)
	case m.known > 0 && height > len(put)+3:
		words := " opens one of your " + count(m.known, "chat", "chats")
		if m.known == 1 {
			words = " opens the chat that you have"
		}
		put = append(put, "", th.Muted.Render(m.keys.First(keys.OpenSheet, keys.Empty)+words))
	}
	at := 0
	if room := height - len(put); room > 2 {
		at = min(room/3, 4)
	}
	for i, s := range put {
		if at+i < height {
			out[at+i] = cells.Cut(th.Widths, "  "+s, width, th.Signs.Ellipsis)
		}
	}
	return out
}

// whoIsHere lists the providers, those that can answer first.
func (m *model) whoIsHere(r *room, width int) []string {
	th := m.th
	idWidth := 0
	for _, e := range m.offered() {
		idWidth = max(idWidth, cells.Width(th.Widths, e.Info().ID))
	}
	var ready, rest []string
	for _, e := range m.offered() {
		id := e.Info().ID
		h, ok := m.health[id]
		name := cells.Fill(th.Widths, id, idWidth, "")
		switch {
		case !ok:
			rest = append(rest, th.Muted.Render(th.Signs.Running+" "+name+"  looking"))
		case h.State == engine.Ready || h.State == engine.Unknown:
			words := plain.Line(h.Version, 40)
			if id == r.status.Provider {
				words = "answers here  " + words
			}
			ready = append(ready, th.Signs.Done+" "+name+"  "+th.Muted.Render(words))
		default:
			state := m.stateOf(id)
			sign := th.Signs.NotRun
			if h.State == engine.NeedSignIn {
				sign = th.Attention.Render(th.Signs.Waiting)
			}
			next := plain.Line(firstOf(h.Next, h.Problem), 200)
			rest = append(rest, sign+" "+name+"  "+state.look.paint(th, cells.Fill(th.Widths, state.words, 9, ""))+"  "+next)
		}
	}
	return append(ready, rest...)
}
