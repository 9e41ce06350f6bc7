package chats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func (s *Store) tornPath(id string) string { return filepath.Join(s.dir, id+".torn") }

func (s *Store) deletedPath(name string) string { return filepath.Join(s.dir, "deleted", name) }

// Rename gives a chat a title of the person's. "" takes it back.
func (s *Store) Rename(id, title string) error {
	id, err := ParseID(id)
	if err != nil {
		return err
	}
	l := s.opened(id)
	if l == nil {
		if l, err = s.OpenLog(id); err != nil {
			return err
		}
		defer l.Close() //nolint:errcheck // what counts is in the file after Sync
	}
	if _, err := l.Append("", Title{Title: firstWords("", title, maxWords), By: "person"}); err != nil {
		return err
	}
	return l.Sync()
}

// Delete moves a chat out of the list; Undelete brings it back until Purge. A
// chat that is written, here or in another process, stays: ErrOpen, ErrReadOnly.
func (s *Store) Delete(id string) error {
	id, err := ParseID(id)
	if err != nil {
		return err
	}
	if s.opened(id) != nil {
		return fmt.Errorf("delete chat %s: %w", id, ErrOpen)
	}
	if err := s.held(id); err != nil {
		return fmt.Errorf("delete chat %s: %w", id, err)
	}
	if err := makeDir(s.deletedPath("")); err != nil {
		return err
	}
	if err := s.move(s.path(id), s.deletedPath(id+".jsonl")); err != nil {
		return plainly("delete chat "+id, err)
	}
	now := s.now()
	if err := os.Chtimes(s.deletedPath(id+".jsonl"), now, now); err != nil { // Purge counts from here
		return plainly("delete chat "+id, err)
	}
	return s.moveTorn("delete", s.tornPath(id), s.deletedPath(id+".torn"), id)
}

// held reports, as an error, that the chat is written or not there.
func (s *Store) held(id string) error {
	f, locked, err := s.lock(id)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil { // an open file cannot be moved on Windows
		return fmt.Errorf("close it: %w", err)
	}
	if !locked {
		return ErrReadOnly
	}
	return nil
}

// Undelete brings a deleted chat back.
func (s *Store) Undelete(id string) error {
	id, err := ParseID(id)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(s.deletedPath(id + ".jsonl")); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("bring chat %s back: %w", id, ErrNotFound)
	}
	if err := s.move(s.deletedPath(id+".jsonl"), s.path(id)); err != nil {
		return plainly("bring chat "+id+" back", err)
	}
	return s.moveTorn("bring back", s.deletedPath(id+".torn"), s.tornPath(id), id)
}

func (s *Store) moveTorn(doing, from, to, id string) error {
	if err := s.move(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return plainly(doing+" the torn lines of chat "+id, err)
	}
	return nil
}

// move renames a file and never writes over another.
func (s *Store) move(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "move", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// Deleted gives the chats that Purge(age) would remove, so that what others keep
// of them can be forgotten first. With an error they are those that can be read.
func (s *Store) Deleted(age time.Duration) ([]Summary, error) {
	names, err := s.deletedSince(age)
	if err != nil {
		return nil, err
	}
	var list []Summary
	var errs []error
	for _, name := range names {
		id, ok := strings.CutSuffix(name, ".jsonl")
		if !ok {
			continue
		}
		f := fold{Seq: -1}
		if err := f.file(s.deletedPath(name)); err != nil {
			errs = append(errs, fmt.Errorf("read deleted chat %s: %w", id, err))
			continue
		}
		list = append(list, f.summary(id, true))
	}
	return list, errors.Join(errs...)
}

func (f *fold) file(path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := in.Stat()
	if err == nil {
		err = forward(in, 0, info.Size(), func(line []byte, _ int64) bool {
			f.line(line)
			return true
		})
	}
	return errors.Join(err, in.Close())
}

// Purge removes what was deleted longer than age ago. Chats that keep names stay, for
// a later Purge; nil keeps none.
func (s *Store) Purge(age time.Duration, keep func(id string) bool) error {
	names, err := s.deletedSince(age)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if id, _, _ := strings.Cut(name, "."); keep != nil && keep(id) {
			continue
		}
		if err := os.Remove(s.deletedPath(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, plainly("remove deleted chat "+name, err))
		}
	}
	return errors.Join(errs...)
}

// deletedSince names the files of chats that were deleted longer than age ago. A
// torn file goes with its chat.
func (s *Store) deletedSince(age time.Duration) ([]string, error) {
	entries, err := os.ReadDir(s.deletedPath(""))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the deleted chats: %w", err)
	}
	old := map[string]bool{}
	there := map[string]bool{}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok && e.Type().IsRegular() {
			info, err := e.Info()
			there[id] = true
			old[id] = err == nil && s.now().Sub(info.ModTime()) > age
		}
	}
	var names []string
	for _, e := range entries {
		id := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".jsonl"), ".torn")
		if parsed, err := ParseID(id); err != nil || parsed != id || !e.Type().IsRegular() {
			continue
		}
		if old[id] || !there[id] {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
