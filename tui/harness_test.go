package tui

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/tui/clip"
)

var update = flag.Bool("update", false, "write the golden screens anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a provider whose turns are functions of the test.
type scripted struct {
	id     string
	health engine.Health
	mu     sync.Mutex
	turns  []func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result
	got    []engine.TurnInput
}

func (s *scripted) Info() engine.Info                                         { return engine.Info{ID: s.id, Name: s.id} }
func (s *scripted) Health(context.Context) engine.Health                      { return s.health }
func (s *scripted) Release(string)                                            {}
func (s *scripted) ForgetSession(context.Context, string) error               { return nil }
func (s *scripted) Close() error                                              { return nil }
func (s *scripted) Open(context.Context, engine.TurnInput, engine.Sink) error { return nil }

func (s *scripted) Turn(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
	s.mu.Lock()
	s.got = append(s.got, in)
	var turn func(context.Context, engine.TurnInput, engine.Sink) engine.Result
	if len(s.turns) > 0 {
		turn, s.turns = s.turns[0], s.turns[1:]
	}
	s.mu.Unlock()
	sink.Emit(engine.Session{ResumeID: s.id + "-1", Model: "m-1"})
	if turn == nil {
		turn = answers("ok")
	}
	return turn(ctx, in, sink)
}

// heard is how many turns began, and the last prompt.
func (s *scripted) heard() (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.got) == 0 {
		return 0, ""
	}
	return len(s.got), s.got[len(s.got)-1].Prompt
}

type turn = func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result

// answers is a turn that says something and is over.
func answers(text string) turn {
	return func(_ context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Emit(engine.Text{MessageID: "a", Delta: text})
		sink.Emit(engine.MessageDone{MessageID: "a"})
		return engine.Result{Outcome: engine.Success, Accepted: true}
	}
}

// stays is a turn that says something and then waits until it is stopped.
func stays(text string) turn {
	return func(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Emit(engine.Text{MessageID: "a", Delta: text})
		<-ctx.Done()
		return engine.Result{Outcome: engine.Interrupted, Accepted: true}
	}
}

// wants is a turn that asks to be allowed something and says what came of it.
func wants(tool, subject string) turn {
	return func(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		verdict := ask(ctx, sink, "t1", tool, subject)
		sink.Emit(engine.Text{MessageID: "b", Delta: "It was: " + string(verdict)})
		sink.Emit(engine.MessageDone{MessageID: "b"})
		if ctx.Err() != nil {
			return engine.Result{Outcome: engine.Interrupted, Accepted: true}
		}
		return engine.Result{Outcome: engine.Success, Accepted: true}
	}
}

func ask(ctx context.Context, sink engine.Sink, id, tool, subject string) engine.Verdict {
	kind := engine.KindExecute
	if tool == "Edit" {
		kind = engine.KindEdit
	}
	sink.Emit(engine.ToolStart{ToolUseID: id, Name: tool, Kind: kind, Subject: subject})
	d := sink.Ask(ctx, engine.Permission{ToolUseID: id, Tool: tool, Kind: kind, Subject: subject, Options: []engine.PermissionOption{
		{ID: "once", Name: "Allow", Kind: engine.AllowOnce},
		{ID: "always", Name: "Always allow git push", Kind: engine.AllowAlways},
		{ID: "no", Name: "Reject", Kind: engine.RejectOnce},
	}})
	status := engine.ToolSuccess
	if d.Verdict != engine.Allow {
		status = engine.ToolNotRun
	}
	sink.Emit(engine.ToolEnd{ToolUseID: id, Status: status, Reason: d.Reason})
	return d.Verdict
}

// terminal is the real program in a terminal in memory.
type terminal struct {
	t      testing.TB
	emu    *vt.SafeEmulator
	out    *returns
	s      *screen
	d      Deps
	over   chan struct{}
	exit   Exit
	err    error
	folder string
}

// returns does what a tty does: it adds the return to a line feed. It counts
// what was written.
type returns struct {
	mu  sync.Mutex
	emu io.Writer
	all bytes.Buffer
}

func (w *returns) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(p)
	if err := feed(w.emu, bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *returns) bytes() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

// place is a home with a store and a project's folder.
type place struct {
	store  *chats.Store
	home   string
	folder string
	now    func() time.Time
}

func newPlace(t testing.TB) place {
	t.Helper()
	root := t.TempDir()
	p := place{home: filepath.Join(root, "home"), folder: filepath.Join(root, "shop")}
	if err := os.MkdirAll(p.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	p.now = func() time.Time {
		return time.Date(2026, 11, 30, 9, 41, 0, 0, time.Local).Add(time.Since(began))
	}
	var err error
	if p.store, err = chats.Open(filepath.Join(p.home, ".conch"), p.now); err != nil {
		t.Fatal(err)
	}
	return p
}

// deps is what the screen works with in a test: real chats, scripted providers.
func (p place) deps(t testing.TB, engines ...engine.Engine) Deps {
	manage := func(log *chats.Log) (*conversation.Manager, error) {
		return conversation.New(log, conversation.Deps{
			Engines: engines, Home: filepath.Join(p.home, ".conch"), Now: p.now,
			DefaultProvider: engines[0].Info().ID, DefaultMode: engine.ModeAutoRead,
		})
	}
	return Deps{
		Store: p.store,
		New:   func(folder string) (*conversation.Manager, error) { return manage(p.store.Create(folder, "main")) },
		Open: func(id string) (*conversation.Manager, error) {
			log, err := p.store.OpenLog(id)
			if err != nil {
				return nil, err
			}
			return manage(log)
		},
		Engines: engines,
		Options: Options{Theme: "dark", Motion: false, Notify: "unfocused"},
		Folder:  p.folder, Home: filepath.Dir(p.home), Now: p.now, Version: "1.0",
		Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor"},
		Copier: &clip.Copier{OS: "linux", Env: func(string) string { return "" },
			Look: func(string) (string, error) { return "", os.ErrNotExist }},
		Log: func(string, ...any) {},
	}
}

func ready(id string, turns ...turn) *scripted {
	return &scripted{id: id, health: engine.Health{State: engine.Ready, Version: "1.2.3"}, turns: turns}
}

// feed gives an emulator what a program wrote, a sequence at a time. The emulator
// panics where a program scrolls lines that a window lost meanwhile; a terminal
// passes over that.
func feed(emu io.Writer, raw []byte) (err error) {
	for len(raw) > 0 {
		n := bytes.IndexByte(raw[1:], '\x1b') + 1
		if n == 0 {
			n = len(raw)
		}
		func() {
			defer func() { _ = recover() }()
			if _, werr := emu.Write(raw[:n]); werr != nil {
				err = werr
			}
		}()
		raw = raw[n:]
	}
	return err
}

// start runs the program and waits for its first frame.
func start(t testing.TB, w, h int, d Deps) *terminal {
	t.Helper()
	tt := &terminal{t: t, emu: vt.NewSafeEmulator(w, h), over: make(chan struct{}), folder: d.Folder}
	tt.out = &returns{emu: tt.emu}
	d.Input, d.Output = tt.emu, tt.out
	tt.d = d.filled()
	tt.s = newScreen(context.Background(), tt.d, tea.WithWindowSize(w, h), tea.WithColorProfile(colorprofile.TrueColor))
	go func() {
		defer close(tt.over)
		tt.exit, tt.err = tt.s.run(context.Background())
	}()
	t.Cleanup(func() {
		tt.s.prog.Quit()
		select {
		case <-tt.over:
		case <-time.After(20 * time.Second):
			t.Error("the screen does not end")
		}
		_ = tt.emu.InputPipe().(io.Closer).Close() // the emulator's own Close races with its Read
	})
	tt.until("the first frame", func(s string) bool { return tt.emu.IsAltScreen() && strings.TrimSpace(s) != "" })
	return tt
}

// shown is the screen as text.
func (tt *terminal) shown() string {
	tt.out.mu.Lock() // a cell is read in place
	defer tt.out.mu.Unlock()
	var b strings.Builder
	for y := range tt.emu.Height() {
		line := ""
		for x := 0; x < tt.emu.Width(); {
			c := tt.emu.CellAt(x, y)
			if c == nil || c.Width == 0 {
				x++
				continue
			}
			line += c.Content
			x += c.Width
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// until waits for a screen.
func (tt *terminal) until(what string, ok func(screen string) bool) {
	tt.t.Helper()
	limit := time.Now().Add(10 * time.Second)
	for {
		s := tt.shown()
		if ok(s) {
			return
		}
		if time.Now().After(limit) {
			tt.t.Fatalf("%s did not come; the screen is:\n%s", what, s)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (tt *terminal) sees(words ...string) {
	tt.t.Helper()
	for _, w := range words {
		tt.until(fmt.Sprintf("%q", w), func(s string) bool { return strings.Contains(s, w) })
	}
}

func (tt *terminal) seesNot(words string) {
	tt.t.Helper()
	tt.until(fmt.Sprintf("a screen without %q", words), func(s string) bool { return !strings.Contains(s, words) })
}

// types types text as keys. The program has taken all of it in when it returns.
func (tt *terminal) types(text string) {
	tt.t.Helper()
	for _, r := range text {
		tt.s.prog.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// press presses keys by name.
func (tt *terminal) press(names ...string) {
	tt.t.Helper()
	for _, name := range names {
		tt.s.prog.Send(keyNamed(name))
	}
}

func keyNamed(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	parts := strings.Split(name, "+")
	for _, mod := range parts[:len(parts)-1] {
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
	}
	switch last := parts[len(parts)-1]; last {
	case "enter":
		k.Code = tea.KeyEnter
	case "tab":
		k.Code = tea.KeyTab
	case "esc":
		k.Code = tea.KeyEscape
	case "up":
		k.Code = tea.KeyUp
	case "down":
		k.Code = tea.KeyDown
	case "end":
		k.Code = tea.KeyEnd
	case "pgup":
		k.Code = tea.KeyPgUp
	case "pgdown":
		k.Code = tea.KeyPgDown
	case "backspace":
		k.Code = tea.KeyBackspace
	case "f1":
		k.Code = tea.KeyF1
	case "f6":
		k.Code = tea.KeyF6
	case "delete":
		k.Code = tea.KeyDelete
	default:
		k.Code = []rune(last)[0]
		if k.Mod == 0 {
			k.Text = last
		} else if k.Mod == tea.ModShift {
			k.Text = strings.ToUpper(last)
		}
	}
	return k
}

// says types a message and sends it. Enter is not part of a burst.
func (tt *terminal) says(text string) {
	tt.t.Helper()
	tt.types(text)
	tt.enter()
}

func (tt *terminal) enter() {
	time.Sleep(30 * time.Millisecond) // a person's Enter does not come with the text in one burst
	tt.press("enter")
}

func (tt *terminal) resize(w, h int) {
	if w > 0 && h > 0 {
		tt.out.mu.Lock()
		tt.emu.Resize(w, h)
		tt.out.mu.Unlock()
	}
	tt.s.prog.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// ended waits for the end of the program.
func (tt *terminal) ended() Exit {
	tt.t.Helper()
	select {
	case <-tt.over:
	case <-time.After(20 * time.Second):
		tt.t.Fatalf("the screen does not end:\n%s", tt.shown())
	}
	if tt.err != nil {
		tt.t.Fatal(tt.err)
	}
	return tt.exit
}

// rests waits until no turn runs.
func (tt *terminal) rests() {
	tt.t.Helper()
	tt.until("the end of the turn", func(s string) bool {
		return !strings.Contains(s, "working") && !strings.Contains(s, "esc stop")
	})
}

// settled waits until nothing is written any more.
func (tt *terminal) settled() {
	tt.t.Helper()
	last, since := tt.out.bytes(), time.Now()
	limit := time.Now().Add(10 * time.Second)
	for time.Since(since) < 150*time.Millisecond {
		if time.Now().After(limit) {
			tt.t.Fatal("the screen never rests")
		}
		time.Sleep(10 * time.Millisecond)
		if now := tt.out.bytes(); now != last {
			last, since = now, time.Now()
		}
	}
}

// golden compares the screen with the one that is kept.
func (tt *terminal) golden(name string) {
	tt.t.Helper()
	tt.settled()
	got := tt.shown()
	got = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`).ReplaceAllString(got, "01JD…")
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			tt.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tt.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tt.t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		tt.t.Errorf("%s is another screen (-want +got):\n%s", name, diff)
	}
}
