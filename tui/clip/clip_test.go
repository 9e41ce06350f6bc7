package clip

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
)

// machine is a pretend one: what is set, what is installed, what fails.
type machine struct {
	os        string
	env       map[string]string
	installed string
	fails     string
	ran       []string
	got       string
}

func (m *machine) copier() *Copier {
	return &Copier{
		OS:  m.os,
		Env: func(k string) string { return m.env[k] },
		Look: func(p string) (string, error) {
			if strings.Contains(" "+m.installed+" ", " "+p+" ") {
				return "/bin/" + p, nil
			}
			return "", errors.New("not found")
		},
		Run: func(_ context.Context, program string, args []string, in io.Reader) error {
			m.ran = append(m.ran, strings.Join(append([]string{program}, args...), " "))
			if strings.HasSuffix(program, "/"+m.fails) {
				return errors.New("no display")
			}
			data, _ := io.ReadAll(in)
			m.got = string(data)
			return nil
		},
	}
}

func TestCopySaysWhatItUsed(t *testing.T) {
	for name, c := range map[string]struct {
		machine
		ran, words string
		confirmed  bool
	}{
		"a Mac":                        {machine{os: "darwin", installed: "pbcopy"}, "/bin/pbcopy", "copied the answer (2 lines) with pbcopy", true},
		"Wayland before X":             {machine{os: "linux", env: map[string]string{"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, installed: "wl-copy xclip"}, "/bin/wl-copy --type text/plain;charset=utf-8", "with wl-copy", true},
		"the next one when one fails":  {machine{os: "linux", env: map[string]string{"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, installed: "wl-copy xsel", fails: "wl-copy"}, "/bin/wl-copy --type text/plain;charset=utf-8|/bin/xsel --input --clipboard", "with xsel", true},
		"no display, no tool":          {machine{os: "linux", installed: "xclip wl-copy"}, "", "it gives no answer: try a paste to be sure", false},
		"ssh":                          {machine{os: "darwin", env: map[string]string{"SSH_CONNECTION": "1 2"}, installed: "pbcopy"}, "", "asked the terminal to copy", false},
		"ssh with a forwarded display": {machine{os: "linux", env: map[string]string{"SSH_TTY": "x", "DISPLAY": "localhost:10"}, installed: "xclip"}, "/bin/xclip -in -selection clipboard", "with xclip", true},
		"tmux":                         {machine{os: "linux", env: map[string]string{"TMUX": "/tmp/t"}, installed: "tmux"}, "/bin/tmux load-buffer -w -", "into tmux's own buffer", false},
		"all fail":                     {machine{os: "darwin", installed: "pbcopy", fails: "pbcopy"}, "/bin/pbcopy", "pbcopy failed; asked the terminal", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.machine
			r := m.copier().Copy(t.Context(), "the answer", "one\ntwo\n")
			if got := strings.Join(m.ran, "|"); got != c.ran {
				t.Errorf("ran %q, want %q", got, c.ran)
			}
			if !strings.Contains(r.Words, c.words) || r.Confirmed != c.confirmed {
				t.Errorf("confirmed %v: %s", r.Confirmed, r.Words)
			}
			if want := base64.StdEncoding.EncodeToString([]byte("one\ntwo\n")); !strings.Contains(r.Sequence, "\x1b]52;c;"+want) {
				t.Errorf("sequence %q", r.Sequence)
			}
		})
	}
}

func TestTheSequencePassesMultiplexers(t *testing.T) {
	m := machine{os: "linux", env: map[string]string{"TMUX": "1"}}
	if s := m.copier().Copy(t.Context(), "it", "x").Sequence; !strings.Contains(s, "\x1bPtmux;\x1b\x1b]52;c;eA==") || !strings.HasPrefix(s, "\x1b]52;c;eA==") {
		t.Errorf("tmux: %q", s)
	}
	m = machine{os: "linux", env: map[string]string{"STY": "1", "TERM": "screen-256color"}}
	if s := m.copier().Copy(t.Context(), "it", "x").Sequence; !strings.HasPrefix(s, "\x1bP\x1b]52;c;eA==") {
		t.Errorf("screen: %q", s)
	}
}

func TestACopyCarriesNoSequenceOut(t *testing.T) {
	m := machine{os: "darwin", installed: "pbcopy"}
	m.copier().Copy(t.Context(), "it", "safe\x1b]52;c;ZWNobyBvd25lZAo=\x07 text\x1b[2J\u202e")
	if m.got != "safe text" {
		t.Errorf("copied %q", m.got)
	}
	if r := m.copier().Copy(t.Context(), "it", "\x1b[2J"); r.Words != "nothing to copy" || r.Sequence != "" {
		t.Errorf("an empty text: %#v", r)
	}
}

func TestATextTooLongForATerminalIsSaidSo(t *testing.T) {
	m := machine{os: "linux"}
	r := m.copier().Copy(t.Context(), "the answer", strings.Repeat("x", 100_000))
	if r.Sequence != "" || !strings.Contains(r.Words, "too long") || !strings.Contains(r.Words, "→") {
		t.Errorf("%d bytes: %s", len(r.Sequence), r.Words)
	}
}

func TestWindowsGetsUnicode(t *testing.T) {
	m := machine{os: "windows", installed: "clip.exe"}
	m.copier().Copy(t.Context(), "it", "é\n𝔘")
	if want := "\xff\xfe\xe9\x00\r\x00\n\x00\x35\xd8\x18\xdd"; m.got != want {
		t.Errorf("%q, want %q", m.got, want)
	}
}
