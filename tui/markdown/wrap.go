package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"conch/tui/cells"
)

// span is a stretch of a text, in bytes.
type span struct{ start, end int }

// wrap breaks s into stretches of at most width cells: at line feeds, at blanks,
// in scripts that are written without blanks where their rules allow it, and
// inside a word only when it is too long for a line of its own. The blanks at a
// break belong to no line. A text that ends in a line feed ends in no empty line.
func wrap(dst []span, m ansi.Method, s string, width int) []span {
	width = max(width, 1)
	for at := 0; at < len(s); {
		end := len(s)
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			end = at + i
		}
		if isASCII(s[at:end]) {
			dst = wrapASCII(dst, s, at, end, width)
		} else {
			dst = wrapUnicode(dst, m, s, at, end, width)
		}
		at = end + 1
	}
	return dst
}

func wrapASCII(dst []span, s string, at, end, width int) []span {
	for {
		if end-at <= width {
			return append(dst, span{at, trimEnd(s, at, end)})
		}
		brk := at + width
		for brk > at && s[brk] != ' ' {
			brk--
		}
		if trimEnd(s, at, brk) == at { // no blank after a word: break the word
			dst = append(dst, span{at, at + width})
			at += width
			continue
		}
		dst = append(dst, span{at, trimEnd(s, at, brk)})
		for at = brk; at < end && s[at] == ' '; at++ {
		}
		if at == end {
			return dst
		}
	}
}

func wrapUnicode(dst []span, m ansi.Method, s string, at, end, width int) []span {
	start, used := at, 0 // of the line that is being filled
	flush := func(to int) {
		dst = append(dst, span{start, trimEnd(s, start, to)})
	}
	for at < end {
		next := breakAfter(s, at, end)
		word := trimEnd(s, at, next)
		w := cells.Width(m, s[at:word])
		if used > 0 && used+w > width {
			flush(at)
			start, used = at, 0
		}
		if w > width { // too long for any line: break inside
			for at < word {
				c, cw := cells.First(m, s[at:word])
				if used > 0 && used+cw > width {
					flush(at)
					start, used = at, 0
				}
				used += cw
				at += len(c)
			}
		} else {
			used += w
		}
		used += next - word // blanks
		at = next
	}
	flush(end)
	return dst
}

// breakAfter is the end of the shortest stretch from at after which a line may
// end, with the blanks behind it. Between two ASCII characters that is only at a
// blank: options and names with a dash stay whole.
func breakAfter(s string, at, end int) int {
	state := -1
	for rest := s[at:end]; ; {
		var seg string
		seg, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		at += len(seg)
		if rest == "" || s[at-1] == ' ' || s[at-1] >= utf8.RuneSelf || s[at] >= utf8.RuneSelf {
			return at
		}
	}
}

// trimEnd is end without the blanks before it.
func trimEnd(s string, start, end int) int {
	for end > start && s[end-1] == ' ' {
		end--
	}
	return end
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
