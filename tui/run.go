package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"conch/conversation"
	"conch/plain"
	"conch/tui/cells"
	"conch/tui/markdown"
)

// Run shows the screen until the person leaves. When it returns the terminal is
// as it was, and the last answer and the line that carries the chat on are
// printed on it. Chats that Run opened are closed. The error is for what kept
// the screen from running; how it ended is in Exit. Canceling ctx ends it as
// leaving does.
func Run(ctx context.Context, d Deps) (Exit, error) {
	d = d.filled()
	if d.Options.Plain {
		return runPlain(ctx, d)
	}
	return runScreen(ctx, d)
}

// filled puts in what may be left out.
func (d Deps) filled() Deps {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = func(string, ...any) {}
	}
	if d.Input == nil {
		d.Input = os.Stdin
	}
	if d.Output == nil {
		d.Output = os.Stdout
	}
	if d.Drawn == nil {
		d.Drawn = func() {}
	}
	if d.Report == nil {
		d.Report = func(Crash) string { return "" }
	}
	if d.runs == nil {
		d.runs = runsOf(d.Runs)
	}
	if d.others == nil {
		d.others = othersOf(d)
	}
	return d
}

func asTalk(m *conversation.Manager, err error) (talk, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// screen is one run of the program.
type screen struct {
	d     Deps
	crew  *crew
	model *model
	prog  *tea.Program
}

func runScreen(ctx context.Context, d Deps) (Exit, error) {
	s := newScreen(ctx, d)
	return s.run(ctx)
}

func newScreen(ctx context.Context, d Deps, more ...tea.ProgramOption) *screen {
	s := &screen{d: d, crew: newCrew(ctx)}
	s.model = newModel(d, s.crew)
	options := append([]tea.ProgramOption{
		tea.WithInput(keyboardOf(d.Input, d.Now)), tea.WithOutput(d.Output), tea.WithEnvironment(d.Environ),
		tea.WithFPS(frames()), tea.WithoutSignalHandler(),
	}, more...)
	s.prog = tea.NewProgram(s.model, options...)
	s.model.pace.prog = s.prog
	return s
}

func (s *screen) run(ctx context.Context) (Exit, error) {
	defer spare()()
	s.crew.begin(s.prog.Send, s.prog.Quit)
	s.crew.run("end", func(own context.Context) {
		select {
		case <-ctx.Done():
			s.crew.quit()
		case <-own.Done():
		}
	})
	err := s.show()
	s.d.Drawn()
	exit := s.exit()
	crash := s.crew.crashed()
	if crash == nil && err == nil {
		s.farewell(exit)
	}
	// What was asked of the chats is still done, then they are closed; a turn
	// that runs is stopped.
	s.crew.close()
	s.crew.wait()
	if crash = s.crew.crashed(); crash != nil {
		crash.Chat = exit.Chat
		s.broke(*crash)
		exit.Code = 2
		return exit, nil
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return exit, err
	}
	return exit, nil
}

// show runs the program and gives the terminal back, even from a panic of Bubble
// Tea's own.
func (s *screen) show() (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.crew.caught("screen", r, debug.Stack())
			s.prog.Kill()
		}
	}()
	fmt.Fprint(s.d.Output, pushTitle)
	defer fmt.Fprint(s.d.Output, popTitle)
	_, err = s.prog.Run()
	return err
}

// The terminal keeps its own title meanwhile and gets it back.
const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// exit is how the screen ended, taken from what was on it.
func (s *screen) exit() Exit {
	r := s.model.room
	e := Exit{}
	if r.id != "" && !r.items.Empty() && r.status.LastSeq >= 0 {
		e.Chat, e.Answer = r.id, r.items.LastAnswer()
	}
	return e
}

// farewell leaves the last answer on the ordinary screen, and how to carry on.
func (s *screen) farewell(e Exit) {
	if e.Chat == "" {
		return
	}
	out := colorprofile.NewWriter(s.d.Output, s.d.Environ)
	width := 80
	if f, ok := s.d.Output.(term.File); ok {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
			width = w
		}
	} else if s.model.w > 0 {
		width = s.model.w
	}
	th := s.model.th
	var b strings.Builder
	if e.Answer != "" {
		for _, line := range markdown.Render(e.Answer, min(width, 100), th) {
			b.WriteString(line + "\n")
		}
		b.WriteByte('\n')
	}
	b.WriteString(cells.Cut(th.Widths, s.d.carryOn(e.Chat), max(width, 20), "") + "\n")
	_, _ = io.WriteString(out, b.String()) // nothing can be done about a terminal that is gone
}

func (d Deps) carryOn(chat string) string {
	return "carry on:  " + firstOf(d.Called, "conch") + " --resume " + chat
}

// broke says that Conch itself failed: no stack, where the report is, and how to
// go on.
func (s *screen) broke(c Crash) {
	path := s.d.Report(c)
	var b strings.Builder
	b.WriteString("Conch broke and had to close. The chat is kept.\n")
	if s.d.Redact != nil {
		b.WriteString("  " + plain.Line(s.d.Redact(c.Value), 300) + "\n")
	}
	if path != "" {
		b.WriteString("  report: " + plain.Line(path, 0) + "\n")
	}
	if c.Chat != "" {
		b.WriteString(s.d.carryOn(c.Chat) + "\n")
	}
	_, _ = io.WriteString(s.d.Output, b.String()) // nothing can be done about a terminal that is gone
}
