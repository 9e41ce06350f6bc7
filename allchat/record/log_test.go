package record

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const otherProcess = "CONCH_TEST_LEASE"

func TestMain(m *testing.M) {
	if home := os.Getenv(otherProcess); home != "" {
		os.Exit(tryLease(home))
	}
	goleak.VerifyTestMain(m)
}

// tryLease is what another conch does: 7 when the project is held.
func tryLease(home string) int {
	s, err := Open(home, nil)
	if err != nil {
		return 1
	}
	lease, err := s.Lease(aProject)
	if CodeOf(err) == LeaseHeld {
		return 7
	}
	if err != nil {
		return 1
	}
	if lease.Close() != nil {
		return 1
	}
	return 0
}

func store(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.TempDir(), clock())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lease(t testing.TB, s *Store) *Lease {
	t.Helper()
	l, err := s.Lease(aProject)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// written is a run on the disk with these entries behind its start.
func written(t testing.TB, l *Lease, entries ...Entry) *Log {
	t.Helper()
	log, err := l.Create(started(RoleWorker, RoleReviewer))
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range units(entries) {
		if _, err := log.Append(log.State().Gen(), unit...); err != nil {
			t.Fatalf("%s: %v", unit[0].Body.Kind(), err)
		}
	}
	return log
}

// R-217-14, R-217-28: what is committed is on the disk, and read again it is the same.
func TestALogIsReadAsItWasWritten(t *testing.T) {
	s := store(t)
	l := lease(t, s)
	log := written(t, l, whole()[1:]...)
	view, err := s.Read(strings.ToLower(log.Run()))
	if err != nil || view.Problem != nil || view.Torn || view.Project != aProject {
		t.Fatalf("%+v %v", view, err)
	}
	if shape(view.State) != shape(log.State()) || view.State.Gen() != 12 {
		t.Error("the state is another one")
	}
	data, err := os.ReadFile(s.path(log.Run()))
	if err != nil {
		t.Fatal(err)
	}
	all := bytes.SplitAfter(data, []byte("\n"))
	if len(all) != 14 || len(all[13]) != 0 || !bytes.HasPrefix(all[1], []byte(`{"prev":"`+Digest(bytes.TrimSuffix(all[0], []byte("\n"))))) {
		t.Errorf("%d lines, the second is %s", len(all), all[1])
	}
	for path, want := range map[string]os.FileMode{s.dir: 0o700 | os.ModeDir, s.path(log.Run()): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s has the mode %v %v", filepath.Base(path), info.Mode(), err)
		}
	}
}

// sixty is a run of sixty events behind its start, with every kind of unit in it.
func sixty() []Entry {
	entries := append([]Entry{}, whole()[1:11]...)
	for turn := 0; len(entries) < 59; turn++ {
		id := "more-" + string(rune('a'+turn))
		entries = append(entries,
			by(Person, PersonMessage{Text: txt("and then?")}), by(Coordinator, task(id, Worker1)), by(Worker1, TaskStarted{Task: id}),
			by(Worker1, ToolActivity{Tool: txt("Bash"), Subject: txt("go"), State: ToolError, Summary: txt("exit 1")}),
			by(Worker1, ProposalMade{Proposal: id, Digest: aDigest, Files: []File{{Path: "a.go", NewDigest: aDigest}}}),
			by(Person, ProposalDecided{Proposal: id, Decision: Approved, Digest: aDigest}),
			by(Conch, ProposalApplied{Proposal: id, Results: []FileResult{{Path: "a.go", Result: FileApplied}}}),
			by(Worker1, result(id, "it is done")), by(Coordinator, Synthesis{Text: txt("all of it"), Tasks: []string{id}}), by(Conch, TurnCompleted{Participant: Coordinator, Finish: Stop}))
	}
	return entries
}

// R-217-18, R-217-19, R-217-20, R-217-28, checklist 5: a process may end at every append,
// before the write, in the middle of it, behind it and behind the sync.
func TestAKilledRunIsAPrefixOfWhatItWas(t *testing.T) {
	entries := sixty()
	list := units(entries)
	errKilled := errors.New("killed")
	for at := range list {
		for _, where := range []struct {
			name string
			step step
			cut  int64 // bytes that did not reach the disk
			lost bool  // the unit is not there afterwards
		}{
			{"before the write", beforeWrite, 0, true}, {"in the middle of the write", afterWrite, 7, true},
			{"behind the write", afterWrite, 0, false}, {"behind the sync", afterSync, 0, false},
		} {
			s := store(t)
			l := lease(t, s)
			log := onDisk(t, l, flat(list[:at]))
			before := shape(log.State())
			s.fault = func(got step) error {
				if got == where.step {
					return errKilled
				}
				return nil
			}
			if _, err := log.Append(log.State().Gen(), list[at]...); CodeOf(err) != Storage || !errors.Is(err, errKilled) {
				t.Fatalf("%s: %v", where.name, err)
			}
			if shape(log.State()) != before {
				t.Fatalf("%s: the state went on without the disk", where.name)
			}
			s.fault = func(step) error { return nil }
			if _, err := log.Append(log.State().Gen(), list[at]...); CodeOf(err) != StateInvalid {
				t.Fatalf("%s: it was sent again: %v", where.name, err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			cutEnd(t, s.path(log.Run()), where.cut)

			again := lease(t, s)
			log, err := again.Open(theID)
			if err != nil {
				t.Fatalf("%s of %s: %v", where.name, list[at][0].Body.Kind(), err)
			}
			want := flat(list[:at+1])
			if where.lost {
				want = flat(list[:at])
			}
			got := log.State()
			committed := int64(len(want)) + 1
			if got.Gen() != committed && (got.Gen() != committed+1 || got.Events[committed].Kind() != KindRunInterrupted) {
				t.Fatalf("%s of %s: %d events, want %d", where.name, list[at][0].Body.Kind(), got.Gen(), committed)
			}
			for i, e := range got.Events[1:committed] {
				if e.Kind() != want[i].Body.Kind() {
					t.Fatalf("%s: event %d is %s, want %s", where.name, i+2, e.Kind(), want[i].Body.Kind())
				}
			}
			_, err = os.Stat(s.tornPath(log.Run()))
			if torn := where.cut > 0; torn != (err == nil) {
				t.Fatalf("%s: what was torn is kept: %v", where.name, err)
			}
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// onDisk is a run as its entries left it, written at once.
func onDisk(t *testing.T, l *Lease, entries []Entry) *Log {
	t.Helper()
	state := grown(t, append([]Entry{by(Conch, started(RoleWorker, RoleReviewer))}, entries...)...)
	first, err := header{Run: theID, Project: aProject}.encode()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := chain(Digest(first), state.Events)
	if err != nil {
		t.Fatal(err)
	}
	data := append(append(first, '\n'), lines.data...)
	if err := os.WriteFile(l.store.path(theID), data, 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := l.store.writer(theID, state, int64(len(data)), lines)
	if err != nil {
		t.Fatal(err)
	}
	l.log = log
	return log
}

func flat(list [][]Entry) (out []Entry) {
	for _, unit := range list {
		out = append(out, unit...)
	}
	return out
}

// cutEnd takes the last bytes off a file.
func cutEnd(t *testing.T, path string, n int64) {
	t.Helper()
	if n == 0 {
		return
	}
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-n)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// R-217-7: of an answer whose end was torn off nothing is left.
func TestAnAnswerWithoutItsEndWasNeverCommitted(t *testing.T) {
	s := store(t)
	l := lease(t, s)
	log := written(t, l, whole()[1:11]...)
	data, err := os.ReadFile(s.path(log.Run()))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	end := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	cutEnd(t, s.path(log.Run()), int64(len(data)-end))
	view, err := s.Read(log.Run())
	if err != nil || view.Problem != nil || !view.Torn || view.State.Gen() != 9 {
		t.Fatalf("%+v %v", view, err)
	}
	log, err = lease(t, s).Open(log.Run())
	if err != nil || log.State().Gen() != 10 || !log.State().Interrupted {
		t.Errorf("%v %v", log.State().Gen(), err)
	}
	if kept, err := os.ReadFile(s.tornPath(log.Run())); err != nil || !bytes.Contains(kept, []byte("coordinator.message")) {
		t.Errorf("%s %v", kept, err)
	}
}

// R-217-17, checklist 6: one byte of a log that is another is found, wherever it is.
func TestEveryByteOfALogCounts(t *testing.T) {
	s := store(t)
	l := lease(t, s)
	log := written(t, l, whole()[1:]...)
	run := log.Run()
	good := shape(log.State())
	data, err := os.ReadFile(s.path(run))
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		for _, bit := range []byte{0x01, 0x20, 0x80} {
			spoiled := bytes.Clone(data)
			spoiled[i] ^= bit
			r := read(run, spoiled)
			switch {
			case r.Problem == nil:
				t.Fatalf("byte %d (%q to %q) was not noticed", i, data[i], spoiled[i])
			case r.Problem.Code != Damaged && r.Problem.Code != FutureVersion:
				t.Fatalf("byte %d: %v", i, r.Problem)
			case !strings.Contains(good, shapeOfEvents(r.State)):
				t.Fatalf("byte %d: more is shown than was there", i)
			}
		}
	}
	spoiled := bytes.Clone(data)
	spoiled[len(data)/2] ^= 0x01
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path(run), spoiled, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Open(run); CodeOf(err) != Damaged {
		t.Errorf("it was opened: %v", err)
	}
	if now, err := os.ReadFile(s.path(run)); err != nil || !bytes.Equal(now, spoiled) {
		t.Errorf("its bytes were changed: %v", err)
	}
	s.newID = fixedID
	if err := os.WriteFile(s.path(theID), spoiled, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Create(started()); CodeOf(err) != Conflict {
		t.Errorf("a new run took its id: %v", err)
	}
}

// shapeOfEvents is the part of shape that is of the events.
func shapeOfEvents(s *State) string {
	var out []string
	for _, e := range s.Events {
		data, _ := Encode(e)
		out = append(out, string(data)+" <nil>")
	}
	return strings.Join(out, "\n")
}

// R-217-17, R-217-21, checklist 2: a line is good in one form only.
func TestALineHasOneForm(t *testing.T) {
	good, err := Encode(grown(t, whole()[:5]...).Events[4])
	if err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]string{
		"an unknown field":          strings.Replace(string(good), `"kind":`, `"more":1,"kind":`, 1),
		"an unknown kind":           strings.Replace(string(good), "person.message", "person.shouted", 1),
		"a double key":              strings.Replace(string(good), `"turn":1`, `"turn":1,"turn":1`, 1),
		"another letter case":       strings.Replace(string(good), `"kind"`, `"Kind"`, 1),
		"a space":                   strings.Replace(string(good), `,"at"`, `, "at"`, 1),
		"data behind it":            string(good) + "{}",
		"a number out of range":     strings.Replace(string(good), `"turn":1`, `"turn":9007199254740993`, 1),
		"no integer":                strings.Replace(string(good), `"turn":1`, `"turn":1.0`, 1),
		"a negative number":         strings.Replace(string(good), `"turn":1`, `"turn":-1`, 1),
		"a version of another time": strings.Replace(string(good), `"v":1`, `"v":2`, 1),
		"another way to write text": strings.Replace(string(good), "fix", `\u0066ix`, 1),
		"half of a character":       strings.Replace(string(good), "fix", `\ud800`, 1),
		"nothing":                   "",
		"null":                      "null",
	} {
		if line == string(good) {
			t.Fatalf("%s: nothing was changed in %s", name, good)
		}
		if e, err := Decode([]byte(line)); CodeOf(err) != EventInvalid {
			t.Errorf("%s: %+v %v", name, e, err)
		}
	}
}

func TestALogOfANewerConchIsListedAndNeverWritten(t *testing.T) {
	s := store(t)
	l := lease(t, s)
	future := []byte(`{"v":2,"run":"` + theID + `","project":"` + aProject + `","more":true}` + "\n")
	if err := os.WriteFile(s.path(theID), future, 0o600); err != nil {
		t.Fatal(err)
	}
	views, err := s.Runs(aProject)
	if err != nil || len(views) != 1 || views[0].Problem.Code != FutureVersion {
		t.Errorf("%+v %v", views, err)
	}
	if _, err := l.Open(theID); CodeOf(err) != FutureVersion {
		t.Errorf("%v", err)
	}
	if now, err := os.ReadFile(s.path(theID)); err != nil || !bytes.Equal(now, future) {
		t.Errorf("%q %v", now, err)
	}
}

// R-217-16, checklist 7: a second process, which is a real one.
func TestASecondConchOnlyReads(t *testing.T) {
	s := store(t)
	home := filepath.Dir(s.dir)
	other := func() int {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), otherProcess+"="+home)
		err := cmd.Run()
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			return ended.ExitCode()
		}
		if err != nil {
			t.Fatal(err)
		}
		return 0
	}
	l := lease(t, s)
	log := written(t, l, whole()[1:5]...)
	if got := other(); got != 7 {
		t.Errorf("the other one ended with %d", got)
	}
	if _, err := s.Lease(aProject); CodeOf(err) != LeaseHeld {
		t.Errorf("taken twice: %v", err)
	}
	if err := s.Remove(log.Run()); CodeOf(err) != LeaseHeld {
		t.Errorf("removed while it is open: %v", err)
	}
	if view, err := s.Read(log.Run()); err != nil || view.State.Gen() != 5 {
		t.Errorf("%+v %v", view, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := other(); got != 0 {
		t.Errorf("behind the end the other one ended with %d", got)
	}
	if err := s.Remove(log.Run()); err != nil {
		t.Error(err)
	}
	if _, err := s.Read(log.Run()); CodeOf(err) != StateInvalid {
		t.Errorf("%v", err)
	}
}

// R-217-15: another writer's line.
func TestALogThatAnotherOneWroteToTakesNoMore(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"a line more": func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("{}\n")
			return errors.Join(err, f.Close())
		},
		"another last line": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			data[len(data)-3] ^= 1
			return os.WriteFile(path, data, 0o600)
		},
		"another file": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(path+".x", data, 0o600), os.Rename(path+".x", path))
		},
	} {
		s := store(t)
		log := written(t, lease(t, s), whole()[1:4]...)
		if err := spoil(s.path(log.Run())); err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(log.State().Gen(), whole()[4]); CodeOf(err) != GenerationStale {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAProjectKeepsThirtyTwoRuns(t *testing.T) {
	s := store(t)
	l := lease(t, s)
	for range MaxRuns {
		log, err := l.Create(started())
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Create(started()); CodeOf(err) != Limit {
		t.Errorf("%v", err)
	}
	views, err := s.Runs("")
	if err != nil || len(views) != MaxRuns || views[0].Run < views[1].Run {
		t.Errorf("%d runs %v", len(views), err)
	}
}

// Checklist 5, as a property: a log that is cut anywhere is a prefix of what it was.
func TestALogThatIsCutAnywhereIsAPrefix(t *testing.T) {
	for seed := range int64(10) {
		live := randomRun(seed, 40)
		first, err := header{Run: theID, Project: aProject}.encode()
		if err != nil {
			t.Fatal(err)
		}
		lines, err := chain(Digest(first), live.Events)
		if err != nil {
			t.Fatal(err)
		}
		data := append(append(first, '\n'), lines.data...)
		all := shapeOfEvents(live)
		for n := len(first) + 1; n <= len(data); n++ {
			if near := bytes.IndexByte(data[n-1:min(n+3, len(data))], '\n') >= 0; !near && n%41 != 0 && n < len(data) {
				continue // beside the ends of lines, some places are enough
			}
			r := read(theID, data[:n])
			if r.Problem != nil && r.State.Gen() > 0 {
				t.Fatalf("seed %d, cut at %d: %v", seed, n, r.Problem)
			}
			if got := shapeOfEvents(r.State); !strings.HasPrefix(all, got) {
				t.Fatalf("seed %d, cut at %d: no prefix", seed, n)
			}
			if r.State.staged != 0 || n == len(data) && (r.Torn || r.State.Gen() != live.Gen()) {
				t.Fatalf("seed %d, cut at %d: %+v", seed, n, r.View)
			}
		}
	}
}

// FuzzRead: bytes from anywhere are a log or damaged, and what is read of them is
// written again in the same bytes.
func FuzzRead(f *testing.F) {
	live := randomRun(3, 40)
	first, err := header{Run: theID, Project: aProject}.encode()
	if err != nil {
		f.Fatal(err)
	}
	lines, err := chain(Digest(first), live.Events)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(append(bytes.Clone(first), '\n'), lines.data...))
	f.Add(append(bytes.Clone(first), '\n'))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := read(theID, data)
		if r.Problem != nil || r.State.Gen() == 0 {
			return
		}
		again, err := chain(Digest(first), r.State.Events)
		if err != nil || !bytes.Equal(append(append(bytes.Clone(first), '\n'), again.data...), data[:r.size]) {
			t.Errorf("read as %d events, which are written otherwise: %v", r.State.Gen(), err)
		}
	})
}

func BenchmarkCommit(b *testing.B) {
	s := store(b)
	log := written(b, lease(b, s), whole()[1:5]...)
	entry := by(Coordinator, ToolActivity{Tool: txt("Read"), Subject: txt("cart/total.go"), State: ToolSuccess})
	var samples []time.Duration
	for b.Loop() {
		if log.State().Gen() == MaxEvents-KeptEvents {
			b.StopTimer()
			if err := log.Close(); err != nil {
				b.Fatal(err)
			}
			s = store(b)
			log = written(b, lease(b, s), whole()[1:5]...)
			b.StartTimer()
		}
		began := time.Now()
		if _, err := log.Append(log.State().Gen(), entry); err != nil {
			b.Fatal(err)
		}
		samples = append(samples, time.Since(began))
	}
	quantiles(b, samples, 15*time.Millisecond)
}
