package record

import "time"

// Store is the folder of all runs. Its methods may be called from several
// goroutines and several processes.
type Store struct {
	dir string
	now func() time.Time
}

// Open gives the store below home (CONCH_HOME), an absolute path. Its folder is
// made when it is first written to. now is the clock; nil is time.Now.
func Open(home string, now func() time.Time) (*Store, error) { panic("later") }

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
func (s *Store) Read(run string) (View, error) { panic("later") }

// Runs reads every run of a project, the newest first; of all projects with "".
func (s *Store) Runs(project string) ([]View, error) { panic("later") }

// Remove deletes a run's log and what was kept aside of it. It is refused with
// LeaseHeld while a process holds the project.
func (s *Store) Remove(run string) error { panic("later") }

// Lease is the right to write runs of one project, of one process at a time. It is
// held until Close, or until the process ends in whatever way.
type Lease struct{}

// Lease takes a project, or is refused with LeaseHeld.
func (s *Store) Lease(project string) (*Lease, error) { panic("later") }

// Create begins a run: its log has RunStarted when it returns. start's Project is
// the lease's. One run is open of a lease at a time.
func (l *Lease) Create(start RunStarted) (*Log, error) { panic("later") }

// Open opens a run for writing. A torn last line is moved to <run>.torn. A run in
// which a turn or a task is open becomes interrupted. A log that can't be written
// to is refused with Damaged or FutureVersion, and can be looked at with Read.
func (l *Lease) Open(run string) (*Log, error) { panic("later") }

// Close lets the project go, and closes the run that is open.
func (l *Lease) Close() error { panic("later") }
