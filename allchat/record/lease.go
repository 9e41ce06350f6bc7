package record

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"conch/flock"
)

// Lease is the right to write runs of one project, of one process at a time. It is
// held until Close, or until the process ends in whatever way.
type Lease struct {
	store   *Store
	project string

	mu   sync.Mutex
	file *os.File // locked; nil when the lease was closed
	log  *Log     // the run that was opened last
}

// Lease takes a project, or is refused with LeaseHeld.
func (s *Store) Lease(project string) (*Lease, error) {
	if what := projectForm(project); what != "" {
		return nil, &Error{Code: StateInvalid, Field: "project", What: what}
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, storage("make the folder of the runs", err)
	}
	f, err := os.OpenFile(filepath.Join(s.dir, project+leaseSuffix), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, storage("lock the project", err)
	}
	locked, err := flock.Try(f)
	if err == nil && locked {
		return &Lease{store: s, project: project, file: f}, nil
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, storage("lock the project", err)
	}
	return nil, refuse(LeaseHeld, "another conch writes runs of this project")
}

// Create begins a run: its log has RunStarted when it returns. start's Project is
// the lease's. One run is open of a lease at a time.
func (l *Lease) Create(start RunStarted) (*Log, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.free(); err != nil {
		return nil, err
	}
	if start.Project != l.project {
		return nil, refuse(StateInvalid, "the run is of another project")
	}
	kept, err := l.store.ids(l.project)
	if err != nil {
		return nil, err
	}
	if len(kept) >= MaxRuns {
		return nil, refuse(Limit, "the project has as many runs as are kept: one is to be removed first")
	}
	run, err := l.store.newRun()
	if err != nil {
		return nil, err
	}
	log, err := l.begin(run, start)
	if err != nil {
		return nil, err
	}
	l.log = log
	return log, nil
}

// newRun makes an id that no run ever had whose file is still there, in whatever
// state that is.
func (s *Store) newRun() (string, error) {
	for range 8 {
		id, err := s.newID(s.now())
		if err != nil {
			return "", storage("make a run's id", err)
		}
		if !there(s.path(id)) && !there(s.tornPath(id)) {
			return id, nil
		}
	}
	return "", refuse(Conflict, "the run's id is taken")
}

// begin writes the log of a new run beside its place, and puts it there when it is
// whole.
func (l *Lease) begin(run string, start RunStarted) (*Log, error) {
	s := l.store
	entry := Entry{By: Conch, Body: start}
	state, err := new(State).grow(0, 1, func(now *State, _ int) Event { return now.place(entry, s.now().UnixMilli()) })
	if err != nil {
		return nil, err
	}
	first, err := header{Run: run, Project: l.project}.encode()
	if err != nil {
		return nil, err
	}
	lines, err := chain(Digest(first), state.Events)
	if err != nil {
		return nil, err
	}
	whole := append(append(first, '\n'), lines.data...)
	beside := filepath.Join(s.dir, l.project+newSuffix)
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, storage("begin the run", err)
	}
	err = errors.Join(s.put(f, whole), f.Close())
	if err == nil {
		err = errors.Join(os.Rename(beside, s.path(run)), syncDir(s.dir))
	}
	if err != nil {
		return nil, storage("begin the run", err)
	}
	return s.writer(run, state, int64(len(whole)), lines)
}

// Open opens a run for writing. A torn last line is moved to <run>.torn. A run in
// which a turn or a task is open becomes interrupted. A log that can't be written
// to is refused with Damaged or FutureVersion, and can be looked at with Read.
func (l *Lease) Open(run string) (*Log, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.free(); err != nil {
		return nil, err
	}
	r, err := l.store.read(run)
	switch {
	case err != nil:
		return nil, err
	case r.Problem != nil:
		return nil, r.Problem
	case r.Project != l.project:
		return nil, refuse(StateInvalid, "the run is of another project")
	}
	if r.Torn {
		if err := l.store.setAside(r.Run, r.size); err != nil {
			return nil, err
		}
	}
	log, err := l.store.writer(r.Run, r.State, r.size, chained{last: r.last, line: r.line})
	if err != nil {
		return nil, err
	}
	if s := r.State; s.End == "" && !s.Interrupted && (s.TurnOpen || s.open() > 0) {
		if _, err := log.Append(s.Gen(), Entry{By: Conch, Body: RunInterrupted{}}); err != nil {
			return nil, errors.Join(err, log.Close())
		}
	}
	l.log = log
	return log, nil
}

// setAside moves what lies behind the committed bytes of a log out of it. Should
// it be killed in between, the next one keeps them twice.
func (s *Store) setAside(run string, size int64) error {
	f, err := os.OpenFile(s.path(run), os.O_RDWR, 0)
	if err != nil {
		return storage("open the run", err)
	}
	err = moveEnd(f, size, s.tornPath(run))
	if err := errors.Join(err, f.Close()); err != nil {
		return storage("set a torn line aside", err)
	}
	if err := syncDir(s.dir); err != nil {
		return storage("set a torn line aside", err)
	}
	return nil
}

func moveEnd(f *os.File, size int64, to string) error {
	aside, err := os.OpenFile(to, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(aside, io.NewSectionReader(f, size, MaxLog))
	if err == nil {
		_, err = aside.Write(lineFeed)
	}
	if err := errors.Join(err, aside.Sync(), aside.Close()); err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync())
}

// free says why no run can be opened.
func (l *Lease) free() error {
	switch {
	case l.file == nil:
		return refuse(StateInvalid, "the lease was closed")
	case l.log != nil && !l.log.isClosed():
		return refuse(StateInvalid, "a run of this project is open")
	}
	return nil
}

// Close lets the project go, and closes the run that is open.
func (l *Lease) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	var closing error
	if l.log != nil {
		closing = l.log.Close()
	}
	err := errors.Join(closing, l.file.Close())
	l.file = nil
	if err != nil {
		return storage("close the runs", err)
	}
	return nil
}
