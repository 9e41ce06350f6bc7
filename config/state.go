package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"conch/flock"
)

// StateName is the file of what is neither configuration nor derived.
const StateName = "state.json"

// State is what the person answered once and is not asked again.
type State struct {
	PastNotNow bool     `json:"pastNotNow,omitempty"` // the offer to bring past chats in was put off
	PastApps   []string `json:"pastApps,omitempty"`   // apps that past chats were brought from
	// Month is counted only where config.toml gives the month a budget.
	Month *Month `json:"month,omitempty"`
}

// Month is what was used in a calendar month, in the person's own time.
type Month struct {
	Name   string `json:"name"`   // "2026-09"
	Tokens int64  `json:"tokens"` // those that were not read from a cache
}

// StateFile is state.json in a home. Its methods may be called from several
// goroutines.
type StateFile struct {
	home string
	mu   sync.Mutex
}

// OpenState names the file; nothing is read or made.
func OpenState(home string) *StateFile { return &StateFile{home: home} }

// maxState bounds the file, in bytes.
const maxState = 1 << 20

// Load reads the state. None, or one that cannot be read as JSON, is an empty
// one: the person is asked again.
func (f *StateFile) Load() (State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, _, err := f.read()
	return s, err
}

// read also gives all that the file holds, so that what a newer version wrote
// stays.
func (f *StateFile) read() (State, map[string]json.RawMessage, error) {
	var s State
	all := map[string]json.RawMessage{}
	path := filepath.Join(f.home, StateName)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, all, nil
	}
	if err != nil {
		return s, all, fmt.Errorf("read %s: %w", path, err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxState {
		return s, all, fmt.Errorf("read %s: it is no small file", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return s, all, fmt.Errorf("read %s: %w", path, err)
	}
	if json.Unmarshal(data, &all) != nil || all == nil || json.Unmarshal(data, &s) != nil {
		return State{}, map[string]json.RawMessage{}, nil
	}
	return s, all, nil
}

// Change reads the state, lets change have its way and keeps it; another conch
// that does so too waits its turn. What it does not know in the file stays as it
// was.
func (f *StateFile) Change(change func(*State)) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	s, all, err := f.read()
	if err != nil {
		return err
	}
	change(&s)
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("keep %s: %w", StateName, err)
	}
	known := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &known); err != nil {
		return fmt.Errorf("keep %s: %w", StateName, err)
	}
	for _, name := range []string{"pastNotNow", "pastApps", "month"} {
		delete(all, name)
	}
	for name, v := range known {
		all[name] = v
	}
	data, err = json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("keep %s: %w", StateName, err)
	}
	return replace(filepath.Join(f.home, StateName), append(data, '\n'))
}

// Another conch holds the lock for the time of a small write. One that does not
// let go is not waited for: an answer that is given at the same moment is rarer
// than a process that was suspended.
const (
	lockTime = 2 * time.Second
	lockPoll = 10 * time.Millisecond
)

// lock waits until no other conch changes the state. It lies on a file of its own,
// for the state's is replaced.
func (f *StateFile) lock() (unlock func() error, err error) {
	if err := os.MkdirAll(f.home, 0o700); err != nil {
		return nil, fmt.Errorf("write %s: %w", StateName, err)
	}
	path := filepath.Join(f.home, StateName+".lock")
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		_ = os.Remove(path) // a pipe or a link is no lock of ours; else opening says it
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", StateName, err)
	}
	for end := time.Now().Add(lockTime); ; time.Sleep(lockPoll) {
		ok, err := flock.Try(file)
		if ok || err != nil || time.Now().After(end) { // where locks do not work it goes as it did without
			return file.Close, nil
		}
	}
}

// replace writes a file whole or not at all.
func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}
