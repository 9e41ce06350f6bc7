package sheet

import "testing"

func TestLastWordsShowNoMarksOfMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"I am the **demo agent**.":              "I am the demo agent.",
		"I am the **demo":                       "I am the demo",
		"**Done.** All is *well*, (**really**)": "Done. All is well, (really)",
		"# How it works ## Then `go test`":      "How it works Then go test",
		"See [the docs](https://a.b/c) there":   "See the docs there",
		"> quoted words":                        "quoted words",
		"```go func main() {} ```":              "go func main() {}",
		"***both*** and **`code`**":             "both and code",
		"2**3 is 8, 2 * 3 is 6, a > b":          "2**3 is 8, 2 * 3 is 6, a > b",
		"look at *.go and src/* and #12 and C#": "look at *.go and src/* and #12 and C#",
		"plain words":                           "plain words",
		"**":                                    "**",
		"":                                      "",
	} {
		if got := newEntry(Row{LastWords: in, Title: "t"}).last; got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	if got := newEntry(Row{LastWords: "**Hello**"}).title; got != "Hello" {
		t.Errorf("without a title: %q", got)
	}
}
