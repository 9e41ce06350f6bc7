//go:build conformance && unix

package pretend

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cleared are the messages around a clear, and what is answered to each.
var cleared = []struct{ say, answer string }{
	{"first, the code word is marzipan", "Marzipan it is, and I keep it in mind."},
	{"second, the number is forty-two", "Forty-two is noted beside it."},
	{"third, greet the shop", "Welcome to the little shop."},
	{"fourth, sum it all up", "All of it is summed up now."},
	{"fifth, say goodbye", "Goodbye, and come again."},
}

func clearing(string) Script {
	s := Script{}
	for _, m := range cleared {
		s.Rules = append(s.Rules, Rule{Match: m.say, Steps: []Step{{Text: m.answer}}})
	}
	return s
}

// TestConformanceClear: behind /clear a program's model gets nothing of what was said
// before, from Conch or from the program's own session; behind /undo it is told all of
// it once; and a clear that is taken back at once changes nothing.
func TestConformanceClear(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := newWorld(t, clearing, a)
			s := w.open(t, "--provider", a.id, "--mode", "auto-read")
			said := 0
			say := func() Request {
				t.Helper()
				before, m := len(w.model.Asked()), cleared[said]
				s.say(m.say)
				s.see(regexp.QuoteMeta(m.answer))
				s.see(`shift\+tab mode`) // the turn is over
				said++
				return w.first(t, before, m.say)
			}
			command := func(name, says string) {
				t.Helper()
				s.say(name)
				s.see(says)
			}

			say()
			say()
			command("/clear", "starts afresh")
			q := say()
			for _, m := range cleared[:2] {
				for _, words := range []string{m.say, m.answer} {
					if bytes.Contains(q.Body, []byte(words)) {
						t.Errorf("behind the clear the model is still told %q:\n%s", words, conversationOf(q))
					}
				}
			}
			if block, _ := newest(q, cleared[2].say); block != "" {
				t.Errorf("behind the clear a block came:\n%s", block)
			}

			command("/undo", "what is above is handed over again")
			q = say()
			block, _ := newest(q, cleared[3].say)
			for _, m := range cleared[:2] {
				if !strings.Contains(block, m.say) || !strings.Contains(block, m.answer) {
					t.Errorf("behind the undo the block lacks %q:\n%s", m.say, conversationOf(q))
				}
			}
			onceEach(t, q, 4)

			command("/clear", "starts afresh")
			command("/undo", "handed over again.*handed over again")
			q = say()
			if block, _ := newest(q, cleared[4].say); block != "" {
				t.Errorf("behind a clear that was taken back at once a block came:\n%s", block)
			}
			onceEach(t, q, 5)
			s.quit()
		})
	}
}

// onceEach says that the model got each of the first n messages, and what was
// answered to those before, one time.
func onceEach(t *testing.T, q Request, n int) {
	t.Helper()
	for i, m := range cleared[:n] {
		if got := times(q, m.say); got != 1 {
			t.Errorf("message %d: %q stands there %d times:\n%s", n, m.say, got, conversationOf(q))
		}
		if got := times(q, m.answer); i < n-1 && got != 1 {
			t.Errorf("message %d: %q stands there %d times:\n%s", n, m.answer, got, conversationOf(q))
		}
	}
}

// laps are words of which no two are alike.
var laps = regexp.MustCompile(`lap[0-9]{4}`)

func running(string) Script {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "lap%04d ", i)
	}
	return Script{Rules: []Rule{
		{Match: "run the laps", Steps: []Step{{Text: b.String(), Chunk: 8, Delay: Duration(50 * time.Millisecond)}}},
		{Match: "how far did you come", Steps: []Step{{Text: "As far as you have read."}}},
		{Match: "rest a little", Steps: []Step{{Text: "I rest."}}},
	}}
}

// TestConformanceStoppedWords: Codex keeps nothing of an answer that was stopped. What
// the person has read of it goes along with the next message, once, and stays once.
func TestConformanceStoppedWords(t *testing.T) {
	i := slices.IndexFunc(chosenAgents(t), func(a agent) bool { return a.id == "codex" })
	if i < 0 {
		t.Skip("it is Codex that forgets them")
	}
	codex := chosenAgents(t)[i]
	told := func(t *testing.T, w *world, q Request, read []string) {
		t.Helper()
		var all strings.Builder
		for _, m := range q.Messages {
			all.WriteString(m.Text + "\n")
		}
		if got := laps.FindAllString(all.String(), -1); len(read) < 3 || !slices.Equal(got, read) {
			t.Errorf("the person has read %q, the model is told %q:\n%s", read, got, conversationOf(q))
		}
	}
	t.Run("in the same process", func(t *testing.T) {
		w := newWorld(t, running, codex)
		s := w.open(t, "--provider", "codex", "--mode", "auto-read")
		s.say("run the laps")
		s.see("lap0009")
		s.keys(esc)
		s.see("⊘ stopped")
		var asked []Request
		for _, words := range []string{"how far did you come", "rest a little"} {
			before := len(w.model.Asked())
			s.see(`shift\+tab mode`)
			s.say(words)
			s.see(map[bool]string{true: "As far as you have read", false: "I rest"}[len(asked) == 0])
			asked = append(asked, w.first(t, before, words))
		}
		chat := regexp.MustCompile("--resume ([0-9A-Z]+)").FindStringSubmatch(s.quit())[1]
		read := laps.FindAllString(w.show(t, chat), -1)
		for _, q := range asked {
			told(t, w, q, read)
		}
	})
	t.Run("in another process", func(t *testing.T) {
		w := newWorld(t, running, codex)
		r := w.begin(t, "--provider", "codex", "run the laps")
		r.until("words", func(e event) bool { return e.is("text") && strings.Contains(fmt.Sprint(e["text"]), "lap") })
		waitFor(t, "ten words", func() bool { return len(laps.FindAllString(r.text(), -1)) >= 10 })
		r.cmd.Process.Signal(syscall.SIGINT)
		r.wait()
		read := laps.FindAllString(w.show(t, r.chat()), -1)
		for _, words := range []string{"how far did you come", "rest a little"} {
			before := len(w.model.Asked())
			if next := w.play(t, "--resume", r.chat(), words); next.status != 0 {
				t.Fatalf("%s", next)
			}
			told(t, w, w.first(t, before, words), read)
		}
	})
}
