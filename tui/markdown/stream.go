package markdown

import (
	"bytes"
	"maps"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"

	"conch/tui/theme"
)

// Stream draws a text while it grows. The blocks before a safe cut can't change
// any more and stay drawn; the rest is drawn again each time.
type Stream struct {
	r     *renderer
	width int

	src     []byte // cleaned; its last line may be unfinished
	whole   int    // length of the finished lines in src
	partial []byte // the unfinished line as it came

	cut   int      // src[:cut] is settled
	lines []string // of the settled text, then of the rest
	kept  int      // lines of the settled text
	fresh bool     // lines are those of all that was written

	defs  definitions // link definitions in the settled text
	drawn definitions // those that the settled lines were drawn with
}

// definitions are link definitions by label; the value tells them apart.
type definitions map[string]parser.Reference

// NewStream begins an empty text.
func NewStream(width int, th *theme.Theme) *Stream {
	return &Stream{r: newRenderer(th), width: max(width, 1)}
}

// Write adds a piece. It may end anywhere, in the middle of a character or of an
// escape sequence too.
func (s *Stream) Write(delta string) {
	if delta == "" {
		return
	}
	s.fresh = false
	s.src = s.src[:s.whole]
	for {
		line, rest, more := strings.Cut(delta, "\n")
		if !more {
			s.partial = append(s.partial, delta...)
			return
		}
		if len(s.partial) > 0 {
			s.partial = append(s.partial, line...)
			line = string(s.partial)
			s.partial = s.partial[:0]
		}
		s.src = append(s.src, cleanLine(line, true)...)
		s.src = append(s.src, '\n')
		s.whole = len(s.src)
		delta = rest
	}
}

// SetWidth draws for another width from now on.
func (s *Stream) SetWidth(width int) {
	if width = max(width, 1); width != s.width {
		s.width = width
		s.restart()
	}
}

// SetTheme draws with another theme from now on.
func (s *Stream) SetTheme(th *theme.Theme) {
	if th != s.r.th {
		s.r = newRenderer(th)
		s.restart()
	}
}

func (s *Stream) restart() {
	s.cut, s.kept, s.fresh = 0, 0, false
	s.defs, s.drawn = nil, nil
}

// Lines are those of Render over all that was written. The slice is valid until
// the next call of a method.
func (s *Stream) Lines() []string {
	if s.fresh {
		return s.lines
	}
	s.fresh = true
	s.src = append(s.src[:s.whole], cleanLine(string(s.partial), false)...)
	doc, all := s.parse()
	if s.cut > 0 && !maps.EqualFunc(all, s.drawn, sameDefinition) {
		// A definition can make text far above it a link.
		s.restart()
		s.fresh = true
		doc, all = s.parse()
	}
	s.drawn = all
	s.draw(doc)
	return s.lines
}

// parse reads what is not settled, and gives all link definitions with it.
func (s *Stream) parse() (ast.Node, definitions) {
	s.r.src = s.src[s.cut:]
	pc := parser.NewContext()
	for _, ref := range s.defs {
		pc.AddReference(ref)
	}
	doc := parse(s.r.src, pc)
	refs := pc.References()
	if len(refs) == 0 {
		return doc, nil
	}
	all := make(definitions, len(refs))
	for _, ref := range refs {
		all[string(ref.Label())] = ref
	}
	return doc, all
}

func sameDefinition(a, b parser.Reference) bool {
	return bytes.Equal(a.Destination(), b.Destination())
}

// draw draws the blocks and moves the cut behind those that are settled.
func (s *Stream) draw(doc ast.Node) {
	open, at := s.lastSafe(doc)
	lines := s.lines[:s.kept]
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if n == open {
			s.settle(doc, open, at, len(lines))
		}
		if n == doc.FirstChild() && len(lines) > 0 {
			body := s.r.block(nil, n, s.width)
			if len(body) > 0 {
				lines = append(append(lines, ""), body...)
			}
			continue
		}
		lines = s.r.next(lines, 0, n, s.width)
	}
	s.lines = lines
}

// settle moves the cut to src[at] of the text that was parsed, where open begins.
func (s *Stream) settle(doc, open ast.Node, at, lines int) {
	if len(s.drawn) > 0 {
		for n := doc.FirstChild(); n != open; n = n.NextSibling() {
			s.keepDefinitions(n)
		}
	}
	s.cut += at
	s.kept = lines
}

func (s *Stream) keepDefinitions(n ast.Node) {
	// The walker never fails, so there is no error to handle.
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if def, ok := n.(*ast.LinkReferenceDefinition); ok && entering {
			if ref, ok := s.drawn[string(def.Label)]; ok {
				if s.defs == nil {
					s.defs = make(definitions)
				}
				s.defs[string(def.Label)] = ref
			}
		}
		return ast.WalkContinue, nil
	})
}

// lastSafe finds the last block before which the text may be cut, and where it
// begins. What stands before it can't change: the block begins on a finished
// line at the left edge, after an empty line, and being a block of the document
// it is in no fence, list, quote or HTML block that is still open; an empty line
// before it means that no paragraph above can become a heading or a definition.
func (s *Stream) lastSafe(doc ast.Node) (open ast.Node, at int) {
	src := s.r.src
	whole := s.whole - s.cut
	for n := doc.LastChild(); n != nil && n.PreviousSibling() != nil; n = n.PreviousSibling() {
		pos := n.Pos()
		if pos <= 0 || pos >= len(src) || pos <= n.PreviousSibling().Pos() {
			continue
		}
		start := bytes.LastIndexByte(src[:pos], '\n') + 1
		end := bytes.IndexByte(src[pos:], '\n')
		if end < 0 || pos+end >= whole || start == 0 {
			continue
		}
		before := src[:start-1]
		before = before[bytes.LastIndexByte(before, '\n')+1:]
		if len(bytes.TrimSpace(before)) == 0 && len(bytes.TrimLeft(src[start:pos], " ")) == 0 {
			return n, start
		}
	}
	return nil, 0
}
