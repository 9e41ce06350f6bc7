package pastchats

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// FuzzOpenClaw reads any events, plain and squeezed, any archive, index and file.
func FuzzOpenClaw(f *testing.F) {
	h, db := fuzzHome(f, openClawPlace, openClawTables...)
	openClawChat(f, db, "s", "agent:main:main")
	for seq := range 3 {
		openClawEvent(f, db, "s", 2+seq, "{}")
	}
	openClawChat(f, db, "cold", "agent:main:cold")
	name := strings.Repeat("0123456789abcdef", 4) + ".jsonl.zst"
	fill(f, db, row{"session_transcript_cold_archives", []any{"cold", name, 1, openClawAt, "sqlite", nil}})
	openClawChat(f, db, "filed", "agent:main:filed")
	fill(f, db, row{"session_transcript_cold_archives", []any{"filed", name, 1, openClawAt, "file", nil}})
	for _, seed := range []struct{ event, lines, index, key string }{
		{openClawLine("e2", "e1", "assistant", "yes"), openClawLine("a", "-", "user", "1") + "\n" + openClawLine("b", "a", "assistant", "2") + "\n" + `{"type":"leaf","id":"l","targetId":"a"}`, `{"agent:m:main":{"sessionId":"f","label":"x"}}`, "agent:main:main"},
		{`{"type":"message","id":"e1","parentId":"e1","message":{"role":"user","content":[{"type":"text","text":"[Telegram x 2026-11-18 09:06] hi"}]}}`, openClawArchived(openClawLine("a", "-", "user", "x")), `{"__proto__":{"sessionId":"f","chatType":"group"}}`, "agent:main:x:explicit:model-run-1"},
		{openClawLine("e3", "-", "user", "x ⟦openclaw:ctx⟧\n```json\n{}\n```\n[message_id: 7]\n<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>y<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"), `{"type":"session","cwd":"/x"}`, `[]`, "hook:1"},
		{`{"type":"reset","id":"r","parentId":null}`, "{", "{", ""},
	} {
		f.Add([]byte(seed.event), []byte(seed.lines), []byte(seed.index), seed.key)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(zstd.MinWindowSize))
	if err != nil {
		f.Fatal(err)
	}
	squeeze := func(b []byte) []byte { return w.EncodeAll(b, nil) }
	f.Fuzz(func(t *testing.T, event, lines, index []byte, key string) {
		for rel, b := range map[string][]byte{
			"sessions/f.jsonl": lines, "sessions/f.jsonl.reset.1": event, "sessions/sessions.json": index, "sessions/cold/" + name: squeeze(lines),
		} {
			put(t, filepath.Join(h.Dir, ".openclaw/agents/main", rel), string(b))
		}
		set(db, "UPDATE transcript_events SET event_json = ? WHERE session_id = 's' AND seq = 2", event)
		set(db, "UPDATE transcript_events SET event_json = NULL, event_zstd = ? WHERE session_id = 's' AND seq = 3", squeeze(event))
		set(db, "UPDATE transcript_events SET event_json = NULL, event_zstd = ? WHERE session_id = 's' AND seq = 4", event)
		set(db, "UPDATE session_transcript_cold_archives SET archive_blob = ? WHERE session_id = 'cold'", append(squeeze(lines), event...))
		set(db, "UPDATE session_nodes SET entry_json = ?, label = ? WHERE session_key = 'agent:main:cold'", index, key)
		set(db, "UPDATE session_windows SET display_name = ?, created_at = ? WHERE session_id = 'filed'", key, fmt.Sprintf("%.20s", lines))
		set(db, "UPDATE session_windows SET session_key = ? WHERE session_id = 'filed'", key)
		readFuzzed(t, "openclaw", h)
		openClawPerson(key)
	})
}
