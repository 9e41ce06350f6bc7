package markdown

import (
	"hash/fnv"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"conch/tui/cells"
	"conch/tui/theme"
)

// look is how a piece of text looks. Looks add up.
type look uint32

const (
	strong look = 1 << iota
	emph
	strike
	code
	heading
	title // a heading of the first level
	linked
	muted
	added
	removed
	keyword
	str
	number
	comment
	name
	typ
)

// pen writes text with looks. It remembers the sequences of the looks that it
// has written, so that a style is worked out once.
type pen struct {
	th  *theme.Theme
	m   ansi.Method
	seq map[look]string
}

func newPen(th *theme.Theme) pen {
	return pen{th: th, m: th.Widths, seq: make(map[look]string, 8)}
}

// on is the sequence that turns a look on, "" for plain text.
func (p *pen) on(l look) string {
	if l == 0 {
		return ""
	}
	if s, ok := p.seq[l]; ok {
		return s
	}
	var b strings.Builder
	for bit := look(1); bit <= l; bit <<= 1 {
		if l&bit != 0 {
			b.WriteString(theme.Sequence(p.style(bit)))
		}
	}
	p.seq[l] = b.String()
	return p.seq[l]
}

func (p *pen) style(l look) lipgloss.Style {
	th := p.th
	switch l {
	case strong:
		return th.Strong
	case emph:
		return th.Emph
	case strike:
		return lipgloss.NewStyle().Strikethrough(true)
	case code:
		return th.Code
	case heading:
		return th.Heading
	case title:
		return lipgloss.NewStyle().Underline(true)
	case linked:
		return th.Link
	case muted:
		return th.Muted
	case added:
		return th.Added
	case removed:
		return th.Removed
	case keyword:
		return th.Syntax.Keyword
	case str:
		return th.Syntax.String
	case number:
		return th.Syntax.Number
	case comment:
		return th.Syntax.Comment
	case name:
		return th.Syntax.Name
	case typ:
		return th.Syntax.Type
	}
	return lipgloss.NewStyle()
}

// paint gives text one look.
func (p *pen) paint(l look, text string) string {
	on := p.on(l)
	if on == "" || text == "" {
		return text
	}
	return on + text + theme.Reset
}

// flow is text of several looks before it is broken into lines.
type flow struct {
	text  []byte
	runs  []run
	links []string // addresses; a run's link is an index from 1
}

// run is a stretch of a flow, from the end of the one before it.
type run struct {
	end  int
	look look
	link int
}

func (f *flow) add(s string, l look, link int) {
	if s == "" {
		return
	}
	f.text = append(f.text, s...)
	if n := len(f.runs); n > 0 && f.runs[n-1].look == l && f.runs[n-1].link == link {
		f.runs[n-1].end = len(f.text)
		return
	}
	f.runs = append(f.runs, run{len(f.text), l, link})
}

func (f *flow) link(address string) int {
	f.links = append(f.links, address)
	return len(f.links)
}

func (f *flow) clear() {
	f.text, f.runs, f.links = f.text[:0], f.runs[:0], f.links[:0]
}

// wrapped draws a flow as lines of at most width cells.
func (p *pen) wrapped(dst []string, f *flow, width int) []string {
	s := string(f.text)
	for _, sp := range wrap(nil, p.m, s, width) {
		dst = append(dst, p.line(f, s, sp, width))
	}
	return dst
}

// line draws one stretch of a flow, whose text is s.
func (p *pen) line(f *flow, s string, sp span, width int) string {
	if sp.start >= sp.end {
		return ""
	}
	var b strings.Builder
	from := sp.start
	for _, r := range f.runs {
		if r.end <= from {
			continue
		}
		end := min(r.end, sp.end)
		if end < sp.end {
			end = p.whole(s, sp, from, end)
		}
		p.piece(&b, f, s[from:end], r)
		from = end
		if from >= sp.end {
			break
		}
	}
	return fit(p.m, b.String(), width)
}

// piece writes one run's part of a line.
func (p *pen) piece(b *strings.Builder, f *flow, s string, r run) {
	link := ""
	if r.link > 0 && p.th.Links {
		link = f.links[r.link-1]
	}
	if link != "" {
		b.WriteString(ansi.SetHyperlink(link, "id="+linkID(link)))
	}
	if on := p.on(r.look); on != "" {
		b.WriteString(on)
		b.WriteString(s)
		b.WriteString(theme.Reset)
	} else {
		b.WriteString(s)
	}
	if link != "" {
		b.WriteString(ansi.ResetHyperlink())
	}
}

// whole moves a boundary between looks to the end of the cluster that it is in:
// a sequence in the middle of a joined character would take it apart.
func (p *pen) whole(s string, sp span, from, at int) int {
	if s[at] < 0x80 {
		return at
	}
	for pos := from; pos < sp.end; {
		if pos >= at {
			return pos
		}
		c, _ := cells.First(p.m, s[pos:sp.end])
		pos += len(c)
	}
	return sp.end
}

// linkID joins the lines of one link for the terminal.
func linkID(address string) string {
	h := fnv.New32a()
	h.Write([]byte(address))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// fit is the last guard of the promise on width: no line leaves wider than it.
func fit(m ansi.Method, line string, width int) string {
	if len(line) <= width || cells.Width(m, line) <= width {
		return line
	}
	return cells.Cut(m, line, width, "")
}
