//go:build conformance && unix

package pretend

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// planted is a key in a past chat and in a file that a tool reads.
const planted = "ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"

// asking is the script of these tests.
func asking(work string) Script {
	return Script{Rules: []Rule{
		{Match: "say hello", Steps: []Step{{Text: "Hello to you."}}},
		{Match: "and once more", Steps: []Step{{Text: "Hello once more."}}},
		{Match: "a third time", Steps: []Step{{Text: "Hello thrice."}}},
		{Match: "find the decision", Steps: []Step{
			{Calls: []Call{{Name: "search_chats", Args: map[string]any{"query": "walnut"}}}},
			{Text: "The decision was found."},
		}},
		{Match: "look into the settings", Steps: []Step{
			{Calls: []Call{{Do: "bash", Command: "cat settings.txt"}}},
			{Text: "I looked into the settings."},
		}},
		{Match: "what was there", Steps: []Step{{Text: "A token was there."}}},
		{Match: "ask me a thing", Steps: []Step{
			{Calls: []Call{{Name: "ask", Args: map[string]any{"title": "Which branch shall I take?"}}}},
			{Text: "Thank you for that."},
		}},
	}}
}

// bringIn puts a chat of another app into a pretend home of its own, and brings it
// in. A line of it holds the planted key.
func (w *world) bringIn(t *testing.T) {
	t.Helper()
	other := filepath.Join(filepath.Dir(w.home), "other")
	dir := filepath.Join(other, ".claude", "projects", "-code-shop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const id = "5f0c2f5e-7d53-4a3c-9a44-2f4f3f1b7a10"
	line := func(kind, uuid, parent, text string) string {
		content := encode(text)
		if kind == "assistant" {
			content = encode([]any{obj{"type": "text", "text": text}})
		}
		if parent != "null" {
			parent = encode(parent)
		}
		return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"type":%q,"message":{"role":%q,"content":%s},"uuid":%q,"timestamp":"2026-08-12T10:00:00.000Z","userType":"external","cwd":"/code/shop","sessionId":%q,"version":"2.1.331"}`+"\n",
			parent, kind, kind, content, uuid, id)
	}
	chat := line("user", "u1", "null", "which wood do we take for the shelves? the token is "+planted+" and walnut is dear") +
		line("assistant", "a1", "u1", "We decided on walnut, since oak warps in the cellar.")
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(chat), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "CONCH_IMPORT_HOME="+other)
	cmd := exec.Command(w.bin, "import", "--all", "--json")
	cmd.Dir, cmd.Env = w.work, w.env
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte(`"chats":1`)) {
		t.Fatalf("conch import: %v\n%s", err, out)
	}
}

// config writes Conch's config.toml.
func (w *world) config(t *testing.T, text string) {
	t.Helper()
	dir := filepath.Join(w.home, ".conch")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text+"\n"+w.base), 0o600); err != nil {
		t.Fatal(err)
	}
}

// leaks lists the files of Conch's that hold the planted key. Chats are the
// person's own record of what was said and shown; nothing else may.
func (w *world) leaks(t *testing.T) []string {
	t.Helper()
	var out []string
	home := filepath.Join(w.home, ".conch")
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(path, filepath.Join(home, "chats")) ||
			strings.HasPrefix(path, filepath.Join(home, "codex-sessions")) {
			return err
		}
		if text, _ := os.ReadFile(path); strings.Contains(strings.ToLower(string(text)), strings.ToLower(planted[:14])) {
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestConformanceTools: each real agent searches the chats that were brought in,
// by Conch's own tool: the answer reaches the model, one row is drawn, and no key
// goes along.
func TestConformanceTools(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := newWorld(t, asking, a)
			w.bringIn(t)
			r := w.play(t, "--provider", a.id, "find the decision")
			if !strings.Contains(r.text(), "The decision was found.") || r.status != 0 {
				t.Fatalf("%q\n%s", r.text(), r)
			}
			rows := 0
			for _, e := range r.all("tool-start") {
				if e["name"] == "search_chats" {
					rows++
				} else {
					t.Errorf("a row more: %v", e)
				}
			}
			if row := r.tool("search_chats"); rows != 1 || row["status"] != "success" {
				t.Errorf("%d rows, %v\n%s", rows, row, r)
			}
			seen := false
			for _, q := range w.model.Asked() {
				seen = seen || q.Saw("oak warps in the cellar", "result")
				if bytes.Contains(q.Body, []byte(planted[:14])) {
					t.Errorf("the key was sent to the model:\n%s", conversationOf(q))
				}
			}
			if !seen {
				t.Errorf("the answer did not reach the model\n%s", r)
			}
			if left := w.leaks(t); left != nil {
				t.Errorf("the key is in %v", left)
			}
			if left := w.inChats(t, planted[:14]); left {
				t.Error("the key is in the chat's log")
			}
		})
	}
}

func (w *world) inChats(t *testing.T, words string) bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(w.home, ".conch", "chats", "*.jsonl"))
	for _, file := range files {
		if text, _ := os.ReadFile(file); bytes.Contains(text, []byte(words)) {
			return true
		}
	}
	return false
}

// TestConformanceKeysStay: a key that a tool printed is handed to no other agent,
// and is in no log.
func TestConformanceKeysStay(t *testing.T) {
	pairs(t, func(t *testing.T, a, b agent) {
		w := newWorld(t, asking, a, b)
		w.file(t, "settings.txt", "token = "+planted+"\n")
		first := w.play(t, "--provider", a.id, "--mode", "ask", "--allow", "read,bash", "look into the settings")
		if !strings.Contains(first.text(), "I looked into the settings.") {
			t.Fatalf("%q\n%s", first.text(), first)
		}
		before := len(w.model.Asked())
		r := w.play(t, "--resume", first.chat(), "--provider", b.id, "what was there")
		if r.status != 0 {
			t.Fatal(r)
		}
		q := w.first(t, before, "what was there")
		block, _ := handoffOf(q)
		if !strings.Contains(block, "settings.txt") {
			t.Errorf("the block lacks the step:\n%s", block)
		}
		if bytes.Contains(q.Body, []byte(planted[:14])) {
			t.Errorf("the key was handed over:\n%s", conversationOf(q))
		}
		if left := w.leaks(t); left != nil {
			t.Errorf("the key is in %v", left)
		}
	})
}

// everywhere counts words in all that a model was told, the system's part too.
func everywhere(q Request, words string) int {
	n := 0
	for _, m := range q.Messages {
		n += strings.Count(m.Text, words)
	}
	return n
}

// TestConformanceInstructions: each real agent gets what Conch and the person say
// to it, once; and again only when it has changed.
func TestConformanceInstructions(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := newWorld(t, asking, a)
			w.config(t, `instructions = "Call every pear a QUINCE-ONE."`)
			say := w.saying(t, nil)
			q := say(a.id, "say hello")
			if n := everywhere(q, "QUINCE-ONE"); n != 1 {
				t.Errorf("the first message: %d times:\n%s", n, conversationOf(q))
			}
			q = say(a.id, "and once more")
			if n := everywhere(q, "QUINCE-ONE"); n != 1 {
				t.Errorf("the second message: %d times:\n%s", n, conversationOf(q))
			}
			w.config(t, `instructions = "Call every pear a QUINCE-TWO."`)
			q = say(a.id, "a third time")
			if n := everywhere(q, "QUINCE-TWO"); n != 1 {
				t.Errorf("after a change: %d times:\n%s", n, conversationOf(q))
			}
			q = say(a.id, "and once more")
			if n := everywhere(q, "QUINCE-TWO"); n != 1 {
				t.Errorf("after a change, the second message: %d times:\n%s", n, conversationOf(q))
			}
		})
	}
}

// TestConformanceToolsChange: with a tool added, the chat goes on with it and
// nothing is said to be lost. Codex takes tools only with a new thread, which is
// told the whole chat.
func TestConformanceToolsChange(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := newWorld(t, asking, a)
			w.config(t, "memory = false")
			var last *run
			say := w.saying(t, &last)
			q := say(a.id, "say hello")
			if !a.hides && (offers(q, "remember") || !offers(q, "search_chats")) {
				t.Errorf("before: %v", q.Tools)
			}
			w.config(t, "memory = true")
			q = say(a.id, "and once more")
			if !a.hides && (!offers(q, "remember") || !offers(q, "search_chats")) {
				t.Errorf("after: %v", q.Tools)
			}
			if n := times(q, "Hello to you."); n != 1 {
				t.Errorf("the first answer stands there %d times:\n%s", n, conversationOf(q))
			}
			if !a.loads {
				return // its sessions don't outlive its process, tools or no tools
			}
			for _, e := range last.all("session") {
				if e["restarted"] != nil && e["restarted"] != "" {
					t.Errorf("it is said that the session was %v\n%s", e["restarted"], last)
				}
			}
			for _, e := range last.all("notice") {
				if e["code"] == "healed" {
					t.Errorf("it is said that the session was healed\n%s", last)
				}
			}
		})
	}
}

// offers says whether a tool of Conch's is offered, whatever the program puts
// before its name.
func offers(q Request, tool string) bool {
	for _, name := range q.Tools {
		if name == tool || strings.HasSuffix(name, "_"+tool) || strings.HasSuffix(name, "-"+tool) {
			return true
		}
	}
	return false
}

// TestConformanceALongQuestion: a question of the model's that stays open for
// CONCH_ASK_OPEN (6m) and is answered then reaches the model.
func TestConformanceALongQuestion(t *testing.T) {
	open := 6 * time.Minute
	if v := os.Getenv("CONCH_ASK_OPEN"); v != "" {
		var err error
		if open, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asking, a)
			s := w.open(t, "--provider", a.id)
			s.say("ask me a thing")
			s.see("Which branch shall I take")
			time.Sleep(open)
			s.keys(tab)
			s.see("tab back")
			time.Sleep(reading)
			s.keys("the blue one")
			s.see("the blue one")
			s.keys(enter)
			s.see("Thank you for that")
			heard := false
			for _, q := range w.model.Asked() {
				heard = heard || q.Saw("the blue one", "result")
			}
			if !heard {
				t.Errorf("the answer did not reach the model; the screen is\n%s", s.screen())
			}
			s.quit()
		})
	}
}
