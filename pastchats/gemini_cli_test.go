package pastchats

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const (
	geminiSession = "c364e7e0-0000-4000-8000-000000000001"
	geminiChats   = ".gemini/tmp/shop/chats/"
	geminiLog     = geminiChats + "session-2026-11-30T10-00-c364e7e0.jsonl"
	geminiJSON    = geminiChats + "session-2026-11-30T10-00-c364e7e0.json"
)

func geminiHeader(more ...string) string {
	return fmt.Sprintf(`{"sessionId":%q,"projectHash":"h","startTime":"2026-11-30T10:00:00Z","lastUpdated":"2026-11-30T10:00:00Z"%s}`, geminiSession, codexMore(more))
}

// geminiSays is a message; its id's number is also its minute.
func geminiSays(id int, kind, text string, more ...string) string {
	return fmt.Sprintf(`{"id":"m%d","timestamp":"2026-11-30T10:%02d:00Z","type":%q,"content":%q%s}`, id, id, kind, text, codexMore(more))
}

func geminiParts(id int, kind, content string, more ...string) string {
	return fmt.Sprintf(`{"id":"m%d","timestamp":"2026-11-30T10:%02d:00Z","type":%q,"content":%s%s}`, id, id, kind, content, codexMore(more))
}

func geminiSet(messages ...string) string {
	return `{"$set":{"messages":[` + strings.Join(messages, ",") + `]}}`
}

func TestGeminiChangeLog(t *testing.T) {
	context := geminiParts(50, "user", `[{"text":"<session_context>\nThis is the Gemini CLI.\n</session_context>"}]`)
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"a message whose id is known takes the older one's place", []string{
			geminiSays(1, "user", "hi"), geminiSays(2, "gemini", "Hel"), geminiSays(3, "user", "more"), geminiSays(2, "gemini", "Hello."),
		}, "user: hi\nassistant: Hello.\nuser: more"},
		{"a rewind takes a message away and all after it", []string{
			geminiSays(1, "user", "hi"), geminiSays(2, "gemini", "Hello."), geminiSays(3, "user", "no"), geminiSays(4, "gemini", "No."), `{"$rewindTo":"m3"}`, geminiSays(5, "user", "yes"),
		}, "user: hi\nassistant: Hello.\nuser: yes"},
		{"an id that was taken away comes back as new", []string{
			geminiSays(1, "user", "hi"), geminiSays(2, "gemini", "Hello."), `{"$rewindTo":"m1"}`, geminiSays(2, "gemini", "Again."), geminiSays(1, "user", "hi"),
		}, "assistant: Again.\nuser: hi"},
		{"a rewind to what is not known takes nothing", []string{geminiSays(1, "user", "hi"), `{"$rewindTo":"m9"}`, `{"$rewindTo":7}`}, "user: hi"},
		{"changes that are not known are passed over", []string{geminiSays(1, "user", "hi"), `{"$patch":{"op":"x"}}`, `{"$new":1}`, `{"$set":"x"}`, `{"$set":{"memoryScratchpad":{}}}`}, "user: hi"},
		{"the header comes again in the middle", []string{geminiSays(1, "user", "hi"), geminiHeader(), geminiSays(2, "gemini", "Hello.")}, "user: hi\nassistant: Hello."},
		{"a header that carries messages", []string{geminiHeader(`"messages":[` + geminiSays(1, "user", "hi") + `]`)}, "user: hi"},
		{"a resume begins with a short list", []string{
			geminiSays(1, "user", "hi"), geminiSays(2, "gemini", "Hello."), geminiSet(context), geminiSet(context, geminiSays(1, "user", "hi"), geminiParts(2, "gemini", `[{"text":"Hello."}]`)), geminiSays(3, "user", "more"),
		}, "user: hi\nassistant: Hello.\nuser: more"},
		{"a loaded session ends with a short list", []string{geminiSays(1, "user", "hi"), geminiSays(2, "gemini", "Hello."), geminiSet(context)}, "user: hi\nassistant: Hello."},
		{"a compression keeps the old turns", []string{
			geminiSays(1, "user", "one"), geminiSays(2, "gemini", "1"), geminiSays(3, "user", "two"), geminiSays(4, "gemini", "2"),
			geminiSet(geminiSays(5, "user", "<state_snapshot>all</state_snapshot>"), geminiSays(6, "gemini", "Got it. Thanks for the additional context!"), geminiSays(3, "user", "two"), geminiSays(4, "gemini", "2")),
			geminiSays(7, "user", "three"),
		}, "user: one\nassistant: 1\nuser: two\nassistant: 2\nuser: three"},
		{"what is new in a list follows the one before it", []string{
			geminiSays(1, "user", "one"), geminiSays(3, "user", "three"), geminiSet(geminiSays(1, "user", "one"), geminiSays(2, "gemini", "2"), geminiSays(8, "gemini", "2b"), geminiSays(3, "user", "three")),
		}, "user: one\nassistant: 2\nassistant: 2b\nuser: three"},
		{"what is new at a list's beginning stands before the next known one", []string{
			geminiSays(2, "gemini", "2"), geminiSays(3, "user", "three"), geminiSet(geminiSays(0, "user", "zero"), geminiSays(1, "user", "one"), geminiSays(3, "user", "three")),
		}, "assistant: 2\nuser: zero\nuser: one\nuser: three"},
		{"a known one is replaced in a list, what was typed stays", []string{
			geminiSays(1, "user", "look at @a", `"displayContent":[{"text":"look at @a"}]`), geminiSet(geminiSays(1, "user", "look at the file's text")),
		}, "user: look at @a"},
		{"an id that is twice in a list", []string{geminiSet(geminiSays(1, "user", "one"), geminiSays(1, "user", "two"))}, "user: two"},
		{"messages without an id", []string{geminiSays(1, "user", "hi"), `{"timestamp":"2026-11-30T10:00:00Z","type":"user","content":"no"}`, geminiSet(`{"type":"user","content":"no"}`)}, "user: hi"},
		{"a torn end", []string{geminiSays(1, "user", "hi"), `{"id":"m2","timestamp":"2026-11-30T10:02:00Z","type":"gemini","content":"half`}, "user: hi"},
		{"a list that is torn changes nothing", []string{geminiSays(1, "user", "hi"), `{"$set":{"messages":[` + geminiSays(1, "user", "no") + `,`}, "user: hi"},
		{"white space and a BOM", []string{"\ufeff" + geminiHeader(), ` { "id" : "m1" , "type" : "user" , "content" : "hi" } `}, "user: hi"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := only(t, "gemini-cli", map[string]string{geminiLog: lines(append([]string{geminiHeader(`"kind":"main"`)}, tt.lines...)...)})
			if got := told(c); got != tt.want {
				t.Errorf("said\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestGeminiWords(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"a string", `"hi"`, "hi"},
		{"a part", `{"text":"hi"}`, "hi"},
		{"parts and strings", `["hi",{"text":"there"},{"functionCall":{"name":"x"}},{"inlineData":{"data":"AAAA"}},{"fileData":{}}]`, "hi\n\nthere"},
		{"nothing that was thought", `[{"text":"hm","thought":true},{"text":"hi","thought":false}]`, "hi"},
		{"a tool's answer", `[{"functionResponse":{"response":{"output":"x"}}}]`, ""},
		{"not the files that an @ pulled in", `[{"text":"Explain @a"},{"text":"\n--- Content from referenced files ---"},{"text":"a's text"}]`, "Explain @a"},
		{"blocks of the program", `"<session_context>x</session_context><hook_context>y</hook_context>hi<system-reminder>z</system-reminder>"`, "hi"},
		{"a snapshot", `"<state_snapshot>x</state_snapshot>"`, ""},
		{"the editor's context", `"Here is the user's editor context as a JSON object"`, ""},
		{"the editor's changes", `"Here is a summary of changes in the user's editor context, as JSON"`, ""},
		{"a command", `"/stats"`, ""},
		{"a command with a colon", `" /mcp:tool-2 "`, ""},
		{"a path is no command", `"/home is where the logo should link to."`, "/home is where the logo should link to."},
		{"a path of two parts is no command", `"/home/dev"`, "/home/dev"},
		{"a question mark", `"?"`, "?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if m := newGeminiWords().message(value(geminiParts(1, "user", tt.content))); m.text != tt.want {
				t.Errorf("%q, want %q", m.text, tt.want)
			}
		})
	}
	for kind, want := range map[string]Role{"user": User, "gemini": Assistant, "info": "", "warning": "", "error": "", "quit": ""} {
		if m := newGeminiWords().message(value(geminiSays(1, kind, "hi"))); m.role != want {
			t.Errorf("%s is %q", kind, m.role)
		}
	}
}

// A list's copies of known messages have new times and no model: the older ones
// stay.
func TestGeminiKeepsOlderTimesAndModels(t *testing.T) {
	c := only(t, "gemini-cli", map[string]string{geminiLog: lines(geminiHeader(),
		geminiSays(1, "user", "hi"), geminiSays(2, "gemini", "Hello.", `"model":"gemini-3"`),
		strings.ReplaceAll(geminiSet(geminiSays(1, "user", "hi"), geminiSays(2, "gemini", "Hello.")), "T10", "T23"),
		`{"$set":{"summary":" Greetings "}}`, `{"$set":{"summary":"  "}}`)})
	if c.model != "gemini-3" || c.title != "Greetings" || c.started != 1796032860000 || c.updated != 1796032920000 {
		t.Errorf("model %q, title %q, %d to %d", c.model, c.title, c.started, c.updated)
	}
}

func TestGeminiWholeFile(t *testing.T) {
	whole := "\ufeff" + geminiHeader(`"summary":"Greetings","messages":[`+geminiSays(1, "user", "hi")+","+geminiSays(2, "gemini", "Hello.")+","+geminiSays(3, "info", "no")+`]`)
	c := only(t, "gemini-cli", map[string]string{geminiJSON: whole})
	if told(c) != "user: hi\nassistant: Hello." || c.title != "Greetings" || c.file.Key != geminiSession {
		t.Errorf("%s: %q said %q", c.file.Key, c.title, told(c))
	}
	for _, cut := range []int{len(whole) - 1, len(whole) - 30, 40} {
		c := only(t, "gemini-cli", map[string]string{geminiJSON: whole[:cut]})
		if len(c.said) != 0 || !c.damaged {
			t.Errorf("cut off at %d it said %q, damaged %v", cut, told(c), c.damaged)
		}
	}
}

func TestGeminiFilesOfOneSession(t *testing.T) {
	stub := lines(strings.ReplaceAll(geminiHeader(), "T10:", "T23:"), geminiSet(geminiSays(50, "user", "<session_context>x</session_context>")), geminiSays(51, "info", "note"))
	updated := func(at string) string { return `{"$set":{"lastUpdated":"2026-11-30T` + at + `:00Z"}}` }
	log := func(text, at string) string { return lines(geminiHeader(), geminiSays(1, "user", text), updated(at)) }
	whole := func(text, at string) string {
		return strings.Replace(geminiHeader(`"messages":[`+geminiSays(1, "user", text)+`]`), `"lastUpdated":"2026-11-30T10:00`, `"lastUpdated":"2026-11-30T`+at, 1)
	}
	later := geminiChats + "session-2026-11-30T10-05-c364e7e0.jsonl"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a later stub is no chat", map[string]string{geminiLog: log("log", "10:01"), later: stub}, "user: log"},
		{"also when the stub is met first", map[string]string{later: log("log", "10:01"), geminiLog: stub}, "user: log"},
		{"an old file that was gone on with in a log", map[string]string{geminiJSON: whole("json", "10:01"), geminiLog: log("log", "10:02")}, "user: log"},
		{"the later one", map[string]string{geminiJSON: whole("json", "10:03"), geminiLog: log("log", "10:02")}, "user: json"},
		{"of the same time the log", map[string]string{geminiJSON: whole("json", "10:02"), geminiLog: log("log", "10:02")}, "user: log"},
		{"all three", map[string]string{geminiJSON: whole("json", "10:01"), geminiLog: log("log", "10:02"), later: stub}, "user: log"},
		{"a broken twin", map[string]string{geminiJSON: whole("json", "10:03")[:150], geminiLog: log("log", "10:02")}, "user: log"},
		{"in two folders", map[string]string{geminiLog: log("log", "10:02"), strings.Replace(geminiLog, "shop", "site", 1): log("moved", "10:03")}, "user: moved"},
		{"stubs alone", map[string]string{geminiLog: stub, later: stub}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := only(t, "gemini-cli", tt.files)
			if got := told(c); got != tt.want {
				t.Errorf("said %q, want %q", got, tt.want)
			}
			var size int64
			for _, text := range tt.files {
				size += int64(len(text))
			}
			if len(c.file.Also) != len(tt.files)-1 || c.file.Size != size {
				t.Errorf("%d further files, %d bytes, want %d", len(c.file.Also), c.file.Size, size)
			}
		})
	}
}

func TestGeminiTwinsShareDigitsNotChats(t *testing.T) {
	other := strings.ReplaceAll(lines(geminiHeader(), geminiSays(1, "user", "other")), geminiSession, "c364e7e0-0000-4000-8000-000000000002")
	if got := readAll(t, "gemini-cli", homeWith(t, map[string]string{
		geminiLog: lines(geminiHeader(), geminiSays(1, "user", "hi")),
		geminiChats + "session-2026-11-30T10-01-c364e7e0.jsonl": other,
	})); len(got) != 2 {
		t.Errorf("%d chats", len(got))
	}
}

func TestGeminiWhatIsNoChat(t *testing.T) {
	text := lines(geminiHeader(), geminiSays(1, "user", "hi"))
	helper := strings.ReplaceAll(lines(geminiHeader(`"kind":"subagent"`), geminiSays(1, "user", "hi")), geminiSession, "x")
	got := readAll(t, "gemini-cli", homeWith(t, map[string]string{
		geminiChats + geminiSession + "/helper.jsonl":                 text,
		geminiChats + "session-2026-11-30T10-00-a.jsonl":              helper,
		geminiChats + "session-2026-11-30T10-00-b.json":               geminiHeader(`"messages":[` + geminiSays(1, "user", "hi") + `],"kind":"subagent"`),
		geminiChats + "session-2026-11-30T10-00-c.jsonl.unreadable-1": text,
		geminiChats + "session-2026-11-30T10-00-d.jsonl.tmp-1":        text,
		geminiChats + "checkpoint-x.json":                             text,
		".gemini/tmp/shop/logs.json":                                  "[]",
		".gemini/tmp/shop/session-2026-11-30T10-00-e.jsonl":           text,
		".gemini/history/shop/chats/session-x.jsonl":                  text,
	}))
	if len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// A file that gives no id is there to be counted, under its own name.
func TestGeminiFilesWithoutAnID(t *testing.T) {
	c := only(t, "gemini-cli", map[string]string{geminiLog: lines(geminiSays(1, "user", "hi"))})
	if c.file.Key == "" || told(c) != "user: hi" {
		t.Errorf("%s said %q", c.file.Key, told(c))
	}
}

func TestGeminiFolders(t *testing.T) {
	const site = "8e2b5e8cf1a4d1ffbd1b2df1d7e6e0a5c5b6a7d8e9f0a1b2c3d4e5f60718293a" // of no known folder
	const hash = "e828acfc792e3bbcd2a6c6c35323cb44b7b438741c168c8ec59aefe347f193bb" // of /home/dev/shop
	context := geminiParts(50, "user", `"<session_context>\n- **Workspace Directories:**\n  - /home/dev/docs\n- more\n</session_context>"`)
	text := lines(geminiHeader(), context, geminiSays(1, "user", "hi"))
	bare := lines(geminiHeader(), geminiSays(1, "user", "hi"))
	at := func(project string) string { return ".gemini/tmp/" + project + "/chats/session-x.jsonl" }
	projects := `{"projects":{"/home/dev/shop":"shop-1","c:\\users\\dev\\site":"site"}}`
	for _, tt := range []struct {
		name, look, project string
		files               map[string]string
	}{
		{"its own mark", "mine", "mine", map[string]string{at("shop-1"): text, ".gemini/tmp/shop-1/.project_root": "/home/dev/mine\n", ".gemini/projects.json": projects}},
		{"the list of projects", "shop", "shop", map[string]string{at("shop-1"): text, ".gemini/projects.json": projects}},
		{"a list with folders of Windows", "site", "site", map[string]string{at("site"): text, ".gemini/projects.json": projects}},
		{"a list that is torn", "shop", "shop", map[string]string{at("shop-1"): text, ".gemini/projects.json": projects[:40]}},
		{"the hash of a folder of the list", "shop", "shop", map[string]string{at(hash): bare, ".gemini/projects.json": projects}},
		{"what the model was told", "", "docs", map[string]string{at("gone"): text, ".gemini/projects.json": projects}},
		{"a hash of no folder that is known", "", "", map[string]string{at(site): bare}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := only(t, "gemini-cli", tt.files)
			if c.file.Project != tt.look || c.project != tt.project {
				t.Errorf("project %q in the look, %q when read; want %q, %q", c.file.Project, c.project, tt.look, tt.project)
			}
		})
	}
}

// GEMINI_CLI_HOME stands in for the home: .gemini is still below it.
func TestGeminiHomeIsMoved(t *testing.T) {
	h := madeHome(t)
	other := t.TempDir()
	put(t, filepath.Join(other, geminiLog), lines(geminiHeader(), geminiSays(1, "user", "hi")))
	h.env = func(name string) string { return map[string]string{"GEMINI_CLI_HOME": other}[name] }
	if got := readAll(t, "gemini-cli", h); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// A line of more than 4 MiB is a history written again: nothing said is lost by
// passing it over.
func TestGeminiLongLines(t *testing.T) {
	c := only(t, "gemini-cli", map[string]string{geminiLog: lines(geminiHeader(), geminiSays(1, "user", "hi"),
		geminiSet(geminiSays(1, "user", "hi"), geminiSays(9, "user", strings.Repeat("x", maxLine))), geminiSays(2, "gemini", "Hello."))})
	if told(c) != "user: hi\nassistant: Hello." || !c.damaged {
		t.Errorf("said %.100q, damaged %v", told(c), c.damaged)
	}
}
