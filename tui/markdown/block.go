package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"conch/tui/cells"
	"conch/tui/theme"
)

// renderer walks a tree and makes lines.
type renderer struct {
	pen
	src     []byte
	depth   int // of lists and quotes
	inTable bool
	flow    flow
}

func newRenderer(th *theme.Theme) *renderer {
	return &renderer{pen: newPen(th)}
}

// maxDepth is how deep lists and quotes are indented; what is deeper stands as
// deep as this.
const maxDepth = 10

// blocks draws the children of a node. An empty line stands where the source
// has one.
func (r *renderer) blocks(dst []string, parent ast.Node, width int) []string {
	first := len(dst)
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		dst = r.next(dst, first, n, width)
	}
	return dst
}

// next draws one block after those that begin at dst[first:].
func (r *renderer) next(dst []string, first int, n ast.Node, width int) []string {
	at := len(dst)
	if at > first && n.HasBlankPreviousLines() {
		dst = append(dst, "")
	}
	body := len(dst)
	dst = r.block(dst, n, width)
	if len(dst) == body {
		return dst[:at] // a block that shows nothing leaves no gap
	}
	return dst
}

func (r *renderer) block(dst []string, n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		l := heading
		if n.Level == 1 {
			l |= title
		}
		return r.paragraph(dst, n, l, width)
	case *ast.Paragraph, *ast.TextBlock:
		return r.paragraph(dst, n, 0, width)
	case *ast.List:
		return r.list(dst, n, width)
	case *ast.Blockquote:
		return r.inside(dst, n, "> ", "> ", muted, width)
	case *ast.FencedCodeBlock:
		lang := ""
		if r.closed(n) {
			lang = string(n.Language(r.src))
		}
		return r.codeBlock(dst, rawText(n, r.src), lang, width)
	case *ast.CodeBlock:
		return r.codeBlock(dst, rawText(n, r.src), "", width)
	case *ast.HTMLBlock:
		s := rawText(n, r.src)
		if n.HasClosure() {
			s += string(n.ClosureLine.Value(r.src))
		}
		return r.text(dst, strings.TrimRight(blanks(s), "\n"), 0, width)
	case *ast.ThematicBreak:
		return append(dst, r.paint(muted, strings.Repeat(r.th.Signs.Rule, min(width, 40))))
	case *east.Table:
		return r.table(dst, n, width)
	case *ast.LinkReferenceDefinition:
		return dst
	}
	return r.blocks(dst, n, width)
}

// paragraph draws a block of inline text.
func (r *renderer) paragraph(dst []string, n ast.Node, l look, width int) []string {
	r.flow.clear()
	r.inline(&r.flow, n, l, 0)
	r.bareLinks(&r.flow)
	return r.wrapped(dst, &r.flow, width)
}

// text draws text of one look.
func (r *renderer) text(dst []string, s string, l look, width int) []string {
	r.flow.clear()
	r.flow.add(s, l, 0)
	return r.wrapped(dst, &r.flow, width)
}

// inside draws the children of a node behind a mark, which stands before the
// first line, and rest before the others.
func (r *renderer) inside(dst []string, n ast.Node, mark, rest string, l look, width int) []string {
	w := cells.Width(r.m, mark)
	if r.depth >= maxDepth || w >= width {
		mark, rest, w = "", "", 0
	}
	from := len(dst)
	r.depth++
	dst = r.blocks(dst, n, width-w)
	r.depth--
	if len(dst) == from && mark != "" {
		dst = append(dst, "")
	}
	behind(dst[from:], r.marked(l, mark), r.marked(l, rest))
	return dst
}

// marked is a mark with its look; its blanks have none.
func (r *renderer) marked(l look, mark string) string {
	t := strings.TrimRight(mark, " ")
	return r.paint(l, t) + mark[len(t):]
}

// behind puts marks before lines. No line ends in a blank because of it.
func behind(lines []string, mark, rest string) {
	for i, line := range lines {
		if i > 0 {
			mark = rest
		}
		if line == "" {
			lines[i] = strings.TrimRight(mark, " ")
		} else {
			lines[i] = mark + line
		}
	}
}

func (r *renderer) list(dst []string, n *ast.List, width int) []string {
	number, digits := n.Start, 0
	if n.IsOrdered() {
		digits = len(strconv.Itoa(n.Start + n.ChildCount() - 1))
	}
	first := len(dst)
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if len(dst) > first && !n.IsTight {
			dst = append(dst, "")
		}
		mark := r.th.Signs.Bullet + " "
		if n.IsOrdered() {
			s := strconv.Itoa(number) + string(n.Marker) + " "
			mark = strings.Repeat(" ", max(digits+2-len(s), 0)) + s
			number++
		} else if box := takeBox(item); box != "" {
			mark = box + " "
		}
		dst = r.inside(dst, item, mark, strings.Repeat(" ", cells.Width(r.m, mark)), muted, width)
	}
	return dst
}

// takeBox takes the box of a task out of an item, "" when it has none: it stands
// where others have a bullet.
func takeBox(item ast.Node) string {
	if item.FirstChild() == nil {
		return ""
	}
	box, ok := item.FirstChild().FirstChild().(*east.TaskCheckBox)
	if !ok {
		return ""
	}
	item.FirstChild().RemoveChild(item.FirstChild(), box)
	if box.IsChecked {
		return "[x]"
	}
	return "[ ]"
}

// closed reports that a fence has its end: only then is the code coloured, so
// that it is done once.
func (r *renderer) closed(n *ast.FencedCodeBlock) bool {
	pos := n.Pos()
	if pos < 0 || pos >= len(r.src) {
		return false
	}
	fence := r.src[pos]
	after := pos
	if l := n.Lines(); l.Len() > 0 {
		after = l.At(l.Len()-1).Stop - 1
	}
	i := bytes.IndexByte(r.src[max(after, 0):], '\n')
	if i < 0 {
		return false
	}
	line, _, _ := bytes.Cut(r.src[after+i+1:], []byte("\n"))
	line = bytes.TrimLeft(line, " \t>")
	return len(line) >= 3 && line[0] == fence && line[1] == fence && line[2] == fence
}
