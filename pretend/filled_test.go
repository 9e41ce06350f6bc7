package pretend

import "testing"

func TestAStepSaysWhatTheWordsHeld(t *testing.T) {
	s := Script{Rules: []Rule{{Match: `export at (?P<site>http://\S+)/x`, Steps: []Step{{
		Text: "I look at ${site}.", Calls: []Call{{Do: "fetch", URL: "${site}/a"}, {Name: "n", Args: map[string]any{"to": "${site}", "n": 3}}},
	}}}}}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	words := "the export at http://127.0.0.1:1/x, no: export at http://127.0.0.1:2/x"
	for range 2 { // a script is used again and again
		got := s.choose([]Message{{Role: "user", Text: words}}, true).step
		if got.Text != "I look at http://127.0.0.1:2." || got.Calls[0].URL != "http://127.0.0.1:2/a" || got.Calls[1].Args["to"] != "http://127.0.0.1:2" || got.Calls[1].Args["n"] != 3 {
			t.Errorf("got %+v", got)
		}
	}
}
