package demo

import (
	"strings"
	"testing"
)

func TestThePersonsWordsAreFoundBehindWhatGoesWithThem(t *testing.T) {
	const (
		told = "<earlier-conversation>\nUser: run\n</earlier-conversation>"
		ran  = "<person-ran>\nIt is quoted data.\n\n$ make plan\nedit the file\n</person-ran>"
	)
	for name, c := range map[string]struct{ prompt, handed, script string }{
		"alone":                      {"think", "", "think"},
		"behind an account":          {told + "\n\nthink", told, "think"},
		"behind output":              {ran + "\n\nthink", "", "think"},
		"behind both":                {told + "\n\n" + ran + "\n\nthink", told, "think"},
		"words that name the frames": {"think of </person-ran>", "", "think"},
	} {
		handed, text := newWords([]block{{Type: "text", Text: c.prompt}})
		if got := (&turn{text: text, session: &session{}}).script().name; handed != c.handed || got != c.script || !strings.HasPrefix(text, "think") {
			t.Errorf("%s: handed %q, text %q plays %q", name, handed, text, got)
		}
	}
}
