package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/chats"
	"conch/conversation"
)

// A turn with a bit of everything.
func aTurn() []chats.Event {
	var list []chats.Event
	add := func(seq int64, body chats.Body) {
		list = append(list, chats.Event{V: 1, Seq: seq, At: 1_790_000_000_000 + seq*1000, Turn: "t", Body: body})
	}
	add(1, chats.UserMessage{MessageID: "u", Text: "fix it"})
	add(2, chats.Session{Engine: "demo", ResumeID: "s", Model: "demo-calm"})
	add(-1, chats.AssistantDelta{MessageID: "th", Channel: chats.ChannelThought, Delta: "hm"})
	add(3, chats.AssistantDelta{MessageID: "th", Channel: chats.ChannelThought, Delta: "hm"})
	add(3, chats.AssistantDone{MessageID: "th"})
	add(-1, chats.AssistantDelta{MessageID: "a", Channel: chats.ChannelText, Delta: "I'll lo"})
	add(-1, chats.AssistantDelta{MessageID: "a", Channel: chats.ChannelText, Delta: "ok.\x1b[2J"})
	add(4, chats.AssistantDelta{MessageID: "a", Channel: chats.ChannelText, Delta: "I'll look.\x1b[2J And"})
	add(-1, chats.AssistantDelta{MessageID: "a", Channel: chats.ChannelText, Delta: " read"})
	add(4, chats.AssistantDelta{MessageID: "a", Channel: chats.ChannelText, Delta: " read."})
	add(4, chats.AssistantDone{MessageID: "a"})
	add(-1, chats.AssistantDelta{MessageID: "b", Channel: chats.ChannelText, Delta: "broken str"})
	add(5, chats.AssistantDone{MessageID: "b", Retracted: true})
	add(6, chats.ToolStarted{ToolUseID: "1", Name: "Edit", Subject: "cart.go", View: json.RawMessage(`{"diffs":[{"path":"cart.go","old":null,"new":"a\n"}]}`)})
	add(7, chats.PermissionRequested{PermissionID: "p", ToolUseID: "1", ToolName: "Edit", Summary: "cart.go", Why: "it changes a file"})
	add(8, chats.PermissionResolved{PermissionID: "p", Decision: "deny", By: "mode", Why: "auto-read asks for edits, and nobody is here"})
	add(9, chats.ToolFinished{ToolUseID: "1", Status: "not-run", Reason: "nobody was asked", DurationMs: 12})
	add(10, chats.ToolStarted{ToolUseID: "2", Name: "Bash", Subject: "go test"})
	add(-1, chats.ToolProgress{ToolUseID: "2", Output: "ok  a\n"})
	add(-1, chats.ToolProgress{ToolUseID: "2", Output: "ok  a\nok  b\n"})
	add(11, chats.ToolFinished{ToolUseID: "2", Status: "success", Output: "ok  a\nok  b\n", DurationMs: 1200})
	add(12, chats.Plan{Steps: []chats.PlanStep{{Title: "find", Status: "done"}, {Title: "fix", Status: "active"}}})
	add(13, chats.Usage{Usage: json.RawMessage(`{"contextUsed":100,"contextSize":32000}`)})
	add(13, chats.Usage{Usage: json.RawMessage(`{"contextUsed":100,"contextSize":32000}`)})
	add(14, chats.Notice{Code: "provider", Message: "a line"})
	add(-1, chats.AssistantDelta{MessageID: "c", Channel: chats.ChannelText, Delta: "And then it"})
	add(15, chats.AssistantDelta{MessageID: "c", Channel: chats.ChannelText, Delta: "And then it"})
	add(15, chats.TurnCompleted{Outcome: "error", Error: "the agent ended", Problem: "unavailable", Next: "send again", Engine: "demo"})
	return list
}

func TestTheJSONOfATurn(t *testing.T) {
	var b strings.Builder
	at := time.Unix(0, 0)
	o := &jsonOutput{printer: printer{w: &b}, now: func() time.Time { at = at.Add(150 * time.Millisecond); return at }}
	for _, e := range aTurn() {
		o.event(e, conversation.Status{Chat: "01CHAT"})
	}
	want := `{"type":"session","chat":"01CHAT","provider":"demo","model":"demo-calm","restarted":""}
{"type":"thought","text":"hm","message":"th"}
{"type":"text","text":"I'll lo","message":"a"}
{"type":"text","text":"ok.","message":"a"}
{"type":"text","text":" And","message":"a"}
{"type":"text","text":" read","message":"a"}
{"type":"text","text":".","message":"a"}
{"type":"text","text":"broken str","message":"b"}
{"type":"retract","message":"b"}
{"type":"tool-start","id":"1","name":"Edit","title":"cart.go","diff":[{"path":"cart.go","old":null,"new":"a\n"}]}
{"type":"permission","id":"p","tool_id":"1","tool":"Edit","summary":"cart.go","decision":"deny","why":"auto-read asks for edits, and nobody is here"}
{"type":"tool-end","id":"1","name":"Edit","title":"cart.go","status":"not-run","ms":12,"reason":"nobody was asked"}
{"type":"tool-start","id":"2","name":"Bash","title":"go test"}
{"type":"tool-update","id":"2","name":"Bash","title":"go test","output":"ok  a\nok  b\n"}
{"type":"tool-end","id":"2","name":"Bash","title":"go test","status":"success","output":"ok  a\nok  b\n","ms":1200}
{"type":"plan","steps":[{"title":"find","status":"done"},{"title":"fix","status":"active"}]}
{"type":"usage","contextUsed":100,"contextSize":32000}
{"type":"notice","code":"provider","message":"a line"}
{"type":"text","text":"And then it","message":"c"}
{"type":"done","chat":"01CHAT","outcome":"error","error":"the agent ended","problem":"unavailable","paused":false,"pause":null,"next":"send again"}
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestTheTextOfATurn(t *testing.T) {
	var b strings.Builder
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	o := &textOutput{printer: printer{w: &b}, note: note}
	for _, e := range aTurn() {
		o.event(e, conversation.Status{})
	}
	if d := cmp.Diff("I'll look. And read.\n\nAnd then it\n", b.String()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"declined: Edit cart.go · auto-read asks for edits, and nobody is here"}, notes); d != "" {
		t.Error(d)
	}
}

func TestAFenceThatIsOpenIsClosed(t *testing.T) {
	for text, want := range map[string]string{
		"no fence":                        "no fence",
		"```\na\n```":                     "```\na\n```",
		"```go\na":                        "```go\na\n```",
		"````\n```\na\n```":               "````\n```\na\n```\n````",
		"~~~\n```\n~~~":                   "~~~\n```\n~~~",
		"    ```\nindented code":          "    ```\nindented code",
		"``` not a fence ``` in one line": "``` not a fence ``` in one line",
		"```\n``` still open":             "```\n``` still open\n```",
	} {
		if got := balanced(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// FuzzMarkdown: whatever a step printed, what follows it is no part of its fence.
func FuzzMarkdown(f *testing.F) {
	f.Add("```\nx", "````")
	f.Add("~~~", "a ``` b")
	f.Fuzz(func(t *testing.T, said, output string) {
		events := []chats.Event{
			{Body: chats.UserMessage{MessageID: "u", Text: said}},
			{Body: chats.ToolStarted{ToolUseID: "1", Name: "Bash", Subject: output}},
			{Body: chats.ToolFinished{ToolUseID: "1", Status: "success", Output: output}},
			{Body: chats.UserMessage{MessageID: "v", Text: "THE END"}},
		}
		text := chatMarkdown(chats.Summary{ID: "01X", Title: said}, events, 0)
		if strings.ContainsFunc(text, odd) {
			t.Errorf("odd characters in %q", text)
		}
		if got := balanced(text); got != text {
			t.Errorf("a fence is open at the end of %q", text)
		}
	})
}
