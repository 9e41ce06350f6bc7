package tui

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"conch/engine"
	"conch/plain"
	"conch/tui/cells"
	"conch/tui/composer"
	"conch/tui/keys"
)

// header is the chat's line at the top: its folder and title, how other chats
// stand, who answers, in which mode, how full its context is.
func (m *model) header() string {
	r, th, w := m.room, m.th, m.w
	title := r.title()
	if title == "" {
		title = "new chat"
	}
	left := " " + r.project() + th.Muted.Render(" · ") + th.Strong.Render(title)

	var right []string
	add := func(s string) {
		if s != "" {
			right = append(right, s)
		}
	}
	add(m.others())
	who := plain.Line(r.status.Provider, 30)
	if r.status.Model != "" {
		who = strings.TrimSpace(who + " " + th.Muted.Render(plain.Line(r.status.Model, 40)))
	}
	if r.opened {
		add(who)
		add(m.modeWord(r))
	}
	if used, ok := contextUse(r.status.Usage); ok {
		add(th.Muted.Render(strconv.Itoa(used) + "%"))
	}
	if near := nearest(r.status.Limits); near != "" {
		add(th.Attention.Render(near))
	}
	// What other chats do is dropped first, then the context, then the rest.
	least := min(w/3, 24)
	for len(right) > 0 {
		s := strings.Join(right, "  ")
		if cells.Width(th.Widths, s)+2+least <= w {
			return cells.Sides(th.Widths, left, s+" ", w, least, th.Signs.Ellipsis)
		}
		if right[0] == m.others() {
			right = right[1:]
		} else {
			right = right[:len(right)-1]
		}
	}
	return cells.Cut(th.Widths, left, w, th.Signs.Ellipsis)
}

// modeWord is the mode; one in which the provider asks for nothing stands out.
func (m *model) modeWord(r *room) string {
	st := r.status
	if st.Native == "" || !nativeShown(r) {
		return m.th.Muted.Render(string(st.Mode))
	}
	name := plain.Line(st.Native, 24)
	for _, c := range st.Offers.Modes {
		if c.ID == st.Native {
			name = plain.Line(firstOf(c.Name, c.ID), 24)
		}
	}
	if nativeAsksNothing(st) {
		return m.th.Error.Render(name)
	}
	return m.th.Muted.Render(name)
}

// nativeShown reports that the provider is in a mode of its own that the person
// chose, and not in the one that belongs to Conch's.
func nativeShown(r *room) bool {
	return r.status.Native != "" && (r.status.NativeChosen || nativeAsksNothing(r.status))
}

// others says how the other open chats stand.
func (m *model) others() string {
	var running, waiting, news int
	for _, r := range m.rooms {
		if r == m.room {
			continue
		}
		switch {
		case len(r.status.Cards) > 0:
			waiting++
		case r.status.Running:
			running++
		case r.status.News > 0:
			news++
		}
	}
	var out []string
	th := m.th
	for _, each := range []struct {
		n    int
		sign string
		word string
		look lipgloss.Style
	}{
		{waiting, th.Signs.Waiting, "waits", th.Attention},
		{running, th.Signs.Running, "running", th.Muted},
		{news, th.Signs.News, "news", th.Accent},
	} {
		if each.n > 0 {
			out = append(out, each.look.Render(each.sign+" "+strconv.Itoa(each.n)+" "+each.word))
		}
	}
	return strings.Join(out, " ")
}

// contextUse is how full the provider says its context is, in percent.
func contextUse(u engine.Usage) (int, bool) {
	if u.ContextUsed == nil || u.ContextSize == nil || *u.ContextSize <= 0 || *u.ContextUsed < 0 {
		return 0, false
	}
	return int(min(*u.ContextUsed*100 / *u.ContextSize, 999)), true
}

func (m *model) noteLook() lipgloss.Style {
	if m.note.bad {
		return m.th.Error
	}
	return m.th.Accent
}

// maxNote is how many lines a note may take: the step that it ends with, often a
// command to copy, must not be cut off.
const maxNote = 3

// footer are the last lines: a note, else one line of hints.
func (m *model) footer() []string {
	th := m.th
	if m.note.words == "" {
		return []string{m.hintLine()}
	}
	words := m.note.words
	if m.note.bad {
		words = th.Signs.Failed + " " + words
	}
	lines := cells.Wrap(th.Widths, words, max(m.w-2, 1))
	if len(lines) > maxNote {
		lines = lines[:maxNote]
		lines[maxNote-1] = cells.Cut(th.Widths, lines[maxNote-1]+th.Signs.Ellipsis, max(m.w-2, 1), th.Signs.Ellipsis)
	}
	for i, line := range lines {
		lines[i] = m.noteLook().Render(" " + line)
	}
	return lines
}

// hintLine says at most five things that can be done now.
func (m *model) hintLine() string {
	th := m.th
	p, has := m.place(), m.has()
	most := 5
	if m.w < 70 {
		most = 2
	}
	line, shown := "", 0
	for _, h := range m.hints(p) {
		e, _ := m.keys.Entry(h.action)
		key := m.keys.First(h.action, p)
		if h.action == keys.Newline && !m.clear {
			key = m.keys.Plain(h.action, p)
		}
		if key == "" || e.Why(has) != "" || shown == most {
			continue
		}
		words := firstOf(h.words, e.Hint)
		next := line + " " + th.Accent.Render(key) + " " + th.Muted.Render(words) + "  "
		if cells.Width(th.Widths, next) > m.w+2 {
			break
		}
		line = next
		shown++
	}
	return strings.TrimRight(line, " ")
}

// hint is an action in the footer; words replace the table's.
type hint struct {
	action keys.Action
	words  string
}

// hints are what is worth saying in a place, most useful first.
func (m *model) hints(p keys.Place) []hint {
	r := m.room
	if m.onRun() && inRun(m) {
		return m.runHints(p)
	}
	if m.reader != nil && (p == keys.Reader || p == keys.Field) {
		return m.readerHints()
	}
	switch p {
	case keys.Asking, keys.Pager, keys.Picker:
		return []hint{{keys.Interrupt, "back"}}
	case keys.Sheet:
		return []hint{{keys.SheetOpen, ""}, {keys.SheetPreview, ""}, {keys.SheetRename, ""}, {keys.SheetDelete, ""}, {keys.Interrupt, "back"}}
	case keys.Card:
		return []hint{{keys.FocusNext, "back to the prompt"}, {keys.Interrupt, "stop the turn"}, {keys.Help, ""}}
	case keys.Field:
		if r.search != nil {
			return []hint{{keys.Interrupt, "back"}}
		}
		return []hint{{keys.FocusNext, "back to the prompt"}, {keys.Interrupt, "stop the turn"}}
	case keys.Chat:
		return []hint{{keys.ItemToggle, ""}, {keys.ItemCopy, ""}, {keys.ItemOpen, ""}, {keys.Find, ""}, {keys.Interrupt, "prompt"}}
	case keys.Side:
		return []hint{{keys.Interrupt, "prompt"}, {keys.Steps, "close"}, {keys.FocusNext, "prompt"}}
	case keys.List:
		return []hint{{keys.Complete, ""}, {keys.Interrupt, "close"}}
	}
	var out []hint
	if r.cards.Len() > 0 {
		out = append(out, hint{keys.FocusNext, "answer"})
	}
	if r.busy() {
		out = append(out, hint{keys.Interrupt, ""})
	} else if r.status.Waits != "" {
		out = append(out, hint{keys.Interrupt, "stop waiting"})
	}
	if r.status.Held && !r.status.Running {
		out = append(out, hint{keys.Send, "send what waits"})
	} else if p == keys.Empty && !r.busy() && r.status.LastEnd != nil && r.status.LastEnd.Outcome == string(engine.Failed) && r.lastText != "" {
		out = append(out, hint{keys.Send, "send again"})
	}
	if p == keys.Draft {
		switch {
		case r.prompt.Kind() == composer.Shell:
			out = append(out, hint{keys.Send, "run"})
		case r.status.Running:
			out = append(out, hint{keys.Send, "queue"})
		default:
			out = append(out, hint{keys.Send, ""})
		}
		if m.steers(r) && r.prompt.Kind() == composer.Prompt {
			out = append(out, hint{keys.Steer, ""})
		}
		out = append(out, hint{keys.Newline, ""})
	}
	out = append(out, hint{keys.Provider, ""}, hint{keys.OpenSheet, ""})
	if len(r.status.Queue) > 0 {
		out = append(out, hint{keys.Unqueue, ""})
	}
	if r.busy() {
		out = append(out, hint{keys.Steps, ""})
	} else {
		out = append(out, hint{keys.Mode, ""})
	}
	return append(out, hint{keys.Help, ""})
}
