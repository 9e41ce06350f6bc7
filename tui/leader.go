package tui

import (
	"time"

	"charm.land/bubbletea/v2"

	"conch/tui/keys"
)

// leaderTime is how long the key behind the leader is waited for.
const leaderTime = 2 * time.Second

// leading is that the leader was pressed.
type leading struct {
	until time.Time
	note  int // serial of the note that says so
}

// led takes in the leader and the key that follows it. ok is false for a key that
// does nothing more: the leader, and one behind it that has no meaning or is esc.
func (m *model) led(p keys.Place, k tea.KeyPressMsg) (_ tea.KeyPressMsg, ok bool) {
	was := m.leading
	m.leading = leading{}
	if was.note != 0 && was.note == m.note.serial {
		m.note = note{}
	}
	if m.at.Before(was.until) {
		return m.keys.Led(p, k)
	}
	if !m.keys.Leads(p, k) {
		return k, true
	}
	m.serial++
	m.note = note{words: m.keys.LeaderName() + " " + m.th.Signs.Ellipsis, serial: m.serial}
	m.leading = leading{until: m.at.Add(leaderTime), note: m.serial}
	m.later(m.crew.after(leaderTime, forgetMsg{m.serial}))
	return k, false
}
