//go:build unix

package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also every program that the tests start: its first argument
// after the word below says which.
const helperWord = "child-test-helper"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == helperWord {
		os.Exit(helper(os.Args[2], os.Args[3:]))
	}
	// The race detector would hold each helper's end up for a second.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}

func helperArgs(args ...string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{self, helperWord}, args...)
}

func helperSpec(args ...string) Spec {
	return Spec{Args: helperArgs(args...), Env: Environ(os.Environ(), []string{"GORACE"}, nil, nil)}
}

func helper(name string, args []string) int {
	switch name {
	case "echo": // a well-behaved program
		io.Copy(os.Stdout, os.Stdin)
		return 0
	case "env":
		fmt.Println(strings.Join(os.Environ(), "\n"))
		return 0
	case "say": // prints its words and leaves
		fmt.Print(strings.Join(args, " "))
		return 0
	case "fail":
		fmt.Fprintln(os.Stderr, "first\nthe reason")
		return 3
	case "flood": // 4 MB of stderr before and after each line of stdin
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			flood()
			fmt.Println(in.Text())
		}
		flood()
		fmt.Fprintln(os.Stderr, "why it died")
		return 3
	case "deaf": // ends neither with its input nor when told to
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		report("deaf")
		return sleep()
	case "agent": // doesn't end with its input; has a helper
		run(true, "deaf")
		report("agent")
		return sleep()
	case "launcher": // case 019: starts the agent and waits for it, whatever its input does
		cmd := run(false, "agent")
		report("launcher")
		cmd.Wait()
		return 0
	case "leaver": // ends cleanly with its input, and leaves a helper behind
		run(true, "deaf")
		report("leaver")
		io.Copy(io.Discard, os.Stdin)
		return 0
	case "saver": // takes its time when its input ends
		report("saver")
		io.Copy(io.Discard, os.Stdin)
		time.Sleep(700 * time.Millisecond)
		if os.WriteFile(args[0], []byte("saved"), 0o600) != nil {
			return 1
		}
		return 0
	case "orphaner": // its helper has lost its parent before anybody could look
		middle := run(true, "middle")
		middle.Wait()
		report("orphaner")
		io.Copy(io.Discard, os.Stdin)
		return 0
	case "middle":
		run(true, "deaf")
		return 0
	case "parent": // as Conch: a child, a guard, and no time to tidy up
		guard := NewGuard(helperArgs("guard"), os.Environ())
		p, err := Start(context.Background(), Spec{Args: helperArgs(args...), Env: os.Environ(), Guard: guard})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		go io.Copy(os.Stdout, p.Stdout)
		io.Copy(io.Discard, os.Stdin)
		p.End(context.Background())
		guard.Close()
		return 0
	case "guard":
		return RunGuard(context.Background(), os.Stdin, args)
	}
	return 99
}

func flood() {
	line := strings.Repeat("noise ", 20) + "\n"
	for n := 0; n < 2<<20; n += len(line) {
		io.WriteString(os.Stderr, line)
	}
	io.WriteString(os.Stderr, strings.Repeat("x", 2<<20)) // no line end at all
}

// run starts another helper, with the same streams, in a session of its own or
// in this one's group.
func run(ownSession bool, name string) *exec.Cmd {
	args := helperArgs(name)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: ownSession}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

type who struct {
	Name string
	Pid  int
}

func report(name string) {
	line, _ := json.Marshal(who{name, os.Getpid()})
	fmt.Println(string(line))
}

// meet reads reports until all the names have come, and returns their idents.
func meet(t *testing.T, r io.Reader, names ...string) map[string]ident {
	t.Helper()
	got := make(chan who)
	stop := make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(over)
		lines := NewLines(r)
		for {
			line, err := lines.Next()
			if err != nil {
				return
			}
			var w who
			if json.Unmarshal(line, &w) != nil {
				continue
			}
			select {
			case got <- w:
			case <-stop:
			}
		}
	}()
	t.Cleanup(func() { <-over }) // after all is ended, so is the pipe
	defer close(stop)
	met := map[string]ident{}
	for len(met) < len(names) {
		select {
		case w := <-got:
			start, ok := startOf(w.Pid)
			if !ok {
				t.Fatalf("%s is gone before the test began", w.Name)
			}
			met[w.Name] = ident{w.Pid, start}
		case <-over:
			t.Fatalf("the program ended; met %v of %v", met, names)
		case <-time.After(20 * time.Second):
			t.Fatalf("met %v of %v", met, names)
		}
	}
	return met
}

// gone waits until none of the processes is there.
func gone(t *testing.T, limit time.Duration, who map[string]ident) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		left = left[:0]
		for name, id := range who {
			if start, there := startOf(id.pid); there && start == id.start {
				left = append(left, fmt.Sprintf("%s (%d)", name, id.pid))
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			break
		}
	}
	for _, id := range who {
		signalKill(id)
	}
	t.Errorf("still there after %s: %s", limit, strings.Join(left, ", "))
}

func signalKill(id ident) {
	if p, err := os.FindProcess(id.pid); err == nil {
		if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// limit is case 019's. What is promised and measured is 3 seconds, but a machine
// under load is no reason to fail.
const limit = 5 * time.Second

// sleep outlives every test, and no machine.
func sleep() int {
	time.Sleep(10 * time.Minute)
	return 0
}
