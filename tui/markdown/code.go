package markdown

import "strings"

const (
	codeIndent = 2
	tabStop    = 4
	maxColour  = 256 << 10 // longer code is not coloured
)

// codeBlock draws code: indented, no frame, long lines go on in the next line.
// lang "" is not coloured.
func (r *renderer) codeBlock(dst []string, text, lang string, width int) []string {
	indent := ""
	if width >= 20 {
		indent = strings.Repeat(" ", codeIndent)
	}
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return dst
	}
	from := len(dst)
	f := r.coloured(text, lang)
	dst = r.cutLines(dst, &f, width-len(indent))
	behind(dst[from:], indent, indent)
	return dst
}

// coloured gives code with the looks of its language.
func (r *renderer) coloured(text, lang string) flow {
	var f flow
	f.add(text, 0, 0)
	return f
}

func (r *renderer) cutLines(dst []string, f *flow, width int) []string {
	return r.wrapped(dst, f, width)
}
