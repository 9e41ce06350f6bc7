package record

// Log is a run that is open for writing. Its methods may be called from several
// goroutines.
type Log struct{}

// Run is the run's id.
func (l *Log) Run() string { panic("later") }

// State is what is committed: on the disk, and safe to show.
func (l *Log) State() *State { panic("later") }

// Append commits entries together, all or none: they are written, synced, and only
// then part of State, which it gives back. gen is the generation that the caller
// saw. Another writer's line in the file is GenerationStale. After Storage the
// entries may be on the disk or not, and the log takes no more: nothing of them is
// to be sent, and the next start reads what is there.
func (l *Log) Append(gen int64, entries ...Entry) (*State, error) { panic("later") }

// Cards are the permissions that wait. A PermissionDecided is appended only when
// it answers one of them.
func (l *Log) Cards() *Cards { panic("later") }

// Close closes the file; the lease stays.
func (l *Log) Close() error { panic("later") }
