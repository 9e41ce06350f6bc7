package acp

import (
	"context"
	"encoding/json"
	"testing"

	"conch/engine"
)

type bareTool string

func (t bareTool) Name() string          { return string(t) }
func (bareTool) Description() string     { return "" }
func (bareTool) Schema() json.RawMessage { return nil }
func (bareTool) Call(context.Context, json.RawMessage) (engine.ToolResult, error) {
	return engine.ToolResult{}, nil
}

// Grok 1.0.41 drops tools with "__" in their names.
func TestToolsAreOfferedUnderNamesThatAProgramTakes(t *testing.T) {
	tools := []engine.Tool{bareTool("ask"), bareTool("mcp__ledger__find"), bareTool("mcp__a_b__c"), bareTool("mcp__a__b_c"), bareTool("mcp__x____y")}
	got := offered(Agent{Quirks: Quirks{SingleLines: true}}, tools)
	want := []string{"ask", "mcp_ledger_find", "mcp_a_b_c", "mcp__a__b_c", "mcp_x_y"}
	for i, each := range got {
		if each.Name() != want[i] {
			t.Errorf("%s is offered as %s, want %s", tools[i].Name(), each.Name(), want[i])
		}
		if row := engine.RowOf(each, "r", nil); row.Name != tools[i].Name() || row.ToolUseID != "r" {
			t.Errorf("the row of %s is %+v", tools[i].Name(), row)
		}
	}
	for i, each := range offered(Agent{}, tools) {
		if each.Name() != tools[i].Name() {
			t.Errorf("for the others %s is offered as %s", tools[i].Name(), each.Name())
		}
	}
}
