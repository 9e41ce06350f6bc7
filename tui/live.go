package tui

import (
	"strings"

	"conch/plain"
	"conch/tui/cells"
	"conch/tui/keys"
)

// live is what stands above the rule while something runs or is wrong: who
// works and since when, what it waits for, the person's own command.
func (m *model) live(r *room, w int) []string {
	th, st := m.th, r.status
	var out []string
	put := func(s string) { out = append(out, cells.Cut(th.Widths, "  "+s, w, th.Signs.Ellipsis)) }
	if st.Trouble != "" {
		put(th.Error.Render(th.Signs.Failed + " " + plain.Line(st.Trouble, 300)))
	}
	if r.shell != nil {
		out = append(out, r.shell.lines(m, w)...)
	}
	if st.Running && len(st.Cards) == 0 { // a card says itself who waits
		put(m.working(r))
	}
	if st.Pending != "" {
		put(th.Muted.Render(plain.Line(st.Pending, 200)))
	}
	if words := m.bringingWords(); words != "" && !m.bring.shown {
		put(th.Muted.Render(words))
	}
	if st.Shells > 0 && !st.Running {
		put(th.Muted.Render("the output of " + count(st.Shells, "command", "commands") + " goes with your next message"))
	}
	return out
}

// working says who works. The time moves only where motion is wanted.
func (m *model) working(r *room) string {
	th, st := m.th, r.status
	who := plain.Line(orNobody(r.answering()), 40)
	since := ""
	if m.motion && !st.Since.IsZero() {
		since = lasted(m.at.Sub(st.Since))
	}
	join := func(parts ...string) string {
		var kept []string
		for _, p := range parts {
			if p != "" {
				kept = append(kept, p)
			}
		}
		return strings.Join(kept, " · ")
	}
	switch {
	case st.Stopping:
		return th.Muted.Render(th.Signs.Running + " " + join("stopping "+who, since))
	case st.Waiting != "":
		return th.Muted.Render(th.Signs.Running + " " + join(plain.Line(st.Waiting, 200), since, "esc stops"))
	}
	return th.Muted.Render(th.Signs.Running + " " + join(who+" is working", since))
}

// placeholder is what an empty prompt says.
func (m *model) placeholder(r *room) string {
	_, cut := m.cutOff(r)
	switch {
	case r.failed != nil:
		return "this chat can't be opened · " + m.keyOf(keys.NewChat) + " begins a new one"
	case r.status.ReadOnly:
		return "read-only here: the chat is open in another conch"
	case m.bring.shown:
		return "type a message"
	case cut:
		return "enter carries it on"
	case m.offersDemo(r):
		return "enter tries the demo"
	case r.items.Empty():
		return "type a message"
	}
	return ""
}
