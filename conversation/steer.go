package conversation

import (
	"context"
	"strings"
	"time"

	"conch/chats"
	"conch/engine"
)

// steerTime bounds how long a provider is asked to take words into its turn.
const steerTime = 5 * time.Second

// Steer puts words into the turn that runs. Where the provider takes none, or no
// turn runs, they go as a message of their own, as Send sends it: into is false
// then. It waits for the provider for at most five seconds.
func (m *Manager) Steer(text string) (into bool, err error) {
	msg := Message{Text: text}
	if err := check(msg); err != nil {
		return false, err
	}
	m.mu.Lock()
	err = m.usable()
	t := m.turn
	running := t != nil && t.engine != nil && !t.stopped && len(m.queue) == 0 // what waits goes first
	m.mu.Unlock()
	if err != nil {
		return false, err
	}
	if !running || !m.steer(t, text) {
		return false, m.Send(msg)
	}
	return true, nil
}

func (m *Manager) steer(t *turn, text string) (ok bool) {
	e, can := t.engine.(engine.Steerer)
	t.mu.Lock()
	can = can && t.accepted && !t.closed
	t.mu.Unlock()
	if !can || isCommand(text, m.commandsOf(t.who)) {
		return false
	}
	defer m.caught(t.who, "steer")
	ctx, cancel := context.WithTimeout(t.ctx, steerTime)
	defer cancel()
	if !e.Steer(ctx, m.ID(), text) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	turn := t.id
	if t.closed {
		turn = "" // it took them in, and was over before it said so
	}
	t.plan = "" // a plan ends with the person's words: the same one again is a new one
	m.record(turn, chats.UserMessage{MessageID: t.newID(), Text: strings.ToValidUTF8(text, "\uFFFD")})
	return true
}
