package modelapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"conch/engine"
	"conch/pretend"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// heardSink takes down what an engine tells.
type heardSink struct {
	mu  sync.Mutex
	all []engine.Event
	on  func(engine.Event)
}

func (s *heardSink) Emit(ev engine.Event) {
	s.mu.Lock()
	s.all = append(s.all, ev)
	s.mu.Unlock()
	if s.on != nil {
		s.on(ev)
	}
}

func (s *heardSink) Ask(context.Context, engine.Permission) engine.Decision {
	return engine.Decision{Verdict: engine.Allow}
}

func (s *heardSink) Question(context.Context, engine.Question) engine.Answer { return engine.Answer{} }

// text is what was said and not taken back.
func (s *heardSink) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := map[string]string{}
	var order []string
	for _, ev := range s.all {
		switch ev := ev.(type) {
		case engine.Text:
			if _, ok := said[ev.MessageID]; !ok {
				order = append(order, ev.MessageID)
			}
			said[ev.MessageID] += ev.Delta
		case engine.Retract:
			said[ev.MessageID] = ""
		}
	}
	var b strings.Builder
	for _, id := range order {
		b.WriteString(said[id])
	}
	return b.String()
}

func (s *heardSink) thought() string {
	var b strings.Builder
	for _, ev := range of[engine.Thought](s) {
		b.WriteString(ev.Delta)
	}
	return b.String()
}

// of are the events of one kind.
func of[E engine.Event](s *heardSink) (out []E) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ev := range s.all {
		if e, ok := ev.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

func (s *heardSink) notices() string {
	var all []string
	for _, n := range of[engine.Notice](s) {
		all = append(all, n.Code+": "+n.Message)
	}
	return strings.Join(all, "\n")
}

// aTool is a tool that a test makes up.
type aTool struct {
	name string
	call func(ctx context.Context, args json.RawMessage) (engine.ToolResult, error)
}

func (t aTool) Name() string        { return t.name }
func (t aTool) Description() string { return "does " + t.name }
func (t aTool) Schema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)
}
func (t aTool) Call(ctx context.Context, args json.RawMessage) (engine.ToolResult, error) {
	return t.call(ctx, args)
}

// says is a tool that gives what it was asked for.
func says(name string) aTool {
	return aTool{name, func(_ context.Context, args json.RawMessage) (engine.ToolResult, error) {
		return engine.ToolResult{Text: name + " of " + string(args)}, nil
	}}
}

// bench is an engine before a server.
type bench struct {
	t    *testing.T
	e    *Engine
	home string
	naps []time.Duration
	log  []string
	mu   sync.Mutex
}

func newBench(t *testing.T, api API, change ...func(*Options)) *bench {
	t.Helper()
	b := &bench{t: t, home: t.TempDir()}
	b.e = b.engine(api, change...)
	return b
}

func (b *bench) engine(api API, change ...func(*Options)) *Engine {
	b.t.Helper()
	if api.ID == "" {
		api.ID = "plum"
	}
	if api.Name == "" {
		api.Name = "Plum"
	}
	if api.Model == "" {
		api.Model = "m1"
	}
	o := Options{
		Home: b.home, ClientVersion: "test",
		Nap: func(ctx context.Context, d time.Duration) error {
			b.mu.Lock()
			b.naps = append(b.naps, d)
			b.mu.Unlock()
			return ctx.Err()
		},
		Swap: func(system string, form engine.Form) string { return system + "\nFORM " + string(form) },
		Log: func(code, line string) {
			b.mu.Lock()
			b.log = append(b.log, code+" "+line)
			b.mu.Unlock()
		},
	}
	for _, c := range change {
		c(&o)
	}
	e := New(api, o)
	b.t.Cleanup(func() {
		if err := e.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return e
}

// turn sends a message.
func (b *bench) turn(in engine.TurnInput) (engine.Result, *heardSink) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	sink := &heardSink{}
	if in.ConversationID == "" {
		in.ConversationID = "c1"
	}
	return b.e.Turn(ctx, in, sink), sink
}

func resumeOf(t *testing.T, s *heardSink) string {
	t.Helper()
	all := of[engine.Session](s)
	if len(all) != 1 {
		t.Fatalf("%d sessions were told", len(all))
	}
	return all[0].ResumeID
}

// model is a pretend model.
func pretendModel(t *testing.T, s pretend.Script) *pretend.Server {
	t.Helper()
	server, err := pretend.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

// kinds are the APIs as the pretend model serves them.
var kinds = []Kind{OpenAI, Responses, Anthropic}

func eachKind(t *testing.T, run func(t *testing.T, kind Kind)) {
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) { run(t, kind) })
	}
}

// handServer answers by hand: each request goes to the next of the answers, the last
// one again and again.
type handServer struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	heads  []http.Header
}

func byHand(t *testing.T, answers ...func(w http.ResponseWriter, r *http.Request)) *handServer {
	t.Helper()
	h := &handServer{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("the body is no JSON: %v", err)
		}
		h.mu.Lock()
		n := len(h.bodies)
		h.bodies = append(h.bodies, body)
		h.heads = append(h.heads, r.Header.Clone())
		h.mu.Unlock()
		answers[min(n, len(answers)-1)](w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *handServer) asked() []map[string]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]map[string]any(nil), h.bodies...)
}

// stream answers with events, as they are.
func stream(events ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			fmt.Fprint(w, e+"\n\n")
		}
	}
}

// chunk is a chunk of words of a Chat Completions answer.
func chunk(words string) string {
	raw, _ := json.Marshal(words)
	return `data: {"choices":[{"index":0,"delta":{"content":` + string(raw) + `}}]}`
}

const chatEnd = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]"

func refuse(status int, body string, head ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(head); i += 2 {
			w.Header().Set(head[i], head[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}
