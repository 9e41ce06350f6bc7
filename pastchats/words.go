package pastchats

import (
	"strings"
	"unicode"
)

// commonMarks are the blocks that every app's programs put into a person's turn.
func commonMarks() []string {
	return []string{
		"system-reminder", "command-name", "command-message", "command-args",
		"local-command-stdout", "local-command-stderr", "local-command-caveat", "environment_context",
		"user_instructions", "ide_selection", "ide_opened_file", "turn_aborted",
	}
}

// marks takes whole, well-formed blocks (<name …>…</name>) out of a person's
// text, wherever they stand. It is made once for a set of names and may be used
// by several goroutines. An opening mark without its closing one is text.
type marks struct {
	names []string
	ends  []string // </name>
}

func newMarks(names ...string) *marks {
	m := &marks{names: names}
	for _, n := range names {
		m.ends = append(m.ends, "</"+n+">")
	}
	return m
}

// strip gives the text without the blocks, trimmed of white space and U+FEFF.
// It is linear in the text's length: where a block's end was looked for and not
// found it is not looked for again.
func (m *marks) strip(text string) string {
	var out strings.Builder
	var none []bool // by name: no end from here on
	kept := 0       // text[:kept] is in out or taken out
	for i := 0; i < len(text); {
		j := strings.IndexByte(text[i:], '<')
		if j < 0 {
			break
		}
		i += j
		which, body := m.opens(text, i)
		if which < 0 {
			i++
			continue
		}
		if none == nil {
			none = make([]bool, len(m.names))
		}
		end := -1
		if !none[which] {
			end = strings.Index(text[body:], m.ends[which])
		}
		if end < 0 {
			none[which] = true
			i = body
			continue
		}
		out.WriteString(text[kept:i])
		i = body + end + len(m.ends[which])
		kept = i
	}
	if kept == 0 {
		return trim(text)
	}
	out.WriteString(text[kept:])
	return trim(out.String())
}

// opens says which name's opening mark stands at i, -1 for none, and where the
// mark is over.
func (m *marks) opens(text string, i int) (which, body int) {
	rest := text[i+1:]
	for k, name := range m.names {
		if !strings.HasPrefix(rest, name) || len(rest) == len(name) {
			continue
		}
		switch rest[len(name)] {
		case '>':
			return k, i + 1 + len(name) + 1
		case ' ', '\t', '\n', '\r':
			// No mark holds another: that keeps a row of open ones linear.
			end := strings.IndexAny(rest[len(name):], "<>")
			if end < 0 || rest[len(name)+end] == '<' {
				return -1, 0
			}
			if rest[len(name)+end-1] == '/' {
				return -1, 0
			}
			return k, i + 1 + len(name) + end + 1
		}
	}
	return -1, 0
}

// trim takes white space and U+FEFF off both ends.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '\ufeff' || unicode.IsSpace(r) })
}
