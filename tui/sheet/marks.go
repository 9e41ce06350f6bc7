package sheet

import (
	"regexp"
	"strings"
)

// The marks of Markdown that come up in one line of words. A mark inside a word,
// as in 2**3 or *.go, is none.
var (
	quoteMark   = regexp.MustCompile(`^(> ?)+`)
	headingMark = regexp.MustCompile(`(^|\s)#{1,6}(\s|$)`)
	linkMark    = regexp.MustCompile(`!?\[([^\[\]]+)\]\([^()\s]*\)`)
	openMark    = regexp.MustCompile(`(^|[\s(\[“"'])\*{1,3}([\p{L}\p{N}(\[“"'/~$])`)
	closeMark   = regexp.MustCompile(`([^\s*/.])\*{1,3}($|[\s,.:;!?)\]”"'’…—])`)
	boldMark    = regexp.MustCompile(`([.…])\*{2,3}($|[\s,.:;!?)\]”"'’…—])`)
)

// unmarked is a line of someone's words as they read, without the marks.
func unmarked(line string) string {
	if !strings.ContainsAny(line, "*#`[>") {
		return line
	}
	line = strings.ReplaceAll(line, "`", "")
	line = quoteMark.ReplaceAllString(line, "")
	line = headingMark.ReplaceAllString(line, "$1")
	line = linkMark.ReplaceAllString(line, "$1")
	line = openMark.ReplaceAllString(line, "$1$2")
	line = closeMark.ReplaceAllString(line, "$1$2")
	line = boldMark.ReplaceAllString(line, "$1$2")
	return strings.TrimSpace(line)
}
