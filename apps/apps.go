// Package apps connects the person's MCP apps (the [[app]]s of config.toml) for a
// turn and offers their tools as engine.Tool: one connection for each app and turn,
// opened side by side, a program as a child or an address over streamable HTTP.
//
// A connection that drops is opened again for the next call, and a call that was on
// its way then is repeated only when the app says that it just reads. What an app
// says is data: bounded, cleaned, redacted, and it taints the chat, unless the app is
// the person's own. It never decides what may be called: the tool asks the turn.
// See docs/apps.md.
package apps

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"conch/child"
	"conch/engine"
	"conch/redact"
	"conch/tools"
)

// App is an MCP app as config.toml has it.
type App struct {
	ID      string
	Command []string // a program and its arguments; empty: URL
	URL     string
	Env     map[string]string // added to the program's environment
	// Headers of each request to URL: the values are in environment variables of
	// Conch's and in entries of the system's keyring.
	HeadersEnv     map[string]string
	HeadersKeyring map[string]string
	Tools          []string // only these, by the app's own names; empty: all
	Own            bool     // the person's own: its words don't count as from outside
}

// Options is what a Bridge works with.
type Options struct {
	Apps    []App
	Version string       // of Conch, told to the apps
	Environ []string     // Conch's own; a program gets the listed part of it
	Guard   *child.Guard // nil: none

	// Secret reads an entry of the system's keyring; nil: there is none.
	Secret func(entry string) (string, error)

	// Keys knows the keys that Conch was given, to keep them out of answers. nil: none.
	Keys *redact.Redactor

	Now   func() time.Time                                 // nil: time.Now
	Sleep func(ctx context.Context, d time.Duration) error // nil: a timer
	Log   func(code, line string)                          // no words of a chat, no keys; nil: nowhere
}

// Bridge knows the person's apps for the life of the process. Its methods may be
// called from several goroutines.
type Bridge struct {
	o      Options
	limits limits
	dial   dialer

	mu     sync.Mutex
	known  map[string]Listing       // by the whole of an app's config
	ending map[string]chan struct{} // programs that are being ended, by chat and app
	values []string                 // of headers, as they were sent
	sent   *redact.Redactor         // knows them; nil: there are none
	closed bool
	work   sync.WaitGroup
}

// limits are how long things may take. Tests have shorter ones.
type limits struct {
	connect time.Duration // a connection with its list of tools
	start   time.Duration // what a turn waits for an app that was never listed
	call    time.Duration // a call without a sign of life
}

// New makes a Bridge. It starts nothing. Close must be called.
func New(o Options) *Bridge {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Log == nil {
		o.Log = func(string, string) {}
	}
	b := &Bridge{
		o:      o,
		limits: limits{connect: 30 * time.Second, start: 10 * time.Second, call: 5 * time.Minute},
		known:  map[string]Listing{},
		ending: map[string]chan struct{}{},
	}
	b.dial = b.open
	return b
}

// Close waits until every program that a Bridge started is gone. Sets that are
// still open are the caller's to close before.
func (b *Bridge) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.work.Wait()
}

// Apps lists the apps, as they were given.
func (b *Bridge) Apps() []App { return b.o.Apps }

// Set is what one turn has of the apps.
type Set struct {
	// Tools are named mcp__<app>__<tool>, in a fixed order.
	Tools []engine.Tool
	// Missing says in a sentence each what could not be connected, and why.
	Missing []string

	links []*link
	once  sync.Once
}

// Close ends the turn's connections and the calls that are still under way. It does
// not wait for the programs' ends: the chat's next turn does, and Bridge.Close.
func (s *Set) Close() {
	s.once.Do(func() {
		for _, l := range s.links {
			l.close()
		}
	})
}

// Connect gives a turn the tools of the apps. An app that was listed before in this
// process has its tools at once and is connected in the background; for another one
// it waits, ten seconds at most. ctx is the turn's; Close must be called.
func (b *Bridge) Connect(ctx context.Context, t tools.Turn) *Set {
	return b.connect(ctx, t)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// key is the whole of an app's config: what was listed under another one may differ.
func (a App) key() string {
	raw, err := json.Marshal(a)
	if err != nil {
		return a.ID // words and lists always marshal
	}
	return string(raw)
}
