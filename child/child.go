// Package child runs one other program as a child: fixed arguments, a listed
// environment, a process group of its own, stderr in a bounded ring, stdout as
// bounded lines, and an end that takes everything it started with it.
//
// It never uses a shell and knows no protocol.
package child

import (
	"context"
	"io"
	"time"
)

// Spec is how a program is started.
type Spec struct {
	Args  []string // Args[0] is the program: a path, or a name looked up on Env's PATH
	Dir   string
	Env   []string // whole; see Environ
	Guard []string // the command of the guard ([conch child-guard]); nil: none
	// StderrBytes is how much of stderr is kept; 0 is 16 KiB.
	StderrBytes int
}

// Process is a started program. Stdin and Stdout belong to the protocol.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.Reader
}

// Start starts a program. The process lives until End, also when ctx of the
// caller is long done; ctx bounds the start only.
func Start(ctx context.Context, spec Spec) (*Process, error) { panic("soon") }

// Pid is the process id of the program itself.
func (p *Process) Pid() int { panic("soon") }

// Done is closed when the program has ended and was waited for.
func (p *Process) Done() <-chan struct{} { panic("soon") }

// Exit says how it ended, in plain words ("exit 1", "signal: killed"), and its
// code (-1 for a signal). It is only valid after Done.
func (p *Process) Exit() (words string, code int) { panic("soon") }

// Stderr is the kept end of stderr, raw: redact and clean it before it is shown.
func (p *Process) Stderr() string { panic("soon") }

// Note walks the process table and remembers every descendant with its start
// time, so that End finds those whose parent has died since. Cheap enough to
// call at each step of a turn.
func (p *Process) Note() { panic("soon") }

// End ends the program and all that it started: close stdin, wait, terminate
// the group, wait, kill the group and every noted descendant. It is over within
// 3 seconds, may be called twice, and returns when nothing is left.
func (p *Process) End(ctx context.Context) { panic("soon") }

// Environ builds a child's environment: the listed names of base (Conch's own),
// then those in pass, minus those in drop, then add. See docs for the list.
func Environ(base []string, pass, drop, add []string) []string { panic("soon") }

// Look finds a program: a path as it is, a name on the PATH of env. ok is false
// when it is not there or cannot be run.
func Look(name string, env []string) (path string, ok bool) { panic("soon") }

// Run runs a short command to its end (a version question), with a bound on
// time and output.
func Run(ctx context.Context, spec Spec, limit time.Duration) (stdout string, err error) {
	panic("soon")
}

// Lines reads newline-delimited JSON from a program. What is no JSON object is
// skipped and handed to Noise (cut to 200 bytes); a line over Max is skipped
// without being held in memory and handed to TooLong with its first 4 KiB.
type Lines struct {
	Max     int // bytes; 0 is 32 MiB
	Noise   func(line []byte)
	TooLong func(head []byte, size int64)
}

// NewLines reads from r.
func NewLines(r io.Reader) *Lines { panic("soon") }

// Next gives the next line that is a JSON object, valid until the next call.
// io.EOF is the end.
func (l *Lines) Next() ([]byte, error) { panic("soon") }
