package conversation

import (
	"errors"

	"conch/chats"
	"conch/plain"
	"conch/redact"
)

// maxLate bounds what is kept of a log that cannot be written, in events.
const maxLate = 20_000

// record writes an event into the log and then shows it. When the log cannot be
// written the event waits, with the seq that it will have, and Status.Trouble
// says so; nothing that is on the screen is given up before Close.
func (m *Manager) record(turn string, body chats.Body) chats.Event {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.flush()
	e := m.append(turn, body)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.out.add(e)
	m.noted(e)
	return e
}

// begin writes the first events of a turn. Unlike record it fails, and shows
// nothing, when the log cannot be written: no turn starts that could not be kept.
func (m *Manager) begin(turn string, bodies ...chats.Body) (last chats.Event, err error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.flush()
	if err := m.catchUp(); err != nil {
		return chats.Event{}, err
	}
	for _, body := range bodies {
		of := turn
		if _, choice := body.(chats.Options); choice {
			of = ""
		}
		if last, err = m.log.Append(of, body); err != nil {
			return chats.Event{}, err
		}
		m.mu.Lock()
		m.out.add(last)
		m.noted(last)
		m.mu.Unlock()
	}
	return last, nil
}

// checkpoint brings the words that came so far into the log.
func (m *Manager) checkpoint() {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.flush()
}

// flush writes the words that wait. writing is held.
func (m *Manager) flush() {
	m.mu.Lock()
	said := m.out.gather()
	m.mu.Unlock()
	written := make([]chats.Event, 0, len(said))
	for _, w := range said {
		written = append(written, m.append(w.turn, w.body()))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range written {
		m.noted(e)
	}
	m.out.settled(written)
}

// append writes one event, behind those that are late. writing is held.
func (m *Manager) append(turn string, body chats.Body) chats.Event {
	err := m.catchUp()
	if err == nil {
		var e chats.Event
		if e, err = m.log.Append(turn, body); err == nil {
			return e
		}
		m.trouble(err)
	}
	e := chats.Event{
		V: chats.Version, Seq: m.log.LastSeq() + 1 + int64(len(m.late)),
		At: m.deps.Now().UnixMilli(), Turn: turn, Body: body,
	}
	if len(m.late) < maxLate {
		m.late = append(m.late, e)
	}
	return e
}

// catchUp writes what is late. writing is held.
func (m *Manager) catchUp() error {
	if len(m.late) == 0 {
		return nil
	}
	for len(m.late) > 0 {
		if _, err := m.log.Append(m.late[0].Turn, m.late[0].Body); err != nil {
			m.trouble(err)
			return err
		}
		m.late = m.late[1:]
	}
	m.late = nil
	m.trouble(nil)
	return nil
}

// trouble says why the log cannot be written, or takes it back.
func (m *Manager) trouble(err error) {
	says := ""
	if err != nil {
		says = "what is said here can't be kept: " + whyUnwritable(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if says != m.status.trouble {
		m.status.trouble = says
		m.out.wake()
	}
}

// unwritable is a failed write in a person's words.
type unwritable struct{ err error }

func (u unwritable) Error() string { return whyUnwritable(u.err) }
func (u unwritable) Unwrap() error { return u.err }

func whyUnwritable(err error) string {
	switch {
	case errors.Is(err, chats.ErrFull):
		return "the disk is full"
	case errors.Is(err, chats.ErrUnwritable):
		return "the chats folder can't be written"
	}
	return clean(err.Error(), 200)
}

// noted keeps up with what Status says of the log. mu is held.
func (m *Manager) noted(e chats.Event) {
	m.status.lastSeq = max(m.status.lastSeq, e.Seq)
	m.startMoved(e)
	switch b := e.Body.(type) {
	case chats.UserMessage:
		if b.By == "" {
			m.wakes = 0
		}
	case chats.AssistantDone:
		if !b.Retracted {
			m.status.news++
		}
	case chats.Taint:
		m.taint(b.Source)
	case chats.TurnCompleted:
		m.status.news++
	case chats.Shell:
		if b.Offered {
			m.shells = append(m.shells, e)
		}
	}
}

// live shows something that is never written.
func (m *Manager) live(turn string, p piece, body chats.Body) {
	e := chats.Event{V: chats.Version, Seq: -1, At: m.deps.Now().UnixMilli(), Turn: turn, Body: body}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.channel == stepPiece {
		m.out.progress(p.id, e)
		return
	}
	m.out.show(p, e)
}

// clean makes a line of text from outside fit to be kept and shown. Secrets go
// before it is cut: half of one is not known for what it is.
func clean(s string, max int) string {
	s, _ = redact.Redact(plain.Line(s, 4*max))
	return plain.Line(s, max)
}
