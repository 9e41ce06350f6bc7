// Package redact takes secrets out of text. It is pure, linear in the length of
// its input and idempotent, and never fails.
//
// A filter over all fixed beginnings of keys and all labels (filter.go) finds
// where a secret could stand; a small check then looks at the bytes around it.
// Most text has no such place and costs that pass alone. Known beginnings are
// believed in any surroundings, labelled values unless they are plainly none:
// what is missed lands on the disk and in another model's prompt. A password
// without a label or a known beginning cannot be told from a word, and stays.
package redact

import "strings"

// Marker stands where a secret was.
const Marker = "[redacted]"

// Redact returns text with each secret replaced by Marker, and how many were.
// Text without secrets comes back byte for byte the same. It knows shapes and
// labels; a Redactor also knows keys by heart.
func Redact(text string) (clean string, n int) {
	return replace(text, nil)
}

// replace puts Marker where a secret is or a known key stands.
func replace(text string, known []string) (string, int) {
	s := scan{text: text, known: occurrences(text, known)}
	spans := s.find()
	if len(spans) == 0 {
		return text, 0
	}
	var b strings.Builder
	b.Grow(len(text) + len(spans)*len(Marker))
	at := 0
	for _, sp := range spans {
		b.WriteString(text[at:sp.from])
		b.WriteString(Marker)
		at = sp.to
	}
	b.WriteString(text[at:])
	return b.String(), len(spans)
}

// A Span is a secret's place in a text, in bytes: from From up to To.
type Span struct{ From, To int }

// Find gives where the secrets are that Redact takes out, in order and apart, for
// who keeps the text in another form.
func Find(text string) []Span {
	s := scan{text: text}
	var all []Span
	for _, sp := range s.find() {
		all = append(all, Span{sp.from, sp.to})
	}
	return all
}

// span is a secret's place in the text.
type span struct{ from, to int }
