package tools

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func withUndo(t *testing.T, files map[string]string) (*hands, *Undo) {
	h := newHands(t, files)
	h.kit.Undo = OpenUndo(filepath.Join(h.home, "undo"), func() time.Time { return noon })
	return h, h.kit.Undo
}

// turn gives the tools of one turn: their edits are taken back together.
func (h *hands) edits(calls ...[2]string) {
	h.t.Helper()
	list := h.kit.For(h.turn)
	for _, c := range calls {
		for _, each := range list {
			if each.Name() == c[0] {
				_, err := each.Call(h.t.Context(), []byte(c[1]))
				must(h.t, err)
			}
		}
	}
}

func TestTheEditsOfTheLastTurnAreTakenBack(t *testing.T) {
	h, undo := withUndo(t, map[string]string{"a.go": "one\n", "b.go": "b\n", "c.go": "c\n"})
	must(t, os.Chmod(h.at("a.go"), 0o700))
	h.edits([2]string{"write_file", `{"path":"c.go","content":"earlier\n"}`})
	h.edits([2]string{"edit_file", `{"path":"a.go","old":"one","new":"two"}`}, [2]string{"edit_file", `{"path":"a.go","old":"two","new":"three"}`},
		[2]string{"write_file", `{"path":"new.go","content":"x"}`}, [2]string{"write_file", `{"path":"b.go","content":"B\n"}`})
	h.write("b.go", "the person's\n")
	last, err := undo.Last("c1")
	must(t, err)
	if len(last.Paths) != 3 || !last.At.Equal(noon) {
		t.Fatalf("kept: %+v", last)
	}
	back, err := undo.TakeBack("c1", last.Group)
	must(t, err)
	if !slices.Equal(back.Back, []string{h.at("a.go"), h.at("new.go")}) || !slices.Equal(back.Left, []string{"b.go was changed since"}) {
		t.Errorf("taken back: %+v", back)
	}
	if h.read("a.go") != "one\n" || h.read("b.go") != "the person's\n" || h.read("c.go") != "earlier\n" {
		t.Errorf("they hold %q, %q, %q", h.read("a.go"), h.read("b.go"), h.read("c.go"))
	}
	if _, err := os.Stat(h.at("new.go")); err == nil {
		t.Error("the new file is still there")
	}
	if info, err := os.Stat(h.at("a.go")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the mode is not as it was: %v", info.Mode())
	}
	if _, err := undo.TakeBack("c1", last.Group); err == nil {
		t.Error("it was taken back twice")
	}
	before, err := undo.Last("c1")
	must(t, err)
	if len(before.Paths) != 1 || before.Paths[0] != h.at("c.go") {
		t.Errorf("the turn before has %+v", before)
	}
}

func TestWhatIsKeptIsThePersonsAloneAndBounded(t *testing.T) {
	h, undo := withUndo(t, map[string]string{"a.go": "one\n"})
	h.edits([2]string{"write_file", `{"path":"a.go","content":"two"}`})
	names, err := filepath.Glob(filepath.Join(h.home, "undo", "c1", "*.json"))
	must(t, err)
	if len(names) != 1 {
		t.Fatalf("kept: %v", names)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{names[0]: 0o600, filepath.Dir(names[0]): 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v", path, info.Mode())
			}
		}
	}
	undo.now = func() time.Time { return noon.Add(undoAge + time.Hour) }
	h.edits([2]string{"write_file", `{"path":"a.go","content":"three"}`})
	after, err := filepath.Glob(filepath.Join(h.home, "undo", "c1", "*.json"))
	must(t, err)
	if len(after) != 1 || after[0] == names[0] {
		t.Errorf("after a week there is %v", after)
	}
	for _, chat := range []string{"", "..", "a/b", strings.Repeat("x", 100)} {
		if _, err := undo.Last(chat); err == nil {
			t.Errorf("%q is taken for a chat", chat)
		}
	}
}

func TestAnEditThatCantBeKeptIsNotMade(t *testing.T) {
	h, _ := withUndo(t, map[string]string{"a.go": "one\n"})
	must(t, os.WriteFile(filepath.Join(h.home, "undo"), nil, 0o600))
	if why := h.refused(h.turn, "write_file", `{"path":"a.go","content":"two"}`); !strings.Contains(why, "can't be kept for taking the change back") || h.read("a.go") != "one\n" {
		t.Error(why)
	}
}
