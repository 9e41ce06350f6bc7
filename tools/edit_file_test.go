package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"conch/engine"
	"conch/redact"
)

func TestAPieceOfAFileIsReplacedAfterThePersonSawIt(t *testing.T) {
	h := newHands(t, map[string]string{"a.go": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"})
	must(t, os.Chmod(h.at("a.go"), 0o755))
	h.turn.decide = func(p engine.Permission) engine.Decision {
		if h.read("a.go") != "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n" {
			t.Error("it was changed before it was allowed")
		}
		if len(p.Diffs) != 1 || *p.Diffs[0].Old != "two\nthree\nfour\nfive\nsix\nseven\neight\n" || *p.Diffs[0].New != "two\nthree\nfour\nFIVE\nsix\nseven\neight\n" || p.Diffs[0].Line != 2 || p.Diffs[0].Path != h.at("a.go") {
			t.Errorf("the person is shown %q → %q at %d", *p.Diffs[0].Old, *p.Diffs[0].New, p.Diffs[0].Line)
		}
		return engine.Decision{Verdict: engine.Allow}
	}
	r := h.call(h.turn, "edit_file", `{"path":"a.go","old":"five","new":"FIVE"}`)
	if got := h.read("a.go"); got != "one\ntwo\nthree\nfour\nFIVE\nsix\nseven\neight\nnine\n" {
		t.Errorf("it holds %q", got)
	}
	info, err := os.Stat(h.at("a.go"))
	must(t, err)
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("its mode is %v", info.Mode())
	}
	if len(r.View.Diffs) != 1 || r.Text != "a.go is changed." {
		t.Errorf("%q with %d diffs", r.Text, len(r.View.Diffs))
	}
	if left, err := filepath.Glob(filepath.Join(h.folder, ".conch-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWhatIsDeclinedIsNotDone(t *testing.T) {
	h := newHands(t, map[string]string{"a.go": "one\n"})
	h.sayNo()
	for _, call := range [][2]string{{"edit_file", `{"path":"a.go","old":"one","new":"two"}`}, {"write_file", `{"path":"b/c.go","content":"x"}`}, {"read_file", `{"path":"a.go"}`}, {"list", `{}`}, {"search_files", `{"pattern":"one"}`}} {
		if why := h.refused(h.turn, call[0], call[1]); why != "it was not run: the person said no" {
			t.Errorf("%s: %s", call[0], why)
		}
	}
	if h.read("a.go") != "one\n" {
		t.Error("the file was changed")
	}
	if _, err := os.Stat(h.at("b")); err == nil {
		t.Error("a folder was made")
	}
}

func TestAnEditThatDoesNotFitSaysWhatStandsThere(t *testing.T) {
	text := "func Total() {\n\tif a {\n\t\treturn 1\n\t}\n}\n\nfunc Sum() {\n\treturn 1\n}\n"
	for name, c := range map[string]struct{ old, says string }{
		"twice":              {"return 1", "old is in the file 2 times, at lines 3, 8: give more"},
		"indented otherwise": {"if a {\n    return 1\n}", "close to it, with other white space, is at line 2. There stands:\n\tif a {\n\t\treturn 1\n\t}"},
		"with numbers":       {"     7\tfunc Sum() {\n     8\t\treturn 1", "without the numbers and tabs that read_file puts"},
		"other case":         {"FUNC sum() {", "in another letter case, is at line 7"},
		"first line alone":   {"func Sum() {\n\treturn 2\n}", "its first line alone, is at line 7. There stands:\nfunc Sum() {\n\treturn 1\n}"},
		"not there at all":   {"nothing like it", "old is not in the file: read the file again"},
		"a hidden secret":    {"key = [redacted]", "stands for a secret that you are not shown"},
		"the same":           {"func Sum", "old and new are the same"},
	} {
		h := newHands(t, map[string]string{"a.go": text})
		now := "x"
		if name == "the same" {
			now = c.old
		}
		args, err := json.Marshal(map[string]any{"path": "a.go", "old": c.old, "new": now})
		must(t, err)
		if why := h.refused(h.turn, "edit_file", string(args)); !strings.Contains(why, c.says) {
			t.Errorf("%s: %s", name, why)
		}
		if h.read("a.go") != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
	h := newHands(t, map[string]string{"a.go": text})
	if r := h.call(h.turn, "edit_file", `{"path":"a.go","old":"return 1","new":"return 2","all":true}`); r.Text != "a.go is changed in 2 places." || strings.Contains(h.read("a.go"), "return 1") {
		t.Errorf("%q: %q", r.Text, h.read("a.go"))
	}
	if why := h.refused(h.turn, "edit_file", `{"path":"b.go","old":"a","new":"b"}`); why != "edit_file: there is no b.go" {
		t.Error(why)
	}
}

func TestLineEndsAndTheMarkOfAFileStay(t *testing.T) {
	h := newHands(t, map[string]string{"win.txt": "\xef\xbb\xbfone\r\ntwo\r\nthree\r\n", "mixed.txt": "one\r\ntwo\nthree\n"})
	h.call(h.turn, "edit_file", `{"path":"win.txt","old":"one\ntwo\n","new":"1\n2\n"}`)
	if got := h.read("win.txt"); got != "\xef\xbb\xbf1\r\n2\r\nthree\r\n" {
		t.Errorf("%q", got)
	}
	h.call(h.turn, "edit_file", `{"path":"mixed.txt","old":"two\nthree","new":"2\n3"}`)
	if got := h.read("mixed.txt"); got != "one\r\n2\n3\n" {
		t.Errorf("%q", got)
	}
	h.call(h.turn, "write_file", `{"path":"win.txt","content":"a\nb\n"}`)
	if got := h.read("win.txt"); got != "\xef\xbb\xbfa\r\nb\r\n" {
		t.Errorf("%q", got)
	}
}

func TestWritingMakesFoldersAndShowsTheNewFile(t *testing.T) {
	h := newHands(t, nil)
	r := h.call(h.turn, "write_file", `{"path":"cart/new/a.go","content":"package a\n"}`)
	if h.read("cart/new/a.go") != "package a\n" || r.Text != "cart/new/a.go is made (1 line)." {
		t.Errorf("%q", r.Text)
	}
	if d := r.View.Diffs[0]; d.Old != nil || *d.New != "package a\n" || h.asked().Kind != engine.KindEdit {
		t.Errorf("shown as %+v", d)
	}
}

func TestAFileThatChangesWhileThePersonLooksIsLeft(t *testing.T) {
	h := newHands(t, map[string]string{"a.go": "one\n"})
	h.turn.decide = func(engine.Permission) engine.Decision {
		h.write("a.go", "the person's\n")
		return engine.Decision{Verdict: engine.Allow}
	}
	for _, call := range [][2]string{{"edit_file", `{"path":"a.go","old":"one","new":"two"}`}, {"write_file", `{"path":"a.go","content":"two\n"}`}} {
		h.write("a.go", "one\n")
		if why := h.refused(h.turn, call[0], call[1]); !strings.Contains(why, "was changed while this was asked for") || h.read("a.go") != "the person's\n" {
			t.Errorf("%s: %s", call[0], why)
		}
	}
}

// A link that is put in the place of what was asked for leads nowhere.
func TestWhatLeadsElsewhereAfterTheYesIsNotTouched(t *testing.T) {
	for _, call := range [][2]string{{"edit_file", `{"path":"a.go","old":"one","new":"two"}`}, {"write_file", `{"path":"a.go","content":"two\n"}`}, {"read_file", `{"path":"a.go"}`}, {"search_files", `{"pattern":"secret","path":"a.go"}`}} {
		h := newHands(t, map[string]string{"a.go": "one\n"})
		outside := filepath.Join(t.TempDir(), "outside")
		must(t, os.WriteFile(outside, []byte("one secret\n"), 0o600))
		h.turn.decide = func(engine.Permission) engine.Decision {
			must(t, os.Remove(h.at("a.go")))
			if err := os.Symlink(outside, h.at("a.go")); err != nil {
				t.Skip(err)
			}
			return engine.Decision{Verdict: engine.Allow}
		}
		if why := h.refused(h.turn, call[0], call[1]); !strings.Contains(why, "it leads somewhere else than a moment ago") {
			t.Errorf("%s: %s", call[0], why)
		}
		if raw, err := os.ReadFile(outside); err != nil || string(raw) != "one secret\n" {
			t.Errorf("%s: the file outside holds %q", call[0], raw)
		}
	}
}

// Both the link and where it leads are named to whoever decides.
func TestALinkIsAskedForWithWhereItLeads(t *testing.T) {
	h := newHands(t, nil)
	outside := filepath.Join(t.TempDir(), "real.txt")
	must(t, os.WriteFile(outside, []byte("one\n"), 0o600))
	outside, err := filepath.EvalSymlinks(outside)
	must(t, err)
	if err := os.Symlink(outside, h.at("link.txt")); err != nil {
		t.Skip(err)
	}
	h.call(h.turn, "edit_file", `{"path":"link.txt","old":"one","new":"two"}`)
	if p := h.asked(); len(p.Paths) != 2 || p.Paths[0] != h.at("link.txt") || p.Paths[1] != outside {
		t.Errorf("asked for %v", p.Paths)
	}
	if info, err := os.Lstat(h.at("link.txt")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is none any more")
	}
	if raw, err := os.ReadFile(outside); err != nil || string(raw) != "two\n" {
		t.Errorf("it holds %q", raw)
	}
}

func TestASecretIsNotReadAndNotWrittenOver(t *testing.T) {
	key := "ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"
	h := newHands(t, map[string]string{".env": "TOKEN=" + key + "\nMODE=dev\n"})
	if r := h.call(h.turn, "read_file", `{"path":".env"}`); strings.Contains(r.Text, key) || !strings.Contains(r.Text, redact.Marker) {
		t.Errorf("%q", r.Text)
	}
	if r := h.call(h.turn, "search_files", `{"pattern":"TOKEN"}`); strings.Contains(r.Text, key) {
		t.Errorf("%q", r.Text)
	}
	if why := h.refused(h.turn, "write_file", `{"path":".env","content":"TOKEN=[redacted]\nMODE=prod\n"}`); !strings.Contains(why, "a secret that you are not shown") {
		t.Error(why)
	}
	h.call(h.turn, "edit_file", `{"path":".env","old":"MODE=dev","new":"MODE=prod"}`)
	if got := h.read(".env"); got != "TOKEN="+key+"\nMODE=prod\n" {
		t.Errorf("%q", got)
	}
}

func FuzzADiffPutsTheFileTogether(f *testing.F) {
	f.Add("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nX\ne\nf\n")
	f.Add("", "x")
	f.Add("a\na\na\na\na\n", "a\na\na\n")
	f.Fuzz(func(t *testing.T, old, now string) {
		d := change{old: []byte(old), now: []byte(now)}.diff()
		lines := strings.SplitAfter(old, "\n")
		if d.Line < 1 || d.Line > len(lines) {
			t.Fatalf("line %d of %d", d.Line, len(lines))
		}
		head := strings.Join(lines[:d.Line-1], "")
		if !strings.HasPrefix(old[len(head):], *d.Old) {
			t.Fatalf("%q is not at line %d of %q", *d.Old, d.Line, old)
		}
		tail := old[len(head)+len(*d.Old):]
		if head+*d.New+tail != now {
			t.Errorf("%q + %q + %q is not %q", head, *d.New, tail, now)
		}
	})
}
