package pretend

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// said is what a client reads out of an answer.
type said struct {
	Status  int
	Retry   string
	Thought string
	Text    string
	Calls   []string // name and arguments
	Stop    string
	Broken  bool // the connection ended in the middle
}

// turn is a part of a conversation, as a client of any dialect would send it.
type turn struct{ user, assistant, call, args, result string }

// client speaks one dialect as the real programs do.
type client struct {
	dialect Dialect
	path    string
	body    func(system string, turns []turn, tools []tool, stream bool, schema map[string]any) any
	hear    func(s *said, event map[string]any)
}

// at follows keys and numbers into decoded JSON; nil when it is not there.
func at(v any, path ...any) any {
	for _, step := range path {
		switch key := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[key]
		case int:
			l, _ := v.([]any)
			if key >= len(l) {
				return nil
			}
			v = l[key]
		}
	}
	return v
}

func str(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

type obj = map[string]any

var clients = []client{
	{
		dialect: Anthropic, path: "/v1/messages",
		body: func(system string, turns []turn, tools []tool, stream bool, schema map[string]any) any {
			var messages, offered []any
			for i, t := range turns {
				switch {
				case t.user != "":
					messages = append(messages, obj{"role": "user", "content": []any{obj{"type": "text", "text": t.user}}})
				case t.assistant != "":
					messages = append(messages, obj{"role": "assistant", "content": t.assistant})
				default:
					id := fmt.Sprint(i)
					messages = append(messages,
						obj{"role": "assistant", "content": []any{obj{"type": "tool_use", "id": id, "name": t.call, "input": json.RawMessage(t.args)}}},
						obj{"role": "user", "content": []any{obj{"type": "tool_result", "tool_use_id": id, "content": t.result}, obj{"type": "text", "text": "a reminder"}}})
				}
			}
			for _, t := range tools {
				offered = append(offered, obj{"name": t.name, "input_schema": t.schema})
			}
			b := obj{"model": "m", "system": []any{obj{"type": "text", "text": system}}, "messages": messages, "tools": offered, "stream": stream}
			if schema != nil {
				b["output_config"] = obj{"format": obj{"schema": schema}}
			}
			return b
		},
		hear: func(s *said, e map[string]any) {
			switch e["type"] {
			case "content_block_start":
				if str(e, "content_block", "type") == "tool_use" {
					s.Calls = append(s.Calls, str(e, "content_block", "name")+" ")
				}
			case "content_block_delta":
				s.Text += str(e, "delta", "text")
				s.Thought += str(e, "delta", "thinking")
				if args := str(e, "delta", "partial_json"); args != "" {
					s.Calls[len(s.Calls)-1] += args
				}
			case "message_delta":
				s.Stop = str(e, "delta", "stop_reason")
			case "message":
				s.Text, s.Stop = str(e, "content", 0, "text"), str(e, "stop_reason")
			}
		},
	},
	{
		dialect: Gemini, path: "/v1beta/models/m:",
		body: func(system string, turns []turn, tools []tool, _ bool, schema map[string]any) any {
			var contents, offered []any
			text := func(role, s string) any { return obj{"role": role, "parts": []any{obj{"text": s}}} }
			for _, t := range turns {
				switch {
				case t.user != "":
					contents = append(contents, text("user", t.user))
				case t.assistant != "":
					contents = append(contents, text("model", t.assistant))
				default:
					contents = append(contents,
						obj{"role": "model", "parts": []any{obj{"functionCall": obj{"name": t.call, "args": json.RawMessage(t.args)}}}},
						obj{"role": "user", "parts": []any{obj{"functionResponse": obj{"name": t.call, "response": obj{"output": t.result}}}}})
				}
			}
			for _, t := range tools {
				offered = append(offered, obj{"name": t.name, "parametersJsonSchema": t.schema})
			}
			b := obj{"systemInstruction": text("user", system), "contents": contents}
			if len(offered) > 0 {
				b["tools"] = []any{obj{"functionDeclarations": offered}}
			}
			if schema != nil {
				b["generationConfig"] = obj{"responseMimeType": "application/json", "responseSchema": schema}
			}
			return b
		},
		hear: func(s *said, e map[string]any) {
			for _, p := range list(at(e, "candidates", 0, "content", "parts")) {
				if at(p, "thought") == true {
					s.Thought += str(p, "text")
				} else {
					s.Text += str(p, "text")
				}
				if name := str(p, "functionCall", "name"); name != "" {
					s.Calls = append(s.Calls, name+" "+encode(at(p, "functionCall", "args")))
				}
			}
			if f := str(e, "candidates", 0, "finishReason"); f != "" {
				s.Stop = f
			}
		},
	},
	{
		dialect: Chat, path: "/v1/chat/completions",
		body: func(system string, turns []turn, tools []tool, stream bool, schema map[string]any) any {
			messages := []any{obj{"role": "system", "content": system}}
			var offered []any
			for i, t := range turns {
				switch {
				case t.user != "":
					messages = append(messages, obj{"role": "user", "content": t.user})
				case t.assistant != "":
					messages = append(messages, obj{"role": "assistant", "content": t.assistant})
				default:
					messages = append(messages,
						obj{"role": "assistant", "content": nil, "tool_calls": []any{obj{"id": fmt.Sprint(i), "type": "function", "function": obj{"name": t.call, "arguments": t.args}}}},
						obj{"role": "tool", "tool_call_id": fmt.Sprint(i), "content": t.result})
				}
			}
			for _, t := range tools {
				offered = append(offered, obj{"type": "function", "function": obj{"name": t.name, "parameters": t.schema}})
			}
			b := obj{"model": "m", "messages": messages, "tools": offered, "stream": stream}
			if schema != nil {
				b["response_format"] = obj{"type": "json_schema", "json_schema": obj{"schema": schema}}
			}
			return b
		},
		hear: func(s *said, e map[string]any) {
			s.Text += str(e, "choices", 0, "delta", "content") + str(e, "choices", 0, "message", "content")
			s.Thought += str(e, "choices", 0, "delta", "reasoning_content")
			if f := str(e, "choices", 0, "finish_reason"); f != "" {
				s.Stop = f
			}
			for _, c := range list(at(e, "choices", 0, "delta", "tool_calls")) {
				if name := str(c, "function", "name"); name != "" {
					s.Calls = append(s.Calls, name+" ")
				}
				s.Calls[len(s.Calls)-1] += str(c, "function", "arguments")
			}
		},
	},
	{
		dialect: Responses, path: "/v1/responses",
		body: func(system string, turns []turn, tools []tool, stream bool, schema map[string]any) any {
			var input, offered []any
			for i, t := range turns {
				switch {
				case t.user != "":
					input = append(input, obj{"type": "message", "role": "user", "content": []any{obj{"type": "input_text", "text": t.user}}})
				case t.assistant != "":
					input = append(input, obj{"type": "message", "role": "assistant", "content": []any{obj{"type": "output_text", "text": t.assistant}}})
				default:
					input = append(input,
						obj{"type": "function_call", "call_id": fmt.Sprint(i), "name": t.call, "arguments": t.args},
						obj{"type": "function_call_output", "call_id": fmt.Sprint(i), "output": t.result})
				}
			}
			for _, t := range tools {
				kind := "function"
				if t.custom {
					kind = "custom"
				}
				offered = append(offered, obj{"type": kind, "name": t.name, "parameters": t.schema})
			}
			b := obj{"model": "m", "instructions": system, "input": input, "tools": offered, "stream": stream}
			if schema != nil {
				b["text"] = obj{"format": obj{"schema": schema}}
			}
			return b
		},
		hear: func(s *said, e map[string]any) {
			if e["object"] == "response" {
				s.Text, s.Stop = str(e, "output", 0, "content", 0, "text"), str(e, "status")
				return
			}
			switch kind := str(e, "type"); kind {
			case "response.reasoning_summary_text.delta":
				s.Thought += str(e, "delta")
			case "response.output_text.delta":
				s.Text += str(e, "delta")
			case "response.output_item.done":
				if name := str(e, "item", "name"); name != "" {
					s.Calls = append(s.Calls, name+" "+str(e, "item", "arguments")+str(e, "item", "input"))
				}
			case "response.completed", "response.incomplete":
				s.Stop = str(e, "response", "status")
			}
		},
	},
}

// ask sends a request and reads the answer to its end.
func (c client) ask(t *testing.T, s *Server, system string, turns []turn, tools []tool, stream bool, schema map[string]any) said {
	t.Helper()
	path := c.path
	if c.dialect == Gemini {
		path += map[bool]string{true: "streamGenerateContent?alt=sse", false: "generateContent"}[stream]
	}
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	body := encode(c.body(system, turns, tools, stream, schema))
	res, err := (&http.Client{Transport: tr}).Post(s.URL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out := said{Status: res.StatusCode, Retry: res.Header.Get("Retry-After")}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		var event map[string]any
		if err := json.NewDecoder(res.Body).Decode(&event); err != nil {
			t.Fatal(err)
		}
		if res.StatusCode == http.StatusOK {
			c.hear(&out, event)
		}
		return out
	}
	r := bufio.NewReader(res.Body)
	for {
		line, err := r.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.TrimSpace(data) != "[DONE]" {
			var event map[string]any
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				t.Fatalf("event %q: %v", data, err)
			}
			c.hear(&out, event)
		}
		if err != nil {
			out.Broken = err != io.EOF
			return out
		}
	}
}
