// Package demo is the demo agent: a program that speaks ACP v1 as the agent over
// stdin and stdout, with scripted answers, no model, no network and no sign-in.
//
// A newcomer meets it when no other agent is installed: each of its little
// conversations shows one thing that Conch can do, and its steps really happen,
// in a scratch folder of its own. It is the test agent too: a prompt that begins
// with "/test" makes it misbehave (see misbehave.go), and the flags of its
// command change how it starts and opens sessions (see Flags).
//
// It imports nothing of ours and has its own small types for the wire, so that it
// and the acp package check each other.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Host is what the agent has of the world.
type Host struct {
	In   io.Reader // messages of the client; its end ends the agent
	Out  io.Writer // messages to the client, nothing else
	Err  io.Writer // free text
	Args []string  // as after "demo-agent"
	// Environ is KEY=value. CONCH_DEMO_FAST=1 removes every wait;
	// CONCH_DEMO_STATE is the folder where sessions are kept.
	Environ []string
	// Self is the command that runs this agent again, such as [conch demo-agent].
	// The grandchild of "/test grandchild" is started with it.
	Self []string
	Now  func() time.Time // nil is time.Now
}

// ExitError asks for an exit status: the agent was told to end like this.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("demo agent told to exit with %d", e.Code) }

// Run speaks ACP until the client closes its end or ctx is done. It returns nil
// then, an *ExitError when it was told to die, another error for wrong flags.
//
// When ctx ends first, the goroutine that reads In stays until In does.
func Run(ctx context.Context, h Host) error {
	flags, err := parseFlags(h.Args, h.env("CONCH_DEMO_FLAGS"))
	if err != nil {
		return err
	}
	if h.Now == nil {
		h.Now = time.Now
	}
	if flags.grandchild {
		return beGrandchild(ctx)
	}
	if flags.signIn {
		return signIn(h)
	}
	return serve(ctx, h, flags)
}

func serve(ctx context.Context, h Host, flags Flags) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	a := &agent{
		host:     h,
		flags:    flags,
		conn:     newConn(h.Out),
		store:    newStore(stateDir(h), h.Now),
		sessions: map[string]*session{},
		fast:     h.env("CONCH_DEMO_FAST") == "1",
		die:      func(code int) { cancel(&ExitError{Code: code}) },
	}
	if flags.Banner {
		fmt.Fprintf(h.Out, "demo agent 1.0 starting up\n\n  * welcome *\nready >\n")
	}
	if flags.StderrFlood > 0 {
		floodStderr(ctx, h.Err, flags.StderrFlood)
	}
	if flags.CrashStart > 0 {
		fmt.Fprintln(h.Err, "fatal: the demo agent was told to die at its start")
		return &ExitError{Code: flags.CrashStart}
	}

	ended := make(chan error, 1)
	go func() { ended <- a.read(ctx, h.In) }()

	var result error
	select {
	case result = <-ended:
		if flags.IgnoreEOF && result == nil {
			<-ctx.Done()
		}
	case <-ctx.Done():
	}
	cancel(nil)
	a.conn.close()
	a.turns.Wait()
	a.closeAll()
	var exit *ExitError
	if errors.As(context.Cause(ctx), &exit) {
		return exit
	}
	return result
}

func (h Host) env(name string) string {
	for i := len(h.Environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(h.Environ[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// stateDir is where sessions are kept; "" when there is no such place, and then
// they live as long as the process.
func stateDir(h Host) string {
	if dir := h.env("CONCH_DEMO_STATE"); dir != "" {
		return dir
	}
	home := h.env("HOME")
	switch {
	case runtime.GOOS == "windows" && h.env("LocalAppData") != "":
		return filepath.Join(h.env("LocalAppData"), "conch-demo")
	case runtime.GOOS == "darwin" && home != "":
		return filepath.Join(home, "Library", "Caches", "conch-demo")
	case h.env("XDG_CACHE_HOME") != "":
		return filepath.Join(h.env("XDG_CACHE_HOME"), "conch-demo")
	case home != "":
		return filepath.Join(home, ".cache", "conch-demo")
	}
	return ""
}

// agent is one process of the demo agent.
type agent struct {
	host  Host
	flags Flags
	conn  *conn
	store *store
	fast  bool
	die   func(code int)
	turns sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session
	client   clientAbilities
}

func (a *agent) session(id string) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

func (a *agent) closeAll() {
	a.mu.Lock()
	open := a.sessions
	a.sessions = map[string]*session{}
	a.mu.Unlock()
	for _, s := range open {
		s.close()
	}
}

// signIn stands for a program's own sign-in in the terminal.
func signIn(h Host) error {
	dir := stateDir(h)
	if dir == "" {
		return errors.New("the demo agent has no folder to keep its sign-in in")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	if err := os.WriteFile(filepath.Join(dir, signedInFile), []byte("yes\n"), 0o600); err != nil {
		return fmt.Errorf("keep the sign-in: %w", err)
	}
	fmt.Fprintln(h.Out, "You are signed in to the demo agent (it has no accounts; this only shows how it goes).")
	return nil
}

const signedInFile = "signed-in"

func (a *agent) signedIn() bool {
	if !a.flags.SignedOut && !a.flags.SignedOutPrompt {
		return true
	}
	_, err := os.Stat(filepath.Join(stateDir(a.host), signedInFile))
	return err == nil
}
