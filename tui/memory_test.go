package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/tools"
)

// withMemory is a screen whose memory is a file with two things in it.
func withMemory(t testing.TB) (Deps, *tools.Memory) {
	t.Helper()
	p := newPlace(t)
	d := p.deps(t, ready("codex"))
	mem := tools.OpenMemory(filepath.Join(p.home, "memory.md"))
	for _, words := range []string{"the tests are run with make test", "prices are in cents"} {
		if _, err := mem.Add(words, "", time.Date(2026, 11, 3, 9, 0, 0, 0, time.Local)); err != nil {
			t.Fatal(err)
		}
	}
	d.Memory = &Memory{Path: mem.Path(), Read: mem.Read, Replace: mem.Replace,
		Forget: func(id string) error { _, err := mem.Forget(id); return err },
		List: func() ([]Remembered, error) {
			list, err := mem.List()
			var shown []Remembered
			for _, r := range list {
				shown = append(shown, Remembered{ID: r.ID, Words: r.Words, At: r.At})
			}
			return shown, err
		}}
	return d, mem
}

func TestWhatIsRememberedIsSeenForgottenAndBroughtBack(t *testing.T) {
	d, mem := withMemory(t)
	before, _ := mem.Read()
	tt := start(t, 80, 24, d)
	tt.says("/memory")
	tt.sees("Remembered in all your chats", "3 Nov 2026  the tests are run with make test", "delete forgets")
	tt.golden("memory-80x24")
	tt.press("delete") // the newest is first
	tt.sees("forgotten: prices are in cents · /undo brings it back")
	tt.until("the list without it", func(s string) bool { return strings.Count(s, "3 Nov 2026") == 1 })
	tt.press("alt+z")
	tt.sees("it is remembered again")
	tt.until("the list with it", func(s string) bool { return strings.Count(s, "3 Nov 2026") == 2 })
	if after, _ := mem.Read(); after != before {
		t.Errorf("the file is another:\n%s", after)
	}
	tt.press("enter")
	tt.sees("prices are in cents", "Set VISUAL or EDITOR")
}

func TestUndoOverwritesNoMemoryThatCameMeanwhile(t *testing.T) {
	d, mem := withMemory(t)
	tt := start(t, 80, 24, d)
	tt.says("/memory")
	tt.sees("delete forgets")
	tt.press("delete")
	tt.sees("forgotten: prices")
	if _, err := mem.Add("the branch is main", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	tt.press("esc")
	tt.says("/undo")
	tt.sees("it can't be brought back: the memory was changed meanwhile")
}

// The editor itself takes a real terminal; here is what comes of what it leaves.
func TestTheMemoryIsAsTheEditorLeftIt(t *testing.T) {
	d, mem := withMemory(t)
	before, _ := mem.Read()
	tt := start(t, 80, 24, d)
	left := func(was, text string) string {
		path := filepath.Join(t.TempDir(), "left.md")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		tt.s.prog.Send(memoryEditedMsg{path: path, before: was})
		return path
	}
	left(before, before)
	tt.sees("nothing was changed")
	left(before, strings.Replace(before, "cents", "euros", 1))
	tt.sees("remember it so from the next message on")
	if text, _ := mem.Read(); !strings.Contains(text, "prices are in euros") {
		t.Errorf("the file:\n%s", text)
	}
	kept := left(before, "what was written in the meantime")
	tt.sees("the memory is as it was")
	if _, err := os.Stat(kept); err != nil {
		t.Error("the person's words are gone")
	}
	tt.says("/undo")
	tt.sees("it is remembered again")
	if text, _ := mem.Read(); text != before {
		t.Errorf("the file:\n%s", text)
	}
}

func TestAnEmptyOrBrokenMemoryIsSaid(t *testing.T) {
	d, mem := withMemory(t)
	if err := os.WriteFile(mem.Path(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tt := start(t, 80, 24, d)
	tt.says("/memory")
	tt.sees("nothing is remembered yet")
	if err := os.WriteFile(mem.Path(), []byte("a\x00b"), 0o600); err != nil {
		t.Fatal(err)
	}
	tt.says("/memory")
	tt.sees("told to no assistant", "in an editor")
}

func TestTheMemoryAsLines(t *testing.T) {
	d, mem := withMemory(t)
	l := listen(t, d)
	l.types("/memory")
	l.hears("prices are in cents")
	l.types("1")
	l.hears("Forget “prices are in cents”?")
	time.Sleep(quiet + 20*time.Millisecond)
	l.types("y")
	l.hears("forgotten: prices are in cents")
	if text, _ := mem.Read(); strings.Contains(text, "cents") {
		t.Errorf("it is still there:\n%s", text)
	}
}
