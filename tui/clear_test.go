package tui

import (
	"strings"
	"testing"
)

func TestAChatIsClearedAndThatIsTakenBack(t *testing.T) {
	codex, claude := ready("codex", answers("The guard is in place.")), ready("claude-code")
	tt := start(t, 80, 24, newPlace(t).deps(t, codex, claude))
	tt.says("fix the empty cart")
	tt.sees("The guard is in place.")
	tt.rests()
	tt.says("/clear")
	tt.sees("nothing above is handed over any more", "/undo takes it back")
	tt.golden("clear-80x24")
	tt.press("alt+2")
	tt.says("hello")
	tt.until("an answer", func(string) bool { n, _ := claude.heard(); return n == 1 })
	if _, prompt := claude.heard(); strings.Contains(prompt, "empty cart") {
		t.Errorf("it was handed over: %s", prompt)
	}

	tt = start(t, 80, 24, newPlace(t).deps(t, ready("codex", answers("The guard is in place.")), claude))
	tt.says("fix the empty cart")
	tt.sees("The guard is in place.")
	tt.rests()
	tt.says("/clear")
	tt.sees("nothing above is handed over any more")
	tt.says("/undo")
	tt.sees("what is above is handed over again")
	tt.press("alt+2")
	tt.says("hello")
	tt.until("an answer", func(string) bool { n, _ := claude.heard(); return n == 2 })
	if _, prompt := claude.heard(); !strings.Contains(prompt, "empty cart") {
		t.Errorf("it was not handed over: %s", prompt)
	}
}

// The log has the clear, so a restart takes nothing from undo, until something is
// said.
func TestAClearIsTakenBackAfterARestart(t *testing.T) {
	for _, c := range []struct {
		name  string
		says  string // after the restart
		undo  string
		hands bool
	}{
		{"nothing said since", "", "what is above is handed over again", true},
		{"something said since", "between", "nothing was deleted, forgotten or cleared", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			tt := start(t, 80, 24, p.deps(t, ready("codex", answers("The guard is in place."))))
			tt.says("fix the empty cart")
			tt.sees("The guard is in place.")
			tt.rests()
			tt.says("/clear")
			tt.sees("/undo takes it back")
			tt.press("ctrl+d")
			tt.ended()

			claude := ready("claude-code")
			d := p.deps(t, ready("codex"), claude)
			d.Start.Chat = onlyChat(t, d)
			tt = start(t, 80, 24, d)
			tt.sees("nothing above is handed over any more")
			if c.says != "" {
				tt.says(c.says)
				tt.sees("ok")
				tt.rests()
			}
			tt.says("/undo")
			tt.sees(c.undo)
			tt.press("alt+2")
			tt.says("hello")
			tt.until("an answer", func(string) bool { n, _ := claude.heard(); return n == 1 })
			if _, prompt := claude.heard(); strings.Contains(prompt, "empty cart") != c.hands {
				t.Errorf("handed over: %s", prompt)
			}
		})
	}
}

func onlyChat(t *testing.T, d Deps) string {
	t.Helper()
	list, err := d.Store.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	return list[0].ID
}
