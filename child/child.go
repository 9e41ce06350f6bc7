// Package child runs one other program as a child: fixed arguments, a listed
// environment, a session and process group of its own, stderr in a bounded
// ring, stdout as bounded lines, and an end that takes everything it started
// with it, also when Conch itself is killed (Guard).
//
// It never uses a shell and knows no protocol.
package child

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Spec is how a program is started.
type Spec struct {
	Args  []string // Args[0] is the program: a path, or a name looked up on Env's PATH
	Dir   string
	Env   []string // whole; see Environ
	Guard *Guard   // told of the child, to end it when Conch dies; nil: none
	// StderrBytes is how much of stderr is kept; 0 is 16 KiB.
	StderrBytes int
}

// Process is a started program. Stdin and Stdout belong to the protocol.
//
// Stdout must be read until it ends, for a program that can't write doesn't
// end by itself. It also ends a moment after the program did, when something
// that the program started still holds the pipe and is silent.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.Reader

	cmd    *exec.Cmd
	group  *group
	guard  *Guard
	waits  waits
	ring   *ring
	stderr *os.File

	exited    chan struct{} // the program has ended
	done      chan struct{} // and its last words were read
	drained   chan struct{} // nobody holds stderr any more
	exitWords string
	exitCode  int

	mu    sync.Mutex // guards tree
	tree  *tree
	last  time.Time // of the last Note
	ended sync.Once
}

const (
	defaultStderr = 16 << 10
	// How long pipes are read after the program has ended, while something that
	// it started still holds them.
	lingering = 300 * time.Millisecond
	// Calls of Note within this time are one: a look costs some 4 ms with 250
	// processes, and a step may report its output many times a second.
	noteEvery = 250 * time.Millisecond
	// markName is the variable in the environment of a child by which what it
	// started is found again when its parents are gone. A random value for each
	// child; it opens nothing.
	markName = "CONCH_CHILD"
)

// ErrNotFound is wrapped by the error of Start when the program is not there or
// can't be run.
var ErrNotFound = errors.New("not found")

// Start starts a program. The process lives until End, also when ctx is long
// done; ctx bounds the start only. End must be called even when the program has
// ended by itself: what it started may still be there.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	return start(ctx, spec, defaultWaits)
}

func start(ctx context.Context, spec Spec, w waits) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(spec.Args) == 0 || spec.Args[0] == "" {
		return nil, errors.New("start program: no command given")
	}
	name := spec.Args[0]
	path, ok := Look(name, spec.Env)
	if !ok {
		return nil, fmt.Errorf("start %s: %w", name, ErrNotFound)
	}
	mark, err := newMark()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	var pipes pipes
	if err := pipes.open(); err != nil {
		pipes.closeAll()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	cmd := &exec.Cmd{
		Path:   path,
		Args:   spec.Args,
		Dir:    spec.Dir,
		Env:    append(append([]string(nil), spec.Env...), markName+"="+mark),
		Stdin:  pipes.inRead,
		Stdout: pipes.outWrite,
		Stderr: pipes.errWrite,
	}
	spec.Guard.watch(mark)
	g, err := startInGroup(cmd)
	if err != nil {
		spec.Guard.gone(mark)
		pipes.closeAll()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	pipes.closeTheirs()
	size := spec.StderrBytes
	if size <= 0 {
		size = defaultStderr
	}
	root := ident{pid: cmd.Process.Pid}
	root.start, _ = startOf(root.pid)
	p := &Process{
		Stdin:   pipes.inWrite,
		cmd:     cmd,
		group:   g,
		guard:   spec.Guard,
		waits:   w,
		ring:    newRing(size),
		stderr:  pipes.errRead,
		exited:  make(chan struct{}),
		done:    make(chan struct{}),
		drained: make(chan struct{}),
		tree:    newTree(mark, root),
	}
	p.Stdout = &output{file: pipes.outRead, done: p.done}
	spec.Guard.add(mark, root)
	go p.drain()
	go p.wait(pipes.outRead)
	return p, nil
}

func newMark() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}

// drain reads stderr for as long as anyone can write to it: a program whose
// stderr is full stands still.
func (p *Process) drain() {
	defer close(p.drained)
	io.Copy(p.ring, p.stderr) //nolint:errcheck // the end of a pipe, whatever it is called
	p.stderr.Close()
}

func (p *Process) wait(stdout *os.File) {
	err := p.cmd.Wait()
	p.exitWords, p.exitCode = exitOf(p.cmd, err)
	close(p.exited)
	// The last words come before the news that it is over.
	timer := time.NewTimer(lingering)
	defer timer.Stop()
	select {
	case <-p.drained:
	case <-timer.C:
	}
	close(p.done)
	// A Read that waits now must not wait for a grandchild that holds the pipe.
	stdout.SetReadDeadline(time.Now().Add(lingering)) //nolint:errcheck // not on every system
}

func exitOf(cmd *exec.Cmd, err error) (string, int) {
	if cmd.ProcessState == nil {
		return fmt.Sprintf("wait failed: %v", err), -1
	}
	code := cmd.ProcessState.ExitCode()
	if code >= 0 {
		return fmt.Sprintf("exit %d", code), code
	}
	return cmd.ProcessState.String(), code
}

// Pid is the process id of the program itself.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended and was waited for.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says how it ended, in plain words ("exit 1", "signal: killed"), and its
// code (-1 for a signal). Before Done it is "running", -1.
func (p *Process) Exit() (words string, code int) {
	select {
	case <-p.done:
		return p.exitWords, p.exitCode
	default:
		return "running", -1
	}
}

// Stderr is the kept end of stderr, raw: redact and clean it before it is shown.
func (p *Process) Stderr() string { return p.ring.String() }

// Note walks the process table and remembers every descendant with its start
// time, so that End finds those whose parent has died since, and tells the
// guard of them. Cheap enough to call at each step of a turn: calls within a
// quarter of a second of the last one do nothing. It never waits for an End that
// runs, which does its own noting: who reads stdout may call it.
func (p *Process) Note() {
	if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.last) < noteEvery {
		return
	}
	p.tree.walk(false)
	p.last = time.Now()
	p.guard.note(p.tree.mark, p.tree.fresh)
	p.tree.fresh = nil
}
