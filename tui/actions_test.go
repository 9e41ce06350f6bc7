package tui

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"charm.land/bubbletea/v2"

	"conch/engine"
)

// copied is what the terminal is asked to copy.
func copied(text string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text))
}

// last is what the newest turn was given.
func (s *scripted) last() engine.TurnInput {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got[len(s.got)-1]
}

func offering(o engine.Offers, then turn) turn {
	return func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Emit(o)
		return then(ctx, in, sink)
	}
}

func TestTheAnswerAndItsBlocksAreCopied(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", answers("Run this:\n\n```sh\nmake\n```\n\nor this:\n\n```sh\nmake test\n```"))))
	tt.press("alt+y")
	tt.sees("there is no answer yet")
	tt.says("how?")
	tt.sees("make test")
	tt.press("alt+y")
	tt.writes(copied("Run this:\n\n```sh\nmake\n```\n\nor this:\n\n```sh\nmake test\n```"))
	tt.says("/copy 2")
	tt.writes(copied("make test"))
	tt.says("/copy 3")
	tt.sees("the answer has no block of code number 3")
}

func TestItemsAreMovedThroughOpenedCopiedAndFound(t *testing.T) {
	work := func(_ context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Emit(engine.ToolStart{ToolUseID: "t1", Name: "Bash", Kind: engine.KindExecute, Subject: "make"})
		sink.Emit(engine.ToolUpdate{ToolUseID: "t1", Output: "a line of output"})
		sink.Emit(engine.ToolEnd{ToolUseID: "t1", Status: engine.ToolSuccess, Output: "a line of output"})
		sink.Emit(engine.Text{MessageID: "a", Delta: "It is built."})
		sink.Emit(engine.MessageDone{MessageID: "a"})
		return engine.Result{Outcome: engine.Success, Accepted: true}
	}
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", work)))
	tt.says("build it")
	tt.sees("It is built.")
	tt.rests()
	tt.press("tab")
	tt.sees("❯ It is built.")
	tt.press("k")
	tt.sees("❯ ✓ Bash")
	tt.seesNot("a line of output")
	tt.types(" ")
	tt.sees("a line of output")
	tt.enter()
	tt.seesNot("a line of output")
	tt.press("g")
	tt.sees("❯ build it")
	tt.press("j")
	tt.sees("❯ ✓ Bash")
	tt.press("shift+g")
	tt.sees("❯ It is built.")
	tt.press("y")
	tt.writes(copied("It is built."))
	tt.press("o")
	tt.sees("there is no file in it")
	tt.press("/")
	tt.sees("find")
	tt.types("output")
	tt.enter()
	tt.sees("❯ ✓ Bash", "a line of output")
	tt.press("n", "shift+n")
	tt.sees("❯ ✓ Bash")
	tt.press("i")
	tt.seesNot("❯")
	tt.types("words")
	tt.sees("▌ words")
}

func TestTheModeIsChangedByKeyAndByCommand(t *testing.T) {
	codex := ready("codex", offering(engine.Offers{Modes: []engine.Choice{{ID: "yolo", Name: "Yolo", AsksNothing: true}}}, answers("one")), answers("two"))
	tt := start(t, 100, 24, newPlace(t).deps(t, codex))
	tt.says("first")
	tt.sees("one")
	tt.rests()
	for _, want := range []string{"auto-edit: reads and edits", "plan: reads and plans", "ask: asks before everything", "auto-read: reads the project"} {
		tt.press("shift+tab")
		tt.sees(want)
	}
	tt.says("/mode plan")
	tt.sees("plan: reads and plans")
	tt.says("/mode")
	tt.sees("What may it do without asking?", "Yolo (codex)", "asks for nothing")
	tt.press("esc")
	tt.says("/mode yolo")
	tt.sees("runs and changes everything without asking", "Take it?")
	time.Sleep(quiet + 20*time.Millisecond)
	tt.press("n")
	tt.seesNot("Take it?")
	tt.says("second")
	tt.sees("two")
	if in := codex.last(); in.Options.NativeMode != "" {
		t.Errorf("it was taken without a yes: %q", in.Options.NativeMode)
	}
	tt.says("/mode yolo")
	tt.sees("Take it?")
	time.Sleep(quiet + 20*time.Millisecond)
	tt.press("y")
	tt.sees("Yolo, codex's own mode, from the next message on")
}

func TestTheModelIsPicked(t *testing.T) {
	codex := ready("codex", offering(engine.Offers{Models: []engine.Choice{{ID: "m-1", Name: "One"}, {ID: "m-2", Name: "Two"}}}, answers("one")), answers("two"))
	tt := start(t, 80, 24, newPlace(t).deps(t, codex))
	tt.says("first")
	tt.sees("one")
	tt.rests()
	tt.press("alt+m")
	tt.sees("Which model of codex?", "m-2")
	tt.press("2")
	tt.sees("m-2 from the next message on")
	tt.says("second")
	tt.sees("two")
	if in := codex.last(); in.Options.Model != "m-2" {
		t.Errorf("the model is %q", in.Options.Model)
	}
}

func TestAShellLineRunsAndItsOutputGoesWithTheNextMessage(t *testing.T) {
	codex := ready("codex")
	d := newPlace(t).deps(t, codex)
	ran := make(chan string, 2)
	d.Shell = func(_ context.Context, dir, command string, out func(string)) (int, error) {
		ran <- filepath.Base(dir) + ": " + command
		out("a failing test\n")
		return 1, nil
	}
	tt := start(t, 80, 24, d)
	tt.s.prog.Send(tea.PasteMsg{Content: "!make pasted"})
	tt.enter()
	tt.sees("ok")
	if len(ran) > 0 {
		t.Errorf("a paste was run: %s", <-ran)
	}
	tt.says("!make test")
	tt.sees("! make test", "a failing test", "the output of 1 command goes with your next message")
	if got := <-ran; got != "shop: make test" {
		t.Errorf("ran %q", got)
	}
	tt.says("why?")
	tt.seesNot("goes with your next message")
	if _, prompt := codex.heard(); !strings.Contains(prompt, "a failing test") || !strings.HasSuffix(prompt, "why?") {
		t.Errorf("the agent was told %q", prompt)
	}
}

func TestTheMouseIsGivenBackByAKey(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex"))
	d.Options.Mouse = true
	tt := start(t, 80, 24, d)
	tt.writes("\x1b[?1002h")
	tt.press("alt+s")
	tt.sees("the mouse is the terminal's")
	tt.writes("\x1b[?1002l")
	tt.says("/mouse")
	tt.sees("the mouse scrolls and clicks")
}

func TestTheSheetRenamesExportsDeletesAndBringsBack(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex", answers("one"), answers("two")))
	d.Export = func(context.Context, string) (string, error) { return "/tmp/chat.md", nil }
	tt := start(t, 100, 24, d)
	tt.says("the first chat")
	tt.sees("one")
	tt.press("alt+n")
	tt.sees("A new chat in")
	tt.says("the second chat")
	tt.sees("two")
	tt.rests()
	tt.press("ctrl+p")
	tt.sees("2 of 2")
	tt.types("first")
	tt.sees("1 of 2")
	tt.s.prog.Send(tea.KeyPressMsg{Code: tea.KeyF6})
	tt.sees("the first chat")
	tt.types(" again")
	tt.enter()
	tt.sees("renamed", "the first chat again")
	tt.press("alt+e")
	tt.sees("written to /tmp/chat.md")
	tt.press("delete")
	tt.sees("y deletes")
	tt.press("x")
	tt.sees("kept")
	tt.press("delete")
	tt.sees("y deletes")
	tt.press("y")
	tt.sees("0 of 1")
	tt.press("alt+z")
	tt.sees("1 of 2", "the first chat again")
}

func TestHelpHistoryStepsAndLeaving(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", answers(strings.Repeat("a line\n\n", 40)))))
	tt.press("?")
	tt.sees("Help", "Writing")
	tt.press("esc")
	tt.types("a question")
	tt.press("?")
	tt.sees("a question?")
	tt.enter()
	tt.sees("a line")
	tt.rests()
	tt.press("pgup")
	tt.sees("more below")
	tt.press("end")
	tt.seesNot("more below")
	tt.press("ctrl+r")
	tt.types("quest")
	tt.sees("history of this chat")
	tt.enter()
	tt.sees("▌ a question?")
	tt.press("ctrl+c", "ctrl+t")
	tt.sees("no steps in this turn")
	tt.press("esc", "ctrl+l")
	tt.press("ctrl+d")
	tt.ended()
}
