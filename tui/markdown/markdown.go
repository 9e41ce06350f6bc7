// Package markdown draws Markdown and diffs as lines for a terminal: wrapped at
// a width in cells, coloured with a theme, and harmless, since all text passes
// plain on its way in.
//
// Render draws a whole text. A Stream draws a text that grows: what can no
// longer change is kept drawn and only the end is drawn again; both give the
// same lines. No line has a border character, so that a selection with the mouse
// takes the text alone. The package does no input or output and starts nothing.
package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"conch/tui/theme"
)

// Render draws Markdown as lines of at most width cells. No line holds a line
// break. A width below 1 counts as 1.
func Render(src string, width int, th *theme.Theme) []string {
	r := newRenderer(th)
	r.src = []byte(clean(src))
	return r.blocks(nil, parse(r.src, nil), max(width, 1))
}

// CodeBlocks gives the text of each fenced or indented block of code, in order.
func CodeBlocks(src string) []string {
	b := []byte(clean(src))
	var blocks []string
	// The walker never fails, so there is no error to handle.
	_ = ast.Walk(parse(b, nil), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if k := n.Kind(); entering && (k == ast.KindFencedCodeBlock || k == ast.KindCodeBlock) {
			blocks = append(blocks, rawText(n, b))
		}
		return ast.WalkContinue, nil
	})
	return blocks
}

// rawText is the text of a block whose lines are not parsed any further.
func rawText(n ast.Node, src []byte) string {
	var b strings.Builder
	lines := n.Lines()
	if k := lines.Len(); k > 0 {
		b.Grow(lines.At(k-1).Stop - lines.At(0).Start + 1)
	}
	for i := range lines.Len() {
		seg := lines.At(i)
		b.Write(seg.Value(src))
	}
	return b.String()
}
