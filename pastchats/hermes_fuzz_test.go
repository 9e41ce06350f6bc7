package pastchats

import (
	"path/filepath"
	"testing"
)

// FuzzHermes reads any message and settings of a database, and any chat of files.
func FuzzHermes(f *testing.F) {
	h, db := fuzzHome(f, hermesPlace, hermesTables...)
	fill(f, db, hermesS{id: "root", endReason: "compression"}.row(), hermesS{id: "next", parent: "root", started: 5}.row())
	for i, session := range []string{"root", "root", "next", "next", "next"} {
		fill(f, db, hermesM{id: i + 1, session: session, role: []string{"user", "assistant"}[i%2], content: "words"}.row())
	}
	for _, seed := range []struct{ content, items, config, file string }{
		{"\x00json:[{\"type\":\"text\",\"text\":\"hi\"}]", `[{"type":"message","phase":"final","content":[{"type":"output_text","text":"x"}]}]`, `{"_branched_from":"root"}`, `{"session_id":"x","session_start":"2026-01-10T10:10:10.500000","messages":[{"role":"user","content":"hi"}]}`},
		{"[IMPORTANT: The user has invoked the \"x\" skill]\nThe user has provided the following instruction alongside the skill invocation: do\n\n[Runtime note:", "", `{"_reset_from":1}`, `{"role":"session_meta","model":"m"}` + "\n" + `{"role":"assistant","content":[{"text":"x"}],"timestamp":1780000000.5}` + "\n" + `{"ro`},
		{"Review the conversation above and x", "null", "", "[]"},
		{"[CONTEXT COMPACTION", "[", "{", ""},
	} {
		f.Add([]byte(seed.content), []byte(seed.items), seed.config, []byte(seed.file), hermesAt, "user")
	}
	f.Fuzz(func(t *testing.T, content, items []byte, config string, file []byte, at float64, kind string) {
		for _, name := range []string{"session_f.json", "f.jsonl", "l.jsonl"} {
			put(t, filepath.Join(h.Dir, ".hermes/sessions", name), string(file))
		}
		set(db, "UPDATE sessions SET model_config = ?, title = ?, cwd = ? WHERE id = 'next'", config, kind, string(content))
		set(db, "UPDATE sessions SET ended_at = ?, source = ? WHERE id = 'root'", at, kind)
		set(db, "UPDATE messages SET content = ?, codex_message_items = ?, timestamp = ? WHERE id IN (2, 4)", content, items, at)
		set(db, "UPDATE messages SET content = ?, codex_message_items = ? WHERE id = 3", string(content), string(items))
		set(db, "UPDATE messages SET content = NULL, codex_message_items = ?, display_kind = ? WHERE id = 5", string(items), kind)
		readFuzzed(t, "hermes", h)
	})
}
