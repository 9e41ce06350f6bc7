package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"conch/demo"
	"conch/engine"
)

// The test binary is also the programs that the tests drive: the demo agent, a
// player of recordings, an agent with a script.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv("ACP_TEST_DEMO") != "":
		err := demo.Run(context.Background(), demo.Host{
			In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(),
			Self: []string{os.Args[0]}, Args: os.Args[1:],
		})
		var exit *demo.ExitError
		if errors.As(err, &exit) {
			os.Exit(exit.Code)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case os.Getenv("ACP_TEST_PLAY") != "":
		os.Exit(play(os.Getenv("ACP_TEST_PLAY"), os.Getenv("ACP_TEST_SIGNALS")))
	case os.Getenv("ACP_TEST_STAMP") != "":
		stamp(os.Stdin, os.Stdout)
		os.Exit(0)
	case os.Getenv("ACP_TEST_SCRIPT") != "":
		os.Exit(runScript(os.Getenv("ACP_TEST_SCRIPT"), os.Getenv("ACP_TEST_SIGNALS")))
	}
	goleak.VerifyTestMain(m)
}

// quick are limits of time that do not hold the tests up.
func quick() Timings {
	return Timings{
		Start: 20 * time.Second, Session: 20 * time.Second, Setting: 20 * time.Second,
		Grace: 40 * time.Millisecond, Quiet: 120 * time.Millisecond,
		Silence: time.Minute, Idle: time.Minute, Note: 50 * time.Millisecond,
	}
}

// testAgent is a row that starts this test binary with a variable set.
func testAgent(t *testing.T, agent Agent, env ...string) Agent {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	agent.Command, agent.Args, agent.VersionArgs = self, nil, nil
	// The race detector keeps a program for a second after its end.
	agent.Env = append(append([]string{"GORACE=atexit_sleep_ms=0"}, agent.Env...), env...)
	if agent.ID == "" {
		agent.ID, agent.Name = "test", "Test Agent"
	}
	return agent
}

func testEngine(t *testing.T, agent Agent, timings Timings) *Engine {
	t.Helper()
	e := New(agent, Options{Environ: os.Environ(), Timings: timings, Log: func(code, line string) { t.Logf("log %s: %s", code, line) }})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// tape is a sink that keeps everything as text that a person can read. Its
// answers come from ask and question.
type tape struct {
	mu       sync.Mutex
	lines    []string
	state    []string
	cards    []*tape // what was asked, in its order
	events   []engine.Event
	ids      map[string]string // made short
	growing  string            // the message whose pieces are being joined
	words    strings.Builder
	changed  chan struct{} // closed and made anew at each change
	ask      func(ctx context.Context, p engine.Permission) engine.Decision
	asked    chan struct{} // holds one for each question
	question func(ctx context.Context, q engine.Question) engine.Answer
	sessions []engine.Session
}

func newTape() *tape {
	return &tape{ids: map[string]string{}, changed: make(chan struct{}), asked: make(chan struct{}, 100)}
}

func (s *tape) Emit(ev engine.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, ev)
	s.write(ev)
	close(s.changed)
	s.changed = make(chan struct{})
}

// Ask keeps a card apart: it is put on a goroutine of its own, so its place among
// the events is not fixed.
func (s *tape) Ask(ctx context.Context, p engine.Permission) engine.Decision {
	card := &tape{ids: s.ids}
	card.line("? %s", strings.TrimRight(fmt.Sprintf("%s · %s (%s) %s", p.Tool, quoted(p.Subject), p.Kind, strings.Join(p.Paths, " ")), " "))
	for _, o := range p.Options {
		card.line("    [%s] %s", o.Kind, o.Name)
	}
	card.diffs(p.Diffs)
	s.mu.Lock()
	s.cards = append(s.cards, card)
	ask := s.ask
	s.mu.Unlock()
	s.asked <- struct{}{}
	d := engine.Decision{Verdict: engine.Cancelled}
	if ask != nil {
		d = ask(ctx, p)
	} else {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return d
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	card.line("  → %s", cmp.Or(strings.TrimSpace(string(d.Verdict)+" "+d.OptionID), "nothing"))
	return d
}

func (s *tape) Question(ctx context.Context, q engine.Question) engine.Answer {
	s.mu.Lock()
	s.flush()
	s.line("? %s %s", q.Title, q.URL)
	for _, f := range q.Fields {
		s.line("    %s (%s) %q required=%v %v", f.Name, f.Kind, f.Label, f.Required, f.Options)
	}
	answer := s.question
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	if answer == nil {
		<-ctx.Done()
		return engine.Answer{Cancelled: true}
	}
	return answer(ctx, q)
}

// wait waits until the tape holds what ok looks for.
func (s *tape) wait(t *testing.T, what string, ok func(events []engine.Event) bool) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		found, changed := ok(s.events), s.changed
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("%s did not come; so far:\n%s", what, s.text())
		}
	}
}

func (s *tape) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	lines := slices.Clone(s.lines)
	for _, card := range s.cards {
		lines = append(lines, card.lines...)
	}
	return strings.Join(lines, "\n") + "\n"
}

func (s *tape) line(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// flush writes the message that was growing.
func (s *tape) flush() {
	if s.growing != "" {
		s.line("%s", indent(s.growing, s.words.String()))
		s.growing = ""
		s.words.Reset()
	}
}

func (s *tape) short(id, letter string) string {
	if s.ids[id] == "" {
		n := 1
		for _, known := range s.ids {
			if strings.HasPrefix(known, letter) {
				n++
			}
		}
		s.ids[id] = fmt.Sprintf("%s%d", letter, n)
	}
	return s.ids[id]
}

func (s *tape) grow(label, delta string) {
	if s.growing != label {
		s.flush()
		s.growing = label
	}
	s.words.WriteString(delta)
}

func (s *tape) write(ev engine.Event) {
	switch ev := ev.(type) {
	case engine.Text:
		s.grow(s.short(ev.MessageID, "m")+" says: ", ev.Delta)
		return
	case engine.Thought:
		s.grow(s.short(ev.MessageID, "m")+" thinks: ", ev.Delta)
		return
	}
	switch ev := ev.(type) {
	case engine.Usage, engine.Commands, engine.Offers, engine.Title:
		s.state = append(s.state, stateLine(ev)) // no part of the turn's course
		return
	}
	s.flush()
	switch ev := ev.(type) {
	case engine.Session:
		s.sessions = append(s.sessions, ev)
		s.line("session %s%s", s.short(ev.ResumeID, "s"), strings.TrimRight(" "+ev.Restarted, " "))
	case engine.MessageDone:
		s.line("%s done", s.short(ev.MessageID, "m"))
	case engine.Retract:
		s.line("%s taken back", s.short(ev.MessageID, "m"))
	case engine.ToolStart:
		s.line("⋯ %s · %s (%s) %s", ev.Name, quoted(ev.Subject), ev.Kind, s.short(ev.ToolUseID, "t"))
		s.view(ev.View)
	case engine.ToolUpdate:
		if ev.Name+ev.Subject+ev.Output != "" || !reflect.DeepEqual(ev.View, engine.View{}) {
			s.line("… %s", strings.TrimRight(s.short(ev.ToolUseID, "t")+" "+strings.TrimSpace(ev.Name+" "+ev.Subject), " "))
		}
		s.view(ev.View)
		if ev.Output != "" {
			s.line("%s", indent("    | ", clip(ev.Output)))
		}
	case engine.ToolEnd:
		sign := map[engine.ToolStatus]string{
			engine.ToolSuccess: "✓", engine.ToolError: "✗", engine.ToolNotRun: "⊘", engine.ToolUnknown: "?",
		}[ev.Status]
		s.line("%s %s %s", sign, s.short(ev.ToolUseID, "t"), strings.TrimSpace(string(ev.Status)+" "+ev.Reason))
		s.view(ev.View)
		if ev.Output != "" {
			s.line("%s", indent("    | ", clip(ev.Output)))
		}
	case engine.Plan:
		for _, step := range ev.Steps {
			s.line("plan %s: %s", step.Status, step.Title)
		}
	case engine.Notice:
		s.line("notice %s: %s", ev.Code, ev.Message)
	case engine.Waiting:
		s.line("waiting: %s", cmp.Or(ev.Text, "no more"))
	}
}

func stateLine(ev engine.Event) string {
	switch ev := ev.(type) {
	case engine.Usage:
		return "usage " + asJSON(ev)
	case engine.Commands:
		var names []string
		for _, c := range ev.List {
			names = append(names, "/"+c.Name)
		}
		return "commands " + strings.Join(names, " ")
	case engine.Offers:
		return fmt.Sprintf("offers model %s of %s · mode %s of %s · effort %s of %s", cmp.Or(ev.Model, "-"), named(ev.Models),
			cmp.Or(ev.Mode, "-"), named(ev.Modes), cmp.Or(ev.Effort, "-"), named(ev.Efforts))
	case engine.Title:
		return "title " + ev.Text
	}
	return ""
}

func named(list []engine.Choice) string {
	var ids []string
	for _, c := range list {
		id := c.ID
		if c.AsksNothing {
			id += "!"
		}
		ids = append(ids, id)
	}
	return "[" + strings.Join(ids, " ") + "]"
}

func (s *tape) view(v engine.View) {
	s.diffs(v.Diffs)
	if len(v.Locations) > 0 {
		s.line("    at %s", strings.Join(v.Locations, " "))
	}
	if v.ExitCode != nil {
		s.line("    exit %d", *v.ExitCode)
	}
	if v.Result != "" {
		s.line("    = %s", v.Result)
	}
}

func (s *tape) diffs(diffs []engine.Diff) {
	for _, d := range diffs {
		where := d.Path
		if d.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, d.Line)
		}
		s.line("    diff %s", where)
		if d.Old != nil {
			s.line("%s", indent("      - ", clip(*d.Old)))
		}
		if d.New != nil {
			s.line("%s", indent("      + ", clip(*d.New)))
		}
	}
}

func (s *tape) end(r engine.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	s.line("end %s%s model=%s accepted=%v", r.Outcome, strings.TrimRight(" "+string(r.Problem), " "), cmp.Or(r.Model, "-"), r.Accepted)
	if r.Paused {
		s.line("    paused")
	}
	if r.Error != "" {
		s.line("    %s", r.Error)
		s.line("    → %s", r.Next)
	}
}

func quoted(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }

// clip keeps a golden short: the ends of a long text, and how long it is.
func clip(s string) string {
	s = strings.TrimRight(s, "\n")
	if lines := strings.Split(s, "\n"); len(lines) > 12 {
		s = strings.Join(lines[:4], "\n") + fmt.Sprintf("\n(%d lines)\n", len(lines)-8) + strings.Join(lines[len(lines)-4:], "\n")
	}
	if r := []rune(s); len(r) > 1200 {
		s = string(r[:500]) + fmt.Sprintf(" (%d characters) ", len(r)-1000) + string(r[len(r)-500:])
	}
	return s
}

func indent(label, text string) string {
	text = clip(text)
	pad := strings.Repeat(" ", len([]rune(label)))
	if strings.Contains(label, "|") || strings.HasSuffix(label, "- ") || strings.HasSuffix(label, "+ ") {
		pad = label
	}
	return strings.TrimRight(label+strings.ReplaceAll(text, "\n", "\n"+pad), " ")
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
