//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// built is the folder of the program that the tests run, made by TestMain.
var built string

// program builds Conch once for the tests that run the real one.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "conch")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build conch: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	if kind := os.Getenv("CONCH_TEST_PLAYER"); kind != "" {
		os.Exit(play(kind))
	}
	dir, err := os.MkdirTemp("", "conch-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	built = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// terminal is the real program on a pty, with a terminal in memory that shows
// what it wrote and answers what it asks.
type terminal struct {
	t       testing.TB
	cmd     *exec.Cmd
	pty     *os.File
	tty     *os.File // held open so that the modes can be read at the end
	before  term.State
	emu     *vt.SafeEmulator
	home    string
	done    chan struct{}
	pumped  chan struct{}
	status  error
	mu      sync.Mutex
	raw     bytes.Buffer
	drawing sync.Mutex // the emulator's own lock leaves its screen out
	replies sync.WaitGroup
	started time.Time
	watch   func(at time.Time) // called when bytes that came at a time are drawn
}

// place is where a program runs: a home of its own, an empty project folder.
type place struct{ home, project string }

func newPlace(t testing.TB) place {
	t.Helper()
	// Short names, so that captured screens do not depend on the machine.
	root := t.TempDir()
	p := place{filepath.Join(root, "home"), filepath.Join(root, "shop")}
	for _, dir := range []string{p.home, p.project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) environ(more ...string) []string {
	return append([]string{
		"HOME=" + p.home, "CONCH_HOME=" + filepath.Join(p.home, ".conch"),
		"CONCH_DEMO_STATE=" + filepath.Join(p.home, "demo"), "CONCH_DEMO_FAST=1",
		"PATH=/usr/bin:/bin", "TERM=xterm-256color", "LANG=C.UTF-8", "TMPDIR=" + os.TempDir(), "TZ=UTC",
		"CONCH_LOCAL_MODELS=off", // what runs on this machine is none of the tests' concern
	}, more...)
}

func open(t testing.TB, p place, cols, rows int, environ []string, args ...string) *terminal {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return onTerminal(t, p, cols, rows, environ, append([]string{path}, args...)...)
}

// onTerminal starts any program on a pty, as a shell's terminal would.
func onTerminal(t testing.TB, p place, cols, rows int, environ []string, args ...string) *terminal {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pty here: %v", err)
	}
	size := &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}
	if err := pty.Setsize(ptmx, size); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = p.project, environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &terminal{
		t: t, started: started, cmd: cmd, pty: ptmx, tty: tty, before: *before, home: p.home,
		emu: vt.NewSafeEmulator(cols, rows), done: make(chan struct{}), pumped: make(chan struct{}),
	}
	go s.pump()
	s.replies.Add(1)
	go func() {
		defer s.replies.Done()
		_, _ = io.Copy(ptmx, s.emu)
	}()
	go func() {
		s.status = cmd.Wait()
		close(s.done)
	}()
	t.Cleanup(s.close)
	return s
}

func (s *terminal) pump() {
	defer close(s.pumped)
	buf := make([]byte, 32*1024)
	for {
		n, err := s.pty.Read(buf)
		at := time.Now()
		if n > 0 {
			s.mu.Lock()
			s.raw.Write(buf[:n])
			watch := s.watch
			s.mu.Unlock()
			s.drawing.Lock()
			feed(s.emu, buf[:n])
			s.drawing.Unlock()
			if watch != nil {
				watch(at)
			}
		}
		if err != nil {
			return
		}
	}
}

// feed gives an emulator what a program wrote, a sequence at a time. The emulator
// panics where a program scrolls lines that a window lost meanwhile; a terminal
// passes over that.
func feed(emu io.Writer, raw []byte) {
	for len(raw) > 0 {
		n := bytes.IndexByte(raw[1:], '\x1b') + 1
		if n == 0 {
			n = len(raw)
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = emu.Write(raw[:n])
		}()
		raw = raw[n:]
	}
}

func (s *terminal) close() {
	select {
	case <-s.done:
	default:
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	_ = s.tty.Close()
	_ = s.pty.Close()
	<-s.pumped
	_ = s.emu.InputPipe().(io.Closer).Close() // the emulator's own Close races with its Read
	s.replies.Wait()
}

// screen is what a person sees, without the blanks at the ends of lines.
func (s *terminal) screen() string {
	s.drawing.Lock()
	lines := strings.Split(s.emu.String(), "\n")
	s.drawing.Unlock()
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// written is every byte that came to the terminal.
func (s *terminal) written() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.raw.Bytes())
}

const patience = 20 * time.Second

func (s *terminal) until(what string, ok func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited for %s; the screen is\n%s", what, s.screen())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *terminal) waitFor(words string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q", words), func() bool { return strings.Contains(s.screen(), words) })
}

func (s *terminal) waitGone(words string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q to go", words), func() bool { return !strings.Contains(s.screen(), words) })
}

func (s *terminal) typed(words string) {
	s.t.Helper()
	if _, err := io.WriteString(s.pty, words); err != nil {
		s.t.Fatal(err)
	}
}

// Keys as a terminal sends them.
const (
	keyEnter = "\r"
	keyEsc   = "\x1b"
	keyTab   = "\t"
	keyCtrlC = "\x03"
	keyCtrlD = "\x04"
	keyCtrlO = "\x0f"
	keyCtrlP = "\x10"
	keyCtrlZ = "\x1a"
)

// say types a message, waits until it stands there, and sends it.
func (s *terminal) say(words string) {
	s.t.Helper()
	s.typed(words)
	s.waitFor(words)
	s.typed(keyEnter)
}

// answer goes to the card that waits and gives it a key. A card takes none in
// its first 300 ms of focus, so the key is given again until it was taken.
func (s *terminal) answer(key string, taken func() bool) {
	s.t.Helper()
	const focused = "tab back to the prompt"
	s.waitFor("tab to answer")
	s.typed(keyTab)
	s.waitFor(focused)
	var last time.Time
	s.until("the card to take "+key, func() bool {
		if taken() {
			return true
		}
		if time.Since(last) > 500*time.Millisecond && strings.Contains(s.screen(), focused) {
			last = time.Now()
			s.typed(key)
		}
		return false
	})
}

func (s *terminal) resize(cols, rows int) {
	s.t.Helper()
	if err := pty.Setsize(s.pty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		s.t.Fatal(err)
	}
	if cols > 0 && rows > 0 {
		s.drawing.Lock()
		s.emu.Resize(cols, rows)
		s.drawing.Unlock()
	}
}

func (s *terminal) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// ended waits for the end of the program and gives its exit status, -1 for a
// signal.
func (s *terminal) ended() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		s.t.Fatalf("conch did not end; the screen is\n%s", s.screen())
	}
	// What it wrote last is still on its way through the pty.
	_ = s.tty.SetDeadline(time.Now())
	last := -1
	s.until("the last words", func() bool {
		n := len(s.written())
		still := n == last
		last = n
		time.Sleep(10 * time.Millisecond)
		return still
	})
	return s.cmd.ProcessState.ExitCode()
}

var modeSwitch = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)

// leftOn lists the switches that the program turned on and not off again.
func (s *terminal) leftOn() []string {
	state := map[string]string{}
	raw := s.written()
	for _, m := range modeSwitch.FindAllSubmatch(raw, -1) {
		for _, mode := range strings.Split(string(m[1]), ";") {
			state[mode] = string(m[2])
		}
	}
	var on []string
	for _, mode := range []string{"1049", "1000", "1002", "1003", "1006", "2004", "1004", "2026", "2027"} {
		if state[mode] == "h" {
			on = append(on, "?"+mode)
		}
	}
	if state["25"] == "l" {
		on = append(on, "hidden cursor")
	}
	if depth := bytes.Count(raw, []byte("\x1b[>")) > 0 && kittyDepth(raw) > 0; depth {
		on = append(on, "keyboard flags")
	}
	now, err := term.GetState(int(s.tty.Fd()))
	if err == nil && fmt.Sprint(*now) != fmt.Sprint(s.before) {
		on = append(on, "raw mode")
	}
	return on
}

var kittyPush = regexp.MustCompile(`\x1b\[>[0-9;]*u|\x1b\[=[1-9][0-9;]*u`)
var kittyPop = regexp.MustCompile(`\x1b\[<[0-9]*u|\x1b\[=0(;[0-9]+)?u`)

func kittyDepth(raw []byte) int {
	push := kittyPush.FindAllIndex(raw, -1)
	pop := kittyPop.FindAllIndex(raw, -1)
	if len(push) == 0 {
		return 0
	}
	if len(pop) > 0 && pop[len(pop)-1][0] > push[len(push)-1][0] {
		return 0
	}
	return 1
}
