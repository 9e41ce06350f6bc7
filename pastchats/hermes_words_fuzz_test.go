package pastchats

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// FuzzHermesWords reads any lines as contents, items and files' messages, and
// checks the overlap of two sessions against the plain way to find it.
func FuzzHermesWords(f *testing.F) {
	f.Add([]byte("one\ntwo\n\x00json:[{\"type\":\"text\",\"text\":\"x\"}]\nReview the conversation above and x\nyes\none"), 3)
	f.Add([]byte(`[{"type":"message","phase":"final","content":[{"type":"output_text","text":"x"}]}]`+"\n"+`[IMPORTANT: The user has invoked the "x" skill] The user has provided the following instruction alongside the skill invocation: do`), 1)
	f.Add([]byte("a\nb\na\nb\na\nb\na"), 4)
	f.Fuzz(func(t *testing.T, lines []byte, cut int) {
		w := &hermesWords{person: newMarks(commonMarks()...)}
		var all []message
		for line := range bytes.SplitSeq(lines, []byte("\n")) {
			role := User
			if len(w.rows)%2 == 1 {
				role = Assistant
			}
			w.rows = append(w.rows, hermesSaid{id: int64(len(w.rows)), role: role, text: hermesContent(line), at: float64(len(line)), dated: len(line)%2 == 0})
			all = append(all, message{text: string(line)})
			hermesItems(parse(line))
		}
		said, _ := w.give(cut%2 == 0)
		for _, m := range said {
			if m.text == "" || !utf8.ValidString(m.text) {
				t.Errorf("words %+v", m)
			}
		}
		if cut < 0 || cut > len(all) || len(all) > 200 {
			return
		}
		before, next := all[:cut], all[cut:]
		want := 0
		for k := min(len(before), len(next)); k > 0 && want == 0; k-- {
			want = k
			for i := range k {
				if before[len(before)-k+i].text != next[i].text {
					want = 0
					break
				}
			}
		}
		if got := repeated(before, next); got != want {
			t.Errorf("%v then %v: %d, want %d", before, next, got, want)
		}
	})
}
