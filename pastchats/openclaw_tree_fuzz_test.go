package pastchats

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// FuzzOpenClawTree reads any lines as a transcript: many more a second than with
// files and databases around them.
func FuzzOpenClawTree(f *testing.F) {
	f.Add([]byte(openClawLine("a", "-", "user", "1") + "\n" + openClawLine("b", "a", "assistant", "2") + "\n" + `{"type":"leaf","id":"l","targetId":"a"}` + "\n" + openClawLine("c", "l", "user", "3", "appendMode", "side")))
	f.Add([]byte(`{"type":"session","cwd":"/x","timestamp":"2026-11-18T11:06:40.000Z"}` + "\n" + `{"type":"reset","id":"r","parentId":null}` + "\n" + `{"type":"session_info","name":"x"}`))
	f.Add([]byte(`{"type":"message","id":"a","parentId":"a","message":{"role":"user","content":"[Telegram x] a ⟦openclaw:ctx⟧\n` + "```json\\n```" + `\n<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}}`))
	person := newMarks(commonMarks()...)
	f.Fuzz(func(t *testing.T, lines []byte) {
		tree := newOpenClawTree(newIDHash())
		for line := range bytes.SplitSeq(lines, []byte("\n")) {
			tree.event(parse(line))
		}
		for i, n := range tree.nodes {
			if n.parent >= int32(i) {
				t.Fatalf("entry %d follows %d", i, n.parent)
			}
		}
		var c talk
		tree.give(&c, person)
		for _, m := range c.words {
			if m.text == "" || !utf8.ValidString(m.text) {
				t.Errorf("words %q", m.text)
			}
		}
	})
}
