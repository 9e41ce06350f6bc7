package allchat

import (
	"context"
	"time"

	"conch/allchat/record"
	"conch/engine"
	"conch/redact"
)

// Deps is what runs are given of the world around them.
type Deps struct {
	// Engine makes an engine of a provider for one participant alone: nothing of it is
	// shared with a chat or another participant. The run closes it. An error is a
	// sentence for the person.
	Engine func(provider string) (engine.Engine, error)

	// Tools makes the tools of Conch's own for a participant, bound to what it is given.
	// More than its role may have can be in the list: a coordinator gets ask, plan,
	// search_chats and read_chat of it, and who is Handless read_file, list and
	// search_files. nil: none. It is called once a session, and the tools are called in
	// one turn after the other.
	Tools func(t Turn) []engine.Tool

	// Protected are absolute paths that no participant's tool may touch, beside home.
	Protected []string

	// Secrets knows the keys that Conch itself was given. They get into no record. nil: none.
	Secrets *redact.Redactor

	// UserHome is the person's home folder: a path in it is not written out in a record.
	UserHome string

	Clock Clock                            // nil: the system's
	Logf  func(format string, args ...any) // for Conch's own log; nil: nothing is logged
}

// Clock is the time, and waiting for it.
type Clock interface {
	Now() time.Time
	// After gives a channel that gets the time once d has passed.
	After(d time.Duration) <-chan time.Time
}

// Turn is what a participant does at the moment, as its tools see it. Behind the end
// of its turn everything that is asked is cancelled and what is emitted is dropped.
type Turn interface {
	Run() string
	Participant() record.Who
	Folder() string // of the project, absolute
	Handless() bool // the engine has no tools of its own
	Emit(engine.Event)
	// Ask puts a call of a tool of Conch's to the rules of the run, and where these do
	// not decide to the person. Options are filled in where p has none.
	Ask(ctx context.Context, p engine.Permission) engine.Decision
	// Question puts something to the person and waits for the answer.
	Question(ctx context.Context, q engine.Question) engine.Answer
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }
