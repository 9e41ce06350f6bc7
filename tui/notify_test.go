package tui

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"charm.land/bubbletea/v2"

	"conch/engine"
)

// writes waits until bytes were written to the terminal.
func (tt *terminal) writes(raw string) {
	tt.t.Helper()
	tt.until("the bytes "+strings.ToValidUTF8(raw, "?"), func(string) bool { return strings.Contains(tt.out.bytes(), raw) })
}

func TestACardIsToldOnlyToOneWhoLooksElsewhere(t *testing.T) {
	const told = "\x1b]9;codex waits for you: push it\a\a"
	for _, c := range []struct {
		name, notify string
		focused      bool
		want         bool
	}{
		{"away", "unfocused", false, true},
		{"here", "unfocused", true, false},
		{"always", "always", true, true},
		{"never", "never", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newPlace(t).deps(t, ready("codex", wants("Bash", "git push")))
			d.Options.Notify = c.notify
			tt := start(t, 80, 24, d)
			if c.focused {
				tt.s.prog.Send(tea.FocusMsg{})
			} else {
				tt.s.prog.Send(tea.BlurMsg{})
			}
			tt.says("push it")
			tt.sees("tab to answer")
			// The state of the program and the title say it in any case.
			tt.writes("7501;state=blocked:kind=permission:app=conch")
			tt.writes("○ push it · conch")
			if c.want {
				tt.writes(told)
				return
			}
			tt.settled()
			if raw := tt.out.bytes(); strings.Contains(raw, "\x1b]9;codex") || strings.Contains(raw, "\a\a") {
				t.Error("it was told")
			}
		})
	}
}

func TestTheEndOfALongTurnIsTold(t *testing.T) {
	for _, c := range []struct {
		name string
		took time.Duration
		want bool
	}{{"long", longTurn + time.Second, true}, {"short", 0, false}} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			var ahead atomic.Int64
			real := p.now
			p.now = func() time.Time { return real().Add(time.Duration(ahead.Load())) }
			over := make(chan struct{})
			tt := start(t, 80, 24, p.deps(t, ready("codex", func(_ context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
				sink.Emit(engine.Text{MessageID: "a", Delta: "I begin"})
				<-over
				return engine.Result{Outcome: engine.Success, Accepted: true}
			})))
			tt.s.prog.Send(tea.BlurMsg{})
			tt.says("go")
			tt.sees("I begin")
			tt.writes("⋯ go · conch")
			ahead.Store(int64(c.took))
			close(over)
			tt.rests()
			if c.want {
				tt.writes("\x1b]9;codex is done: go\a\a")
				return
			}
			tt.settled()
			if strings.Contains(tt.out.bytes(), "\x1b]9;codex") {
				t.Error("it was told")
			}
		})
	}
}

func TestANotificationFitsTheTerminal(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{[]string{"TERM=xterm-256color"}, "\x1b]9;done, or not\a\a"},
		{[]string{"TERM=rxvt-unicode"}, "\x1b]777;notify;Conch;done, or not\a\a"},
		{[]string{"TERM=tmux-256color", "TMUX=/tmp/t"}, "\x1bPtmux;\x1b\x1b]9;done, or not\a\x1b\\\a"},
	} {
		if got := notification(env(c.environ), "done; or not\u202e"); got != c.want {
			t.Errorf("%v: %q, want %q", c.environ, got, c.want)
		}
	}
}

func TestTheNewLineThatIsShownWorksHere(t *testing.T) {
	tt := start(t, 80, 24, newPlace(t).deps(t, ready("codex")))
	tt.types("words")
	tt.sees("alt+enter new line")
	tt.s.prog.Send(tea.KeyboardEnhancementsMsg{Flags: 1})
	tt.sees("shift+enter new line")
}
