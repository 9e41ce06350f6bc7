package tui

import (
	"context"
	"strings"
	"sync"
	"time"

	"charm.land/bubbletea/v2"

	"conch/chats"
	"conch/plain"
	"conch/tui/cells"
)

// maxShell bounds what is kept of a command's output, in bytes: its end.
const maxShell = 64 << 10

// shellRun is a command line of the person's that runs. Its output comes on a
// goroutine of its own and is read when the screen is drawn.
type shellRun struct {
	command string
	since   time.Time
	cancel  context.CancelFunc

	mu     sync.Mutex
	output []byte
	cut    bool
	told   time.Time
}

// take keeps output and reports whether the screen should be told of it.
func (s *shellRun) take(text string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.output = append(s.output, text...)
	if over := len(s.output) - maxShell; over > 0 {
		s.output = append(s.output[:0], s.output[over:]...)
		s.cut = true
	}
	if now.Sub(s.told) < 100*time.Millisecond {
		return false
	}
	s.told = now
	return true
}

// text is the output so far, harmless.
func (s *shellRun) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := plain.Text(strings.ToValidUTF8(string(s.output), "\uFFFD"))
	if s.cut {
		if _, rest, ok := strings.Cut(out, "\n"); ok {
			out = rest
		}
	}
	return out
}

// lines are the command and the end of its output.
func (s *shellRun) lines(m *model, w int) []string {
	th := m.th
	since := ""
	if m.motion {
		since = lasted(m.at.Sub(s.since))
	}
	head := "  " + th.Muted.Render(th.Signs.Running) + " ! " + plain.Line(s.command, 400)
	out := []string{cells.Sides(th.Widths, head, th.Muted.Render(since)+" ", w, 20, th.Signs.Ellipsis)}
	text := strings.TrimRight(s.text(), "\n")
	if text == "" {
		return out
	}
	rows := strings.Split(text, "\n")
	for _, row := range rows[max(len(rows)-4, 0):] {
		out = append(out, cells.Cut(th.Widths, "    "+th.Muted.Render(strings.ReplaceAll(row, "\t", "    ")), w, th.Signs.Ellipsis))
	}
	return out
}

// noShell says why no command line can be run in a chat now, "" when one can.
func (m *model) noShell(r *room) string {
	switch {
	case m.d.Shell == nil:
		return "commands can't be run here"
	case r.shell != nil:
		return "a command is still running: esc stops it"
	case r.status.ReadOnly:
		return "this chat is open in another conch, so nothing is run from here"
	}
	return ""
}

// runShell runs a command line that the person typed after "!", in the chat's
// folder. Only a person gets here: what was pasted is never a command.
func (m *model) runShell(r *room, command string) {
	command = strings.TrimSpace(command)
	if command == "" {
		return
	}
	if why := m.noShell(r); why != "" {
		m.say(why, true)
		return
	}
	m.wroteOn()
	r.items.ToEnd()
	ctx, cancel := context.WithCancel(m.crew.ctx)
	run := &shellRun{command: command, since: m.at, cancel: cancel}
	r.shell = run
	dir, now, shell, send := r.folderNow(), m.d.Now, m.d.Shell, m.crew.send
	m.later(m.crew.cmd("shell", func(context.Context) tea.Msg {
		defer cancel()
		exit, err := shell(ctx, dir, command, func(text string) {
			if run.take(text, now()) {
				send(shellMsg{room: r, run: run})
			}
		})
		return shellEndMsg{room: r, run: run, exit: exit, err: err, took: now().Sub(run.since)}
	}))
}

// shellEnded puts the command and its output into the chat; it goes to the agent
// with the next message.
func (m *model) shellEnded(msg shellEndMsg) {
	r := msg.room
	if r.shell == msg.run {
		r.shell = nil
	}
	exit, output := msg.exit, msg.run.text()
	if msg.err != nil {
		exit = -1
		if output != "" && !strings.HasSuffix(output, "\n") {
			output += "\n"
		}
		if context.Cause(m.crew.ctx) == nil && msg.err == context.Canceled {
			output += "(stopped)"
		} else {
			output += "(" + plain.Line(msg.err.Error(), 200) + ")"
		}
	}
	m.do(r, "keep the command", func(t talk) error {
		return t.AddShell(chats.Shell{Command: msg.run.command, Output: output, ExitCode: exit, DurationMs: msg.took.Milliseconds(), Offered: true})
	})
}
