package codex

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/engine"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Recordings in which the other side does what Conch never does, or in which no
// turn is taken by one thread of one program.
var unplayable = map[string]string{
	"auth-": "the sign-in is asked for in another way", "initialize-and-lists": "no turn", "two-threads": "one chat is one thread", "turn-items.2": "no turn",
	"without-experimental-api": "refused", "config-bad": "no thread", "profile-no-default": "no thread", "fork": "no fork",
	"resume-damaged": "tried with the files themselves", "resume-flat-folder": "the same", "resume-history-mode": "the same",
	"version-cross": "the same", "profile-resume": "the same", "resume-after-kill": "the same", "compact": "Conch never asks for it",
	"command-error-answer": "Conch never answers so", "command-unknown-decision": "the same", "dynamic-error": "the same", "code-mode": "",
}

func isUnplayable(name string) bool {
	for prefix, why := range unplayable {
		if why != "" && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Every recording of the real program that has a turn, played against the engine:
// what a person would have seen stands in the golden beside it.
func TestReplaysOfTheRealCodex(t *testing.T) {
	paths, err := filepath.Glob("testdata/wire/*/*.ndjson")
	if err != nil || len(paths) < 100 {
		t.Fatalf("recordings are missing: %d found, %v", len(paths), err)
	}
	played := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".ndjson")
		if isUnplayable(name) {
			continue
		}
		version := filepath.Base(filepath.Dir(path))
		t.Run(version+"/"+name, func(t *testing.T) {
			got := replay(t, path)
			golden := strings.TrimSuffix(path, ".ndjson") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
		played++
	}
	if played < 60 {
		t.Errorf("only %d were played", played)
	}
}

// script is what the person and the tools answered in a recording.
type script struct {
	says    []string // messages
	answers []map[string]any
	tools   []engine.Tool
	resume  string // the thread that is resumed
	stops   int    // the message whose turn is stopped; -1: none
	asked   int    // how often its turn asks before
	steers  string
}

func readScript(t *testing.T, all []recorded) script {
	t.Helper()
	s := script{stops: -1}
	for _, r := range all {
		if r.Dir != "out" {
			if s.stops < 0 && strings.HasSuffix(r.method(), "/requestApproval") {
				s.asked++
			}
			continue
		}
		params, _ := r.Msg["params"].(map[string]any)
		switch r.method() {
		case "turn/start":
			if s.steers != "" {
				continue // it went into the running one
			}
			if s.stops < 0 {
				s.asked = 0
			}
			input, _ := params["input"].([]any)
			first, _ := input[0].(map[string]any)
			s.says = append(s.says, fmt.Sprint(first["text"]))
		case "turn/interrupt":
			if s.stops < 0 { // a second one came when nothing ran
				s.stops = len(s.says) - 1
			}
		case "turn/steer":
			s.steers = "steer now"
		case "thread/resume":
			s.resume = fmt.Sprint(params["threadId"])
		case "thread/start":
			tools, _ := params["dynamicTools"].([]any)
			for _, each := range tools {
				tool, _ := each.(map[string]any)
				s.tools = append(s.tools, &standIn{name: fmt.Sprint(tool["name"]), script: &s})
			}
		case "":
			if result, _ := r.Msg["result"].(map[string]any); result != nil && s.stops != len(s.says)-1 {
				s.answers = append(s.answers, result)
			}
		}
	}
	return s
}

// standIn is a tool that gives what the recording gave.
type standIn struct {
	name   string
	script *script
	mu     sync.Mutex
	n      int
	begun  atomic.Bool
}

func (s *standIn) Name() string            { return s.name }
func (s *standIn) Description() string     { return "stands in" }
func (s *standIn) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (s *standIn) Call(ctx context.Context, _ json.RawMessage) (engine.ToolResult, error) {
	s.begun.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; s.n < len(s.script.answers); s.n++ {
		a := s.script.answers[s.n]
		items, ok := a["contentItems"].([]any)
		if !ok {
			continue
		}
		s.n++
		first, _ := items[0].(map[string]any)
		text := fmt.Sprint(first["text"])
		if a["success"] == false {
			return engine.ToolResult{}, fmt.Errorf("%s", text)
		}
		return engine.ToolResult{Text: text}, nil
	}
	<-ctx.Done()
	return engine.ToolResult{}, ctx.Err()
}

// watcher is a sink that writes down what it sees and answers as the recording did.
type watcher struct {
	answers []map[string]any

	mu    sync.Mutex
	lines []string
	asked []string // beside them: a question waits while other things are said
	n     int
}

func (w *watcher) hasAsked(n int, stops bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !stops || len(w.asked) >= n
}

// all is what was seen since the last time.
func (w *watcher) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := append(w.lines, w.asked...)
	w.lines, w.asked = nil, nil
	return all
}

func (w *watcher) Emit(ev engine.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if line := told(ev); line != "" {
		w.lines = append(w.lines, line)
	}
}

func (w *watcher) next(keep func(map[string]any) bool) map[string]any {
	for ; w.n < len(w.answers); w.n++ {
		if a := w.answers[w.n]; keep(a) {
			w.n++
			return a
		}
	}
	return nil
}

func (w *watcher) Ask(ctx context.Context, p engine.Permission) engine.Decision {
	w.mu.Lock()
	a := w.next(func(a map[string]any) bool { return a["decision"] != nil || a["action"] != nil })
	w.asked = append(w.asked, fmt.Sprintf("ask %s %s %q paths %q diffs %d reason %q", p.Tool, p.Kind, p.Subject, p.Paths, len(p.Diffs), p.Reason))
	w.mu.Unlock()
	word := fmt.Sprint(a["decision"])
	if a["action"] != nil {
		word = fmt.Sprint(a["action"])
	}
	switch word {
	case "accept", "acceptForSession":
		return engine.Decision{Verdict: engine.Allow, OptionID: word}
	case "cancel":
		return engine.Decision{Verdict: engine.Cancelled}
	case "<nil>":
		<-ctx.Done()
		return engine.Decision{Verdict: engine.Cancelled}
	}
	return engine.Decision{Verdict: engine.Deny, OptionID: "decline", Reason: "you said no"}
}

func (w *watcher) Question(_ context.Context, q engine.Question) engine.Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, fmt.Sprintf("question %q %d fields", q.Title, len(q.Fields)))
	a := w.next(func(a map[string]any) bool { return a["answers"] != nil })
	values := map[string]any{}
	answers, _ := a["answers"].(map[string]any)
	for name, each := range answers {
		given, _ := each.(map[string]any)
		list, _ := given["answers"].([]any)
		if len(list) > 0 {
			values[name] = list[0]
		}
	}
	return engine.Answer{Values: values}
}

// told is an event as one line. Pieces of one message are one line each.
func told(ev engine.Event) string {
	switch e := ev.(type) {
	case engine.Session:
		return fmt.Sprintf("session model %q restarted %q", e.Model, e.Restarted)
	case engine.Text:
		return fmt.Sprintf("text %s %q", e.MessageID, short(e.Delta))
	case engine.Thought:
		return fmt.Sprintf("thought %s %q", e.MessageID, short(e.Delta))
	case engine.MessageDone:
		return "done " + e.MessageID
	case engine.Retract:
		return "retract " + e.MessageID
	case engine.ToolStart:
		return fmt.Sprintf("start %s %s %s %q input %s diffs %s", e.ToolUseID, e.Name, e.Kind, e.Subject, short(string(e.Input)), diffLine(e.View))
	case engine.ToolUpdate:
		return fmt.Sprintf("update %s output %q", e.ToolUseID, short(e.Output))
	case engine.ToolEnd:
		code := ""
		if e.View.ExitCode != nil {
			code = fmt.Sprint(" exit ", *e.View.ExitCode)
		}
		return fmt.Sprintf("end %s %s output %q reason %q%s", e.ToolUseID, e.Status, short(e.Output), e.Reason, code)
	case engine.Plan:
		return fmt.Sprintf("plan %v", e.Steps)
	case engine.Usage:
		b, _ := json.Marshal(e)
		return "usage " + string(b)
	case engine.Limits:
		return fmt.Sprintf("limits %v", e.Windows)
	case engine.Compacted:
		return "compacted"
	case engine.Notice:
		return fmt.Sprintf("notice %s %q", e.Code, e.Message)
	case engine.Waiting:
		return fmt.Sprintf("waiting %q", e.Text)
	}
	return ""
}

func short(s string) string {
	if len(s) > 200 {
		return fmt.Sprintf("%s… (%d bytes)", s[:120], len(s))
	}
	return s
}

func diffLine(v engine.View) string {
	var parts []string
	for _, d := range v.Diffs {
		old, now := "-", "-"
		if d.Old != nil {
			old = fmt.Sprintf("%q", short(*d.Old))
		}
		if d.New != nil {
			now = fmt.Sprintf("%q", short(*d.New))
		}
		parts = append(parts, fmt.Sprintf("%s:%d %s→%s", d.Path, d.Line, old, now))
	}
	return strings.Join(parts, " ")
}

// quick are limits of time that do not hold the tests up.
func quick() Timings {
	return Timings{Start: 20 * time.Second, Thread: 20 * time.Second, Asking: 20 * time.Second, Stop: 2 * time.Second, Silence: time.Minute, Idle: time.Minute, Note: 50 * time.Millisecond}
}

// testEngine is an engine whose program is this test binary, playing a recording.
func testEngine(t *testing.T, recording string, env ...string) *Engine {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	recording, err = filepath.Abs(recording)
	if err != nil {
		t.Fatal(err)
	}
	agent := Usual()
	agent.Command, agent.Args, agent.AskVersion = self, nil, false
	agent.Env = append([]string{"GORACE=atexit_sleep_ms=0", "CODEX_TEST_PLAY=" + recording}, env...)
	home := t.TempDir()
	e := New(agent, Options{
		Home: filepath.Join(home, ".conch"), Environ: append(os.Environ(), "HOME="+home, "CODEX_HOME="), Timings: quick(),
		Log: func(code, line string) { t.Logf("log %s: %s", code, line) },
	})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		left, _ := filepath.Glob(filepath.Join(home, ".conch", "codex-runtime", "*"))
		if len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
	return e
}

func replay(t *testing.T, path string) string {
	t.Helper()
	all, err := readRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	s := readScript(t, all)
	if len(s.says) == 0 {
		t.Fatal("no turn is in it")
	}
	e := testEngine(t, path)
	w := &watcher{answers: s.answers}
	in := engine.TurnInput{ConversationID: "c", Cwd: t.TempDir(), Tools: s.tools, FreshPrompt: func() string { return "all of it" }}
	if s.resume != "" {
		in.ResumeID = resumeID(s.resume, toolsDigest(variant, s.tools))
		keepThread(t, e, s.resume, 1)
	}
	var lines []string
	for i, words := range s.says {
		in.Seq, in.Prompt = int64(i), words
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		var beside sync.WaitGroup
		if i == s.stops || i == len(s.says)-1 && s.steers != "" {
			beside.Go(func() {
				waitUntil(t, over, func() bool {
					return e.Health(context.Background()).Unheard["test/now"] > 0 && ran(s.tools) && w.hasAsked(s.asked, i == s.stops)
				})
				if i == s.stops {
					cancel()
				} else if !e.Steer(t.Context(), "c", s.steers) {
					t.Error("the words were not taken")
				}
			})
		}
		r := e.Turn(ctx, in, w)
		close(over)
		beside.Wait()
		cancel()
		lines = append(append(lines, w.all()...), fmt.Sprintf("result %s problem %q accepted %v model %q error %q next %q", r.Outcome, r.Problem, r.Accepted, r.Model, r.Error, r.Next))
		if p := e.chats.Process("c"); p != nil && p.thread != nil {
			in.ResumeID = p.thread.resumeID()
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// keepThread puts a thread among those that are kept.
func keepThread(t *testing.T, e *Engine, thread string, turns int) {
	t.Helper()
	if err := os.MkdirAll(e.stores.kept, 0o700); err != nil {
		t.Fatal(err)
	}
	side := fmt.Sprintf(`{"rollout":"sessions/2026/11/30/rollout-2026-11-30T17-08-32-%s.jsonl","instructions":%q,"turns":%d}`, thread, digestOf(""), turns)
	for suffix, text := range map[string]string{".jsonl": "{\"type\":\"session_meta\"}\n", ".json": side} {
		if err := os.WriteFile(filepath.Join(e.stores.kept, thread+suffix), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ran reports that a tool, where there is one, was called.
func ran(tools []engine.Tool) bool {
	return len(tools) == 0 || slices.ContainsFunc(tools, func(tool engine.Tool) bool { return tool.(*standIn).begun.Load() })
}

func waitUntil(t *testing.T, over <-chan struct{}, ok func() bool) {
	t.Helper()
	for late := time.Now().Add(20 * time.Second); !ok(); {
		select {
		case <-over:
			return
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(late) {
			t.Error("it did not come")
			return
		}
	}
}
