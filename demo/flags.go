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
	fs := flag.NewFlagSet("demo-agent", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&f.NoLoad, "no-load", false, "")
	fs.BoolVar(&f.NoResume, "no-resume", false, "")
	fs.BoolVar(&f.NoList, "no-list", false, "")
	fs.BoolVar(&f.NoClose, "no-close", false, "")
	fs.BoolVar(&f.NoImages, "no-images", false, "")
	fs.BoolVar(&f.NoIDs, "no-ids", false, "")
	fs.BoolVar(&f.NoModes, "no-modes", false, "")
	fs.BoolVar(&f.NoOptions, "no-options", false, "")
	fs.DurationVar(&f.SlowStart, "slow-start", 0, "")
	fs.DurationVar(&f.SlowNew, "slow-new", 0, "")
	fs.BoolVar(&f.NeverStart, "never-start", false, "")
	fs.IntVar(&f.CrashStart, "crash-start", 0, "")
	fs.IntVar(&f.Protocol, "protocol", 1, "")
	fs.BoolVar(&f.ReplayAfter, "replay-after", false, "")
	fs.BoolVar(&f.NoReplay, "no-replay", false, "")
	fs.BoolVar(&f.LoseSessions, "lose-sessions", false, "")
	fs.BoolVar(&f.AutoMode, "auto-mode", false, "")
	fs.BoolVar(&f.SignedOut, "signed-out", false, "")
	fs.BoolVar(&f.SignedOutPrompt, "signed-out-prompt", false, "")
	fs.BoolVar(&f.Banner, "banner", false, "")
	fs.Int64Var(&f.StderrFlood, "stderr-flood", 0, "")
	fs.BoolVar(&f.IgnoreEOF, "ignore-eof", false, "")
	fs.BoolVar(&f.grandchild, "grandchild", false, "")
	fs.BoolVar(&f.signIn, "sign-in", false, "")
	if err := fs.Parse(append(strings.Fields(env), args...)); err != nil {
		return f, fmt.Errorf("read the demo agent's flags: %w", err)
	}
	if fs.NArg() > 0 {
		return f, fmt.Errorf("read the demo agent's flags: %q is not one", fs.Arg(0))
	}
	return f, nil
}
