package engine

import (
	"encoding/json"
	"strings"

	"conch/plain"
	"conch/redact"
)

// maxSubject is what a row says of a call's arguments, in characters.
const maxSubject = 200

// telling are the arguments that say what a call is about, the most telling first.
var telling = []string{"command", "path", "query", "pattern", "url", "title", "text", "memory", "chat", "id", "name"}

// SubjectOf is what a row says of the arguments of a call whose tool says nothing of
// them: the most telling word among them, on one line. "" for none.
func SubjectOf(args json.RawMessage) string {
	var o map[string]any
	if json.Unmarshal(args, &o) != nil {
		return ""
	}
	for _, key := range telling {
		if s, ok := o[key].(string); ok && strings.TrimSpace(s) != "" {
			clean, _ := redact.Redact(plain.Line(s, 4*maxSubject))
			return plain.Line(clean, maxSubject)
		}
	}
	return ""
}
