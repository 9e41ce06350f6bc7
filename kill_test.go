//go:build !windows

package main

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAKillInMidTurnLosesNothingThatStoodForTwoSeconds kills Conch while an
// answer waits for its second sentence (checklist 22).
func TestAKillInMidTurnLosesNothingThatStoodForTwoSeconds(t *testing.T) {
	p := newPlace(t)
	s := open(t, p, 100, 30, p.environ(), "--provider", "demo")
	s.waitFor(prompt)
	s.say("/test slow 600000")
	// The fast demo does not wait, so it runs at its own pace here.
	s.until("the first sentence", func() bool { return strings.Contains(s.screen(), "first") || strings.Contains(s.screen(), "First") })
	shown := time.Now()
	s.until("two seconds and a little", func() bool { return time.Since(shown) > 2300*time.Millisecond })
	seen := sentence(s.screen())
	s.signal(syscall.SIGKILL)
	s.ended()

	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	show := exec.Command(path, "show", newestChat(t, p))
	show.Env = p.environ()
	out, err := show.CombinedOutput()
	if err != nil {
		t.Fatalf("conch show: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), seen) {
		t.Errorf("%q was on the screen for two seconds and is not in the chat:\n%s", seen, out)
	}

	again := open(t, p, 100, 30, p.environ(), "--continue")
	again.waitFor(seen)
	again.waitFor("stopped")
}

// sentence is the answer's line on the screen.
func sentence(screen string) string {
	for _, line := range strings.Split(screen, "\n") {
		if strings.Contains(strings.ToLower(line), "first") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
