package conversation

import (
	"context"
	"strings"
	"testing"

	"conch/chats"
	"conch/engine"
)

func TestHowThingsStandIsToldOfWhatTheProviderSawToo(t *testing.T) { // R-69-21
	a, b := answering("a", "mine"), answering("b", "yours")
	r := newRoom(t)
	m := r.chat(a, b)
	must(t, m.SetProvider("a"))
	must(t, m.Send(Message{Text: "begin"}))
	wait(t, m)
	a.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		m.record("", chats.Task{TaskID: "1", Title: "Check the invoices", State: chats.TaskRunning, By: "worker-1"})
		s.Emit(engine.Text{MessageID: "m", Delta: "It runs."})
		return good
	}
	say(t, m, "hand it on")
	must(t, m.SetProvider("b"))
	say(t, m, "and you?")
	must(t, m.SetProvider("a"))
	say(t, m, "back to you")
	got := a.input(t, 2).Prompt
	if !strings.Contains(got, "\nNow:\n- Still running: ") || !strings.Contains(got, "Check the invoices") || strings.Contains(got, "It runs.") || !strings.Contains(got, "yours") {
		t.Errorf("told\n%s", got)
	}
	say(t, m, "and again")
	if got := a.input(t, 3).Prompt; got != "and again" {
		t.Errorf("who missed nothing was told\n%s", got)
	}
}

func TestTheLastBlockIsThereInAnotherLifeOfTheProgram(t *testing.T) {
	for name, long := range map[string]int{"near the end": 10, "far from it": 3 << 20} {
		a, b := answering("a", "mine"), answering("b", strings.Repeat("word ", long/5))
		r := newRoom(t)
		m := r.chat(a, b)
		must(t, m.SetProvider("a"))
		say(t, m, "begin")
		must(t, m.SetProvider("b"))
		say(t, m, "and you?")
		say(t, m, "more")
		_, want := m.LastHandoff()
		must(t, m.Close())
		again := r.again(m.ID(), r.deps(a, b))
		if who, block := again.LastHandoff(); who != "b" || block != want || want == "" {
			t.Errorf("%s: %q was told %.100q", name, who, block)
		}
	}
	m := newRoom(t).chat(answering("a", "x"))
	say(t, m, "hi")
	if who, block := m.LastHandoff(); who != "" || block != "" {
		t.Errorf("%q was told %q", who, block)
	}
}
