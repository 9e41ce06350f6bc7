package record

import (
	"math/rand"
	"strings"
	"testing"
	"time"
)

// R-217-2, checklist 1.
func TestAWholeRunIsTwelveEvents(t *testing.T) {
	s := grown(t, whole()...)
	if s.Gen() != 12 || s.Phase() != PhaseCompleted {
		t.Errorf("generation %d, %s", s.Gen(), s.Phase())
	}
	for i, e := range s.Events {
		if e.Seq != int64(i+1) || e.Gen != e.Seq {
			t.Errorf("event %d has seq %d and gen %d", i+1, e.Seq, e.Gen)
		}
	}
	if s.Task("t1").Result.String() != "done" || s.Task("t2").Status != TaskDone {
		t.Errorf("%+v", s.Tasks)
	}
	if last := s.Events[8]; last.Turn != 1 || last.Cause != 7 {
		t.Errorf("the second result is of turn %d and answers %d", last.Turn, last.Cause)
	}
}

// R-217-1…11, checklist 2 and 3: what is refused changes nothing at all.
func TestWhatIsNotAllowedChangesNothing(t *testing.T) {
	all := whole()
	begun, running, ended := all[:4], all[:7], all
	long := strings.Repeat("x", MaxText+1)
	at := func(s *State, e Entry) Event { return s.place(e, 99) }
	for _, c := range []struct {
		name   string
		before []Entry
		event  func(s *State) Event
		want   Code
	}{
		{"a gap", begun, func(s *State) Event {
			e := at(s, by(Person, PersonMessage{Text: txt("hi")}))
			e.Seq++
			e.Gen++
			return e
		}, SequenceUnexpected},
		{"a double", begun, func(s *State) Event { return s.Events[3] }, SequenceUnexpected},
		{"a second start", begun, func(s *State) Event { return at(s, by(Conch, started())) }, TransitionInvalid},
		{"an event before the start", nil, func(s *State) Event { return at(s, by(Conch, readyAs(Coordinator, "s", 9))) }, TransitionInvalid},
		{"ready a second time", begun, func(s *State) Event { return at(s, by(Conch, readyAs(Worker1, "s-1", 9))) }, TransitionInvalid},
		{"a connection of before", all[:2], func(s *State) Event { return at(s, by(Conch, readyAs(Worker1, "s", 1))) }, TransitionInvalid},
		{"a participant that is none", all[:1], func(s *State) Event { return at(s, by(Conch, readyAs("worker-3", "s", 9))) }, EventInvalid},
		{"one that does not take part", []Entry{by(Conch, started(RoleWorker)), all[1]}, func(s *State) Event { return at(s, by(Conch, readyAs(Worker2, "s", 9))) }, TransitionInvalid},
		{"a worker delegates", running, func(s *State) Event { return at(s, by(Worker1, task("t3", Worker2))) }, TransitionInvalid},
		{"to oneself", running, func(s *State) Event { return at(s, by(Coordinator, task("t3", Coordinator))) }, TransitionInvalid},
		{"to one that isn't ready", []Entry{all[0], all[1], all[4]}, func(s *State) Event { return at(s, by(Coordinator, task("t3", Worker1))) }, TransitionInvalid},
		{"a task's id again", running, func(s *State) Event { return at(s, by(Coordinator, task("t1", Worker2))) }, TransitionInvalid},
		{"a third open task", append(append([]Entry{}, running...), by(Coordinator, task("t3", Worker1))), func(s *State) Event { return at(s, by(Coordinator, task("t4", Worker1))) }, Limit},
		{"another's result", running, func(s *State) Event { return at(s, by(Worker2, result("t1", "done"))) }, TaskUnassigned},
		{"a result twice", all[:8], func(s *State) Event { return at(s, by(Worker1, result("t1", "done"))) }, TaskUnassigned},
		{"a result without a task", running, func(s *State) Event { return at(s, by(Worker1, result("t9", "done"))) }, TaskUnassigned},
		{"a second answer in a turn", all[:5], func(s *State) Event { return at(s, by(Person, PersonMessage{Text: txt("and?")})) }, TransitionInvalid},
		{"completed with an open task", running, func(s *State) Event { return at(s, by(Coordinator, RunCompleted{})) }, TransitionInvalid},
		{"completed by a worker", begun, func(s *State) Event { return at(s, by(Worker1, RunCompleted{})) }, TransitionInvalid},
		{"the end of a turn without an answer", all[:5], func(s *State) Event { return at(s, by(Conch, TurnCompleted{Participant: Coordinator, Finish: Stop})) }, TransitionInvalid},
		{"an answer without the end of its turn", all[:5], func(s *State) Event { return at(s, by(Coordinator, CoordinatorMessage{Text: txt("so")})) }, TransitionInvalid},
		{"anything behind the end", ended, func(s *State) Event { return at(s, by(Person, RunCancelled{})) }, TransitionInvalid},
		{"an allowance by Conch", running, func(s *State) Event {
			return at(s, by(Conch, PermissionDecided{Request: "r", Tool: txt("Bash"), Decision: AllowOnce, Option: txt("once")}))
		}, TransitionInvalid},
		{"a reviewer's proposal", running, func(s *State) Event {
			return at(s, by(Worker2, ProposalMade{Proposal: "p1", Digest: aDigest, Files: []File{{Path: "a.go", NewDigest: aDigest}}}))
		}, TransitionInvalid},
		{"a change that nobody approved", append(append([]Entry{}, running...), proposal("p1")), func(s *State) Event {
			return at(s, by(Conch, ProposalApplied{Proposal: "p1", Results: []FileResult{{Path: "a.go", Result: FileApplied}}}))
		}, Unapproved},
		{"an answer for another proposal", append(append([]Entry{}, running...), proposal("p1")), func(s *State) Event {
			return at(s, by(Person, ProposalDecided{Proposal: "p1", Decision: Approved, Digest: Digest([]byte("b"))}))
		}, Unapproved},
		{"time that falls", begun, func(s *State) Event {
			e := at(s, by(Person, PersonMessage{Text: txt("hi")}))
			e.At = 0
			return e
		}, EventInvalid},
		{"empty words", begun, func(s *State) Event { return at(s, by(Person, PersonMessage{})) }, EventInvalid},
		{"64 KiB and a byte", begun, func(s *State) Event { return at(s, by(Person, PersonMessage{Text: txt(long)})) }, EventInvalid},
		{"a control character", begun, func(s *State) Event { return at(s, by(Person, PersonMessage{Text: txt("a\x1b[31m")})) }, EventInvalid},
		{"a session of 257 bytes", all[:1], func(s *State) Event { return at(s, by(Conch, readyAs(Coordinator, long[:257], 9))) }, EventInvalid},
		{"a digest in upper case", all[:5], func(s *State) Event {
			b := task("t9", Worker1)
			b.BriefDigest = strings.ToUpper(b.BriefDigest)
			return at(s, by(Coordinator, b))
		}, EventInvalid},
		{"a digest of other words", running, func(s *State) Event {
			b := result("t1", "done")
			b.Digest = aDigest
			return at(s, by(Worker1, b))
		}, EventInvalid},
		{"a path that leads up", running, func(s *State) Event {
			e := proposal("p1")
			e.Body = ProposalMade{Proposal: "p1", Digest: aDigest, Files: []File{{Path: "../a.go", NewDigest: aDigest}}}
			return at(s, e)
		}, EventInvalid},
		{"two coordinators", nil, func(s *State) Event { return at(s, by(Conch, started(RoleCoordinator))) }, EventInvalid},
		{"a third other", nil, func(s *State) Event {
			b := started(RoleWorker, RoleWorker)
			b.Participants = append(b.Participants, Participant{ID: "worker-3", Role: RoleWorker, Engine: "x"})
			return at(s, by(Conch, b))
		}, EventInvalid},
	} {
		s := grown(t, c.before...)
		before := shape(s)
		next, err := s.Append(s.Gen(), c.event(s))
		if CodeOf(err) != c.want || next != nil {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if shape(s) != before {
			t.Errorf("%s changed the state", c.name)
		}
	}
	s := grown(t, begun...)
	if _, err := s.Append(s.Gen()-1, s.place(by(Person, PersonMessage{Text: txt("hi")}), 99)); CodeOf(err) != GenerationStale {
		t.Errorf("a stale generation: %v", err)
	}
}

func proposal(id string) Entry {
	return by(Worker1, ProposalMade{Proposal: id, Digest: aDigest, Files: []File{{Path: "a.go", BaseDigest: aDigest, NewDigest: Digest([]byte("b"))}}})
}

// Checklist 2: the last three events are kept for an end.
func TestAFullRecordTakesOnlyItsEnd(t *testing.T) {
	entries := append([]Entry{}, whole()[:5]...)
	for len(entries) < MaxEvents-KeptEvents {
		entries = append(entries, by(Coordinator, ToolActivity{Tool: txt("Read"), Subject: txt("a.go"), State: ToolSuccess}))
	}
	s := grown(t, entries...)
	one := func(e Entry) error {
		next, err := s.Append(s.Gen(), s.place(e, 5000))
		if err == nil {
			s = next
		}
		return err
	}
	if err := one(by(Coordinator, ToolActivity{Tool: txt("Read"), State: ToolSuccess})); CodeOf(err) != Limit {
		t.Errorf("one more: %v", err)
	}
	for _, e := range []Entry{by(Conch, TurnFailed{Participant: Coordinator, Code: Limit}), by(Conch, RunInterrupted{}), by(Conch, RunFailed{Code: Limit})} {
		if err := one(e); err != nil {
			t.Errorf("%s: %v", e.Body.Kind(), err)
		}
	}
	if s.Gen() != MaxEvents || s.Phase() != PhaseFailed {
		t.Errorf("%d events, %s", s.Gen(), s.Phase())
	}
}

// R-217-7, R-217-8, R-217-9, checklist 4.
func TestAnAnswerAndTheEndOfItsTurnAreOne(t *testing.T) {
	s := grown(t, whole()[:9]...)
	before := shape(s)
	answer, end := whole()[9], by(Conch, TurnCompleted{Participant: Worker1, Finish: Stop})
	place := func(now *State, i int) Event { return now.place([]Entry{answer, end}[i], 99) }
	if _, err := s.grow(s.Gen(), 2, place); CodeOf(err) != TransitionInvalid || shape(s) != before {
		t.Errorf("the second one failed: %v", err)
	}
	for _, finish := range []Finish{Stop, Length} {
		end = by(Conch, TurnCompleted{Participant: Coordinator, Finish: finish})
		next, err := s.grow(s.Gen(), 2, place)
		if err != nil || next.End != "" || next.TurnOpen || next.Phase() != PhaseWaiting {
			t.Errorf("%s ends the turn, not the run: %v %+v", finish, err, next)
		}
	}
	for _, e := range []Entry{by(Conch, TurnCancelled{Participant: Coordinator}), by(Conch, TurnFailed{Participant: Coordinator, Code: Timeout})} {
		next, err := s.Append(s.Gen(), s.place(e, 99))
		if err != nil || next.Gen() != s.Gen()+1 || next.TurnOpen {
			t.Errorf("%s: %v", e.Body.Kind(), err)
		}
	}
}

// R-217-10.
func TestBehindAnInterruptionSomebodyMustBeReadyFirst(t *testing.T) {
	s := grown(t, append(append([]Entry{}, whole()[:8]...), by(Conch, RunInterrupted{}))...)
	if s.Phase() != PhaseInterrupted || !s.Task("t2").Recoverable || s.Task("t1").Recoverable || s.TurnOpen {
		t.Fatalf("%+v", s)
	}
	for _, e := range []Entry{by(Person, PersonMessage{Text: txt("go on")}), by(Worker2, result("t2", "late")), by(Conch, RunInterrupted{}), by(Coordinator, RunCompleted{}), proposal("p1")} {
		if _, err := s.Append(s.Gen(), s.place(e, 99)); CodeOf(err) != TransitionInvalid {
			t.Errorf("%s: %v", e.Body.Kind(), err)
		}
	}
	for _, e := range []Entry{by(Conch, readyAs(Coordinator, "s-2", 7)), by(Conch, TaskFailed{Task: "t2", Code: Cancelled}), by(Conch, RunFailed{Code: Unavailable}), by(Person, RunCancelled{})} {
		if _, err := s.Append(s.Gen(), s.place(e, 99)); err != nil {
			t.Errorf("%s: %v", e.Body.Kind(), err)
		}
	}
}

// R-217-12.
func TestAnEventThatIsKnownMakesNoChangeAndAnotherInItsPlaceClosesTheRun(t *testing.T) {
	s := grown(t, whole()[:6]...)
	same, err := s.Replay(s.Events[4])
	if err != nil || same != s {
		t.Errorf("%v", err)
	}
	other := s.Events[4]
	other.Body = PersonMessage{Text: txt("delete the cart")}
	closed, err := s.Replay(other)
	if CodeOf(err) != Conflict || closed == nil {
		t.Fatalf("%v", err)
	}
	if _, err := closed.Append(closed.Gen(), closed.place(whole()[6], 99)); CodeOf(err) != Conflict {
		t.Errorf("it still takes events: %v", err)
	}
	if shape(s) != shape(grown(t, whole()[:6]...)) {
		t.Error("the state of before has changed")
	}
}

// candidates are entries of which some may follow: a random run is made of them.
func candidates(r *rand.Rand, n int) []Entry {
	id := string(rune('a' + r.Intn(20)))
	who := []Who{Coordinator, Worker1, Worker2}[r.Intn(3)]
	worker := []Who{Worker1, Worker2}[r.Intn(2)]
	return [][]Entry{
		{by(Conch, readyAs(who, "s", n+10))},
		{by(Person, PersonMessage{Text: txt("words " + id)})},
		{by(Coordinator, task(id, worker))}, {by(worker, TaskStarted{Task: id})}, {by(worker, result(id, "r"))},
		{by(Conch, TaskFailed{Task: id, Code: Timeout})},
		{by(who, ToolActivity{Tool: txt("Bash"), Subject: txt("go"), State: ToolSuccess, Summary: txt("ok")})},
		{by(Person, PermissionDecided{Request: id, Tool: txt("Bash"), Decision: AllowOnce, Option: txt("once")})},
		{by(who, ProposalMade{Proposal: id, Digest: aDigest, Files: []File{{Path: "a", NewDigest: aDigest}}})},
		{by(Person, ProposalDecided{Proposal: id, Decision: Approved, Digest: aDigest})},
		{by(Conch, ProposalApplied{Proposal: id, Results: []FileResult{{Path: "a", Result: FileApplied}}})},
		{by(Coordinator, CoordinatorMessage{Text: txt("m")}), by(Conch, TurnCompleted{Participant: Coordinator, Finish: Stop})},
		{by(Coordinator, Synthesis{Text: txt("m"), Tasks: []string{id}}), by(Conch, TurnCompleted{Participant: Coordinator, Finish: Length})},
		{by(Conch, TurnCancelled{Participant: Coordinator})}, {by(Conch, TurnFailed{Participant: Coordinator, Code: Timeout})},
		{by(Conch, Handoff{To: who, Digest: aDigest, Bytes: 3, From: 1, Up: 1})},
		{by(Conch, EvidenceBound{Label: txt("l"), Digest: aDigest, Task: id})},
		{by(Conch, RunInterrupted{})},
	}[r.Intn(18)]
}

// randomRun plays what may follow until the run has so many events.
func randomRun(seed int64, events int64) *State {
	r := rand.New(rand.NewSource(seed))
	s, err := (&State{}).grow(0, 1, func(now *State, _ int) Event { return now.place(by(Conch, started(RoleWorker, RoleWorker)), 1) })
	if err != nil {
		panic(err)
	}
	for n := 0; s.Gen() < events && n < 20_000; n++ {
		entries := candidates(r, n)
		before := s
		next, err := s.grow(s.Gen(), len(entries), func(now *State, i int) Event { return now.place(entries[i], int64(n)) })
		if err == nil {
			s = next
		} else if s != before {
			panic("a refused event changed the state")
		}
	}
	return s
}

// R-217-13, checklist 3 of what a run promises: rebuilt from its events a run is what it was.
func TestARebuiltRunIsTheLiveOne(t *testing.T) {
	for seed := range int64(200) {
		s := randomRun(seed, 120)
		if s.Gen() < 20 {
			t.Fatalf("seed %d has only %d events", seed, s.Gen())
		}
		again, err := Rebuild(s.Events)
		if err != nil || shape(again) != shape(s) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, e := range s.Events {
			data, err := Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := Decode(data); err != nil || back.Seq != e.Seq {
				t.Fatalf("%s: %v", data, err)
			}
		}
	}
}

func BenchmarkRebuild(b *testing.B) {
	entries := append([]Entry{}, whole()[:5]...)
	for len(entries) < MaxEvents-KeptEvents {
		entries = append(entries, by(Coordinator, ToolActivity{Tool: txt("Read"), Subject: txt("cart/total.go"), State: ToolSuccess, Summary: txt("120 lines")}))
	}
	s := grown(b, entries...)
	var samples []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := Rebuild(s.Events); err != nil {
			b.Fatal(err)
		}
		samples = append(samples, time.Since(began))
	}
	quantiles(b, samples, 50*time.Millisecond)
}
