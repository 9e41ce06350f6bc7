//go:build conformance && unix

package pretend

import (
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is conch on a pty, with a terminal in memory that shows what it wrote
// and answers what it asks.
type terminal struct {
	t    *testing.T
	w    *world
	cmd  *exec.Cmd
	pty  interface{ io.ReadWriteCloser }
	emu  *vt.SafeEmulator
	over chan struct{}
	work sync.WaitGroup
}

// open starts the screen, and waits until it takes keys.
func (w *world) open(t *testing.T, args ...string) *terminal {
	t.Helper()
	s := w.start(t, args...)
	s.see(`\? help`)
	return s
}

// start starts the screen in a terminal of 100 columns and 40 rows.
func (w *world) start(t *testing.T, args ...string) *terminal {
	t.Helper()
	s := &terminal{t: t, w: w, emu: vt.NewSafeEmulator(100, 40), over: make(chan struct{})}
	s.cmd = exec.Command(w.bin, args...)
	s.cmd.Dir, s.cmd.Env = w.work, append([]string{"NO_MOTION=1"}, w.env...)
	file, err := pty.StartWithSize(s.cmd, &pty.Winsize{Cols: 100, Rows: 40})
	if err != nil {
		t.Fatal(err)
	}
	s.pty = file
	s.work.Go(func() { io.Copy(s.emu, file) }) //nolint:errcheck // the end of a pty
	s.work.Go(func() { io.Copy(file, s.emu) }) //nolint:errcheck // the same
	go func() {
		defer close(s.over)
		s.cmd.Wait() //nolint:errcheck // the status is asked for later
	}()
	t.Cleanup(func() {
		select {
		case <-s.over:
		default:
			s.cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // gone already
			select {
			case <-s.over:
			case <-time.After(10 * time.Second):
				s.cmd.Process.Kill() //nolint:errcheck // the same
				<-s.over
			}
		}
		file.Close()
		s.emu.Close()
		s.work.Wait()
	})
	return s
}

func (s *terminal) screen() string {
	lines := strings.Split(s.emu.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// see waits until the screen matches a regular expression.
func (s *terminal) see(pattern string) string {
	s.t.Helper()
	re := regexp.MustCompile("(?s)" + pattern)
	late := time.Now().Add(patience)
	for {
		screen := s.screen()
		if re.MatchString(screen) {
			return screen
		}
		if time.Now().After(late) {
			s.t.Fatalf("%q did not come; the screen is\n%s", pattern, screen)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *terminal) keys(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.pty, keys); err != nil {
		s.t.Fatal(err)
	}
}

const (
	enter = "\r"
	esc   = "\x1b"
	tab   = "\t"
	ctrlD = "\x04"
	ctrlO = "\x0f"
)

// say types a message and sends it.
func (s *terminal) say(words string) {
	s.t.Helper()
	s.keys(words)
	s.see(regexp.QuoteMeta(words))
	s.keys(enter)
}

// reading is what a person needs at least: a card takes no key in its first 300 ms.
const reading = 500 * time.Millisecond

// answer focuses the waiting card and presses a key on it.
func (s *terminal) answer(key string) {
	s.t.Helper()
	s.see("tab to answer")
	s.keys(tab)
	s.see("tab back")
	time.Sleep(reading)
	s.keys(key)
}

// quit ends Conch as a person does, and gives what stands on the ordinary screen.
func (s *terminal) quit() string {
	s.t.Helper()
	s.see(`shift\+tab mode`) // no turn runs any more
	s.keys(ctrlD)
	select {
	case <-s.over:
	case <-time.After(patience):
		s.t.Fatalf("conch did not end; the screen is\n%s", s.screen())
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("exit %d\n%s", code, s.screen())
	}
	last := s.see("conch --resume [0-9A-Z]+")
	s.w.alone(s.t)
	return last
}

// TestConformanceScreen holds a chat with each real agent in the screen: words,
// rows, both answers to a permission, Stop, the end, and the chat carried on by
// conch --resume.
func TestConformanceScreen(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := newWorld(t, turns, a)
			s := w.open(t, "--provider", a.id, "--mode", "ask")
			s.say("say hello")
			s.see("stream this answer in pieces")
			s.say("fix the prices")
			// Codex asks before it reads, too.
			if strings.Contains(s.see("(Read|Edit) .*waits for you"), "y once") && !strings.Contains(s.screen(), "Edit ") {
				s.answer("y")
				s.see("Edit .*waits for you")
			}
			s.answer("y")
			// Not every program asks for this command; one that does gets a no.
			screen := s.see(`prices\.txt.*(Bash.*waits for you|prices are fixed)`)
			if strings.Contains(screen, "waits for you") {
				s.answer("n")
				s.see("not run, you said no")
			}
			if got := w.read("prices.txt"); got != "apple 1\npear 5\nplum 3\n" {
				t.Errorf("after yes the file is %q", got)
			}
			screen = s.see(`Read.*prices\.txt.*Edit.*prices\.txt.*\+1.*−1`)
			t.Logf("the screen after the work:\n%s", screen)

			s.say("count slowly")
			s.see("one two")
			s.keys(esc)
			s.see("⊘ stopped")
			last := s.quit()
			chat := regexp.MustCompile("--resume ([0-9A-Z]+)").FindStringSubmatch(last)[1]

			before := len(w.model.Asked())
			s = w.open(t, "--resume", chat)
			s.see("one two")
			s.say("what did I ask")
			s.see("You asked me to say hello")
			q := w.first(t, before, "what did I ask")
			if !q.Saw("say hello", "user") || !q.Saw("I stream this answer") {
				t.Errorf("the model did not see the earlier turns:\n%s", conversationOf(q))
			}
			s.quit()
		})
	}
}

// TestConformanceScreenSwitch changes the agent by a key in the middle of a chat.
func TestConformanceScreenSwitch(t *testing.T) {
	chosen := chosenAgents(t)
	for i, a := range chosen {
		b := chosen[(i+1)%len(chosen)]
		if a.id == b.id {
			t.Skip("one agent alone can't be switched")
		}
		t.Run(a.id+" to "+b.id, func(t *testing.T) {
			w := newWorld(t, turns, a, b)
			s := w.open(t, "--provider", a.id)
			s.say("say hello")
			s.see("stream this answer in pieces")
			before := len(w.model.Asked())
			s.keys(ctrlO)
			row := regexp.MustCompile(`(?m)([1-9]) . ` + b.id).FindStringSubmatch(s.see("Who answers next"))
			if row == nil {
				t.Fatalf("%s is not offered\n%s", b.id, s.screen())
			}
			s.keys(row[1])
			s.see(fmt.Sprintf("%s.*\\? help", b.id))
			s.say("carry on here")
			s.see("I carry on")
			q := w.first(t, before, "carry on here")
			block, rest := handoffOf(q)
			if q.Dialect != b.dialect || !strings.Contains(block, "say hello") || strings.Contains(block, "carry on here") || !strings.Contains(rest, "carry on here") {
				t.Errorf("the first request of %s:\n%s", b.id, conversationOf(q))
			}
			s.quit()
		})
	}
}

// TestConformanceScreenSaysWhatItWaitsFor: a model that says nothing for long.
func TestConformanceScreenSaysWhatItWaitsFor(t *testing.T) {
	a := chosenAgents(t)[0]
	w := newWorld(t, turns, a)
	s := w.open(t, "--provider", a.id)
	s.say("think hard")
	t.Log(s.see(`waiting for .* 1[0-9] s without a word`))
	s.see("That was hard")
	s.quit()
}
