package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"charm.land/bubbletea/v2"

	"conch/conversation"
	"conch/engine"
)

func TestAPasteGoesToTheWordsThatAreSoughtInTheChat(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", answers("one needle in hay"))))
	tt.says("go")
	tt.sees("one needle")
	tt.rests()
	tt.press("tab", "/")
	tt.sees("find")
	tt.s.prog.Send(tea.PasteMsg{Content: "needle"})
	tt.sees("find  needle")
}

func TestAClickIntoThePromptEndsTheSearchInTheChat(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", answers("one needle in hay"))))
	tt.says("go")
	tt.sees("one needle")
	tt.rests()
	tt.press("tab", "/")
	tt.sees("find")
	tt.s.prog.Send(tea.MouseClickMsg{X: 5, Y: 22, Button: tea.MouseLeft})
	tt.types("words of mine")
	tt.sees("▌ words of mine")
	tt.seesNot("find  ")
}

func TestAQuestionOfTheSheetIsGoneWithIt(t *testing.T) {
	p := newPlace(t)
	tt := start(t, 80, 24, p.deps(t, ready("codex", answers("the whole answer"))))
	tt.says("keep this chat")
	tt.sees("the whole answer")
	tt.rests()
	tt.press("ctrl+p")
	tt.sees("1 of 1")
	tt.press("delete")
	tt.sees("y deletes")
	tt.press("ctrl+o")
	tt.sees("Who answers next?")
	tt.press("esc")
	tt.press("ctrl+p")
	tt.sees("enter open")
	tt.seesNot("y deletes")
	tt.types("y")
	tt.seesNot("deleted")
}

func TestWordsTypedIntoAFailedChatAreNotLost(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex", answers("here I am")))
	good, n := d.New, 0
	d.New = func(folder string) (*conversation.Manager, error) {
		if n++; n == 1 {
			return nil, errors.New("no luck")
		}
		return good(folder)
	}
	tt := start(t, 80, 24, d)
	tt.sees("can't be opened")
	tt.types("precious words")
	tt.sees("precious words")
	tt.press("alt+n")
	tt.sees("new chat", "precious words")
	tt.enter()
	tt.sees("here I am")
}

func TestADigitThatIsNoRowIsTypedIntoThePicker(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex")))
	tt.sees("codex")
	tt.press("alt+m")
	tt.sees("Which model")
	tt.types("4x")
	tt.sees("Which model of codex? 4x")
}

func TestAProviderChosenBeforeItIsKnownToBeMissingIsSaidToBe(t *testing.T) {
	slow := make(chan struct{})
	away := &slowHealth{scripted: scripted{id: "claude-code", health: engine.Health{State: engine.NotFound, Next: "npm install it"}}, gate: slow}
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex"), away))
	tt.sees("looking")
	tt.press("alt+2")
	tt.sees("claude-code answers from the next message")
	close(slow)
	tt.sees("claude-code is not installed", "npm install it")
}

type slowHealth struct {
	scripted
	gate chan struct{}
}

func (s *slowHealth) Health(ctx context.Context) engine.Health {
	select {
	case <-s.gate:
	case <-ctx.Done():
	}
	return s.health
}
func TestACommandThatIsMendedIsStillOne(t *testing.T) {
	codex := ready("codex", answers("to the agent"))
	tt := start(t, 80, 24, newPlace(t).deps(t, codex))
	tt.types("/expprt")
	tt.press("esc")
	tt.enter()
	tt.sees("did you mean /export")
	tt.press("backspace", "backspace", "backspace", "backspace", "backspace", "backspace")
	tt.types("help")
	tt.press("esc")
	tt.enter()
	tt.sees("Help")
	if n, words := codex.heard(); n != 0 {
		t.Errorf("the agent got %q", words)
	}
}

func TestAShellLineThatMustWaitStaysOne(t *testing.T) {
	codex := ready("codex", answers("to the agent"))
	d := newPlace(t).deps(t, codex)
	gate := make(chan struct{})
	d.Shell = func(ctx context.Context, dir, command string, out func(string)) (int, error) {
		out("ran " + command + "\n")
		select {
		case <-gate:
		case <-ctx.Done():
		}
		return 0, nil
	}
	tt := start(t, 80, 24, d)
	tt.types("!one")
	tt.enter()
	tt.sees("ran one")
	tt.types("!two")
	tt.enter()
	tt.sees("still running", "!two")
	close(gate)
	tt.seesNot("⋯ ! one")
	tt.enter()
	tt.sees("two")
	tt.settled()
	if n, words := codex.heard(); n != 0 {
		t.Errorf("the agent got %q", words)
	}
}

func TestTheSheetNamesTheKeysAsTheyAreBound(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex", answers("the whole answer")))
	d.Options.Keys = map[string][]string{"sheet-export": {"alt+w"}, "sheet-rename": {}}
	tt := start(t, 80, 24, d)
	tt.says("keep this chat")
	tt.sees("the whole answer")
	tt.rests()
	tt.press("ctrl+p")
	tt.sees("enter open", "alt+w export")
	tt.seesNot("rename")
}

func TestTheCommandsOfAProviderReplaceAsManyOfAnother(t *testing.T) {
	has := func(name string) turn {
		return func(_ context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
			sink.Emit(engine.Commands{List: []engine.SlashCommand{{Name: name, Description: "does it"}}})
			return engine.Result{Outcome: engine.Success, Accepted: true}
		}
	}
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", has("zebra"), has("zoo"))))
	tt.says("one")
	tt.rests()
	tt.types("/z")
	tt.sees("/zebra")
	tt.press("backspace", "backspace")
	tt.says("two")
	tt.sees("two")
	tt.rests()
	tt.types("/z")
	tt.sees("/zoo")
}

func TestAFileThatCameSinceIsCompletedToo(t *testing.T) {
	p := newPlace(t)
	put := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("first.txt")
	tt := start(t, 80, 24, p.deps(t, ready("codex")))
	tt.types("@fi")
	tt.sees("first.txt")
	put("fifth.txt")
	tt.press("backspace", "backspace", "backspace")
	tt.types("@fi")
	tt.sees("fifth.txt")
}

func TestAChatThatIsBackIsNotSaidToBeDeleted(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", answers("the whole answer"))))
	tt.says("keep this chat")
	tt.sees("the whole answer")
	tt.rests()
	tt.press("ctrl+p")
	tt.sees("1 of 1")
	tt.press("delete")
	tt.sees("y deletes")
	tt.press("y")
	tt.sees("alt+z brings it back")
	tt.press("esc")
	tt.seesNot("alt+z")
	tt.types("/undo")
	tt.press("esc")
	tt.enter()
	tt.sees("it is back")
	tt.press("ctrl+p")
	tt.sees("1 of 1")
	tt.seesNot("brings it back")
}

func TestAMessageNamesTheKeyAsItIsBound(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex"))
	d.Options.Keys = map[string][]string{"mouse": {"alt+k"}}
	tt := start(t, 80, 24, d)
	tt.press("alt+k")
	tt.sees("alt+k gives it back")
}
