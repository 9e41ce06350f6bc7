package pastchats

import (
	"cmp"
	"slices"
	"strings"
)

// hermesWords gathers a session's messages, and then gives the words in their
// order.
type hermesWords struct {
	person *marks
	rows   []hermesSaid
	met    map[int64]bool // ids of rows
}

type hermesSaid struct {
	id    int64
	role  Role
	text  string
	at    float64 // seconds
	dated bool
}

// give puts the messages in order, by time or only by id, and takes out what no
// person and no model said. routine: all of it is a routine's run.
func (w *hermesWords) give(byID bool) (said []message, routine bool) {
	slices.SortStableFunc(w.rows, func(a, b hermesSaid) int {
		if byID {
			return cmp.Compare(a.id, b.id)
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
	})
	type copied struct {
		role Role
		text string
		at   float64
	}
	seen := map[copied]bool{}
	skip := false // the answer to the program's own review
	for _, r := range w.rows {
		text := r.text
		if r.role == User {
			text = w.person.strip(text)
			skip = strings.HasPrefix(text, "Review the conversation above and ")
			if strings.HasPrefix(text, "[IMPORTANT: You are running as a scheduled cron job") {
				return nil, true
			}
			text = hermesPerson(text)
		} else if hermesSummary(text) {
			continue
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if r.role == Assistant && skip {
			skip = false
			continue
		}
		// a compaction copies the messages that it keeps, with their times
		if key := (copied{r.role, text, r.at}); r.dated && r.at > 0 {
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		m := message{role: r.role, text: text}
		if r.dated {
			m.at = hermesTime(r.at)
		}
		said = append(said, m)
	}
	return said, false
}

// hermesSummary tells a compaction's summary.
func hermesSummary(text string) bool {
	return startsWithAny(text, "[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:", "[PRIOR CONTEXT")
}

func startsWithAny(text string, beginnings ...string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(text, b) })
}

// hermesPerson gives what the person said in a text that the program may have
// written, "" when all of it is the program's.
func hermesPerson(text string) string {
	switch {
	case hermesSummary(text):
		return ""
	case startsWithAny(text, `[IMPORTANT: The user has invoked the "`, `[SYSTEM: The user has invoked the "`):
		const before = "The user has provided the following instruction alongside the skill invocation: "
		i := strings.LastIndex(text, before)
		if i < 0 {
			return ""
		}
		text, _, _ = strings.Cut(text[i+len(before):], "\n\n[Runtime note:")
		return text
	case startsWithAny(text, "[IMPORTANT: Background process", "[ASYNC DELEGATION", "[System note", "[SYSTEM:",
		"[Your active task list was preserved", "[Continuing toward your standing goal]", "Review the conversation above and "):
		return ""
	}
	return text
}

// hermesContent is a message's text: as it is, or after a NUL a list of parts.
func hermesContent(content []byte) string {
	if rest, ok := strings.CutPrefix(string(content), "\x00json:"); ok {
		return textParts(parse([]byte(rest)))
	}
	return strings.TrimSpace(valid(string(content)))
}

// hermesItems is the text of an answer that is only in its items. What was said
// in a phase before the last is thinking aloud.
func hermesItems(items value) string {
	var said []string
	items.items(func(item value) bool {
		phase := item.get("phase")
		if item.get("type").is("message") && (phase.text() == "" || phase.is("final_answer") || phase.is("final")) {
			if text := textParts(item.get("content")); text != "" {
				said = append(said, text)
			}
		}
		return true
	})
	return strings.Join(said, "\n\n")
}
