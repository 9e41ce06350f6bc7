package tui

import (
	"conch/tui/composer"
)

// seekPages is how many older pages are read for a message that was looked for.
const seekPages = 16

// seekOn brings the message in view that was looked for, once it is loaded. It
// reports that older events are to be read for it.
func (m *model) seekOn(r *room) bool {
	if r.seek == "" || !r.opened || r.loading || m.d.Options.Plain {
		return false
	}
	if !r.items.GoToMessage(r.seek) && r.hasOlder && r.sought < seekPages {
		r.sought++
		return true
	}
	r.seek = ""
	return false
}

// unmark takes the marks away that a search left in a chat. It reports that there
// were some.
func (r *room) unmark() bool {
	was := r.marked
	r.marked, r.seek = false, ""
	if was {
		r.items.Mark(nil)
	}
	return was
}

// show puts a chat on the screen, opening it when it is not. What runs in the
// others goes on.
func (m *model) show(id string) {
	m.mend(id)
	for _, r := range m.rooms {
		switch {
		case r.id != id:
		case r.failed != nil || r.opened && r.status.ReadOnly:
			m.reopen(r)
			return
		default:
			m.enter(r)
			return
		}
	}
	m.enter(m.openRoom(id))
}

// reopen opens a chat anew that could not be opened, or that another conch held:
// it may have left it since, and what it wrote is read. What is in the prompt
// comes along.
func (m *model) reopen(r *room) {
	n := m.openRoom(r.id)
	n.again = r.failed == nil
	n.takeDraft(r)
	m.enter(n)
	m.leaveRoom(r)
}

// takeDraft takes over what is in the prompt of a chat that is left.
func (r *room) takeDraft(from *room) {
	if msg, ok := from.prompt.Take(); ok {
		if msg.Kind == composer.Shell {
			msg.Text = "!" + msg.Text
		}
		r.prompt.Put(msg.Text, msg.Attachments)
	}
}

func (m *model) newChat() {
	was := m.room
	if was.failed == nil && was.untouched() {
		m.say("this is a new chat already", false)
		return
	}
	n := m.freshRoom(m.d.Folder)
	if was.failed != nil {
		n.takeDraft(was)
	}
	m.enter(n)
}

// maxIdle is how many open chats are kept in which nothing runs or waits.
const maxIdle = 6

// enter puts an open chat on the screen.
func (m *model) enter(r *room) {
	was := m.room
	if was == r {
		return
	}
	m.hideMoment()
	was.w.front.Store(false)
	r.w.front.Store(true)
	m.room = r
	m.sideOn = false
	m.seen(r)
	m.chooseReady()
	if was.untouched() || was.failed != nil {
		m.leaveRoom(was)
	}
	idle := 0
	for i := len(m.rooms) - 1; i >= 0; i-- {
		each := m.rooms[i]
		if each == r || each.busy() || !each.prompt.Empty() || len(each.status.Queue) > 0 || each.status.News > 0 || !each.opened {
			continue
		}
		if idle++; idle > maxIdle {
			m.leaveRoom(each)
		}
	}
}

// leaveRoom closes a chat that is not on the screen.
func (m *model) leaveRoom(r *room) {
	for i, each := range m.rooms {
		if each == r {
			m.rooms = append(m.rooms[:i:i], m.rooms[i+1:]...)
			break
		}
	}
	r.w.end()
}
