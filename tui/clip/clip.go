// Package clip copies text: with the system's own tool where there is one, and
// with the terminal's OSC 52 sequence. It says which was used, and says so when
// neither can be confirmed. Text is made harmless first, so that a copy never
// carries a control sequence out.
package clip

import (
	"context"
	"io"
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
}

// Result is what a copy did.
type Result struct {
	Tool      string // the program that took the text: "wl-copy"; "" when none did
	Sequence  string // to be written to the terminal with tea.Raw; "" when there is none
	Confirmed bool   // the tool ended well: the text is in the clipboard
	Words     string // one line for the person: what was copied, how, and what to do when it may have failed
}

// Copy copies text. what names it for the person: "the answer". It may take as
// long as a program takes to start and is run off the screen's goroutine; it
// never waits longer than 2 seconds.
func (c *Copier) Copy(ctx context.Context, what, text string) Result { return Result{} }
