package conversation

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"conch/engine"
)

// Those who take part in a run are told as a chat's assistants are.
func TestATurnOutsideOfAChatIsToldTheSame(t *testing.T) { // R-102-1, R-102-4, checklist 1
	a := answering("a", "ok")
	m := newRoom(t).chat(a)
	say(t, m, "hi")
	if got := Told(engine.FormWhole); got != a.input(t, 0).SystemAppend {
		t.Errorf("told\n%s", got)
	}
	for _, form := range forms {
		if got := Told(form); !strings.HasPrefix(got, whoYouAre+"\n\n") || !strings.HasSuffix(got, block(form)) {
			t.Errorf("%q: told\n%s", form, got)
		}
	}
}

func TestATurnOutsideOfAChatIsGuardedTheSame(t *testing.T) { // R-102-16, R-102-21
	c := newClock()
	g := NewGuard(true, false, c.now)
	ran, pauses := 0, 0
	tool := g.Tool(stub{"find", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
		ran++
		return engine.ToolResult{Text: "nothing found"}, nil
	}}, func() { pauses++ }, t.Logf)
	var read []string
	for range 6 {
		r, err := tool.Call(t.Context(), json.RawMessage(`{}`))
		if err != nil {
			r.Text = err.Error()
		}
		read = append(read, r.Text)
	}
	if ran != 4 || pauses != 2 || !strings.Contains(read[2], "made 3 times now") || !strings.HasPrefix(read[4], "it was not run: the turn is paused") {
		t.Errorf("run %d times, paused %d times: %q", ran, pauses, read)
	}
	if p := g.Paused(); p == nil || p.Reason != "loop" {
		t.Errorf("paused: %+v", p)
	}
	g = NewGuard(false, true, c.now)
	answered := g.Waits()
	c.pass(time.Hour)
	answered()
	g.Saw(engine.Usage{InputTokens: count(1 << 40)}) // of a model on this machine
	if p := g.Paused(); p != nil {
		t.Errorf("paused: %+v", p)
	}
	c.pass(46 * time.Minute)
	if p := g.Paused(); p == nil || p.Reason != "time" {
		t.Errorf("paused: %+v", p)
	}
}

func TestACallOutsideOfAChatIsRuledTheSame(t *testing.T) { // R-102-9
	folder := t.TempDir()
	edit := engine.Permission{Tool: "Edit", Kind: engine.KindEdit, Subject: "a.go", Paths: []string{"a.go"}}
	for mode, want := range map[engine.Mode]engine.Verdict{engine.ModePlan: engine.Deny, engine.ModeAsk: "", engine.ModeAutoRead: "", engine.ModeAutoEdit: engine.Allow} {
		got := Rules{Who: "codex", Folder: folder, Mode: mode}.Judge(edit)
		if got.Verdict != want || got.Why == "" {
			t.Errorf("%s: %+v", mode, got)
		}
	}
}
