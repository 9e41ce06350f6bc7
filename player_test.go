//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// playerEnv makes this test program be an agent's program: "acp" or "codex". Its
// model is the pretend one at playerModel; what that calls is really called.
const (
	playerEnv   = "CONCH_TEST_PLAYER"
	playerModel = "CONCH_TEST_MODEL"
)

// agentLoop is what every agent's program does: ask the model, run what it calls,
// ask again.
type agentLoop struct {
	model    string
	messages []map[string]any
	tools    []map[string]any
	call     func(name string, args json.RawMessage) string
}

func (a *agentLoop) offer(name, what string, schema any) {
	a.tools = append(a.tools, map[string]any{"type": "function", "function": map[string]any{"name": name, "description": what, "parameters": schema}})
}

// bash is the program's own tool.
func (a *agentLoop) offerBash() {
	a.offer("bash", "Run a command", map[string]any{"type": "object", "properties": map[string]any{"command": map[string]any{"type": "string"}}})
}

// turn gives the model's last words.
func (a *agentLoop) turn(words string) (string, error) {
	a.messages = append(a.messages, map[string]any{"role": "user", "content": words})
	for range 30 {
		body, err := json.Marshal(map[string]any{"model": "pretend-1", "messages": a.messages, "tools": a.tools})
		if err != nil {
			return "", err
		}
		res, err := http.Post(a.model+"/v1/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		raw, err := io.ReadAll(res.Body)
		if err = errors.Join(err, res.Body.Close()); err != nil {
			return "", err
		}
		var out struct {
			Choices []struct {
				Message struct {
					Content   string `json:"content"`
					ToolCalls []struct {
						ID       string `json:"id"`
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				} `json:"message"`
			} `json:"choices"`
		}
		if err := json.Unmarshal(raw, &out); err != nil || len(out.Choices) == 0 {
			return "", fmt.Errorf("the model said %s: %w", raw, err)
		}
		said := out.Choices[0].Message
		message := map[string]any{"role": "assistant", "content": said.Content}
		if len(said.ToolCalls) == 0 {
			a.messages = append(a.messages, message)
			return said.Content, nil
		}
		var calls []any
		for _, c := range said.ToolCalls {
			calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Function.Name, "arguments": c.Function.Arguments}})
		}
		message["tool_calls"] = calls
		a.messages = append(a.messages, message)
		for _, c := range said.ToolCalls {
			a.messages = append(a.messages, map[string]any{
				"role": "tool", "tool_call_id": c.ID, "content": a.call(c.Function.Name, json.RawMessage(c.Function.Arguments)),
			})
		}
	}
	return "", errors.New("the model calls on and on")
}

// bash runs a command that was allowed.
func bash(command string) string {
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}

func commandOf(args json.RawMessage) string {
	var a struct{ Command string }
	_ = json.Unmarshal(args, &a) // no command runs nothing
	return a.Command
}

// lines is a JSON-RPC peer over stdin and stdout that does one thing at a time.
type lines struct {
	in      *bufio.Scanner
	last    int
	jsonrpc bool
}

type rpcLine struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

func (l *lines) next() (m rpcLine, ok bool) {
	for l.in.Scan() {
		m = rpcLine{}
		if json.Unmarshal(l.in.Bytes(), &m) == nil {
			return m, true
		}
	}
	return m, false
}

func (l *lines) write(m map[string]any) {
	if l.jsonrpc {
		m["jsonrpc"] = "2.0"
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", raw)
}

func (l *lines) reply(id json.RawMessage, result any) {
	l.write(map[string]any{"id": id, "result": result})
}

func (l *lines) tell(method string, params any) {
	l.write(map[string]any{"method": method, "params": params})
}

// ask sends a request and waits for its answer; what comes meanwhile is let go.
func (l *lines) ask(method string, params any) json.RawMessage {
	l.last++
	id := fmt.Sprint(900 + l.last)
	l.write(map[string]any{"id": 900 + l.last, "method": method, "params": params})
	for {
		m, ok := l.next()
		if !ok {
			os.Exit(0)
		}
		if m.Method == "" && string(m.ID) == id {
			return m.Result
		}
	}
}

// play is the main function of the program.
func play(kind string) int {
	l := &lines{in: bufio.NewScanner(os.Stdin), jsonrpc: kind == "acp"}
	l.in.Buffer(nil, 16<<20)
	loop := &agentLoop{model: os.Getenv(playerModel)}
	loop.offerBash()
	if kind == "acp" {
		return playACP(l, loop)
	}
	return playCodex(l, loop)
}

// playACP is an ACP program with a shell, and with the MCP servers it is given.
func playACP(l *lines, loop *agentLoop) int {
	type obj = map[string]any
	ctx := context.Background()
	var door *mcp.ClientSession
	calls := 0
	loop.call = func(name string, args json.RawMessage) string {
		calls++
		if tool, ok := strings.CutPrefix(name, "mcp__conch__"); ok && door != nil {
			out, err := door.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
			if err != nil {
				return err.Error()
			}
			raw, _ := json.Marshal(out.Content) // text always encodes
			return string(raw)
		}
		id, command := fmt.Sprint("call-", calls), commandOf(args)
		call := obj{"toolCallId": id, "title": command, "kind": "execute", "status": "pending", "rawInput": obj{"command": command}}
		update := func(more obj) {
			more["toolCallId"] = id
			l.tell("session/update", obj{"sessionId": "s1", "update": more})
		}
		start := obj{"sessionUpdate": "tool_call"}
		for k, v := range call {
			start[k] = v
		}
		update(start)
		answer := l.ask("session/request_permission", obj{"sessionId": "s1", "toolCall": call, "options": []obj{
			{"optionId": "y", "name": "Allow", "kind": "allow_once"}, {"optionId": "n", "name": "Reject", "kind": "reject_once"},
		}})
		if !strings.Contains(string(answer), `"y"`) {
			update(obj{"sessionUpdate": "tool_call_update", "status": "failed"})
			return "it was declined"
		}
		out := bash(command)
		update(obj{"sessionUpdate": "tool_call_update", "status": "completed", "content": []obj{{"type": "content", "content": obj{"type": "text", "text": out}}}})
		return out
	}
	for {
		m, ok := l.next()
		if !ok {
			return 0
		}
		switch m.Method {
		case "initialize":
			l.reply(m.ID, obj{"protocolVersion": 1, "agentCapabilities": obj{"mcpCapabilities": obj{"http": true}}, "authMethods": []obj{}})
		case "session/new":
			var p struct {
				McpServers []struct {
					URL     string `json:"url"`
					Headers []struct{ Name, Value string }
				} `json:"mcpServers"`
			}
			_ = json.Unmarshal(m.Params, &p) // none then
			for _, s := range p.McpServers {
				headers := http.Header{}
				for _, h := range s.Headers {
					headers.Set(h.Name, h.Value)
				}
				client := mcp.NewClient(&mcp.Implementation{Name: "player", Version: "1"}, nil)
				session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: withHeaders(headers)}}, nil)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					continue
				}
				door = session
				for tool, err := range session.Tools(ctx, nil) {
					if err != nil {
						break
					}
					loop.offer("mcp__conch__"+tool.Name, tool.Description, tool.InputSchema)
				}
			}
			l.reply(m.ID, obj{"sessionId": "s1"})
		case "session/prompt":
			var p struct{ Prompt []struct{ Text string } }
			_ = json.Unmarshal(m.Params, &p) // no words then
			var words []string
			for _, b := range p.Prompt {
				words = append(words, b.Text)
			}
			said, err := loop.turn(strings.Join(words, "\n"))
			if err != nil {
				l.write(obj{"id": m.ID, "error": obj{"code": -32603, "message": err.Error()}})
				continue
			}
			l.tell("session/update", obj{"sessionId": "s1", "update": obj{"sessionUpdate": "agent_message_chunk", "content": obj{"type": "text", "text": said}}})
			l.reply(m.ID, obj{"stopReason": "end_turn"})
		default:
			if m.ID != nil && m.Method != "" {
				l.write(obj{"id": m.ID, "error": obj{"code": -32601, "message": "no such method"}})
			}
		}
	}
}

type withHeaders http.Header

func (h withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range h {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

// playCodex is as much of Codex app-server as these turns need, in the shapes of
// 0.171.0.
func playCodex(l *lines, loop *agentLoop) int {
	type obj = map[string]any
	const thread, turn = "01a22d6d-fd44-7ab1-a488-061dd8c15c21", "t1"
	at := func(more obj) obj {
		more["threadId"], more["turnId"] = thread, turn
		return more
	}
	calls := 0
	loop.call = func(name string, args json.RawMessage) string {
		calls++
		id := fmt.Sprint("call_", calls)
		if name != "bash" {
			answer := l.ask("item/tool/call", at(obj{"callId": id, "tool": name, "arguments": args}))
			var out struct{ ContentItems []struct{ Text string } }
			_ = json.Unmarshal(answer, &out) // an empty answer then
			var text strings.Builder
			for _, c := range out.ContentItems {
				text.WriteString(c.Text)
			}
			return text.String()
		}
		command := commandOf(args)
		item := obj{"type": "commandExecution", "id": id, "command": "/bin/bash -lc '" + command + "'", "cwd": "/", "source": "agent",
			"commandActions": []obj{{"type": "unknown", "command": command}}, "status": "inProgress"}
		l.tell("item/started", at(obj{"item": item}))
		answer := l.ask("item/commandExecution/requestApproval", at(obj{"kind": "command", "itemId": id, "command": command, "cwd": "/",
			"commandActions": []obj{{"type": "unknown", "command": command}}, "availableDecisions": []any{"accept", "cancel"}}))
		item["status"], item["aggregatedOutput"] = "declined", nil
		out := "it was declined"
		if strings.Contains(string(answer), `"accept"`) {
			out = bash(command)
			item["status"], item["aggregatedOutput"], item["exitCode"] = "completed", out, 0
		}
		l.tell("item/completed", at(obj{"item": item}))
		return out
	}
	path := filepath.Join(os.Getenv("CODEX_HOME"), "sessions", "2026", "11", "30", "rollout-2026-11-30T17-08-32-"+thread+".jsonl")
	for {
		m, ok := l.next()
		if !ok {
			return 0
		}
		switch m.Method {
		case "initialize":
			l.reply(m.ID, obj{"userAgent": "conch/0.171.0 (stand-in)"})
		case "account/read":
			l.reply(m.ID, obj{"account": obj{"type": "apiKey"}, "requiresOpenaiAuth": true})
		case "model/list":
			l.reply(m.ID, obj{"data": []obj{}})
		case "thread/start":
			var p struct {
				DynamicTools []struct {
					Name, Description string
					InputSchema       json.RawMessage `json:"inputSchema"`
				} `json:"dynamicTools"`
			}
			_ = json.Unmarshal(m.Params, &p) // none then
			for _, t := range p.DynamicTools {
				if strings.HasPrefix(t.Name, "mcp__") {
					l.write(obj{"id": m.ID, "error": obj{"code": -32600, "message": "dynamic tool name is reserved: " + t.Name}})
				}
				loop.offer(t.Name, t.Description, t.InputSchema)
			}
			l.reply(m.ID, obj{"thread": obj{"id": thread, "path": path, "turns": []obj{}}, "model": "made-up", "activePermissionProfile": obj{"id": "conch"}})
		case "turn/start":
			var p struct{ Input []struct{ Text string } }
			_ = json.Unmarshal(m.Params, &p) // no words then
			var words []string
			for _, i := range p.Input {
				words = append(words, i.Text)
			}
			_ = os.MkdirAll(filepath.Dir(path), 0o700)
			_ = os.WriteFile(path, []byte(`{"type":"session_meta"}`+"\n"), 0o600) // without it the thread is not kept
			l.reply(m.ID, obj{"turn": obj{"id": turn, "status": "inProgress"}})
			l.tell("turn/started", obj{"threadId": thread, "turn": obj{"id": turn, "status": "inProgress"}})
			said, err := loop.turn(strings.Join(words, "\n"))
			status := obj{"id": turn, "status": "completed", "items": []obj{}}
			if err != nil {
				status["status"], status["error"] = "failed", obj{"message": err.Error()}
			}
			message := obj{"type": "agentMessage", "id": "m1", "text": ""}
			l.tell("item/started", at(obj{"item": message}))
			message["text"] = said
			l.tell("item/completed", at(obj{"item": message}))
			l.tell("turn/completed", obj{"threadId": thread, "turn": status})
		default:
			if m.ID != nil && m.Method != "" {
				l.reply(m.ID, obj{})
			}
		}
	}
}
