package apps

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/engine"
)

func asked(schema string) *mcp.ElicitParams {
	var s any
	if json.Unmarshal([]byte(schema), &s) != nil {
		return nil
	}
	return &mcp.ElicitParams{Message: "Which\x1b[31m one?", RequestedSchema: s}
}

func TestASimpleQuestionOfAnAppIsACard(t *testing.T) {
	q, ok := question(App{ID: "ledger"}, asked(`{"type":"object","required":["year"],"properties":{
		"name":{"type":"string","title":"Customer"},"year":{"type":"integer","description":"of the invoice"},
		"paid":{"type":"boolean","default":true},"kind":{"type":"string","enum":["a","b"],"enumNames":["One","Two"]},
		"tags":{"type":"array","items":{"enum":["x","y"]}},"way":{"type":"string","oneOf":[{"const":"post","title":"By post"}]}}}`))
	want := engine.Question{Title: "The app ledger asks: Which one?", Fields: []engine.Field{
		{Name: "year", Label: "year", Description: "of the invoice", Kind: "integer", Required: true},
		{Name: "kind", Label: "kind", Kind: "choice", Options: []engine.Choice{{ID: "a", Name: "One"}, {ID: "b", Name: "Two"}}},
		{Name: "name", Label: "Customer", Kind: "text"},
		{Name: "paid", Label: "paid", Kind: "boolean", Default: true},
		{Name: "tags", Label: "tags", Kind: "choices", Options: []engine.Choice{{ID: "x", Name: "x"}, {ID: "y", Name: "y"}}},
		{Name: "way", Label: "way", Kind: "choice", Options: []engine.Choice{{ID: "post", Name: "By post"}}},
	}}
	if d := cmp.Diff(want, q); !ok || d != "" {
		t.Errorf("%v: %s", ok, d)
	}
	q, ok = question(App{ID: "ledger"}, &mcp.ElicitParams{Message: "Sign in", URL: "https://apps.example/sign-in"})
	if !ok || q.URL != "https://apps.example/sign-in" {
		t.Errorf("an address: %v %+v", ok, q)
	}
}

func TestAQuestionThatIsNotSimpleIsDeclined(t *testing.T) {
	for name, p := range map[string]*mcp.ElicitParams{
		"nothing":             nil,
		"an object within":    asked(`{"properties":{"a":{"type":"object"}}}`),
		"no schema":           asked(`{"properties":{"a":7}}`),
		"nine fields":         asked(`{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"},"e":{"type":"string"},"f":{"type":"string"},"g":{"type":"string"},"h":{"type":"string"},"i":{"type":"string"}}}`),
		"an odd name":         asked(`{"properties":{"a b":{"type":"string"}}}`),
		"a list of anything":  asked(`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`),
		"an odd address":      {URL: "javascript:alert(1)"},
		"an address with ESC": {URL: "https://x.example/\x1b[31m"},
	} {
		if q, ok := question(App{ID: "ledger"}, p); ok {
			t.Errorf("%s is asked as %+v", name, q)
		}
	}
}

// An app that asks, and one that wants to know the folder, through a real session.
func TestWhatAnAppWantsIsAnsweredOrDeclined(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "asking", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		out, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "How much?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}}}`)})
		if err != nil {
			return words("error: " + err.Error()), nil
		}
		raw, _ := json.Marshal(out.Content)
		return words(out.Action + " " + string(raw)), nil
	})
	s.AddTool(&mcp.Tool{Name: "sure", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		out, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Sure?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
		if err != nil {
			return words("error: " + err.Error()), nil
		}
		return words(out.Action), nil
	})
	s.AddTool(&mcp.Tool{Name: "where", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		//lint:ignore SA1019 apps still ask
		roots, err := r.Session.ListRoots(ctx, nil)
		if err != nil || len(roots.Roots) == 0 {
			return words("nowhere"), nil
		}
		return words(roots.Roots[0].URI), nil
	})
	s.AddTool(&mcp.Tool{Name: "think", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		//lint:ignore SA1019 apps still ask
		_, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 1})
		if err == nil {
			return words("it thought"), nil
		}
		return words("declined"), nil
	})
	for _, each := range []struct {
		name, tool, want string
		tn               *turn
	}{
		{"answered", "ask", `accept {"sum":12}`, &turn{answer: func(engine.Question) engine.Answer {
			return engine.Answer{Values: map[string]any{"sum": 12}}
		}}},
		{"skipped", "ask", "decline null", &turn{}},
		{"taken back", "ask", "cancel null", &turn{answer: func(engine.Question) engine.Answer { return engine.Answer{Cancelled: true} }}},
		{"a yes", "sure", "accept", &turn{answer: func(engine.Question) engine.Answer { return engine.Answer{Values: map[string]any{yesNo: "yes"}} }}},
		{"a no", "sure", "decline", &turn{answer: func(engine.Question) engine.Answer { return engine.Answer{Values: map[string]any{yesNo: "no"}} }}},
		{"nobody there", "ask", "error: ", &turn{alone: true}},
		{"the folder", "where", "file:///code/shop", &turn{folder: "/code/shop"}},
		{"a model's words", "think", "declined", &turn{}},
	} {
		t.Run(each.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && each.tool == "where" {
				t.Skip("another form of path")
			}
			b := real(t, Options{Apps: []App{{ID: "asking", Command: []string{"asking"}}}})
			b.dial = func(ctx context.Context, a App, w wishes) (conn, error) {
				ours, theirs := mcp.NewInMemoryTransports()
				over, err := s.Connect(context.Background(), theirs, nil)
				if err != nil {
					return nil, err
				}
				return b.greet(ctx, func(context.Context) (carrier, error) { return &inMemory{ours, over}, nil }, a, w, versionKnown)
			}
			if got := call(t, connected(t, b, each.tn).tool(t, "mcp__asking__"+each.tool), `{}`); got != each.want && !(each.tn.alone && strings.HasPrefix(got, each.want)) {
				t.Errorf("%q, want %q", got, each.want)
			}
		})
	}
}

// inMemory is a carrier without a program.
type inMemory struct {
	mcp.Transport
	over *mcp.ServerSession
}

func (m *inMemory) end()                  { _ = m.over.Close() }
func (m *inMemory) note()                 {}
func (m *inMemory) cause(err error) error { return err }

// FuzzQuestion: whatever an app asks, it is a card that can be drawn, or none.
func FuzzQuestion(f *testing.F) {
	f.Add(`{"properties":{"a":{"type":"string","enum":["x"]}},"required":["a"]}`, "How?")
	f.Add(`{"properties":{"a":{"oneOf":[{"const":1}]}}}`, "")
	f.Fuzz(func(t *testing.T, schema, message string) {
		var s any
		if json.Unmarshal([]byte(schema), &s) != nil {
			return
		}
		q, ok := question(App{ID: "x"}, &mcp.ElicitParams{Message: message, RequestedSchema: s})
		if !ok {
			return
		}
		if len(q.Fields) > maxAsked || strings.ContainsAny(q.Title, "\n\x1b") {
			t.Errorf("%+v", q)
		}
		for _, f := range q.Fields {
			if f.Kind == "" || strings.ContainsAny(f.Label+f.Description, "\n\x1b") {
				t.Errorf("%+v", f)
			}
		}
	})
}
