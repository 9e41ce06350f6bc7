package pastchats

import (
	"bytes"
	"fmt"
	"testing"
	"unicode/utf8"
)

// FuzzOpenCodeTurns reads any lines as a session's messages and parts by turns,
// without a database around them.
func FuzzOpenCodeTurns(f *testing.F) {
	f.Add([]byte(`{"role":"user"}`+"\n"+`{"type":"text","text":"hi"}`+"\n"+`{"role":"assistant","modelID":"m"}`+"\n"+`{"type":"text","text":"yes"}`), []byte(`{"messageID":"2","partID":"3"}`))
	f.Add([]byte(`{"role":"assistant","summary":true}`+"\n"+`{"type":"text","text":"no"}`+"\n"+`{"type":"text","synthetic":true,"text":"no"}`), []byte(`{"messageID":"0"}`))
	person := newMarks(commonMarks()...)
	f.Fuzz(func(t *testing.T, lines, revert []byte) {
		turns := &openCodeTurns{}
		turns.undoFrom(parse(revert))
		message := ""
		n := 0
		for line := range bytes.SplitSeq(lines, []byte("\n")) {
			id := fmt.Sprint(n)
			n++
			if v := parse(line); message == "" || len(v.get("role")) > 0 {
				message = id
				turns.message(id, int64(len(line)%3), v)
			} else {
				turns.part(id, message, int64(len(line)%3), v)
			}
		}
		var c talk
		turns.give(&c, person)
		for _, m := range c.words {
			if m.text == "" || !utf8.ValidString(m.text) || m.role != User && m.role != Assistant {
				t.Errorf("words %+v", m)
			}
		}
	})
}
