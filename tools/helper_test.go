package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/pastchats"
	"conch/redact"
	"conch/search"
)

var update = flag.Bool("update", false, "write the golden files anew")

// knownKey is one that Conch was given. Nothing in it says that it is a key.
const knownKey = "correct horse battery"

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// aTurn is a running turn that keeps what a tool does to it, in order.
type aTurn struct {
	chat        string
	unattended  bool
	folder      string
	handless    bool
	permissions []engine.Permission
	decide      func(engine.Permission) engine.Decision
	answer      func(engine.Question) engine.Answer

	mu      sync.Mutex
	taints  []string
	did     []string // "taint …", "record chats.looked", "plan", "question"
	bodies  []chats.Body
	plans   []engine.Plan
	updates []engine.ToolUpdate
	waits   []Waiting
	asked   []engine.Question
}

func (t *aTurn) Chat() string { return t.chat }

func (t *aTurn) Emit(e engine.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := e.(engine.Plan); ok {
		t.plans = append(t.plans, p)
		t.did = append(t.did, "plan")
		return
	}
	if u, ok := e.(engine.ToolUpdate); ok {
		t.updates = append(t.updates, u)
		return
	}
	t.did = append(t.did, "a row that is not the tool's to draw")
}

func (t *aTurn) Question(ctx context.Context, q engine.Question) engine.Answer {
	t.mu.Lock()
	t.asked = append(t.asked, q)
	t.did = append(t.did, "question")
	answer := t.answer
	t.mu.Unlock()
	if answer == nil {
		return engine.Answer{Skipped: true}
	}
	return answer(q)
}

func (t *aTurn) Record(b chats.Body) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bodies = append(t.bodies, b)
	t.did = append(t.did, "record "+b.Kind())
}

func (t *aTurn) Taint(_ string, from chats.TaintSource) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taints = append(t.taints, from.Label)
	t.did = append(t.did, "taint "+from.Kind+" "+from.Label)
}

func (t *aTurn) Taints() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string{}, t.taints...)
}

func (t *aTurn) Folder() string { return t.folder }
func (t *aTurn) Handless() bool { return t.handless }
func (t *aTurn) Ask(_ context.Context, p engine.Permission) engine.Decision {
	t.permissions = append(t.permissions, p)
	if t.decide == nil {
		return engine.Decision{Verdict: engine.Allow}
	}
	return t.decide(p)
}
func (t *aTurn) Wait(w Waiting) error {
	t.waits = append(t.waits, w)
	return nil
}
func (t *aTurn) Unattended() bool { return t.unattended }

// recorded gives the one body of a kind that was written.
func recorded[B chats.Body](t *testing.T, turn *aTurn) B {
	t.Helper()
	var found []B
	for _, b := range turn.bodies {
		if b, ok := b.(B); ok {
			found = append(found, b)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d of these in the log, want 1: %v", len(found), turn.did)
	}
	return found[0]
}

// tool finds one of a turn's by its name.
func (w *world) tool(turn *aTurn, name string) engine.Tool {
	w.t.Helper()
	for _, each := range w.kit.For(turn) {
		if each.Name() == name {
			return each
		}
	}
	w.t.Fatalf("there is no tool %s", name)
	return nil
}

// call calls a tool that must not fail.
func (w *world) call(turn *aTurn, name, args string) engine.ToolResult {
	w.t.Helper()
	r, err := w.tool(turn, name).Call(w.t.Context(), json.RawMessage(args))
	if err != nil {
		w.t.Fatalf("%s %s: %v", name, args, err)
	}
	return r
}

// refused calls a tool that must fail and gives why.
func (w *world) refused(turn *aTurn, name, args string) string {
	w.t.Helper()
	r, err := w.tool(turn, name).Call(w.t.Context(), json.RawMessage(args))
	if err == nil {
		w.t.Fatalf("%s %s was not refused: %s", name, args, r.Text)
	}
	if r.Text != "" {
		w.t.Errorf("%s gave an answer beside its error: %s", name, r.Text)
	}
	return err.Error()
}

func into[A any](t *testing.T, text string) A {
	t.Helper()
	var a A
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("the answer is no JSON: %v\n%s", err, text)
	}
	return a
}

// world is a home with chats of its own, others brought in, and an index of all.
type world struct {
	t     testing.TB
	home  string
	other string // the home of the other apps
	store *chats.Store
	past  *pastchats.Store
	index *search.Index
	kit   *Kit
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, home: filepath.Join(t.TempDir(), "conch"), other: t.TempDir()}
	var err error
	w.store, err = chats.Open(w.home, func() time.Time { return noon })
	must(t, err)
	w.past, err = pastchats.OpenStore(w.home, func() time.Time { return noon }, nil)
	must(t, err)
	clean := Clean(redact.New(knownKey))
	w.index, err = search.Open(w.home, nil, search.Cleaned(search.Own(w.store), clean), search.Cleaned(pastSource{w.past}, clean))
	must(t, err)
	t.Cleanup(func() { must(t, w.index.Close()) })
	w.kit = &Kit{
		Keys: redact.New(knownKey), Search: w.index, Chats: w.store, Past: w.past, Memory: OpenMemory(filepath.Join(w.home, "memory.md")), Now: func() time.Time { return noon },
	}
	return w
}

// said is one thing in a made-up chat.
type saidLine struct{ role, text string }

func you(text string) saidLine { return saidLine{"user", text} }
func it(text string) saidLine  { return saidLine{"assistant", text} }

// own makes a chat of Conch's own and gives its id.
func (w *world) own(title string, lines ...saidLine) string {
	w.t.Helper()
	log := w.store.Create("/code/shop", "main")
	write := func(b chats.Body) {
		_, err := log.AppendAt(noon.Add(-time.Hour), "turn-1", b)
		must(w.t, err)
	}
	for i, l := range lines {
		id := "m" + string(rune('0'+i/100%10)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10))
		if l.role == "user" {
			write(chats.UserMessage{MessageID: id, Text: l.text})
			continue
		}
		write(chats.AssistantDelta{MessageID: id, Channel: chats.ChannelText, Delta: l.text})
		write(chats.AssistantDone{MessageID: id})
	}
	write(chats.Title{Title: title, By: "person"})
	write(chats.TurnCompleted{Outcome: "success", Engine: "demo"})
	must(w.t, log.Close())
	return log.ID()
}

// foreign puts a chat into the home of another app (Claude Code), to be brought in.
func (w *world) foreign(session, project, title string, lines ...saidLine) {
	w.t.Helper()
	var b bytes.Buffer
	put := func(v map[string]any) {
		raw, err := json.Marshal(v)
		must(w.t, err)
		b.Write(append(raw, '\n'))
	}
	parent := any(nil)
	for i, l := range lines {
		id := session + "-" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		content := any(l.text)
		if l.role == "assistant" {
			content = []any{map[string]any{"type": "text", "text": l.text}}
		}
		put(map[string]any{
			"type": l.role, "uuid": id, "parentUuid": parent, "sessionId": session, "cwd": "/home/dev/" + project,
			"timestamp": noon.AddDate(0, -1, 0).Add(time.Duration(i) * time.Minute).Format(time.RFC3339), "message": map[string]any{"role": l.role, "id": id, "content": content},
		})
		parent = id
	}
	put(map[string]any{"type": "custom-title", "customTitle": title, "sessionId": session})
	path := filepath.Join(w.other, ".claude", "projects", "-home-dev-"+project, session+".jsonl")
	must(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(w.t, os.WriteFile(path, b.Bytes(), 0o600))
}

// bring brings all of them in and the index up to date.
func (w *world) bring() {
	w.t.Helper()
	service := pastchats.New(pastchats.Options{
		Home: pastchats.NewHome("", w.other, func(string) string { return "" }, filepath.Join(w.home, "tmp")), Store: w.past, Now: func() time.Time { return noon },
	})
	_, err := service.BringIn(context.Background(), nil, nil)
	must(w.t, err)
	must(w.t, w.index.CatchUp(context.Background()))
}

// brought is the past chat with a title.
func (w *world) brought(title string) pastchats.Entry {
	w.t.Helper()
	list, err := w.past.List()
	must(w.t, err)
	for _, e := range list {
		if e.Title == title {
			return e
		}
	}
	w.t.Fatalf("no past chat has the title %q", title)
	return pastchats.Entry{}
}

// pastSource makes past chats a source of the index.
type pastSource struct{ store *pastchats.Store }

func (s pastSource) Stamp() (string, error) { return s.store.Stamp() }

func (s pastSource) Chats() ([]search.Chat, error) {
	list, err := s.store.List()
	var out []search.Chat
	for _, e := range list {
		out = append(out, search.Chat{ID: e.ID, App: e.Source, Title: e.Title, Project: e.Project, From: e.From(), Untrusted: true, Updated: e.Updated, Stamp: e.Updated.String()})
	}
	return out, err
}

func (s pastSource) Words(id string, each func(search.Word) bool) error {
	return s.store.Messages(id, func(m pastchats.Message) bool {
		return each(search.Word{ID: m.ID, Role: string(m.Role), Text: m.Text, At: m.At})
	})
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(path, []byte(got+"\n"), 0o600))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if strings.TrimSuffix(string(want), "\n") != got {
		t.Errorf("%s is otherwise:\n%s", name, got)
	}
}
