// Package conversation carries one chat on: a message from send to done, the
// provider that answers next, what it is told of what it missed, modes and
// permissions, the queue, Stop.
//
// A Manager owns one chat's log and one running turn. It never draws and starts
// no process; it knows engines by their contract only.
package conversation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/redact"
	"conch/tools"
)

// Errors that callers act on.
var (
	ErrReadOnly = errors.New("another conch is writing this chat: here it can only be read")
	ErrClosed   = errors.New("the chat is closed")
	ErrNothing  = errors.New("there is nothing to send")
)

// Deps is what a Manager works with.
type Deps struct {
	Engines []engine.Engine  // in the order in which they are offered
	Home    string           // CONCH_HOME: a protected place
	Now     func() time.Time // nil: time.Now

	// Protected are further absolute paths that no tool may touch.
	Protected []string

	// Log gets what is for the program's own log: no message text, no keys. nil:
	// nowhere.
	Log func(format string, args ...any)

	// Keys knows the keys that Conch itself was given, to keep them out of what a
	// provider is told of the chat. nil: none.
	Keys *redact.Redactor

	// Unattended: nobody can be asked (conch -p). What the mode and Allow do not
	// cover is declined. Allow holds read, edit, bash, fetch: read and edit inside
	// the working folder, and none of them in plan mode.
	Unattended bool
	Allow      []string

	// Job: nobody waits for the answer, though somebody may decide what is asked (an
	// eval). The instructions say so, and a turn has the budget of one with nobody there.
	Job bool

	// Tools gives a turn the tools of Conch's own that its provider may call, always
	// the same ones in the same order. nil: none.
	Tools func(t tools.Turn) []engine.Tool

	// Apps connects the person's apps for a turn. ctx is the turn's. nil: there are
	// none.
	Apps func(ctx context.Context, t tools.Turn) AppTools

	// Instructions gives what config.toml and the memory add to what an assistant is
	// told. It is read anew for each turn. nil: nothing.
	Instructions func() Instructions

	// OverMonth reports that the tokens that the person gave the month are used up, and
	// Spent is told what each turn used. nil: nobody counts.
	OverMonth func() bool
	Spent     func(tokens int64)

	// Defaults for a chat that chose nothing. DefaultModel belongs to
	// DefaultProvider alone. Without a DefaultProvider the first engine that is
	// ready answers. DefaultMode is what flag or config say; a chat that is
	// carried on goes on in the stricter of it and its own last mode.
	DefaultProvider string
	DefaultModel    string
	DefaultMode     engine.Mode
}

// Message is what the person sends.
type Message struct {
	Text        string
	Attachments []engine.Attachment
}

// Manager carries one chat on. All methods may be called from any goroutine and
// none blocks on a provider, but for Close and Wait.
//
// Locks are taken in this order: a turn's own, then writing, then mu.
type Manager struct {
	log    journal
	deps   Deps
	folder string

	life context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup // turns and openings

	// writing is held while an event goes into the log and out to the screen, so
	// that both see one order.
	writing sync.Mutex
	late    []chats.Event // what could not be written yet, oldest first

	mu      sync.Mutex // all below
	out     outbox
	status  facts
	chosen  choices
	turn    *turn         // nil: none runs
	idle    chan struct{} // closed while no turn runs
	queue   []Message
	cards   []*card
	shells  []chats.Event           // offered, not handed over yet
	aside   map[int64][]chats.Event // the ones before a clear, by its seq
	moves   int                     // how often the chat's beginning moved
	opening map[string]chan struct{}
	ties    map[string]*tie
	counts  counts
	healed  []Healed
	taints  []string        // where the chat's outside words came from
	refused []effect        // what the person said no to, oldest first
	allowed map[string]bool // what the person allowed for the whole chat, see allowedAs
	handed  struct{ provider, block string }
	await   *await // what is waited for; nil: nothing
	wakes   int    // since the person's last words
	closed  bool

	closing  sync.Once
	closeErr error
}

// journal is the chat's log, as far as it is used here; see chats.Log.
type journal interface {
	ID() string
	ReadOnly() bool
	Append(turn string, body chats.Body) (chats.Event, error)
	Sync() error
	Summary() (chats.Summary, error)
	Tail(maxBytes int64) ([]chats.Event, bool, error)
	Before(seq, maxBytes int64) ([]chats.Event, bool, error)
	Since(seq int64) ([]chats.Event, error)
	LastSeq() int64
	Close() error
}

// tie is what is known of one engine while the Manager is open.
type tie struct {
	used   bool          // it was given a turn or opened: Release on Close
	opened bool          // Open was done, or a turn was
	resume string        // a session newer than the log's record; it has seen nothing
	lost   bool          // and the one before was gone
	late   chan struct{} // a turn that was given up; closed when it ends after all

	commands []engine.SlashCommand
	offers   engine.Offers
	model    string // as reported last
	usage    engine.Usage
	usageAt  time.Time
	limits   []engine.Window
	limitsAt time.Time
}

// New takes over a log; Close closes it.
func New(log *chats.Log, deps Deps) (*Manager, error) {
	if deps.Now == nil {
		deps.Now = time.Now
	}
	sum, err := log.Summary()
	if err != nil {
		return nil, fmt.Errorf("open chat %s: %w", log.ID(), err)
	}
	m := &Manager{
		log: log, deps: deps, folder: sum.Folder,
		idle: make(chan struct{}), opening: map[string]chan struct{}{}, ties: map[string]*tie{},
		out: newOutbox(),
	}
	close(m.idle)
	m.life, m.end = context.WithCancel(context.Background())
	if err := m.restore(sum); err != nil {
		m.end()
		return nil, fmt.Errorf("open chat %s: %w", log.ID(), err)
	}
	return m, nil
}

// ID is the chat's id.
func (m *Manager) ID() string { return m.log.ID() }

// Changed has something to read whenever Take has something new. It holds one.
func (m *Manager) Changed() <-chan struct{} { return m.out.changed }

// Take gives the events since the last Take and the status now. Live events
// (chats.Event.Live) are merged: between two written events there is at most one
// AssistantDelta a message and channel, and one ToolProgress a step, so what
// waits is bounded by what is on the screen.
//
// Pieces of an answer come live at first and again in a written AssistantDelta,
// within two seconds: it holds all that came live of that message and channel
// since the last written one and takes its place. The written events alone tell
// the whole chat. One may repeat what Tail gave before: its Seq says so.
func (m *Manager) Take() ([]chats.Event, Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.out.take(), m.statusNow()
}

// Status is how things stand now.
func (m *Manager) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.statusNow()
}

// Wait blocks until no turn runs.
func (m *Manager) Wait(ctx context.Context) error {
	for {
		m.mu.Lock()
		idle, running := m.idle, m.turn != nil
		m.mu.Unlock()
		if !running {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Tail and Before read the chat's own log; see chats.Log. In the middle of a
// turn use Snapshot to begin a view.
func (m *Manager) Tail(maxBytes int64) ([]chats.Event, bool, error) { return m.log.Tail(maxBytes) }

// Before reads what is older than seq.
func (m *Manager) Before(seq, maxBytes int64) ([]chats.Event, bool, error) {
	return m.log.Before(seq, maxBytes)
}

// Snapshot is Tail with what is not yet in the log, and Take begins anew after
// it: the two together show a chat whole, without a piece missing or twice, also
// in the middle of a turn.
func (m *Manager) Snapshot(maxBytes int64) ([]chats.Event, bool, error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.flush()
	events, more, err := m.log.Tail(maxBytes)
	if err != nil {
		return nil, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	events = append(events, m.late...)
	return append(events, m.out.restart()...), more, nil
}

// closeGrace is how long Close waits for a turn that does not let go.
const closeGrace = 10 * time.Second

// Close stops the turn, lets the providers' processes of this chat go, and
// closes the log.
func (m *Manager) Close() error {
	m.closing.Do(func() { m.closeErr = m.close() })
	return m.closeErr
}

func (m *Manager) close() error {
	m.mu.Lock()
	m.closed = true
	t := m.turn
	m.mu.Unlock()
	if t != nil {
		m.stop(t)
	}
	m.stopWaiting("the chat was closed")
	m.end()
	m.work.Wait()

	var letting sync.WaitGroup
	for _, e := range m.usedEngines() {
		letting.Go(func() {
			defer m.caught(e.Info().ID, "release")
			e.Release(m.ID())
		})
	}
	letting.Wait()
	m.awaitLate(closeGrace)

	m.writing.Lock()
	defer m.writing.Unlock()
	m.flush()
	var left error
	if n := len(m.late); n > 0 {
		left = fmt.Errorf("close chat %s: %d events could not be written", m.ID(), n)
	}
	return errors.Join(left, m.log.Sync(), m.log.Close())
}

func (m *Manager) usedEngines() []engine.Engine {
	m.mu.Lock()
	defer m.mu.Unlock()
	var used []engine.Engine
	for _, e := range m.deps.Engines {
		if tie := m.ties[e.Info().ID]; tie != nil && tie.used {
			used = append(used, e)
		}
	}
	return used
}

// awaitLate waits for turns that were given up, now that Release has ended their
// programs.
func (m *Manager) awaitLate(grace time.Duration) {
	var late []chan struct{}
	m.mu.Lock()
	for _, tie := range m.ties {
		if tie.late != nil {
			late = append(late, tie.late)
		}
	}
	m.mu.Unlock()
	if len(late) == 0 {
		return
	}
	limit := time.NewTimer(grace)
	defer limit.Stop()
	for _, done := range late {
		select {
		case <-done:
		case <-limit.C:
			m.logf("chat %s: a turn never ended", m.ID())
			return
		}
	}
}

// caught keeps an engine's panic from taking the program along.
func (m *Manager) caught(who, doing string) {
	if v := recover(); v != nil {
		m.logf("chat %s: %s panicked in %s: %v", m.ID(), who, doing, v)
	}
}

func (m *Manager) logf(format string, args ...any) {
	if m.deps.Log != nil {
		m.deps.Log(format, args...)
	}
}

func (m *Manager) engine(id string) engine.Engine {
	for _, e := range m.deps.Engines {
		if e.Info().ID == id {
			return e
		}
	}
	return nil
}

// tie gives what is known of an engine. mu is held.
func (m *Manager) tie(id string) *tie {
	t := m.ties[id]
	if t == nil {
		t = &tie{}
		m.ties[id] = t
	}
	return t
}
