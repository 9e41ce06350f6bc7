// Package redact takes secrets out of text. It is pure, linear in the length of
// its input and idempotent, and never fails.
//
// One pass of an automaton over all fixed beginnings of keys (prefixes.go) finds
// where one could stand; a small check then looks at the bytes around it. Most
// text has no such place and costs that pass alone. Known beginnings are
// believed in any surroundings: what is missed lands on the disk and in another
// model's prompt. A password without a label or a known beginning cannot be told
// from a word, and stays.
package redact

import "strings"

// Marker stands where a secret was.
const Marker = "[redacted]"

// Redact returns text with each secret replaced by Marker, and how many were.
// Text without secrets comes back byte for byte the same.
func Redact(text string) (clean string, n int) {
	s := scan{text: text}
	spans := s.find()
	if len(spans) == 0 {
		return text, 0
	}
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, sp := range spans {
		b.WriteString(text[at:sp.from])
		b.WriteString(Marker)
		at = sp.to
	}
	b.WriteString(text[at:])
	return b.String(), len(spans)
}

// span is a secret's place in the text.
type span struct{ from, to int }

// scan is one look through a text.
type scan struct {
	text  string
	done  int // the end of the newest span: what lies before it is not looked at again
	spans []span
	runs  [alphabets]span // the run of each alphabet that was looked at last
	word  map[string]bool // words that were looked for in the whole text
	end   span            // where the next end of a PEM block was looked for, and found
}

func (s *scan) find() []span {
	m := anchors()
	text, state := s.text, uint16(0)
	for i := 0; i < len(text); i++ {
		state = m.next[int(state)<<m.shift|int(m.class[text[i]])]
		if state < m.ends {
			continue
		}
		for _, r := range m.rules[state-m.ends] {
			p := &m.table[r]
			from, to, ok := s.check(p, i+1-len(p.text))
			if !ok {
				continue
			}
			s.spans = append(s.spans, span{from, to})
			s.done = to
			i, state = to-1, 0
			break
		}
	}
	return s.spans
}

// check looks whether a secret with the prefix's text at start is there.
func (s *scan) check(p *prefix, start int) (from, to int, ok bool) {
	body := start + len(p.text)
	if start < s.done || !p.anyCase && s.text[start:body] != p.text {
		return 0, 0, false
	}
	if !p.free && !s.beginsAt(start) {
		return 0, 0, false
	}
	if p.look != nil {
		from, to, ok = p.look(s, start, body)
		return from, to, ok && from >= s.done && to > from
	}
	to = s.run(p.alphabet, body)
	if to-body < p.min || !s.varied(body, to, p.weak) {
		return 0, 0, false
	}
	return start, to, true
}
