package modelapi

import (
	"encoding/json"
	"strings"
	"testing"

	"conch/engine"
	"conch/pretend"
)

// kindTool is a tool whose row says what it does.
type kindTool struct {
	aTool
	kind engine.ToolKind
}

func (t kindTool) Show(json.RawMessage) engine.ToolStart { return engine.ToolStart{Kind: t.kind} }

// R-217-41: a model that may only read is told of no tool that writes.
func TestAModelThatMayOnlyReadIsOfferedNothingThatWrites(t *testing.T) {
	s := pretendModel(t, pretend.Script{Rules: []pretend.Rule{{Match: "look", Steps: []pretend.Step{{Text: "Looked."}}}}})
	b := newBench(t, API{URL: s.URL()})
	tools := []engine.Tool{
		kindTool{says("read_file"), engine.KindRead}, kindTool{says("edit_file"), engine.KindEdit},
		kindTool{says("run_command"), engine.KindExecute}, says("propose_change"),
	}
	for _, readOnly := range []bool{true, false} {
		b.turn(engine.TurnInput{Prompt: "look", Tools: tools, ReadOnly: readOnly})
	}
	asked := s.Asked()
	if got := strings.Join(asked[0].Tools, " "); got != "propose_change read_file" {
		t.Errorf("for reading only: %s", got)
	}
	if got := strings.Join(asked[1].Tools, " "); got != "edit_file propose_change read_file run_command" {
		t.Errorf("else: %s", got)
	}
}
