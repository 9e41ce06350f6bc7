package pretend

import (
	"encoding/json"
	"strconv"
)

// chat is OpenAI's Chat Completions, as OpenCode 1.18.33, Copilot 1.0.102, Qwen
// Code 0.24.4 and Grok 1.0.41 ask it.
type chat struct {
	head  answer
	calls int
}

func (*chat) name() Dialect { return Chat }

func (*chat) read(body []byte) (asked, error) {
	var b struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Calls   []struct {
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name       string         `json:"name"`
				Parameters map[string]any `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Format struct {
			Type   string `json:"type"`
			Schema struct {
				Schema map[string]any `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := decode(body, &b); err != nil {
		return asked{}, err
	}
	in := asked{model: b.Model, stream: b.Stream, schema: b.Format.Schema.Schema}
	if in.schema == nil && b.Format.Type == "json_object" {
		in.schema = map[string]any{"type": "object"}
	}
	for _, m := range b.Messages {
		text := words(m.Content)
		switch m.Role {
		case "tool":
			in.messages = append(in.messages, Message{Role: "result", Text: text})
		case "developer":
			in.messages = append(in.messages, Message{Role: "system", Text: text})
		default:
			if text != "" {
				in.messages = append(in.messages, Message{Role: m.Role, Text: text})
			}
		}
		for _, c := range m.Calls {
			in.messages = append(in.messages, Message{Role: "call", Name: c.Function.Name, Text: c.Function.Arguments})
		}
	}
	for _, t := range b.Tools {
		in.tools = append(in.tools, tool{name: t.Function.Name, schema: t.Function.Parameters})
	}
	return in, nil
}

func (*chat) fail(status int, message string) any { return openAIError(status, message) }

func openAIError(status int, message string) any {
	kind := "server_error"
	switch status {
	case 400:
		kind = "invalid_request_error"
	case 401:
		kind = "invalid_api_key"
	case 429:
		kind = "rate_limit_exceeded"
	}
	return map[string]any{"error": map[string]any{"message": message, "type": kind, "code": kind}}
}

func (a answer) id(prefix string) string { return prefix + "_pretend_" + strconv.Itoa(a.serial) }

func (a answer) chatStop() string {
	switch {
	case a.stop == "length":
		return "length"
	case a.stop == "refusal":
		return "content_filter"
	case len(a.calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (a answer) chatUsage() any {
	return map[string]any{"prompt_tokens": a.in, "completion_tokens": a.out, "total_tokens": a.in + a.out}
}

func chatCall(index int, c call, args string) map[string]any {
	return map[string]any{"index": index, "id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": args}}
}

func (*chat) whole(a answer) any {
	message := map[string]any{"role": "assistant", "content": a.text}
	if a.thought != "" {
		message["reasoning_content"] = a.thought
	}
	var calls []any
	for i, c := range a.calls {
		calls = append(calls, chatCall(i, c, c.args))
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return map[string]any{
		"id": a.id("chatcmpl"), "object": "chat.completion", "created": 1, "model": a.model, "usage": a.chatUsage(),
		"choices": []any{map[string]any{"index": 0, "finish_reason": a.chatStop(), "message": message}},
	}
}

func (d *chat) delta(s *stream, delta map[string]any, finish any) {
	s.event("", map[string]any{
		"id": d.head.id("chatcmpl"), "object": "chat.completion.chunk", "created": 1, "model": d.head.model,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
}

func (d *chat) begin(s *stream, a answer) {
	d.head = a
	d.delta(s, map[string]any{"role": "assistant", "content": ""}, nil)
}

func (d *chat) thought(s *stream, piece string) {
	d.delta(s, map[string]any{"reasoning_content": piece}, nil)
}

func (d *chat) text(s *stream, piece string) { d.delta(s, map[string]any{"content": piece}, nil) }

func (d *chat) call(s *stream, c call) {
	d.delta(s, map[string]any{"tool_calls": []any{chatCall(d.calls, c, "")}}, nil)
	for _, piece := range cut(c.args, 64) {
		d.delta(s, map[string]any{"tool_calls": []any{
			map[string]any{"index": d.calls, "function": map[string]any{"arguments": piece}},
		}}, nil)
	}
	d.calls++
}

func (d *chat) end(s *stream, a answer) {
	d.delta(s, map[string]any{}, a.chatStop())
	s.event("", map[string]any{
		"id": a.id("chatcmpl"), "object": "chat.completion.chunk", "created": 1, "model": a.model,
		"choices": []any{}, "usage": a.chatUsage(),
	})
	s.raw("", "[DONE]")
}
