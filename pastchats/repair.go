package pastchats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const noteRebuilt = "The list of brought-in chats was damaged and has been rebuilt from the chats themselves."

// mend makes the list whole again from what is still good of it and from the
// logs. The lock is held. What was damaged is kept beside it.
func (s *Store) mend() (*list, error) {
	l, whole, err := s.read()
	if err != nil {
		return nil, err
	}
	if l.version > listVersion {
		return nil, ErrNewer
	}
	mended := l.copy()
	relisted, err := s.relist(mended)
	if err != nil {
		return nil, err
	}
	if whole && relisted == 0 && l.clean {
		return l, nil
	}
	mended.version, mended.damaged = listVersion, false
	mended.takeKeysOut()
	if l.damaged {
		if err := s.keepDamaged(); err != nil {
			return nil, err
		}
	}
	if err := s.write(mended, true); err != nil {
		return nil, err
	}
	if l.damaged || !whole && relisted > 0 {
		s.note(noteRebuilt)
	}
	return mended, nil
}

// cleanNames writes a list anew that was written before names were cleaned. The
// lock is held.
func (s *Store) cleanNames(l *list) (*list, error) {
	c := l.copy()
	c.takeKeysOut()
	return c, s.write(c, true)
}

// takeKeysOut takes keys out of the names in a list, which can hold one as any
// text can.
func (l *list) takeKeysOut() {
	if l.clean {
		return
	}
	for i := range l.entries {
		e := &l.entries[i]
		e.Key, e.File, e.Title, e.Project, e.Model = clean(e.Key), clean(e.File), clean(e.Title), clean(e.Project), clean(e.Model)
	}
	l.clean = true
}

// keepDamaged puts the damaged list beside the new one, under a name that no
// other has.
func (s *Store) keepDamaged() error {
	name := listName + "." + s.now().UTC().Format("20060102-150405") + ".damaged"
	for n := range 100 {
		path := filepath.Join(s.dir, name)
		if n > 0 {
			path += fmt.Sprint(n)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return plainly("keep the damaged list of past chats", os.Rename(s.listPath(), path))
	}
	return fmt.Errorf("keep the damaged list of past chats: %w", fs.ErrExist)
}

// relist adds an entry for each log that the list has not, and takes away what
// killed runs left. It gives how many were added. The lock is held.
func (s *Store) relist(l *list) (int, error) {
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the past-chats folder: %w", err)
	}
	lr, n := newListReader(), 0
	there := make(map[string]bool, len(files))
	for _, f := range files {
		if isLeftover(f.Name()) {
			_ = os.Remove(filepath.Join(s.dir, f.Name())) // tried again by the next run
			continue
		}
		id, ok := strings.CutSuffix(f.Name(), logEnding)
		if !ok || !isPastID(id) {
			continue
		}
		if info, err := f.Info(); err != nil || !hasWords(info) || !s.isEnded(id, info.Size()) {
			continue
		}
		there[id] = true
		if e, ok := l.find(id); ok && !e.Empty {
			continue
		}
		if e, ok := s.entryOfLog(id, lr); ok {
			l.put(e)
			n++
		}
	}
	for i, e := range l.entries {
		if !e.Empty && !there[e.ID] && e.Size != unknown {
			// Its log is lost: as long as the app has the chat it comes again.
			l.entries[i].Size = unknown
			n++
		}
	}
	return n, nil
}

// isEnded reports that a log ends as one does: the end may never have come to the
// disk when the power failed.
func (s *Store) isEnded(id string, size int64) bool {
	f, err := s.openLog(id)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var last [1]byte
	_, err = f.ReadAt(last[:], size-1)
	return err == nil && last[0] == '\n'
}

func isLeftover(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp")
}

// entryOfLog says of a lost log what it says itself. It counts as changed, so
// that the next run reads the chat again.
func (s *Store) entryOfLog(id string, lr *listReader) (Entry, bool) {
	e := Entry{ID: id, Size: unknown, Title: untitled}
	err := s.messages(id, nil, func(_ int, m Message) bool {
		if e.Messages == 0 {
			e.Source, _ = sourceOf(m.ID)
			if e.Created.IsZero() {
				e.Created = m.At
			}
		}
		e.Messages++
		if m.Role == User {
			e.UserMessages++
		}
		e.Updated = m.At
		return true
	}, func(title string, at int64) {
		e.Title, e.Created = clean(title), time.UnixMilli(at)
	})
	if err != nil || e.Messages == 0 || e.Source == "" {
		return Entry{}, false
	}
	e.Label = lr.labels[e.Source]
	return e, true
}

// hasLogs reports that there are logs.
func (s *Store) hasLogs() bool {
	dir, err := os.Open(s.dir)
	if err != nil {
		return false
	}
	defer dir.Close() //nolint:errcheck // only read
	for {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			if id, ok := strings.CutSuffix(name, logEnding); ok && isPastID(id) {
				return true
			}
		}
		if err != nil {
			return false
		}
	}
}
