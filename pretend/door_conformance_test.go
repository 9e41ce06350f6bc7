//go:build conformance && unix

package pretend

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/acp"
	"conch/engine"
)

// shelf is a tool as Conch would offer it.
type shelf struct{ name, answer string }

func (s shelf) Name() string        { return s.name }
func (s shelf) Description() string { return "Looks on the shelf for a thing." }
func (s shelf) Schema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}`)
}
func (s shelf) Call(context.Context, json.RawMessage) (engine.ToolResult, error) {
	return engine.ToolResult{Text: s.answer}, nil
}

// watcher keeps the events of a turn; it denies what it is asked.
type watcher struct {
	mu     sync.Mutex
	events []engine.Event
	asked  []engine.Permission
}

func (w *watcher) Emit(ev engine.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, ev)
}

func (w *watcher) Ask(_ context.Context, p engine.Permission) engine.Decision {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, p)
	return engine.Decision{Verdict: engine.Cancelled}
}

func (w *watcher) Question(context.Context, engine.Question) engine.Answer {
	return engine.Answer{Skipped: true}
}

func (w *watcher) resume() string {
	for _, ev := range w.events {
		if s, ok := ev.(engine.Session); ok {
			return s.ResumeID
		}
	}
	return ""
}

func (w *watcher) rows() (names []string) {
	for _, ev := range w.events {
		if row, ok := ev.(engine.ToolStart); ok {
			names = append(names, row.Name)
		}
	}
	return names
}

const (
	firstWords  = "FIRST-WORDS: this is Conch, be brief."
	secondWords = "SECOND-WORDS: this is Conch, be thorough."
)

// TestConformanceDoor: each real agent is told Conch's instructions once, and again
// only when they changed; it calls a tool through the door, which draws one row and
// asks nobody; a session of another process, and one with other tools, has them too.
func TestConformanceDoor(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := newWorld(t, func(string) Script {
				call := func(tool, end string) []Step {
					return []Step{{Calls: []Call{{Name: tool, Args: map[string]any{"query": "walnut"}}}}, {Text: end}}
				}
				return Script{Rules: []Rule{
					{Match: "look on the shelf", Steps: call("shelf_look", "It was found.")},
					{Match: "say hello", Steps: []Step{{Text: "Hello to you."}}},
					{Match: "say it anew", Steps: []Step{{Text: "Hello anew."}}},
					{Match: "look once more", Steps: call("shelf_look", "Found once more.")},
					{Match: "look in the drawer", Steps: call("drawer_look", "It was in the drawer.")},
				}}
			}, a)
			table := acp.Agents(w.bin)
			at := slices.IndexFunc(table, func(r acp.Agent) bool { return r.ID == a.id })
			if at < 0 {
				t.Skip("it takes Conch's tools in another way than by the door")
			}
			agent := table[at]
			start := func() *acp.Engine {
				return acp.New(agent, acp.Options{Environ: w.env, Self: w.bin, Log: func(code, line string) { t.Log(code, line) }})
			}
			e := start()
			defer func() { e.Close() }()
			tools := []engine.Tool{shelf{"shelf_look", "SHELF-ANSWER: walnut"}}
			in := engine.TurnInput{ConversationID: "c", Cwd: w.work, Tools: tools, SystemAppend: firstWords}
			in.FreshPrompt = func() string { return "(told anew) " + in.Prompt }
			turn := func(prompt string) (*watcher, []Request) {
				t.Helper()
				before := len(w.model.Asked())
				in.Prompt = prompt
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
				defer cancel()
				s := &watcher{}
				r := e.Turn(ctx, in, s)
				if r.Outcome != engine.Success {
					t.Fatalf("%s: %+v\n%+v", prompt, r, s.events)
				}
				in.ResumeID = s.resume()
				var about []Request
				for _, q := range w.model.Asked()[before:] {
					if strings.Contains(string(q.Body), prompt) {
						about = append(about, q)
					}
				}
				for _, ev := range s.events {
					if n, ok := ev.(engine.Notice); ok {
						t.Logf("%s: notice %s %s", prompt, n.Code, n.Message)
					}
				}
				return s, about
			}
			saw := func(about []Request, words string) bool {
				return slices.ContainsFunc(about, func(q Request) bool { return strings.Contains(string(q.Body), words) })
			}
			times := func(about []Request, words string) (n int) {
				for _, q := range about {
					n = max(n, strings.Count(string(q.Body), words))
				}
				return n
			}
			check := func(what, tool, answer string, s *watcher, about []Request) {
				t.Helper()
				if got := s.rows(); !slices.Equal(got, []string{tool}) {
					t.Errorf("%s: rows %q", what, got)
				}
				if len(s.asked) > 0 {
					t.Errorf("%s: asked %+v", what, s.asked)
				}
				if !saw(about, answer) {
					t.Errorf("%s: the answer did not reach the model", what)
					for _, q := range about {
						text := conversationOf(q)
						t.Log(text[max(0, len(text)-1500):])
					}
					t.Logf("%+v", s.events)
				}
			}

			s, about := turn("look on the shelf")
			check("first", "shelf_look", "SHELF-ANSWER", s, about)
			if n := times(about, "FIRST-WORDS"); n != 1 {
				t.Errorf("first: the instructions stand %d times in a request", n)
			}
			_, about = turn("say hello")
			if n := times(about, "FIRST-WORDS"); n != 1 {
				t.Errorf("second: the instructions stand %d times in a request", n)
			}
			in.SystemAppend = secondWords
			_, about = turn("say it anew")
			if n := times(about, "SECOND-WORDS"); n != 1 {
				t.Errorf("changed: the new instructions stand %d times in a request", n)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			e = start()
			s, about = turn("look once more")
			check("in a new process", "shelf_look", "SHELF-ANSWER", s, about)
			t.Logf("new process: first %d, second %d times", times(about, "FIRST-WORDS"), times(about, "SECOND-WORDS"))
			if n := times(about, "SECOND-WORDS"); n != 1 {
				t.Errorf("new process: the instructions stand %d times in a request", n)
			}
			in.Tools = append(tools, shelf{"drawer_look", "DRAWER-ANSWER: oak"})
			s, about = turn("look in the drawer")
			check("with another tool", "drawer_look", "DRAWER-ANSWER", s, about)
			if n := times(about, "SECOND-WORDS"); n != 1 {
				t.Errorf("other tools: the instructions stand %d times in a request", n)
			}
		})
	}
}
