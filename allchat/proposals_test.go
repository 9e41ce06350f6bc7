package allchat

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/allchat/change"
	"conch/allchat/record"
	"conch/engine"
)

const proposal = `{"summary":"Round up.","files":[{"path":"cart.go","edits":[{"old":"down","new":"up"}]},{"path":"till.go","content":"package shop\n"}]}`

// proposes is a worker that proposes a change.
func proposes(t *testing.T) func(context.Context, engine.TurnInput, engine.Sink) engine.Result {
	return doing(func(ctx context.Context, in engine.TurnInput) {
		text, err := call(ctx, in, "propose_change", proposal)
		if err != nil || !strings.Contains(text, "Proposed as p1. Nothing is changed yet") {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// proposed is a run in which worker-1 has proposed a change.
func proposed(t *testing.T) (*table, *Run, record.Proposal) {
	t.Helper()
	tb := newTable(t)
	tb.write("cart.go", "package shop // rounds down\n")
	tb.engine("boss", gives(t, map[string]string{"worker-1": "a"}))
	tb.engine("one", proposes(t))
	tb.engine("two", speaks("looks good: approved!"))
	run := tb.start("boss", "one", "!two")
	s := tb.say(run, "Fix the rounding.")
	if len(s.State.Proposals) != 1 || !s.Waiting() {
		t.Fatalf("the record:\n%s", story(s.State))
	}
	return tb, run, s.State.Proposals[0]
}

func (tb *table) write(name, text string) {
	tb.Helper()
	tb.ok(os.WriteFile(filepath.Join(tb.folder, name), []byte(text), 0o600))
}

func (tb *table) tree() string {
	tb.Helper()
	tree, err := change.Project{Root: tb.folder, Home: tb.home, Run: "x"}.TreeDigest(tb.Context())
	tb.ok(err)
	return tree.Digest
}

// R-217-41, 42, checklist 12: nothing is changed before the person approves exactly
// what they saw, and then all of it is. Nobody's agreement counts for theirs.
func TestAProposalIsAppliedWhenThePersonApprovesIt(t *testing.T) {
	tb, run, p := proposed(t)
	before := tb.tree()
	if p.By != record.Worker1 || p.Status != record.ProposalWaits || len(p.Files) != 2 {
		t.Fatalf("%+v", p)
	}
	look, err := run.Preview("p1")
	if err != nil || len(look.Diffs) != 2 || look.Diffs[0].Path != "cart.go" {
		t.Errorf("%+v, %v", look, err)
	}
	tb.say(run, "Does everybody agree?") // R-217-44
	tb.code(run.Decide(t.Context(), "p1", true, strings.Repeat("0", 64)), record.Unapproved)
	tb.code(run.Decide(t.Context(), "p2", true, p.Digest), record.TransitionInvalid)
	if tb.tree() != before {
		t.Fatal("something was changed")
	}
	tb.ok(run.Decide(t.Context(), "p1", true, p.Digest))
	if data, _ := os.ReadFile(filepath.Join(tb.folder, "cart.go")); string(data) != "package shop // rounds up\n" {
		t.Errorf("cart.go is %q", data)
	}
	s := run.Snapshot()
	if got := s.State.Proposals[0]; got.Status != record.ProposalDone || s.Waiting() {
		t.Errorf("%+v", got)
	}
	if e := last(s.State, record.KindProposalDecided); e.By != record.Person {
		t.Errorf("decided by %s", e.By)
	}
	if run.Decide(t.Context(), "p1", true, p.Digest) == nil {
		t.Error("it was applied twice")
	}

	// What was decided comes with the next message, once, and with the next task.
	tb.say(run, "Go on.")
	prompts := tb.made[0].prompts()
	if got := prompts[len(prompts)-1]; !strings.Contains(got, "Proposal p1 of worker-1 (cart.go, till.go): the person approved it, and it was applied.") {
		t.Errorf("told %q", got)
	}

	tb.ok(run.UndoProposal(t.Context(), "p1"))
	if tb.tree() != before {
		t.Error("it was not taken back")
	}
	if s := run.Snapshot(); !strings.Contains(s.Notices[len(s.Notices)-1].Text, "taken back") {
		t.Errorf("notices %+v", s.Notices)
	}
}

func TestAProposalThatIsDeclinedChangesNothing(t *testing.T) {
	tb, run, p := proposed(t)
	before := tb.tree()
	tb.ok(run.Decide(t.Context(), "p1", false, p.Digest))
	if tb.tree() != before || run.Snapshot().State.Proposals[0].Status != record.ProposalDeclined {
		t.Error("it was applied")
	}
	if run.Decide(t.Context(), "p1", true, p.Digest) == nil {
		t.Error("it was decided twice")
	}
	tb.code(run.UndoProposal(t.Context(), "p1"), record.TransitionInvalid)
}

// R-217-41, 42: a file that changed all the same is said at once, and a proposal for it
// is refused whole.
func TestAFileThatChangedMeanwhileIsSaidAndRefuses(t *testing.T) {
	tb, run, p := proposed(t)
	tb.made[1].play = func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		tb.write("cart.go", "package shop // rounds not at all\n")
		return speaks("done")(ctx, in, sink)
	}
	tb.made[0].play = doing(func(ctx context.Context, in engine.TurnInput) {
		if _, err := call(ctx, in, "delegate", `{"to":"worker-1","task":"more","brief":"b"}`); err != nil {
			t.Error(err)
		}
		if _, err := call(ctx, in, "collect", `{}`); err != nil {
			t.Error(err)
		}
	})
	s := tb.say(run, "Go on.")
	if n := s.Notices; len(n) != 1 || !strings.Contains(n[0].Text, "cart.go") || n[0].By != record.Worker1 {
		t.Errorf("notices %+v", n)
	}
	before := tb.tree()
	err := run.Decide(t.Context(), "p1", true, p.Digest)
	if change.CodeOf(err) != change.Stale || tb.tree() != before {
		t.Errorf("%v", err)
	}
	if says, next := Sentence(err); !strings.HasPrefix(says, "Nothing was changed: ") || next == "" {
		t.Errorf("it says %q, %q", says, next)
	}
	got := run.Snapshot().State.Proposals[0]
	if got.Status != record.ProposalRefused || got.Results[0].Result != "stale" || got.Results[1].Result != record.FileUntouched {
		t.Errorf("%+v", got)
	}
}

// R-217-41: what a reviewer and a turn that is over propose is not taken; wrong
// arguments are said to the model.
func TestWhoMayNotProposeDoesNot(t *testing.T) {
	tb := newTable(t)
	tb.write("cart.go", "package shop // rounds down\n")
	var in engine.TurnInput
	tb.engine("boss", func(ctx context.Context, i engine.TurnInput, sink engine.Sink) engine.Result {
		in = i
		if _, err := call(ctx, in, "propose_change", `{"summary":"x","files":[{"path":"../out.go","content":"x"}]}`); err == nil || !strings.Contains(err.Error(), "files[0].path") {
			t.Errorf("%v", err)
		}
		return speaks("done")(ctx, i, sink)
	})
	run := tb.start("boss")
	tb.say(run, "Go.")
	if _, err := call(t.Context(), in, "propose_change", proposal); err == nil || !strings.Contains(err.Error(), "the turn is over") {
		t.Errorf("behind the end: %v", err)
	}
	if s := run.Snapshot(); len(s.State.Proposals) != 0 {
		t.Errorf("the record:\n%s", story(s.State))
	}
}

// What a run keeps by its digest is that, or is gone.
func TestWhatIsKeptIsWhatTheRecordNames(t *testing.T) {
	tb, run, p := proposed(t)
	path := filepath.Join(tb.home, "runs", "kept", run.ID(), p.Digest)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 { // R-217-23
		t.Fatalf("%v, %v", info, err)
	}
	data, err := os.ReadFile(path)
	tb.ok(err)
	tb.ok(os.WriteFile(path, []byte(strings.Replace(string(data), "Round up.", "Round it.", 1)), 0o600))
	tb.code(run.Decide(t.Context(), "p1", true, p.Digest), record.Damaged)
	_, err = run.Preview("p1")
	tb.code(err, record.Damaged)
	tb.ok(os.Remove(path))
	tb.code(run.Decide(t.Context(), "p1", true, p.Digest), record.Unavailable)
	if run.Snapshot().State.Proposals[0].Status != record.ProposalWaits {
		t.Error("it was decided")
	}
}
