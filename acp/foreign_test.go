package acp

import (
	"context"
	"strings"
	"testing"

	"conch/engine"
)

// R-69-57: a permission that names another session is nobody's: it is cancelled,
// and neither a card nor a row comes of it.
func TestAPermissionOfAnotherSessionIsCancelled(t *testing.T) {
	call := `{"toolCallId":"t1","title":"rm x","kind":"execute","rawInput":{"command":"rm x"}}`
	for name, session := range map[string]string{"another": `"sessionId":"sess-9",`, "none": "", "a number": `"sessionId":1,`} {
		t.Run(name, func(t *testing.T) {
			ask := strings.Replace(asksFor(9, call, yesNo), `"sessionId":"sess-1",`, session, 1)
			e, signals := scriptEngine(t, script(t, hello, opened, asked, ask, `{"expect":"response:9"}`, says("on"), done), quick())
			s := newTape()
			s.ask = func(context.Context, engine.Permission) engine.Decision {
				t.Error("the person was asked")
				return engine.Decision{Verdict: engine.Allow, OptionID: "y"}
			}
			r := e.Turn(context.Background(), input(t, "hi"), s)
			if got := outcomes(t, signals)["9"]; r.Outcome != engine.Success || said(s) != "on" || strings.TrimSpace(got) != "cancelled" {
				t.Errorf("%+v %q, answered %q", r, said(s), got)
			}
			if text := s.text(); strings.Contains(text, "rm x") {
				t.Errorf("rows:\n%s", text)
			}
		})
	}
}
