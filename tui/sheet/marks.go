package sheet

import (
	"regexp"
	"strings"
	"sync"
)

// marks are those of Markdown that come up in one line of words. A mark inside a
// word, as in 2**3 or *.go, is none. They are made when the first line with one
// comes: the first screen has none.
type marks struct{ quote, heading, link, open, closing, bold *regexp.Regexp }

var allMarks = sync.OnceValue(func() marks {
	return marks{
		quote:   regexp.MustCompile(`^(> ?)+`),
		heading: regexp.MustCompile(`(^|\s)#{1,6}(\s|$)`),
		link:    regexp.MustCompile(`!?\[([^\[\]]+)\]\([^()\s]*\)`),
		open:    regexp.MustCompile(`(^|[\s(\[“"'])\*{1,3}([\p{L}\p{N}(\[“"'/~$])`),
		closing: regexp.MustCompile(`([^\s*/.])\*{1,3}($|[\s,.:;!?)\]”"'’…—])`),
		bold:    regexp.MustCompile(`([.…])\*{2,3}($|[\s,.:;!?)\]”"'’…—])`),
	}
})

// unmarked is a line of someone's words as they read, without the marks.
func unmarked(line string) string {
	if !strings.ContainsAny(line, "*#`[>") {
		return line
	}
	m := allMarks()
	line = strings.ReplaceAll(line, "`", "")
	line = m.quote.ReplaceAllString(line, "")
	line = m.heading.ReplaceAllString(line, "$1")
	line = m.link.ReplaceAllString(line, "$1")
	line = m.open.ReplaceAllString(line, "$1$2")
	line = m.closing.ReplaceAllString(line, "$1$2")
	line = m.bold.ReplaceAllString(line, "$1$2")
	return strings.TrimSpace(line)
}
