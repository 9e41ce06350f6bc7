// Package cli is the command line: the flags, the subcommands, what they print
// and with which status the program ends.
//
// It opens the home, the configuration, the chats and the engines, and hands
// them to the screen or to one turn without it. It decides nothing that the
// screen decides too, and everything that it prints of others' words is made
// harmless first.
package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"conch/child"
	"conch/config"
	"conch/engine"
	"conch/tui"
)

// Exit statuses.
const (
	statusDone        = 0
	statusFailed      = 1   // the turn failed, or the input was refused
	statusWrong       = 2   // wrong use, or Conch itself broke
	statusNotReady    = 3   // not signed in or not installed
	statusInterrupted = 130 // SIGINT; another signal is 128 and its number
)

// Host is the world that the program runs in.
type Host struct {
	Args       []string // without the program's name
	Called     string   // the program's name as it was started; "" is conch
	Environ    []string // KEY=value
	Dir        string   // where it was started, absolute
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	Executable string // the program itself, for the demo agent and the guard
	Version    string
	Now        func() time.Time // nil: time.Now

	// Secret reads an entry of the system's keyring; nil: there is none.
	Secret func(entry string) (string, error)

	// Engines makes the providers, in the order in which they are offered, the
	// demo last. It starts no process and waits for nothing.
	Engines func(EngineSetup) ([]engine.Engine, error)

	// Sweep takes away what a Conch that was killed left of its providers, such as a
	// sign-in. It is called once, when the home is opened, by every command that does;
	// with nothing there it costs next to nothing. nil: nothing is left.
	Sweep func(EngineSetup)

	// Screen shows the screen; nil: tui.Run.
	Screen func(context.Context, tui.Deps) (tui.Exit, error)

	// Exit ends the process at once, when a second signal came before the first
	// had its way; nil: os.Exit.
	Exit func(status int)
}

// EngineSetup is what the providers are made from.
type EngineSetup struct {
	Config     config.Config
	Home       string // CONCH_HOME: a protected place
	Environ    []string
	Executable string
	Version    string
	Guard      *child.Guard                       // told of every child
	Secret     func(entry string) (string, error) // of the system's keyring; nil: there is none
	Now        func() time.Time
	Log        *slog.Logger // log/conch.log: no message text, no keys
}

// Main runs the program and gives its exit status. A panic on its own goroutine
// becomes a sentence and a report.
func Main(ctx context.Context, h Host) (status int) {
	if h.Now == nil {
		h.Now = time.Now
	}
	if h.Screen == nil {
		h.Screen = tui.Run
	}
	if h.Exit == nil {
		h.Exit = os.Exit
	}
	a := newApp(h)
	defer func() {
		if r := recover(); r != nil {
			where := a.report(tui.Crash{Where: "main", Value: fmt.Sprint(r), Stack: debug.Stack()})
			a.tell(broke(where))
			status = statusWrong
		}
	}()
	defer a.close()

	ctx, stop := a.listen(ctx)
	defer stop()
	return a.run(ctx)
}

// run plays one command line.
func (a *app) run(ctx context.Context) int {
	args, whole := arrange(a.host.Args)
	root := a.rootCommand(whole)
	root.SetArgs(args)
	root.SetIn(a.host.Stdin)
	root.SetOut(a.host.Stdout)
	root.SetErr(a.host.Stderr)
	err := root.ExecuteContext(ctx)
	status := a.status
	if err != nil {
		f := asFailure(err)
		a.tell(f)
		status = f.status
	}
	if code, ok := a.signalled(); ok {
		return code
	}
	return status
}
