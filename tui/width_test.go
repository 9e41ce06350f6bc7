package tui

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"conch/engine"
	"conch/tui/sheet"
)

// TestTheScreenKeepsItsShapeAtEveryWidth draws the whole screen, with words of
// every kind wherever words come from outside, at every width from 60 to 200.
func TestTheScreenKeepsItsShapeAtEveryWidth(t *testing.T) {
	const words = "日本語 👩‍👩‍👧‍👦 🇳🇱 e\u0301\u0323 שלום עולם ｆｕｌｌ \u1100\u1161\u11a8 ไทยที่"
	before, after := "old "+words+"\n", "new "+words+"\n"
	view, err := json.Marshal(map[string]any{"x": words})
	if err != nil {
		t.Fatal(err)
	}
	d := newPlace(t).deps(t, ready("codex", func(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Emit(engine.Session{ResumeID: "1", Model: words})
		sink.Emit(engine.Title{Text: words})
		sink.Emit(engine.Plan{Steps: []engine.PlanStep{{Title: words, Status: "active"}, {Title: strings.Repeat(words, 5), Status: "pending"}}})
		sink.Emit(engine.ToolStart{ToolUseID: "1", Name: "Edit", Kind: engine.KindEdit, Subject: "/w/" + strings.Repeat(words+"/", 4) + "a.go", Input: view})
		sink.Emit(engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess, View: engine.View{Diffs: []engine.Diff{{Path: words, Old: &before, New: &after}}}})
		sink.Emit(engine.ToolStart{ToolUseID: "2", Name: words, Subject: strings.Repeat(words, 6)})
		sink.Emit(engine.ToolEnd{ToolUseID: "2", Status: engine.ToolError, Output: strings.Repeat(words+"\n", 3)})
		sink.Emit(engine.Notice{Code: "x", Message: words})
		sink.Emit(engine.Text{MessageID: "a", Delta: words + "\n\n| a | b |\n|---|---|\n| " + words + " | x |\n\nthe end"})
		<-ctx.Done()
		return engine.Result{Outcome: engine.Failed, Error: words, Next: words}
	}))
	d.Folder = filepath.Join(d.Folder, "日本語👩‍👩‍👧‍👦שלום")
	if err := os.Mkdir(d.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	tt := start(t, 120, 40, d)
	tt.says("a question " + words)
	tt.sees("the end")
	tt.says("queued " + words)
	tt.sees("queued")
	tt.types("@ a draft " + words)
	tt.settled()
	tt.s.prog.Kill()
	<-tt.over

	// Nobody else draws now.
	m := tt.s.model
	for _, layer := range []struct {
		name string
		put  func()
	}{
		{"chat", func() {}},
		{"steps", func() { m.sideOn = true }},
		{"note", func() { m.sideOn, m.note = false, note{words: words + words + words} }},
		{"question", func() { m.ask = &asking{words: words, yes: words} }},
		{"help", func() { m.ask = nil; m.openHelp() }},
		{"sheet", func() {
			m.pager, m.sheeted, m.sheet = nil, true, sheet.New(m.th, d.Folder)
			m.sheet.SetRows([]sheet.Row{{ID: "x", Provider: words, Folder: "/w/" + words, Branch: words, Title: words, LastWords: words}})
		}},
	} {
		layer.put()
		for _, method := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
			m.retheme(method)
			for w := 60; w <= 200; w++ {
				for _, h := range []int{16, 24, 41} {
					m.w, m.h = w, h
					lines, x, y := m.compose()
					if len(lines) != h {
						t.Fatalf("%s at %dx%d: %d lines", layer.name, w, h, len(lines))
					}
					if x >= w || y >= h {
						t.Errorf("%s at %dx%d: the cursor is at %d, %d", layer.name, w, h, x, y)
					}
					for i, line := range lines {
						if n := method.StringWidth(line); n > w {
							t.Fatalf("%s at %dx%d: line %d has %d cells: %q", layer.name, w, h, i, n, line)
						}
					}
				}
			}
		}
	}
}
