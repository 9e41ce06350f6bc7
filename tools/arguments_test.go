package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"conch/engine"
)

func TestEveryToolSaysWhatItIsAndTakes(t *testing.T) { // R-102-33
	w := newWorld(t)
	var names []string
	for _, each := range w.kit.For(&aTurn{handless: true}) {
		names = append(names, each.Name())
		if n := utf8.RuneCountInString(each.Description()); n >= 800 || n < 50 || strings.ContainsAny(each.Description(), "\n\t") {
			t.Errorf("%s is described in %d characters", each.Name(), n)
		}
		golden(t, each.Name()+".schema.json", pretty(t, each.Schema()))
		strict(t, each.Name(), each.Schema())
	}
	if want := []string{"search_chats", "read_chat", "ask", "plan", "wait_for", "remember", "forget",
		"read_file", "list", "search_files", "edit_file", "write_file", "run_command", "web_read"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %v, want %v", names, want)
	}
}

func pretty(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	return written(into[any](t, string(raw)))
}

// strict checks that every object of a schema refuses what it does not name.
func strict(t *testing.T, path string, raw json.RawMessage) {
	t.Helper()
	s := into[struct {
		Type                 string
		Properties           map[string]json.RawMessage
		Required             []string
		AdditionalProperties *bool
		Items                json.RawMessage
	}](t, string(raw))
	switch s.Type {
	case "object":
		if s.AdditionalProperties == nil || *s.AdditionalProperties || s.Required == nil {
			t.Errorf("%s takes unknown fields", path)
		}
		for name, each := range s.Properties {
			strict(t, path+"."+name, each)
		}
	case "array":
		strict(t, path+"[]", s.Items)
	case "string", "integer", "boolean":
	default:
		t.Errorf("%s is of type %q", path, s.Type)
	}
}

func TestWhatIsNotThereLeavesItsToolsOut(t *testing.T) {
	for _, c := range []struct {
		name string
		kit  *Kit
		want string
	}{
		{"nothing", &Kit{}, "ask plan wait_for"},
		{"no memory (memory = false)", &Kit{Search: finds{}, Chats: newWorld(t).store}, "search_chats read_chat ask plan wait_for"},
		{"no search", &Kit{Memory: OpenMemory("x")}, "ask plan wait_for remember forget"},
	} {
		var names []string
		for _, each := range c.kit.For(&aTurn{}) {
			names = append(names, each.Name())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestBadArgumentsNameFieldWantedAndCame(t *testing.T) { // R-102-15
	w := newWorld(t)
	const key = "sk-ant-api03-Ab3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3hI5jK7lM9nO1pQ3rS5tU7vW9xY1zA3bC5dE7fG-aB3dE5fG"
	for args, want := range map[string]string{
		``:                           "query: wanted text of 1 to 200 characters, got nothing",
		`null`:                       "query: wanted text of 1 to 200 characters, got nothing",
		`{}`:                         "query: wanted text of 1 to 200 characters, got nothing",
		`{"query":7}`:                "query: wanted text of 1 to 200 characters, got 7",
		`{"query":null,"limit":"5"}`: `query: wanted text of 1 to 200 characters, got nothing; limit: wanted a whole number from 1 to 8, got the text "5"`,
		`{"query":"` + strings.Repeat("ü", 201) + `"}`: "query: wanted text of 1 to 200 characters, got 201 characters",
		`{"query":" \n"}`:                        "query: wanted text of 1 to 200 characters, got empty text",
		`{"query":"x","limit":9}`:                "limit: wanted a whole number from 1 to 8, got 9",
		`{"query":"x","limit":0}`:                "limit: wanted a whole number from 1 to 8, got 0",
		`{"query":"x","limit":2.5}`:              "limit: wanted a whole number from 1 to 8, got 2.5",
		`{"query":"x","limit":1e400}`:            "limit: wanted a whole number from 1 to 8, got 1e400",
		`{"query":"x","Query":"y","offset":1}`:   "Query: not taken; what is taken: query, limit; offset: not taken; what is taken: query, limit",
		`{"query":["x"]}`:                        "query: wanted text of 1 to 200 characters, got a list",
		`{"query":{"x":1}}`:                      "query: wanted text of 1 to 200 characters, got an object",
		`{"query":true}`:                         "query: wanted text of 1 to 200 characters, got true",
		`["x"]`:                                  "wanted an object with query, limit, got a list",
		`"x"`:                                    `wanted an object with query, limit, got the text "x"`,
		`{"query":"x"`:                           "wanted a JSON object, got what is no JSON",
		`{"query":"x"}{}`:                        "wanted one JSON object, got more behind it",
		`{"query":"x","limit":"` + key + `"}`:    `limit: wanted a whole number from 1 to 8, got the text "[redacted]"`,
		`{"query":"x","\u001b[2J` + key + `":1}`: "[redacted]: not taken; what is taken: query, limit",
		`{"query":"` + strings.Repeat("x", 70_000) + `"}`:        "wanted at most 65536 bytes, got 70012",
		`{"query":"x","limit":` + strings.Repeat("9", 200) + `}`: "limit: wanted a whole number from 1 to 8, got " + strings.Repeat("9", 59) + "…",
	} {
		turn := &aTurn{}
		if why := w.refused(turn, "search_chats", args); why != "the arguments of search_chats don't fit: "+want || len(turn.did) != 0 {
			t.Errorf("%.200s:\n%s\nwant %s", args, why, want)
		}
	}
}

func TestManyBadArgumentsAreCounted(t *testing.T) { // R-102-15
	w := newWorld(t)
	var fields []string
	for i := range 50 {
		fields = append(fields, `"f`+string(rune('a'+i/10))+string(rune('0'+i%10))+strings.Repeat("x", 500)+`":1`)
	}
	why := w.refused(&aTurn{}, "ask", "{"+strings.Join(fields, ",")+"}")
	if !strings.HasSuffix(why, "; and 43 more") || utf8.RuneCountInString(why) > 1500 {
		t.Errorf("%d characters: %s", len(why), why)
	}
}

func TestACallBehindTheEndOfATurnDoesNothing(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	turn := &aTurn{}
	for name, args := range map[string]string{
		"search_chats": `{"query":"x"}`, "read_chat": `{"chat":"pc_0123456789abcdef"}`, "ask": `{"title":"x"}`,
		"plan": `{"steps":[{"title":"a","status":"done"}]}`, "remember": `{"text":"x"}`, "forget": `{"memory":"x"}`,
	} {
		if _, err := w.tool(turn, name).Call(ctx, json.RawMessage(args)); err == nil || len(turn.did) != 0 {
			t.Errorf("%s: %v, did %q", name, err, turn.did)
		}
	}
}

// FuzzArguments: whatever a provider sends, a tool answers within its bounds or
// says why not, and draws no row.
func FuzzArguments(f *testing.F) {
	for _, args := range []string{
		`{"query":"plum","limit":3}`, `{"chat":"pc_0123456789abcdef","message":"m","direction":"after"}`, `{"title":"x","choices":["a","b"]}`,
		`{"title":"x","fields":[{"name":"y","kind":"choices","choices":["a","b"],"required":true}]}`, `{"steps":[{"title":"a","status":"done"}]}`,
		`{"text":"likes tea"}`, `{"memory":"m01234567"}`, `{`, `[]`, `{"query":"\ud800"}`, "{\"query\":\"\xff\"}", `{"limit":1e999}`, `{"query":{"a":[[[]]]}}`,
	} {
		f.Add(args)
	}
	w := newWorld(f)
	w.own("Plums", you("a plum"), it("two plums"))
	w.kit.Past = leaking{"\x1b[31mplum"}
	f.Fuzz(func(t *testing.T, args string) {
		turn := &aTurn{answer: func(q engine.Question) engine.Answer { return engine.Answer{Text: "so"} }}
		for _, each := range w.kit.For(turn) {
			r, err := each.Call(t.Context(), json.RawMessage(args))
			text := r.Text
			if err != nil {
				text = err.Error()
			}
			if n := utf8.RuneCountInString(text); n > maxRead || n == 0 {
				t.Errorf("%s: %d characters", each.Name(), n)
			}
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\a\x00") {
				t.Errorf("%s: %q", each.Name(), text)
			}
		}
		for _, d := range turn.did {
			if strings.Contains(d, "row") {
				t.Error(d)
			}
		}
	})
}
