package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	aDigest  = Digest([]byte("a"))
	aProject = ProjectOf("/code/shop")
)

func txt(s string) Text { return Text{s} }

// connection makes the n-th connection of a test.
func connection(n int) string { return fmt.Sprintf("%032x", n) }

// started is a run of a coordinator with these others.
func started(others ...Role) RunStarted {
	b := RunStarted{
		Project: aProject, Revision: txt("main"), Profile: aDigest, Limits: Limits{TurnMs: 60_000},
		Participants: []Participant{{ID: Coordinator, Role: RoleCoordinator, Engine: "opencode"}},
	}
	for i, role := range others {
		b.Participants = append(b.Participants, Participant{ID: []Who{Worker1, Worker2}[i], Role: role, Engine: "codex"})
	}
	return b
}

func readyAs(who Who, session string, n int) SessionReady {
	return SessionReady{Participant: who, Session: session, Connection: connection(n), Adapter: Adapter{Name: txt("adapter"), Version: txt("1.2")}, Capabilities: Capabilities{Load: true, HTTP: true}}
}

func task(id string, to Who) TaskDelegated {
	brief := txt("look at " + id)
	return TaskDelegated{Task: id, To: to, Brief: brief, BriefDigest: brief.Digest(), Evidence: []Evidence{{Label: txt("cart.go"), Digest: aDigest, Bytes: 12}}}
}

func result(id, words string) TaskResult {
	return TaskResult{Task: id, Text: txt(words), Digest: txt(words).Digest(), Finish: Stop}
}

func by(who Who, body Body) Entry { return Entry{By: who, Body: body} }

// whole is the full flow of a run, without task.started.
func whole() []Entry {
	return []Entry{
		by(Conch, started(RoleWorker, RoleReviewer)),
		by(Conch, readyAs(Coordinator, "s-1", 1)), by(Conch, readyAs(Worker1, "s-1", 2)), by(Conch, readyAs(Worker2, "s-1", 3)),
		by(Person, PersonMessage{Text: txt("fix the cart"), Sources: []Source{{Label: txt("a picture"), Digest: aDigest}}}),
		by(Coordinator, task("t1", Worker1)), by(Coordinator, task("t2", Worker2)),
		by(Worker1, result("t1", "done")), by(Worker2, result("t2", "it is right")),
		by(Coordinator, CoordinatorMessage{Text: txt("both are done")}), by(Conch, TurnCompleted{Participant: Coordinator, Finish: Stop}),
		by(Coordinator, RunCompleted{}),
	}
}

// grown is the state that entries come to, each appended by itself but for an answer
// and the end of its turn.
func grown(t testing.TB, entries ...Entry) *State {
	t.Helper()
	s := &State{}
	for _, unit := range units(entries) {
		next, err := s.grow(s.Gen(), len(unit), func(now *State, i int) Event { return now.place(unit[i], now.Gen()) })
		if err != nil {
			t.Fatalf("event %d (%s): %v", s.Gen()+1, unit[0].Body.Kind(), err)
		}
		s = next
	}
	return s
}

// units parts entries into those that are appended together.
func units(entries []Entry) [][]Entry {
	var out [][]Entry
	for i := 0; i < len(entries); i++ {
		n := 1
		switch entries[i].Body.(type) {
		case CoordinatorMessage, Synthesis:
			n = min(2, len(entries)-i)
		}
		out = append(out, entries[i:i+n])
		i += n - 1
	}
	return out
}

// shape is all that a state holds, for a comparison.
func shape(s *State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v %+v %v %v %v %v %v %v %v %v", s.Start, s.Participants, s.Turns, s.TurnOpen, s.Interrupted, s.End, s.EndCode, s.asked, s.staged, s.closed)
	fmt.Fprintf(&b, " %+v %+v", s.Tasks, s.Proposals)
	for _, e := range s.Events {
		data, err := Encode(e)
		fmt.Fprintf(&b, "\n%s %v", data, err)
	}
	for _, key := range slices.Sorted(mapKeys(s.decided)) {
		fmt.Fprintf(&b, "\ndecided %s %d", key, s.decided[key])
	}
	for _, key := range slices.Sorted(mapKeys(s.connections)) {
		fmt.Fprintf(&b, "\nconnection %s", key)
	}
	return b.String()
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// clock goes on by a second each time it is looked at.
func clock() func() time.Time {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

// quantiles reports the median and the 95th percentile of samples, and fails when that
// is over the bound.
func quantiles(b *testing.B, samples []time.Duration, bound time.Duration) {
	b.Helper()
	if len(samples) < 20 {
		return // a first, short round of the benchmark
	}
	slices.Sort(samples)
	p50, p95 := samples[len(samples)/2], samples[len(samples)*95/100]
	b.ReportMetric(float64(p50.Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(p95.Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(len(samples)), "samples")
	if p95 > bound {
		b.Errorf("P95 is %v, over %v", p95, bound)
	}
}

const theID = "01JD00000000000000000000ZZ"

func fixedID(time.Time) (string, error) { return theID, nil }
