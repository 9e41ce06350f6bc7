package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// home is the Codex home of one life of the program: its config, the person's
// sign-in while it runs, and the threads that were put into it.
type home struct {
	s         *stores
	path      string // without links, as Codex names it
	lockPath  string
	lock      *os.File
	protected []string

	mu     sync.Mutex
	signIn *borrowed // nil: there was none
}

// homeConfig is what a run home's config is made of.
type homeConfig struct {
	Protected []string // nothing below them can be reached by a command
	Person    person
}

const (
	lockSuffix = ".lock"
	maxNames   = 100
)

// homeName reports the name of a run home, run-<16 hex>. It lies in the runtime
// folder, with its lock file beside it.
func homeName(name string) bool {
	id, ok := strings.CutPrefix(name, "run-")
	return ok && isHex(id, 16)
}

// newHome makes the home of a program that is about to start. Its lock tells every
// Conch that it is in use, and goes with this process, however that ends.
func (s *stores) newHome(cfg homeConfig) (h *home, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make a home for codex: %w", err)
		}
	}()
	if err := privateDir(s.running); err != nil {
		return nil, err
	}
	// Codex names its files without links, and so must we to know them again.
	running, err := filepath.EvalSymlinks(s.running)
	if err != nil {
		return nil, err
	}
	h = &home{s: s, protected: slices.Clone(cfg.Protected)}
	if err := h.claim(running); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
			h = nil
		}
	}()
	s.at("claimed")
	if err := os.Mkdir(h.path, 0o700); err != nil {
		return nil, err
	}
	text, err := configText(cfg)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(h.path, "config.toml"), text, 0o600); err != nil {
		return nil, err
	}
	s.at("configured")
	return h, h.lend()
}

// claim takes a name that no other has, and its lock.
func (h *home) claim(running string) error {
	for range maxNames {
		h.path = filepath.Join(running, "run-"+randomHex(8))
		h.lockPath = h.path + lockSuffix
		f, err := hold(h.lockPath, os.O_CREATE|os.O_EXCL)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if f != nil { // else a sweep was between the file and its lock
			h.lock = f
			return nil
		}
	}
	return errors.New("no name for it is free")
}

func (h *home) dir() string { return h.path }

// covers reports that the home's config protects all of these places.
func (h *home) covers(places []string) bool {
	for _, p := range places {
		if !slices.Contains(h.protected, p) {
			return false
		}
	}
	return true
}

// close gives a refreshed sign-in back and takes the home away. What cannot be taken
// away now the next sweep takes; the sign-in goes first.
func (h *home) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var back error
	if h.signIn != nil {
		back = h.signIn.giveBack(h.lock)
	}
	err := takeAway(h.path)
	if h.lock != nil {
		if err == nil {
			err = letGo(h.lock, h.lockPath)
		} else {
			// The lock file stays beside what is left, for the sweep to find.
			err = errors.Join(err, h.lock.Close())
		}
		h.lock = nil
	}
	return errors.Join(back, err)
}

// takeAway removes a run home, the sign-in before all else.
func takeAway(path string) error {
	err := gone(os.Remove(filepath.Join(path, signInFile)))
	if removing := os.RemoveAll(path); removing != nil {
		// A folder that its maker shut lets nothing out.
		_ = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(at, 0o700)
			}
			return nil
		})
		if removing = os.RemoveAll(path); removing != nil {
			return fmt.Errorf("take away codex's home: %w", errors.Join(err, removing))
		}
	}
	return nil
}

// sweepHomes takes away the homes whose Conch is gone, however it ended. A sign-in
// that Codex had refreshed there goes back first: the one it came from may be worth
// nothing any more.
func (s *stores) sweepHomes() error {
	if err := noLink(s.running); err != nil {
		return fmt.Errorf("sweep codex's homes: %w", err)
	}
	entries, err := os.ReadDir(s.running)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep codex's homes: %w", err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), lockSuffix); homeName(name) {
			names[name] = true
		}
	}
	var failed []error
	for name := range names {
		if err := s.sweepHome(filepath.Join(s.running, name)); err != nil {
			failed = append(failed, fmt.Errorf("sweep codex's homes: %w", err))
		}
	}
	return errors.Join(failed...)
}

func (s *stores) sweepHome(path string) error {
	// Where the lock file is gone and the home is not, it is made anew: nobody
	// holds it, and a home without one is in nobody's use.
	f, err := hold(path+lockSuffix, os.O_CREATE)
	if f == nil {
		return err
	}
	var back error
	if lent := lentTo(path, f); lent != nil {
		back = errors.Join(gone(os.Remove(lent.temp())), lent.giveBack(f))
	}
	if err := takeAway(path); err != nil {
		return errors.Join(back, err, f.Close())
	}
	return errors.Join(back, letGo(f, path+lockSuffix))
}
