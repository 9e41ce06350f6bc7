package conversation

import (
	"context"
	"slices"
	"strings"
	"testing"

	"conch/chats"
	"conch/engine"
)

func texts(queue []Message) []string {
	var out []string
	for _, q := range queue {
		out = append(out, q.Text)
	}
	return out
}

func prompts(e *scripted) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for _, in := range e.got {
		out = append(out, in.Prompt)
	}
	return out
}

func TestAMessageTypedWhileATurnRunsGoesWhenItEndedWell(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "one"}))
	<-h.begun
	for _, q := range []string{"two", "three", "four", "five"} {
		must(t, m.Send(Message{Text: q}))
	}
	if got := m.Status(); !slices.Equal(texts(got.Queue), []string{"two", "three", "four", "five"}) || got.Held {
		t.Errorf("%v, held %v", texts(got.Queue), got.Held)
	}
	must(t, m.EditQueued(1, Message{Text: "drei"}))
	must(t, m.RemoveQueued(2))
	if back, ok := m.Unqueue(); !ok || back.Text != "five" {
		t.Errorf("took back %q", back.Text)
	}
	for _, i := range []int{-1, 2} {
		if m.EditQueued(i, Message{Text: "x"}) == nil || m.RemoveQueued(i) == nil {
			t.Errorf("index %d was taken", i)
		}
	}
	if m.EditQueued(0, Message{}) == nil {
		t.Error("an empty message was put in")
	}
	for range 2 {
		h.end <- good
		<-h.begun
	}
	h.end <- good
	wait(t, m)
	if got := prompts(h.scripted); !slices.Equal(got, []string{"one", "two", "drei"}) {
		t.Errorf("sent %q", got)
	}
	if _, ok := m.Unqueue(); ok {
		t.Error("took something back from an empty queue")
	}
}

func TestTheQueueIsHeldAfterAStopAFailureAndAPause(t *testing.T) { // complaint 22
	for name, test := range map[string]struct {
		end func(m *Manager, h *hold)
		why string
	}{
		"stop":    {func(m *Manager, _ *hold) { m.Stop() }, "you stopped the turn"},
		"failure": {func(_ *Manager, h *hold) { h.end <- engine.Result{Outcome: engine.Failed, Error: "x"} }, "the turn before failed"},
		"pause": {func(_ *Manager, h *hold) {
			h.end <- engine.Result{Outcome: engine.Success, Paused: true, Accepted: true}
		}, "codex paused"},
	} {
		for how, goOn := range map[string]func(m *Manager) error{
			"release": (*Manager).Release,
			"send":    func(m *Manager) error { return m.Send(Message{Text: "now"}) },
		} {
			t.Run(name+", then "+how, func(t *testing.T) {
				h := newHold("codex")
				m := newRoom(t).chat(h)
				must(t, m.Send(Message{Text: "one"}))
				<-h.begun
				must(t, m.Send(Message{Text: "two"}))
				must(t, m.Send(Message{Text: "three"}))
				test.end(m, h)
				wait(t, m)
				if s := m.Status(); s.Running || !s.Held || s.HeldWhy != test.why || len(s.Queue) != 2 {
					t.Fatalf("%+v", s)
				}
				must(t, goOn(m))
				if m.Release() == nil {
					t.Error("released while a turn runs")
				}
				want := []string{"one", "two", "three"}
				if how == "send" {
					want = []string{"one", "now", "two", "three"}
				}
				for n := len(want) - 1; n > 0; n-- {
					<-h.begun
					h.end <- good
				}
				wait(t, m)
				var got []string
				for _, u := range all[chats.UserMessage](logged(t, m)) {
					got = append(got, u.Text)
				}
				if !slices.Equal(got, want) {
					t.Errorf("sent %q, not %q", got, want)
				}
				if m.Release() == nil {
					t.Error("released nothing")
				}
			})
		}
	}
}

func TestAQueuedMessageGoesAfterATurnThatTheProviderInterrupted(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "one"}))
	<-h.begun
	must(t, m.Send(Message{Text: "two"}))
	h.end <- engine.Result{Outcome: engine.Interrupted, Accepted: true}
	<-h.begun
	h.end <- good
	wait(t, m)
	if got := len(h.got); got != 2 {
		t.Errorf("%d messages sent", got)
	}
}

func TestAStopThatComesAsTheTurnEndsStillHoldsTheQueue(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "one"}))
	<-h.begun
	must(t, m.Send(Message{Text: "two"}))
	m.mu.Lock()
	running := m.turn
	m.mu.Unlock()
	m.writing.Lock() // the turn's end cannot be written yet
	h.end <- good
	m.stop(running)
	m.writing.Unlock()
	wait(t, m)
	if s := m.Status(); !s.Held || len(s.Queue) != 1 {
		t.Errorf("held %v, %d wait", s.Held, len(s.Queue))
	}
}

func TestTheQueueOutlivesTheProgramAndIsHeld(t *testing.T) {
	h := newHold("codex")
	r := newRoom(t)
	m := r.chat(h)
	must(t, m.Send(Message{Text: "one"}))
	<-h.begun
	for _, q := range []string{"two", "three", "four"} {
		must(t, m.Send(Message{Text: q}))
	}
	must(t, m.EditQueued(1, Message{Text: "drei", Attachments: []engine.Attachment{{Name: "a.png"}}}))
	m.Unqueue()
	killed := copied(t, r, m.ID())
	h.end <- good
	<-h.begun // two
	must(t, m.Close())

	check := func(again *Manager, why string, want ...string) {
		t.Helper()
		s := again.Status()
		if s.Running || !s.Held || s.HeldWhy != why || !slices.Equal(texts(s.Queue), want) {
			t.Errorf("%v, held %v: %q", texts(s.Queue), s.Held, s.HeldWhy)
		}
	}
	a := answering("codex", "x")
	crashed, err := New(killed, r.deps(a))
	must(t, err)
	const attached = "Conch ended before they were sent; attachments have to be added again"
	check(crashed, attached, "two", "drei")
	must(t, crashed.Release())
	wait(t, crashed)
	until(t, crashed, "an empty queue", func(s Status) bool { return len(s.Queue) == 0 && !s.Running })
	must(t, crashed.Close())

	m = r.again(m.ID(), r.deps(a))
	check(m, attached, "drei")
	if _, ok := m.Unqueue(); !ok {
		t.Error("it can't be taken back")
	}
	must(t, m.Close())
	if s := r.again(m.ID(), r.deps(a)).Status(); len(s.Queue) != 0 || s.Held {
		t.Errorf("%+v", s)
	}
}

func TestWhatIsSentWhileAStoppedTurnEndsGoesNext(t *testing.T) {
	for _, again := range []bool{false, true} {
		e := &scripted{id: "codex"}
		begun, end := make(chan struct{}), make(chan struct{})
		e.play = func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
			s.Emit(engine.Session{ResumeID: "1"})
			begun <- struct{}{}
			<-end
			if ctx.Err() != nil {
				return engine.Result{Outcome: engine.Interrupted, Accepted: true}
			}
			return good
		}
		m := newRoom(t).chat(e)
		must(t, m.Send(Message{Text: "one"}))
		<-begun
		must(t, m.Send(Message{Text: "queued"}))
		m.Stop()
		must(t, m.Send(Message{Text: "instead"}))
		must(t, m.Send(Message{Text: "and"}))
		if got := texts(m.Status().Queue); !slices.Equal(got, []string{"instead", "and", "queued"}) {
			t.Errorf("%q", got)
		}
		if again {
			m.Stop()
			end <- struct{}{}
			wait(t, m)
			if s := m.Status(); !s.Held || len(s.Queue) != 3 {
				t.Errorf("held %v, %d wait", s.Held, len(s.Queue))
			}
			continue
		}
		end <- struct{}{}
		for range 3 {
			<-begun
			end <- struct{}{}
		}
		wait(t, m)
		if got := prompts(e); !slices.Equal(got, []string{"one", "instead", "and", "queued"}) {
			t.Errorf("sent %q", got)
		}
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "one"}))
	<-h.begun
	for range maxQueue {
		must(t, m.Send(Message{Text: "x"}))
	}
	if err := m.Send(Message{Text: "x"}); err == nil || !strings.Contains(err.Error(), "wait already") {
		t.Error(err)
	}
	m.Stop()
	wait(t, m)
}

func TestContinueCarriesOnAfterAPause(t *testing.T) {
	h := newHold("qwen")
	m := newRoom(t).chat(h)
	if m.Continue() == nil {
		t.Error("nothing is paused")
	}
	must(t, m.Send(Message{Text: "one"}))
	<-h.begun
	h.end <- engine.Result{Outcome: engine.Success, Paused: true, Accepted: true}
	wait(t, m)
	if s := m.Status(); !s.Paused {
		t.Fatalf("%+v", s)
	}
	must(t, m.Continue())
	<-h.begun
	if s := m.Status(); s.Paused {
		t.Error("paused while it runs")
	}
	h.end <- good
	wait(t, m)
	if got := h.input(t, 1).Prompt; got != carryOn {
		t.Errorf("sent %q", got)
	}
	if m.Continue() == nil || m.Status().Paused {
		t.Error("a turn that ended well is no pause")
	}
}
