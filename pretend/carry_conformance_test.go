//go:build conformance && unix

package pretend

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The four messages of one chat, and what is answered to each.
var carried = [4]struct{ say, answer string }{
	{"first, read the prices", "The prices are read: the apple costs one."},
	{"second, tell me of pears", "A pear costs two, as far as I was told."},
	{"third, sum them up", "The sum comes to six in all."},
	{"fourth, say goodbye", "Goodbye, and good luck with the shop."},
}

func carrying(work string) Script {
	s := Script{}
	for i, m := range carried {
		steps := []Step{{Text: m.answer}}
		if i == 0 {
			steps = []Step{{Calls: []Call{{Do: "read", Path: filepath.Join(work, "prices.txt")}}}, {Text: m.answer}}
		}
		s.Rules = append(s.Rules, Rule{Match: m.say, Steps: steps})
	}
	return s
}

// sessions is where a program keeps its sessions, below the home.
var sessions = map[string][]string{
	"claude-code": {".claude/projects"},
	"codex":       {".conch/codex-sessions", ".conch/codex-runtime"},
	"gemini-cli":  {".gemini/tmp"},
	"opencode":    {".local/share/opencode"},
	"copilot":     {".copilot/session-state"},
	"grok":        {".grok/sessions"},
	"qwen":        {".qwen/projects", ".qwen/tmp"},

	"chat-api": {".conch/model-sessions"}, "responses-api": {".conch/model-sessions"}, "messages-api": {".conch/model-sessions"},
}

// speaker says a message to a provider and gives the first request that the model
// got for it.
type speaker func(provider, words string) Request

// pairs are each chosen agent with the next one.
func pairs(t *testing.T, each func(t *testing.T, a, b agent)) {
	chosen := chosenAgents(t)
	if len(chosen) < 2 {
		t.Skip("one agent alone can't be switched")
	}
	for i, a := range chosen {
		b := chosen[(i+1)%len(chosen)]
		t.Run(a.id+" and "+b.id, func(t *testing.T) { each(t, a, b) })
	}
}

// times counts where words stand in what the model was told, without the system's
// part and the answers of tools.
func times(q Request, words string) int {
	n := 0
	for _, m := range q.Messages {
		if m.Role == "user" || m.Role == "assistant" {
			n += strings.Count(m.Text, words)
		}
	}
	return n
}

func called(q Request, words string) bool { return q.Saw(words, "call") }

// newest is the block that the new message came with, and the message; blocks of
// earlier messages are not looked at.
func newest(q Request, words string) (block, rest string) {
	for i := len(q.Messages) - 1; i >= 0; i-- {
		if q.Messages[i].Role != "user" {
			if strings.Contains(rest, words) {
				break
			}
			continue
		}
		rest = q.Messages[i].Text + "\n" + rest
	}
	return cutBlock(rest)
}

// exchange is message 1 to A, 2 to B, 3 to A and 4 to A. native says that A's own
// session is carried on; else A is told the whole again each time.
func exchange(t *testing.T, a, b agent, native bool, say speaker) {
	t.Helper()
	q := say(a.id, carried[0].say)
	if block, _ := newest(q, carried[0].say); block != "" {
		t.Errorf("message 1 came with a block:\n%s", block)
	}

	q = say(b.id, carried[1].say)
	block, rest := newest(q, carried[1].say)
	for _, want := range []string{carried[0].say, carried[0].answer, "Read", "prices.txt"} {
		if !strings.Contains(block, want) {
			t.Errorf("message 2: the block lacks %q:\n%s", want, conversationOf(q))
		}
	}
	if strings.Contains(block, carried[1].say) || !endsWith(rest, carried[1].say) {
		t.Errorf("message 2 does not end with the message:\n%s", conversationOf(q))
	}

	q = say(a.id, carried[2].say)
	block, rest = newest(q, carried[2].say)
	for _, want := range []string{carried[1].say, carried[1].answer} {
		if !strings.Contains(block, want) {
			t.Errorf("message 3: the block lacks %q:\n%s", want, conversationOf(q))
		}
	}
	if native && strings.Contains(block, carried[0].answer) {
		t.Errorf("message 3: the block holds what %s knows:\n%s", a.id, block)
	}
	if native && !called(q, "prices.txt") {
		t.Errorf("message 3: %s's own call is not in its context:\n%s", a.id, conversationOf(q))
	}
	if strings.Contains(block, carried[2].say) || !strings.Contains(rest, carried[2].say) {
		t.Errorf("message 3 is not outside the block:\n%s", conversationOf(q))
	}
	once(t, q, 3)

	q = say(a.id, carried[3].say)
	block, _ = newest(q, carried[3].say)
	if native && block != "" {
		t.Errorf("message 4: nothing was missed and a block came:\n%s", block)
	}
	if native && !called(q, "prices.txt") {
		t.Errorf("message 4: %s's own call is not in its context:\n%s", a.id, conversationOf(q))
	}
	once(t, q, 4)
}

// endsWith lets a program close a tag of its own behind the words.
func endsWith(said, words string) bool {
	_, after, ok := strings.Cut(said, words)
	return ok && closing.MatchString(after)
}

var closing = regexp.MustCompile(`^\s*(</\w+>\s*)?$`)

// once says that the model got each of the first n messages, and what was answered
// to those before, one time.
func once(t *testing.T, q Request, n int) {
	t.Helper()
	for i, m := range carried[:n] {
		if got := times(q, m.say); got != 1 {
			t.Errorf("message %d: %q stands there %d times:\n%s", n, m.say, got, conversationOf(q))
		}
		if got := times(q, m.answer); i < n-1 && got != 1 {
			t.Errorf("message %d: %q stands there %d times:\n%s", n, m.answer, got, conversationOf(q))
		}
	}
}

// saying says each message by a conch -p of its own: between two of them
// everything is quit.
func (w *world) saying(t *testing.T, last **run) speaker {
	chat := ""
	return func(provider, words string) Request {
		t.Helper()
		before := len(w.model.Asked())
		args := []string{"--provider", provider, "--mode", "ask", "--allow", "read", words}
		if chat != "" {
			args = append([]string{"--resume", chat}, args...)
		}
		r := w.play(t, args...)
		if r.status != 0 {
			t.Fatalf("%q to %s failed\n%s", words, provider, r)
		}
		if chat == "" {
			chat = r.chat()
		}
		if last != nil {
			*last = r
		}
		return w.first(t, before, words)
	}
}

// TestConformanceCarryingOn: A, B, A, A, each message by a Conch of its own.
func TestConformanceCarryingOn(t *testing.T) {
	pairs(t, func(t *testing.T, a, b agent) {
		w := newWorld(t, carrying, a, b)
		exchange(t, a, b, a.loads, w.saying(t, nil))
	})
}

// TestConformanceCarryingOnWarm: A, B, A, A in one screen, the provider changed by
// its key. A's program is the one of message 1 all the time.
func TestConformanceCarryingOnWarm(t *testing.T) {
	pairs(t, func(t *testing.T, a, b agent) {
		w := newWorld(t, carrying, a, b)
		s := w.open(t, "--provider", a.id, "--mode", "auto-read")
		now, n := a.id, 0
		exchange(t, a, b, true, func(provider, words string) Request {
			t.Helper()
			before := len(w.model.Asked())
			if provider != now {
				s.keys(ctrlO)
				row := regexp.MustCompile(`(?m)([1-9]) . ` + provider).FindStringSubmatch(s.see("Who answers next"))
				if row == nil {
					t.Fatalf("%s is not offered\n%s", provider, s.screen())
				}
				s.keys(row[1])
				s.see(fmt.Sprintf("%s.*\\? help", provider))
				now = provider
			}
			s.say(words)
			s.see(regexp.QuoteMeta(carried[n].answer[:20]))
			s.see(`shift\+tab mode`)
			n++
			return w.first(t, before, words)
		})
		s.quit()
	})
}

// TestConformanceLostSession: the files of A's session are gone. It is told the
// whole chat, once, and that is said in one quiet line.
func TestConformanceLostSession(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			if !a.loads {
				t.Skip("its sessions do not outlive its process")
			}
			w := newWorld(t, carrying, a)
			var last *run
			say := w.saying(t, &last)
			say(a.id, carried[0].say)
			for _, dir := range sessions[a.id] {
				dir = filepath.Join(w.home, dir)
				if _, err := os.Stat(dir); err != nil && !strings.HasSuffix(dir, "runtime") {
					t.Logf("no sessions in %s: %v", dir, err)
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			q := say(a.id, carried[1].say)
			block, _ := newest(q, carried[1].say)
			if !strings.Contains(block, carried[0].say) || !strings.Contains(block, carried[0].answer) || !strings.Contains(block, "could not be continued") {
				t.Errorf("it is not told the whole chat:\n%s", conversationOf(q))
			}
			once(t, q, 2)
			if s := last.find(func(e event) bool { return e.is("session") && e["restarted"] == "lost" }); s == nil {
				t.Errorf("the session does not say that it was lost\n%s", last)
			}
			healed := 0
			for _, e := range last.all("notice") {
				if e["code"] == "healed" {
					healed++
				}
			}
			if healed != 1 {
				t.Errorf("%d notices say that it was healed\n%s", healed, last)
			}
			q = say(a.id, carried[2].say)
			if block, _ := newest(q, carried[2].say); block != "" {
				t.Errorf("the new session is not carried on:\n%s", conversationOf(q))
			}
		})
	}
}
