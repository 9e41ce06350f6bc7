package apps

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/engine"
)

// R-102-24.
func TestToolsThatCantBeOfferedAreLeftOutWithANote(t *testing.T) {
	long := strings.Repeat("x", 65)
	room := strings.Repeat("y", 52-len("mcp__ledger__"))
	p := &pretend{tools: func(int) []*mcp.Tool {
		bad := changes("bad_schema")
		bad.InputSchema = map[string]any{"type": "string"}
		return []*mcp.Tool{
			reads("zeta"), reads("find.invoices"), reads("find_invoices"), reads(room), reads(room + "y"), reads(long),
			reads("two words"), reads("naïve"), reads(""), reads("a\x1b[31m"), nil, bad, changes("alpha"), changes("alpha"),
		}
	}}
	b := playing(t, p)
	set := connected(t, b, &turn{})
	if want := "mcp__ledger__alpha mcp__ledger__find_invoices mcp__ledger__" + room + " mcp__ledger__zeta"; names(set.Tools) != want {
		t.Errorf("offered: %s\nwant     %s", names(set.Tools), want)
	}
	listed, _ := b.listing(b.o.Apps[0])
	want := []string{
		"find_invoices: there is another one of that name",
		room + "y: with the app's id its name has 53 characters, and models take 52: a shorter id in config.toml makes room",
		long + ": its name has more than 64 characters",
		"two words: its name has characters other than letters, digits, _, . and -",
		"naïve: its name has characters other than letters, digits, _, . and -",
		"a tool without a name: it has no name",
		"a: its name has characters other than letters, digits, _, . and -",
		"bad_schema: what it takes can't be told to a model: it is no object",
		"alpha: there is another one of that name",
	}
	if d := cmp.Diff(want, listed.Notes); d != "" {
		t.Error(d)
	}
	for _, tl := range set.Tools {
		if n := len("mcp__conch__" + tl.Name()); n > 64 {
			t.Errorf("%s has %d characters for a program's model", tl.Name(), n)
		}
	}
}

func TestOnlyTheToolsThatConfigNamesAreOffered(t *testing.T) {
	p := &pretend{tools: func(int) []*mcp.Tool { return []*mcp.Tool{reads("a"), reads("b"), reads("c")} }}
	b := playing(t, p)
	b.o.Apps[0].Tools = []string{"b", "d"}
	set := connected(t, b, &turn{})
	listed, _ := b.listing(b.o.Apps[0])
	want := []string{"a: not among the tools that config.toml names", "c: not among the tools that config.toml names", "d: config.toml names it, and the app has no such tool"}
	if d := cmp.Diff(want, listed.Notes); names(set.Tools) != "mcp__ledger__b" || d != "" {
		t.Errorf("offered %q; %s", names(set.Tools), d)
	}
}

// Checklist 11, R-102-24: paging is bounded.
func TestAListIsReadWithinBounds(t *testing.T) {
	tool := func(n int) *mcp.Tool { return reads(fmt.Sprintf("t%04d", n)) }
	for _, each := range []struct {
		name         string
		list         func(page int) (tools int, next string)
		pages, tools int
		note         string
	}{
		{"without end", func(page int) (int, string) { return 1, fmt.Sprint(page) }, 50, 50, "its list has more than 50 pages: the rest is left out"},
		{"large pages without end", func(page int) (int, string) { return 100, fmt.Sprint(page) }, 6, 512, "it has more than 512 tools: the rest is left out"},
		{"one huge page", func(int) (int, string) { return 5000, "" }, 1, 512, "it has more than 512 tools: the rest is left out"},
		{"in a circle", func(page int) (int, string) { return 1, "again" }, 2, 2, "its list of tools goes round in a circle: what came before is taken"},
		{"fifty pages, all of them", func(page int) (int, string) {
			if page == 50 {
				return 1, ""
			}
			return 1, fmt.Sprint(page)
		}, 50, 50, ""},
	} {
		t.Run(each.name, func(t *testing.T) {
			page, made := 0, 0
			p := &pretend{listing: func(*wire, string) ([]*mcp.Tool, string, error) {
				page++
				n, next := each.list(page)
				var out []*mcp.Tool
				for range n {
					made++
					out = append(out, tool(made))
				}
				return out, next, nil
			}}
			b := playing(t, p)
			set := connected(t, b, &turn{})
			listed, _ := b.listing(b.o.Apps[0])
			if page != each.pages || len(set.Tools) != each.tools || strings.Join(listed.Notes, "|") != each.note {
				t.Errorf("%d pages, %d tools, notes %q", page, len(set.Tools), listed.Notes)
			}
		})
	}
}

func TestDescriptionsAreCleanedAndBounded(t *testing.T) {
	long := changes("long")
	long.Description = "\x1b]0;title\x07" + strings.Repeat("ä", 100_000)
	key := changes("key")
	key.Description = "Uses ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"
	titled := changes("titled")
	titled.Title = "A title"
	p := &pretend{tools: func(int) []*mcp.Tool { return []*mcp.Tool{long, key, titled} }}
	set := connected(t, playing(t, p), &turn{})
	if got := set.tool(t, "mcp__ledger__long").Description(); utf8.RuneCountInString(got) != 1000 || !strings.HasPrefix(got, "ää") {
		t.Errorf("%d characters: %q …", utf8.RuneCountInString(got), got[:20])
	}
	if got := set.tool(t, "mcp__ledger__key").Description(); got != "Uses [redacted]" {
		t.Errorf("a key: %q", got)
	}
	if got := set.tool(t, "mcp__ledger__titled").Description(); got != "A title" {
		t.Errorf("a title alone: %q", got)
	}
}

func TestASchemaIsGivenAsModelsTakeIt(t *testing.T) {
	deep := `{"type":"object"}`
	for range 20 {
		deep = `{"type":"object","properties":{"a":` + deep + `}}`
	}
	many := []string{}
	for i := range 300 {
		many = append(many, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
	}
	for _, each := range []struct{ name, in, want, err string }{
		{"none", `null`, `{"properties":{},"type":"object"}`, ""},
		{"no type", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`, ""},
		{"a list of types", `{"type":["object","null"]}`, `{"properties":{},"type":"object"}`, ""},
		{"alternatives at the top", `{"type":"object","anyOf":[{"required":["a"]}],"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`, ""},
		{"a needed field that is nowhere", `{"type":"object","properties":{"a":{}},"required":["a","b",3]}`, `{"properties":{"a":{}},"required":["a"],"type":"object"}`, ""},
		{"words of an old draft", `{"type":"object","properties":{"a":{"type":"string","required":true}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`, ""},
		{"a field that no model can name", `{"type":"object","properties":{"a b":{},"c":{}}}`, `{"properties":{"c":{}},"type":"object"}`, ""},
		{"a reference within", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"$defs":{"x":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/x"}},"type":"object"}`, ""},
		{"true as a schema", `{"type":"object","properties":{"a":true}}`, `{"properties":{"a":{}},"type":"object"}`, ""},

		{"a word", `{"type":"string"}`, "", "it is no object"},
		{"a list", `[]`, "", "it is no object"},
		{"true", `true`, "", "it is no object"},
		{"a type that is none", `{"type":7}`, "", "it is no object"},
		{"properties that are none", `{"type":"object","properties":[]}`, "", "its properties are no object"},
		{"a needed field that no model can name", `{"type":"object","properties":{"a b":{}},"required":["a b"]}`, "", `models can't name its field "a b"`},
		{"a reference elsewhere", `{"type":"object","properties":{"a":{"$ref":"https://evil.example/x"}}}`, "", "it refers to a place elsewhere"},
		{"too deep", deep, "", "it is more than 16 levels deep"},
		{"too many fields", `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`, "", "it has more than 200 fields"},
		{"too large", `{"type":"object","description":"` + strings.Repeat("x", 33<<10) + `"}`, "", "it has more than 32 KiB"},
	} {
		t.Run(each.name, func(t *testing.T) {
			got, err := tidy(json.RawMessage(each.in))
			said := ""
			if err != nil {
				said = err.Error()
			}
			if string(got) != each.want || said != each.err {
				t.Errorf("%s, %q", got, said)
			}
		})
	}
}

// FuzzTidy holds what is offered to what every model API takes.
func FuzzTidy(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},null]}},"required":["a"]}`)
	f.Add(`{"properties":{"":{}},"required":[""],"$defs":{"x":1},"items":[{"$ref":"#"}]}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, in string) {
		got, err := tidy(json.RawMessage(in))
		if err != nil {
			if err.Error() == "" {
				t.Error("it says nothing")
			}
			return
		}
		var out struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		}
		if json.Unmarshal(got, &out) != nil || out.Type != "object" || out.Properties == nil || len(got) > 2*maxSchema {
			t.Fatalf("%s", got)
		}
		for _, name := range out.Required {
			if _, there := out.Properties[name]; !there {
				t.Errorf("%s is needed and not there: %s", name, got)
			}
		}
		for name := range out.Properties {
			if !fits(name) {
				t.Errorf("no model can name %q", name)
			}
		}
		again, err := tidy(got)
		if err != nil || string(again) != string(got) {
			t.Errorf("tidied again it is %s, %v", again, err)
		}
	})
}

// FuzzNames holds what is offered to what every model API takes.
func FuzzNames(f *testing.F) {
	f.Add("ledger", "find_invoices")
	f.Add("a.b", "x.y-z")
	f.Fuzz(func(t *testing.T, app, tool string) {
		name, why := offered(app, tool)
		if (name == "") == (why == "") {
			t.Fatalf("%q, %q", name, why)
		}
		if strings.ContainsFunc(app, odd) || name == "" {
			return
		}
		if len("mcp__conch__"+name) > 64 || strings.ContainsFunc(name, odd) || strings.Contains(name, ".") {
			t.Errorf("%q", name)
		}
	})
}

// FuzzSubject: whatever a model calls a tool with, its row is one clean line.
func FuzzSubject(f *testing.F) {
	f.Add(`{"customer":"Globex"}`)
	f.Add(`{"a":{"b":1},"n":12}`)
	f.Add(`[1,{"query":`)
	f.Fuzz(func(t *testing.T, args string) {
		if got := subject(json.RawMessage(args)); strings.ContainsAny(got, "\n\r\x1b") || utf8.RuneCountInString(got) > maxSubject {
			t.Errorf("%q", got)
		}
	})
}

func TestARowSaysWhatACallIsAbout(t *testing.T) {
	for args, want := range map[string]string{
		`{"customer":"Globex"}`:                        "Globex",
		`{"limit":3,"deep":{"x":"no"},"word":"first"}`: "3",
		`{"first":"this","query":"that"}`:              "that",
		`{}`:                                           "", `[]`: "", ``: "", `{"a":""}`: "",
		`{"token":"ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"}`: "[redacted]",
		`{"a":"one\ntwo"}`: "one two",
	} {
		if got := subject(json.RawMessage(args)); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	row := engine.RowOf(&tool{listed: Listed{Name: "mcp__ledger__find_invoices", ReadOnly: true}}, "r", json.RawMessage(`{"customer":"Globex"}`))
	if row.Name != "mcp__ledger__find_invoices" || row.Kind != engine.KindRead || row.Subject != "Globex" || row.ToolUseID != "r" {
		t.Errorf("%+v", row)
	}
}
