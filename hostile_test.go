//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// ours are the beginnings of OSC sequences that Conch itself writes.
var ours = regexp.MustCompile(`^(0;|2;|8;;$|8;[^;]*;(https?|mailto|file):|9;4;|10;\?|11;\?|12;\?|7501;)`)

// strange lists every sequence in raw that Conch does not make itself.
func strange(raw []byte) []string {
	var found []string
	var mode byte
	parser := ansi.NewParser()
	for len(raw) > 0 {
		seq, _, n, next := ansi.DecodeSequence(raw, mode, parser)
		mode = next
		if n == 0 {
			break
		}
		raw = raw[n:]
		switch {
		case len(seq) == 0:
		case bytes.HasPrefix(seq, []byte("\x1b]")):
			body := strings.TrimSuffix(strings.TrimSuffix(string(seq[2:]), "\a"), "\x1b\\")
			if !ours.MatchString(body) || strings.Contains(body, "pwned") || strings.Contains(body, "evil") {
				found = append(found, fmt.Sprintf("OSC %q", body))
			}
		case bytes.HasPrefix(seq, []byte("\x1bP")):
			found = append(found, fmt.Sprintf("DCS %q", seq))
		case bytes.HasPrefix(seq, []byte("\x1b_")), bytes.HasPrefix(seq, []byte("\x1b^")), bytes.HasPrefix(seq, []byte("\x1bX")):
			found = append(found, fmt.Sprintf("string %q", seq))
		case len(seq) == 1 && (seq[0] < 0x20 || seq[0] == 0x7f):
			if !strings.ContainsRune("\n\r\t\b", rune(seq[0])) {
				found = append(found, fmt.Sprintf("control %q", seq))
			}
		case seq[0] >= 0x80 && seq[0] < 0xa0:
			found = append(found, fmt.Sprintf("C1 %q", seq))
		case bytes.Equal(seq, []byte("\x1bc")), bytes.HasSuffix(seq, []byte("[5i")), bytes.Equal(seq, []byte("\x1b[8;1;1t")):
			found = append(found, fmt.Sprintf("%q", seq))
		}
	}
	return found
}

// TestHostileWordsChangeNothingOnTheTerminal lets an agent put control sequences
// into words, thoughts, titles, outputs, diffs, plans and cards, and reads every
// byte that Conch wrote.
func TestHostileWordsChangeNothingOnTheTerminal(t *testing.T) {
	p := newPlace(t)
	s := open(t, p, 100, 40, p.environ(), "--provider", "demo")
	s.waitFor(prompt)
	s.say("/test hostile")
	s.waitGone("type a message")
	s.answer("n", func() bool {
		return !strings.Contains(s.screen(), "tab to answer") && !strings.Contains(s.screen(), "tab back")
	})
	s.until("the turn's end", func() bool {
		return bytes.Contains(said(p), []byte(`"kind":"turn.completed"`)) && !strings.Contains(s.screen(), "esc stop")
	})
	// Everything is drawn: opened, in the sheet's preview, as the title.
	s.typed(keyTab)
	s.waitFor("esc prompt")
	for range 12 {
		s.typed(" k")
	}
	steady(s)
	s.typed(keyEsc)
	s.waitGone("esc prompt")
	s.typed(keyCtrlP)
	s.waitFor("enter open")
	steady(s)
	s.typed(keyEsc)
	s.waitGone("enter open")
	s.signal(interrupt)
	s.ended()
	raw := s.written()
	if !bytes.Contains(said(p), []byte(`\u001b`)) {
		t.Fatal("the agent said no escape sequence: the test proves nothing")
	}
	for _, each := range strange(raw) {
		t.Errorf("came to the terminal: %s", each)
	}
	for _, r := range "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200b\u2060\ufeff\u009b\u009d" {
		if bytes.ContainsRune(raw, r) {
			t.Errorf("came to the terminal: U+%04X", r)
		}
	}
}

func TestStrangeSequencesAreFound(t *testing.T) {
	for _, bad := range []string{"\x1b]52;c;ZWNo\a", "\x1b]0;pwned\a", "\x1b]8;;https://evil.example.com\a", "\x1b_Gf=24\x1b\\", "\x1bP1$r0m\x1b\\", "\a", "\x00", "\x1bc"} {
		if len(strange([]byte("words "+bad+" words"))) != 1 {
			t.Errorf("%q was not found", bad)
		}
	}
	if found := strange([]byte("\x1b]2;shop · conch\a\x1b[?1049h\x1b[3;4H\x1b[31mred\x1b[0m\r\n")); len(found) > 0 {
		t.Errorf("our own were taken for strange: %v", found)
	}
}
