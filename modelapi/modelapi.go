// Package modelapi is the Engine for model APIs: OpenAI's Chat Completions and
// Responses, and Anthropic's Messages, wherever they are served: by a company, by
// a server of the person's own, or by Ollama, LM Studio, llama.cpp or vLLM on
// their machine.
//
// Such an API gives words and calls of tools and nothing else. So what a program
// does by itself for the other providers is done here: the history of a chat is
// kept and sent, calls are run by Conch's own tools, a request that fails in
// passing is sent again, and a history that outgrows the model's window is folded.
//
// The package draws nothing and decides no permission: a tool asks for itself.
package modelapi

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"conch/engine"
	"conch/program"
)

// Kind is the form in which an API is asked.
type Kind string

// The kinds.
const (
	OpenAI    Kind = "openai" // chat completions
	Responses Kind = "openai-responses"
	Anthropic Kind = "anthropic"
)

// API is one model API.
type API struct {
	ID    string // what a person types
	Name  string // what a person reads; "" is ID
	Kind  Kind
	URL   string // with or without the path of its version
	Model string // "" is the only one that there is, or of a local server the first

	Context int  // its window in tokens; 0: what the server says
	Lean    bool // short instructions and few tools

	// The key, at most one of the three. Without any, none is sent.
	Key        string
	KeyEnv     string // a variable of Options.Environ
	KeyKeyring string // an entry of the system's keyring

	// Usual is the server that is looked for at its usual address, nil for an API of
	// config.toml. It is offered only while it answers.
	Usual *Server
}

// Options is what an Engine is given of the world around it.
type Options struct {
	Home    string   // CONCH_HOME: sessions are kept below it
	Environ []string // Conch's own environment, KEY=value
	// Secret reads an entry of the system's keyring; nil: there is none.
	Secret func(entry string) (string, error)
	// Swap puts the instructions' words on how to work into another form.
	Swap func(system string, form engine.Form) string
	// Small reports that a tool of Conch's is offered in lean mode too; nil: all are.
	Small func(tool string) bool

	Log func(code, line string)                          // redacted, cleaned, at most 200 characters; nil: nothing is logged
	Now func() time.Time                                 // nil: time.Now
	Nap func(ctx context.Context, d time.Duration) error // waits; nil: by the clock

	ClientVersion string
	Timings       Timings
}

// Timings are the limits of time of an Engine. A zero field is its default.
type Timings struct {
	Connect    time.Duration // until a connection stands; 10 s
	Silence    time.Duration // without a word, until a turn says what it waits for; 10 s
	Dead       time.Duration // without a byte, until a stream counts as broken; 5 min
	Probe      time.Duration // a question of Health's; 2 s
	Remembered time.Duration // how long Health and the list of models are remembered; 20 s
	Retry      time.Duration // the first wait before a request is sent again; 1 s
	MaxRetry   time.Duration // the longest wait that a server may ask for; 60 s
}

func (t Timings) withDefaults() Timings {
	t.Connect = cmp.Or(t.Connect, 10*time.Second)
	t.Silence = cmp.Or(t.Silence, 10*time.Second)
	t.Dead = cmp.Or(t.Dead, 5*time.Minute)
	t.Probe = cmp.Or(t.Probe, 2*time.Second)
	t.Remembered = cmp.Or(t.Remembered, 20*time.Second)
	t.Retry = cmp.Or(t.Retry, time.Second)
	t.MaxRetry = cmp.Or(t.MaxRetry, time.Minute)
	return t
}

// Engine drives one model API. It meets engine.Engine, engine.Opener,
// engine.Handless, engine.Formed, engine.Local and engine.Elusive.
type Engine struct {
	api     API
	opts    Options
	times   Timings
	name    string
	program *program.Program // what every provider has: its log, and what was ignored
	at      address
	problem error // the address can't be used
	dialect dialect
	http    *http.Client
	kept    *keeper
	sweep   sync.Once

	life context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	closed bool
	warm   map[string]*session // by conversation
	quirks quirks
	known  knowledge
	health remembered
}

var (
	_ engine.Engine   = (*Engine)(nil)
	_ engine.Opener   = (*Engine)(nil)
	_ engine.Handless = (*Engine)(nil)
	_ engine.Formed   = (*Engine)(nil)
	_ engine.Local    = (*Engine)(nil)
	_ engine.Elusive  = (*Engine)(nil)
)

// New makes the engine. It asks nothing and touches no file.
func New(api API, opts Options) *Engine {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Nap == nil {
		opts.Nap = nap
	}
	if opts.Swap == nil {
		opts.Swap = func(system string, _ engine.Form) string { return system }
	}
	if api.Usual != nil && opts.Timings.Probe == 0 {
		opts.Timings.Probe = 500 * time.Millisecond // it is on this machine, or it is not there
	}
	e := &Engine{api: api, opts: opts, times: opts.Timings.withDefaults(), name: cmp.Or(api.Name, api.ID), warm: map[string]*session{}}
	e.program = &program.Program{ID: api.ID, Log: opts.Log}
	e.life, e.end = context.WithCancel(context.Background())
	e.at, e.problem = parseAddress(api.URL, api.Kind)
	e.dialect = dialectOf(api.Kind)
	e.http = newClient(e.at, e.times)
	e.kept = newKeeper(opts.Home, opts.Now)
	return e
}

// Info names the API.
func (e *Engine) Info() engine.Info { return engine.Info{ID: e.api.ID, Name: e.name} }

// Handless reports that the model has no tools of its own.
func (e *Engine) Handless() bool { return true }

// Local reports that the model runs on the person's own machine or in their house.
func (e *Engine) Local() bool { return e.at.local() }

// Elusive reports that the server was not configured: it is offered only while it
// answers.
func (e *Engine) Elusive() bool { return e.api.Usual != nil }

// Unheard counts the events that were ignored because their kind is not known, since
// the start.
func (e *Engine) Unheard() map[string]int { return e.program.Unheard() }

// Release lets the history of a conversation go; it stays on the disk.
func (e *Engine) Release(conversationID string) {
	e.mu.Lock()
	s := e.warm[conversationID]
	delete(e.warm, conversationID)
	e.mu.Unlock()
	if s != nil {
		s.busy.Lock() // a turn that still runs has it
		defer s.busy.Unlock()
	}
}

// ForgetSession removes what is kept of a session. An id of another form is
// ignored.
func (e *Engine) ForgetSession(_ context.Context, resumeID string) error {
	return e.kept.forget(resumeID)
}

// Close ends what runs and waits until it is gone.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.end()
	e.work.Wait()
	e.http.CloseIdleConnections()
	return nil
}

// logf writes a line to Conch's own log.
func (e *Engine) logf(code, format string, args ...any) {
	e.program.Logf(code, format, args...)
}

// nap waits, or until ctx is done.
func nap(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// variable is the value of a name in an environment; the last one counts.
func variable(environ []string, name string) (value string) {
	for _, entry := range environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}
