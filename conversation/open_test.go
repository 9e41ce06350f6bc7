package conversation

import (
	"context"
	"strings"
	"testing"

	"conch/engine"
	"conch/handoff"
)

func TestOpeningAheadWritesNothingAndIsCarriedOn(t *testing.T) {
	b := counting("b")
	open := opening{b}
	var opened engine.TurnInput
	b.open = func(ctx context.Context, in engine.TurnInput, s engine.Sink) error {
		opened = in
		s.Emit(engine.Session{ResumeID: "b-session"})
		s.Emit(engine.Commands{List: []engine.SlashCommand{{Name: "init"}}})
		s.Emit(engine.Offers{Models: []engine.Choice{{ID: "m1"}}, Model: "m1", Mode: "default"})
		s.Emit(engine.Title{Text: "too early"})
		s.Emit(engine.Text{MessageID: "1", Delta: "old words"})
		if d := s.Ask(ctx, push()); d.Verdict != engine.Cancelled {
			t.Errorf("%+v", d)
		}
		if a := s.Question(ctx, engine.Question{}); !a.Cancelled {
			t.Errorf("%+v", a)
		}
		return nil
	}
	m := newRoom(t).chat(open)
	m.Open()
	m.Open()
	s := until(t, m, "offers", func(s Status) bool { return s.Offers.Model != "" })
	if s.Model != "m1" || s.Native != "default" || len(s.Commands) != 1 || s.LastSeq != -1 {
		t.Errorf("%+v", s)
	}
	if opened.Cwd == "" || opened.Options.Mode != engine.ModeAutoRead {
		t.Errorf("%+v", opened)
	}
	say(t, m, "hi")
	if in := b.input(t, 0); in.ResumeID != "b-session" || in.Prompt != "hi" {
		t.Errorf("%+v", in)
	}
	if got := told(logged(t, m)); got[1] == "text: old words" {
		t.Errorf("%q", got)
	}
}

func TestASessionThatOpeningFoundLostIsToldTheWholeChat(t *testing.T) {
	b := counting("b")
	open := opening{b}
	r := newRoom(t)
	m := r.chat(b)
	say(t, m, "first")
	must(t, m.Close())
	b.open = func(_ context.Context, _ engine.TurnInput, s engine.Sink) error {
		s.Emit(engine.Session{ResumeID: "b-new", Restarted: engine.Lost})
		s.Emit(engine.Commands{List: []engine.SlashCommand{{Name: "x"}}})
		return nil
	}
	m = r.again(m.ID(), r.deps(open))
	m.Open()
	until(t, m, "the opening", func(s Status) bool { return len(s.Commands) == 1 })
	b.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Session{ResumeID: "b-new"})
		return good
	}
	say(t, m, "second")
	in := b.input(t, 1)
	contains(t, in.Prompt, handoff.IntroRestart, "User: first", "\n\nsecond")
	if in.ResumeID != "b-new" || len(m.Healed()) != 1 {
		t.Errorf("%+v, healed %+v", in, m.Healed())
	}
}

// naming is an engine that keeps more in a resume id than its session: "digest:id".
type naming struct{ opening }

func (naming) AppSession(resumeID string) string {
	_, id, _ := strings.Cut(resumeID, ":")
	return id
}

func TestASessionThatGoesOnUnderAnotherResumeIDIsToldOnlyWhatItMissed(t *testing.T) { // R-69-5, R-69-8
	session := func(resumeID string, res engine.Result) func(context.Context, engine.TurnInput, engine.Sink) engine.Result {
		return func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
			s.Emit(engine.Session{ResumeID: resumeID})
			return res
		}
	}
	a, b := counting("a"), counting("b")
	a.play = session("old:s1", good)
	r := newRoom(t)
	m := r.chat(naming{opening{a}}, b)
	must(t, m.SetProvider("a"))
	say(t, m, "first")
	must(t, m.SetProvider("b"))
	say(t, m, "second")
	must(t, m.SetProvider("a"))
	must(t, m.Close())
	a.open = func(_ context.Context, _ engine.TurnInput, s engine.Sink) error {
		s.Emit(engine.Session{ResumeID: "new:s1"}) // carried on, with other instructions
		s.Emit(engine.Commands{List: []engine.SlashCommand{{Name: "x"}}})
		return nil
	}
	m = r.again(m.ID(), r.deps(naming{opening{a}}, b))
	m.Open()
	until(t, m, "the opening", func(s Status) bool { return len(s.Commands) == 1 })
	a.play = session("new:s1", engine.Result{Outcome: engine.Failed, Error: "busy"})
	say(t, m, "third")
	a.play = session("new:s1", good)
	say(t, m, "fourth")
	for n, what := range map[int]string{1: "behind an opening", 2: "behind a turn that failed"} {
		in := a.input(t, n)
		contains(t, in.Prompt, handoff.IntroWentOn, "User: second")
		if strings.Contains(in.Prompt, "User: first") {
			t.Errorf("%s it was told again what it knows: %s", what, in.Prompt)
		}
	}
	if len(m.Healed()) != 0 {
		t.Errorf("healed: %+v", m.Healed())
	}
}

func TestOneThatNeverTookPartJoinsAlsoWhenItsOpenedSessionIsGone(t *testing.T) { // R-69-14
	a, b := counting("a"), counting("b")
	b.open = func(_ context.Context, _ engine.TurnInput, s engine.Sink) error {
		s.Emit(engine.Session{ResumeID: "b-ahead"})
		return nil
	}
	fresh := ""
	b.play = func(_ context.Context, in engine.TurnInput, s engine.Sink) engine.Result {
		fresh = in.FreshPrompt()
		s.Emit(engine.Session{ResumeID: "b-new", Restarted: engine.Lost})
		return good
	}
	m := newRoom(t).chat(a, opening{b})
	must(t, m.SetProvider("a"))
	say(t, m, "first")
	must(t, m.SetProvider("b"))
	m.open()
	say(t, m, "second")
	contains(t, fresh, handoff.IntroJoined, "User: first", "\n\nsecond")
	if len(m.Healed()) != 0 {
		t.Errorf("healed: %+v", m.Healed())
	}
}
