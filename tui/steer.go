package tui

import (
	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/composer"
)

// What a chat may be able to do: *conversation.Manager.
type (
	// steerer puts words into the turn that runs; into is false when they went as a
	// message of their own.
	steerer interface {
		Steer(text string) (into bool, err error)
	}
	// clearer moves what is handed over to begin here, and back.
	clearer interface {
		Clear() error
		Unclear() error
	}
)

var (
	_ steerer = (*conversation.Manager)(nil)
	_ clearer = (*conversation.Manager)(nil)
)

// steers reports that who answers now takes words into a running turn.
func (m *model) steers(r *room) bool {
	_, can := m.engine(r.answering()).(engine.Steerer)
	return can && r.status.Running && !r.status.Stopping
}

// steerDraft says what is in the prompt into the turn that runs.
func (m *model) steerDraft(r *room) {
	switch r.prompt.Kind() {
	case composer.Shell, composer.Command:
		m.say("only words can be said into a turn", true)
		return
	}
	if m.pictures.reading == r {
		m.submit(r) // it says that the picture is still being read
		return
	}
	if msg, ok := r.prompt.Take(); ok {
		m.steer(r, conversation.Message{Text: msg.Text, Attachments: attachments(r.folderNow(), msg)})
	}
}

// steer says words into the turn that runs. What it doesn't take goes with the
// next message; words with pictures and files always do.
func (m *model) steer(r *room, msg conversation.Message) {
	who := plain.Line(r.answering(), 40)
	if len(msg.Attachments) > 0 || !m.steers(r) {
		m.send(r, msg)
		if r.status.Running {
			m.say(who+" takes nothing into a running turn here: it is queued", false)
		}
		return
	}
	r.unmark()
	r.items.ToEnd()
	send := m.crew.send
	back := func(err error) { send(troubleMsg{room: r, doing: "say it now", err: err, back: &msg}) }
	r.w.add(job{lost: back, do: func(t talk) {
		s, can := t.(steerer)
		if !can {
			if err := t.Send(msg); err != nil {
				back(err)
			}
			return
		}
		switch into, err := s.Steer(msg.Text); {
		case err != nil:
			back(err)
		case into:
			send(saidMsg{words: who + " was told now"})
		default:
			send(saidMsg{words: who + " didn't take it into the turn: it goes as a message of its own"})
		}
	}})
}
