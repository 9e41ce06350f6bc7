package pastchats

import (
	"testing"
	"unicode/utf8"
)

// FuzzCursorValues reads any composer and message without a database around it.
func FuzzCursorValues(f *testing.F) {
	f.Add([]byte(`{"fullConversationHeadersOnly":[{"bubbleId":"b","type":2}],"subComposerIds":["s"],"workspaceIdentifier":{"uri":{"fsPath":"/x"}}}`))
	f.Add([]byte(`{"type":2,"text":"","richText":"{\"root\":{\"children\":[{\"children\":[{\"text\":\"x\"}]}]}}","modelInfo":{"modelName":"m"}}`))
	f.Add([]byte(`{"conversation":[{"type":1,"text":"a"}],"isDraft":false}`))
	c := &cursor{words: newMarks(commonMarks()...)}
	f.Fuzz(func(t *testing.T, b []byte) {
		d := cursorDataOf(parse(b))
		if d.count < 0 || d.damaged && d.count > 0 {
			t.Errorf("composer %+v", d)
		}
		var out talk
		c.bubble(parse(b), User, &out)
		d.inside.items(func(v value) bool { c.bubble(v, "", &out); return true })
		for _, m := range out.words {
			if m.text == "" || !utf8.ValidString(m.text) || m.role != User && m.role != Assistant {
				t.Errorf("words %+v", m)
			}
		}
		for _, s := range []string{cursorRich(value(b)), cursorFolder(parse(b))} {
			if !utf8.ValidString(s) {
				t.Errorf("not UTF-8: %q", s)
			}
		}
		cursorQuery(string(b))
	})
}
