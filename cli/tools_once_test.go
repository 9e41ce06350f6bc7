package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
)

// caller is a provider that calls the tool its message names, "search_chats {…}",
// and answers with what that gave.
type caller struct{}

func (caller) Info() engine.Info                           { return engine.Info{ID: "caller", Name: "Caller"} }
func (caller) Health(context.Context) engine.Health        { return engine.Health{State: engine.Ready} }
func (caller) Release(string)                              {}
func (caller) ForgetSession(context.Context, string) error { return nil }
func (caller) Close() error                                { return nil }

func (caller) Turn(ctx context.Context, in engine.TurnInput, s engine.Sink) engine.Result {
	s.Emit(engine.Session{ResumeID: "s"})
	words := in.Prompt[strings.LastIndex(in.Prompt, "call ")+len("call "):]
	name, args, _ := strings.Cut(words, " ")
	answer := "there is no tool " + name
	for _, each := range in.Tools {
		if each.Name() == name {
			r, err := each.Call(ctx, json.RawMessage(args))
			if answer = r.Text; err != nil {
				answer = err.Error()
			}
		}
	}
	s.Emit(engine.Text{MessageID: "m", Delta: answer})
	s.Emit(engine.MessageDone{MessageID: "m"})
	return engine.Result{Outcome: engine.Success, Accepted: true}
}

// oneTurn is conch -p in the home of an app, and what it printed.
func oneTurn(t *testing.T, of *app, args ...string) string {
	t.Helper()
	var out, told bytes.Buffer
	status := Main(t.Context(), Host{
		Args: append([]string{"-p"}, args...), Environ: of.host.Environ, Dir: of.host.Dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &told, Now: time.Now,
		Engines: func(EngineSetup) ([]engine.Engine, error) { return []engine.Engine{caller{}}, nil },
	})
	if status != 0 {
		t.Fatalf("conch -p %q ended with %d: %s", args, status, told.String())
	}
	return out.String()
}

func TestATurnWithoutTheScreenHasTheTools(t *testing.T) { // R-111-52, R-111-55, R-102-34
	a := toolHome(t, withKey)
	found := oneTurn(t, a, `call search_chats {"query":"plumtree","limit":8}`)
	if !strings.Contains(found, "(Claude Code, in site)") && !strings.Contains(found, `"from": "Claude Code, in site"`) || !strings.Contains(found, `"untrusted": true`) {
		t.Errorf("search_chats gave\n%s", found)
	}
	list, err := a.store.List()
	if err != nil {
		t.Fatal(err)
	}
	asking := list[0]
	if len(asking.Taints) != 1 || asking.Taints[0].Kind != "chat" || strings.Contains(found, asking.ID) {
		t.Errorf("the asking chat: %+v\n%s", asking, found)
	}
	if said := oneTurn(t, a, "--resume", asking.ID, `call remember {"text":"Plums are blue"}`); !strings.Contains(said, "Nothing was remembered: this chat has read words from outside") {
		t.Errorf("remember in a tainted chat gave %s", said)
	}
	if said := oneTurn(t, a, `call remember {"text":"Plums are blue"}`); !strings.HasPrefix(said, "Remembered as m") {
		t.Errorf("remember gave %s", said)
	}
	if data, err := os.ReadFile(filepath.Join(a.home, memoryName)); err != nil || !strings.Contains(string(data), "- Plums are blue <!-- ") {
		t.Errorf("memory.md: %s (%v)", data, err)
	}
	if said := oneTurn(t, a, `call ask {"title":"Which plums?"}`); !strings.Contains(said, "Nobody is there to answer") {
		t.Errorf("ask gave %s", said)
	}
	if said := oneTurn(t, a, "--json", `call plan {"steps":[{"title":"Look","status":"active"}]}`); !strings.Contains(said, `"type":"plan"`) {
		t.Errorf("plan gave %s", said)
	}
	if said := oneTurn(t, a, `call read_chat {"chat":"../../etc/passwd"}`); !strings.HasPrefix(said, "the arguments of read_chat don't fit: chat: wanted the id of a chat") {
		t.Errorf("read_chat gave %s", said)
	}
	noKeys(t, a)
}

// noKeys says that no key stands in what Conch derived or logged: in the index, the
// past chats, log/, and the chats that asked. The chat that the person typed it in
// is theirs.
func noKeys(t *testing.T, a *app) {
	t.Helper()
	own := ""
	list, err := a.store.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Folder == "/code/site" {
			own = s.ID + ".jsonl"
		}
	}
	looked := 0
	err = filepath.WalkDir(a.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == own || d.Name() == "list.json" {
			return err
		}
		data, err := os.ReadFile(path)
		looked++
		for _, key := range []string{"soft purple", "purple evening", shapedKey[:14], shapedKey[14:]} {
			if bytes.Contains(data, []byte(key)) {
				t.Errorf("%s holds %q", path, key)
			}
		}
		return err
	})
	if err != nil || looked < 5 {
		t.Errorf("%d files were looked at (%v)", looked, err)
	}
}

func TestWithoutMemoryNothingIsRememberedInATurn(t *testing.T) {
	a := toolHome(t, "memory = false\n")
	if said := oneTurn(t, a, `call remember {"text":"Plums are blue"}`); !strings.HasPrefix(said, "there is no tool remember") {
		t.Errorf("remember gave %s", said)
	}
	if _, err := os.Stat(filepath.Join(a.home, memoryName)); err == nil {
		t.Error("memory.md was made")
	}
}

// The events of a chat that a tool wrote are read by every part that reads a log.
func TestWhatToolsWroteCanBeShown(t *testing.T) {
	a := toolHome(t, "")
	oneTurn(t, a, `call search_chats {"query":"plumtree"}`)
	list, err := a.store.List()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	if _, err := a.store.Each(list[0].ID, func(string) bool { return true }, func(e chats.Event) bool {
		seen[e.Body.Kind()]++
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(seen["chats.looked"], seen["taint"]); got != "1 1" {
		t.Errorf("chats.looked and taint: %s", got)
	}
}

func TestDoctorSaysThatTheMemoryCannotBeRead(t *testing.T) {
	a := toolHome(t, "")
	if s := a.memoryStore(); s.There {
		t.Errorf("without a file: %+v", s)
	}
	oneTurn(t, a, `call remember {"text":"Plums are blue"}`)
	if s := a.memoryStore(); s.words() != fmt.Sprintf("1 memory, %s", sized(s.Bytes)) || s.Problem != "" {
		t.Errorf("%+v: %s", s, s.words())
	}
	if err := os.WriteFile(filepath.Join(a.home, memoryName), []byte("- a\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := a.memoryStore(); s.Problem != "memory.md is no text; nothing of it is told to an assistant" || s.Next == "" {
		t.Errorf("%+v", s)
	}
}
