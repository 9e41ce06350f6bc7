package pastchats

import (
	"path/filepath"
	"testing"
)

// FuzzCursor reads any composer, message, panel, index and transcript.
func FuzzCursor(f *testing.F) {
	h, db := fuzzHome(f, cursorPlace, cursorTables...)
	fill(f, db, cursorComposerOf("s", "a1 b2"), bubbleOf("s", "a", map[string]any{"type": 1, "text": "hi"}))
	space := written(f, filepath.Join(h.Dir, cursorSpace+"x/state.vscdb"), append([]string{"PRAGMA synchronous = OFF", "PRAGMA journal_mode = MEMORY"}, cursorTables...)...)
	for _, seed := range []struct{ composer, bubble, items, lines string }{
		{`{"name":"x","fullConversationHeadersOnly":[{"bubbleId":"b","type":2}],"subComposerIds":["s"],"createdAt":1778000000000}`, `{"type":2,"text":"","richText":"{\"root\":{\"children\":[{\"children\":[{\"text\":\"x\"}]}]}}"}`, `{"allComposers":[{"composerId":"s","name":"n"}]}`, `{"role":"user","message":{"content":[{"type":"text","text":"<user_query>x</user_query>"}]}}`},
		{`{"conversation":[{"type":1,"text":"a"},{"type":"ai","rawText":"b","modelType":"m"}],"workspaceIdentifier":{"uri":{"fsPath":"/x"}}}`, `{"type":1,"text":"x","thinking":{},"capabilityType":30}`, `{"tabs":[{"tabId":"t","lastSendTime":1,"bubbles":[{"type":"user","text":"x"}]}]}`, "{"},
		{`{"composerId":`, `[1]`, `{"folder":"file:///c%3A/x"}`, ""},
	} {
		f.Add([]byte(seed.composer), []byte(seed.bubble), []byte(seed.items), []byte(seed.lines))
	}
	f.Fuzz(func(t *testing.T, composer, bubble, items, lines []byte) {
		put(t, filepath.Join(h.Dir, cursorSpace+"x/workspace.json"), string(items))
		put(t, filepath.Join(h.Dir, ".cursor/projects/p/agent-transcripts/y/y.jsonl"), string(lines))
		fuzzed := []row{kv("composerData:f", composer), kv("composerData:g", string(composer)), kv("bubbleId:f:b", bubble), kv("bubbleId:s:b", string(bubble))}
		fill(t, db, append(fuzzed, row{"ItemTable", []any{"composer.composerHeaders", items}})...)
		fill(t, space, row{"ItemTable", []any{cursorIndexKey, items}}, row{"ItemTable", []any{cursorPanelKey, string(items)}})
		readFuzzed(t, "cursor", h)
		cursorRich(value(bubble))
	})
}
