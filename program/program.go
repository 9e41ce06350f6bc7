// Package program is what the engines that drive an agent's program have in common,
// whatever it speaks: it is found on the PATH and asked for its version, one process
// of it is kept warm for each chat, and its failures are said in words with a next
// step.
//
// It knows no protocol, reads no message and opens no session. What it says of a
// program is cleaned and redacted.
package program

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"conch/child"
	"conch/engine"
)

// Program is the program of one provider, and what is known of it so far. Its
// exported fields are set before it is used and stay as they are.
type Program struct {
	ID      string // what a person types
	Name    string // what a person reads
	Command string // a path, or a name that is looked up on the PATH of Env
	Args    []string
	Env     []string // KEY=value, whole: what it gets where nothing else is said
	Guard   *child.Guard

	VersionArgs []string // Command with these prints its version; nil: not asked
	Oldest      string   // oldest version that works; "" when none is known
	// Install is the one command that installs it; "" for a program of the person's
	// own, which config.toml names.
	Install string

	VersionLimit time.Duration    // for the version question
	Remembered   time.Duration    // how long Health is remembered
	Now          func() time.Time // the clock of Remembered
	// Log takes a line for Conch's own log; nil: nothing is logged.
	Log func(code, line string)

	version version

	mu       sync.Mutex
	unheard  map[string]int // kinds of messages that were ignored
	running  string         // version of the one that was started last
	proved   proof
	health   engine.Health
	healthAt time.Time
	news     int // counts what makes a remembered health old
}

// proof is how the program was found by a session or a turn; its zero is not at all.
type proof struct {
	state         engine.State
	problem, next string
}

// Names of kinds come from the program, so both their length and their number are
// bounded.
const (
	maxKinds    = 200
	maxKindName = 80
)

const maxLogLine = 200

// Logf writes a line to Conch's own log: cleaned, redacted, at most 200 characters.
// The program's id stands first.
func (p *Program) Logf(code, format string, args ...any) {
	if p.Log != nil {
		p.Log(code, OneLine(p.ID+": "+fmt.Sprintf(format, args...), maxLogLine))
	}
}

// Count counts a message that was ignored, by its kind. Behind 200 kinds the rest is
// "other".
func (p *Program) Count(kind string) {
	kind = OneLine(kind, maxKindName)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, there := p.unheard[kind]; !there && len(p.unheard) >= maxKinds {
		kind = "other"
	}
	if p.unheard == nil {
		p.unheard = map[string]int{}
	}
	p.unheard[kind]++
}

// Unheard is how often which kinds of messages were ignored.
func (p *Program) Unheard() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.unheard)
}

// Prove records how the program was found by a session or a turn. State "" takes
// back what was recorded.
func (p *Program) Prove(state engine.State, problem, next string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.proved = proof{state, problem, next}
	p.forget()
}

// Learn records what the end of a turn shows of the program.
func (p *Program) Learn(r engine.Result) {
	switch {
	case r.Outcome == engine.Success:
		p.Prove(engine.Ready, "", "")
	case r.Problem == engine.SignedOut:
		p.Prove(engine.NeedSignIn, r.Error, r.Next)
	case r.Outcome == engine.Failed && r.Problem == engine.Unavailable && !r.Accepted:
		p.Prove(engine.Broken, r.Error, r.Next)
	}
}

// Started records a start: the version that the program says it is, "" for none, and
// that its capabilities may be others now.
func (p *Program) Started(version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = OneLine(version, maxKindName)
	p.forget()
}

// forget makes Health look anew. p.mu is held.
func (p *Program) forget() {
	p.healthAt = time.Time{}
	p.news++
}

// Health says whether the program can be used: it is found, asked for its version,
// and then what a session or turn proved counts. add puts to it what only the engine
// knows; it is not called for a program that is not there or too old. Whether
// somebody is signed in is not known before a session.
func (p *Program) Health(ctx context.Context, add func(h *engine.Health)) engine.Health {
	p.mu.Lock()
	h, at, news := p.health, p.healthAt, p.news
	p.mu.Unlock()
	if at.IsZero() || p.Now().Sub(at) >= p.Remembered {
		h = p.look(ctx)
		if h.State == engine.Unknown {
			p.mu.Lock()
			if p.proved.state != "" {
				h.State, h.Problem, h.Next = p.proved.state, p.proved.problem, p.proved.next
			}
			p.mu.Unlock()
			add(&h)
		}
		p.mu.Lock()
		if ctx.Err() == nil && news == p.news {
			p.health, p.healthAt = h, p.Now()
		}
		p.mu.Unlock()
	}
	h.Unheard = p.Unheard()
	return h
}

// look finds the program and asks for its version.
func (p *Program) look(ctx context.Context) engine.Health {
	path, ok := child.Look(p.Command, p.Env)
	if !ok {
		h := engine.Health{State: engine.NotFound, Problem: p.Name + " is not installed.", Next: p.install()}
		if p.Install == "" {
			h.Problem = fmt.Sprintf("%s can't be started: there is no program %s.", p.Name, OneLine(p.Command, maxWords))
		}
		return h
	}
	h := engine.Health{State: engine.Unknown, Found: path, Version: p.askVersion(ctx, path)}
	if h.Version == "" {
		p.mu.Lock()
		h.Version = p.running
		p.mu.Unlock()
	}
	if p.Oldest != "" && Older(h.Version, p.Oldest) {
		h.State, h.Problem, h.Next = engine.TooOld, p.tooOld(h.Version), p.update()
	}
	return h
}
