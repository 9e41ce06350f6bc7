//go:build !windows

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ends are the ways in which Conch can end.
var ends = []struct {
	name   string
	env    string // a variable that makes it end so
	end    func(*terminal)
	status func(int) bool
	gone   bool // killed: it cannot put the terminal right
}{
	{name: "ctrl+c twice", end: func(s *terminal) { s.typed(keyCtrlC); s.waitFor("again"); s.typed(keyCtrlC) }, status: oneOf(0, 130)},
	{name: "ctrl+d", end: func(s *terminal) { s.typed(keyCtrlD) }, status: oneOf(0)},
	{name: "/quit", end: func(s *terminal) { s.say("/quit") }, status: oneOf(0)},
	{name: "SIGTERM", end: func(s *terminal) { s.signal(syscall.SIGTERM) }, status: oneOf(143)},
	{name: "SIGHUP", end: func(s *terminal) { s.signal(syscall.SIGHUP) }, status: oneOf(129)},
	{name: "SIGINT", end: func(s *terminal) { s.signal(syscall.SIGINT) }, status: oneOf(130)},
	{name: "panic in update", env: "update", end: func(s *terminal) { s.typed("x") }, status: oneOf(2)},
	{name: "panic in view", env: "view", end: func(s *terminal) { s.typed("x") }, status: oneOf(2)},
	{name: "panic in a command", env: "command", end: func(s *terminal) { s.typed("x") }, status: oneOf(2)},
	{name: "panic in a reader", env: "reader", end: func(s *terminal) { s.typed("x") }, status: oneOf(2)},
}

func oneOf(codes ...int) func(int) bool {
	return func(code int) bool {
		for _, c := range codes {
			if c == code {
				return true
			}
		}
		return false
	}
}

const prompt = "? help"

func TestTheTerminalIsWholeAfterEveryEnd(t *testing.T) {
	for _, end := range ends {
		t.Run(end.name, func(t *testing.T) {
			p := newPlace(t)
			var more []string
			if end.env != "" {
				more = append(more, "CONCH_TEST_PANIC="+end.env)
			}
			s := open(t, p, 80, 24, p.environ(more...))
			if end.env == "" {
				s.waitFor(prompt)
			} else {
				s.until("the first frame", func() bool { return strings.Contains(string(s.written()), "\x1b[?1049h") })
			}
			select {
			case <-s.done:
			default:
				end.end(s)
			}
			code := s.ended()
			if !end.status(code) {
				t.Errorf("exit status %d; the screen is\n%s", code, s.screen())
			}
			if left := s.leftOn(); len(left) > 0 {
				t.Errorf("left on: %v", left)
			}
			if strings.Contains(s.screen(), "goroutine ") {
				t.Errorf("a stack trace is on the screen:\n%s", s.screen())
			}
			if end.env != "" && !strings.Contains(s.screen(), "log") {
				t.Errorf("nothing says where the report is:\n%s", s.screen())
			}
		})
	}
}

func TestSuspendGivesTheShellACleanTerminalAndComesBack(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	// A shell with job control, for a process whose parent is in no shell can't stop.
	s := onTerminal(t, p, 80, 24, p.environ(), "/bin/sh", "-c",
		`set -m; "$0"; echo "back in the shell"; read answer; fg >/dev/null; echo "over"`, path)
	s.waitFor(prompt)
	s.typed("a draft that stays")
	s.waitFor("a draft that stays")
	s.typed(keyCtrlZ)
	s.waitFor("back in the shell")
	if left := s.leftOn(); len(left) > 0 {
		t.Errorf("left on while suspended: %v", left)
	}
	s.typed("\n")
	s.waitFor("a draft that stays")
	s.waitFor("send") // the hints are there again
	s.typed(keyCtrlC)
	s.waitGone("a draft that stays")
	s.typed(keyCtrlD)
	s.waitFor("over")
	s.ended()
	if left := s.leftOn(); len(left) > 0 {
		t.Errorf("left on at the end: %v", left)
	}
}

// state is the letter of a process's state, "" when it is gone.
func state(pid int) string {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	_, rest, ok := strings.Cut(string(raw), ") ")
	if !ok || rest == "" {
		return ""
	}
	return rest[:1]
}

var grandchildPid = regexp.MustCompile(`pid[^0-9]{1,6}([0-9]+)`)

// TestNoProcessIsLeft starts and ends Conch again and again with an agent that
// has a grandchild which ignores the end of input and SIGTERM. make ends does it
// a hundred times.
func TestNoProcessIsLeft(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs /proc to see what is left")
	}
	ways := []struct {
		name string
		end  func(*terminal)
	}{
		{"quit", func(s *terminal) { s.typed(keyCtrlD) }},
		{"SIGTERM", func(s *terminal) { s.signal(syscall.SIGTERM) }},
		{"kill -9", func(s *terminal) { s.signal(syscall.SIGKILL) }},
		{"panic", nil},
	}
	rounds := 4
	if n, err := strconv.Atoi(os.Getenv("CONCH_TEST_ROUNDS")); err == nil && n > 0 {
		rounds = n
	}
	slots := make(chan struct{}, 6)
	for _, way := range ways {
		for round := range rounds {
			t.Run(fmt.Sprintf("%s/%d", way.name, round+1), func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				p := newPlace(t)
				var more []string
				if way.name == "panic" {
					more = append(more, "CONCH_TEST_PANIC=turn")
				}
				s := open(t, p, 80, 24, p.environ(more...), "--provider", "demo")
				s.waitFor(prompt)
				s.say("/test grandchild")
				var pid int
				s.until("the grandchild's pid", func() bool {
					m := grandchildPid.FindSubmatch(said(p))
					if m == nil {
						return false
					}
					pid, _ = strconv.Atoi(string(m[1]))
					return true
				})
				if way.end != nil {
					s.until("the turn's end", func() bool { return !strings.Contains(s.screen(), "esc stop") })
				}
				agents := descendants(s.cmd.Process.Pid)
				ended := time.Now()
				if way.end != nil {
					if state(pid) == "" {
						t.Fatalf("the grandchild %d never lived", pid)
					}
					way.end(s)
				}
				s.ended()
				s.until("every process to be gone", func() bool {
					for _, each := range append(agents, pid) {
						if st := state(each); st != "" && st != "Z" {
							return false
						}
					}
					return true
				})
				t.Logf("gone %v after the end began", time.Since(ended).Round(10*time.Millisecond))
				if way.name != "kill -9" {
					if left := s.leftOn(); len(left) > 0 {
						t.Errorf("left on: %v", left)
					}
				}
			})
		}
	}
}

// said is everything in the logs of a home.
func said(p place) []byte {
	var all []byte
	logs, _ := filepath.Glob(filepath.Join(p.home, ".conch", "chats", "*.jsonl"))
	for _, log := range logs {
		raw, _ := os.ReadFile(log)
		all = append(all, raw...)
	}
	return all
}

// descendants lists the processes below one, by the process table.
func descendants(pid int) []int {
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if errors.Is(err, os.ErrNotExist) || err != nil {
			continue
		}
		_, rest, ok := strings.Cut(string(raw), ") ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], child)
	}
	var all []int
	for next := []int{pid}; len(next) > 0; {
		below := children[next[0]]
		next = append(next[1:], below...)
		all = append(all, below...)
	}
	return all
}
