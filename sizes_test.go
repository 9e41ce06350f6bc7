//go:build !windows

package main

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

const interrupt = syscall.SIGINT

// TestEverySizeComesBack changes the window's size wildly while an answer
// streams, with the sheet and a completion open, and looks at the end.
func TestEverySizeComesBack(t *testing.T) {
	p := newPlace(t)
	s := open(t, p, 80, 24, p.environ(), "--provider", "demo")
	s.waitFor(prompt)
	s.say("/test flood 2000 2")
	sizes := [][2]int{{1, 1}, {2, 5}, {5, 2}, {10, 3}, {19, 6}, {20, 1}, {1, 40}, {300, 100}, {0, 24}, {80, 0}, {40, 4}, {60, 16}, {80, 24}}
	through := func() {
		for _, size := range sizes {
			before := len(s.written())
			s.resize(size[0], size[1])
			// The program draws again or, at a size it does not see, stays still.
			deadline := time.Now().Add(150 * time.Millisecond)
			for len(s.written()) == before && time.Now().Before(deadline) {
				time.Sleep(5 * time.Millisecond)
			}
		}
	}
	through()
	s.waitFor("flood")
	s.typed(keyCtrlP)
	s.waitFor("enter open")
	through()
	s.waitFor("enter open")
	s.typed("zzzzzz")
	through()
	s.waitFor("No chat has these words")
	s.typed(keyEsc) // the filter goes
	s.waitFor("enter open")
	s.typed(keyEsc)
	s.waitGone("enter open")
	s.typed("@nothing-is-called-so")
	through()
	s.waitFor("@nothing-is-called-so")
	s.typed(keyCtrlC)
	s.waitGone("@nothing-is-called-so")
	s.waitGone("esc stop")
	s.say("hello")
	s.waitFor("demo agent")
	if strings.Contains(s.screen(), "too small") {
		t.Errorf("the screen is not back:\n%s", s.screen())
	}
}

func TestAPasteSendsNothingAndLosesNothing(t *testing.T) {
	for _, c := range []struct {
		name, paste, shown string
	}{
		{"three lines", "one\ntwo\nthree", "three"},
		{"ends with a line end", "one\ntwo\n", "two"},
		{"CRLF", "one\r\ntwo\r\nthree", "three"},
		{"a command", "/quit\n", "/quit"},
		{"a shell line", "!touch pasted\n", "!touch pasted"},
		{"four hundred lines", strings.Repeat("line of many\n", 400), "400 lines"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			s := open(t, p, 80, 24, p.environ(), "--provider", "demo")
			s.waitFor(prompt)
			s.typed("\x1b[200~" + c.paste + "\x1b[201~")
			s.waitFor(c.shown)
			if log := said(p); len(log) > 0 {
				t.Fatalf("the paste was sent:\n%s", log)
			}
			s.typed(keyEnter)
			s.until("the message in the log", func() bool { return strings.Contains(string(said(p)), `"kind":"user.message"`) })
			want := strings.TrimRight(strings.ReplaceAll(c.paste, "\r\n", "\n"), "\n")
			if got := string(said(p)); !strings.Contains(got, strings.ReplaceAll(want, "\n", `\n`)) {
				t.Errorf("the log does not hold the paste:\n%.2000s", got)
			}
		})
	}
}
