//go:build unix

package cli

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// shown is conch with its screen on a terminal.
type shown struct {
	cmd  *exec.Cmd
	tty  *os.File
	over chan struct{}

	mu  sync.Mutex
	out strings.Builder
}

func show(t *testing.T, home string, args ...string) *shown {
	t.Helper()
	path, err := exec.LookPath("conch")
	if err != nil {
		t.Fatal(err)
	}
	s := &shown{cmd: exec.Command(path, args...), over: make(chan struct{})}
	s.cmd.Dir = home
	s.cmd.Env = []string{"HOME=" + home, "CONCH_HOME=" + filepath.Join(home, "conch"), "CONCH_DEMO_FAST=1", "CONCH_DEMO_STATE=" + filepath.Join(home, "demo"),
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + home, "TERM=xterm-256color", "LANG=C.UTF-8"}
	s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.over)
		buf := make([]byte, 4096)
		for {
			n, err := s.tty.Read(buf)
			s.mu.Lock()
			s.out.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return // the other end is closed
			}
		}
	}()
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); s.tty.Close(); <-s.over })
	return s
}

func (s *shown) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

func (s *shown) until(t *testing.T, words string) {
	t.Helper()
	for late := time.Now().Add(limit); !strings.Contains(s.text(), words); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("never showed %q; the last bytes are %q", words, tail(s.text()))
		}
	}
}

func (s *shown) keys(t *testing.T, keys string) {
	t.Helper()
	if _, err := io.WriteString(s.tty, keys); err != nil {
		t.Fatal(err)
	}
}

func (s *shown) status(t *testing.T) int {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
	case <-time.After(limit):
		t.Fatalf("it did not end; the last bytes are %q", tail(s.text()))
	}
	select {
	case <-s.over: // its last words were read
	case <-time.After(2 * time.Second):
	}
	return s.cmd.ProcessState.ExitCode()
}

func tail(s string) string { return s[max(0, len(s)-500):] }

// The whole way of a person: a message as words, the answer, quit, carry on.
func TestAChatIsHeldAndCarriedOn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := show(t, home, "--provider", "demo", "/test", "chunks", "3")
	s.until(t, "chunk 3 of 3.")
	s.keys(t, "\x03\x03")
	if status := s.status(t); status != 0 {
		t.Errorf("status %d", status)
	}
	found := regexp.MustCompile(`conch --resume (\S+)`).FindStringSubmatch(s.text())
	if found == nil {
		t.Fatalf("no way to carry on in %q", tail(s.text()))
	}
	for _, args := range [][]string{{"--resume", found[1]}, {"--resume=" + found[1][:20]}, {"--continue"}, {"--resume", "chunks"}} {
		s := show(t, home, args...)
		s.until(t, "chunk 3 of 3.")
		s.keys(t, "\x03\x03")
		if status := s.status(t); status != 0 {
			t.Errorf("%q: status %d", args, status)
		}
	}
	// A picker that nothing is picked from.
	s = show(t, home, "--resume")
	s.until(t, "chunks 3")
	s.keys(t, "\x03\x03")
	s.status(t)
}

func TestAnUnknownChatIsRefusedOnATerminalToo(t *testing.T) {
	t.Parallel()
	s := show(t, t.TempDir(), "--resume", "../../x")
	if status := s.status(t); status != 1 || !strings.Contains(s.text(), "conch: no such chat: ../../x") || strings.Contains(s.text(), "\x1b[?1049h") {
		t.Errorf("status %d, said %q", status, s.text())
	}
}

// However the screen ends, the terminal gets back what it had, and the status
// says how it was.
func TestTheScreenGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	for _, end := range []struct {
		name   string
		do     func(*testing.T, *shown)
		status int
	}{
		// One press stops the turn; then nothing runs and ctrl+d leaves.
		{"quit", func(t *testing.T, s *shown) { s.keys(t, "\x03"); s.until(t, "stopped"); s.keys(t, "\x04") }, 0},
		{"SIGINT", func(_ *testing.T, s *shown) { _ = s.cmd.Process.Signal(syscall.SIGINT) }, 130},
		{"SIGTERM", func(_ *testing.T, s *shown) { _ = s.cmd.Process.Signal(syscall.SIGTERM) }, 143},
		{"SIGHUP", func(_ *testing.T, s *shown) { _ = s.cmd.Process.Signal(syscall.SIGHUP) }, 129},
	} {
		t.Run(end.name, func(t *testing.T) {
			t.Parallel()
			s := show(t, t.TempDir(), "--provider", "demo", "/test grandchild group 60")
			s.until(t, "still going")
			pid := regexp.MustCompile(`pid is (\d+)`).FindStringSubmatch(s.text())
			if pid == nil {
				t.Fatalf("no pid in %q", tail(s.text()))
			}
			end.do(t, s)
			if status := s.status(t); status != end.status {
				t.Errorf("status %d, want %d", status, end.status)
			}
			out := s.text()
			for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?2004h": "\x1b[?2004l", "\x1b[?1006h": "\x1b[?1006l", "\x1b[?1004h": "\x1b[?1004l"} {
				if strings.LastIndex(out, on) > strings.LastIndex(out, off) {
					t.Errorf("%q is still on", on)
				}
			}
			n, _ := strconv.Atoi(pid[1])
			gone(t, n)
		})
	}
}

// A chat begins with one line when what is remembered can't be read: else an
// assistant seems to have forgotten.
func TestAMemoryThatCannotBeReadIsSaidWhenAChatBegins(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) }, // it would wait for a writer
		"no text":  func(path string) error { return os.WriteFile(path, []byte("- a\x00"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if err := os.Mkdir(filepath.Join(home, "conch"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := put(filepath.Join(home, "conch", memoryName)); err != nil {
				t.Fatal(err)
			}
			s := show(t, home, "--provider", "demo")
			s.until(t, "no assistant is told what you let")
			s.keys(t, "\x04")
			if status := s.status(t); status != 0 {
				t.Errorf("status %d", status)
			}
		})
	}
}
