//go:build !windows

package main

import (
	"strings"
	"testing"

	"conch/pretend"
)

// circling is a model that makes one call again and again, and goes another way when
// it is told to carry on.
func circling() pretend.Script {
	var steps []pretend.Step
	for range 6 {
		steps = append(steps, pretend.Step{Calls: []pretend.Call{{Name: "search_chats", Args: map[string]any{"query": "walnut"}}}})
	}
	return pretend.Script{Rules: []pretend.Rule{
		{Match: "find the walnut", Steps: append(steps, pretend.Step{Text: "I searched."})},
		{Match: "Carry on from where you stopped", Steps: []pretend.Step{{Text: "I went another way."}}},
	}}
}

// A model in circles is told so, then its turn pauses behind every kind of engine: the
// card says why, and the person carries it on by key or by word.
func TestATurnInCirclesPausesAndIsCarriedOn(t *testing.T) { // R-102-16, R-102-20, checklist 6
	for kind := range enginesFor(t, "") {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, model := playing(t, kind, circling(), 40)
			s.say("find the walnut")
			s.waitFor("paused  after the very same call of search_chats, 5 times")
			s.waitGone("esc stop ")
			if n := len(row.FindAllString(s.screen(), -1)); n != 5 {
				t.Errorf("%d rows:\n%s", n, s.screen())
			}
			if kind == "codex" {
				s.say("/continue")
				s.waitFor("I went another way.")
			} else {
				s.answer("c", func() bool { return strings.Contains(s.screen(), "I went another way.") })
			}
			s.waitGone("paused  after the very same call")
			told := 0
			for _, q := range model.Asked() {
				for _, m := range q.Messages {
					if m.Role == "result" && strings.Contains(m.Text, "This very call was made 3 times now") {
						told++
						if !strings.Contains(m.Text, "chats") || strings.Index(m.Text, "from-conch") < 10 {
							t.Errorf("the note took something from the answer: %q", m.Text)
						}
					}
				}
				if told > 0 {
					break
				}
			}
			if told != 1 {
				t.Errorf("the model was told %d times in the first request behind it", told)
			}
		})
	}
}
