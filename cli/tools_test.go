package cli

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

	"conch/chats"
	"conch/engine"
	"conch/tools"
)

// toolTurn is a turn that nobody answers.
type toolTurn struct {
	mu     sync.Mutex
	bodies []chats.Body
	taints []string
}

func (t *toolTurn) Chat() string           { return "01ARZ3NDEKTSV4RRFFQ69G5FAV" }
func (t *toolTurn) Emit(engine.Event)      {}
func (*toolTurn) Wait(tools.Waiting) error { return nil }
func (t *toolTurn) Unattended() bool       { return true }
func (t *toolTurn) Folder() string         { return "" }
func (t *toolTurn) Handless() bool         { return false }
func (t *toolTurn) Ask(context.Context, engine.Permission) engine.Decision {
	return engine.Decision{Verdict: engine.Deny}
}

func (t *toolTurn) Question(context.Context, engine.Question) engine.Answer {
	return engine.Answer{Skipped: true}
}

func (t *toolTurn) Record(b chats.Body) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bodies = append(t.bodies, b)
}

func (t *toolTurn) Taint(_ string, from chats.TaintSource) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taints = append(t.taints, from.Label)
}

func (t *toolTurn) Taints() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string{}, t.taints...)
}

// toolHome is a Conch with one chat of its own and one that was brought in; both
// hold a key that only config.toml knows, and one that has the form of a key.
func toolHome(t *testing.T, config string) *app {
	t.Helper()
	dir := t.TempDir()
	home, other := filepath.Join(dir, "conch"), filepath.Join(dir, "other")
	put := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(home, "config.toml"), config)
	store, err := chats.Open(home, nil)
	if err != nil {
		t.Fatal(err)
	}
	log := store.Create("/code/site", "")
	for _, b := range []chats.Body{chats.UserMessage{MessageID: "m1", Text: planted("own")}, chats.TurnCompleted{Outcome: "success", Engine: "demo"}} {
		if _, err := log.Append("t", b); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(planted("past"))
	if err != nil {
		t.Fatal(err)
	}
	put(filepath.Join(other, ".claude", "projects", "-home-dev-site", "aaaaaaaa-0000-4000-8000-000000000001.jsonl"),
		`{"type":"user","uuid":"u1","timestamp":"2026-09-14T08:00:00.000Z","sessionId":"aaaaaaaa-0000-4000-8000-000000000001","cwd":"/home/dev/site","message":{"role":"user","content":`+string(text)+"}}\n")
	for _, bring := range []bool{true, false} { // the tools begin with nothing open
		a := newApp(Host{
			Environ: []string{"CONCH_HOME=" + home, "CONCH_IMPORT_HOME=" + other, "HOME=" + dir, "PLUM_KEY=soft purple evening"}, Dir: dir, Now: time.Now, Engines: scriptEngines,
		})
		if err := a.openEngines(); err != nil {
			t.Fatal(err)
		}
		if !bring {
			t.Cleanup(a.close)
			return a
		}
		if err := a.openPast(); err != nil {
			t.Fatal(err)
		}
		if _, err := a.past.service.BringIn(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		a.close()
	}
	return nil
}

const shapedKey = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// planted is a text with keys around which a snippet is cut, one of them in parts.
func planted(where string) string {
	return fmt.Sprintf("plumtree in the %s chat: soft purple evening, %s, and %s\x1b[0m%s %s soft purple evening plumtree", where, shapedKey, shapedKey[:12], shapedKey[12:], strings.Repeat("far away ", 30))
}

const withKey = "[[model_api]]\nid = \"local\"\nkind = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nkey_env = \"PLUM_KEY\"\n"

func TestToolsFindAndReadAllChatsAndGiveNoKey(t *testing.T) { // R-111-51, R-102-33
	a := toolHome(t, withKey)
	turn := &toolTurn{}
	list := a.tools()(turn)
	call := func(name, args string) string {
		for _, each := range list {
			if each.Name() != name {
				continue
			}
			r, err := each.Call(t.Context(), json.RawMessage(args))
			if err != nil {
				t.Fatalf("%s %s: %v", name, args, err)
			}
			for _, key := range []string{"soft purple", "purple evening", shapedKey[:14], shapedKey[14:], "\x1b"} {
				if strings.Contains(r.Text, key) {
					t.Errorf("%s %s gives %q:\n%s", name, args, key, r.Text)
				}
			}
			return r.Text
		}
		t.Fatalf("there is no tool %s", name)
		return ""
	}
	if a.past != nil {
		t.Error("the past chats were opened before they were wanted")
	}
	type hits struct {
		Chats []struct {
			ID        string
			Untrusted bool
			Lines     []struct{ Message, Snippet string }
		}
	}
	for _, query := range []string{"plumtree", "purple", "ghp_0123", "far away"} {
		var found hits
		if err := json.Unmarshal([]byte(call("search_chats", `{"query":"`+query+`"}`)), &found); err != nil {
			t.Fatal(err)
		}
		if query == "purple" || query == "ghp_0123" {
			continue // it was taken out
		}
		if len(found.Chats) != 2 || found.Chats[0].Untrusted == found.Chats[1].Untrusted {
			t.Fatalf("%s: %+v", query, found)
		}
		for _, c := range found.Chats {
			if text := call("read_chat", `{"chat":"`+c.ID+`","message":"`+c.Lines[0].Message+`"}`); !strings.Contains(text, "plumtree in the ") {
				t.Errorf("%s is read as\n%s", c.ID, text)
			}
		}
	}
	if len(turn.taints) != 1 || !strings.HasSuffix(turn.taints[0], "(Claude Code, in site)") {
		t.Errorf("tainted by %q", turn.taints)
	}
}

func TestMemoryIsOffWhenConfigSaysSo(t *testing.T) {
	for config, want := range map[string]string{"": "search_chats read_chat ask plan wait_for remember forget", "memory = false\n": "search_chats read_chat ask plan wait_for"} {
		a := toolHome(t, config)
		var names []string
		for _, each := range a.tools()(&toolTurn{}) {
			names = append(names, each.Name())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: %s", config, got)
		}
		if (a.memory() != nil) != (config == "") {
			t.Errorf("%q: memory %v", config, a.memory())
		}
	}
}

func TestAToolThatIsCalledWhenAllIsClosedOpensNothing(t *testing.T) {
	a := toolHome(t, "")
	list := a.tools()(&toolTurn{})
	a.close()
	if _, err := list[0].Call(t.Context(), json.RawMessage(`{"query":"plumtree"}`)); err == nil || err.Error() != "search the chats: conch is closing" {
		t.Errorf("%v", err)
	}
	if a.past != nil || a.engines != nil {
		t.Error("something was opened")
	}
}

func TestWhatConfigAndMemorySayReachesEveryTurnAnew(t *testing.T) { // R-102-4
	a := toolHome(t, "persona = \"terse\"\ninstructions = \"Use tabs.\"\n[personas]\nterse = \"Few words.\"\n")
	says := a.instructions()
	if got := says(); got.Persona != "Few words." || got.Person != "Use tabs." || got.Memory != "" {
		t.Errorf("%+v", got)
	}
	if _, err := a.memory().Add("Works in Berlin", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got := says().Memory; !strings.Contains(got, "Works in Berlin") || got != says().Memory {
		t.Errorf("%q", got)
	}
	off := toolHome(t, "memory = false\n")
	if err := os.WriteFile(filepath.Join(off.home, memoryName), []byte("- Works in Berlin\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := off.instructions()(); got.Memory != "" {
		t.Errorf("memory is off and says %q", got.Memory)
	}
}

func TestAMemoryThatCantBeReadIsLoggedOnce(t *testing.T) {
	a := toolHome(t, "")
	a.log = newLogFile(filepath.Join(a.home, "log"), time.Now)
	defer a.log.close()
	if err := os.Mkdir(filepath.Join(a.home, memoryName), 0o700); err != nil {
		t.Fatal(err)
	}
	says := a.instructions()
	if got := says().Memory + says().Memory; got != "" {
		t.Errorf("%q", got)
	}
	log, err := os.ReadFile(filepath.Join(a.home, "log", "conch.log"))
	if err != nil || strings.Count(string(log), "memory-unread") != 1 {
		t.Errorf("%s %v", log, err)
	}
}
