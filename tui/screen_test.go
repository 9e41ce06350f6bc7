package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"charm.land/bubbletea/v2"

	"conch/engine"
)

func TestAMessageIsSentAndItsAnswerShown(t *testing.T) {
	codex := ready("codex", answers("It fails because **the cart** is empty."))
	tt := start(t, 80, 24, newPlace(t).deps(t, codex))
	tt.says("why does checkout fail?")
	tt.sees("why does checkout fail?", "It fails because the cart is empty.")
	if n, prompt := codex.heard(); n != 1 || !strings.HasSuffix(prompt, "why does checkout fail?") {
		t.Errorf("heard %d turns, the last with %q", n, prompt)
	}
	tt.press("ctrl+c", "ctrl+c")
	exit := tt.ended()
	if exit.Chat == "" || exit.Answer != "It fails because **the cart** is empty." || exit.Code != 0 {
		t.Errorf("ended as %+v", exit)
	}
	tt.sees("carry on:  conch --resume " + exit.Chat)
	if tt.emu.IsAltScreen() {
		t.Error("the alternate screen is still on")
	}
}

func TestTheDraftSurvivesCtrlC(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex")))
	tt.types("a long thought")
	tt.press("ctrl+c")
	tt.sees("cleared; up brings it back")
	tt.press("up")
	tt.sees("a long thought")
	tt.press("down")
	tt.seesNot("a long thought")
	tt.press("up")
	tt.sees("a long thought")
}

func TestCtrlCStopsTheTurnAndASecondOneLeaves(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", stays("I begin"))))
	tt.says("go")
	tt.sees("I begin")
	tt.press("ctrl+c")
	tt.sees("stopped")
	tt.press("ctrl+c")
	tt.ended()
}

func TestTwoCtrlCFarApartDoNotLeave(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex")))
	tt.press("ctrl+c")
	tt.sees("ctrl+c again leaves")
	time.Sleep(againTime + 200*time.Millisecond)
	tt.press("ctrl+c")
	time.Sleep(100 * time.Millisecond)
	select {
	case <-tt.over:
		t.Fatal("it left")
	default:
	}
	tt.press("ctrl+c")
	tt.ended()
}

func TestLeavingWhileATurnRunsIsAsked(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", stays("I begin"))))
	tt.says("go")
	tt.sees("I begin")
	tt.press("ctrl+d")
	tt.sees("A turn is still running here. Stop it and leave?")
	tt.press("enter", "y") // too early, and Enter is never a yes
	tt.press("n")
	tt.sees("A turn is still running")
	time.Sleep(quiet)
	tt.press("n")
	tt.seesNot("A turn is still running")
	tt.press("ctrl+d")
	tt.sees("A turn is still running")
	time.Sleep(quiet + 20*time.Millisecond)
	tt.press("y")
	tt.ended()
}

func TestEscStopsTheTurnAndKeepsTheDraft(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", stays("I begin"))))
	tt.says("go")
	tt.sees("I begin")
	tt.types("meanwhile")
	tt.press("esc")
	tt.sees("stopped", "▌ meanwhile", "I begin")
}

func TestNoKeyTypedBeforeAnswersACard(t *testing.T) {
	let := make(chan struct{})
	answered := make(chan engine.Verdict, 3)
	codex := ready("codex", func(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		for i := range 3 {
			one, cancel := context.WithCancel(ctx)
			go func() {
				select {
				case <-let:
				case <-ctx.Done():
				}
				cancel()
			}()
			answered <- ask(one, sink, "t"+string(rune('1'+i)), "Bash", "rm -rf build")
			cancel()
		}
		return engine.Result{Outcome: engine.Success, Accepted: true}
	})
	d := newPlace(t).deps(t, codex)
	tt := start(t, 80, 24, d)
	tt.says("clean up")
	keys := []string{"y", "n", "1", "enter", "shift+y", "shift+n", "d", "space", "2", "backspace"}
	typed := 0
	for range 3 {
		tt.sees("tab to answer")
		for range 67 {
			key := keys[typed%len(keys)]
			if key == "space" {
				tt.types(" ")
			} else {
				tt.press(key)
			}
			typed++
		}
		if len(answered) > 0 && <-answered != engine.Cancelled {
			t.Fatal("a key that was typed into the prompt answered the card")
		}
		let <- struct{}{}
		if v := <-answered; v != engine.Cancelled {
			t.Fatalf("the card was answered: %s", v)
		}
	}
	if typed < 200 {
		t.Fatalf("only %d keys were typed", typed)
	}
}

func TestACardIsAnsweredOnceFocused(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", wants("Bash", "git push"), wants("Bash", "git push -f"))))
	tt.says("push it")
	tt.sees("git push", "tab to answer")
	tt.types("y")
	tt.press("backspace", "tab", "y") // within the first 300 ms of the focus
	tt.sees("y once")
	time.Sleep(350 * time.Millisecond)
	tt.press("enter")
	tt.press("y")
	tt.sees("It was: allow", "you allowed it once")
	tt.says("and again")
	tt.sees("git push -f")
	tt.press("tab")
	time.Sleep(350 * time.Millisecond)
	tt.press("n")
	tt.sees("It was: deny", "you said no")
}

func TestAMessageWhileATurnRunsIsQueuedAndCanBeTakenBack(t *testing.T) {
	codex := ready("codex", stays("I begin"))
	tt := start(t, 80, 24, newPlace(t).deps(t, codex))
	tt.says("go")
	tt.sees("I begin")
	tt.says("and a test")
	tt.sees("queued")
	tt.press("alt+up")
	tt.seesNot("queued")
	tt.sees("▌ and a test")
	if n, _ := codex.heard(); n != 1 {
		t.Errorf("%d turns began", n)
	}
}

func TestTheProviderIsSwitchedByTwoKeys(t *testing.T) {
	codex, claude := ready("codex", answers("one")), ready("claude-code", answers("two"))
	tt := start(t, 80, 24, newPlace(t).deps(t, codex, claude))
	tt.says("first")
	tt.sees("one")
	tt.press("ctrl+o")
	tt.sees("Who answers next?", "missed everything: 2 messages")
	tt.press("2")
	tt.sees("claude-code answers from the next message")
	tt.says("second")
	tt.sees("two")
	if n, prompt := claude.heard(); n != 1 || !strings.Contains(prompt, "first") {
		t.Errorf("claude-code heard %d turns, the last with %q", n, prompt)
	}
	tt.press("alt+1")
	tt.sees("codex answers from the next message")
}

func TestSwitchingWhileATurnRunsIsForTheNextMessage(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", stays("I begin")), ready("claude-code")))
	tt.says("go")
	tt.sees("I begin")
	tt.press("alt+2")
	tt.sees("claude-code answers from the next message; codex goes on with this one")
}

func TestAnotherChatIsOpenedWhileATurnRuns(t *testing.T) {
	p := newPlace(t)
	codex := ready("codex", answers("the first answer"), stays("I begin"))
	tt := start(t, 100, 24, p.deps(t, codex))
	tt.says("an old chat")
	tt.sees("the first answer")
	tt.press("alt+n")
	tt.sees("A new chat in")
	tt.says("long work")
	tt.sees("I begin")
	tt.press("ctrl+p")
	tt.sees("an old chat", "long work")
	tt.types("old")
	tt.sees("1 of 2")
	tt.enter()
	tt.sees("the first answer", "⋯ 1 running")
	tt.press("ctrl+c", "ctrl+c")
	tt.sees("Another chat is still working")
	tt.press("esc")
}

func TestTheScreenRests(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", answers("one"))))
	tt.says("first")
	tt.sees("one")
	tt.settled()
	before := len(tt.out.bytes())
	time.Sleep(1500 * time.Millisecond)
	if after := len(tt.out.bytes()); after != before {
		t.Errorf("%d bytes were written at rest: %q", after-before, tt.out.bytes()[before:])
	}
}

func TestEverySizeIsDrawn(t *testing.T) {
	long := strings.Repeat("日本語のファイル名 👨‍👩‍👧‍👦 and words ", 40)
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", stays(long)), ready("claude-code")))
	tt.says("go")
	tt.sees("日本語")
	tt.types("hello")
	sizes := [][2]int{{0, 0}, {1, 1}, {2, 5}, {5, 2}, {10, 3}, {19, 6}, {20, 1}, {1, 40}, {20, 6}, {21, 7}, {40, 4}, {60, 16}, {300, 100}, {3, 3}, {0, 24}, {80, 0}}
	through := func(what string) {
		for _, s := range sizes {
			tt.resize(s[0], s[1])
		}
		tt.resize(80, 24)
		tt.sees(what)
	}
	through("▌ hello")
	tt.resize(19, 6)
	tt.sees("the window is too")
	tt.resize(80, 24)
	tt.press("ctrl+p")
	through("type to filter")
	tt.types("zzzzzz")
	tt.press("backspace", "down", "down", "up", "enter")
	through("zzzzz")
	tt.press("esc", "esc", "ctrl+o")
	through("Who answers next?")
	tt.press("esc", "f1")
	through("Writing")
	tt.press("esc", "ctrl+t")
	through("no steps")
	tt.press("esc", "ctrl+c")
	tt.types("/zzz")
	through("▌ /zzz")
	tt.s.prog.Send(tea.PasteMsg{Content: strings.Repeat("line\n", 400)})
	through("400")
}
