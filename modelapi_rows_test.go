//go:build !windows

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"conch/pretend"
)

// twenty is a loop of twenty commands, with a look into other chats before them. spoil
// puts something in the way of steps.
func twenty(spoil func(n int, step *pretend.Step)) pretend.Script {
	steps := []pretend.Step{{Calls: []pretend.Call{{Name: "search_chats", Args: map[string]any{"query": "boulders"}}}}}
	for n := range 20 {
		step := pretend.Step{Text: fmt.Sprintf("I take step %d of all the steps. ", n+1), Calls: []pretend.Call{{Do: "bash", Command: fmt.Sprintf("echo stone %d", n+1)}}}
		if spoil != nil {
			spoil(n+1, &step)
		}
		steps = append(steps, step)
	}
	return pretend.Script{Rules: []pretend.Rule{{Match: "carry the stones", Steps: append(steps, pretend.Step{Text: "All stones are carried."})}}}
}

// playing is the real program with one way to a model, ready for a message.
func playing(t *testing.T, kind string, script pretend.Script, rows int) (*terminal, *pretend.Server) {
	t.Helper()
	model, err := pretend.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	p := newPlace(t)
	conf := enginesFor(t, model.URL())[kind]
	if conf == "" {
		t.Fatalf("there is no engine %q", kind)
	}
	for path, text := range map[string]string{
		filepath.Join(p.home, ".conch", "config.toml"): "provider = \"player\"\n" + conf,
		filepath.Join(p.home, ".codex", "auth.json"):   `{"OPENAI_API_KEY":"pretend-key"}`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, p, 100, rows, p.environ("PRETEND_KEY=pretend-key"), "--mode", "ask")
	s.waitFor(prompt)
	return s, model
}

// allow says yes to the card of a stone.
func (s *terminal) allow(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("the card of stone %d", n), func() bool {
		return strings.Contains(s.screen(), fmt.Sprintf("echo stone %d", n)) && strings.Contains(s.screen(), "waits for you")
	})
	s.answer("y", func() bool { return strings.Count(s.screen(), "you allowed it once") >= n })
}

// row is a step as the screen shows it.
var row = regexp.MustCompile(`(?m)^ *[✓✗×!] .*$`)

// The same steps are the same rows on the screen, whoever made them, with a tool of
// their own or of Conch's: a program that speaks ACP, Codex, or a model API, also when that was busy in between and a stream of
// it broke off in the middle of its words.
func TestTwentyStepsAreTheSameRowsForEveryEngine(t *testing.T) {
	want := []string{"  ✓ search_chats boulders" + strings.Repeat(" ", 67) + "0 chats"}
	for n := range 20 {
		want = append(want, fmt.Sprintf("  ✓ Bash   echo stone %d · you allowed it once", n+1))
	}
	for kind := range enginesFor(t, "") {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			api := kind != "acp" && kind != "codex"
			s, model := playing(t, kind, twenty(func(n int, step *pretend.Step) {
				switch {
				case api && n == 5:
					step.Fault = &pretend.Fault{Status: 429, RetryAfter: 1}
				case api && n == 12:
					step.Fault = &pretend.Fault{Drop: 1}
				}
			}), 100)
			s.say("carry the stones")
			for n := range 20 {
				if api && n+1 == 5 {
					s.waitFor("player is busy, trying again in 1 s")
				}
				s.allow(n + 1)
			}
			s.waitFor("All stones are carried.")
			if got := row.FindAllString(s.screen(), -1); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("the rows are\n%s\nof\n%s", strings.Join(got, "\n"), s.screen())
			}
			if !api {
				return
			}
			if n := strings.Count(s.screen(), "I take step 12 of all the steps."); n != 1 {
				t.Errorf("what broke off and was said again stands there %d times:\n%s", n, s.screen())
			}
			asked := model.Asked()
			if len(asked) != 24 {
				t.Fatalf("%d requests", len(asked))
			}
			for n := range 20 {
				if !asked[23].Saw(fmt.Sprintf("stone %d\n", n+1), "result") {
					t.Errorf("the model did not read what step %d gave", n+1)
				}
			}
		})
	}
}

// A refused key is one sentence and a next step, and the chat is there to go on.
func TestARefusedKeyOfAModelAPIIsSaidOnTheScreen(t *testing.T) {
	for _, kind := range modelAPIKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, model := playing(t, kind, pretend.Script{Rules: []pretend.Rule{
				{Match: "let me in", Steps: []pretend.Step{{Text: "no", Fault: &pretend.Fault{Status: 401, Times: -1}}}},
				{Match: "and now", Steps: []pretend.Step{{Text: "You are in."}}},
			}}, 30)
			s.say("let me in")
			s.waitFor("player did not take the key in the variable PRETEND_KEY")
			s.waitFor("put a valid one there")
			if n := len(model.Asked()); n != 1 {
				t.Errorf("it was asked %d times", n)
			}
			if strings.Contains(s.screen(), "pretend-key") {
				t.Errorf("the key is on the screen:\n%s", s.screen())
			}
			s.say("and now")
			s.waitFor("You are in.")
		})
	}
}

// A model that takes no tools answers in words: it is said once, it is told of no tool,
// and no row is drawn.
func TestAModelWithoutToolsAnswersInWordsOnTheScreen(t *testing.T) { // R-102-5
	for _, kind := range modelAPIKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, model := playing(t, kind, pretend.Script{Toolless: true, Rules: []pretend.Rule{
				{Match: "look at it", Untooled: true, Steps: []pretend.Step{{Text: "I can't look, but I can think."}}},
				{Match: "think then", Untooled: true, Steps: []pretend.Step{{Text: "I thought."}}},
			}}, 30)
			s.say("look at it")
			s.waitFor("I can't look, but I can think.")
			s.waitFor("it answers in words only")
			s.say("think then")
			s.waitFor("I thought.")
			if got := row.FindAllString(s.screen(), -1); got != nil {
				t.Errorf("there are rows: %q", got)
			}
			if n := strings.Count(s.screen(), "in words only"); n != 1 {
				t.Errorf("it is said %d times:\n%s", n, s.screen())
			}
			asked := model.Asked()
			if len(asked) != 2 || len(asked[0].Tools)+len(asked[1].Tools) != 0 {
				t.Fatalf("%d requests", len(asked))
			}
			for _, q := range asked {
				if system := q.Messages[0].Text; !strings.Contains(system, "You have no tools here") || strings.Contains(system, "Conch's tools") || strings.Count(system, "# How you work on a problem") != 1 {
					t.Errorf("it was told\n%s", system)
				}
			}
		})
	}
}

var modelAPIKinds = []string{"openai", "openai-responses", "anthropic"}
