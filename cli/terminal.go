package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"conch/plain"
)

type jsonTerminal struct {
	IsTerminal bool   `json:"is_terminal"`
	Term       string `json:"term"`
	Program    string `json:"program"`
	Colours    string `json:"colours"` // none, 16, 256 or truecolor
	Signs      string `json:"signs"`   // unicode or ascii
	Width      int    `json:"width"`
	Height     int    `json:"height"`
	Through    string `json:"through"` // tmux, screen, zellij; "" for none
	Remote     bool   `json:"remote"`  // over ssh
}

// terminal says what the terminal can do, as far as it tells without being asked.
func (a *app) terminal() jsonTerminal {
	t := jsonTerminal{
		IsTerminal: isTerminal(a.host.Stdout) && isTerminal(a.host.Stdin),
		Term:       plain.Line(a.env("TERM"), 40), Program: plain.Line(a.env("TERM_PROGRAM"), 40), Signs: "unicode",
		Remote: a.env("SSH_CONNECTION") != "" || a.env("SSH_TTY") != "",
	}
	if a.asciiOnly() {
		t.Signs = "ascii"
	}
	switch colorprofile.Detect(a.host.Stdout, a.host.Environ) {
	case colorprofile.TrueColor:
		t.Colours = "truecolor"
	case colorprofile.ANSI256:
		t.Colours = "256"
	case colorprofile.ANSI:
		t.Colours = "16"
	default:
		t.Colours = "none"
	}
	for name, what := range map[string]string{"TMUX": "tmux", "ZELLIJ": "zellij", "STY": "screen"} {
		if a.env(name) != "" {
			t.Through = what
		}
	}
	if f, ok := a.host.Stdout.(*os.File); ok && t.IsTerminal {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil {
			t.Width, t.Height = w, h
		}
	}
	return t
}

func (t jsonTerminal) words() string {
	if !t.IsTerminal {
		return "this is none: the screen needs one; conch -p does not"
	}
	words := []string{t.Term, t.Program, t.Colours + " colours", t.Signs + " signs", fmt.Sprintf("%dx%d", t.Width, t.Height)}
	if t.Through != "" {
		words = append(words, "through "+t.Through)
	}
	if t.Remote {
		words = append(words, "over ssh")
	}
	return strings.Join(compact(words...), " · ")
}
