package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine"
)

// hands is a turn of a model that has none of its own, in a folder with files.
type hands struct {
	*world
	turn   *aTurn
	folder string
}

// newHands makes the folder. The names are slash paths; one that ends in / is a folder.
func newHands(t *testing.T, files map[string]string) *hands {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "shop")
	must(t, os.MkdirAll(folder, 0o755))
	folder, err := filepath.EvalSymlinks(folder)
	must(t, err)
	h := &hands{world: &world{t: t, home: t.TempDir(), kit: &Kit{Environ: os.Environ()}}, folder: folder}
	h.turn = &aTurn{chat: "c1", folder: folder, handless: true}
	for name, text := range files {
		h.write(name, text)
	}
	return h
}

func (h *hands) at(name string) string { return filepath.Join(h.folder, filepath.FromSlash(name)) }

func (h *hands) write(name, text string) {
	h.t.Helper()
	if strings.HasSuffix(name, "/") {
		must(h.t, os.MkdirAll(h.at(name), 0o755))
		return
	}
	must(h.t, os.MkdirAll(filepath.Dir(h.at(name)), 0o755))
	must(h.t, os.WriteFile(h.at(name), []byte(text), 0o644))
}

func (h *hands) read(name string) string {
	h.t.Helper()
	raw, err := os.ReadFile(h.at(name))
	must(h.t, err)
	return string(raw)
}

// asked is the one permission that was asked for.
func (h *hands) asked() engine.Permission {
	h.t.Helper()
	if len(h.turn.permissions) != 1 {
		h.t.Fatalf("%d permissions were asked for, want 1", len(h.turn.permissions))
	}
	return h.turn.permissions[0]
}

// sayNo declines all that is asked for.
func (h *hands) sayNo() {
	h.turn.decide = func(engine.Permission) engine.Decision {
		return engine.Decision{Verdict: engine.Deny, Reason: "you said no"}
	}
}

// R-102-33: only a model without hands is offered them, in an order that stays.
func TestOnlyAModelWithoutHandsIsGivenThem(t *testing.T) {
	h := newHands(t, nil)
	names := func() (list []string) {
		for _, each := range h.kit.For(h.turn) {
			list = append(list, each.Name())
		}
		return list
	}
	got := strings.Join(names(), " ")
	h.turn.handless = false
	if without := strings.Join(names(), " "); !strings.HasPrefix(got, without+" ") || strings.Contains(without, "read_file") {
		t.Errorf("with hands of its own: %s; without: %s", without, got)
	}
}

func TestAFileIsReadWithTheNumbersOfItsLines(t *testing.T) {
	h := newHands(t, map[string]string{"cart/a.go": "\xef\xbb\xbfpackage cart\r\n\r\nfunc A() {}\r\n"})
	r := h.call(h.turn, "read_file", `{"path":"cart/a.go"}`)
	if want := "     1\tpackage cart\n     2\t\n     3\tfunc A() {}"; r.Text != want {
		t.Errorf("%q", r.Text)
	}
	if p := h.asked(); p.Tool != "Read" || p.Kind != engine.KindRead || p.Subject != "cart/a.go" || len(p.Paths) != 1 || p.Paths[0] != h.at("cart/a.go") {
		t.Errorf("asked for %+v", p)
	}
	row := engine.RowOf(h.tool(h.turn, "read_file"), "1", []byte(`{"path":"cart/a.go"}`))
	if row.Name != "Read" || row.Kind != engine.KindRead || row.Subject != "cart/a.go" || r.View.Result != "3 lines" {
		t.Errorf("the row is %+v, %q", row, r.View.Result)
	}
}

func TestALongFileIsReadInParts(t *testing.T) {
	h := newHands(t, map[string]string{"long.txt": strings.Repeat("word\n", 2500), "wide.txt": strings.Repeat(strings.Repeat("x", 1000)+"\n", 300), "one.txt": strings.Repeat("y", 200_000)})
	if r := h.call(h.turn, "read_file", `{"path":"long.txt"}`); !strings.HasSuffix(r.Text, "[Lines 1 to 2000 of 2500. Go on with offset 2001.]") {
		t.Errorf("ends with %q", r.Text[len(r.Text)-80:])
	}
	if r := h.call(h.turn, "read_file", `{"path":"long.txt","offset":2001}`); !strings.HasPrefix(r.Text, "  2001\tword\n") || !strings.HasSuffix(r.Text, "[Lines 2001 to 2500, the end of the file.]") {
		t.Errorf("the rest: %q", r.Text)
	}
	if r := h.call(h.turn, "read_file", `{"path":"wide.txt"}`); len(r.Text) > maxBytes+200 || !strings.Contains(r.Text, "of 300. Go on with offset") {
		t.Errorf("%d bytes at once: %q", len(r.Text), r.Text[len(r.Text)-80:])
	}
	if r := h.call(h.turn, "read_file", `{"path":"one.txt"}`); len(r.Text) > 3000 || !strings.Contains(r.Text, "the line goes on") {
		t.Errorf("one line of %d bytes", len(r.Text))
	}
	if why := h.refused(h.turn, "read_file", `{"path":"long.txt","offset":3000}`); !strings.Contains(why, "long.txt, which has 2500 lines, got 3000") {
		t.Error(why)
	}
}

func TestListingNamesWhatIsLeftOut(t *testing.T) {
	h := newHands(t, map[string]string{".gitignore": "node_modules\n*.log\n", "a.go": "x", "b.log": "x", "node_modules/x/y.js": "x", "sub/c.go": "x", ".git/config": "x", ".env": "x"})
	r := h.call(h.turn, "list", `{}`)
	if want := ".env\n.gitignore\na.go\nsub/\n\n[Left out by .gitignore: b.log, node_modules/.]"; r.Text != want {
		t.Errorf("%q", r.Text)
	}
	r = h.call(h.turn, "list", `{"depth":8,"all":true}`)
	if want := ".env\n.gitignore\na.go\nb.log\nnode_modules/\nnode_modules/x/\nnode_modules/x/y.js\nsub/\nsub/c.go"; r.Text != want {
		t.Errorf("%q", r.Text)
	}
}

func TestSearchingFindsLinesWithTheirPlaces(t *testing.T) {
	h := newHands(t, map[string]string{
		".gitignore": "dist/\n", "a.go": "package a\n\nfunc Total() {}\nfunc Sum() {}\n", "sub/b.go": "// Total of (all)\n", "dist/c.go": "Total", "d.bin": "Total\x00", "readme.md": "Total\n",
	})
	for args, want := range map[string]string{
		`{"pattern":"Total"}`:                              "a.go:3:func Total() {}\nreadme.md:1:Total\nsub/b.go:1:// Total of (all)",
		`{"pattern":"func \\w+\\(\\)","context":1}`:        "a.go-2-\na.go:3:func Total() {}\na.go:4:func Sum() {}",
		`{"pattern":"(all)","plain":true}`:                 "sub/b.go:1:// Total of (all)",
		`{"pattern":"total","glob":"*.{go,txt}"}`:          "Nothing fits.\n\n[7 files and folders were looked at.]",
		`{"pattern":"total","ignore_case":true,"limit":1}`: "a.go:3:func Total() {}\n\n[There is more: narrow it by path or glob, or raise limit.]",
		`{"pattern":"Total","files_only":true}`:            "a.go: 1 line\nreadme.md: 1 line\nsub/b.go: 1 line",
		`{"glob":"**/*.go"}`:                               "a.go\nsub/b.go",
		`{"glob":"sub/*.go"}`:                              "sub/b.go",
		`{"pattern":"^func","path":"a.go"}`:                "a.go:3:func Total() {}\na.go:4:func Sum() {}",
	} {
		if r := h.call(h.turn, "search_files", args); r.Text != want {
			t.Errorf("%s gives %q, want %q", args, r.Text, want)
		}
	}
	if why := h.refused(h.turn, "search_files", `{"pattern":"a(b"}`); !strings.Contains(why, "pattern: wanted a regular expression (RE2), got one with missing closing )") {
		t.Error(why)
	}
}
