package tui

// clearChat lets nothing that was said so far be handed over to anyone. It stays on
// the screen and in the log; undo takes it back.
func (m *model) clearChat(r *room) {
	if r.status.Running {
		m.say("a turn is running: stop it first (esc)", true)
		return
	}
	send := m.crew.send
	r.w.do(func(t talk) {
		c, can := t.(clearer)
		if !can {
			send(saidMsg{words: "this chat can't be cleared", bad: true})
			return
		}
		if err := c.Clear(); err != nil {
			send(troubleMsg{room: r, doing: "clear the chat", err: err})
			return
		}
		send(clearedMsg{room: r})
	})
}

// clearedMsg: nothing above is handed over any more.
type clearedMsg struct{ room *room }

func (m *model) cleared(msg clearedMsg) {
	m.back = func() { m.unclear(msg.room) }
	m.say("whoever answers next starts afresh · /undo takes it back", false)
}

// clearedBefore reports that the chat was cleared in an earlier life of the screen and
// nothing was said since: undo takes that back too.
func (m *model) clearedBefore() bool {
	s := m.room.status
	return s.Afresh && !s.ReadOnly && !m.sheeted && m.picker == nil
}

func (m *model) unclear(r *room) {
	m.do(r, "take it back", func(t talk) error {
		if c, can := t.(clearer); can {
			return c.Unclear()
		}
		return nil
	})
}
