// Package engine is the contract that every provider meets, and nothing else.
//
// An Engine carries one provider's side of many chats. A turn goes in as a
// TurnInput, comes out as Events through a Sink, and ends with exactly one
// Result, whatever happens. No engine knows the screen, the log of a chat or
// another engine; nothing here starts a process or opens a file.
package engine

import "context"

// Info names an engine. Both words are fixed for its life.
type Info struct {
	ID   string // what a person types: "claude-code", "codex"
	Name string // what a person reads: "Claude Code"
}

// Engine is one provider. Its methods may be called from several goroutines;
// turns of different conversations run side by side, of one conversation one
// after the other.
type Engine interface {
	Info() Info

	// Health says whether the provider can be used now and what to do when not.
	// It never starts a turn and may be remembered for up to 20 seconds.
	Health(ctx context.Context) Health

	// Turn blocks until the turn is over. Cancelling ctx is Stop: the turn then
	// ends as interrupted within 3 seconds. Events reach the sink in order and
	// none comes after Turn has returned.
	Turn(ctx context.Context, in TurnInput, sink Sink) Result

	// Release lets go of what is kept warm for a conversation, and waits until
	// it is gone. The session itself stays; a later turn opens it again.
	Release(conversationID string)

	// ForgetSession removes what this engine itself keeps of a session. An id
	// that does not parse is ignored and never becomes a path.
	ForgetSession(ctx context.Context, resumeID string) error

	// Close ends everything the engine started and waits until it is gone.
	Close() error
}

// Opener is an ability: an engine that can open a conversation's session before
// its first message, so that commands, models and modes are known. What is
// learned arrives at the sink as Commands, Options and Session events.
type Opener interface {
	Open(ctx context.Context, in TurnInput, sink Sink) error
}

// Steerer is an ability: an engine that can put words into a running turn. ok is
// false when none runs or it did not take them; they then go as a message of
// their own.
type Steerer interface {
	Steer(ctx context.Context, conversationID, text string) (ok bool)
}

// Cautioner is an ability: an engine that can bring a running turn back into the
// mode in which the provider asks before it acts. ok is false when it could not be
// done; the turn is then stopped.
type Cautioner interface {
	AskAgain(ctx context.Context, conversationID string) (ok bool)
}

// Handless is an ability: an engine whose model has no tools of its own for files,
// commands and the web. It alone is offered Conch's.
type Handless interface {
	Handless() bool
}

// NotesReader is an ability: an engine whose program may read the AGENTS.md of its
// folder by itself. It is then not told of it again.
type NotesReader interface {
	ReadsNotes() bool
}

// Local is an ability: an engine whose model may run on the person's own machine,
// where a token costs nothing and takes longer.
type Local interface {
	Local() bool
}

// Elusive is an ability: an engine for a server that nobody configured, which is
// offered only while it answers. While its Health says NotFound, no list names it.
type Elusive interface {
	Elusive() bool
}

// Formed is an ability: an engine that wants Conch's instructions in another form
// than the whole for a model. It is asked anew before each turn.
type Formed interface {
	Form(ctx context.Context, o Options) Form
}

// Form is how much the instructions say, by what a model can take.
type Form string

// The forms of the instructions.
const (
	FormWhole     Form = ""           // for a model with tools
	FormCompact   Form = "compact"    // lean mode: small or local models
	FormWordsOnly Form = "words-only" // for a model without tools
)

// SignIner is an ability: an engine whose program offers a sign-in in the
// terminal. The command is run for the person, on their terminal, never with a
// shell. ok is false when the program offers none now.
type SignIner interface {
	SignIn(ctx context.Context) (cmd Command, ok bool)
}

// SessionNamer is an ability: an engine whose program keeps its sessions among
// the chats of its own app, where Conch would find them again as past chats.
type SessionNamer interface {
	// AppSession takes from a resume id what only the engine put there, and gives
	// the session's id in the program's own form; "" for an id that is none.
	AppSession(resumeID string) string
}

// Command is a program with fixed arguments, as it will be started.
type Command struct {
	Args []string // Args[0] is the program
	Env  []string // KEY=value, whole; nil means Conch's own
	Dir  string
}

// TurnInput is one message on its way to a provider.
type TurnInput struct {
	ConversationID string
	Seq            int64  // the log's last seq before the new message
	Prompt         string // the handoff of what was missed, if any, then the message
	ResumeID       string // what the last Session event of this engine said, or ""

	// FreshPrompt gives the whole conversation in its restart framing and then
	// the message, for a session that could not be carried on. It is only
	// called when needed.
	FreshPrompt func() string

	SystemAppend   string // Conch's instructions; "" for none
	Cwd            string // absolute
	Tools          []Tool
	Options        Options
	Attachments    []Attachment
	ProtectedPaths []string // absolute; no tool may touch anything in them

	// ReadOnly: nothing in Cwd is to be written. A provider whose own tools can be held
	// to reading is held to it, and one without tools of its own is offered none that
	// write. The others ask for each call all the same.
	ReadOnly bool

	// Hurry is closed when the next message of the conversation waits. A turn
	// whose provider has answered is then over at once, without waiting for
	// late pieces. nil: nothing waits.
	Hurry <-chan struct{}
}

// Options is what the person chose for a turn. "" is the provider's default.
type Options struct {
	Model  string
	Effort string
	Mode   Mode
	// NativeMode is one of the provider's own modes, set only after the person
	// chose it by name. "" leaves the provider in its asking mode.
	NativeMode string
}

// Attachment is a picture or a file that goes with a message.
type Attachment struct {
	Name string // the file's base name, for the log
	Path string // absolute; "" when it came from the clipboard
	MIME string
	Data []byte // contents of an image or a small text; nil: a link to Path
}

// Outcome says how a turn ended.
type Outcome string

const (
	Success     Outcome = "success"
	Interrupted Outcome = "interrupted"
	Failed      Outcome = "error"
)

// Result is the one end of a turn.
type Result struct {
	Outcome Outcome
	Usage   Usage
	Model   string  // the model that answered, as far as it is known
	Error   string  // one plain sentence, redacted; "" unless Outcome is Failed
	Detail  string  // what the program said last (stderr tail), redacted, on demand only
	Problem Problem // why, when it is one the person can act on
	Next    string  // the one next step, for after the arrow; "" when there is none
	SignIn  bool    // with SignedOut: a SignIner offers its sign-in in the terminal
	Paused  bool    // the provider stopped at a limit of its own; Carry on continues
	// Accepted says that the provider took the prompt in, so that what it was
	// handed counts as seen.
	Accepted bool
	// Breach says what the program did in this turn, or since the last one, that its
	// protocol has no room for, in a few words; "" for nothing. A chat goes on all the
	// same.
	Breach string
}

// Problem is a failure that has a known next step.
type Problem string

const (
	NoProblem   Problem = ""
	SignedOut   Problem = "signed-out"
	Limit       Problem = "limit"
	Unavailable Problem = "unavailable"
	TooLong     Problem = "too-long"
)

// State is what Health found.
type State string

const (
	Ready      State = "ready"
	NeedSignIn State = "sign-in"
	NotFound   State = "not-installed"
	TooOld     State = "too-old"
	Broken     State = "broken"
	Unknown    State = "unknown" // installed; whether it is signed in is not known yet
)

// TakesImages is the capability of a provider that takes pictures.
const TakesImages = "images"

// Health is what is known of a provider without a turn.
type Health struct {
	State        State
	Found        string // where the program is; "" when it is not
	Version      string
	Problem      string   // one sentence; "" when Ready
	Next         string   // one command or step
	Capabilities []string // as negotiated in this process, in plain words
	// Unheard counts messages of kinds that were ignored, by kind.
	Unheard map[string]int
}
