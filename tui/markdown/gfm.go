package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// What GitHub's Markdown adds to CommonMark, as far as agents write it. goldmark
// has it too (extension, 1.8.7), but that package compiles patterns whenever a
// program starts, which is a part of the time to the first paint that can be
// felt. A test holds these to it.

// tildes reads ~~struck out~~ text.
type tildes struct{}

// Trigger is what begins it.
func (tildes) Trigger() []byte { return []byte{'~'} }

// Parse reads one or two tildes.
func (t tildes) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, 1, t)
	if d == nil || d.OriginalLength > 2 || before == '~' {
		return nil
	}
	d.Segment = segment.WithStop(segment.Start + d.OriginalLength)
	block.Advance(d.OriginalLength)
	pc.PushDelimiter(d)
	return d
}

// IsDelimiter, CanOpenCloser and OnMatch pair tildes.
func (tildes) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser reports that two delimiters belong together.
func (tildes) CanOpenCloser(opener, closer *parser.Delimiter) bool { return opener.Char == closer.Char }

// OnMatch makes the node between two delimiters.
func (tildes) OnMatch(int) ast.Node { return east.NewStrikethrough() }

// boxes reads the [ ] and [x] at the beginning of a list item.
type boxes struct{}

// Trigger is what begins it.
func (boxes) Trigger() []byte { return []byte{'['} }

// Parse reads a box.
func (boxes) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	item := parent.Parent()
	if item == nil || item.Kind() != ast.KindListItem || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 3 || line[2] != ']' {
		return nil
	}
	switch line[1] {
	case ' ', '\t', 'x', 'X', '\n':
	default:
		return nil
	}
	n := 3
	for n < len(line) && util.IsSpace(line[n]) {
		n++
	}
	block.Advance(n)
	return east.NewTaskCheckBox(line[1] == 'x' || line[1] == 'X')
}

// tables makes a table of a paragraph whose second line, or a later one, is a
// row of dashes.
type tables struct{}

// Transform splits the paragraph.
func (tables) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, src := p.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		align := alignments(lines.At(i), src)
		if align == nil {
			continue
		}
		head := tableRow(lines.At(i-1), src, align, true)
		if head.ChildCount() != len(align) {
			return
		}
		t := east.NewTable()
		t.Alignments = align
		t.SetPos(lines.At(i - 1).Start)
		t.SetBlankPreviousLines(i == 1 && p.HasBlankPreviousLines())
		t.AppendChild(t, east.NewTableHeader(head))
		for k := i + 1; k < lines.Len(); k++ {
			t.AppendChild(t, tableRow(lines.At(k), src, align, false))
		}
		parent := p.Parent()
		parent.InsertAfter(parent, p, t)
		lines.SetSliced(0, i-1)
		if i == 1 {
			parent.RemoveChild(parent, p)
			return
		}
		last := lines.At(i - 2)
		last.Stop-- // its line feed
		lines.Set(i-2, last)
		return
	}
}

// alignments reads a row of dashes, nil when it is none: |:--|:-:|
func alignments(line text.Segment, src []byte) []east.Alignment {
	s := line.Value(src)
	if w, _ := util.IndentWidth(s, 0); w > 3 {
		return nil
	}
	if len(bytes.Trim(s, " \t\r\n\v\f-|:")) > 0 || len(bytes.Trim(s, "-")) == 0 {
		return nil
	}
	cols := bytes.Split(s, []byte{'|'})
	if util.IsBlank(cols[0]) {
		cols = cols[1:]
	}
	if n := len(cols); n > 0 && util.IsBlank(cols[n-1]) {
		cols = cols[:n-1]
	}
	var out []east.Alignment
	for _, c := range cols {
		c = bytes.TrimSpace(c)
		left, right := bytes.HasPrefix(c, []byte{':'}), bytes.HasSuffix(c, []byte{':'})
		dashes := bytes.TrimSuffix(bytes.TrimPrefix(c, []byte{':'}), []byte{':'})
		if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
			return nil
		}
		a := east.AlignNone
		switch {
		case left && right:
			a = east.AlignCenter
		case left:
			a = east.AlignLeft
		case right:
			a = east.AlignRight
		}
		out = append(out, a)
	}
	return out
}

// tableRow reads the cells of a line. A row has as many as there are columns;
// the head has those that it has.
func tableRow(line text.Segment, src []byte, align []east.Alignment, head bool) *east.TableRow {
	row := east.NewTableRow(align)
	row.SetPos(line.Start)
	line = line.TrimLeftSpace(src)
	line = line.TrimRightSpace(src)
	s := src[line.Start:line.Stop]
	at, end := 0, len(s)
	if end > 0 && s[0] == '|' {
		at = 1
	}
	if end > 0 && s[end-1] == '|' {
		end--
	}
	for at < end && (head || row.ChildCount() < len(align)) {
		stop := at
		for stop < end && (s[stop] != '|' || stop > 0 && s[stop-1] == '\\') {
			stop++
		}
		cell := east.NewTableCell()
		cell.SetPos(line.Start + at)
		if i := row.ChildCount(); i < len(align) {
			cell.Alignment = align[i]
		}
		seg := text.NewSegment(line.Start+at, line.Start+stop)
		seg = seg.TrimLeftSpace(src)
		seg = seg.TrimRightSpace(src)
		cell.Lines().Append(seg)
		row.AppendChild(row, cell)
		at = stop + 1
	}
	for row.ChildCount() < len(align) {
		row.AppendChild(row, east.NewTableCell())
	}
	return row
}
