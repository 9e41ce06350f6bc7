// Package acp is the Engine for every program that speaks the Agent Client
// Protocol, version 1, over its stdin and stdout.
//
// One Engine drives one program (a row of Agents). It keeps one process a chat,
// warm between turns, and turns what the process says into engine events. What
// a program sends is checked and bounded: an unknown kind is ignored and
// counted, a bad field counts as absent, a late or foreign message is dropped.
//
// The package draws nothing, decides no permission and keeps no credential.
package acp

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"conch/child"
	"conch/engine"
	"conch/program"
)

// Options is what an Engine is given of the world around it.
type Options struct {
	// Environ is Conch's own environment, KEY=value. A program gets an
	// allow-list of it, see Agent.PassEnv.
	Environ []string

	// Guard ends the programs when Conch is killed; nil: none.
	Guard *child.Guard

	// Log takes a line for Conch's own log: redacted, cleaned, at most 200
	// characters. Code is a stable kebab-case word. nil: nothing is logged.
	Log func(code, line string)

	// Now is the clock; nil is time.Now.
	Now func() time.Time

	// Self is Conch's own executable, which a program that takes no tools over HTTP
	// starts as "door-shim"; "": such a program gets no tools.
	Self string

	// ClientVersion is Conch's version, told to the program.
	ClientVersion string

	Timings Timings
}

// Timings are the limits of time of an Engine. A zero field is its default.
type Timings struct {
	Start      time.Duration // initialize; 30 s, Agent.StartTimeout goes first
	Session    time.Duration // session/new, load, resume; 45 s each
	Setting    time.Duration // a mode, model or effort that is set; 15 s
	Close      time.Duration // session/close; 5 s
	Stop       time.Duration // from Stop until the process is given up; 2 s
	Grace      time.Duration // after a prompt's answer, for its late pieces; 250 ms
	Quiet      time.Duration // silence that ends a replay after the load's answer; 300 ms
	Silence    time.Duration // without a word, until a turn says what it waits for; 10 s
	Idle       time.Duration // an unused process is let go; 5 min
	Note       time.Duration // how often descendants are noted in a turn; 1 s
	Version    time.Duration // the version question; 10 s
	Remembered time.Duration // how long Health is remembered; 20 s
	Tools      time.Duration // until a program has asked for the door's tools; 2 s
}

func (t Timings) withDefaults() Timings {
	t.Start = cmp.Or(t.Start, 30*time.Second)
	t.Session = cmp.Or(t.Session, 45*time.Second)
	t.Setting = cmp.Or(t.Setting, 15*time.Second)
	t.Close = cmp.Or(t.Close, 5*time.Second)
	t.Stop = cmp.Or(t.Stop, 2*time.Second)
	t.Grace = cmp.Or(t.Grace, 250*time.Millisecond)
	t.Quiet = cmp.Or(t.Quiet, 300*time.Millisecond)
	t.Silence = cmp.Or(t.Silence, 10*time.Second)
	t.Idle = cmp.Or(t.Idle, 5*time.Minute)
	t.Note = cmp.Or(t.Note, time.Second)
	t.Version = cmp.Or(t.Version, 10*time.Second)
	t.Remembered = cmp.Or(t.Remembered, 20*time.Second)
	t.Tools = cmp.Or(t.Tools, 2*time.Second)
	return t
}

// Engine drives one program. It meets engine.Engine, engine.Opener and
// engine.SignIner.
type Engine struct {
	agent Agent
	opts  Options
	times Timings

	program program.Program
	chats   program.Chats[*process]
	turns   atomic.Int64
	caps    atomic.Pointer[capabilities] // of the last start; nil before
}

var (
	_ engine.Engine   = (*Engine)(nil)
	_ engine.Opener   = (*Engine)(nil)
	_ engine.SignIner = (*Engine)(nil)
)

// New makes the engine of a program. It starts nothing.
func New(agent Agent, opts Options) *Engine {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	e := &Engine{agent: agent, opts: opts, times: opts.Timings.withDefaults()}
	e.times.Start = cmp.Or(agent.StartTimeout, e.times.Start)
	e.chats.Idle = e.times.Idle
	e.program = program.Program{
		ID: agent.ID, Name: agent.Name, Command: agent.Command, Args: agent.Args,
		Env: child.Environ(opts.Environ, expand(agent.PassEnv, opts.Environ), agent.DropEnv, agent.Env), Guard: opts.Guard,
		VersionArgs: agent.VersionArgs, Oldest: agent.Oldest, Install: agent.Install,
		VersionLimit: e.times.Version, Remembered: e.times.Remembered, Now: opts.Now, Log: opts.Log,
	}
	return e
}

// Info names the program.
func (e *Engine) Info() engine.Info { return engine.Info{ID: e.agent.ID, Name: e.agent.Name} }

// Agent is the row of the table that this engine drives.
func (e *Engine) Agent() Agent { return e.agent }

// ForgetSession has nothing to remove: the program keeps its own sessions, and
// this engine keeps none on disk.
func (e *Engine) ForgetSession(context.Context, string) error { return nil }
