package conversation

import (
	"errors"
	"fmt"
	"slices"
)

// maxQueue bounds the messages that wait.
const maxQueue = 100

// carryOn is what Continue sends.
const carryOn = "Carry on from where you stopped."

// enqueue puts a message at the end of the queue. mu is held.
func (m *Manager) enqueue(msg Message) error {
	if len(m.queue) >= maxQueue {
		return fmt.Errorf("%d messages wait already: take one back first", maxQueue)
	}
	m.queue = append(m.queue, msg)
	if t := m.turn; t != nil && !t.hurried {
		t.hurried = true
		close(t.hurry)
	}
	m.out.wake()
	return nil
}

// Unqueue takes the last queued message back.
func (m *Manager) Unqueue() (Message, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.queue)
	if n == 0 {
		return Message{}, false
	}
	msg := m.queue[n-1]
	m.queue = slices.Delete(m.queue, n-1, n)
	m.out.wake()
	return msg, true
}

// RemoveQueued takes the queued message at index i (0 goes first) out.
func (m *Manager) RemoveQueued(i int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i < 0 || i >= len(m.queue) {
		return errQueue
	}
	m.queue = slices.Delete(m.queue, i, i+1)
	m.out.wake()
	return nil
}

// EditQueued puts another message in the place of the queued one at index i.
func (m *Manager) EditQueued(i int, msg Message) error {
	if err := check(msg); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i < 0 || i >= len(m.queue) {
		return errQueue
	}
	m.queue[i] = msg
	m.out.wake()
	return nil
}

var errQueue = errors.New("that message doesn't wait any more")

// Release sends the queue's first message after a Stop or a failure held it
// back; the others follow as turns end well.
func (m *Manager) Release() error {
	m.mu.Lock()
	if err := m.usable(); err != nil {
		m.mu.Unlock()
		return err
	}
	if len(m.queue) == 0 {
		m.mu.Unlock()
		return errors.New("no message waits")
	}
	if m.turn != nil {
		m.mu.Unlock()
		return errors.New("a turn runs: the first message goes when it is over")
	}
	msg := m.queue[0]
	m.queue = m.queue[1:]
	m.status.held = ""
	t := m.reserve(msg)
	m.mu.Unlock()
	err := m.start(t)
	if err != nil {
		m.putBack(msg, err)
	}
	return err
}

// putBack makes a message that could not be sent the queue's first again.
func (m *Manager) putBack(msg Message, why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = append([]Message{msg}, m.queue...)
	m.status.held = clean(why.Error(), 200)
	m.out.wake()
}

// Continue carries on after a turn that paused at a limit of the provider's: it
// sends a short message of the app's own. Without a pause it is an error.
func (m *Manager) Continue() error {
	m.mu.Lock()
	paused := m.turn == nil && m.status.lastEnd != nil && m.status.lastEnd.Paused
	m.mu.Unlock()
	if !paused {
		return errors.New("nothing is paused")
	}
	return m.Send(Message{Text: carryOn})
}
