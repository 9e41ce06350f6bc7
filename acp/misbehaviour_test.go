package acp

import (
	"context"
	"strings"
	"testing"

	"conch/engine"
)

// The demo agent misbehaves in every way it knows; after each the chat goes on.
func TestTheChatGoesOnAfterEveryMisbehaviour(t *testing.T) {
	for _, c := range []struct {
		prompt  string
		outcome engine.Outcome
		holds   string // in the tape, with the end of the turn
	}{
		{"/test chunks 20", engine.Success, ""},
		{"/test retry", engine.Success, "taken back"},
		{"/test hostile", engine.Success, ""},
		{"/test stop refusal", engine.Success, "notice refused"},
		{"/test stop max_tokens", engine.Success, "notice cut-off"},
		{"/test stop max_turn_requests", engine.Success, "paused"},
		{"/test stop nonsense", engine.Success, ""},
		{"/test cancelled", engine.Interrupted, "notice ended-itself"},
		{"/test late 1", engine.Success, ""},
		{"/test twice", engine.Success, ""},
		{"/test error -32603 the model is overloaded", engine.Failed, "Demo agent cannot be reached: the model is overloaded."},
		{"/test error 429 slow down", engine.Failed, "Demo agent has reached a limit: slow down."},
		{"/test sign-in", engine.Failed, "Demo agent is not signed in"},
		{"/test crash 4", engine.Failed, "Demo agent stopped (exit 4)"},
		{"/test foreign", engine.Success, ""},
		{"/test malformed", engine.Success, ""},
		{"/test banner", engine.Success, ""},
		{"/test unknown", engine.Success, ""},
		{"/test null", engine.Success, ""},
		{"/test utf8", engine.Success, ""},
		{"/test huge 33", engine.Success, ""},
		{"/test stderr 300000", engine.Success, ""},
		{"/test orphan", engine.Success, "⋯ "},
		{"/test open", engine.Success, "? t1 unknown"},
		{"/test rows 30", engine.Success, "✓ t30"},
		{"/test diff 200", engine.Success, "diff "},
		{"/test permission none", engine.Success, "notice bad-request"},
		{"/test permission same", engine.Success, "notice bad-request"},
		{"/test bad-form", engine.Success, ""},
		{"/test title A chat of its own", engine.Success, ""},
		{"/test plan", engine.Success, "plan "},
		{"/test commands 40", engine.Success, ""},
	} {
		t.Run(strings.TrimPrefix(c.prompt, "/test "), func(t *testing.T) {
			t.Parallel()
			e := demoEngine(t, "", quick())
			in := input(t, c.prompt)
			s := newTape()
			s.ask = func(_ context.Context, p engine.Permission) engine.Decision {
				return engine.Decision{Verdict: engine.Allow, OptionID: p.Options[0].ID}
			}
			s.question = func(context.Context, engine.Question) engine.Answer { return engine.Answer{Skipped: true} }
			r := e.Turn(context.Background(), in, s)
			s.end(r)
			if r.Outcome != c.outcome || !strings.Contains(s.text(), c.holds) {
				t.Errorf("%+v\n%s", r, s.text())
			}
			if r.Outcome == engine.Failed && (r.Error == "" || r.Next == "") {
				t.Errorf("no sentence or no next step: %+v", r)
			}
			in.Prompt, in.ResumeID = "hello", resumeOf(s)
			in.FreshPrompt = func() string { return "hello" }
			after, r := turnWith(t, e, in)
			if r.Outcome != engine.Success || !strings.Contains(said(after), "demo agent") {
				t.Errorf("after it: %+v\n%s", r, after.text())
			}
		})
	}
}
