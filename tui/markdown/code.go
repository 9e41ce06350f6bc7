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
	from := len(dst)
	f := r.coloured(expandTabs(text, tabStop), lang)
	dst = r.hardWrapped(dst, &f, width-len(indent))
	behind(dst[from:], indent, indent)
	return dst
}

// coloured gives code with the looks of its language.
func (r *renderer) coloured(text, lang string) flow {
	f := flow{text: []byte(text)}
	if lang != "" && r.th.Colours && len(text) <= maxColour {
		if g := languageOf(lang); g != nil {
			g.scan(text, f.until)
		}
	}
	f.until(len(text), 0)
	return f
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

// expandTabs makes tabs blanks up to the next stop. The stops are counted in
// characters, which is right where it shows: before the text of a line.
func expandTabs(s string, stop int) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	column := 0
	for _, c := range s {
		switch c {
		case '\t':
			n := stop - column%stop
			for range n {
				b.WriteByte(' ')
			}
			column += n
		case '\n':
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteRune(c)
			column++
		}
	}
	return b.String()
}
