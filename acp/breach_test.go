package acp

import (
	"context"
	"testing"
	"time"

	"conch/engine"
)

// R-217-40: what a program does against its protocol is told with the end of the turn.
func TestWhatTheProtocolHasNoRoomForIsToldWithTheTurn(t *testing.T) {
	answers := func(_ context.Context, p engine.Permission) engine.Decision {
		return engine.Decision{Verdict: engine.Allow, OptionID: p.Options[0].ID}
	}
	waits := func(ctx context.Context, _ engine.Permission) engine.Decision {
		<-ctx.Done()
		return engine.Decision{Verdict: engine.Cancelled}
	}
	for _, c := range []struct {
		prompt string
		ask    func(context.Context, engine.Permission) engine.Decision
		now    string // with its own end
		next   string // with that of the turn after it
	}{
		{"/test chunks 3", answers, "", ""},
		{"/test permission", answers, "", ""},
		{"/test withdraw 1", waits, "", ""},
		{"/test unknown", answers, "", ""},
		{"/test title A chat", answers, "", ""},
		{"/test late 1", answers, "", ""}, // pieces that lag a little are its own
		{"/test foreign", answers, breachForeign, ""},
		{"/test late-ask", waits, breachLeft, ""},
		{"/test late 300", answers, "", breachBetween},
	} {
		t.Run(c.prompt, func(t *testing.T) {
			t.Parallel()
			e := demoEngine(t, "", quick())
			in := input(t, c.prompt)
			s := newTape()
			s.ask = c.ask
			r := e.Turn(context.Background(), in, s)
			if r.Breach != c.now {
				t.Errorf("with its end: %q", r.Breach)
			}
			if c.next != "" {
				await(t, func() bool {
					p := e.chats.Process(in.ConversationID)
					p.mu.Lock()
					defer p.mu.Unlock()
					return p.breach != ""
				})
			}
			in.Prompt, in.ResumeID = "hello", resumeOf(s)
			if _, r := turnWith(t, e, in); r.Breach != c.next {
				t.Errorf("with the next end: %q", r.Breach)
			}
		})
	}
}

func await(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come")
		}
	}
}
