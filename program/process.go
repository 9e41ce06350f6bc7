package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"conch/child"
	"conch/engine"
)

// Process is one life of a program: started, spoken with, and ended once. The engine
// speaks with it over Child's pipes.
type Process struct {
	Child *child.Process
	// Begun is set by the engine when the two have agreed on how they speak.
	Begun bool
	// Over is of what the engine runs for the process. The engine's own End waits
	// for it, behind the end of Child.
	Over sync.WaitGroup

	of     *Program
	gone   <-chan struct{}
	steps  chan struct{} // holds one: descendants are to be noted
	noises atomic.Int64
}

const (
	maxNoises = 20
	// Bytes of the end of stderr.
	keptStderr = 16 << 10
	// How long the news of an end is waited for.
	newsOfEnd = 500 * time.Millisecond
)

// Start starts the program in a folder that must be there; "" is Conch's own. env is
// whole. Hear must follow.
func (p *Program) Start(ctx context.Context, folder string, env []string) (*Process, error) {
	if info, err := os.Stat(cmp.Or(folder, ".")); err != nil || !info.IsDir() {
		return nil, NoFolder{folder}
	}
	c, err := child.Start(ctx, child.Spec{
		Args: append([]string{p.Command}, p.Args...), Dir: folder, Env: env, Guard: p.Guard, StderrBytes: keptStderr,
	})
	if err != nil {
		return nil, err
	}
	return &Process{Child: c, of: p, steps: make(chan struct{}, 1)}, nil
}

// Hear begins to note what the program starts while its steps run, until gone is
// closed: then nothing is heard of it any more.
func (p *Process) Hear(gone <-chan struct{}) {
	p.gone = gone
	p.Over.Go(func() {
		for {
			select {
			case <-p.steps:
				p.Child.Note()
			case <-gone:
				return
			}
		}
	})
}

// Step has the descendants noted soon. It never waits.
func (p *Process) Step() {
	select {
	case p.steps <- struct{}{}:
	default:
	}
}

// Alive reports that the program can still be asked.
func (p *Process) Alive() bool {
	select {
	case <-p.gone:
		return false
	case <-p.Child.Done():
		return false
	default:
		return true
	}
}

// Said is the end of what the program said on stderr, cleaned and redacted.
func (p *Process) Said() string { return wholeLines(p.Child.Stderr(), keptStderr) }

// Failed keeps how the process stands beside an error.
func (p *Process) Failed(err error) *Failure {
	f := &Failure{Err: err, Starting: !p.Begun}
	if errors.Is(err, ErrGone) || !p.Alive() {
		select {
		case <-p.Child.Done():
			f.Ended, _ = p.Child.Exit()
		case <-time.After(newsOfEnd):
		}
	}
	f.Said = p.Said()
	return f
}

// Noise takes a line that is no message: it is counted, and the first ones are
// logged.
func (p *Process) Noise(line []byte) {
	p.of.Count("noise")
	if p.noises.Add(1) <= maxNoises {
		p.of.Logf("noise", "%s", line)
	}
}

// TooLong takes that a message of so many bytes was skipped, and gives what a turn
// says of it.
func (p *Process) TooLong(size int64) engine.Notice {
	p.of.Count("too-long")
	p.of.Logf("too-long", "skipped a message of %d bytes", size)
	return engine.Notice{
		Code:    "left-out",
		Message: fmt.Sprintf("%s said something too large to take in (%d MB); it is left out.", p.of.Name, size>>20),
	}
}
