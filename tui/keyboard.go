package tui

import (
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/charmbracelet/x/term"
)

// restTime is how long the rest of a sequence is waited for. What has not come
// by then does not come, and the beginning is dropped.
const restTime = time.Second

// maxHeld bounds what is held back, in bytes.
const maxHeld = 1024

// keyboard reads a terminal's keys and hands on whole control sequences only.
// The library takes the beginning of one for keys after 50 ms, and the rest for
// typed text; over a slow line a mouse movement, or what the terminal answers,
// would come to stand in the prompt. Its first two bytes are never held back: they
// are also what esc and alt with a key send.
type keyboard struct {
	*os.File
	now   func() time.Time
	held  []byte
	since time.Time
}

// keyboardOf wraps a terminal; another reader stays as it is.
func keyboardOf(r io.Reader, now func() time.Time) io.Reader {
	if f, ok := r.(*os.File); ok && term.IsTerminal(f.Fd()) {
		return &keyboard{File: f, now: now}
	}
	return r
}

// withTerminal lets a program read from the terminal itself.
func (m *model) withTerminal(c *exec.Cmd) *exec.Cmd {
	if f, ok := m.d.Input.(*os.File); ok {
		c.Stdin = f
	}
	return c
}

// Read gives nothing, without an error, when only a part of a sequence has come.
func (k *keyboard) Read(p []byte) (int, error) {
	if len(k.held) >= len(p) {
		n := copy(p, k.held)
		k.held = k.held[:copy(k.held, k.held[n:])]
		return n, nil
	}
	n, err := k.File.Read(p[len(k.held):])
	if n > 0 && len(k.held) > 0 {
		if k.now().Sub(k.since) > restTime {
			copy(p, p[len(k.held):len(k.held)+n])
		} else {
			n += copy(p, k.held)
		}
	}
	k.held = k.held[:0]
	if at := unfinished(p[:n]); at < n && n-at <= maxHeld && err == nil {
		k.held = append(k.held, p[at:n]...)
		k.since = k.now()
		n = at
	}
	return n, err
}

// unfinished is where a sequence begins that has no end in b, and len(b) where
// there is none.
func unfinished(b []byte) int {
	for i := 0; i < len(b); {
		if b[i] != 0x1b {
			i++
			continue
		}
		n := sequence(b[i:])
		if n == 0 {
			return i
		}
		i += n
	}
	return len(b)
}

// sequence is the length of the sequence at the start of b, 0 when its end is
// still to come.
func sequence(b []byte) int {
	if len(b) < 3 {
		return len(b)
	}
	text := false // up to a string terminator
	switch b[1] {
	case '[':
	case ']', 'P', '_', '^':
		text = true
	default:
		return 2
	}
	for i := 2; i < len(b); i++ {
		switch c := b[i]; {
		case text && c == 0x07:
			return i + 1
		case text && c == 0x1b:
			if i+1 == len(b) {
				return 0
			}
			if b[i+1] == '\\' {
				return i + 2
			}
			return i // another begins
		case text:
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x7e:
			return i // no such sequence
		}
	}
	return 0
}
