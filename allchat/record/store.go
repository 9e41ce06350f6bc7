package record

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Store is the folder of all runs. Its methods may be called from several
// goroutines and several processes.
type Store struct {
	dir   string
	now   func() time.Time
	newID func(time.Time) (string, error)
	fault func(step) error // tests' own: where a process is killed
}

// Open gives the store below home (CONCH_HOME), an absolute path. Its folder is
// made when it is first written to. now is the clock; nil is time.Now.
func Open(home string, now func() time.Time) (*Store, error) {
	if !filepath.IsAbs(home) {
		return nil, refuse(StateInvalid, "Conch's home is no whole path")
	}
	if now == nil {
		now = time.Now
	}
	return &Store{
		dir:   filepath.Join(home, "runs"),
		now:   now,
		newID: runIDs(),
		fault: func(step) error { return nil },
	}, nil
}

// runIDs gives ids that sort in the order in which they were made, also within a
// millisecond.
func runIDs() func(time.Time) (string, error) {
	var mu sync.Mutex
	entropy := ulid.Monotonic(rand.Reader, 0)
	return func(at time.Time) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		id, err := ulid.New(ulid.Timestamp(at), entropy)
		if errors.Is(err, ulid.ErrMonotonicOverflow) { // the last one of its millisecond
			id, err = ulid.New(ulid.Timestamp(at), rand.Reader)
		}
		return id.String(), err
	}
}

// View is a run as it can be read by anybody.
type View struct {
	Run     string
	Project string // "" where the log's first line can't be read
	State   *State // up to the last good event
	// Problem is nil for a good log; else it has the code Damaged or FutureVersion,
	// or Storage for one that can't be read. Such a run is never written to.
	Problem *Error
	Torn    bool // a last line that was never committed follows; the next writer moves it aside
}

// Read reads a run without writing anything. A damaged log is no error: its View
// says so. The error is StateInvalid for what is no run.
func (s *Store) Read(run string) (View, error) {
	r, err := s.read(run)
	return r.View, err
}

func (s *Store) read(run string) (reading, error) {
	run, err := ParseRun(run)
	if err != nil {
		return reading{}, err
	}
	f, err := s.open(run)
	if CodeOf(err) == StateInvalid {
		return reading{}, err
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(f, MaxLog+1))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		problem := storage("read the run", err)
		return reading{View: View{Run: run, State: &State{}, Problem: problem}}, nil
	}
	return read(run, data), nil
}

// open opens a log for reading. A link or a folder in its place is no run.
func (s *Store) open(run string) (*os.File, error) {
	found, err := os.Lstat(s.path(run))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !found.Mode().IsRegular() {
		return nil, refuse(StateInvalid, "no such run")
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(s.path(run))
	if err != nil {
		return nil, err
	}
	// What was opened is what was looked at, and not a link that was put there.
	if now, err := f.Stat(); err != nil || !os.SameFile(found, now) {
		return nil, errors.Join(refuse(StateInvalid, "no such run"), err, f.Close())
	}
	return f, nil
}

// Runs reads every run of a project, the newest first; of all projects with "".
func (s *Store) Runs(project string) ([]View, error) {
	ids, err := s.ids(project)
	if err != nil {
		return nil, err
	}
	var views []View
	for _, id := range ids {
		view, err := s.Read(id)
		if err != nil {
			continue // gone meanwhile, or never a run
		}
		views = append(views, view)
	}
	return views, nil
}

// ids lists the runs of a project, of all projects with "", the newest first.
func (s *Store) ids(project string) ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, storage("list the runs", err)
	}
	var ids []string
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), logSuffix)
		if !ok || runForm(id) != "" || project != "" && s.projectOf(id) != project {
			continue
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids, nil
}

// projectOf reads the project of a run out of its first line, "" where that can't
// be done.
func (s *Store) projectOf(run string) string {
	f, err := s.open(run)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // it was only read
	first := make([]byte, maxHeader)
	n, err := f.ReadAt(first, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	line, _, ok := strings.Cut(string(first[:n]), "\n")
	if !ok {
		return ""
	}
	h, _ := decodeHeader([]byte(line))
	return h.Project
}

// Remove deletes a run's log and what was kept aside of it. It is refused with
// LeaseHeld while a process holds the project.
func (s *Store) Remove(run string) error {
	run, err := ParseRun(run)
	if err != nil {
		return err
	}
	f, err := s.open(run)
	switch {
	case CodeOf(err) == StateInvalid:
		return err
	case err != nil:
		return storage("remove the run", err)
	}
	if err := f.Close(); err != nil {
		return storage("remove the run", err)
	}
	// Where the project can't be read there is no lease to ask, and no writer:
	// such a run can't be opened.
	if project := s.projectOf(run); project != "" {
		lease, err := s.Lease(project)
		if err != nil {
			return err
		}
		defer lease.Close() //nolint:errcheck // nothing was written through it
	}
	if err := os.Remove(s.tornPath(run)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storage("remove the run", err)
	}
	if err := os.Remove(s.path(run)); err != nil {
		return storage("remove the run", err)
	}
	if err := syncDir(s.dir); err != nil {
		return storage("remove the run", err)
	}
	return nil
}
