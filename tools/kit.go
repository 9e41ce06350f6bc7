package tools

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"conch/chats"
	"conch/child"
	"conch/engine"
	"conch/pastchats"
	"conch/redact"
	"conch/search"
)

// Turn is the running turn that a tool was called in. Its methods may be called
// from several goroutines.
type Turn interface {
	// Chat is the id of the asking chat.
	Chat() string
	// Emit shows an event of the turn: engine.Plan.
	Emit(engine.Event)
	// Ask puts a call to the mode, and where that does not decide to the person. Options
	// of p are filled in where there are none, and the call's row is the one of ctx
	// (engine.CallID). What was allowed for the whole chat is not asked again.
	Ask(ctx context.Context, p engine.Permission) engine.Decision
	// Question puts something to the person and waits for the answer.
	Question(ctx context.Context, q engine.Question) engine.Answer
	// Record writes an event into the asking chat's log.
	Record(body chats.Body)
	// Taint says that the chat has read words from outside. It is done when it
	// returns.
	Taint(toolUseID string, from chats.TaintSource)
	// Taints are the labels of what the chat has read from outside.
	Taints() []string
	// Wait has something waited for once the turn is over: the chat is then woken with
	// a message. It takes the place of what was waited for before.
	Wait(w Waiting) error
	// Unattended reports that nobody can answer (conch -p).
	Unattended() bool
	// Folder is the chat's working folder, absolute.
	Folder() string
	// Handless reports that the provider has no tools of its own for files, commands
	// and the web: it is offered Conch's.
	Handless() bool
}

// Finder finds words in all chats, as search.Index does. Its sources must have gone
// through Clean: half a key, where a snippet was cut, is not known for what it is.
type Finder interface {
	Search(ctx context.Context, q search.Query, o search.Options) (search.Results, error)
}

// PastChats are the chats brought in from other apps, as pastchats.Store has them.
type PastChats interface {
	Find(id string) (pastchats.Entry, error)
	MessagesAt(id string, want func(n int) bool, each func(n int, m pastchats.Message) bool) error
}

// Kit is what the tools work with. A part that is nil leaves its tools out: Search
// and Chats those that look at other chats, Memory remember and forget.
type Kit struct {
	Search Finder
	Chats  *chats.Store
	Past   PastChats // nil: nothing was ever brought in
	Memory *Memory

	// Keys are those that Conch itself was given: they are in no answer, whatever
	// they look like. nil: none.
	Keys *redact.Redactor

	// Protected are absolute paths of folders that no search and no list looks into:
	// Conch's own. That nothing in them is touched is the broker's to see to.
	Protected []string

	// Environ is Conch's own environment, of which a command gets the listed part, and
	// Guard is told of each command, to end it when Conch is killed. nil: none.
	Environ []string
	Guard   *child.Guard

	// Undo keeps what edits overwrite. nil: nothing is kept.
	Undo *Undo

	// Proxy says through which proxy a page is read, as in http.Transport. nil: none.
	Proxy func(*http.Request) (*url.URL, error)

	// Now is the clock; nil is time.Now. Times are told in its zone.
	Now func() time.Time

	writing sync.Mutex // held while a file is changed
}
