package conversation

import (
	"errors"
	"slices"

	"conch/chats"
	"conch/engine"
)

// Errors of Clear and Unclear.
var (
	errTurnRuns   = errors.New("a turn is running: stop it first")
	errNothing    = errors.New("nothing was said yet")
	errNotCleared = errors.New("nothing was cleared")
)

// Clear begins the chat anew for every provider: nothing that was said or done so
// far is handed over any more, and no session that holds it is carried on. It stays
// in the log and on the screen. What the chat read from outside still counts. Behind
// a clear with nothing said since it does nothing.
func (m *Manager) Clear() error {
	err := m.moveStart(func() (chats.Body, error) {
		switch {
		case m.status.lastSeq < 0:
			return nil, errNothing
		case !m.status.said:
			return nil, nil
		}
		return chats.ContextCleared{}, nil
	})
	if err == nil {
		m.stopWaiting("the chat was cleared")
	}
	return err
}

// Unclear takes the last clear back: the words before it are handed over again, and
// a provider that has not answered since carries its session on.
func (m *Manager) Unclear() error {
	return m.moveStart(func() (chats.Body, error) {
		n := len(m.status.cleared)
		if n == 0 {
			return nil, errNotCleared
		}
		return chats.ContextRestored{ClearedSeq: m.status.cleared[n-1]}, nil
	})
}

// moveStart writes an event that changes where the chat begins, between two turns:
// a message that is sent meanwhile stands behind it. It fails when the log can't be
// written.
func (m *Manager) moveStart(decide func() (chats.Body, error)) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.flush()
	m.mu.Lock()
	body, err := chats.Body(nil), m.usable()
	if err == nil && m.turn != nil {
		err = errTurnRuns
	}
	if err == nil {
		body, err = decide()
	}
	m.mu.Unlock()
	if err != nil || body == nil {
		return err
	}
	if err := m.catchUp(); err != nil {
		return unwritable{err}
	}
	e, err := m.log.Append("", body)
	if err != nil {
		return unwritable{err}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.out.add(e)
	m.noted(e)
	return nil
}

func (m *Manager) hasMoved() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.moves
}

// startMoved keeps up with where the chat begins. What was known of sessions is of
// those that are not carried on. mu is held.
func (m *Manager) startMoved(e chats.Event) {
	switch b := e.Body.(type) {
	case chats.UserMessage, chats.Shell:
		m.status.said = true
		return
	case chats.ContextCleared:
		m.status.said = false
		m.status.cleared = append(m.status.cleared, e.Seq)
		if m.aside == nil {
			m.aside = map[int64][]chats.Event{}
		}
		m.aside[e.Seq], m.shells = m.shells, nil
	case chats.ContextRestored:
		m.status.said = true
		m.status.cleared = slices.DeleteFunc(m.status.cleared, func(seq int64) bool { return seq == b.ClearedSeq })
		m.shells = append(m.aside[b.ClearedSeq], m.shells...)
		delete(m.aside, b.ClearedSeq)
	default:
		return
	}
	m.moves++
	for _, tie := range m.ties {
		tie.resume, tie.lost, tie.usage = "", false, engine.Usage{}
	}
}
