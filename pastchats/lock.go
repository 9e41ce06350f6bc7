package pastchats

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"conch/flock"
)

const lockName = "lock"

// What a lock is held for.
const (
	doingRun    = "run"
	doingMend   = "mend"
	doingRemove = "remove"
)

// lock is held by the one conch that changes the store. The system lets go of it
// when its owner ends, however it ends, so that neither a dead owner nor another
// program with its process id keeps it. What the file says is for people, and
// for the next owner: a file that still says something was not let go of.
type lock struct {
	f      *os.File
	before holder // an owner that died, zero for none
	made   bool   // the store's folder, which was not there
	dir    string
}

// holder is who holds a lock, or held it last.
type holder struct {
	PID     int    `json:"pid"`
	Started int64  `json:"started"` // milliseconds since 1970
	Doing   string `json:"doing"`
}

// tryLock takes the lock of the store, whose folder is made. ErrRunning when
// another has it.
func (s *Store) tryLock(doing string) (*lock, error) {
	_, err := os.Lstat(s.dir)
	made := errors.Is(err, fs.ErrNotExist)
	if err := s.makeDir(); err != nil {
		return nil, err
	}
	path := filepath.Join(s.dir, lockName)
	for range 10 {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			_ = os.Remove(path) // a pipe or a link is no lock of ours; else opening says it
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			if err := s.makeDir(); err != nil { // it was taken away meanwhile
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, plainly("lock the past chats", err)
		}
		ok, err := flock.Try(f)
		if err != nil || !ok {
			closing := f.Close()
			if err == nil && closing == nil {
				return nil, ErrRunning
			}
			return nil, fmt.Errorf("lock the past chats: %w", errors.Join(err, closing))
		}
		if !isAt(f, path) { // its last owner took the file away
			if err := f.Close(); err != nil {
				return nil, fmt.Errorf("lock the past chats: %w", err)
			}
			continue
		}
		l := &lock{f: f, before: readHolder(f), made: made, dir: s.dir}
		if err := l.say(holder{PID: os.Getpid(), Started: s.now().UnixMilli(), Doing: doing}); err != nil {
			return nil, errors.Join(plainly("lock the past chats", err), f.Close())
		}
		return l, nil
	}
	return nil, ErrRunning
}

func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, there)
}

func readHolder(f io.ReaderAt) (h holder) {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	if err != nil || json.Unmarshal(data, &h) != nil {
		return holder{}
	}
	return h
}

func (l *lock) say(h holder) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err = l.f.WriteAt(append(data, '\n'), 0)
	return err
}

// keep has the disk keep what the lock says, so that a run that a power failure
// ended is known as one. Where that fails no more is lost than without it.
func (l *lock) keep() { _ = l.f.Sync() }

// release lets the store go, with all in order. Where nothing came in nothing
// stays.
func (l *lock) release() error {
	if files, err := os.ReadDir(l.dir); l.made && err == nil && len(files) == 1 {
		// While it is held, so that nobody else's is taken away. Windows keeps it.
		_ = os.Remove(filepath.Join(l.dir, lockName))
		defer os.Remove(l.dir) //nolint:errcheck // an empty folder may stay
	}
	if err := errors.Join(l.f.Truncate(0), l.drop()); err != nil {
		return fmt.Errorf("let the past chats go: %w", err)
	}
	return nil
}

// drop lets it go as a death would: the next owner mends.
func (l *lock) drop() error { return l.f.Close() }

// running tells since when another conch, or another service of this one, has
// been bringing chats in.
func (s *Store) running() (since time.Time, ok bool) {
	f, err := os.OpenFile(filepath.Join(s.dir, lockName), os.O_RDWR, 0)
	if err != nil {
		return time.Time{}, false
	}
	defer f.Close() //nolint:errcheck // nothing was written
	h := readHolder(f)
	if h.Doing != doingRun {
		return time.Time{}, false // free, which is nearly always so: the lock need not be tried
	}
	if mine, err := flock.Try(f); err != nil || mine {
		return time.Time{}, false
	}
	return time.UnixMilli(h.Started), true
}
