package codex

import (
	"os"
	"path/filepath"
	"testing"

	"conch/engine"
)

// R-69-78, 79: a thread that is larger than may be kept takes the place of none: the
// old one stays, and the turn is a success all the same.
func TestAThreadStaysUntilItsReplacementIsKept(t *testing.T) {
	e := testEngine(t, turnText)
	keepThread(t, e, oldThread, 1)
	e.stores.limit = 1
	in, sink := aMessage(t), &sinkOf{}
	in.ResumeID = resumeID(oldThread, "0123456789abcdef")
	if r := e.Turn(t.Context(), in, sink); r.Outcome != engine.Success {
		t.Fatalf("%+v", r)
	}
	e.Release("c")
	thread, _, _ := parseResume(sink.session().ResumeID)
	if thread == oldThread || sink.session().Restarted != "" {
		t.Errorf("%+v", sink.session())
	}
	if _, err := os.Stat(filepath.Join(e.stores.kept, thread+linesSuffix)); err == nil {
		t.Error("what is too large is kept")
	}
	for _, suffix := range []string{linesSuffix, sideSuffix} {
		if _, err := os.Stat(filepath.Join(e.stores.kept, oldThread+suffix)); err != nil {
			t.Errorf("the old thread is gone: %v", err)
		}
	}
}
