// Package conversation carries one chat on: a message from send to done, the
// provider that answers next, what it is told of what it missed, modes and
// permissions, the queue, Stop.
//
// A Manager owns one chat's log and one running turn. It never draws and starts
// no process; it knows engines by their contract only.
package conversation

import (
	"context"
	"time"

	"conch/chats"
	"conch/engine"
)

// Deps is what a Manager works with.
type Deps struct {
	Engines []engine.Engine // in the order in which they are offered
	Home    string          // CONCH_HOME: a protected place
	Now     func() time.Time

	// Unattended: nobody can be asked (conch -p). What the mode and Allow do not
	// cover is declined. Allow holds read, edit, bash, fetch.
	Unattended bool
	Allow      []string

	// Defaults for a chat that chose nothing. DefaultModel belongs to
	// DefaultProvider alone.
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
type Manager struct{}

// New takes over a log; Close closes it.
func New(log *chats.Log, deps Deps) (*Manager, error) { panic("soon") }

// ID is the chat's id.
func (m *Manager) ID() string { panic("soon") }

// Changed has something to read whenever Take has something new. It holds one.
func (m *Manager) Changed() <-chan struct{} { panic("soon") }

// Take gives the events since the last Take and the status now. Live events
// (chats.Event.Live) are merged: one AssistantDelta a message and channel, one
// ToolProgress a step, so what waits is bounded by what is on the screen.
func (m *Manager) Take() ([]chats.Event, Status) { panic("soon") }

// Status is how things stand now.
func (m *Manager) Status() Status { panic("soon") }

// Status is a copy; it may be kept.
type Status struct {
	Chat      string
	Title     string
	Folder    string
	ReadOnly  bool // another conch holds the chat
	Provider  string
	Model     string // chosen or reported; "" unknown
	Effort    string
	Mode      engine.Mode
	Native    string // the provider's own mode, as it says
	Running   bool
	Turn      string
	Since     time.Time // the turn's start
	Stopping  bool
	Waiting   string // what a silent turn waits for, one sentence
	Answering string // the provider of the running turn; Provider may be the next one
	Queue     []Message
	Cards     []Card // what waits for the person, oldest first
	Commands  []engine.SlashCommand
	Offers    engine.Offers
	Usage     engine.Usage
	UsageAt   time.Time
	LastEnd   *chats.TurnCompleted
}

// Card is a permission or a question that waits for the person. One of the two
// is set.
type Card struct {
	ID         string
	Permission *engine.Permission
	Question   *engine.Question
	Why        string // why it is asked
	AskedBy    string // the provider's name
	At         time.Time
}

// Send starts a turn with the message, or queues it while one runs.
func (m *Manager) Send(msg Message) error { panic("soon") }

// Stop ends the running turn as interrupted. It sends nothing and empties
// nothing: queued messages wait until the person sends.
func (m *Manager) Stop() { panic("soon") }

// Unqueue takes the last queued message back.
func (m *Manager) Unqueue() (Message, bool) { panic("soon") }

// Release sends the queue's first message after a Stop held it back.
func (m *Manager) Release() error { panic("soon") }

// SetProvider, SetModel, SetEffort, SetMode and SetNativeMode take effect with
// the next message. They are written to the log.
func (m *Manager) SetProvider(id string) error    { panic("soon") }
func (m *Manager) SetModel(id string) error       { panic("soon") }
func (m *Manager) SetEffort(id string) error      { panic("soon") }
func (m *Manager) SetMode(mode engine.Mode) error { panic("soon") }
func (m *Manager) SetNativeMode(id string) error  { panic("soon") }

// Answer decides a permission card with an option that was offered; "" declines
// it (reject_once where offered). An unknown card or option is an error and
// touches nothing.
func (m *Manager) Answer(card, option string) error { panic("soon") }

// AnswerQuestion answers a question card.
func (m *Manager) AnswerQuestion(card string, a engine.Answer) error { panic("soon") }

// SetTitle names the chat.
func (m *Manager) SetTitle(title string) error { panic("soon") }

// AddShell puts a command that the person ran, with its output, into the chat.
func (m *Manager) AddShell(s chats.Shell) error { panic("soon") }

// Open lets the provider open its session ahead of the first message, so that
// its commands, models and modes are known. It returns at once.
func (m *Manager) Open() { panic("soon") }

// Missed says what a provider would be told with the next message.
func (m *Manager) Missed(provider string) Missed { panic("soon") }

// Missed counts what a provider has not seen.
type Missed struct {
	Everything bool // it never took part
	Messages   int
	Steps      int
}

// LastHandoff is the last block that was handed over, and to whom.
func (m *Manager) LastHandoff() (provider, block string) { panic("soon") }

// Tail and Before read the chat's own log; see chats.Log.
func (m *Manager) Tail(maxBytes int64) ([]chats.Event, bool, error) { panic("soon") }
func (m *Manager) Before(seq, maxBytes int64) ([]chats.Event, bool, error) {
	panic("soon")
}

// Wait blocks until no turn runs.
func (m *Manager) Wait(ctx context.Context) error { panic("soon") }

// Close stops the turn, lets the providers' processes of this chat go, and
// closes the log.
func (m *Manager) Close() error { panic("soon") }
