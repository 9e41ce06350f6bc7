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
