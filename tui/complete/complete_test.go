package complete

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"conch/tui/theme"
)

func labels(l *List, n int) []string {
	var out []string
	for i := range min(n, l.Len()) {
		out = append(out, l.item(l.match(i).index).Label)
	}
	return out
}

func files(paths ...string) *List {
	l := &List{}
	l.SetFiles(&Files{Paths: paths})
	return l
}

func TestTheBestMatchComesFirst(t *testing.T) {
	paths := []string{"cart/", "cart/service.go", "cart/service_test.go", "docs/cart.md", "internal/search/rank.go", "main.go", "Makefile", "a/very/long/path/that/has/every/letter/service.go", "日本語/ファイル.txt"}
	for _, c := range []struct{ query, want string }{
		{"serv", "cart/service.go"},
		{"servt", "cart/service_test.go"},
		{"cart", "cart/"},
		{"make", "Makefile"},
		{"MAIN", "main.go"},
		{"c/s", "cart/service.go"},
		{"rank", "internal/search/rank.go"},
		{"ファ", "日本語/ファイル.txt"},
	} {
		l := files(paths...)
		l.Filter(c.query)
		got, ok := l.Selected()
		if !ok || got.Insert != c.want {
			t.Errorf("%q finds %q first, want %q (all: %q)", c.query, got.Insert, c.want, labels(l, 9))
		}
	}
}

func TestNoFilterShowsAllInTheirOrder(t *testing.T) {
	l := &List{}
	l.SetItems([]Item{{Label: "/zoo"}, {Label: "/all"}})
	l.Filter("")
	if diff := cmp.Diff([]string{"/zoo", "/all"}, labels(l, 9)); diff != "" {
		t.Error(diff)
	}
}

func TestACommandThatIsTypedWholeIsFirst(t *testing.T) {
	l := &List{}
	l.SetItems([]Item{{Label: "/modelling"}, {Label: "/model"}, {Label: "/mode"}})
	l.Filter("/mode")
	if diff := cmp.Diff([]string{"/mode", "/model", "/modelling"}, labels(l, 9)); diff != "" {
		t.Error(diff)
	}
}

func TestTypingOnNarrowsAndGoesBack(t *testing.T) {
	var paths []string
	for i := range 3000 {
		paths = append(paths, fmt.Sprintf("dir%d/file%d.go", i%40, i))
	}
	l, fresh := files(paths...), files(paths...)
	for _, q := range []string{"f", "fi", "fil", "fil1", "fil12", "fil1", "f", "x", "xy", "", "g"} {
		l.Filter(q)
		fresh.query, fresh.broad = "", nil
		fresh.refilter(q)
		if diff := cmp.Diff(labels(fresh, 50), labels(l, 50)); diff != "" {
			t.Fatalf("after %q:\n%s", q, diff)
		}
	}
}

func TestSelectionStopsAtTheEndsAndStaysInView(t *testing.T) {
	var items []Item
	for i := range 30 {
		items = append(items, Item{Label: fmt.Sprintf("item %d", i)})
	}
	l := &List{}
	l.SetItems(items)
	th := theme.New(false, false, theme.Unicode())
	l.Key(tea.KeyPressMsg{Code: tea.KeyUp})
	for range 40 {
		l.Key(tea.KeyPressMsg{Code: tea.KeyDown})
		lines := l.Lines(th, 30, 5)
		it, _ := l.Selected()
		if len(lines) != 5 || !strings.Contains(ansi.Strip(strings.Join(lines, "\n")), "▌ "+it.Label) {
			t.Fatalf("%q is not in view:\n%s", it.Label, strings.Join(lines, "\n"))
		}
	}
	if l.Position() != 30 {
		t.Errorf("at %d", l.Position())
	}
	l.Filter("nothing like it")
	l.Move(1)
	if _, ok := l.Selected(); ok || l.Lines(th, 30, 5) != nil {
		t.Error("an empty list has a selection or rows")
	}
}

func TestRowsFillTheWidthExactly(t *testing.T) {
	l := &List{}
	l.SetItems([]Item{
		{Label: "/handoff", Detail: "show what was handed over", Hint: "[chat]"},
		{Label: "日本語のファイル名.txt", Detail: "👨\u200d👩\u200d👧\u200d👦 family"},
		{Label: "界界界界界界界界界界界界界界界界界界", Detail: "é ä"},
		{Label: "evil\x1b]0;pwned\x07\x1b[2J", Detail: "\u202eright to left"},
	})
	paths := files("a/very/long/日本語/path/👩🏽\u200d🚀.go", "b\x1b[10A.txt")
	paths.Filter("g")
	for _, m := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		th := theme.New(false, true, theme.Unicode())
		th.Widths = m
		for width := 1; width <= 200; width++ {
			for i, line := range append(l.Lines(th, width, 8), paths.Lines(th, width, 8)...) {
				if got := m.StringWidth(line); got != width {
					t.Fatalf("row %d at width %d has %d cells: %q", i, width, got, line)
				}
				if strings.ContainsAny(ansi.Strip(line), "\x1b\x07\u202e") || strings.Contains(line, "\x1b]") || strings.Contains(line, "\x1b[2J") {
					t.Fatalf("a sequence from outside: %q", line)
				}
			}
		}
	}
}

func TestMentionsAreWrittenAndReadAlike(t *testing.T) {
	paths := []string{"cart/service.go", "with blank/a b.txt", `q"uote`, `back\slash`, "日本語 名.txt", "line\nbreak"}
	var text strings.Builder
	for _, p := range paths {
		text.WriteString("look at " + Mention(p) + " and ")
	}
	if diff := cmp.Diff(paths, Mentions(text.String())); diff != "" {
		t.Error(diff)
	}
	got := Mentions("mail me@example.com, see @main.go, (@docs/a.md) and @main.go.")
	if diff := cmp.Diff([]string{"main.go", "docs/a.md"}, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkFilterHundredThousandFiles(b *testing.B) {
	var paths []string
	for i := range 100_000 {
		paths = append(paths, fmt.Sprintf("packages/module%d/src/component%d/index%d.tsx", i%300, i%17, i))
	}
	for _, q := range []string{"i", "in", "index9", "comp9tsx"} {
		b.Run(q, func(b *testing.B) {
			for range b.N {
				l := files(paths...)
				l.Filter(q)
			}
		})
	}
}
