package markdown

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var goldmarks = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()
})

// drawnByReference draws what goldmark's own extensions read.
func drawnByReference(src string, width int) []string {
	r := newRenderer(colourTheme())
	r.src = []byte(clean(src))
	return r.blocks(nil, goldmarks().Parse(text.NewReader(r.src)), width)
}

func withoutBlank(lines []string) []string {
	return slices.DeleteFunc(lines, func(s string) bool { return s == "" })
}

func checkReference(t *testing.T, src string) {
	t.Helper()
	// goldmark forgets the empty line before a table, so those are not compared.
	got, want := withoutBlank(Render(src, 60, colourTheme())), withoutBlank(drawnByReference(src, 60))
	if !slices.Equal(got, want) {
		t.Errorf("%q:\n%s\ngoldmark:\n%s", src, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var gfm = []string{
	"| a | b |\n|---|:-:|\n| 1 | 2 | 3 |\n| x |\n|\n",
	"a | b\n-|-\n`x \\| y` | z \\| w\n",
	"text\n| a |\n|---|\n| b |\n\nafter",
	"|a|\n|-|\n|b|\n|-|\n|c|",
	"| a | b |\n|---|\n| 1 | 2 |",
	"| a |\n|---|---|\n| 1 |",
	"a\n:-:\nb",
	"a\n---\nb",
	"- | a |\n  |---|\n  | b |\n",
	"> | a |\n> |---|\n> | b |\n",
	"|a|\n    |-|\n",
	"| a |\n| :- - |\n",
	"|  |\n|--|\n||\n",
	"~~a~~ ~b~ ~~~c~~~ ~~d~ a~~b~~c ~~ e ~~ ~~*f*~~",
	"- [ ] a\n- [x] b\n- [X]c\n- [y] d\n- [ ]\n- x [ ] y\n1. [x] one\n\n[ ] no\n\n> - [\t] tab\n",
	"- **[x]** a\n- [x](y) b\n- [ ] [x] c\n",
}

func TestTablesStrikesAndTasksAreReadAsGoldmarkReadsThem(t *testing.T) {
	for _, src := range append(slices.Clone(gfm), seeds...) {
		checkReference(t, src)
	}
}

func FuzzTablesStrikesAndTasks(f *testing.F) {
	for _, src := range gfm {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 300 || strings.Count(src, "[") > maxBracketsHuge {
			t.Skip()
		}
		checkReference(t, src)
	})
}
