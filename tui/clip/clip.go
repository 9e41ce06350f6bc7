// Package clip copies text: with the system's own tool where there is one, and
// with the terminal's OSC 52 sequence. It says which was used, and says so when
// neither can be confirmed. It reads pictures, with the system's tools alone.
//
// Text is made harmless first, so that a copy never carries a control sequence
// out. Nothing is copied but what was asked for: there is no copy on select.
package clip

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"conch/plain"
)

// Runner runs a program with fixed arguments and in as its input, and waits for
// its end. No shell is used.
type Runner func(ctx context.Context, program string, args []string, in io.Reader) error

// Copier knows where it runs.
type Copier struct {
	OS   string                       // runtime.GOOS
	Env  func(string) string          // os.Getenv
	Look func(string) (string, error) // exec.LookPath
	Run  Runner
	Read Reader
}

// Result is what a copy did.
type Result struct {
	Tool      string // the program that took the text: "wl-copy"; "" when none did
	Sequence  string // to be written to the terminal as it is (tea.Raw); "" when there is none
	Confirmed bool   // a tool ended well: the text is in the clipboard
	Words     string // one line for the person: what was copied, how, and what to do when it may have failed
}

// The limits of a copy. Terminals drop longer sequences without a word: xterm
// and many others take about 75,000 bytes of base64.
const (
	maxWait     = 2 * time.Second
	maxSequence = 74_994
)

// Copy copies text. what names it for the person: "the answer". It takes as long
// as a program takes to start, at most 2 seconds, and so is run off the screen's
// goroutine.
func (c *Copier) Copy(ctx context.Context, what, text string) Result {
	text = plain.Text(text)
	if text == "" {
		return Result{Words: "nothing to copy"}
	}
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	var r Result
	failed := ""
	for _, t := range c.tools() {
		path, err := c.Look(t.program)
		if err != nil {
			continue
		}
		if err := c.Run(ctx, path, t.args, strings.NewReader(t.encode(text))); err != nil {
			failed = t.program
			continue
		}
		r.Tool, r.Confirmed = t.program, t.confirms
		break
	}
	r.Sequence = c.sequence(text)
	r.Words = words(what, text, r, failed)
	return r
}

// tool is a program that takes the clipboard's text on its input.
type tool struct {
	program  string
	args     []string
	encode   func(string) string
	confirms bool // when it ends well the text is where the person pastes from
}

func asIs(s string) string { return s }

// tools are those that can reach the person's clipboard, the surest first. Over
// ssh a tool of the far machine would fill a clipboard that nobody sees, but for
// an X display that is forwarded.
func (c *Copier) tools() []tool {
	x := []tool{
		{"xclip", []string{"-in", "-selection", "clipboard"}, asIs, true},
		{"xsel", []string{"--input", "--clipboard"}, asIs, true},
	}
	wayland := tool{"wl-copy", []string{"--type", "text/plain;charset=utf-8"}, asIs, true}
	// tmux keeps the text for its own paste and passes it to the terminal (-w,
	// tmux 3.2); whether the terminal takes it is not known.
	tmux := tool{"tmux", []string{"load-buffer", "-w", "-"}, asIs, false}
	clipExe := tool{"clip.exe", nil, utf16le, true}

	var all []tool
	switch {
	case c.far():
		if c.Env("DISPLAY") != "" {
			all = append(all, x...)
		}
	case c.OS == "darwin":
		all = append(all, tool{"pbcopy", nil, asIs, true})
	case c.OS == "windows":
		all = append(all, clipExe)
	default:
		if c.Env("WAYLAND_DISPLAY") != "" {
			all = append(all, wayland)
		}
		if c.Env("DISPLAY") != "" {
			all = append(all, x...)
		}
		if c.wsl() {
			all = append(all, clipExe)
		}
		if c.Env("TERMUX_VERSION") != "" {
			all = append(all, tool{"termux-clipboard-set", nil, asIs, true})
		}
	}
	if c.Env("TMUX") != "" {
		all = append(all, tmux)
	}
	return all
}

// far reports that the person sits at another machine.
func (c *Copier) far() bool { return c.Env("SSH_CONNECTION") != "" || c.Env("SSH_TTY") != "" }

// wsl reports a Linux inside Windows, whose clipboard is that of Windows.
func (c *Copier) wsl() bool { return c.Env("WSL_DISTRO_NAME") != "" || c.Env("WSL_INTEROP") != "" }

// sequence is OSC 52, wrapped for the multiplexer that it must pass; "" for a
// text that terminals would drop. tmux gets it plain too: it answers for itself
// (set-clipboard) where passing through is off.
func (c *Copier) sequence(text string) string {
	if base64.StdEncoding.EncodedLen(len(text)) > maxSequence {
		return ""
	}
	osc := ansi.SetSystemClipboard(text)
	switch {
	case c.Env("TMUX") != "":
		return osc + ansi.TmuxPassthrough(osc)
	case strings.HasPrefix(c.Env("TERM"), "screen") && c.Env("STY") != "":
		return ansi.ScreenPassthrough(osc, 768)
	}
	return osc
}

// words says what happened, and how to be sure when that is not known.
func words(what, text string, r Result, failed string) string {
	size := amount(text)
	switch {
	case r.Confirmed:
		return fmt.Sprintf("copied %s (%s) with %s", what, size, r.Tool)
	case r.Tool != "":
		return fmt.Sprintf("copied %s (%s) into %s's own buffer, and asked the terminal; try a paste to be sure", what, size, r.Tool)
	case r.Sequence == "":
		return fmt.Sprintf("%s (%s) is too long to copy through the terminal, and there is no tool for it here  → conch export writes the chat to a file", what, size)
	case failed != "":
		return fmt.Sprintf("%s failed; asked the terminal to copy %s (%s), which can't be confirmed: try a paste", failed, what, size)
	}
	return fmt.Sprintf("asked the terminal to copy %s (%s); it gives no answer: try a paste to be sure", what, size)
}

func amount(text string) string {
	if lines := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1; lines > 1 {
		return fmt.Sprintf("%d lines", lines)
	}
	if n := utf8.RuneCountInString(text); n != 1 {
		return fmt.Sprintf("%d characters", n)
	}
	return "1 character"
}

// utf16le is what clip.exe reads as Unicode: little endian behind a byte order
// mark, with CRLF.
func utf16le(s string) string {
	units := utf16.Encode([]rune(strings.ReplaceAll(s, "\n", "\r\n")))
	out := make([]byte, 2, 2+2*len(units))
	binary.LittleEndian.PutUint16(out, 0xFEFF)
	for _, u := range units {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}
