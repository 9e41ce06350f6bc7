package pastchats

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const (
	copilotUser    = ".config/Code/User/"
	copilotFolder  = copilotUser + "workspaceStorage/aaaa1111/"
	copilotSession = "c0000000-0000-4000-8000-000000000001"
	copilotLogAt   = copilotFolder + "chatSessions/" + copilotSession + ".jsonl"
	copilotJSONAt  = copilotFolder + "chatSessions/" + copilotSession + ".json"
	copilotEmptyAt = copilotUser + "globalStorage/emptyWindowChatSessions/" + copilotSession + ".jsonl"
)

func copilotAsked(text, answer string, more ...string) string {
	return fmt.Sprintf(`{"requestId":"r","timestamp":1775000001000,"message":{"text":%q,"parts":[]},"response":[{"value":%q}]%s}`, text, answer, codexMore(more))
}

func copilotObject(requests ...string) string {
	return fmt.Sprintf(`{"version":3,"sessionId":%q,"creationDate":1775000000000,"requests":[%s]}`, copilotSession, strings.Join(requests, ","))
}

func copilotWholeLine(requests ...string) string {
	return `{"kind":0,"v":` + copilotObject(requests...) + `}`
}

func copilotSet(path, v string) string { return fmt.Sprintf(`{"kind":1,"k":%s,"v":%s}`, path, v) }
func copilotPush(path, v string) string {
	return fmt.Sprintf(`{"kind":2,"k":%s,"v":%s}`, path, v)
}

func TestCopilotChangeLog(t *testing.T) {
	one := copilotAsked("one", "1")
	two := copilotAsked("two", "2")
	const said = "user: one\nassistant: 1"
	deep := "[" + strings.TrimSuffix(strings.Repeat(`"requests",`, copilotDepth+1), ",") + "]"
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"the whole object", []string{copilotWholeLine(one)}, said},
		{"a later whole object replaces all", []string{copilotWholeLine(one, two), copilotWholeLine(one)}, said},
		{"a whole object that is none is dropped", []string{copilotWholeLine(one), `{"kind":0,"v":[]}`, `{"kind":0}`, `{"kind":0,"v":null}`}, said},
		{"entries before any object do nothing", []string{copilotPush(`["requests"]`, "["+two+"]"), copilotSet(`["customTitle"]`, `"x"`), copilotWholeLine(one)}, said},
		{"only entries, the first line is torn", []string{`{"kind":0,"v":{"requests":[`, copilotPush(`["requests"]`, "["+two+"]")}, ""},
		{"appending", []string{copilotWholeLine(), copilotPush(`["requests"]`, "["+one+"]"), copilotPush(`["requests"]`, "["+two+"]")}, said + "\nuser: two\nassistant: 2"},
		{"a list of requests is no replacement", []string{copilotWholeLine(one), copilotPush(`["requests"]`, "["+two+"]")}, said + "\nuser: two\nassistant: 2"},
		{"cut, then append", []string{copilotWholeLine(one, one, one), `{"kind":2,"k":["requests"],"v":[` + two + `],"i":1}`}, said + "\nuser: two\nassistant: 2"},
		{"only cut", []string{copilotWholeLine(one, two), `{"kind":2,"k":["requests"],"i":1}`}, said},
		{"a cut at the list's length", []string{copilotWholeLine(one), `{"kind":2,"k":["requests"],"i":1,"v":[]}`}, said},
		{"streaming", []string{
			copilotWholeLine(`{"message":{"text":"one"},"response":[]}`),
			copilotPush(`["requests",0,"response"]`, `[{"value":"Par"}]`),
			`{"kind":2,"k":["requests",0,"response"],"v":[{"value":"1"}],"i":0}`,
		}, said},
		{"placeholders that are filled", []string{
			copilotWholeLine(`{"requestId":"r"}`, "null"),
			copilotSet(`["requests",0,"message"]`, `{"text":"one","parts":[{"text":"one"}]}`), copilotSet(`["requests",0,"response"]`, `[{"value":"1"}]`),
			copilotSet(`["requests",1]`, two),
		}, said + "\nuser: two\nassistant: 2"},
		{"a set in the middle of an answer", []string{
			copilotWholeLine(copilotAsked("one", "It tries ")), copilotSet(`["requests",0,"response",0,"value"]`, `"1"`),
		}, said},
		{"a set one past the end appends", []string{copilotWholeLine(one), copilotSet(`["requests",1]`, two)}, said + "\nuser: two\nassistant: 2"},
		{"a list made where there was none", []string{
			copilotWholeLine(`{"message":{"text":"one"}}`), copilotPush(`["requests",0,"response"]`, `[{"value":"1"}]`),
		}, said},
		{"a list made where there was null", []string{
			copilotWholeLine(`{"message":{"text":"one"},"response":null}`), copilotPush(`["requests",0,"response"]`, `[{"value":"1"}]`),
		}, said},
		{"a set without a value removes the member", []string{copilotWholeLine(copilotAsked("one", "1", `"isHidden":true`)), `{"kind":1,"k":["requests",0,"isHidden"]}`}, said},
		{"removing a member", []string{copilotWholeLine(one, copilotAsked("two", "2")), `{"kind":3,"k":["requests",1,"message"]}`, `{"kind":3,"k":["requests",1,"response"]}`}, said},
		{"removing from a list leaves the place", []string{
			copilotWholeLine(two, one), `{"kind":3,"k":["requests",0]}`, copilotSet(`["requests",1,"message","text"]`, `"one"`),
		}, said},
		{"an empty path does nothing", []string{copilotWholeLine(one), copilotSet(`[]`, copilotObject(two)), `{"kind":3,"k":[]}`, copilotPush(`[]`, `[1]`)}, said},
		{"no entry at all", []string{copilotWholeLine(one), `nonsense`, `[1]`, `"x"`, `7`, `null`, `{}`}, said},
		{"kinds that are not known", []string{copilotWholeLine(one), `{"kind":7,"k":["requests"],"v":[]}`, `{"kind":"3","k":["requests"]}`, `{"kind":null,"k":["requests"]}`, `{"kind":-1,"k":["requests"]}`, `{"kind":33,"k":["requests"]}`, `{"k":["requests"]}`}, said},
		{"paths that are none", []string{copilotWholeLine(one), copilotSet(`"requests"`, `[]`), copilotSet(`{"0":"requests"}`, `[]`), copilotSet(`null`, `[]`), copilotSet(`[["requests"]]`, `[]`), copilotSet(`["requests",null]`, two), `{"kind":3}`}, said},
		{"paths that are too deep", []string{copilotWholeLine(one), copilotSet(deep, `1`)}, said},
		{"a step into what is not there", []string{copilotWholeLine(one), copilotSet(`["requests",1,"message","text"]`, `"x"`), copilotSet(`["requests",0,"modelState","a","b"]`, `1`), copilotSet(`["requests",0,"message","text","x"]`, `1`)}, said},
		{"a name into a list, an index into an object", []string{copilotWholeLine(one), copilotSet(`["requests","0"]`, two), copilotSet(`["requests","length"]`, `0`), copilotSet(`["requests",0,0]`, two), copilotSet(`[0]`, two), copilotPush(`["requests","0"]`, "["+two+"]")}, said},
		{"indexes that are none", []string{copilotWholeLine(one), copilotSet(`["requests",-1]`, two), copilotSet(`["requests",0.5]`, two), copilotSet(`["requests",1e99]`, two), copilotSet(`["requests",2]`, two), copilotSet(`["requests",900000000,"message"]`, `{"text":"far"}`), copilotSet(`["requests",4294967296]`, two)}, said},
		{"cuts that are none", []string{copilotWholeLine(one), `{"kind":2,"k":["requests"],"v":[` + two + `],"i":2}`, `{"kind":2,"k":["requests"],"i":-1}`, `{"kind":2,"k":["requests"],"i":0.5}`, `{"kind":2,"k":["requests"],"i":4000000000}`, `{"kind":2,"k":["requests"],"i":"0"}`}, said},
		{"appending to what is no list", []string{copilotWholeLine(one), copilotPush(`["requests",0,"message"]`, `[1]`), copilotPush(`["requests",0,"message","text"]`, `[1]`), copilotPush(`["requests"]`, `{"0":`+two+`}`)}, said},
		{"a torn end", []string{copilotWholeLine(one), `{"kind":2,"k":["requests"],"v":[` + two}, said},
		{"the unsent draft", []string{copilotWholeLine(one), copilotSet(`["inputState"]`, `{"inputText":"draft"}`), copilotSet(`["pendingRequests"]`, "["+two+"]")}, said},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := only(t, "copilot", map[string]string{copilotLogAt: lines(tt.lines...)})
			if got := told(c); got != tt.want {
				t.Errorf("said\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Names that mean something else in the editor's language drop their entry,
// wherever they stand and however they are written, and never get into our data.
func TestCopilotForbiddenNames(t *testing.T) {
	for _, name := range []string{"__proto__", "prototype", "constructor", `__pro\u0074o__`} {
		for _, path := range []string{`["%s"]`, `["%s","polluted"]`, `["requests",0,"%s","x"]`, `["requests",0,"message","%s"]`, `["customTitle","%s"]`} {
			for kind := 1; kind <= 3; kind++ {
				var log copilotLog
				log.apply([]byte(copilotWholeLine(copilotAsked("one", "1"))))
				copilotWholeTree(&log.root)
				before := copilotTree(log.root)
				log.apply([]byte(fmt.Sprintf(`{"kind":%d,"k":`+path+`,"v":["x"]}`, kind, name)))
				if after := copilotTree(log.root); !reflect.DeepEqual(before, after) {
					t.Errorf("kind %d of %s at %s: %v", kind, name, path, after)
				}
			}
		}
		var log copilotLog
		log.apply([]byte(copilotWholeLine(`{"message":{"` + name + `":{"x":1},"text":"one"}}`)))
		log.apply([]byte(copilotSet(`["requests",0,"message","more"]`, `{"`+name+`":1,"deep":[{"`+name+`":1}]}`)))
		copilotWholeTree(&log.root)
		if tree := fmt.Sprint(copilotTree(log.root)); strings.Contains(tree, "proto") || strings.Contains(tree, "constructor") {
			t.Errorf("%s is in our data: %s", name, tree)
		}
	}
}

// copilotWholeTree takes all of an object apart.
func copilotWholeTree(n *copilotNode) {
	in := n.open()
	if in == nil {
		return
	}
	for i := range in.list {
		copilotWholeTree(&in.list[i])
	}
	for _, m := range in.members {
		copilotWholeTree(m)
	}
}

// copilotTree is an object as encoding/json has it; what is gone is null.
func copilotTree(n copilotNode) any {
	switch {
	case n.inside == nil:
		var v any
		_ = json.Unmarshal(n.raw, &v) // what is no JSON is null here
		return v
	case n.inside.members != nil:
		all := map[string]any{}
		for name, m := range n.inside.members {
			all[name] = copilotTree(*m)
		}
		return all
	}
	all := []any{}
	for _, m := range n.inside.list {
		all = append(all, copilotTree(m))
	}
	return all
}

func TestCopilotAnswers(t *testing.T) {
	file := func(path string) string {
		return `{"kind":"inlineReference","inlineReference":{"path":"` + path + `","scheme":"file"}}`
	}
	text := func(s string) string { return fmt.Sprintf(`{"value":%q,"isTrusted":false}`, s) }
	step := func(kind string) string {
		return `{"kind":"` + kind + `","message":"x","value":"no","content":{"value":"no"}}`
	}
	steps := []string{"toolInvocation", "toolInvocationSerialized", "command", "confirmation", "elicitationSerialized", "questionCarousel"}
	nothing := []string{"thinking", "progressMessage", "progressTask", "progressTaskSerialized", "prepareToolInvocation", "codeblockUri", "textEditGroup", "notebookEditGroup", "undoStop", "mcpServersStarting", "treeData", "workspaceEdit", "multiDiffData", "hook", "extensions", "pullRequest", "warning", "info", "hologram", ""}
	type answer struct{ name, response, want string }
	tests := []answer{
		{"one string", `"Hello."`, "Hello."},
		{"a list of strings", `["Hel","lo."]`, "Hello."},
		{"fragments are joined directly", "[" + text("Hel") + "," + text("lo.") + "]", "Hello."},
		{"words of a kind", `[{"kind":"markdownContent","content":{"value":"Hel"}},{"kind":"markdownVuln","content":{"value":"lo."}},{"kind":"markdownContent","content":"!"}]`, "Hello.!"},
		{"a kind that is null is none", `[{"kind":null,"value":"Hello."}]`, "Hello."},
		{"a file in the middle of a sentence", "[" + text("See ") + "," + file("/home/dev/shop/cart.ts") + "," + text(" there.") + "]", "See `cart.ts` there."},
		{"a symbol", `[{"kind":"inlineReference","inlineReference":{"name":"total","location":{"uri":{"path":"/a/b.ts"}}}}]`, "`total`"},
		{"a place in a file", `[{"kind":"inlineReference","inlineReference":{"name":"x","uri":{"path":"/a/b.ts"},"range":{}}}]`, "`b.ts`"},
		{"a file of Windows", `[{"kind":"inlineReference","inlineReference":{"fsPath":"c:\\dev\\b.ts"}}]`, "`b.ts`"},
		{"a folder", "[" + file("/home/dev/shop/") + "]", "`shop`"},
		{"a reference to nothing", `[{"kind":"inlineReference"},{"kind":"inlineReference","inlineReference":7}]`, ""},
		{"an empty fence that an edit left", "[" + text("Changed:\n\n```\n") + "," + step("textEditGroup") + "," + text("\n```\n") + "," + text("Done.") + "]", "Changed:\n\nDone."},
		{"an empty fence with a language", "[" + text("Changed:\n````ts\n\n````\nDone.") + "]", "Changed:\nDone."},
		{"two fences with code are no empty one", "[" + text("```\na\n```\n```\nb\n```") + "]", "```\na\n```\n```\nb\n```"},
		{"a fence without an end", "[" + text("```\na\n\n") + "]", "```\na"},
		{"many line ends", "[" + text("a\n\n\n\nb\n\nc") + "]", "a\n\nb\n\nc"},
		{"no answer", `null`, ""},
		{"steps alone", "[" + step("toolInvocation") + "]", ""},
	}
	for _, kind := range steps {
		tests = append(tests, answer{kind + " begins a paragraph", "[" + text("a.") + "," + step(kind) + "," + step(kind) + "," + text("b.") + "]", "a.\n\nb."})
	}
	for _, kind := range nothing {
		tests = append(tests, answer{"kind " + kind + " is nothing", "[" + text("a") + "," + step(kind) + "," + text("b.") + "]", "ab."})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := copilotAnswer(copilotNode{raw: value(tt.response)}); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			// What a log keeps of it says the same.
			var log copilotLog
			log.apply([]byte(copilotWholeLine("{}")))
			log.apply([]byte(copilotSet(`["requests",0,"response"]`, tt.response)))
			copilotWholeTree(&log.root)
			request := log.root.inside.members["requests"].inside.list[0]
			if got := copilotAnswer(request.member("response")); got != tt.want {
				t.Errorf("in a log %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCopilotRequests(t *testing.T) {
	for _, tt := range []struct{ name, request, want string }{
		{"as typed", copilotAsked("@workspace /explain this", "So."), "user: @workspace /explain this\nassistant: So."},
		{"a message that is a string", `{"message":"one","response":"1"}`, "user: one\nassistant: 1"},
		{"one that failed", `{"message":{"text":"one"},"response":[],"result":{"errorDetails":{"message":"Sorry"}}}`, "user: one"},
		{"hidden", copilotAsked("one", "1", `"isHidden":true`), ""},
		{"not hidden", copilotAsked("one", "1", `"isHidden":false`), "user: one\nassistant: 1"},
		{"undone", copilotAsked("one", "1", `"shouldBeRemovedOnSend":{"requestId":"r"}`), ""},
		{"undone, older", copilotAsked("one", "1", `"shouldBeRemovedOnSend":true`), ""},
		{"not undone", copilotAsked("one", "1", `"shouldBeRemovedOnSend":null`), "user: one\nassistant: 1"},
		{"no request", `7`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for at, text := range map[string]string{copilotJSONAt: copilotObject(tt.request), copilotLogAt: lines(copilotWholeLine(tt.request))} {
				c := only(t, "copilot", map[string]string{at: text})
				if got := told(c); got != tt.want {
					t.Errorf("%s said %q, want %q", filepath.Ext(at), got, tt.want)
				}
			}
		})
	}
}

func TestCopilotFacts(t *testing.T) {
	c := only(t, "copilot", map[string]string{copilotJSONAt: `{"sessionId":"other","customTitle":"Retry","creationDate":1775000000000,"lastMessageDate":1775000002000,"requests":[` +
		copilotAsked("one", "1", `"modelId":"copilot/gpt-5.1"`, `"modelState":{"value":1,"completedAt":1775000009000}`) + "," +
		copilotAsked("two", "2", `"modelId":""`) + "," +
		copilotAsked("three", "", `"modelId":"copilot/failed"`, `"result":{"metadata":{},"errorDetails":{"message":"Sorry"}}`) + "," +
		copilotAsked("no", "no", `"modelId":"copilot/other"`, `"isHidden":true`, `"modelState":{"completedAt":1775000099000}`) + `]}`,
		copilotFolder + "workspace.json": `{"folder":"file:///home/dev/b%C3%BCro"}`})
	if c.file.Key != "other" || c.title != "Retry" || c.model != "gpt-5.1" || c.project != "büro" || c.file.Project != "büro" || c.started != 1775000000000 || c.updated != 1775000009000 {
		t.Errorf("key %s, title %q, model %q, project %q, %d to %d", c.file.Key, c.title, c.model, c.project, c.started, c.updated)
	}
}

func TestCopilotPaths(t *testing.T) {
	for address, want := range map[string]string{
		"file:///home/dev/b%C3%BCro":                    "/home/dev/büro",
		"file:///c%3A/Users/dev/shop":                   "c:/Users/dev/shop",
		"vscode-remote://ssh-remote%2Bbox/srv/app":      "/srv/app",
		"file:///home/dev/all%20of%20it.code-workspace": "/home/dev/all of it.code-workspace",
		"file:///home/dev/100%":                         "/home/dev/100%",
		"file://":                                       "",
		"":                                              "",
		"/plain/path":                                   "/plain/path",
	} {
		if got := copilotPath(address); got != want {
			t.Errorf("%s is %q, want %q", address, got, want)
		}
	}
}

func TestCopilotFilesOfOneID(t *testing.T) {
	log := lines(copilotWholeLine(copilotAsked("log", "1")))
	whole := copilotObject(copilotAsked("json", "1"))
	none := lines(copilotWholeLine())
	insiders := strings.Replace(copilotLogAt, "Code/", "Code - Insiders/", 1)
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"the log wins", map[string]string{copilotJSONAt: whole, copilotLogAt: log}, "log"},
		{"an empty log does not", map[string]string{copilotJSONAt: whole, copilotLogAt: ""}, "json"},
		{"a log that says nothing does not", map[string]string{copilotJSONAt: whole, copilotLogAt: none}, "json"},
		{"a torn log does not", map[string]string{copilotJSONAt: whole, copilotLogAt: log[:60]}, "json"},
		{"the workspace's copy wins", map[string]string{copilotEmptyAt: log, copilotJSONAt: whole}, "json"},
		{"also before the older place of chats without a folder", map[string]string{strings.Replace(copilotJSONAt, "aaaa1111", "no-workspace", 1): whole, copilotLogAt: log}, "log"},
		{"one chat of two editions", map[string]string{copilotLogAt: log, insiders: log}, "log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if c := only(t, "copilot", tt.files); !strings.HasPrefix(told(c), "user: "+tt.want+"\n") {
				t.Errorf("said %q", told(c))
			}
		})
	}
}

func TestCopilotPlaces(t *testing.T) {
	log := func(id int) string {
		return strings.ReplaceAll(lines(copilotWholeLine(copilotAsked("one", "1"))), copilotSession, fmt.Sprint("s", id))
	}
	inside := "/User/workspaceStorage/aaaa/chatSessions/s.jsonl"
	for system, base := range map[string]string{"linux": ".config/", "darwin": "Library/Application Support/", "windows": "AppData/Roaming/"} {
		h := homeWith(t, map[string]string{
			base + "Code" + inside: log(1), base + "Code - Insiders" + inside: log(2), base + "VSCodium" + inside: log(3), base + "Code - OSS" + inside: log(4),
			base + "Cursor" + inside: log(5), base + "Code/User/globalStorage/transferredChatSessions/s.jsonl": log(6),
			base + "Code/User/workspaceStorage/aaaa/GitHub.copilot-chat/transcripts/s.jsonl": log(7), base + "Code/User/workspaceStorage/aaaa/chatSessions/deep/s.jsonl": log(8),
		})
		h.OS = system
		if got := readAll(t, "copilot", h); len(got) != 4 {
			t.Errorf("%s: %d chats, want 4", system, len(got))
		}
	}
	for system, name := range map[string]string{"linux": "XDG_CONFIG_HOME", "windows": "APPDATA"} {
		h, other := madeHome(t), t.TempDir()
		put(t, filepath.Join(other, "Code", inside), log(1))
		h.OS = system
		h.env = func(asked string) string { return map[string]string{name: other}[asked] }
		if got := readAll(t, "copilot", h); len(got) != 1 {
			t.Errorf("%s moved by %s: %d chats", system, name, len(got))
		}
	}
}

// A log's first line can be the whole chat: 6 MiB of it are read.
func TestCopilotALongFirstLine(t *testing.T) {
	tool := `{"kind":"toolInvocationSerialized","resultDetails":"` + strings.Repeat("x", 6<<20) + `"}`
	request := `{"message":{"text":"one"},"response":[{"value":"1"},` + tool + `,{"value":"2"}]}`
	var log copilotLog
	log.apply([]byte(copilotWholeLine(request)))
	if log.bytes > 4096 {
		t.Errorf("%d bytes are kept of it", log.bytes)
	}
	c := only(t, "copilot", map[string]string{copilotLogAt: lines(copilotWholeLine(request), copilotSet(`["customTitle"]`, `"Long"`))})
	if told(c) != "user: one\nassistant: 1\n\n2" || c.title != "Long" {
		t.Errorf("%q said %.100q", c.title, told(c))
	}
}
