package chats

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"conch/flock"
)

// Log is one chat's events. One goroutine may append while others read.
type Log struct {
	store    *Store
	id, path string
	readOnly bool
	ids      entropy

	mu     sync.Mutex
	f      *os.File // nil before the first Append of a new chat
	start  *Start   // what the first Append writes ahead
	size   int64    // bytes of whole lines
	last   int64    // seq of the newest event
	fold   *fold    // nil until it is asked for
	line   []byte   // room for the next line
	err    error    // what makes writing impossible from here on
	closed bool
}

// ID is the chat's id.
func (l *Log) ID() string { return l.id }

// ReadOnly reports that another process holds the chat, or that it was opened
// for reading only.
func (l *Log) ReadOnly() bool { return l.readOnly }

// Append writes an event and gives it back with its seq, id and time. It is in
// the file when Append returns, not yet on the disk (Sync). After an error the
// log is as it was before.
func (l *Log) Append(turn string, body Body) (Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.writable(); err != nil {
		return Event{}, err
	}
	return l.append(l.store.now(), turn, body)
}

// AppendAt is Append for something that was said at another time than now.
func (l *Log) AppendAt(at time.Time, turn string, body Body) (Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.writable(); err != nil {
		return Event{}, err
	}
	return l.append(at, turn, body)
}

// writable says why nothing can be appended.
func (l *Log) writable() error {
	switch {
	case l.readOnly:
		return fmt.Errorf("write chat %s: %w", l.id, ErrReadOnly)
	case l.closed:
		return fmt.Errorf("write chat %s: %w", l.id, os.ErrClosed)
	case l.err != nil:
		return fmt.Errorf("write chat %s: %w", l.id, l.err)
	}
	return nil
}

func (l *Log) append(at time.Time, turn string, body Body) (Event, error) {
	l.line = l.line[:0]
	var begin *Event
	if l.start != nil {
		e, err := l.event(at, l.last+1, "", *l.start)
		if err != nil {
			return Event{}, err
		}
		begin = &e
	}
	seq := l.last + 1
	if begin != nil {
		seq++
	}
	e, err := l.event(at, seq, turn, body)
	if err != nil {
		return Event{}, err
	}
	created := l.f == nil
	if created {
		if err := l.create(); err != nil {
			return Event{}, err
		}
	}
	if err := l.write(); err != nil {
		if created {
			err = errors.Join(err, l.uncreate())
		}
		return Event{}, err
	}
	if begin != nil {
		l.start = nil
		l.note(*begin)
	}
	l.note(e)
	return e, nil
}

// event makes an event and its line.
func (l *Log) event(at time.Time, seq int64, turn string, body Body) (Event, error) {
	id, err := l.ids.next(l.store.now())
	if err != nil {
		return Event{}, err
	}
	e := Event{V: Version, Seq: seq, ID: id, At: at.UnixMilli(), Turn: turn, Body: body}
	l.line, err = encode(l.line, e)
	return e, err
}

// write puts the lines at the end of the file, whole or not at all.
func (l *Log) write() error {
	n, err := l.f.Write(l.line)
	if err == nil {
		l.size += int64(n)
		return nil
	}
	if n > 0 {
		// Half a line would spoil the next one. The path and not the file: a file
		// open for appending cannot be cut on Windows.
		if cut := os.Truncate(l.path, l.size); cut != nil {
			l.err = fmt.Errorf("a line was half written and could not be taken back: %w", cut)
		}
	}
	return plainly("write chat "+l.id, err)
}

func (l *Log) note(e Event) {
	l.last = e.Seq
	if l.fold != nil {
		l.fold.add(e)
	}
}

// create makes the file of a new chat.
func (l *Log) create() error {
	if err := makeDir(l.store.dir); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return plainly("write chat "+l.id, err)
	}
	if ok, err := flock.Try(f); err != nil || !ok {
		return errors.Join(fmt.Errorf("lock chat %s: %w", l.id, errors.Join(err, ErrReadOnly)), f.Close(), os.Remove(l.path))
	}
	l.f = f
	return nil
}

// uncreate takes the file of a new chat back, of which nothing could be written.
func (l *Log) uncreate() error {
	err := errors.Join(l.f.Close(), os.Remove(l.path))
	l.f = nil
	if err == nil {
		l.err = nil // what was half written is gone
	}
	return err
}

// Sync brings what was appended onto the disk.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil || l.readOnly || l.closed {
		return nil
	}
	if err := l.f.Sync(); err != nil {
		return plainly("bring chat "+l.id+" onto the disk", err)
	}
	return nil
}

// LastSeq is the seq of the newest event, -1 for none.
func (l *Log) LastSeq() int64 {
	if l.readOnly {
		if v, err := l.look(); err == nil {
			return lastSeq(v.r, v.size)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Close lets the chat go. An empty chat leaves no file behind.
func (l *Log) Close() error {
	l.store.forget(l.id, l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if l.f == nil {
		return nil
	}
	if err := l.f.Close(); err != nil {
		return fmt.Errorf("close chat %s: %w", l.id, err)
	}
	return nil
}

// Summary is the chat's row as of the last event. It reads the whole log once
// when the kept list does not have it.
func (l *Log) Summary() (Summary, error) {
	if l.readOnly {
		info, err := l.f.Stat()
		if err != nil {
			return Summary{}, fmt.Errorf("read chat %s: %w", l.id, err)
		}
		r, err := l.store.refresh(l.id, l.f, info)
		if err != nil {
			return Summary{}, err
		}
		return r.Fold.summary(l.id, l.abandoned(r.Fold)), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fold == nil {
		info, err := l.f.Stat()
		if err != nil {
			return Summary{}, fmt.Errorf("read chat %s: %w", l.id, err)
		}
		r, err := l.store.refresh(l.id, l.f, info)
		if err != nil {
			return Summary{}, err
		}
		l.fold = new(fold)
		*l.fold = r.Fold // the row keeps its own
	}
	s := l.fold.summary(l.id, false)
	if l.start != nil {
		s.Folder, s.Branch = l.start.Folder, l.start.Branch
	}
	return s, nil
}
