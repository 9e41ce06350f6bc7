package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"conch/conversation"
)

func TestTheKeyBehindTheLeaderPicksTheAction(t *testing.T) {
	p := newPlace(t)
	d := p.deps(t, ready("codex"), ready("gemini-cli"))
	d.Options.Keys = map[string][]string{"leader": {"ctrl+x"}, "provider": {"leader p"}}
	tt := start(t, 80, 24, d)
	tt.sees("ctrl+x p provider") // the footer
	tt.press("ctrl+x")
	tt.sees("ctrl+x …")
	tt.press("p")
	tt.sees("Who answers next?")
	tt.press("esc")
	tt.seesNot("Who answers next?")

	// Anything else drops it, and types nothing; so does esc.
	tt.press("ctrl+x", "q", "p")
	tt.sees("▌ p")
	tt.press("ctrl+x", "esc", "r")
	tt.sees("▌ pr")
	if s := tt.shown(); strings.Contains(s, "Who answers") {
		t.Errorf("a key that did not follow the leader acted:\n%s", s)
	}
	tt.press("ctrl+c", "f1")
	tt.sees("ctrl+x p")
}

func TestTheLeaderIsForgottenAfterAWhile(t *testing.T) {
	p := newPlace(t)
	d := p.deps(t, ready("codex"))
	d.Options.Keys = map[string][]string{"leader": {"ctrl+x"}, "provider": {"leader p"}}
	d.New = func(string) (*conversation.Manager, error) { return nil, context.Canceled }
	c := newCrew(context.Background())
	defer func() { c.close(); c.wait() }()
	m := newModel(d.filled(), c)
	m.at = p.now()
	if _, ok := m.led(m.place(), keyNamed("ctrl+x")); ok {
		t.Fatal("the leader goes on as a key")
	}
	m.at = m.at.Add(leaderTime + time.Millisecond)
	k, ok := m.led(m.place(), keyNamed("p"))
	if !ok || k.Text != "p" {
		t.Errorf("a late p is %q, %v; it should be typed", k.Text, ok)
	}
}
