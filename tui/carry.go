package tui

import (
	"context"
	"strings"

	"charm.land/bubbletea/v2"

	"conch/plain"
)

// carriedMsg: a past chat became one of Conch's own, or could not.
type carriedMsg struct {
	past, chat string
	from       string
	err        error
}

// carry makes a chat of Conch's own out of a past chat and opens it. Nothing runs
// until the person writes.
func (m *model) carry(past string) {
	switch {
	case m.d.Carry == nil:
		m.say("past chats can't be carried on here", true)
		return
	case m.carrying:
		return
	}
	m.carrying = true
	store := m.past.store
	m.later(m.crew.cmd("carry", func(ctx context.Context) tea.Msg {
		msg := carriedMsg{past: past}
		if store != nil {
			if e, err := store.Find(past); err == nil {
				msg.from = e.From()
			}
		}
		msg.chat, msg.err = m.d.Carry(ctx, past)
		return msg
	}))
}

func (m *model) carried(msg carriedMsg) {
	m.carrying = false
	if msg.err != nil {
		m.d.Log("carry on: %v", msg.err)
		m.say("it can't be carried on: "+plain.Line(msg.err.Error(), 200), true)
		return
	}
	m.reader, m.pager, m.picker = nil, nil, nil
	m.closeSheet()
	was := m.room
	m.show(msg.chat)
	r := m.room
	if was != r && was.id == "" && was.items.Empty() && !was.prompt.Empty() {
		r.takeDraft(was) // a new chat that was not begun: its words come along
		m.leaveRoom(was)
	}
	m.focusOn(r, onPrompt)
	r.carried = firstOf(plain.Line(msg.from, 120), "another app")
	if r.opened {
		m.sayCarried(r)
	}
}

// sayCarried says where a chat is from and who answers in it, once it is open.
func (m *model) sayCarried(r *room) {
	words := "carried on from " + r.carried
	r.carried = ""
	if id := plain.Line(r.status.Provider, 60); id != "" {
		words += " · " + id + " answers"
	}
	m.say(words+" · nothing runs until you write", false)
}

// carryTyped is /carry: the past chat that was read last, or one by its id.
func (m *model) carryTyped(rest string) {
	rest = strings.TrimSpace(rest)
	switch {
	case strings.HasPrefix(rest, "pc_"):
		m.carry(rest)
	case rest != "":
		m.openSheet(rest)
	case m.lastPast != "":
		m.carry(m.lastPast)
	default:
		m.openSheet("")
		m.sheet.SetNote("choose a chat of another app; " + firstOf(m.sheetKeys().Carry, "/carry and its id") + " carries it on here")
	}
}
