package pastchats

import (
	"path/filepath"
	"testing"
)

// FuzzOpenCode reads any session, message and part, as files and as rows.
func FuzzOpenCode(f *testing.F) {
	h, db := fuzzHome(f, openCodePlace, openCodeTables...)
	fill(f, db, openCodeSessionRow("d"))
	fill(f, db, openCodeTalk("d", "hi", "hello")...)
	for _, seed := range []struct{ session, message, part, id string }{
		{`{"id":"s","title":"New session - 2026-03-22T10:00:00.000Z","directory":"/","projectID":"p","time":{"created":1760000000000}}`, `{"role":"user","time":{"created":1760000001000}}`, `{"type":"text","text":"hi"}`, "prt_1"},
		{`{"revert":{"messageID":"d_b","partID":"d_q"}}`, `{"role":"assistant","modelID":"m","path":{"root":"/home/dev"}}`, `{"type":"text","text":"\ud83d","synthetic":false}`, "d_q"},
		{`{"parentID":"x"}`, `{"role":"assistant","summary":true}`, `{"type":"text","text":"x","ignored":true}`, ""},
		{`{"messageID":"d_a"}`, `{"role":"us`, `{"type":"te`, "d_p"},
		{`"not an object"`, `null`, `[]`, "\x00"},
	} {
		f.Add([]byte(seed.session), []byte(seed.message), []byte(seed.part), seed.id, int64(1774173600000))
	}
	root := filepath.Join(h.Dir, ".local/share/opencode")
	f.Fuzz(func(t *testing.T, session, message, part []byte, id string, at int64) {
		for _, rel := range []string{"storage/session/p/n.json", "project/f/storage/session/info/o.json"} {
			put(t, filepath.Join(root, rel), string(session))
		}
		for _, rel := range []string{"storage/message/n/m.json", "project/f/storage/session/message/o/m.json"} {
			put(t, filepath.Join(root, rel), string(message))
		}
		for _, rel := range []string{"storage/part/m/p.json", "project/f/storage/session/part/o/m/p.json", "storage/project/p.json"} {
			put(t, filepath.Join(root, rel), string(part))
		}
		set(db, "UPDATE session SET revert = ?, title = ?, directory = ?, time_updated = ?", session, id, string(session), at)
		set(db, "UPDATE message SET data = ?, time_created = ? WHERE id = 'd_b'", string(message), at)
		set(db, "UPDATE part SET data = ?, time_created = ?, time_updated = ? WHERE message_id = 'd_b'", part, at, id)
		set(db, "UPDATE part SET id = ? WHERE message_id = 'd_b'", id)
		readFuzzed(t, "opencode", h)
	})
}
