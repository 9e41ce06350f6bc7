package conversation

import (
	"context"
	"testing"

	"conch/chats"
	"conch/engine"
)

// steerable is an engine that takes words into its running turn.
type steerable struct {
	*hold
	takes bool
	got   []string
}

func (e *steerable) Steer(_ context.Context, _, text string) bool {
	if e.takes {
		e.got = append(e.got, text)
	}
	return e.takes
}

func TestWordsGoIntoTheRunningTurn(t *testing.T) {
	for name, takes := range map[string]bool{"taken": true, "not taken": false} {
		t.Run(name, func(t *testing.T) {
			a := &steerable{hold: newHold("a"), takes: takes}
			m := newRoom(t).chat(a)
			must(t, m.Send(Message{Text: "go"}))
			s := <-a.begun
			s.Emit(engine.Text{MessageID: "m", Delta: "I begin. "})
			into, err := m.Steer("the other file")
			must(t, err)
			if into != takes {
				t.Fatalf("into the turn: %v", into)
			}
			s.Emit(engine.Text{MessageID: "m", Delta: "So I do."})
			a.end <- good
			if !takes {
				<-a.begun
				a.end <- good
			}
			wait(t, m)
			turns := map[string]bool{}
			var said []string
			for _, e := range logged(t, m) {
				if b, ok := e.Body.(chats.UserMessage); ok {
					turns[e.Turn] = true
					said = append(said, b.Text)
				}
			}
			if len(said) != 2 || said[1] != "the other file" || (len(turns) == 1) != takes {
				t.Errorf("%d turns with %q", len(turns), said)
			}
		})
	}
}

func TestWordsForNoTurnAreAMessage(t *testing.T) {
	a := answering("a", "ok")
	m := newRoom(t).chat(a)
	into, err := m.Steer("hello")
	must(t, err)
	wait(t, m)
	if into || a.input(t, 0).Prompt != "hello" {
		t.Errorf("into %v", into)
	}
	if _, err := m.Steer("  "); err == nil {
		t.Error("nothing was sent")
	}
}

func TestLimitsAreShownAndCompactionIsKept(t *testing.T) {
	a := answering("a", "ok")
	play := a.play
	a.play = func(ctx context.Context, in engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Limits{Windows: []engine.Window{{Name: "5 hours\x1b[2J", UsedPercent: 41.5, ResetsAt: 7}, {Name: "", UsedPercent: 2}}})
		s.Emit(engine.Compacted{Summary: "It was about\x1b[31m locks, key ghp_wu6R7LduitRa1cVPGfpRAD9tsGeHY64UeBfW."})
		return play(ctx, in, s)
	}
	m := newRoom(t).chat(a)
	say(t, m, "hi")
	if got := m.Status().Limits; len(got) != 1 || got[0] != (engine.Window{Name: "5 hours", UsedPercent: 41.5, ResetsAt: 7}) || m.Status().LimitsAt.IsZero() {
		t.Errorf("limits %+v", got)
	}
	b := one[chats.ContextCompacted](t, logged(t, m))
	if b.Engine != "a" || len(b.Summary) < 20 || len(b.Summary) > 80 || b.Summary[:20] != "It was about locks, " {
		t.Errorf("%+v", b)
	}
}
