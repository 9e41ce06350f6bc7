package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/allchat"
	"conch/allchat/change"
	"conch/allchat/record"
	"conch/engine"
)

const pricing = "rewrite pricing so that discounts stack"

// work lets the script go on to where a worker has a task and a proposal waits.
func (s *scriptedRun) work() {
	s.add(record.Person, record.PersonMessage{Text: words(s.t, pricing)})
	s.add(record.Coordinator, record.ToolActivity{Tool: words(s.t, "Read"), Subject: words(s.t, "pricing/engine.go"), State: record.ToolSuccess, Summary: words(s.t, "212 lines")})
	s.add(record.Coordinator, record.Delegate("price-engine", record.Worker1, words(s.t, "Write the engine in pricing/ so that every discount is taken from what the one before left.\nKeep Money as it is.")))
	s.add(record.Coordinator, record.Delegate("price-review", record.Worker2, words(s.t, "Review the engine when it is proposed.")))
	s.add(record.Worker1, record.PermissionDecided{Request: "r0", Tool: words(s.t, "Bash"), Decision: record.AllowOnce, Option: words(s.t, "once")})
	s.propose("1")
}

func (s *scriptedRun) propose(id string) {
	before := "func Price(base Money, off []Discount) Money {\n\treturn base.Less(best(off))\n}\n"
	after := "func Price(base Money, off []Discount) Money {\n\tfor _, d := range off {\n\t\tbase = base.Less(d)\n\t}\n\treturn base\n}\n"
	s.mu.Lock()
	s.shows[id] = change.Preview{Diffs: []engine.Diff{{Path: "pricing/engine.go", Old: &before, New: &after, Line: 12}}}
	s.mu.Unlock()
	s.add(record.Worker1, record.ProposalMade{Proposal: id, Digest: strings.Repeat("ab", 32), Files: []record.File{{Path: "pricing/engine.go", BaseDigest: "a", NewDigest: "b"}}})
}

// twoCards lets two participants wait for the person.
func (s *scriptedRun) twoCards() {
	options := []engine.PermissionOption{{ID: "once", Name: "Allow", Kind: engine.AllowOnce}, {ID: "always", Name: "Always", Kind: engine.AllowAlways}, {ID: "no", Name: "Reject", Kind: engine.RejectOnce}}
	s.now(func(snap *allchat.Snapshot) {
		snap.Cards = []allchat.Card{
			{Card: record.Card{Bond: record.Bond{Participant: record.Worker1, Request: "r1"}}, Name: "Claude Code", Role: record.RoleWorker, Task: "price-engine", Why: "every command of a run is asked",
				Permission: engine.Permission{Tool: "Bash", Kind: engine.KindExecute, Subject: "go test ./pricing/...", Options: options}},
			{Card: record.Card{Bond: record.Bond{Participant: record.Worker2, Request: "r2"}}, Name: "Gemini CLI", Role: record.RoleReviewer, Task: "price-review", Why: "every command of a run is asked",
				Permission: engine.Permission{Tool: "Bash", Kind: engine.KindExecute, Subject: "git log -3", Options: options}},
		}
		for i := range snap.Participants[1:] {
			snap.Participants[i+1].Working = true
		}
	})
}

// R-217-47, R-217-48, checklist 17: the pane in each state, at 80 and at 120 columns,
// narrow, without colour and in ASCII.
func TestTheRunPaneInEachState(t *testing.T) {
	talking := func(s *scriptedRun) {
		s.work()
		s.now(func(snap *allchat.Snapshot) {
			snap.Participants[0].Working, snap.Participants[0].Step = true, "waiting for price-engine"
			snap.Participants[0].Partial = "The engine is being written; meanwhile"
			snap.Participants[1].Working, snap.Participants[1].Task, snap.Participants[1].Step, snap.Participants[1].Queued = true, "price-engine", "Read pricing/money.go", 1
			snap.Participants[1].Partial = "I read the engine first."
		})
	}
	over := func(s *scriptedRun) {
		s.work()
		s.add(record.Person, record.ProposalDecided{Proposal: "1", Decision: record.Approved})
		s.add(record.Conch, record.ProposalApplied{Proposal: "1", Results: []record.FileResult{{Path: "pricing/engine.go", Result: record.FileApplied}}})
		s.add(record.Worker1, record.Result("price-engine", words(t, "The engine takes each discount from what the one before left.\n\n- `Price` loops\n- `best` is gone\n- Money is as it was\n\nThree tests of mine cover:\n\n1. none\n2. one\n3. several"), record.Stop))
		s.add(record.Conch, record.TaskFailed{Task: "price-review", Code: record.Timeout})
		s.add(record.Coordinator, record.Synthesis{Text: words(t, "Discounts **stack** now; nobody reviewed it."), Tasks: []string{"price-engine"}})
		s.add(record.Conch, record.TurnCompleted{Participant: record.Coordinator, Finish: record.Stop})
	}
	ends := func(b record.Body, by record.Who) func(*scriptedRun) {
		return func(s *scriptedRun) { over(s); s.add(by, b) }
	}
	for _, c := range []struct {
		name   string
		script func(*scriptedRun)
		word   string
	}{
		{"planned", func(*scriptedRun) {}, "planned"},
		{"running", func(s *scriptedRun) {
			talking(s)
			s.add(record.Person, record.ProposalDecided{Proposal: "1", Decision: record.Declined})
		}, "running"},
		{"waiting", func(s *scriptedRun) { talking(s); s.twoCards() }, "waiting for you"},
		{"interrupted", func(s *scriptedRun) { s.work(); s.add(record.Conch, record.RunInterrupted{}) }, "interrupted"},
		{"completed", ends(record.RunCompleted{}, record.Coordinator), "completed"},
		{"failed", ends(record.RunFailed{Code: record.Storage}, record.Conch), "failed"},
		{"cancelled", ends(record.RunCancelled{}, record.Person), "cancelled"},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {50, 24}, {80, 16}} {
			t.Run(fmt.Sprintf("%s %dx%d", c.name, size[0], size[1]), func(t *testing.T) {
				s := newScript(t)
				c.script(s)
				tt := inScript(t, size[0], size[1], s)
				tt.sees(c.word)
				tt.golden(fmt.Sprintf("run-%s-%dx%d", c.name, size[0], size[1]))
			})
		}
	}
	for name, o := range map[string]Options{"none": {Theme: "auto", NoColor: true}, "ascii": {Theme: "dark", ASCII: true}, "light": {Theme: "light"}} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			talking(s)
			s.twoCards()
			d, _ := onRuns(t, s)
			d.Options = o
			d.Start.Plan = &allchat.Plan{Folder: d.Folder}
			tt := start(t, 80, 24, d)
			tt.sees("waiting for you", "1 of 2")
			tt.golden("run-waiting-80x24-" + name)
			for y := range 24 {
				for x := range 80 {
					if cell := tt.emu.CellAt(x, y); cell != nil && name == "none" && cell.Style.Fg != nil {
						t.Fatalf("a colour at %d,%d", x, y)
					}
				}
			}
		})
	}
	t.Run("damaged", func(t *testing.T) {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			s := newScript(t)
			s.work()
			d, all := onRuns(t, s)
			all.problem = &record.Error{Code: record.Damaged, What: "an event is not as it was written"}
			d.Start.Run = s.ID()
			tt := start(t, size[0], size[1], d)
			tt.sees("damaged (read-only)")
			tt.golden(fmt.Sprintf("run-damaged-%dx%d", size[0], size[1]))
			tt.press("ctrl+x")
			tt.sees("goes on no more")
		}
	})
}

// R-217-42, checklist 17: a proposal is approved whole, once, and by the digest of what
// was shown.
func TestAProposalIsLookedAtAndApproved(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		s := newScript(t)
		s.work()
		s.propose("2")
		tt := inScript(t, size[0], size[1], s)
		tt.sees("2 proposals wait")
		tt.press("tab", "tab", "p")
		tt.sees("base = base.Less(d)", "1 of 2")
		tt.golden(fmt.Sprintf("run-proposal-%dx%d", size[0], size[1]))
		tt.press("y") // too soon: dropped
		time.Sleep(350 * time.Millisecond)
		s.nothing("decide")
		tt.press("y")
		s.got("decide 1 true " + strings.Repeat("ab", 32))
		tt.sees("proposal 2", "there are more")
		tt.press("y") // the next one has not the focus
		tt.press("tab")
		time.Sleep(350 * time.Millisecond)
		s.nothing("decide 2")
		tt.press("n")
		s.got("decide 2 false " + strings.Repeat("ab", 32))
		tt.sees("proposal 1 applied", "proposal 2 declined")
	}
}

func TestAProposalWithHiddenCharactersSaysSo(t *testing.T) {
	s := newScript(t)
	s.work()
	s.propose("1")
	shown := s.shows["1"]
	shown.Files = []change.Count{{Path: "pricing/engine.go", Added: 1, Hidden: true}}
	s.shows["1"] = shown
	tt := inScript(t, 100, 30, s)
	tt.sees("2 proposals wait")
	tt.press("tab", "tab", "p")
	tt.sees("pricing/engine.go gets characters that are not seen as they are")
}

// A long change can't be approved before its end was on the screen.
func TestAProposalIsApprovedOnlyWhenItWasSeenWhole(t *testing.T) {
	s := newScript(t)
	s.add(record.Person, record.PersonMessage{Text: words(t, pricing)})
	var long strings.Builder
	for i := range 90 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	text := long.String()
	s.propose("1")
	s.shows["1"] = change.Preview{Diffs: []engine.Diff{{Path: "long.txt", New: &text}}}
	tt := inScript(t, 80, 24, s)
	tt.sees("proposal waits")
	tt.press("tab", "tab", "p")
	tt.sees("line 1")
	time.Sleep(350 * time.Millisecond)
	tt.press("y")
	tt.sees("there is more of it")
	s.nothing("decide")
	for range 12 {
		tt.press("pgdown")
	}
	tt.sees("line 89")
	tt.press("y")
	s.got("decide 1 true " + strings.Repeat("ab", 32))
}

// R-217-37, R-217-39: cards one after another, each answered by what it is bound to;
// what a program would remember is not offered.
func TestTwoCardsAreAnsweredOneAfterTheOther(t *testing.T) {
	s := newScript(t)
	s.work()
	s.twoCards()
	tt := inScript(t, 80, 24, s)
	tt.sees("go test ./pricing/...", "1 of 2")
	tt.seesNot("Always")
	tt.types("y") // goes to the prompt
	tt.sees("▌ y")
	s.nothing("choose")
	tt.press("tab")
	time.Sleep(350 * time.Millisecond)
	tt.press("y")
	s.got("choose once for r1 of worker-1")
	s.now(func(snap *allchat.Snapshot) { snap.Cards = snap.Cards[1:] })
	tt.sees("git log -3")
	tt.press("tab")
	time.Sleep(350 * time.Millisecond)
	tt.press("n")
	s.got("choose no for r2 of worker-2")
}

// R-217-45: esc cancels the focused participant's turn; the word stop ends the run.
func TestStoppingOneAndStoppingAll(t *testing.T) {
	s := newScript(t)
	s.work()
	s.now(func(snap *allchat.Snapshot) {
		snap.Participants[0].Working, snap.Participants[1].Working, snap.Participants[2].Working = true, true, true
		snap.Participants[1].Partial = "half a thought"
	})
	tt := inScript(t, 80, 24, s)
	tt.sees("half a thought")
	tt.press("tab", "tab", "2", "esc")
	s.got("cancel turn worker-1")
	s.now(func(snap *allchat.Snapshot) { snap.Participants[1].Working, snap.Participants[1].Partial = false, "" })
	tt.seesNot("half a thought")
	s.nothing("cancel turn coordinator")
	tt.press("ctrl+x")
	tt.sees("type stop")
	tt.types("no")
	tt.press("enter")
	tt.sees("the run goes on")
	s.nothing("cancel\x00")
	tt.press("ctrl+x")
	tt.types("stop")
	tt.press("enter")
	s.got("cancel")
	tt.sees("cancelled")
}

// R-217-46: leaving with a run open asks first, and lets it go whole.
func TestLeavingWithARunOpenAsks(t *testing.T) {
	s := newScript(t)
	tt := inScript(t, 80, 24, s)
	tt.sees("planned")
	tt.press("ctrl+d")
	tt.sees("A run is open")
	time.Sleep(350 * time.Millisecond)
	tt.press("n")
	tt.seesNot("A run is open")
	tt.press("ctrl+d")
	tt.sees("A run is open")
	time.Sleep(350 * time.Millisecond)
	tt.press("y")
	tt.ended()
	s.got("close")
}

// The filter shows one participant's rows, and all again.
func TestTheTimelineIsFilteredByParticipant(t *testing.T) {
	s := newScript(t)
	s.work()
	tt := inScript(t, 80, 24, s)
	tt.sees("proposal 1 waits", "price-review")
	tt.press("tab", "tab", "3")
	tt.seesNot("proposal 1 waits")
	tt.sees("price-review")
	tt.press("3")
	tt.sees("proposal 1 waits")
}

// R-217-26, R-217-27: an interrupted run is read first; what is done with it is chosen,
// and how each participant goes on is shown.
func TestAnInterruptedRunIsReadAndThenCarriedOn(t *testing.T) {
	s := newScript(t)
	s.work()
	s.add(record.Conch, record.RunInterrupted{})
	d, all := onRuns(t, s)
	d.Start.Run = s.ID()
	tt := start(t, 120, 40, d)
	tt.sees("This run was interrupted", "run price-engine again", "give price-review up", "cancel the run")
	tt.golden("run-offer-120x40")
	if all.carried != 0 {
		t.Fatal("it was carried on by itself")
	}
	tt.types("engine again")
	tt.press("enter")
	s.got("again price-engine")
	tt.sees("opened again", "told again")
	tt.golden("run-carried-120x40")
	tt.says("/tasks")
	tt.sees("Tasks that were left open")
	tt.types("review up")
	tt.press("enter")
	s.got("fail price-review")
}

// R-217-29: who takes part is the person's choice, and one that is not ready says why.
func TestARunIsStartedFromAChat(t *testing.T) {
	s := newScript(t)
	d, all := onRuns(t, s)
	tt := start(t, 100, 24, d)
	tt.types(pricing)
	tt.press("alt+r")
	tt.sees("Who coordinates?", "run gemini once")
	tt.golden("run-pick-100x24")
	tt.types("gemini")
	tt.press("enter")
	tt.sees("gemini-cli can't take part: gemini-cli isn't signed in")
	tt.types("codex")
	tt.press("enter")
	tt.sees("codex coordinates. Who else?", "first words: "+pricing)
	tt.types("worker claude")
	tt.press("enter")
	tt.sees("with worker claude-code. Who else?")
	tt.press("1")
	s.got("say " + pricing)
	all.mu.Lock()
	p := all.plan
	all.mu.Unlock()
	if p.Coordinator.Provider != "codex" || len(p.Others) != 1 || p.Others[0] != (allchat.Pick{Provider: "claude-code", Role: record.RoleWorker}) || p.Folder != d.Folder {
		t.Errorf("started with %+v", p)
	}
	tt.press("alt+r") // to the chat; the run goes on
	tt.sees("new chat")
	tt.press("alt+r")
	tt.sees("generation")
}

// R-217-29: what kept a run from starting is said, and the words are kept.
func TestARunThatCannotStartSaysWhy(t *testing.T) {
	s := newScript(t)
	d, all := onRuns(t, s)
	all.refuses = &allchat.NotReady{Provider: "codex", Name: "Codex", Problem: "Codex isn't signed in", Next: "run codex login"}
	d.Start.Plan, d.Start.First = &allchat.Plan{Folder: d.Folder}, pricing
	tt := start(t, 80, 24, d)
	tt.sees("Codex isn't signed in", "→ run codex login", pricing)
	tt.press("esc")
	tt.sees("new chat")
}

// R-217-50: without runs nothing speaks of them.
func TestWithoutRunsNothingSpeaksOfThem(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex")))
	tt.press("alt+r")
	tt.types("/run")
	tt.sees("/run")
	tt.seesNot("one agent coordinates")
	for _, e := range tt.s.model.keys.Entries() {
		if strings.HasPrefix(string(e.Action), "run") || strings.Contains(e.Words, " run ") && strings.Contains(e.Words, "coordinat") {
			t.Errorf("%s is still in the table", e.Action)
		}
	}
}
