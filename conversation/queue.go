package conversation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"conch/chats"
)

// maxQueue bounds the messages that wait.
const maxQueue = 100

// carryOn is what Continue sends.
const carryOn = "Carry on from where you stopped."

// enqueue puts a message at the end of the queue, or, behind a Stop, ahead of
// what waited before it. mu is held.
func (m *Manager) enqueue(msg Message) error {
	if len(m.queue) >= maxQueue {
		return fmt.Errorf("%d messages wait already: take one back first", maxQueue)
	}
	at := len(m.queue)
	if t := m.turn; t != nil && (t.stopped || t.pausing) {
		at = min(t.urgent, at)
		t.urgent++
	}
	m.queue = slices.Insert(m.queue, at, msg)
	if t := m.turn; t != nil && !t.hurried {
		t.hurried = true
		close(t.hurry)
	}
	m.out.wake()
	return nil
}

// Unqueue takes the last queued message back.
func (m *Manager) Unqueue() (Message, bool) {
	var msg Message
	err := m.changeQueue(func(queue []Message) ([]Message, error) {
		n := len(queue)
		if n == 0 {
			return nil, errQueue
		}
		msg = queue[n-1]
		return slices.Delete(queue, n-1, n), nil
	})
	return msg, err == nil
}

// RemoveQueued takes the queued message at index i (0 goes first) out.
func (m *Manager) RemoveQueued(i int) error {
	return m.changeQueue(func(queue []Message) ([]Message, error) {
		if i < 0 || i >= len(queue) {
			return nil, errQueue
		}
		return slices.Delete(queue, i, i+1), nil
	})
}

// EditQueued puts another message in the place of the queued one at index i.
func (m *Manager) EditQueued(i int, msg Message) error {
	if err := check(msg); err != nil {
		return err
	}
	return m.changeQueue(func(queue []Message) ([]Message, error) {
		if i < 0 || i >= len(queue) {
			return nil, errQueue
		}
		queue[i] = msg
		return queue, nil
	})
}

func (m *Manager) changeQueue(change func([]Message) ([]Message, error)) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return ErrClosed
	}
	queue, err := change(m.queue)
	if err == nil {
		m.queue = queue
		m.out.wake()
	}
	m.mu.Unlock()
	if err == nil {
		m.keepQueue()
	}
	return err
}

// keepQueue puts the queue as it is now into the log, so that what waits is not
// lost with the program.
func (m *Manager) keepQueue() {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.flush()
	m.mu.Lock()
	kept := chats.Queue{Messages: make([]chats.QueuedMessage, 0, len(m.queue))}
	for _, msg := range m.queue {
		q := chats.QueuedMessage{Text: strings.ToValidUTF8(msg.Text, "\uFFFD")}
		for _, a := range msg.Attachments {
			q.Attachments = append(q.Attachments, clean(a.Name, 200))
		}
		kept.Messages = append(kept.Messages, q)
	}
	m.mu.Unlock()
	e := m.append("", kept)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.out.add(e)
	m.noted(e)
}

// restoreQueue takes up what waited when the chat was left. It is held: nothing
// goes out that the person did not send in this life of the program.
func (m *Manager) restoreQueue(kept chats.Queue) {
	m.queue = nil
	m.status.held = ""
	why := "Conch ended before they were sent"
	for _, q := range kept.Messages {
		if strings.TrimSpace(q.Text) == "" {
			continue // it was of attachments alone
		}
		m.queue = append(m.queue, Message{Text: q.Text})
		if len(q.Attachments) > 0 {
			why = "Conch ended before they were sent; attachments have to be added again"
		}
	}
	if len(m.queue) > 0 {
		m.status.held = why
	}
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
	if err := m.start(t); err != nil {
		m.putBack(msg, err)
		return err
	}
	m.keepQueue()
	return nil
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
