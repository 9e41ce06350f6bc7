package tools

import (
	"regexp"
	"strings"
)

// expression is a glob as a regular expression of a whole slash path: * and ? stay
// within one name, ** as a name of its own stands for any folders, {a,b} is not known.
func expression(glob string) string {
	var b strings.Builder
	b.WriteString(`\A(?s:`)
	for i := 0; i < len(glob); {
		rest := glob[i:]
		switch c := glob[i]; {
		case strings.HasPrefix(rest, "**/") && (i == 0 || glob[i-1] == '/'):
			b.WriteString(`(?:[^/]+/)*`)
			i += 3
		case rest == "**" && i > 0 && glob[i-1] == '/':
			b.WriteString(`.+`)
			i += 2
		case c == '*':
			b.WriteString(`[^/]*`)
			for i < len(glob) && glob[i] == '*' {
				i++
			}
		case c == '?':
			b.WriteString(`[^/]`)
			i++
		case c == '[':
			set, n := class(rest)
			b.WriteString(set)
			i += n
		case c == '\\' && len(rest) > 1:
			n := runeLen(rest[1:])
			b.WriteString(regexp.QuoteMeta(rest[1 : 1+n]))
			i += 1 + n
		default:
			n := runeLen(rest)
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			i += n
		}
	}
	b.WriteString(`)\z`)
	return b.String()
}

func runeLen(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

// class is a set in brackets and its length; a bracket that is never closed stands
// for itself.
func class(s string) (string, int) {
	end := 1
	if end < len(s) && (s[end] == '!' || s[end] == '^') {
		end++
	}
	if end < len(s) && s[end] == ']' {
		end++
	}
	for end < len(s) && s[end] != ']' {
		if s[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s) {
		return `\[`, 1
	}
	inner := s[1:end]
	var b strings.Builder
	b.WriteByte('[')
	if strings.HasPrefix(inner, "!") || strings.HasPrefix(inner, "^") {
		b.WriteString("^/")
		inner = inner[1:]
	}
	for i, c := range inner {
		if c == '[' || c == ']' || c == '^' || c == '&' || c == '~' || c == '-' && (i == 0 || i == len(inner)-1) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	b.WriteByte(']')
	if _, err := regexp.Compile(b.String()); err != nil {
		return `\[`, 1
	}
	return b.String(), end + 1
}
