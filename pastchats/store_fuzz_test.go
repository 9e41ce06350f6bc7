package pastchats

import (
	"bytes"
	"encoding/json"
	"testing"

	"conch/chats"
)

// A list of any bytes gives entries that can be believed, and what it gives is
// read again as it was.
func FuzzList(f *testing.F) {
	data, err := benchList(3).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add(bytes.ReplaceAll(data, []byte("\n"), nil))
	f.Add([]byte(`{"version":1,"chats":[{"id":"pc_0123456789abcdef","source":"x","mtimeMs":1e99,"size":-1e99,"createdAt":"1"}],"last":7}`))
	f.Add([]byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := decodeList(data)
		for id, i := range l.byID {
			if e := l.entries[i]; e.ID != id || !isPastID(id) || !isSource(e.Source) || e.Messages < 0 {
				t.Fatalf("%+v", e)
			}
		}
		if len(l.byID) != len(l.entries) {
			t.Fatalf("%d entries, %d ids", len(l.entries), len(l.byID))
		}
		again, err := l.encode()
		if err != nil || !json.Valid(again) {
			t.Fatalf("%v: %s", err, again)
		}
		if got := decodeList(again); got.damaged || len(got.entries) != len(l.entries) {
			t.Fatalf("of %d entries %d came back", len(l.entries), len(got.entries))
		}
	})
}

// Where the fast way reads a line, it reads what the plain way does.
func FuzzLogLine(f *testing.F) {
	var c talk
	c.say(User, "asks \"\\\n\t漢", 5)
	c.say(Assistant, "says \u2028", 6)
	done := finish(chatFile{}, &c)
	for line := range bytes.Lines(encodeLog(nil, "codex", &done)) {
		f.Add(bytes.TrimSuffix(line, []byte("\n")))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		l, ok := readSaid(line)
		if !ok || !json.Valid(line) {
			return
		}
		e, ok := chats.Decode(line)
		if !ok {
			t.Fatalf("no event: %q", line)
		}
		id, text := "", ""
		switch b := e.Body.(type) {
		case chats.UserMessage:
			id, text = b.MessageID, b.Text
		case chats.AssistantDelta:
			id, text = b.MessageID, b.Delta
		case chats.AssistantDone:
			id = b.MessageID
		}
		if string(l.kind) != e.Body.Kind() || l.at != e.At || l.text.text() != text {
			t.Fatalf("%q: %s at %d says %q, want %s at %d, %q", line, l.kind, l.at, l.text.text(), e.Body.Kind(), e.At, text)
		}
		if got := string(bytes.ToValidUTF8(l.message, []byte("\ufffd"))); len(l.message) == len(id) && got != id {
			t.Fatalf("%q: message %q, want %q", line, got, id)
		}
	})
}
