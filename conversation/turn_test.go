package conversation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/chats"
	"conch/engine"
)

func TestAMessageGoesFromSendToOneEnd(t *testing.T) {
	r := newRoom(t)
	e := answering("codex", "hello")
	m := r.chat(e)
	say(t, m, "hi there")

	in := e.input(t, 0)
	if in.Prompt != "hi there" || in.Cwd != r.folder || in.ConversationID != m.ID() || in.ResumeID != "" {
		t.Errorf("the engine was given %+v", in)
	}
	if !slices.Contains(in.ProtectedPaths, r.home) {
		t.Errorf("protected places: %v", in.ProtectedPaths)
	}
	want := []string{"you: hi there", "text: hello", "end: success"}
	if got := told(logged(t, m)); !slices.Equal(got, want) {
		t.Errorf("the log tells %q, not %q", got, want)
	}
	end := one[chats.TurnCompleted](t, logged(t, m))
	if end.Engine != "codex" || end.Model != "codex-model" || !end.Accepted { // R-69-10
		t.Errorf("the end is %+v", end)
	}
	s := m.Status()
	if s.Running || s.Title != "hi there" || s.Model != "codex-model" || s.LastEnd == nil {
		t.Errorf("status: %+v", s)
	}
}

func TestATurnThatEndsBadlyHasOneEndAndKeepsItsWords(t *testing.T) {
	for name, test := range map[string]struct {
		play func(ctx context.Context, s engine.Sink) engine.Result
		want chats.TurnCompleted
	}{
		"an engine that fails": {
			func(_ context.Context, s engine.Sink) engine.Result {
				s.Emit(engine.Text{MessageID: "1", Delta: "half a"})
				return engine.Result{Outcome: engine.Failed, Error: "codex ended in mid-sentence (exit 1)", Detail: "boom", Next: "send again"}
			},
			chats.TurnCompleted{Outcome: "error", Error: "codex ended in mid-sentence (exit 1)", Detail: "boom", Next: "send again", Accepted: true, Engine: "codex"},
		},
		"an engine that panics": {
			func(_ context.Context, s engine.Sink) engine.Result {
				s.Emit(engine.Text{MessageID: "1", Delta: "half a"})
				panic("index out of range")
			},
			chats.TurnCompleted{Outcome: "error", Error: "Conch failed while codex answered; the chat is whole", Detail: "index out of range", Next: "send the message again", Accepted: true, Engine: "codex"},
		},
		"an engine that says nothing sensible": {
			func(_ context.Context, s engine.Sink) engine.Result {
				s.Emit(engine.Text{MessageID: "1", Delta: "half a"})
				return engine.Result{Outcome: "splendid"}
			},
			chats.TurnCompleted{Outcome: "error", Error: "the turn failed and nothing was said why", Accepted: true, Engine: "codex"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := &scripted{id: "codex"}
			e.play = func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result { return test.play(ctx, s) }
			m := newRoom(t).chat(e)
			say(t, m, "go")
			events := logged(t, m)
			got := one[chats.TurnCompleted](t, events)
			if got.Outcome != test.want.Outcome || got.Error != test.want.Error || got.Detail != test.want.Detail || got.Next != test.want.Next || got.Accepted != test.want.Accepted || got.Engine != test.want.Engine {
				t.Errorf("end %+v, not %+v", got, test.want)
			}
			if d := one[chats.AssistantDelta](t, events); d.Delta != "half a" {
				t.Errorf("kept %q", d.Delta)
			}
			if done := all[chats.AssistantDone](events); len(done) != 0 {
				t.Errorf("half an answer passes for a finished one: %+v", done)
			}
			say(t, m, "again") // the chat goes on
		})
	}
}

func TestAPanicAnywhereInATurnIsAFailedTurn(t *testing.T) {
	e := answering("codex", "x")
	e.play = func(_ context.Context, in engine.TurnInput, _ engine.Sink) engine.Result {
		var none engine.Sink
		none.Emit(engine.Text{})
		return engine.Result{}
	}
	m := newRoom(t).chat(e)
	say(t, m, "go")
	if got := one[chats.TurnCompleted](t, logged(t, m)); got.Outcome != "error" || strings.Contains(got.Error+got.Detail, "goroutine") {
		t.Errorf("%+v", got)
	}
}

func TestStopEndsTheTurnAsInterruptedAndKeepsWhatWasSaid(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	s.Emit(engine.Text{MessageID: "1", Delta: "I was say"})
	s.Emit(engine.ToolStart{ToolUseID: "t", Name: "Bash", Subject: "sleep 9"})
	m.Stop()
	wait(t, m)
	want := []string{"you: go", "text: I was say", "Bash sleep 9 = error  stopped", "end: interrupted"}
	if got := told(logged(t, m)); !slices.Equal(got, want) {
		t.Errorf("the log tells %q, not %q", got, want)
	}
}

func TestAProgramThatWasEndedByStopIsNoFailure(t *testing.T) {
	e := &scripted{id: "codex"}
	begun := make(chan struct{})
	e.play = func(ctx context.Context, _ engine.TurnInput, _ engine.Sink) engine.Result {
		close(begun)
		<-ctx.Done()
		return engine.Result{Outcome: engine.Failed, Error: "exit 137"}
	}
	m := newRoom(t).chat(e)
	must(t, m.Send(Message{Text: "go"}))
	<-begun
	m.Stop()
	wait(t, m)
	if got := one[chats.TurnCompleted](t, logged(t, m)); got.Outcome != "interrupted" || got.Error != "" {
		t.Errorf("%+v", got)
	}
}

func TestATurnThatIgnoresStopIsGivenUpAndItsLateWordsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var sink engine.Sink
		e := &scripted{id: "codex"}
		e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
			sink = s
			<-release
			s.Emit(engine.Text{MessageID: "1", Delta: "late"})
			if d := s.Ask(context.Background(), engine.Permission{ToolUseID: "x"}); d.Verdict != engine.Cancelled {
				t.Errorf("a request after the end was answered %v", d)
			}
			return good
		}
		m := newRoom(t).chat(e)
		must(t, m.Send(Message{Text: "go"}))
		synctest.Wait()
		m.Stop()
		must(t, m.Wait(context.Background()))
		if got := one[chats.TurnCompleted](t, logged(t, m)); got.Outcome != "interrupted" {
			t.Errorf("%+v", got)
		}
		say(t, m, "again") // the engine still holds on: said, not hung
		if got := m.Status().LastEnd; got.Problem != string(engine.Unavailable) || got.Next == "" {
			t.Errorf("%+v", got)
		}
		close(release)
		synctest.Wait()
		if got := m.Status().Dropped; got != 2 {
			t.Errorf("%d late events counted", got)
		}
		if sink == nil || len(all[chats.AssistantDelta](logged(t, m))) != 0 {
			t.Error("late words are in the chat")
		}
		say(t, m, "and again")
		if got := m.Status().LastEnd; got.Outcome != "success" {
			t.Errorf("%+v", got)
		}
		must(t, m.Close())
	})
}

func TestWhatComesAfterTheEndIsDroppedAndCounted(t *testing.T) {
	var sink engine.Sink
	e := &scripted{id: "codex"}
	e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		sink = s
		return good
	}
	m := newRoom(t).chat(e)
	say(t, m, "go")
	before := len(logged(t, m))
	sink.Emit(engine.Text{MessageID: "1", Delta: "late"})
	sink.Emit(engine.ToolStart{ToolUseID: "1", Name: "Bash"})
	if len(logged(t, m)) != before || m.Status().Dropped != 2 {
		t.Errorf("%d events more, %d counted", len(logged(t, m))-before, m.Status().Dropped)
	}
}

func TestNothingIsSentThatCannotBeKept(t *testing.T) {
	m := newRoom(t).chat(answering("codex", "x"))
	for name, msg := range map[string]Message{
		"nothing":    {},
		"only space": {Text: " \n\t"},
		"too much":   {Text: strings.Repeat("x", maxMessage+1)},
	} {
		if err := m.Send(msg); err == nil {
			t.Errorf("%s was sent", name)
		}
	}
	if err := m.Send(Message{}); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
}

func TestAReadOnlyChatRefusesWithASentence(t *testing.T) {
	r := newRoom(t)
	m := r.chat(answering("codex", "x"))
	say(t, m, "hi")
	log, err := r.store.OpenReader(m.ID())
	must(t, err)
	ro := r.manage(log, r.deps(answering("codex", "x")))
	for name, try := range map[string]func() error{
		"send":     func() error { return ro.Send(Message{Text: "x"}) },
		"provider": func() error { return ro.SetProvider("codex") },
		"mode":     func() error { return ro.SetMode(engine.ModePlan) },
		"title":    func() error { return ro.SetTitle("x") },
		"shell":    func() error { return ro.AddShell(chats.Shell{Command: "ls"}) },
	} {
		if err := try(); name != "provider" && !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !ro.Status().ReadOnly {
		t.Error("the status does not say so")
	}
}

func TestAClosedChatTakesNothing(t *testing.T) {
	e := answering("codex", "x")
	m := newRoom(t).chat(e)
	say(t, m, "hi")
	must(t, m.Close())
	must(t, m.Close())
	if err := m.Send(Message{Text: "x"}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if !slices.Equal(e.released, []string{m.ID()}) {
		t.Errorf("released %v", e.released)
	}
}

func TestCloseStopsARunningTurnAndSendsNothingOfTheQueue(t *testing.T) {
	h := newHold("codex")
	r := newRoom(t)
	m := r.chat(h)
	must(t, m.Send(Message{Text: "go"}))
	<-h.begun
	must(t, m.Send(Message{Text: "next"}))
	must(t, m.Close())
	if len(h.got) != 1 {
		t.Errorf("%d messages reached the engine", len(h.got))
	}
	again := r.again(m.ID(), r.deps(answering("codex", "x")))
	if end := again.Status().LastEnd; end == nil || end.Outcome != "interrupted" {
		t.Errorf("%+v", end)
	}
}

func TestChatsSideBySideShareEnginesAndNothingElse(t *testing.T) {
	r := newRoom(t)
	h := newHold("codex")
	a, b := r.chat(h), r.chat(h)
	must(t, a.Send(Message{Text: "a"}))
	sa := <-h.begun
	must(t, b.Send(Message{Text: "b"}))
	sb := <-h.begun
	sa.Emit(engine.Text{MessageID: "1", Delta: "to a"})
	sb.Emit(engine.Text{MessageID: "1", Delta: "to b"})
	go sa.Ask(context.Background(), engine.Permission{ToolUseID: "1", Kind: engine.KindExecute, Subject: "rm", Options: usual()})
	until(t, a, "a card", func(s Status) bool { return len(s.Cards) == 1 })
	if len(b.Status().Cards) != 0 {
		t.Error("b shows a's card")
	}
	if err := b.Answer(a.Status().Cards[0].ID, "yes"); err == nil {
		t.Error("b answered a's card")
	}
	a.Stop()
	wait(t, a)
	if !b.Status().Running {
		t.Error("stopping a stopped b")
	}
	h.end <- good
	wait(t, b)
	if got := told(logged(t, b)); !slices.Equal(got, []string{"you: b", "text: to b", "end: success"}) {
		t.Errorf("b tells %q", got)
	}
}

func TestASilentTurnSaysWhatItWaitsForAfterTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHold("opencode")
		h.mute = true
		m := newRoom(t).chat(h)
		must(t, m.Send(Message{Text: "go"}))
		s := <-h.begun
		is := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := m.Status().Waiting; got != want {
				t.Errorf("waiting: %q, not %q", got, want)
			}
		}
		time.Sleep(9 * time.Second)
		is("")
		time.Sleep(3 * time.Second)
		is("waiting for opencode to start")
		if m.Status().SilentAt.IsZero() {
			t.Error("since when is not said")
		}
		s.Emit(engine.Session{ResumeID: "1"})
		is("")
		time.Sleep(12 * time.Second)
		is("opencode has said nothing since it got your message")
		s.Emit(engine.Text{MessageID: "1", Delta: "well"})
		is("")
		time.Sleep(12 * time.Second)
		is("opencode has said nothing for 10 s")
		s.Emit(engine.ToolStart{ToolUseID: "1", Name: "Bash", Subject: "go test ./..."})
		is("")
		time.Sleep(12 * time.Second)
		is("waiting for Bash go test ./... to end")
		s.Emit(engine.Waiting{Text: "its model server may be retrying"})
		is("its model server may be retrying")
		s.Emit(engine.Commands{}) // no sign that it goes on
		is("its model server may be retrying")
		s.Emit(engine.Waiting{})
		is("")
		h.end <- good
		must(t, m.Wait(context.Background()))
		is("")
		must(t, m.Close())
	})
}

func TestTheClockOfSilenceStandsStillWhileACardWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHold("codex")
		m := newRoom(t).chat(h)
		must(t, m.Send(Message{Text: "go"}))
		s := <-h.begun
		go s.Ask(context.Background(), engine.Permission{ToolUseID: "1", Kind: engine.KindExecute, Subject: "x", Options: usual()})
		synctest.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := m.Status(); got.Waiting != "" || len(got.Cards) != 1 {
			t.Errorf("waiting %q with %d cards", got.Waiting, len(got.Cards))
		}
		must(t, m.Answer(m.Status().Cards[0].ID, "yes"))
		time.Sleep(8 * time.Second)
		synctest.Wait()
		if got := m.Status().Waiting; got != "" {
			t.Errorf("the wait for the person counted: %q", got)
		}
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if m.Status().Waiting == "" {
			t.Error("the clock never went on")
		}
		h.end <- good
		must(t, m.Wait(context.Background()))
		must(t, m.Close())
	})
}

func TestTheProviderIsTheFirstThatIsReadyWhenNobodyChose(t *testing.T) {
	a, b, c := answering("a", "A"), answering("b", "B"), answering("c", "C")
	a.is, b.is, c.is = engine.NotFound, engine.Unknown, engine.Ready
	m := newRoom(t).chat(a, b, c)
	say(t, m, "who")
	if got := m.Status(); got.Provider != "c" {
		t.Errorf("%s answered", got.Provider)
	}
	if o := one[chats.Options](t, logged(t, m)); o.Engine != "c" || o.Mode != "auto-read" {
		t.Errorf("the log says %+v", o)
	}
	c.is = engine.Broken
	m2 := newRoom(t).chat(a, b, c)
	say(t, m2, "who")
	if got := m2.Status(); got.Provider != "b" {
		t.Errorf("%s answered", got.Provider)
	}
}

func TestHurryIsSaidWhenTheNextMessageWaits(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "one"}))
	<-h.begun
	hurry := h.input(t, 0).Hurry
	select {
	case <-hurry:
		t.Fatal("nothing waits yet")
	default:
	}
	must(t, m.Send(Message{Text: "two"}))
	select {
	case <-hurry:
	case <-time.After(limit):
		t.Fatal("a waiting message was not said")
	}
	h.end <- good
	<-h.begun
	h.end <- good
	wait(t, m)
}
