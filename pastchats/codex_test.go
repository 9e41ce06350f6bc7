package pastchats

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const (
	codexDay = ".codex/sessions/2026/11/30/"
	codexOne = "01a22d6b-0000-7000-8000-000000000001"
	codexTwo = "01a22d6b-0000-7000-8000-000000000002"
)

func codexRollout(id string) string { return codexDay + "rollout-2026-11-30T10-00-00-" + id + ".jsonl" }

// codexMeta is a thread's first line; more are further members of its payload.
func codexMeta(id string, more ...string) string {
	return codexLine("session_meta", fmt.Sprintf(`{"id":%q,"timestamp":"2026-11-30T10:00:00Z","cwd":"/home/dev/shop"%s}`, id, codexMore(more)))
}

func codexMore(more []string) string {
	if len(more) == 0 {
		return ""
	}
	return "," + strings.Join(more, ",")
}

func codexLine(kind, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-11-30T10:00:01Z","type":%q,"payload":%s}`, kind, payload)
}

func codexEvent(kind, more string) string {
	return codexLine("event_msg", fmt.Sprintf(`{"type":%q,%s}`, kind, more))
}

func codexUser(text string) string {
	return codexEvent("user_message", fmt.Sprintf(`"message":%q`, text))
}
func codexAgent(text string) string {
	return codexEvent("agent_message", fmt.Sprintf(`"message":%q`, text))
}

// codexItem is an item with one text for each part.
func codexItem(role string, texts ...string) string {
	var parts []string
	for _, text := range texts {
		parts = append(parts, fmt.Sprintf(`{"type":"input_text","text":%q}`, text))
	}
	return codexLine("response_item", fmt.Sprintf(`{"type":"message","role":%q,"content":[%s]}`, role, strings.Join(parts, ",")))
}

func codexShown(kind, content string) string {
	return codexEvent("item_completed", fmt.Sprintf(`"thread_id":"t","turn_id":"u","item":{"type":%q,"id":"i","content":%s}`, kind, content))
}

func codexBack(turns int) string {
	return codexEvent("thread_rolled_back", fmt.Sprintf(`"num_turns":%d`, turns))
}

func lines(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// told is a chat in one line a message: "user: hi".
func told(c gotChat) string {
	var said []string
	for _, m := range c.said {
		said = append(said, m.Role+": "+m.Text)
	}
	return strings.Join(said, "\n")
}

// homeWith is a home with these files.
func homeWith(t testing.TB, files map[string]string) *Home {
	t.Helper()
	h := madeHome(t)
	h.OS = "linux"
	for rel, text := range files {
		put(t, filepath.Join(h.Dir, filepath.FromSlash(rel)), text)
	}
	return h
}

// only reads the one chat of a home.
func only(t testing.TB, app string, files map[string]string) gotChat {
	t.Helper()
	got := readEvery(t, app, homeWith(t, files))
	if len(got) != 1 {
		t.Fatalf("%d chats, want one: %v", len(got), got)
	}
	if got[0].err != nil {
		t.Fatalf("read: %v", got[0].err)
	}
	return got[0]
}

func TestCodexWords(t *testing.T) {
	agents := "# AGENTS.md instructions for /home/dev/shop\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>"
	env := "<environment_context>\n<cwd>/home/dev/shop</cwd>\n</environment_context>"
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"what was shown and what the model was given is one talk", []string{
			codexItem("user", "hi"), codexUser("hi"), codexAgent("Hello."), codexItem("assistant", "Hello."),
		}, "user: hi\nassistant: Hello."},
		{"events of today's kind", []string{
			codexShown("UserMessage", `[{"type":"text","text":"hi"},{"type":"image","url":"x"}]`),
			codexShown("Reasoning", `[{"type":"Text","text":"no"}]`),
			codexShown("AgentMessage", `[{"type":"Text","text":"Hel"},{"type":"Text","text":"lo."}]`),
			codexShown("CommandExecution", `[{"type":"Text","text":"no"}]`),
		}, "user: hi\nassistant: Hel\n\nlo."},
		{"the items where no event is the person's", []string{
			codexItem("user", "hi"), codexAgent("shown too"), codexItem("assistant", "Hello."),
		}, "user: hi\nassistant: Hello."},
		{"a picture alone is no words of the person's", []string{
			codexEvent("user_message", `"message":"","images":["data:image/png;base64,AAAA"]`), codexItem("user", "hi"), codexItem("assistant", "Hello."),
		}, "user: hi\nassistant: Hello."},
		{"an event of another kind than plain is the program's", []string{
			codexEvent("user_message", `"message":"<user_instructions>x</user_instructions>","kind":"user_instructions"`),
			codexEvent("user_message", `"message":"hi","kind":"plain"`), codexEvent("user_message", `"message":"more","kind":null`),
		}, "user: hi\nuser: more"},
		{"what is said while working and at the end", []string{
			codexUser("hi"), codexEvent("agent_message", `"message":"Looking.","phase":"commentary"`), codexEvent("agent_message", `"message":"Done.","phase":"final_answer"`),
		}, "user: hi\nassistant: Looking.\nassistant: Done."},
		{"a compaction's message is nobody's", []string{
			codexUser("hi"), codexItem("assistant", "A summary of it all."), codexLine("compacted", `{"message":"Another model began","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`), codexAgent("Hello."),
		}, "user: hi\nassistant: Hello."},
		{"messages between agents are nobody's", []string{
			codexItem("user", "hi"), codexLine("response_item", `{"type":"agent_message","message":"do this","role":"assistant","content":[{"type":"text","text":"do this"}]}`),
		}, "user: hi"},
		{"the developer is no person", []string{codexItem("developer", "rules"), codexItem("system", "rules"), codexItem("user", "hi")}, "user: hi"},
		{"preambles come off the front", []string{codexItem("user", agents, env), codexItem("user", agents+"\n\n"+env+"\nhi"), codexItem("assistant", "Hello.")}, "user: hi\nassistant: Hello."},
		{"a mark with a blank or words in it", []string{
			codexItem("user", "<permissions instructions>\nall\n</permissions instructions>", `<skill name="x">y</skill>`, "<context_window_v2>z</context_window_v2>", "hi"),
		}, "user: hi"},
		{"a mark in the middle of a sentence is text", []string{codexItem("user", "what does <skill>x</skill> do?")}, "user: what does <skill>x</skill> do?"},
		{"a mark without its end is text", []string{codexItem("user", "<skill>x"), codexItem("assistant", "Hello.")}, "user: <skill>x\nassistant: Hello."},
		{"a name that only begins like a mark is text", []string{codexItem("user", "<skillet>x</skillet>")}, "user: <skillet>x</skillet>"},
		{"the kinds of the parts decide", []string{
			codexLine("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"house rules"},{"type":"input_text","text":"<skill>mine</skill>"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["agents_md.instructions","user.text"]}}`),
			codexLine("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello."}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["unknown"]}}`),
		}, "user: <skill>mine</skill>\nassistant: Hello."},
		{"the tags around a picture are no words, whatever their kind", []string{
			codexLine("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image"},{"type":"input_text","text":"</image>"},{"type":"input_text","text":"hi"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["user.image","user.image","user.image","user.text"]}}`),
		}, "user: hi"},
		{"notes of the program to itself", []string{
			codexItem("user", "Warning: apply_patch was requested via exec_command. Use the tool."),
			codexItem("user", "Warning: The maximum number of unified exec processes is 60"),
			codexItem("user", "Warning: Your account was flagged for something"),
			codexItem("user", "Warning: the tests fail"),
		}, "user: Warning: the tests fail"},
		{"the tags around pictures", []string{codexItem("user", "<image name=[Image #1]>", "</image>", "like this")}, "user: like this"},
		{"content that is one string, and parts without a type", []string{
			codexLine("response_item", `{"type":"message","role":"user","content":"hi"}`),
			codexLine("response_item", `{"type":"message","role":"assistant","content":[{"text":"Hel"},{"type":"refusal","text":"no"},{"type":"output_text"},{"type":"output_text","text":"lo."}]}`),
		}, "user: hi\nassistant: Hel\n\nlo."},
		{"what was typed in an editor", []string{
			codexUser("# Context from my IDE setup:\n\n## Active file: a.go\n\n## My request for Codex:\nWhy?\n"), codexAgent("So."),
		}, "user: Why?\nassistant: So."},
		{"what was typed in an editor, as an item", []string{codexItem("user", "# Context from my IDE setup:\n\n## My request for Codex:\nWhy?")}, "user: Why?"},
		{"a turn that was taken back", []string{codexUser("one"), codexAgent("1"), codexUser("two"), codexAgent("2"), codexBack(1), codexUser("three")}, "user: one\nassistant: 1\nuser: three"},
		{"two turns that were taken back, as items", []string{codexItem("user", "one"), codexItem("assistant", "1"), codexItem("user", "two"), codexItem("user", "three"), codexBack(2), codexItem("user", "four")}, "user: one\nassistant: 1\nuser: four"},
		{"a picture alone that was taken back", []string{codexUser("one"), codexAgent("1"), codexEvent("user_message", `"message":"","images":["data:x"]`), codexAgent("Nice."), codexBack(1)}, "user: one\nassistant: 1"},
		{"more turns taken back than there are", []string{codexUser("one"), codexAgent("1"), codexBack(9), codexUser("two")}, "user: two"},
		{"none taken back", []string{codexUser("one"), codexBack(0), codexBack(-3), codexEvent("thread_rolled_back", `"num_turns":"x"`)}, "user: one"},
		{"a turn without an answer", []string{codexUser("hi"), codexEvent("turn_aborted", `"reason":"interrupted"`)}, "user: hi"},
		{"a torn end and lines of other shapes", []string{`{"role":"user","content":"no"}`, `[1,2]`, `nonsense`, "", "\x00\x00", codexUser("hi"), `{"timestamp":"2026-11-30T10:00:01Z","type":"event_msg","payload":{"type":"agent_message","message":"half`}, "user: hi"},
		{"members in another order, white space after colons", []string{
			`{"payload": {"message": "hi", "type": "user_message"}, "type": "event_msg", "timestamp": "2026-11-30T10:00:01Z"}`,
			`{ "timestamp":"2026-11-30T10:00:01Z", "type" : "event_msg","payload":{"phase":null, "type":"agent_message","message":"Hello."}}`,
		}, "user: hi\nassistant: Hello."},
		{"signs inside a text are text", []string{codexUser(`{"timestamp":"x","type":"compacted","payload":{"type":"token_count"`)}, `user: {"timestamp":"x","type":"compacted","payload":{"type":"token_count"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := only(t, "codex", map[string]string{codexRollout(codexOne): lines(append([]string{codexMeta(codexOne)}, tt.lines...)...)})
			if got := told(c); got != tt.want {
				t.Errorf("said\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestCodexBareFile(t *testing.T) {
	c := only(t, "codex", map[string]string{codexRollout(codexOne): lines(
		`{"id":"`+codexTwo+`","timestamp":"2025-08-12T10:11:12Z","instructions":"`+strings.Repeat("long ", 4000)+`","git":{}}`,
		`{"record_type":"state"}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\nCurrent working directory: /home/dev/site\nApproval policy: never\n</environment_context>"}]}`,
		`{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"hi"}]}`,
		`{"type":"function_call_output","output":"no"}`,
		`{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"Hello."}]}`,
	)})
	if got, want := told(c), "user: hi\nassistant: Hello."; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if c.file.Key != codexTwo || c.project != "site" || c.model != "" || c.started != 1754993472000 || c.updated != c.started {
		t.Errorf("key %s, project %q, model %q, %d to %d", c.file.Key, c.project, c.model, c.started, c.updated)
	}
}

func TestCodexWholeFile(t *testing.T) {
	whole := `{"session":{"timestamp":"2025-04-29T15:20:11.000Z","id":"` + codexTwo + `","instructions":""},"items":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"reasoning"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello."}]}]}`
	rel := ".codex/sessions/rollout-2025-04-29-" + codexTwo + ".json"
	for name, tt := range map[string]struct{ text, want string }{
		"whole":   {whole, "user: hi\nassistant: Hello."},
		"cut off": {whole[:len(whole)-20], "user: hi"},
	} {
		t.Run(name, func(t *testing.T) {
			c := only(t, "codex", map[string]string{rel: tt.text})
			if got := told(c); got != tt.want || c.file.Key != codexTwo || c.damaged != (name == "cut off") {
				t.Errorf("%s said %q, damaged %v; want %q", c.file.Key, got, c.damaged, tt.want)
			}
		})
	}
}

// The id is the first header's, else the name's; a helper's session_id is its
// parent's and never counts.
func TestCodexIDs(t *testing.T) {
	for name, tt := range map[string]struct{ text, key string }{
		"the first header of a copied fork": {lines(codexMeta(codexOne), codexMeta(codexTwo), codexUser("hi")), codexOne},
		"not the session's id":              {lines(codexLine("session_meta", `{"session_id":"`+codexTwo+`","id":"`+codexOne+`"}`), codexUser("hi")), codexOne},
		"the name's without a header":       {lines(codexUser("hi")), codexOne},
		"after a torn first line":           {lines(`{"timestamp":"2026`, codexMeta(codexTwo), codexUser("hi")), codexTwo},
		"an id that is no id":               {lines(codexLine("session_meta", `{"id":"`+strings.Repeat("x", 3000)+`"}`), codexUser("hi")), codexOne},
		"behind instructions of 300 KB":     {lines(codexLine("session_meta", `{"base_instructions":{"text":"`+strings.Repeat("long ", 60_000)+`"},"id":"`+codexTwo+`"}`), codexUser("hi")), codexTwo},
		"before instructions of 3 MB":       {lines(codexMeta(codexTwo, `"base_instructions":{"text":"`+strings.Repeat("long ", 600_000)+`"}`), codexUser("hi")), codexTwo},
	} {
		t.Run(name, func(t *testing.T) {
			c := only(t, "codex", map[string]string{codexRollout(codexOne): tt.text})
			if c.file.Key != tt.key || told(c) != "user: hi" {
				t.Errorf("key %s, said %q", c.file.Key, told(c))
			}
		})
	}
}

func TestCodexFolderAndModel(t *testing.T) {
	turn := func(cwd, model string) string {
		return codexLine("turn_context", fmt.Sprintf(`{"cwd":%q,"model":%q}`, cwd, model))
	}
	bare := codexLine("session_meta", `{"id":"`+codexOne+`"}`)
	env := codexItem("user", "<environment_context>\n  <cwd>/home/dev/docs</cwd>\n</environment_context>")
	for name, tt := range map[string]struct {
		lines          []string
		project, model string
	}{
		"the header's, the last model":   {[]string{codexMeta(codexOne), turn("/home/dev/site", "one"), turn("/home/dev/site", "two"), codexUser("hi")}, "shop", "two"},
		"the first turn's":               {[]string{bare, turn("/home/dev/site", "one"), turn("/home/dev/docs", "one"), codexUser("hi")}, "site", "one"},
		"that of the environment's part": {[]string{bare, env, codexUser("hi")}, "docs", ""},
		"none":                           {[]string{bare, codexUser("hi")}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := only(t, "codex", map[string]string{codexRollout(codexOne): lines(tt.lines...)})
			if c.project != tt.project || c.model != tt.model {
				t.Errorf("project %q, model %q, want %q, %q", c.project, c.model, tt.project, tt.model)
			}
		})
	}
}

func TestCodexTitles(t *testing.T) {
	name := func(thread, name string) string {
		return codexEvent("thread_name_updated", fmt.Sprintf(`"thread_id":%q,"thread_name":%q`, thread, name))
	}
	index := func(id, name string) string { return fmt.Sprintf(`{"id":%q,"thread_name":%q}`, id, name) }
	for label, tt := range map[string]struct {
		index string
		lines []string
		title string
	}{
		"the last name of the list":         {lines(index(codexOne, "Old"), index(codexTwo, "Other"), index(codexOne, "New")), nil, "New"},
		"not a blank one, CRLF, a torn end": {index(codexOne, "New") + "\r\n" + index(codexOne, "  ") + "\r\n" + `{"id":"` + codexOne + `","thread_na`, nil, "New"},
		"the list before the event":         {lines(index(codexOne, "New")), []string{name(codexOne, "Event")}, "New"},
		"the last event of the thread":      {"", []string{name(codexOne, "First"), name(codexOne, "Event"), name(codexOne, " "), name(codexTwo, "Parent's")}, "Event"},
		"without a list the first words":    {"", nil, "hi"},
		"a line of the list that is huge":   {lines(index(codexOne, strings.Repeat("x", 70_000)), index(codexOne, "New")), nil, "New"},
	} {
		t.Run(label, func(t *testing.T) {
			files := map[string]string{codexRollout(codexOne): lines(append([]string{codexMeta(codexOne), codexUser("hi")}, tt.lines...)...)}
			if tt.index != "" {
				files[".codex/session_index.jsonl"] = tt.index
			}
			if c := only(t, "codex", files); c.title != tt.title {
				t.Errorf("title %q, want %q", c.title, tt.title)
			}
		})
	}
}

// Names belong to one look: a later one does not know what an earlier one read.
func TestCodexTitlesAreReadAgainAtEveryLook(t *testing.T) {
	h := homeWith(t, map[string]string{
		codexRollout(codexOne):       lines(codexMeta(codexOne), codexUser("hi")),
		".codex/session_index.jsonl": lines(`{"id":"` + codexOne + `","thread_name":"Old"}`),
	})
	if c := readAll(t, "codex", h)[0]; c.title != "Old" {
		t.Errorf("title %q", c.title)
	}
	put(t, filepath.Join(h.Dir, ".codex/session_index.jsonl"), lines(`{"id":"`+codexOne+`","thread_name":"New"}`))
	if c := readAll(t, "codex", h)[0]; c.title != "New" {
		t.Errorf("title %q after a new name", c.title)
	}
}

func TestCodexHelpersAreNotFound(t *testing.T) {
	for source, found := range map[string]bool{
		`"source":"cli"`: true, `"source":"exec"`: true, `"source":"vscode"`: true, `"source":"mcp"`: true, `"source":null`: true,
		`"source":{"custom":"far"}`:                     true,
		`"source":"cli","thread_source":"user"`:         true,
		`"source":"cli","thread_source":null`:           true,
		`"source":{"subagent":"review"}`:                false,
		`"source":{"subagent":{"other":"guardian"}}`:    false,
		`"source":{"internal":"memory_consolidation"}`:  false,
		`"source":{"never seen":1}`:                     false,
		`"source":"cli","thread_source":"subagent"`:     false,
		`"source":"cli","thread_source":"thread_title"`: false,
		`"source":{"subagent":{"thread_spawn":{"parent_thread_id":"x","depth":1}}},"base_instructions":{"text":"` + strings.Repeat("long ", 5000) + `"}`: false,
	} {
		text := lines(codexMeta(codexOne, source), codexMeta(codexTwo, `"source":"cli"`), codexUser("hi"))
		got := readEvery(t, "codex", homeWith(t, map[string]string{codexRollout(codexOne): text}))
		if len(got) == 1 != found {
			t.Errorf("%.80s: %d chats", source, len(got))
		}
	}
}

// A header that no look reaches to the end of is judged when it is read.
func TestCodexHelperBehindAHugeFirstLine(t *testing.T) {
	c := only(t, "codex", map[string]string{codexRollout(codexOne): lines(
		codexLine("session_meta", `{"instructions":"`+strings.Repeat("long ", 300_000)+`","id":"`+codexOne+`","source":{"subagent":"review"}}`), codexUser("hi"))})
	if len(c.said) != 0 {
		t.Errorf("said %v", c.said)
	}
}

func squeezed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCodexSqueezedFiles(t *testing.T) {
	head, rest := lines(codexMeta(codexTwo), codexUser("hi")), lines(codexAgent("Hello."))
	archived := ".codex/archived_sessions/rollout-2026-11-30T10-00-00-" + codexOne + ".jsonl"
	t.Run("several frames", func(t *testing.T) {
		c := only(t, "codex", map[string]string{codexRollout(codexOne) + ".zst": squeezed(t, head) + squeezed(t, rest)})
		if got := told(c); got != "user: hi\nassistant: Hello." || c.file.Key != codexTwo || c.project != "shop" {
			t.Errorf("%s said %q", c.file.Key, got)
		}
	})
	t.Run("a cut-off frame keeps what came before", func(t *testing.T) {
		end := squeezed(t, rest)
		got := readEvery(t, "codex", homeWith(t, map[string]string{codexRollout(codexOne) + ".zst": squeezed(t, head) + end[:len(end)/2]}))
		if len(got) != 1 || told(got[0]) != "user: hi" || got[0].err == nil {
			t.Errorf("%v", got)
		}
	})
	for _, newer := range []string{"", ".zst"} {
		t.Run("the plain one wins, newer "+newer, func(t *testing.T) {
			h := homeWith(t, map[string]string{codexRollout(codexOne): head + rest, codexRollout(codexOne) + ".zst": squeezed(t, head)})
			touch(t, filepath.Join(h.Dir, codexRollout(codexOne)+newer))
			got := readEvery(t, "codex", h)
			if len(got) != 1 || told(got[0]) != "user: hi\nassistant: Hello." || !strings.HasSuffix(got[0].file.Path, ".jsonl") || len(got[0].file.Also) != 1 {
				t.Errorf("%v", got)
			}
		})
	}
	t.Run("unless it cannot be opened", func(t *testing.T) {
		h := homeWith(t, map[string]string{codexRollout(codexOne): head + rest, codexRollout(codexOne) + ".zst": squeezed(t, head)})
		finder := newCodex(h)
		found, err := finder.find(context.Background())
		if err != nil || len(found.files) != 1 {
			t.Fatal(found, err)
		}
		if err := os.Remove(found.files[0].Path); err != nil {
			t.Fatal(err)
		}
		var c talk
		if err := finder.read(context.Background(), found.files[0], &c); err != nil || len(c.words) != 1 {
			t.Errorf("%v, %v", c.words, err)
		}
	})
	t.Run("also when it was archived", func(t *testing.T) {
		c := only(t, "codex", map[string]string{archived + ".zst": squeezed(t, head), codexRollout(codexOne): head + rest})
		if told(c) != "user: hi\nassistant: Hello." {
			t.Errorf("said %q", told(c))
		}
	})
	t.Run("also under another name", func(t *testing.T) {
		c := only(t, "codex", map[string]string{archived + ".zst": squeezed(t, head), codexRollout(codexTwo): head + rest})
		if told(c) != "user: hi\nassistant: Hello." || len(c.file.Also) != 1 {
			t.Errorf("%v", c)
		}
	})
}

// touch makes a file the newest.
func touch(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	later := info.ModTime().Add(5_000_000_000)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
}

func TestCodexWhatIsNoRollout(t *testing.T) {
	got := readEvery(t, "codex", homeWith(t, map[string]string{
		".codex/history.jsonl":                          lines(codexUser("hi")),
		".codex/sessions/2026/11/30/notes.jsonl":        lines(codexUser("hi")),
		codexRollout(codexOne) + ".tmp":                 lines(codexUser("hi")),
		".codex/log/rollout-2026-11-30T10-00-00-x.json": "{}",
		codexRollout(codexTwo):                          "",
	}))
	if len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestCodexHomeIsMoved(t *testing.T) {
	h := madeHome(t)
	other := t.TempDir()
	put(t, filepath.Join(other, "sessions/2026/rollout-2026-11-30T10-00-00-"+codexOne+".jsonl"), lines(codexMeta(codexOne), codexUser("hi")))
	h.env = func(name string) string {
		if name == "CODEX_HOME" {
			return other
		}
		return ""
	}
	if got := readAll(t, "codex", h); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// A line over the limit is passed over; those before and after it are read.
func TestCodexLongLines(t *testing.T) {
	long := func(n int) string { // a line of n bytes
		line := codexUser("")
		return strings.Replace(line, `"message":""`, `"message":"`+strings.Repeat("x", n-len(line))+`"`, 1)
	}
	c := only(t, "codex", map[string]string{codexRollout(codexOne): lines(codexMeta(codexOne), codexUser("one"), long(maxLine+1), codexUser("two"), long(maxLine))})
	if len(c.said) != 3 || c.said[1].Text != "two" || len(c.said[2].Text) < 1000 || !c.damaged {
		t.Errorf("%d messages, damaged %v", len(c.said), c.damaged)
	}
}

// What is passed over by its sign alone gives nothing when it is read, so that a
// file whose signs are not seen (white space after the brace) is the same chat.
func TestCodexSignsChangeNothing(t *testing.T) {
	var files []string
	for _, pattern := range []string{"home-a/.codex/sessions/*/*/*/*.jsonl", "home-a/.codex/archived_sessions/*.jsonl", "../cases/006-*/home/.codex/sessions/*/*/*/*.jsonl"} {
		list, err := filepath.Glob(filepath.Join(past, pattern))
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, list...)
	}
	skipped := 0
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		words := newCodexWords()
		read := func(b []byte) (c talk) {
			s := &codexReading{chat: &c, words: words, own: "x", until: 1 << 60, based: true}
			if _, err := new(lineReader).each(bytes.NewReader(b), maxLine, s.line); err != nil {
				t.Fatal(err)
			}
			s.finish()
			return c
		}
		for _, line := range bytes.Split(b, []byte("\n")) {
			if codexSkips(line, false) {
				skipped++
			}
		}
		got := read(b)
		want := finishedFor(chatFile{}, &got, nil)
		blind := read(bytes.ReplaceAll(b, []byte("\n{"), []byte("\n{ ")))
		if d := told(finishedFor(chatFile{}, &blind, nil)); d != told(want) || blind.Model != got.Model || blind.Title != got.Title || blind.Cwd != got.Cwd {
			t.Errorf("%s: with signs\n%s\nwithout\n%s", path, told(want), d)
		}
	}
	if skipped < 100 {
		t.Errorf("only %d lines were passed over by their signs", skipped)
	}
}

func TestCodexReadStopsWhenTheRunIsStopped(t *testing.T) {
	h := homeWith(t, map[string]string{codexRollout(codexOne): lines(codexMeta(codexOne), codexUser("hi"))})
	finder := newCodex(h)
	found, err := finder.find(context.Background())
	if err != nil || len(found.files) != 1 {
		t.Fatal(found, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := finder.read(ctx, found.files[0], new(talk)); err == nil {
		t.Error("a stopped run read on")
	}
	if _, err := newCodex(h).find(ctx); err == nil {
		t.Error("a stopped look looked on")
	}
}

func TestACodexThreadThatWasOnlyRenamedGetsItsNewTitle(t *testing.T) {
	const index = ".codex/session_index.jsonl"
	name := func(s string) string { return fmt.Sprintf(`{"id":%q,"thread_name":%q}`, codexOne, s) }
	h := homeWith(t, map[string]string{codexRollout(codexOne): lines(codexMeta(codexOne), codexUser("hi")), codexRollout(codexTwo): lines(codexMeta(codexTwo), codexUser("hello"))})
	store, err := OpenStore(t.TempDir(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Home: h, Store: store})
	title := func(want string, added, updated int) {
		t.Helper()
		if r := s.mustBringIn(t); r.Added != added || r.Updated != updated {
			t.Errorf("%d added and %d updated, want %d and %d", r.Added, r.Updated, added, updated)
		}
		if e, err := store.Find(pastID("codex", codexOne)); err != nil || e.Title != want {
			t.Errorf("the title is %q, want %q; %v", e.Title, want, err)
		}
	}
	title("hi", 2, 0)
	put(t, filepath.Join(h.Dir, index), lines(name("Shop")))
	title("Shop", 0, 1)
	title("Shop", 0, 0)
	put(t, filepath.Join(h.Dir, index), lines(name("Shop"), name("Bakery")))
	title("Bakery", 0, 1)
}
