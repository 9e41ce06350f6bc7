package markdown

import "strings"

// scanMarkup looks at HTML and XML: names of tags, of attributes, their values.
func scanMarkup(s string, put func(end int, l look)) {
	for i := 0; i < len(s); {
		open := strings.IndexByte(s[i:], '<')
		if open < 0 {
			return
		}
		i += open
		put(i, 0)
		if strings.HasPrefix(s[i:], "<!--") {
			i = closeAt(s, i, "-->")
			put(i, comment)
			continue
		}
		end := i + 1
		for end < len(s) && strings.IndexByte("/!?", s[end]) >= 0 {
			end++
		}
		from := end
		for end < len(s) && isTagByte(s[end]) {
			end++
		}
		if end == from {
			i++
			continue
		}
		put(from, 0)
		put(end, keyword)
		i = scanAttributes(s, end, put)
	}
}

func scanAttributes(s string, i int, put func(end int, l look)) int {
	for i < len(s) {
		switch c := s[i]; {
		case c == '>':
			return i + 1
		case c == '<':
			return i
		case c == '"' || c == '\'':
			put(i, 0)
			i = closeAt(s, i+1, string(c))
			put(i, str)
		case isTagByte(c):
			put(i, 0)
			for i < len(s) && isTagByte(s[i]) {
				i++
			}
			put(i, typ)
		default:
			i++
		}
	}
	return i
}

func isTagByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '-' || c == ':' || c == '_' || c == '.' || c == '@'
}

// scanDiff looks at the lines of a patch.
func scanDiff(s string, put func(end int, l look)) {
	for i := 0; i < len(s); {
		end := lineEnd(s, i)
		line := s[i:end]
		l := look(0)
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
			l = muted
		case strings.HasPrefix(line, "@@"):
			l = typ
		case strings.HasPrefix(line, "+"):
			l = added
		case strings.HasPrefix(line, "-"):
			l = removed
		}
		put(end, l)
		i = end + 1
		put(min(i, len(s)), 0)
	}
}

// scanJSON looks at JSON, where a string before a colon is a key.
func scanJSON(s string, put func(end int, l look)) {
	g := language{line: []string{"//"}, block: slashStar, keywords: set("true false null")}
	for i := 0; i < len(s); {
		from := i
		if s[i] != '"' {
			end, l := g.token(s, i, false)
			if l != 0 {
				put(from, 0)
				put(end, l)
			}
			i = end
			continue
		}
		end := double.end(s, i+1)
		if end == 0 {
			end = lineEnd(s, i)
		}
		l := str
		if rest := strings.TrimLeft(s[min(end, len(s)):], " "); strings.HasPrefix(rest, ":") {
			l = typ
		}
		put(from, 0)
		put(end, l)
		i = end
	}
}

// scanConsole looks at a session: the prompt is quiet, the rest as it is.
func scanConsole(s string, put func(end int, l look)) {
	for i := 0; i < len(s); {
		end := lineEnd(s, i)
		if strings.HasPrefix(s[i:], "$ ") || strings.HasPrefix(s[i:], "# ") || strings.HasPrefix(s[i:], "> ") {
			put(i+1, muted)
		}
		i = min(end+1, len(s))
		put(i, 0)
	}
}
