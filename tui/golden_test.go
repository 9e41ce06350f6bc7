package tui

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"charm.land/bubbletea/v2"

	"conch/engine"
)

func ptr[T any](v T) *T { return &v }

// checkout is a turn with words, steps, a change, a plan and a command that
// runs until go.
func checkout(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
	say := func(id, text string) {
		sink.Emit(engine.Text{MessageID: id, Delta: text})
		sink.Emit(engine.MessageDone{MessageID: id})
	}
	step := func(id, name, subject, result string, kind engine.ToolKind) {
		sink.Emit(engine.ToolStart{ToolUseID: id, Name: name, Kind: kind, Subject: subject})
		sink.Emit(engine.ToolEnd{ToolUseID: id, Status: engine.ToolSuccess, View: engine.View{Result: result}})
	}
	say("a", "I'll look at the cart service first, then write a failing test.")
	step("t1", "Read", "cart/service.go", "120 lines", engine.KindRead)
	step("t2", "Grep", `"Total(" in ./`, "6 matches", engine.KindSearch)
	before := "func (c *Cart) Total() (Money, error) {\n\tfirst := c.Items[0]\n\treturn first.Price, nil\n}\n"
	after := "func (c *Cart) Total() (Money, error) {\n\tif len(c.Items) == 0 {\n\t\treturn Zero, nil\n\t}\n\tfirst := c.Items[0]\n\treturn first.Price, nil\n}\n"
	diff := engine.View{Diffs: []engine.Diff{{Path: "cart/service.go", Old: &before, New: &after, Line: 41}}}
	sink.Emit(engine.ToolStart{ToolUseID: "t3", Name: "Edit", Kind: engine.KindRead, Subject: "cart/service.go", View: diff})
	sink.Emit(engine.ToolEnd{ToolUseID: "t3", Status: engine.ToolSuccess, View: diff})
	sink.Emit(engine.Plan{Steps: []engine.PlanStep{
		{Title: "find the cause", Status: "done"}, {Title: "guard the empty cart", Status: "done"},
		{Title: "run the tests", Status: "active"}, {Title: "tell what changed", Status: "pending"},
	}})
	sink.Emit(engine.Usage{ContextUsed: ptr(int64(68000)), ContextSize: ptr(int64(200000))})
	sink.Emit(engine.ToolStart{ToolUseID: "t4", Name: "Bash", Kind: engine.KindExecute, Subject: "go test ./cart/..."})
	<-ctx.Done()
	return engine.Result{Outcome: engine.Interrupted, Accepted: true}
}

func TestScreens(t *testing.T) {
	providers := func(turns ...turn) []engine.Engine {
		return []engine.Engine{
			ready("codex", turns...), ready("claude-code"),
			&scripted{id: "gemini-cli", health: engine.Health{State: engine.NeedSignIn, Problem: "not signed in", Next: "gemini  (once, in a terminal)"}},
			&scripted{id: "copilot", health: engine.Health{State: engine.NotFound, Next: "npm i -g @github/copilot"}},
			ready("demo"),
		}
	}
	for _, size := range []struct {
		name string
		w, h int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"60x24", 60, 24}, {"80x16", 80, 16}} {
		t.Run("chat "+size.name, func(t *testing.T) {
			tt := start(t, size.w, size.h, newPlace(t).deps(t, providers(checkout)...))
			tt.says("why does checkout fail when the cart is empty? fix it and run the tests")
			tt.sees("go test")
			tt.says("and add a test for one item too")
			tt.sees("queued")
			tt.golden("chat-" + size.name)
		})
		t.Run("permission "+size.name, func(t *testing.T) {
			tt := start(t, size.w, size.h, newPlace(t).deps(t, providers(wants("Bash", "git push origin fix/empty-cart"))...))
			tt.says("push it")
			tt.sees("to answer")
			tt.types("while you wait, also ch")
			tt.golden("permission-" + size.name)
		})
		t.Run("switcher "+size.name, func(t *testing.T) {
			tt := start(t, size.w, size.h, newPlace(t).deps(t, providers(answers("It is the empty cart."))...))
			tt.says("why does checkout fail?")
			tt.sees("It is the empty cart.")
			tt.rests()
			tt.press("ctrl+o")
			tt.sees("missed everything")
			tt.golden("switcher-" + size.name)
		})
		t.Run("sheet "+size.name, func(t *testing.T) {
			p := newPlace(t)
			for _, words := range []string{"Launch list", "Checkout retries", "Cart rounding"} {
				tt := start(t, 80, 24, p.deps(t, providers(answers("Yes. A zero total for an **empty** cart is what checkout expects."))...))
				tt.says(words)
				tt.sees("A zero total")
				tt.rests()
				tt.press("ctrl+d")
				tt.ended()
			}
			d := p.deps(t, providers()...)
			d.Folder = filepath.Join(p.home, "notes")
			tt := start(t, size.w, size.h, d)
			tt.press("ctrl+p")
			tt.sees("Launch list")
			tt.types("launch")
			tt.sees("1 of 3")
			tt.golden("sheet-" + size.name)
		})
		t.Run("help "+size.name, func(t *testing.T) {
			tt := start(t, size.w, size.h, newPlace(t).deps(t, providers()...))
			tt.press("?")
			tt.sees("Writing")
			tt.golden("help-" + size.name)
		})
		t.Run("first start "+size.name, func(t *testing.T) {
			tt := start(t, size.w, size.h, newPlace(t).deps(t, providers()...))
			tt.sees("npm i -g @github/copilot")
			tt.golden("first-" + size.name)
		})
	}
	t.Run("nobody is here", func(t *testing.T) {
		missing := &scripted{id: "codex", health: engine.Health{State: engine.NotFound, Next: "npm i -g @openai/codex"}}
		tt := start(t, 80, 24, newPlace(t).deps(t, missing, ready("demo", answers("I am the demo."))))
		tt.sees("No agent is ready yet")
		tt.golden("nobody-80x24")
		tt.enter()
		tt.sees("show me what you can do")
		tt.enter()
		tt.sees("I am the demo.")
	})
	t.Run("failed", func(t *testing.T) {
		fails := func(_ context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
			sink.Emit(engine.Text{MessageID: "a", Delta: "I was about to"})
			return engine.Result{Outcome: engine.Failed, Error: "codex ended in mid-sentence (exit 1)", Next: "enter sends the message again", Detail: "panic: \x1b[31mno memory"}
		}
		codex := ready("codex", fails, answers("better now"))
		tt := start(t, 80, 24, newPlace(t).deps(t, codex))
		tt.says("go")
		tt.sees("ended in mid-sentence", "send again")
		tt.golden("failed-80x24")
		tt.says("/details")
		tt.sees("What codex said last", "panic: no memory")
		tt.press("esc")
		tt.enter()
		tt.sees("better now")
	})
}

func TestLightDarkAndNoColour(t *testing.T) {
	for _, c := range []struct {
		name   string
		option Options
		colour bool
	}{
		{"dark", Options{Theme: "dark"}, true},
		{"light", Options{Theme: "light"}, true},
		{"none", Options{Theme: "auto", NoColor: true}, false},
		{"ascii", Options{Theme: "dark", ASCII: true}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newPlace(t).deps(t, ready("codex", wants("Bash", "git push")))
			d.Options = c.option
			tt := start(t, 80, 24, d)
			tt.says("push it")
			tt.sees("to answer")
			tt.golden("look-" + c.name)
			coloured := false
			for y := range 24 {
				for x := range 80 {
					if cell := tt.emu.CellAt(x, y); cell != nil {
						coloured = coloured || cell.Style.Fg != nil
						if cell.Style.Bg != nil {
							t.Fatalf("a background at %d,%d", x, y)
						}
					}
				}
			}
			if coloured != c.colour {
				t.Errorf("coloured: %v", coloured)
			}
		})
	}
}

func TestALightTerminalIsFound(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex"))
	d.Options.Theme = "auto"
	tt := start(t, 80, 24, d)
	tt.s.prog.Send(tea.BackgroundColorMsg{Color: white{}})
	time.Sleep(50 * time.Millisecond)
	tt.press("ctrl+d")
	tt.ended()
	if !tt.s.model.light {
		t.Error("the theme is still the dark one")
	}
}

type white struct{}

func (white) RGBA() (r, g, b, a uint32) { return 0xffff, 0xffff, 0xffff, 0xffff }
