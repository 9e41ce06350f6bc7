//go:build conformance && unix

package pretend

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What each participant of a run says, so that it can be looked for.
const (
	coordinatorWords = "COORDINATOR-WORDS: both looked at it."
	workerWords      = "WORKER-WORDS: the price of the pear is proposed."
	reviewerWords    = "REVIEWER-WORDS: nothing speaks against it."
)

// sharing is a run: the coordinator first tries to change the file by its own tool, then
// gives out two tasks and puts the results together. wait is how long the worker's model
// thinks.
func sharing(wait time.Duration) func(work string) Script {
	return func(work string) Script {
		give := []Step{
			{Calls: []Call{
				{Name: "delegate", Args: map[string]any{"to": "worker-1", "task": "raise", "brief": "BRIEF-RAISE: propose that the pear costs 5 in prices.txt."}},
				{Name: "delegate", Args: map[string]any{"to": "worker-2", "task": "check", "brief": "BRIEF-CHECK: look at prices.txt and say what speaks against a dearer pear."}},
			}},
			{Calls: []Call{{Name: "collect", Args: map[string]any{"tasks": []any{"raise", "check"}, "wait": 60}}}},
			{Text: coordinatorWords},
		}
		own := Step{Calls: []Call{{Do: "edit", Path: filepath.Join(work, "prices.txt"), Old: "pear 2", New: "pear 9"}}}
		return Script{Rules: []Rule{
			{Match: "share the work", Steps: append([]Step{own}, give...)},
			{Match: "nobody changes files by their own tools", Steps: give}, // where a decline ended the turn
			{Match: "go on with it", Steps: []Step{{Text: coordinatorWords}}},
			{Match: "BRIEF-RAISE", Steps: []Step{
				{Wait: Duration(wait), Calls: []Call{{Name: "propose_change", Args: map[string]any{
					"summary": "The pear costs 5.", "files": []any{map[string]any{"path": "prices.txt", "edits": []any{map[string]any{"old": "pear 2", "new": "pear 5"}}}},
				}}}},
				{Text: workerWords},
			}},
			{Match: "BRIEF-CHECK", Steps: []Step{
				{Calls: []Call{{Do: "read", Path: filepath.Join(work, "prices.txt")}}},
				{Text: reviewerWords},
			}},
		}}
	}
}

// crew are the programs of these runs, by their roles.
func crew(t *testing.T) (coordinator, worker, reviewer agent) {
	t.Helper()
	find := func(id string) agent {
		i := slices.IndexFunc(agents, func(a agent) bool { return a.id == id })
		return agents[i]
	}
	for _, id := range []string{"opencode", "codex", "gemini-cli"} {
		if !slices.ContainsFunc(chosenAgents(t), func(a agent) bool { return a.id == id }) {
			t.Skipf("%s is not among the chosen agents", id)
		}
	}
	return find("opencode"), find("codex"), find("gemini-cli")
}

// tree is what the project holds.
func (w *world) tree(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.work, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, w.work)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// approve looks at the proposal and lets it be applied.
func (s *terminal) approve() {
	s.t.Helper()
	s.keys("\t")
	s.see(`p proposals`)
	s.keys("p")
	s.see(`y approve and apply`)
	late := time.Now().Add(patience)
	for strings.Contains(s.screen(), "y approve and apply") && time.Now().Before(late) {
		s.keys("y")
		time.Sleep(300 * time.Millisecond) // a card takes no key in its first moments
	}
	s.see(`proposal p1 applied: 1 file written`)
}

// TestConformanceRun: OpenCode coordinates, Codex works, Gemini CLI reviews, from the
// person's words to an applied proposal (R-217-41, R-217-42, checklist 12).
func TestConformanceRun(t *testing.T) {
	c, wk, rv := crew(t)
	w := newWorld(t, sharing(0), c, wk, rv)
	before := w.tree(t)
	s := w.open(t, "run", "--coordinator", c.id, "--worker", wk.id, "--reviewer", rv.id, "share the work on the prices")
	s.see(`COORDINATOR-WORDS`)
	screen := s.see(`1 proposal waits`)
	for _, row := range []string{`1 coordinator +opencode .*load`, `2 worker +codex `, `3 reviewer +gemini-cli `} {
		if !regexp.MustCompile(row).MatchString(screen) {
			t.Errorf("no %q in the header:\n%s", row, screen)
		}
	}
	if after := w.tree(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the project was changed before it was approved: %v", after)
	}
	s.approve()
	if got := w.read("prices.txt"); got != "apple 1\npear 5\nplum 3\n" {
		t.Errorf("%q", got)
	}
	w.private(t)
	if !w.saw("propose_change") && !w.told("propose_change") {
		t.Error("nobody told the coordinator how files are changed here")
	}
	if story := w.story(t); !regexp.MustCompile(`1 coordinator +⊘ Edit`).MatchString(story) {
		t.Errorf("its own edit was not tried, or not declined:\n%s", story)
	}
}

// story is what conch runs show prints of the only run.
func (w *world) story(t *testing.T) string {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(w.home, ".conch", "runs", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v %v", logs, err)
	}
	cmd := exec.Command(w.bin, "runs", "show", strings.TrimSuffix(filepath.Base(logs[0]), ".jsonl"))
	cmd.Dir, cmd.Env = w.work, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("conch runs show: %v\n%s", err, out)
	}
	return string(out)
}

// told reports that the model was sent words by its user.
func (w *world) told(words string) bool {
	return slices.ContainsFunc(w.model.Asked(), func(q Request) bool { return q.Saw(words, "user") })
}

// private says that each participant's requests hold its own words and what it was
// given, and nothing of the others' sessions.
func (w *world) private(t *testing.T) {
	t.Helper()
	for _, q := range w.model.Asked() {
		has := func(words string) bool { return bytes.Contains(q.Body, []byte(words)) }
		worker, reviewer := has("BRIEF-RAISE"), has("BRIEF-CHECK")
		switch {
		case q.Dialect == Responses && (reviewer || has("REVIEWER-WORDS") || has("share the work")):
			t.Errorf("the worker saw what is another's:\n%s", conversationOf(q))
		case q.Dialect == Gemini && (worker || has("WORKER-WORDS") || has("share the work")):
			t.Errorf("the reviewer saw what is another's:\n%s", conversationOf(q))
		}
	}
	asked := w.model.Asked()
	both := slices.ContainsFunc(asked, func(q Request) bool {
		return q.Dialect == Chat && bytes.Contains(q.Body, []byte("WORKER-WORDS")) && bytes.Contains(q.Body, []byte("REVIEWER-WORDS"))
	})
	if !both {
		t.Error("the coordinator did not get both results")
	}
	for d, heading := range map[Dialect]string{Chat: "You are the coordinator of a run", Responses: "You are a worker in a run", Gemini: "You are a reviewer in a run"} {
		if !slices.ContainsFunc(asked, func(q Request) bool { return q.Dialect == d && bytes.Contains(q.Body, []byte(heading)) }) {
			t.Errorf("%v: nobody was told %q", d, heading)
		}
	}
}

// TestConformanceRunKilled: the same, killed while the worker is at work, and carried on
// (R-217-24…27, checklist 8).
func TestConformanceRunKilled(t *testing.T) {
	c, wk, rv := crew(t)
	w := newWorld(t, sharing(10*time.Minute), c, wk, rv)
	s := w.open(t, "run", "--coordinator", c.id, "--worker", wk.id, "--reviewer", rv.id, "share the work on the prices")
	s.see(`check  its words`)
	s.cmd.Process.Signal(syscall.SIGKILL) //nolint:errcheck // it runs
	<-s.over
	w.alone(t)
	logs, err := filepath.Glob(filepath.Join(w.home, ".conch", "runs", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v %v", logs, err)
	}
	before, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := w.model.SetScript(sharing(0)(w.work)); err != nil {
		t.Fatal(err)
	}
	n := len(w.model.Asked())
	s = w.start(t, "--resume", strings.TrimSuffix(filepath.Base(logs[0]), ".jsonl"))
	s.see(`This run was interrupted`)
	s.see(`2 . run raise again`)
	s.keys("2")
	s.see(`proposal p1 waits`)
	s.see(`raise  its words`)
	for _, q := range w.model.Asked()[n:] {
		if q.Dialect == Chat && q.Rule == "share the work" {
			t.Errorf("the person's words were sent again by themselves:\n%s", conversationOf(q))
		}
	}
	s.say("go on with it")
	s.see(`COORDINATOR-WORDS`)
	s.approve()
	if got := w.read("prices.txt"); got != "apple 1\npear 5\nplum 3\n" {
		t.Errorf("%q", got)
	}
	after, err := os.ReadFile(logs[0])
	if err != nil || !bytes.HasPrefix(after, before) {
		t.Errorf("what was committed is not there as it was: %v", err)
	}
}
