//go:build !windows

package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/engine"
)

func TestACommandGivesItsOutputAndHowItEnded(t *testing.T) {
	h := newHands(t, map[string]string{"sub/a.txt": "here\n"})
	r := h.call(h.turn, "run_command", `{"command":"echo out; echo err >&2; pwd; exit 3"}`)
	if want := "out\nerr\n" + h.folder + "\n\n[exit 3]"; r.Text != want || *r.View.ExitCode != 3 || !r.Failed {
		t.Errorf("%q, want %q", r.Text, want)
	}
	if p := h.asked(); p.Tool != "Bash" || p.Kind != engine.KindExecute || p.Subject != "echo out; echo err >&2; pwd; exit 3" || p.Paths != nil {
		t.Errorf("asked for %+v", p)
	}
	r = h.call(h.turn, "run_command", `{"command":"cat a.txt; cat","folder":"sub"}`)
	if r.Text != "here\n\n[exit 0]" || r.Failed || r.View.Result != "" { // its row says as little as that of any program
		t.Errorf("%q", r.Text)
	}
	if p := h.turn.permissions[1]; p.Subject != "cd sub && cat a.txt; cat" || len(p.Paths) != 1 {
		t.Errorf("asked for %+v", p)
	}
	if why := h.refused(h.turn, "run_command", `{"command":"pwd","folder":"../.."}`); !strings.Contains(why, "folder: wanted one in the working folder") {
		t.Error(why)
	}
}

func TestACommandGetsNoKeysOfConch(t *testing.T) {
	h := newHands(t, nil)
	h.kit.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=/home/dev", "OPENAI_API_KEY=sk-abc", "CONCH_HOME=/home/dev/.conch"}
	if r := h.call(h.turn, "run_command", `{"command":"env"}`); strings.Contains(r.Text, "API_KEY") || strings.Contains(r.Text, "CONCH_HOME") || !strings.Contains(r.Text, "HOME=/home/dev") {
		t.Error(r.Text)
	}
}

func TestLongOutputKeepsItsBeginningAndItsEnd(t *testing.T) {
	h := newHands(t, nil)
	r := h.call(h.turn, "run_command", `{"command":"seq 1 100000"}`)
	if len(r.Text) > keptHead+keptTail+200 || !strings.HasPrefix(r.Text, "1\n2\n") || !strings.HasSuffix(r.Text, "99999\n100000\n\n[exit 0]") || !strings.Contains(r.Text, "left out of 575 KB in all") {
		t.Errorf("%d bytes, %q … %q", len(r.Text), r.Text[:20], r.Text[len(r.Text)-40:])
	}
}

func TestACommandAndWhatItStartedEndWithItsTime(t *testing.T) {
	h := newHands(t, nil)
	began := time.Now()
	r := h.call(h.turn, "run_command", `{"command":"echo begun; sleep 100 & echo $! > pid; sleep 100","timeout":1}`)
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it took %s", took)
	}
	if !r.Failed || !strings.HasPrefix(r.Text, "begun\n") || !strings.Contains(r.Text, "ended after 1s, with all that it had started") {
		t.Errorf("%q", r.Text)
	}
	if alive := h.call(h.turn, "run_command", `{"command":"ps -o stat= -p $(cat pid) | grep -v Z && echo alive"}`); strings.Contains(alive.Text, "alive") {
		t.Error("what it started is still there")
	}
}

func TestACommandEndsWithStop(t *testing.T) {
	h := newHands(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := h.tool(h.turn, "run_command").Call(ctx, []byte(`{"command":"touch begun; sleep 100"}`))
		done <- err
	}()
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(h.folder, "begun")); err == nil {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("it never began")
		}
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on after Stop")
	}
}

func TestARunningCommandShowsWhatItSays(t *testing.T) {
	h := newHands(t, nil)
	_, err := h.tool(h.turn, "run_command").Call(engine.WithCall(t.Context(), "row-1"), []byte(`{"command":"echo one"}`))
	must(t, err)
	if len(h.turn.updates) != 1 || h.turn.updates[0].ToolUseID != "row-1" || h.turn.updates[0].Output != "one\n" {
		t.Errorf("shown: %+v", h.turn.updates)
	}
}
