package modelapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"conch/engine"
)

// offered is a tool as a model is told of it.
type offered struct {
	name   string // as every API takes it
	says   string
	schema json.RawMessage
	tool   engine.Tool
}

const (
	maxToolName = 64
	maxSays     = 4000 // bytes of a description
)

// offer puts tools into the form in which every API takes them, in their order,
// which stays the same from turn to turn.
func offer(tools []engine.Tool, small func(string) bool) []offered {
	taken := map[string]bool{}
	var all []offered
	for _, t := range tools {
		if small != nil && !small(t.Name()) {
			continue
		}
		says := t.Description()
		if len(says) > maxSays {
			says = strings.ToValidUTF8(says[:maxSays], "") + "…"
		}
		all = append(all, offered{name: apiName(t.Name(), taken), says: says, schema: objectSchema(t.Schema()), tool: t})
	}
	return all
}

// reading leaves out the tools that write: those whose rows say so.
func reading(tools []engine.Tool) []engine.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t engine.Tool) bool {
		switch engine.RowOf(t, "", json.RawMessage("{}")).Kind {
		case engine.KindEdit, engine.KindDelete, engine.KindMove, engine.KindExecute:
			return true
		}
		return false
	})
}

// apiName leaves of a tool's name what every API takes: letters, digits, _ and -, at
// most 64, each name once.
func apiName(name string, taken map[string]bool) string {
	name = idOnly(name)
	if name == "" {
		name = "tool"
	}
	free := name
	for n := 2; taken[free]; n++ {
		end := fmt.Sprintf("_%d", n)
		free = name[:min(len(name), maxToolName-len(end))] + end
	}
	taken[free] = true
	return free
}

// objectSchema is a schema of an object, as APIs insist on: with a type and
// properties, whatever the tool says.
func objectSchema(schema json.RawMessage) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(schema, &o) != nil || o == nil {
		return json.RawMessage(`{"properties":{},"type":"object"}`)
	}
	if string(o["type"]) == `"object"` && len(o["properties"]) > 0 && isObject(o["properties"]) {
		return schema
	}
	o["type"] = json.RawMessage(`"object"`)
	if !isObject(o["properties"]) {
		o["properties"] = json.RawMessage("{}")
	}
	fixed, err := json.Marshal(o)
	if err != nil {
		return json.RawMessage(`{"properties":{},"type":"object"}`)
	}
	return fixed
}

// find gives the tool of a name as the model wrote it: as it was offered, or as
// models spell it when they are careless.
func find(tools []offered, name string) (offered, bool) {
	for _, t := range tools {
		if t.name == name {
			return t, true
		}
	}
	bare := idOnly(strings.TrimSpace(strings.TrimPrefix(name, "functions.")))
	for _, t := range tools {
		if t.name == bare || t.tool.Name() == name {
			return t, true
		}
	}
	return offered{}, false
}

func names(tools []offered) string {
	var all []string
	for _, t := range tools {
		all = append(all, t.name)
	}
	return strings.Join(all, ", ")
}
