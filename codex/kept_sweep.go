package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const unusedFor = 30 * 24 * time.Hour

// sweepKept removes threads that nobody has used for 30 days, and what is only half
// there. Files of another form are nobody's here, and stay.
func (s *stores) sweepKept() error {
	if _, err := os.Lstat(s.kept); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := privateDir(s.kept)
	if err == nil {
		err = s.alone(s.sweepThreads)
	}
	if err != nil {
		return fmt.Errorf("sweep codex's threads: %w", err)
	}
	return nil
}

func (s *stores) sweepThreads() error {
	entries, err := os.ReadDir(s.kept)
	if err != nil {
		return err
	}
	used := map[string][]time.Time{} // of each file of a thread
	for _, e := range entries {
		thread, ok := threadOf(e.Name(), sideSuffix)
		if !ok {
			thread, ok = threadOf(e.Name(), linesSuffix)
		}
		info, err := e.Info()
		if !ok || err != nil {
			continue
		}
		if !info.Mode().IsRegular() {
			_ = os.Remove(filepath.Join(s.kept, e.Name())) // a link or a pipe is no thread of ours
			continue
		}
		used[thread] = append(used[thread], info.ModTime())
	}
	var failed []error
	for thread, times := range used {
		last := times[0]
		for _, t := range times {
			if t.After(last) {
				last = t
			}
		}
		if len(times) < 2 || s.now().Sub(last) > unusedFor {
			failed = append(failed, s.forget(thread))
		}
	}
	return errors.Join(failed...)
}
