package acp

import (
	"context"
	"testing"

	"conch/engine"
)

// onText is a sink that does something when the first words come.
type onText struct {
	counting
	do func()
}

func (s *onText) Emit(e engine.Event) {
	if _, ok := e.(engine.Text); ok && s.do != nil {
		s.do()
		s.do = nil
	}
}

func TestARunningTurnIsBroughtBackToAsking(t *testing.T) { // R-111-54
	for _, c := range []struct {
		name, answer string
		want         bool
	}{
		{"it does", `"reply":{}`, true},
		{"it refuses", `"error":{"code":-32602,"message":"no"}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, signals := scriptEngine(t, script(t, hello, `{"expect":"session/new","reply":`+withModes+`}`, `{"expect":"session/set_mode","reply":{}}`, asked, says("I read."),
				`{"expect":"session/set_mode",`+c.answer+`}`, `{"send":{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}}`), quick())
			in := input(t, "hi")
			in.Options.NativeMode = "yolo"
			did := make(chan bool, 1)
			sink := &onText{do: func() {
				go func() { did <- e.AskAgain(context.Background(), in.ConversationID) }()
			}}
			if r := e.Turn(t.Context(), in, sink); r.Outcome != engine.Success {
				t.Fatalf("%+v", r)
			}
			if got := <-did; got != c.want {
				t.Errorf("it asks again: %v", got)
			}
			if got, want := modesSet(t, signals), "new yolo prompt"; got != want+" default" {
				t.Errorf("set %s", got)
			}
			if e.AskAgain(t.Context(), "no such chat") {
				t.Error("a chat that is not there asks")
			}
		})
	}
}
