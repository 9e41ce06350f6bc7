//go:build !windows

package main

import (
	"strings"
	"testing"
	"time"
)

// replies are what terminals answer to questions of Conch or of a program
// before it, and what a mouse sends.
var replies = []string{
	"\x1b[?62;22;52c", "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", "\x1b]10;rgb:ffff/ffff/ffff\a", "\x1b[?2026;2$y",
	"\x1bP>|XTerm(390)\x1b\\", "\x1b[24;80R", "\x1b[?1u", "\x1b[>41;390;0c", "\x1b[<35;20;10M", "\x1b[<0;200;100m",
}

// TestWhatATerminalSendsIsNeverTyped sends them whole, and cut by a slow line.
func TestWhatATerminalSendsIsNeverTyped(t *testing.T) {
	for _, c := range []struct {
		name  string
		at    int // where each is cut, 0 for not
		pause time.Duration
	}{{"whole", 0, 0}, {"cut", 5, 2 * time.Millisecond}, {"cut by a slow line", 5, 120 * time.Millisecond}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := open(t, p, 80, 24, p.environ())
			s.waitFor(prompt)
			for _, r := range replies {
				s.typed(r[:c.at])
				time.Sleep(c.pause)
				s.typed(r[c.at:])
				time.Sleep(c.pause)
			}
			s.typed("words")
			s.waitFor("words")
			if screen := s.screen(); !strings.Contains(screen, "▌ words\n") {
				t.Errorf("more than the words stands in the prompt:\n%s", screen)
			}
		})
	}
	t.Run("before the first frame", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		s := open(t, p, 80, 24, p.environ())
		s.typed(strings.Join(replies, ""))
		s.waitFor(prompt)
		s.typed("words")
		s.waitFor("▌ words\n")
	})
}
