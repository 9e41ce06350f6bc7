package tui

import (
	"strings"
	"time"

	"charm.land/bubbletea/v2"

	"conch/conversation"
	"conch/engine"
	"conch/plain"
)

// longTurn is from when on the end of a turn is worth a notification.
const longTurn = 8 * time.Second

// notify tells the person, where they want it, that a card waits or that a long
// turn is over.
func (m *model) notify(r *room, was conversation.Status) {
	st := r.status
	words := ""
	switch {
	case len(st.Cards) > len(was.Cards):
		words = plain.Line(firstOf(st.Cards[len(st.Cards)-1].AskedBy, st.Provider), 40) + " waits for you"
	case was.Running && !st.Running && !was.Stopping && m.at.Sub(was.Since) >= longTurn:
		words = plain.Line(was.Answering, 40) + " is done"
		if st.LastEnd != nil && st.LastEnd.Outcome == string(engine.Failed) {
			words = plain.Line(was.Answering, 40) + " stopped with an error"
		}
	}
	if words == "" {
		return
	}
	if title := plain.Line(st.Title, 60); title != "" {
		words += ": " + title
	}
	switch m.d.Options.Notify {
	case "never":
		return
	case "always":
	default:
		if m.looked {
			return
		}
	}
	m.later(tea.Raw(notification(env(m.d.Environ), words)))
}

// notification is a bell and the sequence by which the terminal shows words.
func notification(env func(string) string, words string) string {
	words = strings.NewReplacer(";", ",", "\x1b", "", "\x07", "").Replace(plain.Line(words, 200))
	term := env("TERM")
	seq := "\x1b]9;" + words + "\x07"
	if strings.HasPrefix(term, "rxvt") || strings.HasPrefix(term, "foot") {
		seq = "\x1b]777;notify;Conch;" + words + "\x07"
	}
	if env("TMUX") != "" {
		// tmux hands it on where allow-passthrough is on.
		seq = "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + "\x1b\\"
	}
	return seq + "\a"
}

// env looks a variable up in KEY=value words.
func env(environ []string) func(string) string {
	return func(name string) string {
		for i := len(environ) - 1; i >= 0; i-- {
			if v, ok := strings.CutPrefix(environ[i], name+"="); ok {
				return v
			}
		}
		return ""
	}
}

// title is the terminal's: the chat's with a mark of how it stands.
func (m *model) title() string {
	r, signs := m.room, m.th.Signs
	words := r.title()
	if words == "" {
		words = r.project()
	}
	words = plain.Line(words, 80) + " · conch"
	switch {
	case m.waits():
		return signs.Waiting + " " + words
	case m.works():
		return signs.Running + " " + words
	}
	return words
}

func (m *model) waits() bool {
	for _, r := range m.rooms {
		if len(r.status.Cards) > 0 {
			return true
		}
	}
	return false
}

func (m *model) works() bool {
	for _, r := range m.rooms {
		if r.status.Running {
			return true
		}
	}
	return false
}

// programStatus tells a terminal that asks for it how the program stands
// (OSC 7501).
func (m *model) programStatus() *tea.ProgramStatus {
	s := &tea.ProgramStatus{App: "conch", State: tea.ProgramStateIdle}
	switch {
	case m.leaving:
	case m.waits():
		s.State, s.Kind = tea.ProgramStateBlocked, tea.ProgramStatusKindPermission
		for _, r := range m.rooms {
			for _, c := range r.status.Cards {
				if c.Permission == nil {
					s.Kind = tea.ProgramStatusKindQuestion
				}
			}
		}
	case m.works():
		s.State = tea.ProgramStateWorking
	case m.room.status.LastEnd != nil:
		switch end := m.room.status.LastEnd; {
		case end.Problem == string(engine.SignedOut):
			s.State, s.Kind = tea.ProgramStateBlocked, tea.ProgramStatusKindAuth
		case end.Outcome == string(engine.Failed):
			s.State = tea.ProgramStateError
		case end.Outcome == string(engine.Success):
			s.State = tea.ProgramStateDone
		}
	}
	return s
}
