package pretend

import (
	"encoding/json"
	"strings"
)

// anthropic is the Messages API, as claude-agent-acp 0.101.0 asks it.
type anthropic struct {
	block int    // number of the next content block
	open  string // kind of the open one
}

func (*anthropic) name() Dialect { return Anthropic }

// part is a content block, of a request here and in the other dialects.
type part struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
}

// parts reads content that is a string or a list of blocks.
func parts(raw json.RawMessage) []part {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []part{{Type: "text", Text: s}}
	}
	var list []part
	json.Unmarshal(raw, &list) //nolint:errcheck // what is neither says nothing
	return list
}

// words joins the text of content.
func words(raw json.RawMessage) string {
	var out []string
	for _, p := range parts(raw) {
		if p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, "\n")
}

func (*anthropic) read(body []byte) (asked, error) {
	var b struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name   string         `json:"name"`
			Schema map[string]any `json:"input_schema"`
		} `json:"tools"`
		Output struct {
			Format struct {
				Schema map[string]any `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	if err := decode(body, &b); err != nil {
		return asked{}, err
	}
	in := asked{model: b.Model, stream: b.Stream, schema: b.Output.Format.Schema}
	in.messages = append(in.messages, Message{Role: "system", Text: words(b.System)})
	for _, m := range b.Messages {
		in.messages = append(in.messages, anthropicMessages(m.Role, m.Content)...)
	}
	for _, t := range b.Tools {
		in.tools = append(in.tools, tool{name: t.Name, schema: t.Schema})
	}
	return in, nil
}

// anthropicMessages splits a message by kind. Text beside a tool's result is the
// program's, not the person's.
func anthropicMessages(role string, content json.RawMessage) []Message {
	var out []Message
	var text []string
	results := false
	for _, p := range parts(content) {
		switch p.Type {
		case "tool_use":
			out = append(out, Message{Role: "call", Name: p.Name, Text: string(p.Input)})
		case "tool_result":
			results = true
			out = append(out, Message{Role: "result", Text: words(p.Content)})
		case "text":
			text = append(text, p.Text)
		}
	}
	if len(text) == 0 {
		return out
	}
	said := Message{Role: role, Text: strings.Join(text, "\n")}
	if results {
		said.Role = "system"
		return append(out, said)
	}
	return append([]Message{said}, out...)
}

func (*anthropic) fail(status int, message string) any {
	kind := "api_error"
	switch status {
	case 400:
		kind = "invalid_request_error"
	case 401:
		kind = "authentication_error"
	case 429:
		kind = "rate_limit_error"
	case 529:
		kind = "overloaded_error"
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
}

func (a answer) anthropicStop() string {
	switch {
	case a.stop == "length":
		return "max_tokens"
	case a.stop == "refusal":
		return "refusal"
	case len(a.calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (a answer) anthropicHead() map[string]any {
	return map[string]any{
		"id": a.id("msg"), "type": "message", "role": "assistant", "model": a.model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": a.in, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	}
}

func (*anthropic) whole(a answer) any {
	var content []any
	if a.thought != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": a.thought, "signature": "cHJldGVuZA=="})
	}
	if a.text != "" {
		content = append(content, map[string]any{"type": "text", "text": a.text})
	}
	for _, c := range a.calls {
		content = append(content, map[string]any{"type": "tool_use", "id": c.id, "name": c.name, "input": json.RawMessage(c.args)})
	}
	head := a.anthropicHead()
	head["content"], head["stop_reason"] = content, a.anthropicStop()
	return head
}

func (d *anthropic) send(s *stream, kind string, v map[string]any) {
	v["type"] = kind
	s.event(kind, v)
}

func (d *anthropic) begin(s *stream, a answer) {
	d.send(s, "message_start", map[string]any{"message": a.anthropicHead()})
}

// in makes sure that a block of a kind is open.
func (d *anthropic) in(s *stream, kind string, block map[string]any) {
	if d.open == kind && kind != "tool_use" {
		return
	}
	d.shut(s)
	block["type"] = kind
	d.send(s, "content_block_start", map[string]any{"index": d.block, "content_block": block})
	d.open = kind
}

func (d *anthropic) shut(s *stream) {
	if d.open == "" {
		return
	}
	if d.open == "thinking" {
		d.delta(s, map[string]any{"type": "signature_delta", "signature": "cHJldGVuZA=="})
	}
	d.send(s, "content_block_stop", map[string]any{"index": d.block})
	d.block++
	d.open = ""
}

func (d *anthropic) delta(s *stream, delta map[string]any) {
	d.send(s, "content_block_delta", map[string]any{"index": d.block, "delta": delta})
}

func (d *anthropic) thought(s *stream, piece string) {
	d.in(s, "thinking", map[string]any{"thinking": "", "signature": ""})
	d.delta(s, map[string]any{"type": "thinking_delta", "thinking": piece})
}

func (d *anthropic) text(s *stream, piece string) {
	d.in(s, "text", map[string]any{"text": ""})
	d.delta(s, map[string]any{"type": "text_delta", "text": piece})
}

func (d *anthropic) call(s *stream, c call) {
	d.in(s, "tool_use", map[string]any{"id": c.id, "name": c.name, "input": map[string]any{}})
	for _, piece := range cut(c.args, 64) {
		d.delta(s, map[string]any{"type": "input_json_delta", "partial_json": piece})
	}
}

func (d *anthropic) end(s *stream, a answer) {
	d.shut(s)
	d.send(s, "message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": a.anthropicStop(), "stop_sequence": nil},
		"usage": map[string]any{"input_tokens": a.in, "output_tokens": a.out},
	})
	d.send(s, "message_stop", map[string]any{})
}
