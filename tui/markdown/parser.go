package markdown

import (
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The parser's time grows with the square of what is nested and of the brackets
// in one block, so both have a limit. What is beyond it is text. (Measured with
// goldmark 1.8.7: 20 KB of ">" take 170 ms, of "[a](" 150 ms.)
const (
	maxNesting      = 32
	maxBrackets     = 300
	maxDefinitions  = 300 // lines of definitions in one block
	largeBlock      = 32 << 10
	maxBracketsHuge = 50 // in a block that is longer than largeBlock
)

// commonMark is the parser: CommonMark with tables, strikethrough and task
// lists. It is made once, on first use, and does not change.
var commonMark = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			util.Prioritized(boxes{}, 0),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(fewLinks{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(tildes{}, 500)),
		parser.WithParagraphTransformers(
			util.Prioritized(fewDefinitions{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(tables{}, 200)),
	)
})

// parse reads src. pc may hold link definitions that stand before it; nil is
// none.
func parse(src []byte, pc parser.Context) ast.Node {
	if pc == nil {
		pc = parser.NewContext()
	}
	return commonMark().Parse(text.NewReader(src), parser.WithContext(pc))
}

// shallow opens a list or a quote only where it is not nested too deep.
type shallow struct{ parser.BlockParser }

// Open begins a block.
func (p shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if depth++; depth > maxNesting {
			return nil, parser.NoChildren
		}
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// fewDefinitions reads link definitions where a block is not made of too many.
type fewDefinitions struct{ parser.ParagraphTransformer }

// Transform takes the definitions out of a paragraph.
func (p fewDefinitions) Transform(n *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if n.Lines().Len() <= maxDefinitions {
		p.ParagraphTransformer.Transform(n, reader, pc)
	}
}

// fewLinks takes so many brackets of a block for the beginning of a link.
type fewLinks struct{ parser.InlineParser }

var bracketsKey = parser.NewContextKey()

// Parse reads a link, or a part of one.
func (p fewLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if block.Peek() != ']' {
		n, _ := pc.Get(bracketsKey).(int)
		pc.Set(bracketsKey, n+1)
		if n >= maxBrackets || n >= maxBracketsHuge && p.huge(parent) {
			return nil
		}
	}
	return p.InlineParser.Parse(parent, block, pc)
}

func (p fewLinks) huge(parent ast.Node) bool {
	for parent.Type() == ast.TypeInline {
		parent = parent.Parent()
	}
	lines := parent.Lines()
	return lines.Len() > 0 && lines.At(lines.Len()-1).Stop-lines.At(0).Start > largeBlock
}

// CloseBlock ends the inline text of a block.
func (p fewLinks) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	pc.Set(bracketsKey, nil)
	if c, ok := p.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}
