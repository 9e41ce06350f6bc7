package pastchats

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove takes all past chats out of Conch and of the index, and forgets which
// apps they were brought from. ErrRunning while a run is going.
func (s *Service) Remove(ctx context.Context) (chats int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	running := s.running != nil
	s.mu.Unlock()
	if running {
		return 0, ErrRunning
	}
	chats, err = s.store.remove(s.forget)
	s.o.Index.Changed()
	return chats, err
}

// forget forgets which apps chats were brought from. The offer does not come back
// by itself: who takes them out does not want it.
func (s *Service) forget() error {
	answer, err := s.o.Consent.Answer()
	if err != nil || len(answer.Apps) == 0 {
		return nil // where no yes can be read none is acted on
	}
	if err := s.o.Consent.Change(func(a *Answer) { *a = Answer{NotNow: true} }); err != nil {
		return plainly("forget which apps chats were brought from", err)
	}
	return nil
}

// remove empties the store. What the person said is forgotten first: a removal
// that is cut short must not be undone by chats that come in by themselves.
func (s *Store) remove(forget func() error) (chats int, err error) {
	if _, err := os.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return 0, forget()
	}
	lock, err := s.tryLock(doingRemove)
	if err != nil {
		return 0, err
	}
	if l, _, err := s.read(); err == nil {
		chats = l.brought()
	}
	if err = forget(); err == nil {
		err = s.empty()
	}
	if err != nil {
		return 0, errors.Join(err, lock.release())
	}
	// The lock goes last, so that a removal that was cut short is ended by the
	// next run, and not taken for lost chats.
	err = os.Remove(filepath.Join(s.dir, lockName))
	if err != nil { // Windows removes no open file
		err = lock.release()
	} else {
		err = lock.f.Close()
	}
	_ = os.Remove(s.dir) // an empty folder may stay
	return chats, err
}

// empty takes everything out of the store but the lock.
func (s *Store) empty() error {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("take the past chats out: %w", err)
	}
	if err := os.Remove(s.listPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return plainly("take the past chats out", err)
	}
	for _, f := range files {
		if f.Name() == lockName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.dir, f.Name())); err != nil {
			return plainly("take the past chats out", err)
		}
	}
	s.mu.Lock()
	s.kept, s.sorted, s.stamp = nil, nil, ""
	s.mu.Unlock()
	return nil
}

// copies is a folder for private copies of other apps' databases, each of which
// is there for a moment.
func (s *Store) copies() string { return filepath.Join(s.dir, "tmp") }
