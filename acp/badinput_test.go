package acp

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/engine"
)

// What a program gets wrong, and what a person is told: one plain sentence and
// one next step, or nothing at all. The chat goes on after each.
func TestBadInput(t *testing.T) {
	hexed := hex.EncodeToString([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"caf` + "\xe9\xff" + ` ok"}}}}`))
	for _, c := range []struct {
		name   string
		script []string
		says   string
		result engine.Outcome
		error  string
		next   string
		holds  string // in the tape
	}{
		{
			name:   "a banner before anything",
			script: []string{`{"raw":"*** Welcome! ***\n\u001b[1mbold\u001b[0m"}`, hello, opened, asked, says("fine"), done},
			says:   "fine", result: engine.Success,
		},
		{
			name: "a huge update",
			script: []string{hello, opened, asked, says("before "),
				`{"raw":"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"sess-1\",\"x\":\"","fill":41943040,"end":"\"}}"}`,
				says("after"), done},
			says: "before after", result: engine.Success,
			holds: "Test Agent said something too large to take in (40 MB); it is left out.",
		},
		{
			name:   "a huge answer",
			script: []string{hello, opened, asked, says("words"), `{"raw":"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"x\":\"","fill":41943040,"end":"\"}}"}`},
			says:   "words", result: engine.Failed,
			error: "Test Agent could not be heard: its answer was too large to take in (40 MB).", next: "ask for less at once and send the message again",
		},
		{
			name:   "a huge answer whose id comes last",
			script: []string{hello, opened, asked, says("words"), `{"raw":"{\"jsonrpc\":\"2.0\",\"result\":{\"x\":\"","fill":41943040,"end":"\"},\"id\":3}"}`},
			says:   "words", result: engine.Failed,
			error: "Test Agent could not be heard: its answer was too large to take in (40 MB).", next: "ask for less at once and send the message again",
		},
		{
			name:   "invalid UTF-8",
			script: []string{hello, opened, asked, fmt.Sprintf(`{"hex":%q}`, hexed), done},
			says:   "caf\ufffd\ufffd ok", result: engine.Success,
		},
		{
			name: "unknown kinds of update",
			script: []string{hello, opened, asked, updates(`{"sessionUpdate":"weather","sky":"blue"}`), updates(`{"sessionUpdate":7}`),
				updates(`{}`), `{"send":{"jsonrpc":"2.0","method":"_odd/thing","params":[1,2]}}`, says("on"), done},
			says: "on", result: engine.Success,
		},
		{
			name: "null where a list belongs",
			script: []string{hello, opened, asked,
				updates(`{"sessionUpdate":"plan","entries":null}`),
				updates(`{"sessionUpdate":"available_commands_update","availableCommands":null}`),
				updates(`{"sessionUpdate":"config_option_update","configOptions":null}`),
				updates(`{"sessionUpdate":"tool_call","toolCallId":"a","title":"Look","kind":null,"status":"in_progress","content":null,"locations":null}`),
				updates(`{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed","content":[null,7,{"type":"content","content":null}],"rawOutput":null}`),
				says("on"), done},
			says: "on", result: engine.Success, holds: "✓ t1 success",
		},
		{
			name: "one bad item in a list",
			script: []string{hello, opened, asked,
				updates(`{"sessionUpdate":"plan","entries":[3,{"content":"Look","status":"pending"},{"content":"Odd","status":"sideways"},{"content":null,"status":"pending"}]}`),
				says("on"), done},
			says: "on", result: engine.Success, holds: "plan pending: Look",
		},
		{
			name: "an update of a call that was never announced",
			script: []string{hello, opened, asked,
				updates(`{"sessionUpdate":"tool_call_update","toolCallId":"ghost","status":"completed","kind":"read","locations":[{"path":"/a/b.go"}]}`),
				updates(`{"sessionUpdate":"tool_call_update","status":"completed"}`),
				says("on"), done},
			says: "on", result: engine.Success, holds: "⋯ Read · /a/b.go",
		},
		{
			name: "an update of another session",
			script: []string{hello, opened, asked,
				`{"send":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"foreign"}}}}}`,
				says("own"), done},
			says: "own", result: engine.Success,
		},
		{
			name: "unknown requests, with ids of every form",
			script: []string{hello, opened, asked,
				`{"send":{"jsonrpc":"2.0","id":0,"method":"fs/write_text_file","params":{}}}`, `{"expect":"response:0"}`,
				`{"send":{"jsonrpc":"2.0","id":"x-1","method":"terminal/create","params":null}}`, `{"expect":"response:\"x-1\""}`,
				`{"send":{"jsonrpc":"2.0","id":1.5,"method":"odd"}}`, `{"send":{"jsonrpc":"2.0","id":{},"method":"odd"}}`,
				says("on"), `{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`},
			says: "on", result: engine.Success,
		},
		{
			name:   "an answer that echoes the id as a text",
			script: []string{hello, opened, asked, says("on"), `{"send":{"jsonrpc":"2.0","id":"3","result":{"stopReason":"end_turn"}}}`},
			says:   "on", result: engine.Success,
		},
		{
			name:   "an answer that is none",
			script: []string{hello, opened, asked, says("on"), `{"send":{"jsonrpc":"2.0","id":3}}`},
			says:   "on", result: engine.Failed,
			error: "Test Agent answered with an error: it sent an answer that cannot be read.", next: "send the message again, or carry on with another provider",
		},
		{
			name:   "an error with a text for its code",
			script: []string{hello, opened, asked, `{"send":{"jsonrpc":"2.0","id":3,"error":{"code":"E_QUOTA","message":"monthly quota used up"}}}`},
			result: engine.Failed,
			error:  "Test Agent has reached a limit: monthly quota used up.", next: "wait a while, or carry on with another provider",
		},
		{
			name:   "a stop reason that is not known",
			script: []string{hello, opened, asked, says("on"), `{"reply":{"stopReason":"tired"}}`},
			says:   "on", result: engine.Success,
		},
		{
			name:   "an answer of null",
			script: []string{hello, opened, asked, says("on"), `{"reply":null}`, `{"send":{"jsonrpc":"2.0","id":3,"result":null}}`},
			says:   "on", result: engine.Success,
		},
		{
			name:   "death in the middle of a sentence",
			script: []string{hello, opened, asked, says("The answer is"), `{"stderr":"panic: \u001b[31mout of memory\u001b[0m\n"}`, `{"exit":7}`},
			says:   "The answer is", result: engine.Failed,
			error: "Test Agent stopped (exit 7): panic: out of memory.", next: "send the message again: it is started anew",
		},
		{
			name:   "death before the start",
			script: []string{`{"stderr":"node: bad option\n"}`, `{"exit":9}`},
			result: engine.Failed,
			error:  "Test Agent stopped (exit 9): node: bad option.", next: "send the message again: it is started anew",
		},
		{
			name:   "another version of the protocol",
			script: []string{`{"expect":"initialize","reply":{"protocolVersion":2}}`},
			result: engine.Failed,
			error:  "Test Agent cannot be used: it speaks version 2 of the agent protocol, and Conch speaks version 1.", next: "update it",
		},
		{
			name:   "a session without a name",
			script: []string{hello, `{"expect":"session/new","reply":{"sessionId":null}}`},
			result: engine.Failed,
			error:  "Test Agent could not open a session: it opened a session without a name.", next: "conch doctor",
		},
		{
			name: "a question that offers nothing",
			script: []string{hello, opened, asked,
				`{"send":{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"sessionId":"sess-1","toolCall":{"toolCallId":"t","title":"rm","kind":"execute"},"options":null}}}`,
				`{"expect":"response:5"}`, says("on"), `{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`},
			says: "on", result: engine.Success, holds: "⊘ t1 not-run",
		},
		{
			name: "a question with one answer twice",
			script: []string{hello, opened, asked,
				`{"send":{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"sessionId":"sess-1","toolCall":{"toolCallId":"t","title":"rm","kind":"execute"},"options":[{"optionId":"a","name":"Yes","kind":"allow_once"},{"optionId":"a","name":"No","kind":"reject_once"}]}}}`,
				`{"expect":"response:5"}`, says("on"), `{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`},
			says: "on", result: engine.Success, holds: "notice bad-request",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, _ := scriptEngine(t, script(t, c.script...), quick())
			s := newTape()
			r := e.Turn(context.Background(), input(t, "hi"), s)
			s.end(r)
			if r.Outcome != c.result || r.Error != c.error || r.Next != c.next {
				t.Errorf("ended %s %q → %q", r.Outcome, r.Error, r.Next)
			}
			if said(s) != c.says {
				t.Errorf("said %q, want %q", said(s), c.says)
			}
			if !strings.Contains(s.text(), c.holds) {
				t.Errorf("%q is not in:\n%s", c.holds, s.text())
			}
		})
	}
}

func TestAProgramThatNeverAnswersIsWaitedForAloudAndCanBeStopped(t *testing.T) {
	times := quick()
	times.Silence, times.Stop, times.Note = 100*time.Millisecond, 200*time.Millisecond, 20*time.Millisecond
	e, _ := scriptEngine(t, script(t, hello, opened, asked, `{"ignore":["session/cancel","stdin-eof"]}`, `{"hang":true}`), times)
	ctx, cancel := context.WithCancel(context.Background())
	s := newTape()
	go func() {
		s.wait(t, "the word of waiting", func(events []engine.Event) bool {
			for _, ev := range events {
				if w, ok := ev.(engine.Waiting); ok && strings.HasPrefix(w.Text, "waiting for Test Agent, ") {
					return true
				}
			}
			return false
		})
		cancel()
	}()
	start := time.Now()
	r := e.Turn(ctx, input(t, "hi"), s)
	if r.Outcome != engine.Interrupted || r.Accepted {
		t.Errorf("%+v", r)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if e.chats.Process("chat") != nil {
		t.Error("the process that did not stop was kept")
	}
	if !strings.Contains(s.text(), "Test Agent did not stop by itself, so it was ended.") {
		t.Errorf("nothing says that it was ended:\n%s", s.text())
	}
}

func TestAProgramThatIsNotThereIsNamedWithItsInstallCommand(t *testing.T) {
	agent := Agents("conch")[1]
	agent.Command = "/nowhere/gemini"
	e := testEngine(t, agent, quick())
	r := e.Turn(context.Background(), input(t, "hi"), newTape())
	if r.Outcome != engine.Failed || r.Error != "Gemini CLI is not installed: /nowhere/gemini was not found." || r.Next != "npm install -g @google/gemini-cli" {
		t.Errorf("%+v", r)
	}
	h := e.Health(context.Background())
	if h.State != engine.NotFound || h.Next != agent.Install {
		t.Errorf("%+v", h)
	}
	own := testEngine(t, Agent{ID: "mine", Name: "mine", Command: "/nowhere/mine"}, quick())
	h = own.Health(context.Background())
	if h.Problem != "mine can't be started: there is no program /nowhere/mine." || h.Next != "check its command in config.toml" {
		t.Errorf("of one's own: %+v", h)
	}
}
