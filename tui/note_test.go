package tui

import (
	"context"
	"testing"

	"conch/engine"
)

func TestANoteIsShownWithTheWholeOfItsNextStep(t *testing.T) {
	install := "npm install -g @agentclientprotocol/claude-agent-acp"
	away := &scripted{id: "claude-code", health: engine.Health{State: engine.NotFound, Problem: "Claude Code is not installed.", Next: install}}
	tt := start(t, 60, 24, newPlace(t).deps(t, ready("codex"), away))
	tt.sees("not here")
	tt.press("alt+2")
	tt.sees("claude-code is not installed")
	tt.sees("claude-agent-acp")
	tt.sees("▌ type a message")
}

func TestWhileATurnRunsNothingIsOfferedToBeSentAgain(t *testing.T) {
	fails := func(context.Context, engine.TurnInput, engine.Sink) engine.Result {
		return engine.Result{Outcome: engine.Failed, Error: "It broke.", Next: "send the message again"}
	}
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", fails, stays("I begin"))))
	tt.says("go")
	tt.sees("It broke.", "enter send again")
	tt.press("enter")
	tt.sees("I begin", "esc stop")
	tt.seesNot("send again")
}

func TestTheHintOfAShellLineSaysThatItRuns(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex")))
	tt.types("!ls")
	tt.sees("enter run")
}

func TestInAFieldOfACardTheHintSaysWhatEscDoes(t *testing.T) {
	asks := func(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Question(ctx, engine.Question{Title: "Which branch?"})
		if ctx.Err() != nil {
			return engine.Result{Outcome: engine.Interrupted, Accepted: true}
		}
		return engine.Result{Outcome: engine.Success, Accepted: true}
	}
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex", asks)))
	tt.says("go")
	tt.sees("Which branch?", "tab answer")
	tt.press("tab")
	tt.sees("esc stop the turn")
	tt.seesNot("esc back")
	tt.press("esc")
	tt.sees("stopped")
}
