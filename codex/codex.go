// Package codex is the Engine for Codex, by its app-server protocol over stdin
// and stdout: Codex 0.159 to 0.171 as measured.
//
// It keeps one process a chat, warm between turns, each in a Codex home of its own
// that lives as long as the process (home.go). A chat's thread is kept between two
// lives of the program (kept.go) and resumed by id, as long as Conch's tools are
// the same. What Codex asks is put to the person by the same rules as for every
// provider, and whatever reaches further than one call inside the sandbox is
// declined first.
//
// The package draws nothing and decides no permission.
package codex

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"conch/child"
	"conch/engine"
	"conch/program"
)

// Agent is the program that an Engine drives.
type Agent struct {
	ID      string   // what a person types
	Name    string   // what a person reads
	Command string   // a path, or a name that is looked up on the PATH
	Args    []string // "app-server", and what stands before it
	Env     []string // KEY=value that the person set for it
	PassEnv []string // names passed on from Conch's own; one * stands for any run of characters
	Model   string   // the model of config.toml, when the chat chose none

	// AskVersion: the command with --version prints its version. A wrapper of the
	// person's own is not asked.
	AskVersion   bool
	StartTimeout time.Duration
}

// Usual is Codex as it is installed.
func Usual() Agent {
	return Agent{ID: "codex", Name: "Codex", Command: "codex", Args: []string{"app-server"}, AskVersion: true}
}

const (
	oldest  = "0.159.0"
	install = "npm install -g @openai/codex"
	signIn  = "codex login"
)

// Options is what an Engine is given of the world around it.
type Options struct {
	Home    string   // CONCH_HOME: run homes and kept threads are below it
	Environ []string // Conch's own environment, KEY=value
	Guard   *child.Guard
	Log     func(code, line string) // redacted, cleaned, at most 200 characters; nil: nothing is logged
	Now     func() time.Time        // nil: time.Now

	ClientVersion string
	Timings       Timings
}

// Timings are the limits of time of an Engine. A zero field is its default.
type Timings struct {
	Start      time.Duration // initialize; 30 s, Agent.StartTimeout goes first
	Thread     time.Duration // thread/start and resume; 45 s
	Asking     time.Duration // account/read and model/list; 15 s
	Stop       time.Duration // from Stop until the process is given up; 2 s
	Silence    time.Duration // without a word, until a turn says what it waits for; 10 s
	Idle       time.Duration // an unused process is let go; 5 min
	Note       time.Duration // how often descendants are noted in a turn; 1 s
	Version    time.Duration // the version question; 10 s
	Remembered time.Duration // how long Health is remembered; 20 s
}

func (t Timings) withDefaults() Timings {
	t.Start = cmp.Or(t.Start, 30*time.Second)
	t.Thread = cmp.Or(t.Thread, 45*time.Second)
	t.Asking = cmp.Or(t.Asking, 15*time.Second)
	t.Stop = cmp.Or(t.Stop, 2*time.Second)
	t.Silence = cmp.Or(t.Silence, 10*time.Second)
	t.Idle = cmp.Or(t.Idle, 5*time.Minute)
	t.Note = cmp.Or(t.Note, time.Second)
	t.Version = cmp.Or(t.Version, 10*time.Second)
	t.Remembered = cmp.Or(t.Remembered, 20*time.Second)
	return t
}

// Engine drives Codex. It meets engine.Engine, engine.Opener, engine.SignIner,
// engine.SessionNamer and engine.Steerer.
type Engine struct {
	agent  Agent
	opts   Options
	times  Timings
	own    string // the person's Codex home: their sign-in and their config
	stores *stores

	program program.Program
	chats   program.Chats[*process]
	calls   sync.WaitGroup // of tools, and to the program, that go on behind the end of their turn
	turns   atomic.Int64
	listed  atomic.Int64 // models of the last start
	sweep   sync.Once
}

var (
	_ engine.Engine       = (*Engine)(nil)
	_ engine.Opener       = (*Engine)(nil)
	_ engine.SignIner     = (*Engine)(nil)
	_ engine.SessionNamer = (*Engine)(nil)
	_ engine.Steerer      = (*Engine)(nil)
)

// New makes the engine. It starts nothing and touches no file.
func New(agent Agent, opts Options) *Engine {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	e := &Engine{agent: agent, opts: opts, times: opts.Timings.withDefaults()}
	e.times.Start = cmp.Or(agent.StartTimeout, e.times.Start)
	e.own = ownHome(append(append([]string(nil), opts.Environ...), agent.Env...))
	e.stores = newStores(opts.Home, e.own, opts.Now)
	e.chats.Idle = e.times.Idle
	e.program = program.Program{
		ID: agent.ID, Name: agent.Name, Command: agent.Command, Args: agent.Args,
		Env: child.Environ(opts.Environ, agent.PassEnv, nil, agent.Env), Guard: opts.Guard,
		Oldest: oldest, VersionLimit: e.times.Version, Remembered: e.times.Remembered, Now: opts.Now, Log: opts.Log,
	}
	if agent.AskVersion {
		e.program.VersionArgs, e.program.Install = []string{"--version"}, install
	}
	return e
}

// ownHome is where the person's Codex keeps its things.
func ownHome(environ []string) string {
	if dir := variable(environ, "CODEX_HOME"); dir != "" {
		return dir
	}
	home := variable(environ, "HOME")
	if home == "" {
		home = variable(environ, "USERPROFILE")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".codex")
}

// variable is the value of a name in an environment; the last one counts.
func variable(environ []string, name string) (value string) {
	for _, entry := range environ {
		if len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
			value = entry[len(name)+1:]
		}
	}
	return value
}

// Info names the program.
func (e *Engine) Info() engine.Info { return engine.Info{ID: e.agent.ID, Name: e.agent.Name} }

// ForgetSession removes a kept thread. An id that does not parse is ignored.
func (e *Engine) ForgetSession(_ context.Context, resumeID string) error {
	thread, _, ok := parseResume(resumeID)
	if !ok {
		return nil
	}
	return e.stores.forget(thread)
}

// AppSession gives the thread's id, by which Codex itself knows it.
func (e *Engine) AppSession(resumeID string) string {
	thread, _, _ := parseResume(resumeID)
	return thread
}

const (
	maxErrorLine = 200
	maxName      = 200
	maxOutput    = 8000 // characters of a row's output, the last ones
)
