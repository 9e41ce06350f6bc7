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
	Engines []engine.Engine  // in the order in which they are offered
	Home    string           // CONCH_HOME: a protected place
	Now     func() time.Time // nil: time.Now

	// Protected are further absolute paths that no tool may touch.
	Protected []string

	// Log gets what is for the program's own log: no message text, no keys. nil:
	// nowhere.
	Log func(format string, args ...any)

	// Unattended: nobody can be asked (conch -p). What the mode and Allow do not
	// cover is declined. Allow holds read, edit, bash, fetch.
	Unattended bool
	Allow      []string

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
type Manager struct{}

// New takes over a log; Close closes it.
func New(log *chats.Log, deps Deps) (*Manager, error) { panic("soon") }

// ID is the chat's id.
func (m *Manager) ID() string { panic("soon") }

// Changed has something to read whenever Take has something new. It holds one.
func (m *Manager) Changed() <-chan struct{} { panic("soon") }

// Take gives the events since the last Take and the status now. Live events
// (chats.Event.Live) are merged: between two written events there is at most one
// AssistantDelta a message and channel, and one ToolProgress a step, so what
// waits is bounded by what is on the screen.
//
// Pieces of an answer come live at first and again in a written AssistantDelta,
// within two seconds: it holds all that came live of that message and channel
// since the last written one and takes its place. The written events alone tell
// the whole chat. One may repeat what Tail gave before: its Seq says so.
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
	Waiting   string    // what a silent turn waits for, one sentence
	SilentAt  time.Time // when the turn fell silent, while Waiting is set
	Answering string    // the provider of the running turn; Provider may be the next one
	Queue     []Message
	Cards     []Card // what waits for the person, oldest first
	Commands  []engine.SlashCommand
	Offers    engine.Offers
	Usage     engine.Usage
	UsageAt   time.Time
	LastEnd   *chats.TurnCompleted

	Held    bool   // the queue waits for Release or the next Send
	HeldWhy string // one sentence: why it is held
	Pending string // what the person chose for the next message while a turn runs, one sentence
	Paused  bool   // the last turn stopped at a limit: Continue carries on
	Shells  int    // commands of the person's whose output goes with the next message
	News    int    // finished messages, cards and ends of turns since Seen
	LastSeq int64  // of the newest event in the log, -1 for none
	Trouble string // the log can't be written: one sentence; "" when all is well
	Dropped int    // events that came after the end of their turn, or made no sense
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

// RemoveQueued takes the queued message at index i (0 goes first) out.
func (m *Manager) RemoveQueued(i int) error { panic("soon") }

// EditQueued puts another message in the place of the queued one at index i.
func (m *Manager) EditQueued(i int, msg Message) error { panic("soon") }

// Release sends the queue's first message after a Stop or a failure held it
// back; the others follow as turns end well.
func (m *Manager) Release() error { panic("soon") }

// Continue carries on after a turn that paused at a limit of the provider's: it
// sends a short message of the app's own. Without a pause it is an error.
func (m *Manager) Continue() error { panic("soon") }

// Seen sets Status.News back to nothing: the person looks at the chat now.
func (m *Manager) Seen() { panic("soon") }

// SetProvider, SetModel, SetEffort, SetMode and SetNativeMode take effect with
// the next message; only a stricter mode also holds for the turn that runs. They
// are written to the log, in a chat without a message together with the first.
// Model, effort and native mode belong to the provider of now. SetMode takes a
// native mode back. Before SetNativeMode with a mode that asks for nothing
// (engine.Choice.AsksNothing) the caller asks the person.
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
// With Offered it goes to the provider with the next message, once.
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

// Healed lists the sessions that were gone and told again while this Manager
// was open, oldest first.
func (m *Manager) Healed() []Healed { panic("soon") }

// Healed is a provider's session that was gone: the chat was told again and went
// on.
type Healed struct {
	Provider string
	At       time.Time
	Message  string // as the chat's notice says it
}

// Forget removes what the engines themselves keep of a chat's sessions. It is
// called when a chat is deleted for good.
func Forget(ctx context.Context, engines []engine.Engine, sessions map[string]chats.SessionRecord) error {
	panic("soon")
}

// Snapshot is Tail with what is not yet in the log, and Take begins anew after
// it: the two together show a chat whole, without a piece missing or twice, also
// in the middle of a turn.
func (m *Manager) Snapshot(maxBytes int64) ([]chats.Event, bool, error) { panic("soon") }

// Tail and Before read the chat's own log; see chats.Log. In the middle of a
// turn use Snapshot to begin a view.
func (m *Manager) Tail(maxBytes int64) ([]chats.Event, bool, error) { panic("soon") }
func (m *Manager) Before(seq, maxBytes int64) ([]chats.Event, bool, error) {
	panic("soon")
}

// Wait blocks until no turn runs.
func (m *Manager) Wait(ctx context.Context) error { panic("soon") }

// Close stops the turn, lets the providers' processes of this chat go, and
// closes the log.
func (m *Manager) Close() error { panic("soon") }
