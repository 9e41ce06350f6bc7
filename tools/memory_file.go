package tools

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"conch/flock"
)

// memoryWait is how long a change waits for another conch that writes.
const memoryWait = 5 * time.Second

// Read gives the whole file as it is, "" when there is none. The error wraps
// ErrBadMemory for one that is too large or no text.
func (m *Memory) Read() (string, error) {
	info, err := os.Stat(m.path) // before it is opened: a pipe would wait for a writer
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", filepath.Base(m.path), err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%w: %s is no file", ErrBadMemory, filepath.Base(m.path))
	}
	f, err := os.Open(m.path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", filepath.Base(m.path), err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMemoryFile+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", filepath.Base(m.path), err)
	case len(data) > maxMemoryFile:
		return "", fmt.Errorf("%w: %s is larger than %d KB", ErrBadMemory, filepath.Base(m.path), maxMemoryFile>>10)
	case strings.IndexByte(string(data), 0) >= 0:
		return "", fmt.Errorf("%w: %s is no text", ErrBadMemory, filepath.Base(m.path))
	}
	return string(data), nil
}

// Problem says in a few words why the file can't be read, "" when it can or there is
// none. What is remembered is told to no assistant then.
func (m *Memory) Problem() string {
	_, err := m.Read()
	if err == nil {
		return ""
	}
	name := filepath.Base(m.path)
	if errors.Is(err, ErrBadMemory) {
		return strings.TrimPrefix(err.Error(), ErrBadMemory.Error()+": ")
	}
	why := err
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		why = p.Err
	}
	return name + " can't be read: " + why.Error()
}

// Replace puts a person's text in the place of the whole file. before is what Read
// gave: when the file holds something else by now nothing is written, and the error
// is ErrChanged.
func (m *Memory) Replace(before, text string) error {
	if len(text) > maxMemoryFile || strings.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("%w: it would be larger than %d KB, or no text", ErrBadMemory, maxMemoryFile>>10)
	}
	return m.locked(func() error {
		now, err := m.Read()
		if err != nil {
			return err
		}
		if now != before {
			return ErrChanged
		}
		return m.write(text)
	})
}

// change reads the file, lets do have its way and writes it back. An editor that
// saves meanwhile is not overwritten: do is then done to what it saved.
func (m *Memory) change(do func(*paper) error) error {
	return m.locked(func() error {
		for tries := 3; ; tries-- {
			before, err := m.Read()
			if err != nil {
				return err
			}
			p := parse(before)
			if err := do(p); err != nil {
				return err
			}
			text := p.text()
			if len(text) > maxMemoryFile {
				return ErrFull
			}
			if now, err := m.Read(); err == nil && now != before && tries > 1 {
				continue
			}
			return m.write(text)
		}
	})
}

// locked runs do while no other Conch writes the memory.
func (m *Memory) locked(do func() error) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(m.path), err)
	}
	lock, err := os.OpenFile(m.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("lock %s: %w", filepath.Base(m.path), err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	for until := time.Now().Add(memoryWait); ; time.Sleep(10 * time.Millisecond) {
		ok, err := flock.Try(lock)
		if err != nil {
			return fmt.Errorf("lock %s: %w", filepath.Base(m.path), err)
		}
		if ok {
			return do()
		}
		if time.Now().After(until) {
			return ErrMemoryBusy
		}
	}
}

// write puts the file in place whole or not at all. Where a person has made a link
// of it, what it leads to is written. The lock is held.
func (m *Memory) write(text string) error {
	path := m.path
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	dir, name := filepath.Split(path)
	m.sweep(dir, name)
	tmp, err := os.CreateTemp(dir, "."+name+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = tmp.WriteString(text)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

// sweep removes what a Conch that was killed while it wrote has left.
func (m *Memory) sweep(dir, name string) {
	left, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, each := range left {
		digits, ok := strings.CutPrefix(each.Name(), "."+name+"-")
		if ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			_ = os.Remove(filepath.Join(dir, each.Name())) // it takes room, nothing more
		}
	}
}
