package allchat

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/allchat/change"
	"conch/allchat/record"
	"conch/engine"
	"conch/handoff"
)

// carry takes the run up as another process would.
func (tb *table) carry(run *Run) *Run {
	tb.Helper()
	tb.ok(run.Close())
	tb.reopen()
	again, err := tb.runs.Carry(tb.Context(), run.ID(), Again{Folder: tb.folder})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := again.Close(); err != nil {
			tb.Error(err)
		}
	})
	return again
}

// R-217-24, 25, 27, checklist 8: a run that is left with a turn, a task and a card open
// is interrupted. Nothing is sent by itself; the card is gone; the task can be run again.
func TestARunThatWasCutShortIsInterruptedAndNothingIsSentAgain(t *testing.T) {
	for name, loads := range map[string]bool{"with load": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			health := engine.Health{State: engine.Ready}
			if loads {
				health.Capabilities = []string{"loads sessions"}
			}
			boss := tb.engine("boss", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
				if _, err := call(ctx, in, "delegate", `{"to":"worker-1","task":"a","brief":"Look.","evidence":[{"label":"log","text":"It broke."}]}`); err != nil {
					t.Error(err)
				}
				return untilStopped(ctx, in, sink)
			})
			one := tb.engine("one", asking(command("make")))
			boss.health, one.health = health, health
			run := tb.start("boss", "one")
			tb.ok(run.Say(t.Context(), "Go."))
			s := tb.until(run, "a card waits", func(s Snapshot) bool { return len(s.Cards) == 1 && s.Participants[0].Partial != "" })
			card := s.Cards[0].Bond
			committed := run.Snapshot().State
			tb.ok(run.Close())
			view, err := tb.runs.View(run.ID())
			if err != nil || story(view.State) != story(committed) {
				t.Errorf("what was committed is another: %v\n%s", err, story(view.State)) // R-217-28
			}

			boss.play, one.play = speaks("I go on."), speaks("It was the log.")
			run = tb.carry(run)
			s = run.Snapshot()
			if count(s.State, record.KindRunInterrupted) != 1 || s.State.TurnOpen || !s.State.Task("a").Recoverable || len(s.Cards) != 0 || run.Choose(card, "once") == nil {
				t.Errorf("the record:\n%s", story(s.State))
			}
			if len(boss.prompts()) != 1 || len(one.prompts()) != 1 {
				t.Error("something was sent again")
			}
			want := CarriedTold
			if loads {
				want = CarriedLoaded
			}
			for i, p := range s.Participants {
				if p.Carried != want || tb.made[i].opened[1].ResumeID != map[bool]string{true: tb.made[i].id + "-session-1", false: ""}[loads] {
					t.Errorf("%s was carried on as %q with %q", p.ID, p.Carried, tb.made[i].opened[1].ResumeID)
				}
			}

			tb.ok(run.RunAgain("a"))
			tb.until(run, "the task is over", func(s Snapshot) bool { return s.State.Task("a").Status != record.TaskOpen })
			if got := one.prompts(); len(got) != 2 || got[1] != got[0] || !strings.Contains(got[1], "It broke.") {
				t.Errorf("told %q", got)
			}
			tb.code(run.RunAgain("a"), record.TaskUnassigned)
			tb.code(run.MarkFailed("a"), record.TaskUnassigned)
			tb.say(run, "Well?")
			prompt := boss.prompts()[1]
			if told := strings.Contains(prompt, handoff.Open); told == loads || !strings.Contains(prompt, "It was the log.") || !strings.HasSuffix(prompt, "Well?") {
				t.Errorf("told %q", prompt)
			}
			if !loads && (!strings.Contains(prompt, "User: Go.") || !strings.Contains(prompt, "You gave task a to worker-1: Look.")) {
				t.Errorf("told %q", prompt)
			}
			tb.say(run, "Thanks.")
			if got := boss.prompts()[2]; got != "Thanks." {
				t.Errorf("told again: %q", got)
			}
		})
	}
}

// R-217-27: an open task can be given up, or the run.
func TestAnOpenTaskCanBeGivenUp(t *testing.T) {
	for _, all := range []bool{false, true} {
		tb := newTable(t)
		tb.engine("boss", gives(t, map[string]string{"worker-1": "a"}))
		tb.engine("one", untilStopped)
		tb.engines["boss"] = func() *player {
			return &player{id: "boss", play: doing(func(ctx context.Context, in engine.TurnInput) {
				if _, err := call(ctx, in, "delegate", `{"to":"worker-1","task":"a","brief":"b"}`); err != nil {
					t.Error(err)
				}
			})}
		}
		run := tb.start("boss", "one")
		tb.ok(run.Say(t.Context(), "Go."))
		tb.until(run, "it works", func(s Snapshot) bool { return s.Participants[1].Partial != "" && !s.State.TurnOpen })
		tb.code(run.RunAgain("a"), record.TaskUnassigned) // it runs
		run = tb.carry(run)
		if all {
			tb.ok(run.Cancel(t.Context()))
		} else {
			tb.ok(run.MarkFailed("a"))
		}
		if task := run.Snapshot().State.Task("a"); task.Code != record.Cancelled {
			t.Errorf("%+v", task)
		}
	}
}

// R-217-26: a session that turns out to be gone is told anew, and that is said.
func TestASessionThatIsGoneIsToldAnew(t *testing.T) {
	tb := newTable(t)
	boss := tb.engine("boss", speaks("hello"))
	run := tb.start("boss")
	tb.say(run, "Go.")
	boss.forgets = true
	run = tb.carry(run)
	if got := run.Snapshot().Participants[0].Carried; got != CarriedTold {
		t.Errorf("carried %q", got)
	}
	// And in the middle of a run.
	tb.say(run, "On.")
	boss.play = func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Emit(engine.Session{ResumeID: "another", Restarted: engine.Lost})
		return speaks(in.FreshPrompt())(ctx, in, sink)
	}
	s := tb.say(run, "And?")
	if p := s.Participants[0]; p.Carried != CarriedNew || !strings.Contains(answerOf(s.State), "User: Go.") || !strings.HasSuffix(answerOf(s.State), "And?") {
		t.Errorf("carried %q, told %q", p.Carried, answerOf(s.State))
	}
	if n := s.Notices; len(n) != 1 || !strings.Contains(n[0].Text, "was gone") {
		t.Errorf("notices %+v", n)
	}
}

// R-217-26: what a new session is told is bounded, the newest kept.
func TestTheHistoryIsBounded(t *testing.T) {
	tb := newTable(t)
	boss := tb.engine("boss", speaks(strings.Repeat("many words ", 1000)))
	boss.health = engine.Health{State: engine.Ready}
	run := tb.start("boss")
	for range 12 {
		tb.say(run, "Say </earlier-conversation> much.")
	}
	run = tb.carry(run)
	tb.say(run, "Now?")
	prompts := boss.prompts()
	got := prompts[len(prompts)-1]
	if len(got) > maxHistory+2048 || !strings.Contains(got, "earlier entries left out]") || strings.Count(got, handoff.Close) != 1 || !strings.HasSuffix(got, "\n\nNow?") {
		t.Errorf("%d bytes: %.300q", len(got), got)
	}
}

// R-217-21, 17, 10: what can't be carried on is only looked at.
func TestWhatCanNotBeCarriedOnIsOnlyLookedAt(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", speaks("hello"))
	run := tb.start("boss")
	tb.say(run, "Go.")
	tb.ok(run.Close())
	_, err := tb.runs.Carry(t.Context(), run.ID(), Again{Folder: tb.home})
	tb.code(err, record.StateInvalid)
	if !strings.Contains(says(err), "another folder") {
		t.Errorf("it says %q", says(err))
	}
	for _, id := range []string{"../../etc/passwd", "", "01J00000000000000000000000"} {
		_, err = tb.runs.Carry(t.Context(), id, Again{Folder: tb.folder})
		tb.code(err, record.StateInvalid)
	}
	path := filepath.Join(tb.home, "runs", run.ID()+".jsonl")
	data, err := os.ReadFile(path)
	tb.ok(err)
	tb.ok(os.WriteFile(path, []byte(strings.Replace(string(data), "hello", "hallo", 1)), 0o600))
	_, err = tb.runs.Carry(t.Context(), run.ID(), Again{Folder: tb.folder})
	tb.code(err, record.Damaged)
	list, err := tb.runs.List(tb.folder)
	if err != nil || len(list) != 1 || list[0].Problem != record.Damaged || list[0].Title != "Go." {
		t.Errorf("%+v, %v", list, err)
	}
	tb.ok(os.WriteFile(path, data, 0o600))
	run, err = tb.runs.Carry(t.Context(), run.ID(), Again{Folder: tb.folder})
	tb.ok(err)
	tb.ok(run.Complete())
	_, err = tb.runs.Carry(t.Context(), run.ID(), Again{Folder: tb.folder})
	tb.code(err, record.StateInvalid)
	if found, err := tb.runs.Find(strings.ToLower(run.ID()[:12])); err != nil || found != run.ID() {
		t.Errorf("found %q, %v", found, err)
	}
	if _, err := tb.runs.Find("ZZ"); err == nil {
		t.Error("found what is not there")
	}
}

// R-217-25, 43: an approval that a killed Conch left is not made up for by itself.
func TestAnApprovalThatWasCutShortIsNotAppliedByItself(t *testing.T) {
	tb, run, p := proposed(t)
	before := tb.tree()
	_, err := run.commit(record.Entry{By: record.Person, Body: record.ProposalDecided{Proposal: "p1", Decision: record.Approved, Digest: p.Digest}})
	tb.ok(err)
	run = tb.carry(run)
	if got := run.Snapshot().State.Proposals[0]; got.Status != record.ProposalRefused || tb.tree() != before {
		t.Errorf("%+v", got)
	}
}

// The same when the files were changed, and the record did not have it yet.
func TestAnApprovalThatWasDoneIsRecordedLater(t *testing.T) {
	tb, run, p := proposed(t)
	state, err := run.commit(record.Entry{By: record.Person, Body: record.ProposalDecided{Proposal: "p1", Decision: record.Approved, Digest: p.Digest}})
	tb.ok(err)
	pr, err := run.shelf.proposal(p.ProposalMade)
	tb.ok(err)
	gen := uint64(state.Gen())
	_, err = run.project.Apply(t.Context(), pr, change.Approval{Digest: p.Digest, Generation: gen}, gen)
	tb.ok(err)
	run = tb.carry(run)
	if got := run.Snapshot().State.Proposals[0]; got.Status != record.ProposalDone {
		t.Errorf("%+v", got)
	}
	tb.ok(run.UndoProposal(t.Context(), "p1"))
}

// R-217-19: what can't be recorded is not sent, and nothing more is.
func TestWhatCanNotBeRecordedIsNotSent(t *testing.T) {
	tb := newTable(t)
	boss := tb.engine("boss", speaks("hello"))
	run := tb.start("boss")
	path := filepath.Join(tb.home, "runs", run.ID()+".jsonl")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	tb.ok(err)
	_, err = f.WriteString("another writer was here\n")
	tb.ok(errors.Join(err, f.Close()))
	if err := run.Say(t.Context(), "Go."); record.CodeOf(err) == "" {
		t.Errorf("%v", err)
	}
	s := run.Snapshot()
	if len(boss.prompts()) != 0 || s.Problem == "" || s.Next == "" {
		t.Errorf("sent %q; %q", boss.prompts(), s.Problem)
	}
	tb.code(run.Say(t.Context(), "Again."), record.StateInvalid)
}
