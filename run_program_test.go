//go:build !windows

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bare is an environment without Node, Python or npx, or anything else on the PATH.
func (p place) bare(t *testing.T) []string {
	t.Helper()
	return p.environ("PATH=" + t.TempDir())
}

// conch runs the program to its end and gives what it printed.
func (p place) conch(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.Env = p.project, environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("conch %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// again gives a key twice a second as long as these words are on the screen: a card takes
// none in its first moments.
func (s *terminal) again(key, words string) func() bool {
	var last time.Time
	return func() bool {
		if !strings.Contains(s.screen(), words) {
			return true
		}
		if time.Since(last) > 500*time.Millisecond {
			last = time.Now()
			s.typed(key)
		}
		return false
	}
}

func (p place) note() string { return filepath.Join(p.project, "conch-demo.md") }

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

var threeDemos = []string{"run", "--coordinator", "demo", "--worker", "demo", "--reviewer", "demo"}

// R-217-41, R-217-42, R-217-51, checklist 18: from the person's words to an applied
// proposal, in the real program, with nothing on the PATH.
func TestARunOfDemoAgentsOnABareMachine(t *testing.T) {
	p := newPlace(t)
	s := open(t, p, 120, 44, p.bare(t), append(threeDemos, "Note the cache key")...)
	s.waitFor("that is all that I make of it")
	s.waitFor("1 proposal waits")
	s.waitFor("waiting for you")
	for _, words := range []string{"1 coordinator", "2 worker", "3 reviewer", "note-1-1  its words:", "review-1-2  its words:", "load, images, http tools, modes, models", "I gave out note-1-1 and review-1-2"} {
		if !strings.Contains(s.screen(), words) {
			t.Errorf("no %q on the screen:\n%s", words, s.screen())
		}
	}
	if there(p.note()) {
		t.Fatal("it was written before anybody approved it")
	}
	s.typed("\t")
	s.typed("p")
	s.waitFor("y approve and apply")
	s.until("the proposal to take y", s.again("y", "y approve and apply"))
	s.waitFor("proposal p1 applied: 1 file written")
	if data, err := os.ReadFile(p.note()); err != nil || string(data) != "# Notes of the demo agent\n\n1. Note the cache key\n" {
		t.Errorf("%q %v", data, err)
	}
	s.typed("\x18") // ctrl+x
	s.waitFor("type stop")
	s.typed("stop\r")
	s.waitFor("run cancelled; what was applied stays")
	s.typed(keyCtrlD)
	s.ended()
	if !there(p.note()) {
		t.Error("what was applied is gone")
	}
}

// R-217-24…28, R-217-46, checklist 8: killed in the middle, and carried on.
func TestARunThatWasKilledIsCarriedOn(t *testing.T) {
	p := newPlace(t)
	s := open(t, p, 120, 40, p.environ(), "run", "--coordinator", "demo", "--worker", "demo", "/test slow 600000")
	s.waitFor("running")
	s.waitFor("1 of 64 turns")
	s.signal(syscall.SIGKILL)
	s.ended()
	var list struct {
		Runs []struct{ ID, State string }
	}
	out := p.conch(t, p.environ(), "runs", "list", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Runs) != 1 || list.Runs[0].State != "running" {
		t.Fatalf("%v %s", err, out)
	}
	id := list.Runs[0].ID
	before, err := os.ReadFile(filepath.Join(p.home, ".conch", "runs", id+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, p, 120, 40, p.environ(), "--resume", id[:20])
	s.waitFor("This run was interrupted. What now?")
	now, err := os.ReadFile(filepath.Join(p.home, ".conch", "runs", id+".jsonl"))
	if err != nil || string(now) != string(before) {
		t.Errorf("reading it changed it: %v", err)
	}
	s.typed("\r")
	s.waitFor("interrupted: what waited expired")
	s.waitFor("opened again")
	s.waitFor("say what is to be done")
	if n := strings.Count(s.screen(), "/test slow"); n > 2 { // the title and the message
		t.Errorf("the message was sent again:\n%s", s.screen())
	}
	s.say("Note the cache key")
	s.waitFor("1 proposal waits")
	after, err := os.ReadFile(filepath.Join(p.home, ".conch", "runs", id+".jsonl"))
	if err != nil || !strings.HasPrefix(string(after), string(before)) {
		t.Errorf("what was committed is another now: %v", err)
	}
	s.typed(keyCtrlD)
	s.waitFor("Leave it?")
	s.until("leaving", s.again("y", "Leave it?"))
	s.ended()
}

// Without the screen nobody is asked: what is proposed waits, and the record is given
// as it is on the disk.
func TestARunWithoutTheScreenLeavesItsProposals(t *testing.T) {
	p := newPlace(t)
	out := p.conch(t, p.bare(t), append(threeDemos, "-p", "--json", "Note the cache key")...)
	kinds := map[string]int{}
	for line := range strings.Lines(out) {
		var e struct {
			V, Seq, Gen int
			Kind        string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.V != 1 || e.Seq != e.Gen {
			t.Fatalf("%v: %s", err, line)
		}
		kinds[e.Kind]++
	}
	for kind, n := range map[string]int{"run.started": 1, "session.ready": 3, "person.message": 1, "task.delegated": 2, "task.result": 2, "proposal.made": 1, "synthesis": 1, "turn.completed": 1, "run.completed": 0} {
		if kinds[kind] != n {
			t.Errorf("%d events %s, want %d:\n%s", kinds[kind], kind, n, out)
		}
	}
	if there(p.note()) {
		t.Error("it was written")
	}
	out = p.conch(t, p.environ(), "runs", "show", onlyRun(t, p))
	if !strings.Contains(out, "proposal p1 was not decided") || strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
	if out := p.conch(t, p.environ(), "runs", "close", onlyRun(t, p)); !strings.HasSuffix(out, " is completed\n") {
		t.Errorf("%q", out)
	}
	if out := p.conch(t, p.environ(), "runs", "remove", "--yes", onlyRun(t, p)); !strings.HasSuffix(out, " is removed\n") {
		t.Errorf("%q", out)
	}
	if out := p.conch(t, p.environ("CONCH_DISABLE_RUNS=1"), "runs"); out != "No runs yet.\n→ conch run --help says how one begins\n" {
		t.Errorf("%q", out)
	}
}

func onlyRun(t *testing.T, p place) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.home, ".conch", "runs", "*.jsonl"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v %v", names, err)
	}
	return strings.TrimSuffix(filepath.Base(names[0]), ".jsonl")
}
