package allchat

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/allchat/record"
	"conch/engine"
)

// R-217-40, checklist 10: what no program may do ends its session. What it said in that
// turn is not taken, its task fails with the code for that, and nobody else is harmed.
func TestASessionThatBreaksTheRulesIsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		play func(context.Context, engine.TurnInput, engine.Sink) engine.Result
		why  string
	}{
		"it breaks off by itself": {func(_ context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
			sink.Emit(engine.Text{MessageID: "m", Delta: "not to be heard"})
			return engine.Result{Outcome: engine.Interrupted}
		}, "it broke off by itself"},
		"it speaks of another session": {func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
			r := speaks("not to be heard")(ctx, in, sink)
			r.Breach = "it spoke of another session"
			return r
		}, "it spoke of another session"},
		"it ends while its request waits": {func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
			s := sink.(*turn)
			go s.Ask(context.Background(), command("make")) //nolint:errcheck // it is answered with the turn's end
			for len(s.r.Snapshot().Cards) == 0 {
				time.Sleep(time.Millisecond)
			}
			return speaks("not to be heard")(ctx, in, sink)
		}, "it ended its turn while its request waited"},
		"more comes than can be taken in": {func(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result { // checklist 15
			sink.Emit(engine.Text{MessageID: "m", Delta: "not to be heard" + strings.Repeat("x", record.MaxUpdateBytes)})
			<-ctx.Done()
			return engine.Result{Outcome: engine.Interrupted}
		}, "more at once than can be taken in"},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			boss := tb.engine("boss", gives(t, map[string]string{"worker-1": "a", "worker-2": "b"}))
			one := tb.engine("one", c.play)
			tb.engine("two", speaks("I am well."))
			run := tb.start("boss", "one", "two")
			s := tb.say(run, "Go.")
			code := record.ResponseInvalid
			if strings.Contains(c.why, "more at once") {
				code = record.Limit
			}
			if task := s.State.Task("for-worker-1"); task.Code != code || s.State.Task("for-worker-2").Status != record.TaskDone || count(s.State, record.KindTurnCompleted) != 1 {
				t.Errorf("the record:\n%s", story(s.State))
			}
			if p := s.Participants[1]; !strings.Contains(p.Out, c.why) || p.Problem == "" || strings.Contains(story(s.State), "heard") || s.Participants[2].Out != "" {
				t.Errorf("%+v\n%s", p, story(s.State))
			}
			if len(s.Cards) != 0 {
				t.Error("its card waits on")
			}
			tb.soon("its program is ended", func() bool { released, _ := one.was(); return released == 1 })

			// It takes no task any more, until the sessions are opened anew.
			boss.play = doing(func(ctx context.Context, in engine.TurnInput) {
				if _, err := call(ctx, in, "delegate", `{"to":"worker-1","task":"more","brief":"b"}`); err == nil || !strings.Contains(err.Error(), "its session was ended") {
					t.Errorf("it was given out: %v", err)
				}
			})
			tb.say(run, "Again.")
			one.play = speaks("I am well again.")
			tb.ok(run.Renew(t.Context()))
			s = run.Snapshot()
			if s.Participants[1].Out != "" || s.Participants[1].Carried != CarriedTold || s.Participants[2].Carried != CarriedLoaded {
				t.Errorf("renewed: %+v", s.Participants)
			}
			if one.opened[1].ResumeID != "" {
				t.Error("the session that was ended was loaded")
			}
		})
	}
}

// The same for what comes when no turn runs.
func TestWordsBetweenTurnsEndTheSession(t *testing.T) {
	tb := newTable(t)
	boss := tb.engine("boss", speaks("hello"))
	run := tb.start("boss")
	tb.say(run, "Go.")
	sink := boss.sinks[0]
	for _, e := range []engine.Event{engine.Commands{}, engine.Offers{}, engine.Usage{}, engine.Title{Text: "T"}, engine.Waiting{}} {
		sink.Emit(e) // these may come at any time
	}
	if out := run.Snapshot().Participants[0].Out; out != "" {
		t.Fatalf("ended: %s", out)
	}
	if d := sink.Ask(t.Context(), command("make")); d.Verdict != engine.Cancelled {
		t.Errorf("%+v", d)
	}
	sink.Emit(engine.Text{MessageID: "m", Delta: "one more thing"})
	if out := run.Snapshot().Participants[0].Out; !strings.Contains(out, "behind the end of its turn") {
		t.Errorf("out: %q", out)
	}
	tb.code(run.Say(t.Context(), "Again."), record.Unavailable)
}

// Checklist 15: a thousand updates and one more that nobody could take in.
func TestAQueueHoldsSoManyUpdatesAndNoMore(t *testing.T) {
	q := newQueue()
	for i := range record.MaxUpdates {
		q.put(engine.ToolStart{ToolUseID: fmt.Sprint(i)})
	}
	if events, full := q.take(); full || len(events) != record.MaxUpdates {
		t.Errorf("%d, full %v", len(events), full)
	}
	for range record.MaxUpdates + 1 {
		q.put(engine.Usage{})
	}
	q.put(engine.Usage{})
	if events, full := q.take(); !full || len(events) != record.MaxUpdates+1 {
		t.Errorf("%d, full %v", len(events), full)
	}
	if q.put(engine.Usage{}); len(q.list) != 0 {
		t.Error("more got in behind that")
	}
	q = newQueue()
	for range 100_000 { // words of one message are one update
		q.put(engine.Text{MessageID: "m", Delta: "word "})
	}
	events, full := q.take()
	if full || len(events) != 1 || len(events[0].(engine.Text).Delta) != 500_000 {
		t.Errorf("%d, full %v", len(events), full)
	}
}

// R-217-36: one that goes in circles is paused alone, and so is one that uses up what
// all may use together.
func TestTheGuardPausesOne(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", gives(t, map[string]string{"worker-1": "a", "worker-2": "b"}))
	tb.engine("one", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		for i := 0; ctx.Err() == nil; i++ {
			id := fmt.Sprint(i)
			sink.Emit(engine.ToolStart{ToolUseID: id, Name: "Bash", Kind: engine.KindExecute, Subject: "go test"})
			sink.Emit(engine.ToolEnd{ToolUseID: id, Status: engine.ToolSuccess, Output: "FAIL"})
			time.Sleep(time.Millisecond)
		}
		return engine.Result{Outcome: engine.Interrupted}
	})
	tb.engine("two", speaks("fine"))
	s := tb.say(tb.start("boss", "one", "two"), "Go.")
	if s.State.Task("for-worker-1").Code != record.Limit || s.State.Task("for-worker-2").Status != record.TaskDone || !strings.Contains(s.Participants[1].Problem, "paused: the same step") {
		t.Errorf("%+v\n%s", s.Participants[1], story(s.State))
	}
}

func TestAllTogetherMayUseThreeTimesWhatOneTurnMay(t *testing.T) {
	tb := newTable(t)
	n := int64(1_900_000) // below what one turn may use
	uses := func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Emit(engine.Usage{InputTokens: &n})
		return untilStopped(ctx, in, sink)
	}
	tb.engine("boss", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		for _, to := range []string{"worker-1", "worker-2"} {
			if _, err := call(ctx, in, "delegate", `{"to":"`+to+`","task":"for-`+to+`","brief":"b"}`); err != nil {
				t.Error(err)
			}
		}
		return untilStopped(ctx, in, sink)
	})
	tb.engine("one", uses)
	tb.engine("two", uses)
	run := tb.start("boss", "one", "two")
	tb.ok(run.Say(t.Context(), "Go."))
	tb.until(run, "both work", func(s Snapshot) bool { return s.Participants[1].Partial != "" && s.Participants[2].Partial != "" })
	n3 := int64(2_300_000)
	boss := run.coordinator().current()
	boss.Emit(engine.Usage{InputTokens: &n3, CachedTokens: new(int64)})
	s := tb.until(run, "all are paused", func(s Snapshot) bool {
		return !s.Participants[0].Working && !s.State.TurnOpen && !s.Participants[1].Working && !s.Participants[2].Working
	})
	for _, p := range s.Participants {
		if !strings.Contains(p.Problem, "paused") {
			t.Errorf("%s: %q", p.ID, p.Problem)
		}
	}
}
