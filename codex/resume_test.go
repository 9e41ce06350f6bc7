package codex

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"conch/engine"
)

const someThread = "01a22d6d-fa78-74c0-8cbc-b415b821e192"

func TestAResumeIDHasOneForm(t *testing.T) { // R-69-73, R-69-74, checklist 20
	const digest = "0123456789abcdef"
	if thread, d, ok := parseResume(resumeID(someThread, digest)); !ok || thread != someThread || d != digest {
		t.Errorf("%q %q %v", thread, d, ok)
	}
	for _, id := range []string{
		"", ".", someThread, // the older form
		someThread + ".", someThread + "." + digest[:15], someThread + "." + digest + "0", someThread + "." + strings.ToUpper(digest),
		strings.ToUpper(someThread) + "." + digest, "../../x." + digest, "../../x", someThread + "/../x." + digest,
		someThread + "\n." + digest, someThread + "." + digest + "\n", someThread + "\x00." + digest,
		someThread + "." + digest + "." + digest, strings.Repeat("a", 36) + "." + digest, "pc_0123456789abcdef",
	} {
		if _, _, ok := parseResume(id); ok {
			t.Errorf("%q is taken for a resume id", id)
		}
	}
}

func FuzzParseResume(f *testing.F) {
	f.Add(someThread + ".0123456789abcdef")
	f.Add("../../x.0123456789abcdef")
	f.Fuzz(func(t *testing.T, id string) {
		thread, digest, ok := parseResume(id)
		if !ok {
			return
		}
		if strings.Trim(thread, "0123456789abcdef-") != "" || len(thread) != 36 || resumeID(thread, digest) != id {
			t.Errorf("%q became %q and %q", id, thread, digest)
		}
	})
}

// named is a tool by name, words and schema.
type named struct{ name, words, schema string }

func (n named) Name() string            { return n.name }
func (n named) Description() string     { return n.words }
func (n named) Schema() json.RawMessage { return json.RawMessage(n.schema) }
func (n named) Call(context.Context, json.RawMessage) (engine.ToolResult, error) {
	return engine.ToolResult{}, nil
}

func TestTheDigestIsOfNamesAndSchemasInAnyOrder(t *testing.T) { // R-69-74
	ask := named{"ask", "asks", `{"type":"object","properties":{"a":{"type":"string"},"b":{"maximum":9007199254740993}}}`}
	plan := named{"plan", "plans", `{"type":"object"}`}
	base := toolsDigest("v", []engine.Tool{ask, plan})
	if !isHex(base, 16) {
		t.Errorf("its form: %q", base)
	}
	for name, c := range map[string]struct {
		variant string
		tools   []engine.Tool
		same    bool
	}{
		"another order":     {"v", []engine.Tool{plan, ask}, true},
		"a schema's order":  {"v", []engine.Tool{plan, named{"ask", "asks", `{ "properties":{"b":{"maximum":9007199254740993},"a":{"type":"string"}},"type":"object"}`}}, true},
		"other words":       {"v", []engine.Tool{ask, named{"plan", "makes plans", plan.schema}}, true},
		"another variant":   {"w", []engine.Tool{ask, plan}, false},
		"one more":          {"v", []engine.Tool{ask, plan, named{"x", "", `{}`}}, false},
		"one less":          {"v", []engine.Tool{ask}, false},
		"none":              {"v", nil, false},
		"another schema":    {"v", []engine.Tool{ask, named{"plan", "", `{"type":"array"}`}}, false},
		"a number, one off": {"v", []engine.Tool{named{"ask", "", strings.Replace(ask.schema, "993", "992", 1)}, plan}, false},
		"another name":      {"v", []engine.Tool{ask, named{"plans", "", plan.schema}}, false},
		"no JSON":           {"v", []engine.Tool{ask, named{"plan", "", `{"type"`}}, false},
	} {
		if got := toolsDigest(c.variant, c.tools); (got == base) != c.same {
			t.Errorf("%s: %s beside %s", name, got, base)
		}
	}
	if toolsDigest("v", nil) == toolsDigest("w", nil) {
		t.Error("the variant is not told apart without tools")
	}
}
