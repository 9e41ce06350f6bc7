package codex

import (
	"path/filepath"
	"testing"

	"conch/engine"
)

// R-217-41: a turn that may only read asks Codex for the read-only profile, and nothing
// is sent to one that has taken up another.
func TestATurnThatMayOnlyReadIsHeldToIt(t *testing.T) {
	for _, c := range []struct {
		has     string
		outcome engine.Outcome
		turns   int
	}{{"conch-reading", engine.Success, 1}, {"conch", engine.Failed, 0}} {
		log := filepath.Join(t.TempDir(), "heard")
		e := testEngine(t, "testdata/wire/0.171.0/resume-new-home.2.ndjson", "CODEX_TEST_HEARD="+log, "CODEX_TEST_PROFILE="+c.has)
		keepThread(t, e, resumedIn(t), 1)
		in := aMessage(t)
		in.ReadOnly, in.ResumeID = true, resumeID(resumedIn(t), toolsDigest(variant, nil))
		if r := e.Turn(t.Context(), in, &sinkOf{}); r.Outcome != c.outcome {
			t.Errorf("with %s: %+v", c.has, r)
		}
		said := heard(t, log)
		if got := said["thread/resume"][0]["permissions"]; got != "conch-reading" {
			t.Errorf("resumed with the profile %v", got)
		}
		if got := len(said["turn/start"]); got != c.turns {
			t.Errorf("with %s: %d turns", c.has, got)
		}
	}
}

// R-69-76: what an open thread has it may keep, so another folder and other permissions
// are those of a new process.
func TestAnotherFolderIsThatOfANewProcess(t *testing.T) {
	log := filepath.Join(t.TempDir(), "heard")
	e := testEngine(t, "testdata/wire/0.171.0/resume-new-home.2.ndjson", "CODEX_TEST_HEARD="+log)
	in := aMessage(t)
	in.ResumeID = resumeID(resumedIn(t), toolsDigest(variant, nil))
	for range 2 {
		keepThread(t, e, resumedIn(t), 1) // the recording's answer has one turn
		if r := e.Turn(t.Context(), in, &sinkOf{}); r.Outcome != engine.Success {
			t.Fatalf("%+v", r)
		}
		in.Cwd = t.TempDir()
	}
	said := heard(t, log)
	if n := len(said["initialize"]); n != 2 {
		t.Errorf("%d processes for two folders", n)
	}
	resumes := said["thread/resume"]
	if len(resumes) != 2 || resumes[0]["cwd"] == resumes[1]["cwd"] {
		t.Errorf("resumed with %v", resumes)
	}
}
