package chats

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"conch/flock"
)

// OpenLog opens a chat for writing. When another process writes it, the log is
// read-only and says so. A torn last line is cut off, kept aside and noted; a
// turn without an end is closed as interrupted.
func (s *Store) OpenLog(id string) (*Log, error) {
	id, err := ParseID(id)
	if err != nil {
		return nil, err
	}
	if s.opened(id) != nil {
		return nil, fmt.Errorf("open chat %s: %w", id, ErrOpen)
	}
	f, locked, err := s.lock(id)
	if err != nil {
		return nil, err
	}
	if !locked {
		if err := f.Close(); err != nil {
			return nil, fmt.Errorf("open chat %s: %w", id, err)
		}
		return s.OpenReader(id)
	}
	l := &Log{store: s, id: id, path: s.path(id), f: f, last: -1, ids: newEntropy()}
	if err := l.repair(); err != nil {
		return nil, errors.Join(fmt.Errorf("open chat %s: %w", id, err), f.Close())
	}
	s.mu.Lock()
	s.open[id] = l
	s.mu.Unlock()
	return l, nil
}

// OpenReader opens a chat for reading alone: nothing is locked, repaired or
// written, and what another process appends meanwhile is seen.
func (s *Store) OpenReader(id string) (*Log, error) {
	id, err := ParseID(id)
	if err != nil {
		return nil, err
	}
	found, err := s.stat(id)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(s.path(id))
	if err != nil {
		return nil, fmt.Errorf("read chat %s: %w", id, err)
	}
	// What was opened is what was looked at, and not a link that was put there.
	if now, err := f.Stat(); err != nil || !os.SameFile(found, now) {
		return nil, errors.Join(fmt.Errorf("read chat %s: %w", id, ErrNotFound), err, f.Close())
	}
	return &Log{store: s, id: id, path: s.path(id), f: f, last: -1, readOnly: true}, nil
}

// lock opens a log's file and takes it. Another process may hold it for a
// moment only, to see whether it is written; so there are a few tries.
func (s *Store) lock(id string) (*os.File, bool, error) {
	for try := 0; ; try++ {
		found, err := s.stat(id)
		if err != nil {
			return nil, false, err
		}
		f, err := os.OpenFile(s.path(id), os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			return nil, false, plainly("open chat "+id, err)
		}
		locked, err := flock.Try(f)
		if err == nil && !locked && try >= 5 {
			return f, false, nil
		}
		if err == nil && locked {
			// It may have been deleted, or put in another's place, before the lock.
			if now, err := f.Stat(); err == nil && os.SameFile(found, now) {
				if still, err := s.stat(id); err == nil && os.SameFile(still, now) {
					return f, true, nil
				}
			}
		}
		if closing := f.Close(); err != nil || closing != nil || try >= 5 {
			return nil, false, fmt.Errorf("lock chat %s: %w", id, errors.Join(err, closing, ErrNotFound))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// repair makes the log end in a whole line and a finished turn.
func (l *Log) repair() error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	if l.size, err = wholeLines(l.f, info.Size()); err != nil {
		return err
	}
	torn, err := l.takeTorn(info.Size())
	if err != nil {
		return err
	}
	l.last = lastSeq(l.f, l.size)
	if l.last < 0 && l.size == 0 {
		l.start = &Start{Chat: l.id}
	}
	if torn {
		note := Notice{Code: "torn", Message: "The last line of this chat was only half written. It was cut off and kept aside."}
		if _, err := l.append(l.store.now(), "", note); err != nil {
			return err
		}
	}
	turn, ends := unfinished(l.f, l.size)
	for _, body := range ends {
		if _, err := l.append(l.store.now(), turn, body); err != nil {
			return err
		}
	}
	return nil
}

// takeTorn cuts off what follows the last line feed and keeps it in a file of
// its own. A whole event that lacks only its line feed gets it.
func (l *Log) takeTorn(size int64) (bool, error) {
	if size == l.size {
		return false, nil
	}
	torn := make([]byte, size-l.size)
	if _, err := l.f.ReadAt(torn, l.size); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if _, ok := decode(torn); ok {
		if _, err := l.f.Write([]byte{'\n'}); err != nil {
			return false, plainly("mend the last line", err)
		}
		l.size = size + 1
		return false, nil
	}
	aside, err := os.OpenFile(l.store.tornPath(l.id), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return false, plainly("keep the torn line", err)
	}
	_, err = aside.Write(append(torn, '\n'))
	if err == nil {
		err = aside.Sync()
	}
	if err := errors.Join(err, aside.Close()); err != nil {
		return false, plainly("keep the torn line", err)
	}
	if err := os.Truncate(l.path, l.size); err != nil {
		return false, plainly("cut off the torn line", err)
	}
	return true, nil
}
