package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/allchat"
	"conch/allchat/change"
	"conch/allchat/record"
	"conch/engine"
)

// words makes a text of the record, which only its decoder does.
func words(t testing.TB, s string) record.Text {
	t.Helper()
	quoted, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := record.Decode([]byte(`{"v":1,"seq":1,"gen":1,"at":0,"turn":0,"cause":0,"by":"person","kind":"person.message","text":` + string(quoted) + `,"sources":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	return e.Body.(record.PersonMessage).Text
}

// scriptedRun is a run that does what the test says.
type scriptedRun struct {
	t     testing.TB
	wake  chan struct{}
	mu    sync.Mutex
	snap  allchat.Snapshot
	asked []string // what the screen asked of it
	shows map[string]change.Preview
	seqAt time.Time
	no    error // what everything is refused with
}

var _ run = (*scriptedRun)(nil)

// newScript is a run of three, in which nothing was said yet.
func newScript(t testing.TB) *scriptedRun {
	s := &scriptedRun{t: t, wake: make(chan struct{}, 1), shows: map[string]change.Preview{}, seqAt: time.Date(2026, 11, 30, 9, 41, 0, 0, time.Local)}
	s.snap = allchat.Snapshot{Run: "01JD8QZ4N8T3W5V6X7Y8Z9A0B1", State: &record.State{}, Participants: []allchat.Participant{
		{ID: record.Coordinator, Role: record.RoleCoordinator, Engine: "codex", Name: "Codex", Model: "gpt-6.2", Can: []string{"load", "images"}},
		{ID: record.Worker1, Role: record.RoleWorker, Engine: "claude-code", Name: "Claude Code", Can: []string{"load", "images", "modes"}},
		{ID: record.Worker2, Role: record.RoleReviewer, Engine: "gemini-cli", Name: "Gemini CLI", Can: []string{"images"}},
	}}
	for _, p := range s.snap.Participants {
		s.snap.State.Participants = append(s.snap.State.Participants, record.Member{Participant: record.Participant{ID: p.ID, Role: p.Role, Engine: p.Engine}, Ready: true, Since: 1,
			Session: record.SessionReady{Participant: p.ID, Capabilities: record.Capabilities{Load: p.ID != record.Worker2, Image: true}}})
	}
	s.add(record.Conch, record.RunStarted{Participants: []record.Participant{{ID: record.Coordinator, Role: record.RoleCoordinator, Engine: "codex"}, {ID: record.Worker1, Role: record.RoleWorker, Engine: "claude-code"}, {ID: record.Worker2, Role: record.RoleReviewer, Engine: "gemini-cli"}}})
	return s
}

// add commits an event, and what it comes to as far as the screen asks.
func (s *scriptedRun) add(by record.Who, b record.Body) {
	s.mu.Lock()
	st := *s.snap.State
	s.seqAt = s.seqAt.Add(time.Minute)
	seq := int64(len(st.Events) + 1)
	st.Events = append(slices.Clone(st.Events), record.Event{V: 1, Seq: seq, Gen: seq, At: s.seqAt.UnixMilli(), By: by, Body: b})
	st.Tasks, st.Proposals = slices.Clone(st.Tasks), slices.Clone(st.Proposals)
	switch b := b.(type) {
	case record.PersonMessage:
		st.Turns++
		st.TurnOpen = true
	case record.TaskDelegated:
		st.Tasks = append(st.Tasks, record.Task{TaskDelegated: b, Status: record.TaskOpen, Delegated: seq})
	case record.TaskResult:
		t := st.Task(b.Task)
		t.Status, t.Result = record.TaskDone, b.Text
	case record.TaskFailed:
		st.Task(b.Task).Status = record.TaskBroken
	case record.ProposalMade:
		st.Proposals = append(st.Proposals, record.Proposal{ProposalMade: b, By: by, Status: record.ProposalWaits})
	case record.ProposalDecided:
		st.Proposal(b.Proposal).Status = map[record.Answer]record.ProposalStatus{record.Approved: record.ProposalApproved, record.Declined: record.ProposalDeclined}[b.Decision]
	case record.ProposalApplied:
		p := st.Proposal(b.Proposal)
		p.Status, p.Results = record.ProposalRefused, b.Results
		if b.Applied() {
			p.Status = record.ProposalDone
		}
	case record.TurnCompleted, record.TurnCancelled, record.TurnFailed:
		st.TurnOpen = false
	case record.RunInterrupted:
		st.Interrupted, st.TurnOpen = true, false
		st.Participants = slices.Clone(st.Participants)
		for i := range st.Participants {
			st.Participants[i].Ready = false
		}
		for i := range st.Tasks {
			st.Tasks[i].Recoverable = st.Tasks[i].Status == record.TaskOpen
		}
	case record.RunCompleted, record.RunFailed, record.RunCancelled:
		st.End = b.Kind()
	}
	s.snap.State = &st
	s.mu.Unlock()
	s.changed()
}

// now changes what is not committed.
func (s *scriptedRun) now(f func(*allchat.Snapshot)) {
	s.mu.Lock()
	s.snap.Participants = slices.Clone(s.snap.Participants)
	f(&s.snap)
	s.mu.Unlock()
	s.changed()
}

func (s *scriptedRun) changed() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *scriptedRun) heard(format string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, fmt.Sprintf(format, args...))
	return s.no
}

// got waits until the screen asked for something.
func (s *scriptedRun) got(want string) {
	s.t.Helper()
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		all := slices.Clone(s.asked)
		s.mu.Unlock()
		if slices.Contains(all, want) {
			return
		}
		if time.Now().After(limit) {
			s.t.Fatalf("the run was not asked for %q, but for %q", want, all)
		}
	}
}

// nothing tells that the screen asked for nothing that begins so.
func (s *scriptedRun) nothing(begin string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, each := range s.asked {
		if strings.HasPrefix(each, begin) {
			s.t.Errorf("the run was asked for %q", each)
		}
	}
}

func (s *scriptedRun) ID() string               { return s.snap.Run }
func (s *scriptedRun) Changed() <-chan struct{} { return s.wake }
func (s *scriptedRun) Snapshot() allchat.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snap
}
func (s *scriptedRun) Say(_ context.Context, text string) error {
	if err := s.heard("say %s", text); err != nil {
		return err
	}
	s.add(record.Person, record.PersonMessage{Text: words(s.t, text)})
	return nil
}
func (s *scriptedRun) Choose(b record.Bond, option string) error {
	return s.heard("choose %s for %s of %s", option, b.Request, b.Participant)
}
func (s *scriptedRun) Decline(b record.Bond) error { return s.heard("decline %s", b.Request) }
func (s *scriptedRun) Answer(q string, a engine.Answer) error {
	return s.heard("answer %s: %v", q, a.Values)
}
func (s *scriptedRun) Preview(p string) (change.Preview, error) { return s.shows[p], nil }
func (s *scriptedRun) Decide(_ context.Context, p string, approve bool, digest string) error {
	if err := s.heard("decide %s %v %s", p, approve, digest); err != nil {
		return err
	}
	if !approve {
		s.add(record.Person, record.ProposalDecided{Proposal: p, Decision: record.Declined, Digest: digest})
		return nil
	}
	s.add(record.Person, record.ProposalDecided{Proposal: p, Decision: record.Approved, Digest: digest})
	var results []record.FileResult
	for _, f := range s.Snapshot().State.Proposal(p).Files {
		results = append(results, record.FileResult{Path: f.Path, Result: record.FileApplied})
	}
	s.add(record.Conch, record.ProposalApplied{Proposal: p, Results: results})
	return nil
}
func (s *scriptedRun) UndoProposal(_ context.Context, p string) error { return s.heard("undo %s", p) }
func (s *scriptedRun) RunAgain(task string) error                     { return s.heard("again %s", task) }
func (s *scriptedRun) MarkFailed(task string) error                   { return s.heard("fail %s", task) }
func (s *scriptedRun) CancelTurn(who record.Who) error                { return s.heard("cancel turn %s", who) }
func (s *scriptedRun) Renew(context.Context) error                    { return s.heard("renew") }
func (s *scriptedRun) Complete() error                                { return s.heard("complete") }
func (s *scriptedRun) Close() error                                   { return s.heard("close") }
func (s *scriptedRun) Cancel(context.Context) error {
	if err := s.heard("cancel"); err != nil {
		return err
	}
	s.add(record.Person, record.RunCancelled{})
	return nil
}

// scriptedRuns gives out one run.
type scriptedRuns struct {
	run     *scriptedRun
	problem *record.Error
	refuses error
	mu      sync.Mutex
	plan    allchat.Plan
	carried int
}

func (s *scriptedRuns) Start(_ context.Context, p allchat.Plan) (run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan = p
	if s.refuses != nil {
		return nil, s.refuses
	}
	return s.run, nil
}

func (s *scriptedRuns) Carry(context.Context, string, allchat.Again) (run, error) {
	s.mu.Lock()
	s.carried++
	s.mu.Unlock()
	if s.refuses != nil {
		return nil, s.refuses
	}
	s.run.now(func(snap *allchat.Snapshot) {
		st := *snap.State
		st.Interrupted = false
		st.Participants = slices.Clone(st.Participants)
		for i := range st.Participants {
			st.Participants[i].Ready = true
		}
		snap.State = &st
		snap.Participants[0].Carried = allchat.CarriedLoaded
		snap.Participants[1].Carried = allchat.CarriedTold
		snap.Participants[2].Carried = allchat.CarriedTold
	})
	return s.run, nil
}

func (s *scriptedRuns) View(id string) (record.View, error) {
	return record.View{Run: id, State: s.run.Snapshot().State, Problem: s.problem}, nil
}

func (s *scriptedRuns) Preview(_, p string) (change.Preview, error) { return s.run.Preview(p) }

// onRuns is a screen with a scripted run beside its chats.
func onRuns(t testing.TB, s *scriptedRun) (Deps, *scriptedRuns) {
	d := newPlace(t).deps(t, ready("codex"), ready("claude-code"), &scripted{id: "gemini-cli", health: engine.Health{State: engine.NeedSignIn, Problem: "gemini-cli isn't signed in", Next: "run gemini once"}})
	all := &scriptedRuns{run: s}
	d.runs = all
	return d, all
}

// inScript is a screen that was started on a run.
func inScript(t testing.TB, w, h int, s *scriptedRun) *terminal {
	d, _ := onRuns(t, s)
	d.Start.Plan = &allchat.Plan{Folder: d.Folder, Coordinator: allchat.Pick{Provider: "codex"}}
	return start(t, w, h, d)
}
