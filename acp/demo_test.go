package acp

import (
	"context"
	"strings"
	"testing"

	"conch/engine"
)

func demoEngine(t *testing.T, flags string, timings Timings) *Engine {
	t.Helper()
	var row Agent
	for _, a := range Agents("conch") {
		if a.ID == "demo" {
			row = a
		}
	}
	state := t.TempDir()
	return testEngine(t, testAgent(t, row, "ACP_TEST_DEMO=1", "CONCH_DEMO_FAST=1",
		"CONCH_DEMO_STATE="+state, "CONCH_DEMO_FLAGS="+flags), timings)
}

func TestDemoAgentHoldsAChat(t *testing.T) {
	e := demoEngine(t, "", quick())
	s := newTape()
	s.ask = func(_ context.Context, p engine.Permission) engine.Decision {
		return engine.Decision{Verdict: engine.Allow, OptionID: p.Options[0].ID}
	}
	in := engine.TurnInput{ConversationID: "c1", Prompt: "hello", Cwd: t.TempDir()}
	r := e.Turn(context.Background(), in, s)
	s.end(r)
	t.Log(s.text())
	if r.Outcome != engine.Success || !strings.Contains(s.text(), "says: ") {
		t.Fatalf("no answer:\n%s", s.text())
	}
}
