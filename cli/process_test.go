//go:build unix

package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limit is how long a test waits for what must happen.
const limit = 20 * time.Second

// running is a conch -p that runs.
type running struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

func runOnce(t *testing.T, args ...string) *running {
	t.Helper()
	path, err := exec.LookPath("conch") // put there by testscript
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	r := &running{cmd: exec.Command(path, append([]string{"-p", "--json", "--provider", "demo"}, args...)...)}
	r.cmd.Dir = home
	r.cmd.Env = []string{"HOME=" + home, "CONCH_HOME=" + filepath.Join(home, "conch"), "CONCH_DEMO_FAST=1", "CONCH_DEMO_STATE=" + filepath.Join(home, "demo"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + home}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.out = bufio.NewReader(out)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	return r
}

// until reads lines until one matches, and gives what the form caught.
func (r *running) until(t *testing.T, form string) []string {
	t.Helper()
	re := regexp.MustCompile(form)
	found := make(chan []string, 1)
	go func() {
		for {
			line, err := r.out.ReadString('\n')
			if m := re.FindStringSubmatch(line); m != nil || err != nil {
				found <- m
				return
			}
		}
	}()
	select {
	case m := <-found:
		if m == nil {
			t.Fatalf("it ended without %s", form)
		}
		return m
	case <-time.After(limit):
		t.Fatalf("it never said %s", form)
	}
	return nil
}

func (r *running) status(t *testing.T) int {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, r.out) // until its end
		ended <- r.cmd.Wait()
	}()
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(limit):
		t.Fatal("it did not end")
	}
	return -1
}

// gone waits until a process is no more.
func gone(t *testing.T, pid int) {
	t.Helper()
	for late := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if !alive(pid) {
			return
		}
		if time.Now().After(late) {
			t.Errorf("process %d is still there", pid)
			return
		}
	}
}

func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	// A zombie that nobody waits for is gone too.
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// However it ends, what the agent started goes with it.
func TestASignalStopsTheTurnAndEndsEverything(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		signal syscall.Signal
		status int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}, {syscall.SIGKILL, -1}} {
		t.Run(s.signal.String(), func(t *testing.T) {
			t.Parallel()
			r := runOnce(t, "/test grandchild group 60")
			pid, _ := strconv.Atoi(r.until(t, `pid is (\d+)`)[1])
			r.until(t, `still going`)
			if err := r.cmd.Process.Signal(s.signal); err != nil {
				t.Fatal(err)
			}
			if status := r.status(t); status != s.status {
				t.Errorf("status %d, want %d", status, s.status)
			}
			gone(t, pid)
		})
	}
}

// The second signal doesn't wait; the guard ends what is left.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	r := runOnce(t, "/test grandchild group 60")
	pid, _ := strconv.Atoi(r.until(t, `pid is (\d+)`)[1])
	r.until(t, `still going`)
	before := time.Now()
	for range 2 {
		if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // two signals at once may come as one
	}
	if status := r.status(t); status != 130 || time.Since(before) > 1500*time.Millisecond {
		t.Errorf("status %d after %v", status, time.Since(before))
	}
	gone(t, pid)
}

func TestANormalEndTakesEverythingAlong(t *testing.T) {
	t.Parallel()
	r := runOnce(t, "/test grandchild group")
	pid, _ := strconv.Atoi(r.until(t, `pid is (\d+)`)[1])
	if status := r.status(t); status != 0 {
		t.Errorf("status %d", status)
	}
	gone(t, pid)
}

func TestWhatWasSaidBeforeASignalStays(t *testing.T) {
	t.Parallel()
	r := runOnce(t, "/test slow 60000")
	r.until(t, "First this")
	if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	done := r.until(t, `"type":"done".*"outcome":"([a-z]+)"`)
	if done[1] != "interrupted" {
		t.Errorf("the turn ended as %s", done[1])
	}
	if status := r.status(t); status != 130 {
		t.Errorf("status %d", status)
	}
	show := exec.Command(r.cmd.Path, "show", "slow")
	show.Env = r.cmd.Env
	out, err := show.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "First this.") || !strings.Contains(string(out), "stopped; what it had said stays") {
		t.Errorf("%v: %s", err, out)
	}
}

// A reader that goes away (conch -p … | head -1) stops the turn.
func TestAReaderThatGoesAwayStopsTheTurn(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("conch")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-p", "--json", "--provider", "demo", "/test ignore-cancel 60")
	cmd.Env = []string{"HOME=" + home, "CONCH_DEMO_FAST=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + home}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || !strings.Contains(line, `"session"`) {
		t.Errorf("%q, %v", line, err)
	}
	r.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		if status := cmd.ProcessState.ExitCode(); status != 1 {
			t.Errorf("status %d", status)
		}
	case <-time.After(limit):
		_ = cmd.Process.Kill()
		t.Error("it goes on")
	}
}
