package pastchats

import (
	"regexp"
	"strings"
	"sync"
)

// Both are compiled when they are first used: most runs of the program read no chats
// of OpenClaw's.
var (
	openClawDate    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d`) })
	openClawChannel = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(Telegram|WhatsApp|WebChat|Signal|Slack|Discord|Google Chat|iMessage|Teams|Matrix|Zalo) `)
	})
)

// openClawPerson gives what the person said in a message that the program put its
// own words around, "" when all of it is the program's.
func openClawPerson(text string) string {
	text = cutBetween(text, "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>")
	text = strings.TrimSpace(openClawOwnLines(text))
	if strings.HasPrefix(text, "[") {
		// brackets of other kinds are the person's
		head := text[1:min(len(text), 1024)]
		if inside, _, ok := strings.Cut(head, "]"); ok && !strings.Contains(inside, "\n") &&
			(openClawDate().MatchString(inside) || openClawChannel().MatchString(inside)) {
			text = strings.TrimSpace(text[len(inside)+2:])
		}
	}
	if startsWithAny(text, "Read HEARTBEAT.md if it exists", "Pre-compaction memory flush", "[Inter-session message]") {
		return ""
	}
	return text
}

// openClawAnswer is an answer's text, "" for one that says that there is none.
func openClawAnswer(text string) string {
	text = strings.TrimSpace(text)
	if strings.EqualFold(text, "NO_REPLY") || strings.EqualFold(text, "HEARTBEAT_OK") {
		return ""
	}
	return text
}

// cutBetween takes out all that stands between two marks, and them. A mark that is
// not closed is text.
func cutBetween(text, from, to string) string {
	var out strings.Builder
	for {
		i := strings.Index(text, from)
		if i < 0 {
			break
		}
		j := strings.Index(text[i+len(from):], to)
		if j < 0 {
			break
		}
		out.WriteString(text[:i])
		text = text[i+len(from)+j+len(to):]
	}
	if out.Len() == 0 {
		return text
	}
	out.WriteString(text)
	return out.String()
}

// openClawOwnLines takes out the lines of the program: blocks of context, each a line
// that ends in a mark and then a fenced block or lines up to a blank one, and the
// lines that name a message's id.
func openClawOwnLines(text string) string {
	const mark = "⟦openclaw:ctx⟧"
	if !strings.Contains(text, mark) && !strings.Contains(text, "[message_id:") {
		return text
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	open := false // a fence that nothing closes
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case strings.HasSuffix(line, mark):
			end := -1
			if i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "```") && !open {
				for j := i + 2; j < len(lines); j++ {
					if strings.TrimSpace(lines[j]) == "```" {
						end = j
						break
					}
				}
				open = end < 0
			}
			if end < 0 {
				for end = i; end+1 < len(lines) && strings.TrimSpace(lines[end+1]) != ""; {
					end++
				}
			}
			i = end
		case strings.HasPrefix(line, "[message_id:") && strings.IndexByte(line, ']') == len(line)-1:
		default:
			kept = append(kept, lines[i])
		}
	}
	return strings.Join(kept, "\n")
}
