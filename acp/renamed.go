package acp

import (
	"encoding/json"
	"strings"

	"conch/engine"
)

// renamed is a tool under the name that a program takes. Its row has its own.
type renamed struct {
	engine.Tool
	name string
}

func (r renamed) Name() string { return r.name }

// Show gives the row that the tool has under its own name.
func (r renamed) Show(args json.RawMessage) engine.ToolStart {
	return engine.RowOf(r.Tool, "", args)
}

// offered gives the tools as a program takes them: one that drops names with "__" in
// them has "_" there. A name that would then be another's stays.
func offered(agent Agent, tools []engine.Tool) []engine.Tool {
	if !agent.Quirks.SingleLines {
		return tools
	}
	taken := map[string]bool{}
	for _, t := range tools {
		taken[t.Name()] = true
	}
	out := make([]engine.Tool, len(tools))
	for i, t := range tools {
		out[i] = t
		name := t.Name()
		for strings.Contains(name, "__") {
			name = strings.ReplaceAll(name, "__", "_")
		}
		if name != t.Name() && !taken[name] {
			taken[name] = true
			out[i] = renamed{t, name}
		}
	}
	return out
}

// offeredAs is the name under which a tool is offered, by that of its row.
func (r *rows) offeredAs(row string) string {
	if name, ok := r.renamed[row]; ok {
		return name
	}
	return row
}
