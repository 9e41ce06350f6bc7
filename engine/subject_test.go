package engine

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestARowSaysWhatACallIsAbout(t *testing.T) {
	for args, want := range map[string]string{
		`{"limit":3,"query":"plums"}`:                               "plums",
		`{"text":"Likes plums\nand pears"}`:                         "Likes plums and pears",
		`{"name":"a","path":"cart/a.go"}`:                           "cart/a.go",
		`{"query":"  ","title":"Which?"}`:                           "Which?",
		`{"query":7,"steps":[{"title":"x"}]}`:                       "",
		`{"text":"token ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"}`: "token [redacted]",
		`{"text":"\u001b[31mred"}`:                                  "red",
		`[]`:                                                        "",
		`{"text":`:                                                  "",
		`{"text":"` + strings.Repeat("ä", 300) + `"}`:               strings.Repeat("ä", maxSubject-1) + "…",
	} {
		if got := SubjectOf(json.RawMessage(args)); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
		if got := RowOf(silent{}, "r1", json.RawMessage(args)); got.Subject != want || got.Name != "silent" || got.Kind != KindOther || got.ToolUseID != "r1" {
			t.Errorf("%s: the row is %+v", args, got)
		}
	}
}

// silent is a tool that says nothing of its rows.
type silent struct{ Tool }

func (silent) Name() string { return "silent" }
