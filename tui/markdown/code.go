package markdown

import (
	"strings"

	"conch/tui/cells"
)

const (
	codeIndent = 2
	tabStop    = 4
	maxColour  = 256 << 10 // longer code is not coloured
)

// codeBlock draws code: indented, no frame, long lines go on in the next line.
// Code with lang "" is not coloured.
func (r *renderer) codeBlock(dst []string, text, lang string, width int) []string {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return dst
	}
	indent := ""
	if width >= 20 {
		indent = strings.Repeat(" ", codeIndent)
	}
	text = expandTabs(text, tabStop)
	g := r.grammar(text, lang)
	if g == nil {
		return r.bareCode(dst, text, indent, width)
	}
	f := flow{text: []byte(text)}
	g.scan(text, f.until)
	f.until(len(text), 0)
	from := len(dst)
	dst = r.hardWrapped(dst, &f, width-len(indent))
	behind(dst[from:], indent, indent)
	return dst
}

// grammar is what code is coloured by, nil for none.
func (r *renderer) grammar(text, lang string) *language {
	if lang == "" || !r.th.Colours || len(text) > maxColour {
		return nil
	}
	return languageOf(lang)
}

// bareCode draws code without colours. A block that streams in is drawn by it
// again and again, so it takes no more than it must.
func (r *renderer) bareCode(dst []string, text, indent string, width int) []string {
	width = max(width-len(indent), 1)
	for line := range strings.SplitSeq(text, "\n") {
		for first := true; first || line != ""; first = false {
			next := cutAt(&r.pen, line, 0, len(line), width)
			part := fit(r.m, line[:trimEnd(line, 0, next)], width)
			if part != "" {
				part = indent + part
			}
			dst = append(dst, part)
			line = line[next:]
		}
	}
	return dst
}

// until gives the text up to a byte a look, from where the last one ends.
func (f *flow) until(end int, l look) {
	n := len(f.runs)
	switch {
	case n > 0 && f.runs[n-1].end >= end, end == 0:
	case n > 0 && f.runs[n-1].look == l:
		f.runs[n-1].end = end
	default:
		f.runs = append(f.runs, run{end: end, look: l})
	}
}

// hardWrapped draws a flow line by line, each broken at the width wherever that
// is: in code every blank counts.
func (p *pen) hardWrapped(dst []string, f *flow, width int) []string {
	width = max(width, 1)
	s := string(f.text)
	for at := 0; at <= len(s); {
		end := len(s)
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			end = at + i
		}
		for first := true; first || at < end; first = false {
			next := cutAt(p, s, at, end, width)
			dst = append(dst, p.line(f, s, span{at, trimEnd(s, at, next)}, width))
			at = next
		}
		at = end + 1
	}
	return dst
}

// cutAt is how far a line of width cells reaches.
func cutAt(p *pen, s string, at, end, width int) int {
	if end-at <= width && isASCII(s[at:end]) {
		return end
	}
	for used, pos := 0, at; pos < end; {
		c, w := cells.First(p.m, s[pos:end])
		if used += w; used > width && pos > at {
			return pos
		}
		pos += len(c)
	}
	return end
}

// expandTabs makes tabs blanks up to the next stop, of at most 16 cells. The stops are counted in
// characters, which is right where it shows: before the text of a line.
func expandTabs(s string, stop int) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 3*strings.Count(s, "\t"))
	column, from := 0, 0
	for i, c := range s {
		switch c {
		case '\t':
			n := stop - column%stop
			b.WriteString(s[from:i])
			b.WriteString("                "[:n])
			column += n
			from = i + 1
		case '\n':
			column = 0
		default:
			column++
		}
	}
	b.WriteString(s[from:])
	return b.String()
}
