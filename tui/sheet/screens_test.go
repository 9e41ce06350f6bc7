package sheet

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"conch/tui/theme"
)

var update = flag.Bool("update", false, "write the golden screens")

func TestScreens(t *testing.T) {
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	rows := append(someRows(),
		Row{ID: "list", Provider: "gemini-cli", Folder: "/home/dev/notes", Title: "Launch list for the checkout", LastWords: "Here is the list, in the order in which things must happen.", Updated: at("2026-08-12T10:00:00Z"), Past: true},
		Row{ID: "wide", Provider: "qwen", Folder: "/home/dev/日本語", Branch: "main", Title: "界界界 👨\u200d👩\u200d👧\u200d👦 family e\u0301", LastWords: "한글 中文", Updated: at("2026-11-26T10:00:00Z"), Messages: 1},
		Row{ID: "open", Provider: "demo", Folder: "/home/dev/shop", Title: "", LastWords: "first words of a chat without a title", Updated: at("2026-11-29T21:00:00Z"), Open: true},
	)
	words := []string{"▌ the cart total panics when it's", "  empty, can we return zero?", "", "  Yes. A zero total for an empty cart", "  is what checkout expects."}
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"60x16", 60, 16}} {
		var out strings.Builder
		show := func(title string, rows []Row, do func(d *desk)) {
			d := newDesk(t, rows...)
			d.w = size.width
			do(d)
			d.Lines(size.width, size.height, now)
			if row, w, ok := d.Preview(); ok {
				d.SetPreview(row.ID, w, words)
			}
			out.WriteString("== " + title + "\n")
			lines := d.Lines(size.width, size.height, now)
			x, y := d.Cursor()
			for i, l := range lines {
				l = ansi.Strip(l)
				if i == y {
					l = ansi.Cut(l, 0, x) + "█" + ansi.Cut(l, x+1, size.width)
				}
				out.WriteString(strings.TrimRight(l, " ") + "\n")
			}
		}
		show("chats", rows, func(*desk) {})
		show("filtered", rows, func(d *desk) { d.typing("checkout"); d.press("down") })
		show("a past chat, its preview", rows, func(d *desk) { d.typing("rounding"); d.press("tab") })
		show("all in one", rows, func(d *desk) { d.press("alt+a", "down", "down") })
		show("a new name", rows, func(d *desk) { d.press("f6"); d.typing(" é界") })
		show("delete?", rows, func(d *desk) { d.press("down", "down", "delete") })
		show("deleted", rows[:3], func(d *desk) { d.Deleted(rows[3]) })
		show("no such words", rows, func(d *desk) { d.typing("zzz") })
		show("none yet", nil, func(*desk) {})
		golden(t, size.name+".txt", out.String())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with go test -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (- golden, + now):\n%s", path, diff)
	}
}

func TestNothingIsSaidByColourAlone(t *testing.T) {
	bare := New(theme.New(false, false, theme.ASCII()), "/home/dev/shop")
	bare.SetRows(someRows())
	screen := strings.Join(bare.Lines(100, 20, now), "\n")
	if strings.ContainsAny(ansi.Strip(screen), "●○⋯▌─│…") {
		t.Errorf("signs that a poor terminal doesn't have:\n%s", screen)
	}
	for _, part := range []string{"working", "|: codex · shop", "* codex · shop"} {
		if !strings.Contains(ansi.Strip(screen), part) {
			t.Errorf("%q is missing:\n%s", part, ansi.Strip(screen))
		}
	}
}
