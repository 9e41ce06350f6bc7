package tools

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"conch/engine"
)

func TestAskPutsAQuestionAndGivesTheAnswer(t *testing.T) {
	w := newWorld(t)
	choice := func(names ...string) []engine.Choice {
		var list []engine.Choice
		for _, n := range names {
			list = append(list, engine.Choice{ID: n, Name: n})
		}
		return list
	}
	picks := []engine.Field{
		{Name: "answer", Label: "Choose one", Kind: "choice", Options: choice("Postgres", "SQLite")}, {Name: "other", Label: "Or in other words", Kind: "text"},
	}
	for _, c := range []struct {
		name, args string
		fields     []engine.Field
		answer     engine.Answer
		want       asked
	}{
		{"free text", `{"title":"Which?"}`, nil, engine.Answer{Text: "the blue one"}, asked{Answered: true, Answer: "the blue one"}},
		{
			"a choice", `{"title":"Which?","choices":["Postgres","SQLite"]}`, picks,
			engine.Answer{Values: map[string]any{"answer": "SQLite"}}, asked{Answered: true, Answer: "SQLite"},
		},
		{
			"something else", `{"title":"Which?","choices":["Postgres","SQLite"]}`, picks,
			engine.Answer{Values: map[string]any{"other": "MariaDB"}}, asked{Answered: true, Answer: "MariaDB"},
		},
		{
			"a choice and a word on it", `{"title":"Which?","choices":["Postgres","SQLite"]}`, picks,
			engine.Answer{Values: map[string]any{"answer": "SQLite", "other": "for now"}}, asked{Answered: true, Answer: "SQLite\nfor now"},
		},
		{
			"fields", `{"title":"Deploy?","fields":[{"name":"where","kind":"choice","choices":["stage","live"],"required":true},{"name":"n","label":"How many","kind":"integer"},{"name":"why","description":"short"}]}`,
			[]engine.Field{
				{Name: "where", Label: "where", Kind: "choice", Required: true, Options: choice("stage", "live")}, {Name: "n", Label: "How many", Kind: "integer"},
				{Name: "why", Label: "why", Description: "short", Kind: "text"},
			},
			engine.Answer{Values: map[string]any{"where": "live", "n": 3.0, "stray": "x"}}, asked{Answered: true, Values: map[string]any{"where": "live", "n": 3.0}},
		},
		{"skipped", `{"title":"Which?"}`, nil, engine.Answer{Skipped: true}, asked{Note: wasSkipped}},
		{"ended", `{"title":"Which?"}`, nil, engine.Answer{Cancelled: true}, asked{Note: turnWasEnded}},
	} {
		turn := &aTurn{answer: func(engine.Question) engine.Answer { return c.answer }}
		got := into[asked](t, w.call(turn, "ask", c.args).Text)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if len(turn.asked) != 1 {
			t.Errorf("%s: %d questions", c.name, len(turn.asked))
			continue
		}
		if d := cmp.Diff(c.fields, turn.asked[0].Fields); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestAskSaysAtOnceThatNobodyIsThere(t *testing.T) { // R-102-34
	w := newWorld(t)
	turn := &aTurn{unattended: true}
	got := into[asked](t, w.call(turn, "ask", `{"title":"Which?"}`).Text)
	if got.Answered || !strings.HasPrefix(got.Note, "Nobody is there") || !strings.Contains(got.Note, "say at the end what you assumed") || len(turn.did) != 0 {
		t.Errorf("%+v, did %q", got, turn.did)
	}
}

func TestAskIsBoundedAndHarmless(t *testing.T) { // R-102-33
	w := newWorld(t)
	turn := &aTurn{answer: func(engine.Question) engine.Answer {
		return engine.Answer{Text: strings.Repeat("so ", 9000) + "\x1b[2J"}
	}}
	r := w.call(turn, "ask", `{"title":"Do it\u001b]0;x\u0007?\u202e"}`)
	if n := utf8.RuneCountInString(r.Text); n > 9000 {
		t.Errorf("an answer of %d characters", n)
	}
	harmless(t, r.Text)
	harmless(t, turn.asked[0].Title)
	turn = &aTurn{answer: func(engine.Question) engine.Answer {
		return engine.Answer{Values: map[string]any{"a": strings.Repeat("ü", 20_000), "b": strings.Repeat("ü", 20_000)}}
	}}
	r = w.call(turn, "ask", `{"title":"x","fields":[{"name":"a"},{"name":"b"}]}`)
	if n := utf8.RuneCountInString(r.Text); n > 9000 {
		t.Errorf("an answer of %d characters", n)
	}
}

func TestAskRefusesWhatIsNoQuestion(t *testing.T) { // R-102-15
	w := newWorld(t)
	for args, want := range map[string]string{
		`{}`: "title: wanted text of 1 to 500 characters, got nothing",
		`{"title":"x","choices":["a","b"],"fields":[{"name":"y"}]}`:                     "choices: wanted either choices or fields, got both",
		`{"title":"x","choices":["a","a"]}`:                                             "choices: wanted different choices, got a twice",
		`{"title":"x","choices":["a"]}`:                                                 "choices: wanted a list of 2 to 12 items, got 1 item",
		`{"title":"x","fields":[{"name":"y"},{"name":"y"}]}`:                            "fields[1].name: wanted a name that no other field has, got y again",
		`{"title":"x","fields":[{"name":"y","kind":"choice"}]}`:                         "fields[0].choices: wanted a list of 2 to 12 items with the kind choice, got nothing",
		`{"title":"x","fields":[{"name":"y","choices":["a","b"]}]}`:                     "fields[0].choices: wanted only with the kinds choice and choices, got them with text",
		`{"title":"x","fields":[{"name":"y","kind":"color"}]}`:                          `fields[0].kind: wanted one of text, number, integer, boolean, choice, choices, got "color"`,
		`{"title":"x","fields":[{"name":"y","requierd":true}]}`:                         "fields[0].requierd: not taken; what is taken: name, label, description, kind, choices, required",
		`{"title":"x","fields":[{"name":"y","kind":"choice","choices":["a","b","a"]}]}`: "fields[0].choices: wanted different choices, got a twice",
	} {
		turn := &aTurn{}
		if why := w.refused(turn, "ask", args); !strings.HasSuffix(why, "don't fit: "+want) || len(turn.did) != 0 {
			t.Errorf("%s:\n%s\nwant %s", args, why, want)
		}
	}
}

func TestPlanIsShownWholeEachTime(t *testing.T) {
	w := newWorld(t)
	turn := &aTurn{}
	r := w.call(turn, "plan", `{"steps":[{"title":"Read\u001b[2J the cart","status":"done"},{"title":"Fix it","status":"active"},{"title":"Test","status":"pending"}]}`)
	if r.Text != "The plan is shown: 1 of 3 done." || r.View.Result != "1 of 3 done" {
		t.Errorf("%+v", r)
	}
	want := []engine.Plan{{Steps: []engine.PlanStep{{Title: "Read the cart", Status: "done"}, {Title: "Fix it", Status: "active"}, {Title: "Test", Status: "pending"}}}}
	if d := cmp.Diff(want, turn.plans); d != "" {
		t.Error(d)
	}
	for args, want := range map[string]string{
		`{}`:           "steps: wanted a list of 1 to 40 items, got nothing",
		`{"steps":[]}`: "steps: wanted a list of 1 to 40 items, got 0 items",
		`{"steps":[` + strings.Repeat(`{"title":"a","status":"done"},`, 40) + `{"title":"a","status":"done"}]}`: "steps: wanted a list of 1 to 40 items, got 41 items",
		`{"steps":[{"title":"a"}]}`:                              "steps[0].status: wanted one of pending, active, done, got nothing",
		`{"steps":[{"title":" ","status":"doing"}]}`:             `steps[0].title: wanted text of 1 to 200 characters, got empty text; steps[0].status: wanted one of pending, active, done, got "doing"`,
		`{"steps":[{"title":"a","status":"done","content":""}]}`: "steps[0].content: not taken; what is taken: title, status",
		`{"steps":"all of them"}`:                                `steps: wanted a list of 1 to 40 items, got the text "all of them"`,
	} {
		if why := w.refused(turn, "plan", args); !strings.HasSuffix(why, "don't fit: "+want) {
			t.Errorf("%s:\n%s\nwant %s", args, why, want)
		}
	}
	if len(turn.plans) != 1 {
		t.Error("a refused plan was shown")
	}
}
