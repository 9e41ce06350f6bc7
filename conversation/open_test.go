package conversation

import (
	"context"
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
