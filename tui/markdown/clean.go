package markdown

import (
	"strings"

	"conch/plain"
)

// clean makes foreign text harmless, line by line: what a line becomes depends
// on that line alone. So a text that comes in pieces can be cleaned as its lines
// are finished and is the same as if it had been cleaned as a whole, wherever an
// escape sequence was cut.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for {
		line, rest, more := strings.Cut(s, "\n")
		b.WriteString(cleanLine(line, more))
		if !more {
			return b.String()
		}
		b.WriteByte('\n')
		s = rest
	}
}

// cleanLine cleans one line without its line feed. ended says that a line feed
// follows, so that the return before it is a part of the line's end.
func cleanLine(line string, ended bool) string {
	if ended {
		line = strings.TrimSuffix(line, "\r")
	}
	return plain.Text(line)
}

// isClean reports that s is ASCII text without control characters.
func isClean(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}
