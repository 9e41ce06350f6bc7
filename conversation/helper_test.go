package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"conch/chats"
	"conch/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is an engine that does what a test says.
type scripted struct {
	id   string
	play func(ctx context.Context, in engine.TurnInput, s engine.Sink) engine.Result
	open func(ctx context.Context, in engine.TurnInput, s engine.Sink) error
	is   engine.State

	mu       sync.Mutex
	got      []engine.TurnInput
	released []string
	forgot   []string
}

func (e *scripted) Info() engine.Info { return engine.Info{ID: e.id, Name: strings.ToUpper(e.id)} }

func (e *scripted) Health(context.Context) engine.Health { return engine.Health{State: e.is} }

func (e *scripted) Turn(ctx context.Context, in engine.TurnInput, s engine.Sink) engine.Result {
	e.mu.Lock()
	e.got = append(e.got, in)
	e.mu.Unlock()
	return e.play(ctx, in, s)
}

func (e *scripted) Release(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.released = append(e.released, id)
}

func (e *scripted) ForgetSession(_ context.Context, id string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forgot = append(e.forgot, id)
	return nil
}

func (e *scripted) Close() error { return nil }

// input is the n-th message that reached the engine.
func (e *scripted) input(t *testing.T, n int) engine.TurnInput {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if n >= len(e.got) {
		t.Fatalf("%s got %d messages, not %d", e.id, len(e.got), n+1)
	}
	return e.got[n]
}

// opening is a scripted engine that can open a session ahead.
type opening struct{ *scripted }

func (e opening) Open(ctx context.Context, in engine.TurnInput, s engine.Sink) error {
	return e.open(ctx, in, s)
}

// answering is an engine that says its session, then answers with the text.
func answering(id, text string) *scripted {
	return &scripted{id: id, is: engine.Ready, play: func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Session{ResumeID: id + "-session", Model: id + "-model"})
		s.Emit(engine.Text{MessageID: "m", Delta: text})
		s.Emit(engine.MessageDone{MessageID: "m"})
		return engine.Result{Outcome: engine.Success, Accepted: true}
	}}
}

// room is a home with a store, a working folder and chats in them.
type room struct {
	t      *testing.T
	home   string
	folder string
	store  *chats.Store
}

func newRoom(t *testing.T) *room {
	t.Helper()
	dir := t.TempDir()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	r := &room{t: t, home: filepath.Join(dir, "home", ".conch"), folder: filepath.Join(dir, "work")}
	for _, d := range []string{r.home, r.folder} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	store, err := chats.Open(r.home, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.store = store
	return r
}

func (r *room) deps(engines ...engine.Engine) Deps {
	return Deps{Engines: engines, Home: r.home}
}

// chat begins a chat with the engines.
func (r *room) chat(engines ...engine.Engine) *Manager { return r.with(r.deps(engines...)) }

func (r *room) with(d Deps) *Manager { return r.manage(r.store.Create(r.folder, "main"), d) }

// again opens a chat that is there.
func (r *room) again(id string, d Deps) *Manager {
	r.t.Helper()
	log, err := r.store.OpenLog(id)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.manage(log, d)
}

func (r *room) manage(log *chats.Log, d Deps) *Manager {
	r.t.Helper()
	m, err := New(log, d)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := m.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return m
}

const limit = 20 * time.Second

// until waits for a condition of the chat.
func until(t *testing.T, m *Manager, what string, ok func(Status) bool) Status {
	t.Helper()
	end := time.Now().Add(limit)
	for {
		s := m.Status()
		if ok(s) {
			return s
		}
		if time.Now().After(end) {
			t.Fatalf("waited %s for: %s; it stands so: %+v", limit, what, s)
		}
		time.Sleep(time.Millisecond)
	}
}

func wait(t *testing.T, m *Manager) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := m.Wait(ctx); err != nil {
		t.Fatalf("the turn did not end: %v", err)
	}
}

// say sends a message and waits for the end of its turn.
func say(t *testing.T, m *Manager, text string) {
	t.Helper()
	must(t, m.Send(Message{Text: text}))
	wait(t, m)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logged reads the whole log.
func logged(t *testing.T, m *Manager) []chats.Event {
	t.Helper()
	events, err := m.log.Since(-1)
	must(t, err)
	return events
}

// all gives the bodies of one kind.
func all[B chats.Body](events []chats.Event) []B {
	var out []B
	for _, e := range events {
		if b, ok := e.Body.(B); ok {
			out = append(out, b)
		}
	}
	return out
}

// one gives the only body of a kind.
func one[B chats.Body](t *testing.T, events []chats.Event) B {
	t.Helper()
	found := all[B](events)
	if len(found) != 1 {
		var none B
		t.Fatalf("%d events of kind %s, not one: %+v", len(found), none.Kind(), found)
	}
	return found[0]
}

// told is a chat as a person reads it: words by message, steps, ends, in order.
func told(events []chats.Event) []string {
	var out []string
	at := map[string]int{}
	put := func(key, line string) {
		if i, ok := at[key]; ok {
			out[i] += line
			return
		}
		at[key] = len(out)
		out = append(out, line)
	}
	for _, e := range events {
		switch b := e.Body.(type) {
		case chats.UserMessage:
			out = append(out, "you: "+b.Text)
		case chats.AssistantDelta:
			key := "say " + b.MessageID + b.Channel
			if _, ok := at[key]; !ok {
				put(key, b.Channel+": ")
			}
			put(key, b.Delta)
		case chats.AssistantDone:
			if b.Retracted {
				out = append(out, "taken back")
			}
		case chats.ToolStarted:
			put("tool "+b.ToolUseID, b.Name+" "+b.Subject)
		case chats.ToolFinished:
			put("tool "+b.ToolUseID, fmt.Sprintf(" = %s %s %s", b.Status, b.Output, b.Reason))
		case chats.Notice:
			out = append(out, "· "+b.Message)
		case chats.Handoff:
			out = append(out, fmt.Sprintf("handed over to %s: %d messages, %d steps", b.Engine, b.Messages, b.Steps))
		case chats.TurnCompleted:
			out = append(out, "end: "+b.Outcome)
		}
	}
	return out
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// hold is an engine whose turns wait for the test.
type hold struct {
	*scripted
	begun chan engine.Sink // gives the sink of each turn that began
	end   chan engine.Result
	mute  bool // it says no session by itself
}

func newHold(id string) *hold {
	h := &hold{scripted: &scripted{id: id, is: engine.Ready}, begun: make(chan engine.Sink), end: make(chan engine.Result)}
	h.play = func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		if !h.mute {
			s.Emit(engine.Session{ResumeID: id + "-session"})
		}
		select {
		case h.begun <- s:
		case <-ctx.Done():
			return engine.Result{Outcome: engine.Interrupted}
		}
		select {
		case res := <-h.end:
			return res
		case <-ctx.Done():
			return engine.Result{Outcome: engine.Interrupted, Accepted: true}
		}
	}
	return h
}

var good = engine.Result{Outcome: engine.Success, Accepted: true}
