package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func ptr(s string) *string { return &s }

func drawn(lines []string) string { return ansi.Strip(strings.Join(lines, "\n")) }

const (
	goBefore = "func (c *Cart) Total() (Money, error) {\n\tfirst := c.Items[0]\n\treturn first.Price, nil\n}\n"
	goAfter  = "func (c *Cart) Total() (Money, error) {\n\tif len(c.Items) == 0 {\n\t\treturn Zero, nil\n\t}\n\tfirst := c.Items[0]\n\treturn first.Price, nil\n}\n"
)

func TestDiffShowsNumberSignAndText(t *testing.T) {
	got := drawn(Diff(ptr(goBefore), ptr(goAfter), plainTheme(), DiffOptions{Width: 60, Line: 41}))
	want := `  41   func (c *Cart) Total() (Money, error) {
  42 +   if len(c.Items) == 0 {
  43 +     return Zero, nil
  44 +   }
  45     first := c.Items[0]
  46     return first.Price, nil`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestDiffSetsOldAndNewSideBySide(t *testing.T) {
	got := drawn(Diff(ptr("a\nb\nc\n"), ptr("a\nB\nB2\nc\n"), plainTheme(), DiffOptions{Width: 40, Split: true}))
	want := `   1   a                1   a
   2 − b                2 + B
                        3 + B2
   3   c                4   c`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestDiffFoldsWhatIsLongerThanItsLimit(t *testing.T) {
	long := strings.Repeat("line\n", 5000)
	for _, split := range []bool{false, true} {
		lines := Diff(nil, &long, plainTheme(), DiffOptions{Width: 80, Limit: 12, Split: split})
		if len(lines) != 12 {
			t.Fatalf("split %v: %d lines, want 12", split, len(lines))
		}
		if last := ansi.Strip(lines[11]); !strings.Contains(last, "4,989 more lines") {
			t.Errorf("split %v: last line is %q", split, last)
		}
	}
	exact := strings.Repeat("line\n", 12)
	if n := len(Diff(nil, &exact, plainTheme(), DiffOptions{Width: 80, Limit: 12})); n != 12 {
		t.Errorf("what fits is folded: %d lines", n)
	}
}

func TestDiffLeavesUnchangedLinesOut(t *testing.T) {
	before := "a\n" + strings.Repeat("same\n", 20) + "b\n"
	after := "A\n" + strings.Repeat("same\n", 20) + "B\n"
	got := drawn(Diff(&before, &after, plainTheme(), DiffOptions{Width: 40}))
	want := "   1 − a\n   1 + A\n   2   same\n   3   same\n   …\n  20   same\n  21   same\n  22 − b\n  22 + B"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestCountCountsLines(t *testing.T) {
	for _, c := range []struct {
		name           string
		old, new       *string
		added, removed int
	}{
		{"an edit", ptr(goBefore), ptr(goAfter), 3, 0},
		{"a new file", nil, ptr("a\nb\n"), 2, 0},
		{"a removed file", ptr("a\nb"), nil, 0, 2},
		{"no change", ptr("a\n"), ptr("a\n"), 0, 0},
		{"no line feed at the end", ptr("a"), ptr("a\nb"), 1, 0},
		{"nothing at all", nil, nil, 0, 0},
	} {
		if a, r := Count(c.old, c.new); a != c.added || r != c.removed {
			t.Errorf("%s: +%d −%d, want +%d −%d", c.name, a, r, c.added, c.removed)
		}
	}
}

func TestDiffOfHostileFilesStaysInItsLines(t *testing.T) {
	old := "a\x1b[2J\rb\n\x1b]0;x\x07\n"
	fresh := "a\u202e\u2028c\n" + strings.Repeat("界", 80) + "\n"
	for width := 1; width <= 60; width++ {
		for _, split := range []bool{false, true} {
			for _, line := range Diff(&old, &fresh, colourTheme(), DiffOptions{Width: width, Split: split}) {
				checkLine(t, line, width)
			}
		}
	}
}

func TestAroundShowsTheSameChangeFromLess(t *testing.T) {
	var file []string
	for i := range 400 {
		file = append(file, fmt.Sprintf("line %d of the file", i))
	}
	whole := strings.Join(file, "\n") + "\n"
	change := func(from, to int, lines ...string) string {
		return strings.Join(slices.Concat(file[:from], lines, file[to:]), "\n") + "\n"
	}
	for name, after := range map[string]string{
		"in the middle":  change(200, 202, "one", "two", "three"),
		"at the start":   change(0, 1, "one"),
		"at the end":     change(399, 400, "one"),
		"lines go":       change(100, 150),
		"lines come":     change(100, 100, "one", "two"),
		"two places":     strings.Replace(change(50, 51, "one"), "line 300 ", "changed ", 1),
		"nothing":        whole,
		"no last return": strings.TrimSuffix(change(200, 201, "x"), "\n"),
	} {
		for _, line := range []int{0, 1, 41} {
			a, b, at := Around(&whole, &after, line)
			got := drawn(Diff(a, b, plainTheme(), DiffOptions{Width: 80, Line: at}))
			want := drawn(Diff(&whole, &after, plainTheme(), DiffOptions{Width: 80, Line: line}))
			if got != want {
				t.Errorf("%s, line %d:\n%s\nwant:\n%s", name, line, got, want)
			}
			ga, gr := Count(a, b)
			if wa, wr := Count(&whole, &after); ga != wa || gr != wr {
				t.Errorf("%s: +%d −%d, want +%d −%d", name, ga, gr, wa, wr)
			}
			if name != "two places" && name != "no last return" && len(*a)+len(*b) > 4000 {
				t.Errorf("%s: %d bytes are kept", name, len(*a)+len(*b))
			}
		}
	}
	if a, b, line := Around(nil, &whole, 0); a != nil || b != &whole || line != 0 {
		t.Error("a new file is not whole")
	}
}
