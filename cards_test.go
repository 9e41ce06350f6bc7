//go:build !windows

package main

import (
	"strings"
	"testing"
)

// TestNoKeyTypedAheadAnswersAPermission types two hundred keys, every key that
// answers a focused card among them, while three cards come and go.
func TestNoKeyTypedAheadAnswersAPermission(t *testing.T) {
	p := newPlace(t)
	s := open(t, p, 100, 30, p.environ(), "--provider", "demo", "--mode", "ask")
	s.waitFor(prompt)
	s.say("/test permissions 900")
	s.waitFor("waits for you")

	keys := "yn1Y23Nd49yc y1n2Y "
	for i := range 200 {
		s.typed(string(keys[i%len(keys)]))
		if i%20 == 19 {
			// Enter with words in the composer queues a message; it answers nothing.
			s.typed(keyEnter)
		}
	}
	s.waitGone("waits for you")
	s.until("the turn's end", func() bool { return !strings.Contains(s.screen(), "esc stop") })

	log := readLog(t, p)
	if n := strings.Count(log, `"kind":"permission.requested"`); n < 3 {
		t.Errorf("%d cards came, want 3:\n%s", n, log)
	}
	for _, line := range strings.Split(log, "\n") {
		if strings.Contains(line, `"kind":"permission.resolved"`) && strings.Contains(line, `"by":"person"`) {
			t.Errorf("a card was answered: %s", line)
		}
	}
}

func TestCtrlCNeverLosesADraft(t *testing.T) {
	p := newPlace(t)
	s := open(t, p, 80, 24, p.environ())
	s.waitFor(prompt)
	s.typed("a thought of an hour")
	s.waitFor("a thought of an hour")
	s.typed(keyCtrlC)
	s.waitGone("a thought of an hour")
	s.typed("\x1b[A")
	s.waitFor("a thought of an hour")
}

func TestAnAnsweredPermissionRunsAndADeclinedOneDoesNot(t *testing.T) {
	for _, answer := range []struct{ key, want string }{
		{"y", "you allowed it once"},
		{"n", "you said no"},
	} {
		t.Run(answer.want, func(t *testing.T) {
			p := newPlace(t)
			s := open(t, p, 100, 40, p.environ(), "--provider", "demo")
			s.waitFor(prompt)
			s.say("edit")
			s.waitFor("waits for you")
			s.answer(answer.key, func() bool { return strings.Contains(s.screen(), answer.want) })
		})
	}
}
