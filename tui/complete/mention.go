package complete

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mention writes a path behind an at sign; one with blanks or quotes in it is
// quoted.
func Mention(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '\\' }) {
		return "@" + path
	}
	return `@"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// Mentions are the paths that a text names with an at sign at the start of a
// word, in order and each once. Signs that end a sentence do not belong to an
// unquoted one.
func Mentions(text string) []string {
	var found []string
	seen := map[string]bool{}
	for i := 0; i < len(text); i++ {
		if text[i] != '@' || !WordStart(text[:i]) {
			continue
		}
		path, n := readMention(text[i+1:])
		if path != "" && !seen[path] {
			seen[path] = true
			found = append(found, path)
		}
		i += n
	}
	return found
}

func readMention(s string) (path string, n int) {
	if strings.HasPrefix(s, `"`) {
		var out strings.Builder
		for i := 1; i < len(s); i++ {
			switch {
			case s[i] == '"':
				return out.String(), i + 1
			case s[i] == '\\' && i+1 < len(s):
				i++
			}
			out.WriteByte(s[i])
		}
		return "", 0
	}
	n = strings.IndexFunc(s, unicode.IsSpace)
	if n < 0 {
		n = len(s)
	}
	return strings.TrimRight(s[:n], `.,;:!?)]}'"`), n
}

// WordStart reports whether a word can begin behind a text.
func WordStart(before string) bool {
	if before == "" {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsSpace(r) || strings.ContainsRune(`([{"'`, r)
}
