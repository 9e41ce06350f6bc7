package tui

import (
	"context"
	"io"
	"time"

	"conch/allchat"
	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/pastchats"
	"conch/search"
	"conch/tui/clip"
)

// Deps is all that the screen works with. Nothing in it is looked up by the
// screen itself: environment, clock, streams and stores are passed in.
type Deps struct {
	Store *chats.Store

	// New makes a chat for a folder; nothing of it is written before its first
	// message. Open opens one that is there, read-only when another conch holds
	// it. Both may take time and are called off the screen's own goroutine.
	New  func(folder string) (*conversation.Manager, error)
	Open func(id string) (*conversation.Manager, error)

	// Engines, in the order in which they are offered. The demo's id is "demo".
	Engines []engine.Engine

	Options Options
	Start   Start

	Folder string // absolute: where conch was started or -C said
	Home   string // the person's home, shown as ~; "" shows whole paths

	// Shell runs a command line of the person's own ("!"). out gets the output
	// as it comes, cleaned by nobody; it is called from one goroutine at a time.
	// nil: "!" says that it is not there.
	Shell func(ctx context.Context, dir, command string, out func(string)) (exit int, err error)

	// Export writes a chat as Markdown and gives the file's path. The id may be a
	// past chat's.
	Export func(ctx context.Context, id string) (path string, err error)

	// Past finds other apps' chats and brings them in; nil: there are none, and
	// nothing is said of them. It is asked off the screen's own goroutine.
	Past *pastchats.Service

	// Search finds words in all chats; nil: only titles and the like are
	// filtered.
	Search *search.Index

	// Runs are the all-chat runs; nil: there are none, and nothing is said of them.
	Runs *allchat.Runs
	runs runs // Runs as the screen uses them; nil: made of these

	// Carry makes a chat of Conch's own out of a past chat and gives its id.
	// Nothing runs by it. nil: none can be carried on.
	Carry func(ctx context.Context, past string) (chat string, err error)

	others *others // Past and Search as the screen uses them; nil: made of these

	// Memory is what the person let Conch remember; nil: nothing is.
	Memory *Memory

	// Edits takes back what Conch's own tools changed in files; nil: nothing is kept
	// of it.
	Edits *Edits

	// Editor is VISUAL or EDITOR as a program with its arguments; empty when
	// neither is set.
	Editor []string

	// Copier copies text; nil: the system's tools and the terminal.
	Copier *clip.Copier

	// Redact takes keys out of a crash's words before they are printed; nil: the
	// words are only in the report.
	Redact func(string) string

	// History is what was typed before, in every chat. Both may be nil.
	History History

	Input   io.Reader // nil: os.Stdin
	Output  io.Writer // nil: os.Stdout
	Environ []string  // KEY=value; nil: none

	Now     func() time.Time                 // nil: time.Now
	Log     func(format string, args ...any) // log/conch.log: no message text, no keys; nil: nowhere
	Version string
	Called  string // how the person calls this program; "" is conch

	// Drawn is called when the first screen is out, or there will be none: what
	// takes the processor may begin. nil: nobody is told.
	Drawn func()

	// PanicAt panics once at update, view, command, reader or (after the first
	// turn's end, with an agent running) turn
	// (CONCH_TEST_PANIC), for the tests of the terminal's state.
	PanicAt string

	// Report keeps a crash (redacted) and gives the path of the report, "" when
	// it could not be written.
	Report func(Crash) (path string)
}

// History loads and keeps what was typed, oldest first.
type History struct {
	Load func() ([]string, error)
	Add  func(text string) error
}

// Memory reads and changes what is remembered in all chats. All of it is called off
// the screen's own goroutine, and none is nil.
type Memory struct {
	Path   string                       // of the file, shown when there is no editor
	List   func() ([]Remembered, error) // the newest last
	Forget func(id string) error

	// Read gives the whole file. Replace puts text in the place of what Read gave,
	// and fails when the file holds something else by then.
	Read    func() (string, error)
	Replace func(before, text string) error
}

// Remembered is one memory.
type Remembered struct {
	ID, Words string
	At        time.Time // zero when the person wrote it into the file
	Chat      string    // the chat that it was saved in, or ""
}

// Crash is a panic that the screen caught, after the terminal is whole again.
type Crash struct {
	Where string // update, view, command, or the goroutine's name
	Value string // the panic's words, not redacted
	Stack []byte
	Chat  string
}

// Options come from config.toml, flags and the environment, already resolved.
type Options struct {
	Theme  string // auto, light, dark, none; "" is auto
	Motion bool   // false: nothing moves
	Mouse  bool   // capture the mouse from the start
	Notify string // unfocused, always, never; "" is unfocused
	Keys   map[string][]string

	Plain         bool // --plain: lines, for screen readers
	ASCII         bool // signs of ASCII only
	NoColor       bool // NO_COLOR
	ReducedMotion bool // CONCH_REDUCED_MOTION, NO_MOTION
}

// Start is what the screen opens with.
type Start struct {
	Chat   string        // the id of a chat to carry on; "" starts a new one
	First  string        // a message to send at once; with Past it waits in the prompt
	Picker bool          // begin in the sheet (conch --resume without a value)
	Filter string        // what the picker begins filtered by
	Past   string        // the id of a past chat to open in the reader, over a new chat
	Run    string        // the id of a run to open, read-only at first
	Plan   *allchat.Plan // a run to begin, First being its first words
	Offer  bool          // other apps' chats may be offered: a first launch, not put off
	Note   string        // a line to show first, such as "no chat is called abc; these come close"
}

// Exit is how the screen ended.
type Exit struct {
	Chat   string // "" when nothing was said
	Answer string // the last answer, as Markdown; already printed by Run
	Code   int    // 0, 2 when Conch broke, 130 when interrupted
}
