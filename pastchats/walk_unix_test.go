//go:build unix

package pastchats

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// R-111-6: a pipe does not hang, and is no chat.
func TestAPipeIsNeverWaitedFor(t *testing.T) {
	h := madeHome(t)
	root := filepath.Join(h.Dir, "app")
	put(t, root+"/chat", "x")
	pipe := root + "/pipe"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("pipes cannot be made here:", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := h.open(root, pipe)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, errNotPlain) {
			t.Errorf("opening a pipe: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("opening a pipe waits for its other end")
	}
	if got, left := walked(t, h, root); len(got) != 1 || left != 0 {
		t.Errorf("visited %q, left %d", got, left)
	}
}
