package allchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"conch/allchat/record"
	"conch/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// player is an engine whose turns a test plays.
type player struct {
	id       string
	play     func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result
	openFail error
	health   engine.Health
	handless bool
	session  string // its new sessions have this id; "" is one of their own each
	forgets  bool   // what it is to carry on is gone

	mu       sync.Mutex
	opened   []engine.TurnInput
	inputs   []engine.TurnInput
	sinks    []engine.Sink
	released int
	closed   bool
}

func (p *player) Info() engine.Info {
	return engine.Info{ID: p.id, Name: strings.ToUpper(p.id[:1]) + p.id[1:]}
}
func (p *player) Handless() bool { return p.handless }
func (p *player) Health(context.Context) engine.Health {
	if p.health.State == "" {
		return engine.Health{State: engine.Ready, Version: "1.2.3", Capabilities: []string{"loads sessions", engine.TakesImages}}
	}
	return p.health
}

func (p *player) Open(_ context.Context, in engine.TurnInput, sink engine.Sink) error {
	p.mu.Lock()
	p.opened = append(p.opened, in)
	n := len(p.opened)
	p.mu.Unlock()
	if p.openFail != nil {
		return p.openFail
	}
	s := engine.Session{ResumeID: in.ResumeID}
	if s.ResumeID == "" || p.forgets {
		if s.ResumeID = p.session; s.ResumeID == "" {
			s.ResumeID = fmt.Sprintf("%s-session-%d", p.id, n)
		}
	}
	sink.Emit(s)
	return nil
}

func (p *player) Turn(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
	p.mu.Lock()
	p.inputs = append(p.inputs, in)
	p.sinks = append(p.sinks, sink)
	p.mu.Unlock()
	sink.Emit(engine.Session{ResumeID: in.ResumeID})
	return p.play(ctx, in, sink)
}

func (p *player) Release(string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released++
}
func (p *player) ForgetSession(context.Context, string) error { return nil }
func (p *player) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return nil
}

func (p *player) prompts() (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, in := range p.inputs {
		all = append(all, in.Prompt)
	}
	return all
}

func (p *player) was() (released int, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.released, p.closed
}

// speaks is a turn that ends with these words.
func speaks(words string) func(context.Context, engine.TurnInput, engine.Sink) engine.Result {
	return func(_ context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Emit(engine.Text{MessageID: "m", Delta: words})
		return engine.Result{Outcome: engine.Success, Accepted: true}
	}
}

// untilStopped is a turn that goes on until it is stopped.
func untilStopped(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
	sink.Emit(engine.Text{MessageID: "m", Delta: "half a word"})
	<-ctx.Done()
	return engine.Result{Outcome: engine.Interrupted}
}

// call calls a tool that the turn was given.
func call(ctx context.Context, in engine.TurnInput, name, args string) (string, error) {
	i := slices.IndexFunc(in.Tools, func(t engine.Tool) bool { return t.Name() == name })
	if i < 0 {
		return "", errors.New("there is no " + name)
	}
	res, err := in.Tools[i].Call(engine.WithCall(ctx, "call-"+name), json.RawMessage(args))
	return res.Text, err
}

func names(tools []engine.Tool) (all []string) {
	for _, t := range tools {
		all = append(all, t.Name())
	}
	return all
}

// clock is a time that a test moves.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []wait
}

type wait struct {
	at time.Time
	c  chan time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 9, 14, 8, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := wait{c.now.Add(d), make(chan time.Time, 1)}
	if d <= 0 {
		w.c <- c.now
		return w.c
	}
	c.waits = append(c.waits, w)
	return w.c
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.waits = slices.DeleteFunc(c.waits, func(w wait) bool {
		if w.at.After(c.now) {
			return false
		}
		w.c <- c.now
		return true
	})
}

// waiting tells that somebody waits for a time from now.
func (c *clock) waiting(d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.waits, func(w wait) bool { return w.at.Equal(c.now.Add(d)) })
}

// table is a home, a folder, a clock and engines: all that a test of runs needs.
type table struct {
	*testing.T
	home, folder string
	clock        *clock
	engines      map[string]func() *player
	made         []*player
	tools        func(Turn) []engine.Tool
	runs         *Runs
	mu           sync.Mutex
}

func newTable(t *testing.T) *table {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{T: t, home: filepath.Join(dir, "conch"), folder: filepath.Join(dir, "shop"), clock: newClock(), engines: map[string]func() *player{}}
	for _, dir := range []string{tb.home, tb.folder} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tb.reopen()
	return tb
}

// reopen is another process on the same home.
func (tb *table) reopen() {
	tb.Helper()
	var err error
	tb.runs, err = Open(tb.home, Deps{
		Engine: func(provider string) (engine.Engine, error) {
			make := tb.engines[provider]
			if make == nil {
				return nil, errors.New(provider + " is not set up here")
			}
			p := make()
			tb.mu.Lock()
			tb.made = append(tb.made, p)
			tb.mu.Unlock()
			return p, nil
		},
		Tools: func(t Turn) []engine.Tool {
			if tb.tools == nil {
				return nil
			}
			return tb.tools(t)
		},
		UserHome: "/home/somebody", Clock: tb.clock, Logf: tb.Logf,
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// engine makes a provider of one player; whoever takes part has it alone.
func (tb *table) engine(id string, play func(context.Context, engine.TurnInput, engine.Sink) engine.Result) *player {
	p := &player{id: id, play: play}
	tb.engines[id] = func() *player { return p }
	return p
}

// plan is a run of these providers, the coordinator first. "!" before one makes it a
// reviewer.
func (tb *table) plan(providers ...string) Plan {
	p := Plan{Folder: tb.folder, Coordinator: Pick{Provider: providers[0]}}
	for _, each := range providers[1:] {
		id, reviewer := strings.CutPrefix(each, "!")
		pick := Pick{Provider: id}
		if reviewer {
			pick.Role = record.RoleReviewer
		}
		p.Others = append(p.Others, pick)
	}
	return p
}

func (tb *table) start(providers ...string) *Run {
	tb.Helper()
	run, err := tb.runs.Start(tb.Context(), tb.plan(providers...))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := run.Close(); err != nil {
			tb.Error(err)
		}
	})
	return run
}

func (tb *table) ok(err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func (tb *table) code(err error, want record.Code) {
	tb.Helper()
	if got := record.CodeOf(err); got != want {
		tb.Errorf("%v has the code %q, want %q", err, got, want)
	}
}

// until waits for the run to be as is says.
func (tb *table) until(run *Run, what string, is func(Snapshot) bool) Snapshot {
	tb.Helper()
	limit := time.After(20 * time.Second)
	for {
		s := run.Snapshot()
		if is(s) {
			return s
		}
		select {
		case <-run.Changed():
		case <-limit:
			tb.Fatalf("it did not come to this: %s\n%s", what, story(s.State))
		}
	}
}

// idle waits until nobody works.
func (tb *table) idle(run *Run) Snapshot {
	tb.Helper()
	return tb.until(run, "nobody works", func(s Snapshot) bool {
		return !s.State.TurnOpen && !slices.ContainsFunc(s.Participants, func(p Participant) bool { return p.Working || p.Queued > 0 }) &&
			!slices.ContainsFunc(s.State.Tasks, func(t record.Task) bool { return t.Status == record.TaskOpen && !t.Recoverable })
	})
}

// say sends a message and waits until all is done.
func (tb *table) say(run *Run, words string) Snapshot {
	tb.Helper()
	tb.ok(run.Say(tb.Context(), words))
	return tb.idle(run)
}

// soon waits for something that is no part of a snapshot.
func (tb *table) soon(what string, is func() bool) {
	tb.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("it did not come to this: %s", what)
		}
	}
}

// story is a record in a line each.
func story(s *record.State) string {
	var b strings.Builder
	for _, e := range s.Events {
		fmt.Fprintf(&b, "%d %s by %s turn %d cause %d", e.Seq, e.Kind(), e.By, e.Turn, e.Cause)
		switch body := e.Body.(type) {
		case record.PersonMessage:
			fmt.Fprintf(&b, ": %s", body.Text)
		case record.CoordinatorMessage:
			fmt.Fprintf(&b, ": %s", body.Text)
		case record.Synthesis:
			fmt.Fprintf(&b, " of %v: %s", body.Tasks, body.Text)
		case record.TaskResult:
			fmt.Fprintf(&b, ": %s", body.Text)
		case record.TaskFailed:
			fmt.Fprintf(&b, " %s: %s", body.Task, body.Code)
		case record.TurnFailed:
			fmt.Fprintf(&b, ": %s", body.Code)
		case record.PermissionDecided:
			fmt.Fprintf(&b, ": %s %s", body.Decision, body.Option)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// kinds are the kinds of a record's events, without those that only inform.
func kinds(s *record.State) (all []record.Kind) {
	for _, e := range s.Events {
		switch e.Kind() {
		case record.KindHandoff, record.KindTaskStarted, record.KindToolActivity, record.KindEvidenceBound:
		default:
			all = append(all, e.Kind())
		}
	}
	return all
}

func last(s *record.State, k record.Kind) record.Event {
	for _, e := range slices.Backward(s.Events) {
		if e.Kind() == k {
			return e
		}
	}
	return record.Event{}
}

func count(s *record.State, k record.Kind) (n int) {
	for _, e := range s.Events {
		if e.Kind() == k {
			n++
		}
	}
	return n
}
