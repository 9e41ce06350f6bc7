package record

import (
	"os"
	"sync"
	"sync/atomic"
)

// Log is a run that is open for writing. Its methods may be called from several
// goroutines.
type Log struct {
	store *Store
	run   string
	cards *Cards
	state atomic.Pointer[State] // so that nobody who looks waits for the disk

	mu     sync.Mutex
	f      *os.File
	size   int64  // bytes of the file
	last   string // digest of the last line
	line   int64  // and its length, with the line feed
	broken error  // what a write came to; nothing is written after it
	closed bool
}

// writer opens the file of a run that is on the disk. end is what its last line is.
func (s *Store) writer(run string, state *State, size int64, end chained) (*Log, error) {
	f, err := os.OpenFile(s.path(run), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, storage("open the run", err)
	}
	l := &Log{store: s, run: run, f: f, size: size, last: end.last, line: end.line}
	l.state.Store(state)
	l.cards = newCards(run, l.State)
	return l, nil
}

// Run is the run's id.
func (l *Log) Run() string { return l.run }

// State is what is committed: on the disk, and safe to show.
func (l *Log) State() *State { return l.state.Load() }

// Cards are the permissions that wait. A PermissionDecided is appended only when
// it answers one of them.
func (l *Log) Cards() *Cards { return l.cards }

// Append commits entries together, all or none: they are written, synced, and only
// then part of State, which it gives back. gen is the generation that the caller
// saw. Another writer's line in the file is GenerationStale. After Storage the
// entries may be on the disk or not, and the log takes no more: nothing of them is
// to be sent, and the next start reads what is there. That may be the first ones
// alone, but never an answer without the end of its turn.
func (l *Log) Append(gen int64, entries ...Entry) (*State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.writable(); err != nil {
		return nil, err
	}
	old, at := l.State(), l.store.now().UnixMilli()
	state, err := old.grow(gen, len(entries), func(now *State, i int) Event { return now.place(entries[i], at) })
	if err != nil {
		return nil, err
	}
	events := state.Events[old.Gen():]
	if err := l.cards.answered(events); err != nil {
		return nil, err
	}
	if err := l.write(events); err != nil {
		return nil, err
	}
	l.state.Store(state)
	l.cards.settle()
	return state, nil
}

// writable says why nothing can be appended.
func (l *Log) writable() error {
	switch {
	case l.closed:
		return refuse(StateInvalid, "the run was closed")
	case l.broken != nil:
		return &Error{Code: StateInvalid, What: "the run is to be opened again", Err: l.broken}
	}
	return nil
}

// write brings events onto the disk.
func (l *Log) write(events []Event) error {
	if len(events) == 0 {
		return nil
	}
	lines, err := chain(l.last, events)
	if err != nil {
		return err
	}
	if l.size+int64(len(lines.data)) > roomFor(events) {
		return refuse(Limit, "the log is full")
	}
	if err := l.unmoved(); err != nil {
		return err
	}
	if err := l.store.put(l.f, lines.data); err != nil {
		l.broken = storage("write the run", err)
		return l.broken
	}
	l.size += int64(len(lines.data))
	l.last, l.line = lines.last, lines.line
	return nil
}

// roomFor is how long a log may be with these events: its end is kept for what the
// last events are kept for.
func roomFor(events []Event) int64 {
	for _, e := range events {
		if room(e.Kind()) == MaxEvents-KeptEvents {
			return MaxLog - KeptLog
		}
	}
	return MaxLog
}

// unmoved checks that the file is as this process left it, by its length and its
// last line.
func (l *Log) unmoved() error {
	moved := func(err error) error {
		return &Error{Code: GenerationStale, What: "another one wrote to the run", Err: err}
	}
	info, err := l.f.Stat()
	if err != nil {
		return storage("look at the run", err)
	}
	named, err := os.Lstat(l.store.path(l.run))
	if err != nil || !os.SameFile(info, named) || info.Size() != l.size {
		return moved(nil)
	}
	line := make([]byte, l.line)
	if _, err := l.f.ReadAt(line, l.size-l.line); err != nil {
		return storage("read the end of the run", err)
	}
	if end := l.line - 1; line[end] != '\n' || Digest(line[:end]) != l.last {
		return moved(nil)
	}
	return nil
}

// step is a place at which a process may end while it writes.
type step string

const (
	beforeWrite step = "before the write"
	afterWrite  step = "after the write"
	afterSync   step = "after the sync"
)

// put writes bytes and brings them onto the disk.
func (s *Store) put(f *os.File, data []byte) error {
	if err := s.fault(beforeWrite); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := s.fault(afterWrite); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return s.fault(afterSync)
}

// chained are lines of a log that follow each other.
type chained struct {
	data []byte
	last string // digest of the last one
	line int64  // and its length, with the line feed
}

// chain makes the lines of events behind a line of this digest.
func chain(prev string, events []Event) (chained, error) {
	c := chained{last: prev}
	for _, e := range events {
		from := len(c.data)
		data, err := appendLine(c.data, c.last, e)
		if err != nil {
			return chained{}, err
		}
		c.last = Digest(data[from:])
		c.data = append(data, '\n')
		c.line = int64(len(c.data) - from)
	}
	return c, nil
}

func (l *Log) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// Close closes the file; the lease stays.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if err := l.f.Close(); err != nil {
		return storage("close the run", err)
	}
	return nil
}
