package demo

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// Flags are the options of the demo-agent command. They also come from the
// environment variable CONCH_DEMO_FLAGS, parted by spaces. All of them are for
// tests: without any the agent behaves well.
type Flags struct {
	NoLoad    bool // session/load is not advertised and refused
	NoResume  bool // the same for session/resume
	NoList    bool // the same for session/list
	NoClose   bool // the same for session/close
	NoImages  bool // pictures are not advertised
	NoIDs     bool // chunks carry no messageId, as most programs
	NoModes   bool // no modes are offered
	NoOptions bool // no config options are offered

	SlowStart  time.Duration // initialize is answered after this
	SlowNew    time.Duration // session/new and load are answered after this
	NeverStart bool          // initialize is never answered
	CrashStart int           // exits with this status before it reads anything
	Protocol   int           // the protocol version it answers; 0 is 1

	ReplayAfter  bool // the replay of a load comes after its answer
	NoReplay     bool // a load replays nothing
	LoseSessions bool // every load and resume fails
	AutoMode     bool // sessions start in the mode that asks for nothing

	SignedOut       bool // session/new fails with -32000 until the sign-in was run
	SignedOutPrompt bool // session/prompt does

	Banner      bool  // words on stdout before the first message
	StderrFlood int64 // bytes on stderr at the start
	IgnoreEOF   bool  // stays when its input ends

	grandchild bool // be the process that "/test grandchild" starts
	signIn     bool // be the sign-in in the terminal
}

func parseFlags(args []string, env string) (Flags, error) {
	var f Flags
	fs := f.set()
	fs.SetOutput(io.Discard)
	if err := fs.Parse(append(strings.Fields(env), args...)); err != nil {
		return f, fmt.Errorf("read the demo agent's flags: %w", err)
	}
	if fs.NArg() > 0 {
		return f, fmt.Errorf("read the demo agent's flags: %q is not one", fs.Arg(0))
	}
	return f, nil
}

func (f *Flags) set() *flag.FlagSet {
	fs := flag.NewFlagSet("demo-agent", flag.ContinueOnError)
	fs.BoolVar(&f.NoLoad, "no-load", false, "session/load is not advertised and refused")
	fs.BoolVar(&f.NoResume, "no-resume", false, "session/resume is not advertised and refused")
	fs.BoolVar(&f.NoList, "no-list", false, "session/list is not advertised and refused")
	fs.BoolVar(&f.NoClose, "no-close", false, "session/close is not advertised and refused")
	fs.BoolVar(&f.NoImages, "no-images", false, "pictures are not advertised")
	fs.BoolVar(&f.NoIDs, "no-ids", false, "chunks carry no message id, as those of most programs")
	fs.BoolVar(&f.NoModes, "no-modes", false, "no modes are offered")
	fs.BoolVar(&f.NoOptions, "no-options", false, "no config options are offered")
	fs.DurationVar(&f.SlowStart, "slow-start", 0, "initialize is answered after this `time`")
	fs.DurationVar(&f.SlowNew, "slow-new", 0, "session/new and session/load are answered after this `time`")
	fs.BoolVar(&f.NeverStart, "never-start", false, "initialize is never answered")
	fs.IntVar(&f.CrashStart, "crash-start", 0, "exit with this `status` before anything is read")
	fs.IntVar(&f.Protocol, "protocol", 1, "answer this protocol `version`")
	fs.BoolVar(&f.ReplayAfter, "replay-after", false, "the replay of a load comes after its answer")
	fs.BoolVar(&f.NoReplay, "no-replay", false, "a load replays nothing")
	fs.BoolVar(&f.LoseSessions, "lose-sessions", false, "every load and resume fails")
	fs.BoolVar(&f.AutoMode, "auto-mode", false, "sessions start in the mode that asks for nothing")
	fs.BoolVar(&f.SignedOut, "signed-out", false, "session/new fails with -32000 until the sign-in was run")
	fs.BoolVar(&f.SignedOutPrompt, "signed-out-prompt", false, "session/prompt fails with -32000 until the sign-in was run")
	fs.BoolVar(&f.Banner, "banner", false, "words on stdout before the first message")
	fs.Int64Var(&f.StderrFlood, "stderr-flood", 0, "so many `bytes` on stderr at the start")
	fs.BoolVar(&f.IgnoreEOF, "ignore-eof", false, "stay when the input ends")
	fs.BoolVar(&f.grandchild, "grandchild", false, "be the process that \"/test grandchild\" starts")
	fs.BoolVar(&f.signIn, "sign-in", false, "be the sign-in in the terminal")
	return fs
}

// Usage writes what the flags and the test mode are.
func Usage(w io.Writer) {
	fmt.Fprint(w, "The flags make it misbehave, for tests; CONCH_DEMO_FLAGS holds more of them.\n\n")
	var f Flags
	fs := f.set()
	fs.SetOutput(w)
	fs.PrintDefaults()
	fmt.Fprint(w, "\nCONCH_DEMO_FAST=1 removes its waits; CONCH_DEMO_STATE is the folder where it keeps its chats.\n"+
		"As a message, \"/test help\" lists what it can do wrong in a turn.\n")
}
