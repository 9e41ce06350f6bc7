package conversation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"conch/chats"
	"conch/engine"
	"conch/handoff"
)

// keeping is an engine that carries its sessions on: one it is not given is a new
// one, and one it doesn't know is lost.
func keeping(id string) *scripted {
	e := answering(id, "from "+id)
	sessions := 0
	e.play = func(_ context.Context, in engine.TurnInput, s engine.Sink) engine.Result {
		resume := in.ResumeID
		if resume == "" {
			sessions++
			resume = fmt.Sprint(id, "-", sessions)
		}
		s.Emit(engine.Session{ResumeID: resume})
		s.Emit(engine.Text{MessageID: "m", Delta: "from " + id})
		return good
	}
	return e
}

func TestAClearHidesAllBeforeFromEveryProvider(t *testing.T) { // R-69-22, checklist 11
	a, b := keeping("a"), keeping("b")
	r := newRoom(t)
	m := r.chat(a, b)
	must(t, m.SetProvider("a"))
	say(t, m, "the secret plan")
	must(t, m.SetProvider("b"))
	say(t, m, "second")
	must(t, m.AddShell(chats.Shell{Command: "go vet", Output: "old output", Offered: true}))
	must(t, m.Clear())
	if s := m.Status(); !s.Cleared || !s.Afresh || s.Shells != 0 {
		t.Errorf("%+v", s)
	}
	if got := m.Missed("a"); got.Messages != 0 || got.Steps != 0 {
		t.Errorf("a missed %+v", got)
	}
	for again := range 2 { // the second time in another life of the program
		say(t, m, "anew")
		must(t, m.SetProvider("a"))
		say(t, m, "and you")
		must(t, m.SetProvider("b"))
		for who, in := range map[string]engine.TurnInput{"b": b.input(t, 1+again), "a": a.input(t, 1+again)} {
			lacks(t, in.Prompt, "secret plan", "second", "old output")
			lacks(t, in.FreshPrompt(), "secret plan", "second", "old output")
			if want := map[int]string{0: "", 1: who + "-2"}[again]; in.ResumeID != want {
				t.Errorf("%s is given the session %q, not %q", who, in.ResumeID, want)
			}
		}
		if again == 0 {
			if got := b.input(t, 1).Prompt; got != "anew" {
				t.Errorf("b was told %q", got)
			}
			contains(t, a.input(t, 1).Prompt, handoff.IntroJoined, "User: anew", "from b")
			must(t, m.Close())
			m = r.again(m.ID(), r.deps(a, b))
		}
	}
	for _, e := range logged(t, m) {
		if n, ok := e.Body.(chats.Notice); ok && n.Code == "healed" {
			t.Errorf("said %q", n.Message)
		}
	}
	if len(m.Healed()) != 0 {
		t.Errorf("healed %+v", m.Healed())
	}
}

func TestAClearIsTakenBackWithWordsAndSessions(t *testing.T) { // R-69-22, checklist 11
	for _, restart := range []bool{false, true} {
		a, b, c := keeping("a"), keeping("b"), keeping("c")
		r := newRoom(t)
		m := r.chat(a, b, c)
		must(t, m.SetProvider("a"))
		say(t, m, "first")
		must(t, m.SetProvider("b"))
		say(t, m, "second")
		must(t, m.AddShell(chats.Shell{Command: "go vet", Output: "old output", Offered: true}))
		must(t, m.Clear())
		must(t, m.SetProvider("c"))
		say(t, m, "between")
		if restart {
			must(t, m.Close())
			m = r.again(m.ID(), r.deps(a, b, c))
		}
		if m.Status().Afresh {
			t.Error("something was said since")
		}
		must(t, m.Unclear())
		if s := m.Status(); s.Cleared || s.Afresh || s.Shells != 1 {
			t.Errorf("%+v", s)
		}
		must(t, m.SetProvider("a"))
		say(t, m, "on")
		in := a.input(t, 1)
		contains(t, in.Prompt, handoff.IntroWentOn, "User: second", "User: between", "old output")
		lacks(t, in.Prompt, "User: first")
		if in.ResumeID != "a-1" {
			t.Errorf("a carries on %q", in.ResumeID)
		}
		must(t, m.SetProvider("c"))
		say(t, m, "and c")
		in = c.input(t, 1)
		contains(t, in.Prompt, handoff.IntroRestart, "User: first", "User: between", "User: on")
		if in.ResumeID != "" || len(m.Healed()) != 0 {
			t.Errorf("c carries on %q, healed %+v", in.ResumeID, m.Healed())
		}
	}
}

func TestWhenAChatCanBeCleared(t *testing.T) {
	h := newHold("a")
	m := newRoom(t).chat(h)
	if err := m.Clear(); !errors.Is(err, errNothing) {
		t.Errorf("an empty chat: %v", err)
	}
	if err := m.Unclear(); !errors.Is(err, errNotCleared) {
		t.Errorf("nothing was cleared: %v", err)
	}
	must(t, m.Send(Message{Text: "go"}))
	<-h.begun
	if err := m.Clear(); !errors.Is(err, errTurnRuns) {
		t.Errorf("a turn runs: %v", err)
	}
	h.end <- good
	wait(t, m)
	must(t, m.Clear())
	must(t, m.Clear()) // nothing was said since
	if n := len(all[chats.ContextCleared](logged(t, m))); n != 1 {
		t.Errorf("%d clears", n)
	}
	must(t, m.Unclear())
	if err := m.Unclear(); !errors.Is(err, errNotCleared) {
		t.Errorf("taken back twice: %v", err)
	}
	must(t, m.Close())
	if err := m.Clear(); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed chat: %v", err)
	}
}

func TestAClearThatCannotBeWrittenIsNone(t *testing.T) {
	m := newRoom(t).chat(keeping("a"))
	say(t, m, "go")
	disk := &filling{journal: m.log, full: true}
	m.writing.Lock()
	m.log = disk
	m.writing.Unlock()
	if err := m.Clear(); err == nil || !strings.Contains(err.Error(), "the disk is full") || m.Status().Cleared {
		t.Errorf("%v, %+v", err, m.Status())
	}
	m.writing.Lock()
	disk.full = false
	m.writing.Unlock()
	must(t, m.Clear())
}

// A tainted chat stays one: what the person clears is what providers are told, not
// what the chat has read.
func TestAClearLiftsNoTaint(t *testing.T) { // R-111-54
	m := newRoom(t).chat(keeping("a"))
	say(t, m, "go")
	m.record("", chats.Taint{Source: chats.TaintSource{Kind: "page", Label: "example.com"}})
	must(t, m.Clear())
	if m.taintLabels()[0] != "example.com" || m.SetNativeMode("yolo") == nil {
		t.Error("the taint is gone")
	}
}

func TestASessionThatIsBeingOpenedIsNotCarriedOnBehindAClear(t *testing.T) { // R-69-22
	a := answering("a", "ok")
	r := newRoom(t)
	m := r.chat(a)
	say(t, m, "before")
	must(t, m.Close())
	begun, goOn := make(chan struct{}), make(chan struct{})
	a.open = func(_ context.Context, in engine.TurnInput, s engine.Sink) error {
		close(begun)
		<-goOn
		s.Emit(engine.Session{ResumeID: in.ResumeID + "-told-anew"})
		return nil
	}
	m = r.again(m.ID(), r.deps(opening{a}))
	m.Open()
	<-begun
	must(t, m.Clear())
	close(goOn)
	say(t, m, "after")
	if in := a.input(t, 1); in.ResumeID != "" || in.Prompt != "after" {
		t.Errorf("it carries on %q with %q", in.ResumeID, in.Prompt)
	}
}
