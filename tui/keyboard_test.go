//go:build !windows

package tui

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestSequencesAreHandedOnWhole(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []string
		pause time.Duration
		want  []string // what each read gives
	}{
		{"keys", []string{"a", "bc", "é日"}, 0, []string{"a", "bc", "é日"}},
		{"esc alone", []string{"\x1b", "x"}, 0, []string{"\x1b", "x"}},
		{"alt and a bracket", []string{"\x1b[", "x"}, 0, []string{"\x1b[", "x"}},
		{"a mouse movement", []string{"a\x1b[<35;2", "0;1", "0Mb"}, 0, []string{"a", "", "\x1b[<35;20;10Mb"}},
		{"what a terminal answers", []string{"\x1b]11;rgb:1e1e/1", "e1e/2e2e\x1b", "\\c"}, 0, []string{"", "", "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\c"}},
		{"one in the other", []string{"\x1b]11;rgb\x1b[A", "x"}, 0, []string{"\x1b]11;rgb\x1b[A", "x"}},
		{"the rest never comes", []string{"\x1b[<35;2", "hello"}, 2 * time.Second, []string{"", "hello"}},
		{"no sequence", []string{"\x1b[12\x01y"}, 0, []string{"\x1b[12\x01y"}},
		{"too long", []string{"\x1bP" + strings.Repeat("x", 2000)}, 0, []string{"\x1bP" + strings.Repeat("x", 2000)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close() //nolint:errcheck // a pipe of the test
			defer w.Close() //nolint:errcheck // the same
			now := time.Unix(0, 0)
			k := &keyboard{File: r, now: func() time.Time { return now }}
			for i, part := range c.parts {
				if _, err := w.WriteString(part); err != nil {
					t.Fatal(err)
				}
				buf := make([]byte, 4096)
				n, err := k.Read(buf)
				if got := string(buf[:n]); got != c.want[i] || err != nil {
					t.Errorf("read %d gave %q, %v; want %q", i+1, got, err, c.want[i])
				}
				now = now.Add(c.pause)
			}
		})
	}
}
