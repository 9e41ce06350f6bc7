package pastchats

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestMessagesAtPlacesAreThoseThatTheWholeChatHasThere(t *testing.T) {
	w := broughtIn(t)
	id := pastID("codex", "s1")
	lines := []string{
		`{"v":1,"seq":0,"id":"0","at":5,"turn":"","kind":"title","title":"T"}`,
		`{"v":1,"seq":1,"id":"1","at":6,"turn":"","kind":"user.message","messageId":"codex.1","text":"asks ` + key + `"}`,
		`{"v":1,"seq":2,"id":"2","at":7,"turn":"","kind":"assistant.delta","messageId":"codex.2","channel":"text","delta":"in "}`,
		`{"v":1,"seq":3,"id":"3","at":7,"turn":"","kind":"assistant.delta","messageId":"codex.2","channel":"text","delta":"parts"}`,
		`{"v":1,"seq":4,"id":"4","at":8,"turn":"","kind":"assistant.done","messageId":"codex.2"}`,
		`{"v":1,"seq":5,"id":"5","at":8,"turn":"","kind":"user.message","messageId":"codex.3","text":""}`,
		`{"v": 1, "seq": 6, "id": "6", "at": 8, "turn": "t", "kind": "user.message", "text": "another hand", "messageId": "codex.4"}`,
		`{"v":1,"seq":7,"id":"7","at":9,"turn":"","kind":"assistant.delta","messageId":"codex.5","channel":"text","delta":"no end"}`,
		`{"v":1,"seq":8,"id":"8","at":9,"turn":"","kind":"user.message","messageId":"codex.6","text":"last"}`,
	}
	if err := os.WriteFile(w.dir()+"/"+id+".jsonl", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all []string
	if err := w.Store().Messages(id, func(m Message) bool { all = append(all, fmt.Sprint(m)); return true }); err != nil || len(all) != 5 {
		t.Fatalf("%d messages, %v: %q", len(all), err, all)
	}
	for wanted := range 1 << len(all) {
		want := func(n int) bool { return wanted>>n&1 == 1 }
		got := map[int]string{}
		if err := w.Store().MessagesAt(id, want, func(n int, m Message) bool { got[n] = fmt.Sprint(m); return true }); err != nil {
			t.Fatal(err)
		}
		for n, m := range all {
			if want(n) != (got[n] != "") || want(n) && got[n] != m {
				t.Errorf("of the places %b the one at %d is %q, want %q", wanted, n, got[n], m)
			}
		}
	}
}
