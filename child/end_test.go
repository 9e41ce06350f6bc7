//go:build unix

package child

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func startHelper(t *testing.T, args ...string) *Process {
	t.Helper()
	p, err := Start(context.Background(), helperSpec(args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(context.Background()) })
	return p
}

// end ends p and says how long it took.
func end(p *Process) time.Duration {
	began := time.Now()
	p.End(context.Background())
	return time.Since(began)
}

func TestAProgramThatEndsWithItsInputIsNotKilled(t *testing.T) {
	p := startHelper(t, "echo")
	out := bufio.NewReader(p.Stdout)
	io.WriteString(p.Stdin, "hello\n")
	if line, err := out.ReadString('\n'); line != "hello\n" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if words, code := p.Exit(); words != "running" || code != -1 {
		t.Errorf("before its end: %q, %d", words, code)
	}
	if took := end(p); took > time.Second {
		t.Errorf("the end took %s", took)
	}
	if words, code := p.Exit(); words != "exit 0" || code != 0 {
		t.Errorf("ended with %q, %d", words, code)
	}
	if _, err := out.ReadByte(); err != io.EOF {
		t.Errorf("stdout ends with %v", err)
	}
}

// Case 019, R-69-30.
func TestEndTakesALauncherItsAgentAndAHelperThatIgnoresTerm(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "launcher")
	who := meet(t, p.Stdout, "launcher", "agent", "deaf")
	took := end(p)
	gone(t, 0, who)
	if took > limit {
		t.Errorf("the end took %s", took)
	}
	if words, _ := p.Exit(); words != "signal: terminated" {
		t.Errorf("the launcher ended with %q; the end of input, then TERM, was promised", words)
	}
}

func TestEndTakesWhatACleanExitLeftBehind(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "leaver")
	who := meet(t, p.Stdout, "leaver", "deaf")
	took := end(p)
	gone(t, 0, who)
	if took > 1500*time.Millisecond {
		t.Errorf("the program had left at once, yet the end took %s", took)
	}
	if words, _ := p.Exit(); words != "exit 0" {
		t.Errorf("the program ended with %q, not by itself", words)
	}
}

func TestEndTakesWhatACrashLeftBehind(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "leaver")
	who := meet(t, p.Stdout, "leaver", "deaf")
	p.Note()
	syscall.Kill(p.Pid(), syscall.SIGKILL)
	<-p.Done()
	if words, code := p.Exit(); words != "signal: killed" || code != -1 {
		t.Errorf("ended with %q, %d", words, code)
	}
	end(p)
	gone(t, 0, who)
}

func TestEndFindsWhatLostItsParentUnseen(t *testing.T) {
	t.Parallel()
	if _, ok := processes(); !ok {
		t.Skip("no process table here")
	}
	p := startHelper(t, "orphaner")
	who := meet(t, p.Stdout, "orphaner", "deaf")
	end(p)
	gone(t, 0, who)
}

func TestEndWithoutTimeKillsAtOnce(t *testing.T) {
	p := startHelper(t, "launcher")
	who := meet(t, p.Stdout, "launcher", "agent", "deaf")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	began := time.Now()
	p.End(ctx)
	if took := time.Since(began); took > time.Second {
		t.Errorf("took %s", took)
	}
	gone(t, 0, who)
}

func TestEndMayBeCalledFromEverywhere(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "launcher")
	who := meet(t, p.Stdout, "launcher", "agent", "deaf")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			p.Note()
			p.End(context.Background())
			gone(t, 0, who)
		})
	}
	all.Wait()
}

// A reader of stdout that waited in Note would hold up the end that it is part of.
func TestNoteDoesNotWaitForAnEndThatRuns(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "launcher")
	who := meet(t, p.Stdout, "launcher", "agent", "deaf")
	over := make(chan struct{})
	go func() { p.End(context.Background()); close(over) }()
	for p.mu.TryLock() { // until End has begun
		p.mu.Unlock()
	}
	p.Note()
	select {
	case <-over:
		t.Error("Note came back after the end")
	default:
	}
	<-over
	gone(t, 0, who)
}

func TestAChildHasNoTerminalAndAGroupOfItsOwn(t *testing.T) {
	p := startHelper(t, "echo")
	group, err := syscall.Getpgid(p.Pid())
	if err != nil || group != p.Pid() {
		t.Errorf("group %d of %d: %v", group, p.Pid(), err)
	}
}

// Case 018.
func TestAFloodOnStderrHoldsNothingUp(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "flood")
	out := bufio.NewReader(p.Stdout)
	for range 3 {
		io.WriteString(p.Stdin, "ping\n")
		if line, err := out.ReadString('\n'); line != "ping\n" || err != nil {
			t.Fatalf("%q, %v", line, err)
		}
	}
	p.Stdin.Close()
	<-p.Done()
	words, code := p.Exit()
	if words != "exit 3" || code != 3 {
		t.Errorf("ended with %q, %d", words, code)
	}
	tail := p.Stderr()
	if len(tail) != defaultStderr || !strings.HasSuffix(tail, "why it died\n") {
		t.Errorf("kept %d bytes that end in %q", len(tail), tail[max(0, len(tail)-40):])
	}
}

func TestStdoutEndsWithTheProgramThoughAHelperHoldsIt(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "leaver")
	meetOnly := bufio.NewReader(p.Stdout)
	for range 2 { // the helper's report and the program's
		if _, err := meetOnly.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	p.Stdin.Close()
	<-p.Done()
	read := make(chan error)
	go func() { _, err := meetOnly.ReadByte(); read <- err }()
	select {
	case err := <-read:
		if err != io.EOF {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("still waits for a helper that says nothing")
		p.End(context.Background())
		<-read
	}
}

func TestAWordSaidAtTheEndIsRead(t *testing.T) {
	word := strings.Repeat("word ", 10_000) // fits no pipe at once
	p := startHelper(t, "say", word)
	got, err := io.ReadAll(p.Stdout)
	if err != nil || string(got) != word {
		t.Errorf("read %d bytes of %d: %v", len(got), len(word), err)
	}
}

func TestStartSaysWhatIsMissing(t *testing.T) {
	for name, spec := range map[string]Spec{
		"a name that is nowhere": {Args: []string{"conch-no-such-program"}, Env: os.Environ()},
		"a path that is nowhere": {Args: []string{"/nowhere/at/all"}},
		"a folder":               {Args: []string{t.TempDir()}},
	} {
		if _, err := Start(context.Background(), spec); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Start(context.Background(), Spec{}); err == nil {
		t.Error("no command at all was started")
	}
	spec := helperSpec("echo")
	spec.Dir = "/nowhere/at/all"
	if _, err := Start(context.Background(), spec); err == nil || !strings.HasPrefix(err.Error(), "start ") {
		t.Errorf("a folder that is not there: %v", err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Start(done, helperSpec("echo")); !errors.Is(err, context.Canceled) {
		t.Errorf("after its time: %v", err)
	}
}

func TestRunGivesTheOutputOfAShortCommand(t *testing.T) {
	out, err := Run(context.Background(), helperSpec("say", "1.2.3"), 10*time.Second)
	if out != "1.2.3" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	_, err = Run(context.Background(), helperSpec("fail"), 10*time.Second)
	if err == nil || !strings.HasSuffix(err.Error(), "exit 3: the reason") {
		t.Errorf("a failure: %v", err)
	}
}

func TestRunEndsACommandThatDoesNot(t *testing.T) {
	t.Parallel()
	began := time.Now()
	_, err := Run(context.Background(), helperSpec("launcher"), 200*time.Millisecond)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > limit {
		t.Errorf("took %s", took)
	}
}
