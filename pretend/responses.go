package pretend

import (
	"encoding/json"
	"strconv"
	"strings"
)

// responses is OpenAI's Responses API, as Codex 0.171.0 and Copilot 1.0.102 (with
// its wire set so) ask it.
type responses struct {
	head    answer
	seq     int
	output  []any  // finished items
	open    string // kind of the open item: reasoning, message
	content string // of the open item
}

func (*responses) name() Dialect { return Responses }

type responsesTool struct {
	Type       string          `json:"type"`
	Name       string          `json:"name"`
	Parameters map[string]any  `json:"parameters"`
	Tools      []responsesTool `json:"tools"`
}

func (*responses) read(body []byte) (asked, error) {
	var b struct {
		Model        string          `json:"model"`
		Stream       bool            `json:"stream"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		Tools        []responsesTool `json:"tools"`
		Text         struct {
			Format struct {
				Schema map[string]any `json:"schema"`
			} `json:"format"`
		} `json:"text"`
	}
	if err := decode(body, &b); err != nil {
		return asked{}, err
	}
	in := asked{model: b.Model, stream: b.Stream, schema: b.Text.Format.Schema}
	in.messages = append(in.messages, Message{Role: "system", Text: b.Instructions})
	in.messages = append(in.messages, responsesInput(b.Input)...)
	in.tools = responsesTools(b.Tools, "")
	return in, nil
}

func responsesInput(input json.RawMessage) []Message {
	var alone string
	if json.Unmarshal(input, &alone) == nil {
		return []Message{{Role: "user", Text: alone}}
	}
	var items []struct {
		Type      string          `json:"type"`
		Role      string          `json:"role"`
		Name      string          `json:"name"`
		Arguments string          `json:"arguments"`
		Input     string          `json:"input"`
		Content   json.RawMessage `json:"content"`
		Output    json.RawMessage `json:"output"`
	}
	json.Unmarshal(input, &items) //nolint:errcheck // what is no list says nothing
	var out []Message
	for _, it := range items {
		switch {
		case strings.HasSuffix(it.Type, "_call_output"):
			out = append(out, Message{Role: "result", Text: words(it.Output)})
		case strings.HasSuffix(it.Type, "_call"):
			out = append(out, Message{Role: "call", Name: it.Name, Text: it.Arguments + it.Input})
		case it.Role == "developer":
			out = append(out, Message{Role: "system", Text: words(it.Content)})
		case it.Role != "":
			out = append(out, Message{Role: it.Role, Text: words(it.Content)})
		}
	}
	return out
}

func responsesTools(list []responsesTool, namespace string) []tool {
	var out []tool
	for _, t := range list {
		if t.Type == "namespace" {
			out = append(out, responsesTools(t.Tools, t.Name)...)
			continue
		}
		name := t.Name
		if name == "" {
			name = t.Type
		}
		out = append(out, tool{name: name, namespace: namespace, custom: t.Type == "custom", schema: t.Parameters})
	}
	return out
}

func (*responses) fail(status int, message string) any { return openAIError(status, message) }

func (a answer) responsesBody(status string, output []any) map[string]any {
	return map[string]any{
		"id": a.id("resp"), "object": "response", "created_at": 1, "model": a.model, "status": status, "output": output,
		"usage": map[string]any{
			"input_tokens": a.in, "output_tokens": a.out, "total_tokens": a.in + a.out,
			"input_tokens_details":  map[string]any{"cached_tokens": 0},
			"output_tokens_details": map[string]any{"reasoning_tokens": 0},
		},
	}
}

func (a answer) responsesMessage(text, status string) map[string]any {
	content := []any{}
	if status == "completed" {
		content = []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}
	}
	return map[string]any{"type": "message", "id": a.id("msg"), "role": "assistant", "status": status, "content": content}
}

func (a answer) responsesThought(text string) map[string]any {
	summary := []any{}
	if text != "" {
		summary = []any{map[string]any{"type": "summary_text", "text": text}}
	}
	return map[string]any{"type": "reasoning", "id": a.id("rs"), "summary": summary, "encrypted_content": "cHJldGVuZA=="}
}

func (a answer) responsesCall(n int, c call, args, status string) map[string]any {
	item := map[string]any{"id": a.id("fc") + "_" + strconv.Itoa(n), "call_id": c.id, "name": c.name, "status": status}
	if c.custom {
		item["type"], item["input"] = "custom_tool_call", args
	} else {
		item["type"], item["arguments"] = "function_call", args
	}
	if c.namespace != "" {
		item["namespace"] = c.namespace
	}
	return item
}

func (*responses) whole(a answer) any {
	output := []any{}
	if a.thought != "" {
		output = append(output, a.responsesThought(a.thought))
	}
	if a.text != "" {
		output = append(output, a.responsesMessage(a.text, "completed"))
	}
	for i, c := range a.calls {
		output = append(output, a.responsesCall(i, c, c.args, "completed"))
	}
	return a.responsesBody("completed", output)
}

func (d *responses) send(s *stream, kind string, v map[string]any) {
	v["type"], v["sequence_number"] = kind, d.seq
	d.seq++
	s.event(kind, v)
}

func (d *responses) begin(s *stream, a answer) {
	d.head = a
	d.send(s, "response.created", map[string]any{"response": a.responsesBody("in_progress", []any{})})
}

func (d *responses) thought(s *stream, piece string) {
	if d.open == "" {
		item := d.head.responsesThought("")
		d.send(s, "response.output_item.added", map[string]any{"output_index": len(d.output), "item": item})
		d.send(s, "response.reasoning_summary_part.added", map[string]any{
			"item_id": item["id"], "output_index": len(d.output), "summary_index": 0, "part": map[string]any{"type": "summary_text", "text": ""},
		})
		d.open = "reasoning"
	}
	d.content += piece
	d.send(s, "response.reasoning_summary_text.delta", map[string]any{
		"item_id": d.head.id("rs"), "output_index": len(d.output), "summary_index": 0, "delta": piece,
	})
}

func (d *responses) text(s *stream, piece string) {
	if d.open != "message" {
		d.shut(s)
		item := d.head.responsesMessage("", "in_progress")
		d.send(s, "response.output_item.added", map[string]any{"output_index": len(d.output), "item": item})
		d.send(s, "response.content_part.added", map[string]any{
			"item_id": item["id"], "output_index": len(d.output), "content_index": 0,
			"part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}},
		})
		d.open = "message"
	}
	d.content += piece
	d.send(s, "response.output_text.delta", map[string]any{
		"item_id": d.head.id("msg"), "output_index": len(d.output), "content_index": 0, "delta": piece,
	})
}

// shut finishes the open item.
func (d *responses) shut(s *stream) {
	var item map[string]any
	switch d.open {
	case "reasoning":
		item = d.head.responsesThought(d.content)
		d.send(s, "response.reasoning_summary_text.done", map[string]any{
			"item_id": item["id"], "output_index": len(d.output), "summary_index": 0, "text": d.content,
		})
	case "message":
		item = d.head.responsesMessage(d.content, "completed")
		d.send(s, "response.output_text.done", map[string]any{
			"item_id": item["id"], "output_index": len(d.output), "content_index": 0, "text": d.content,
		})
		d.send(s, "response.content_part.done", map[string]any{
			"item_id": item["id"], "output_index": len(d.output), "content_index": 0, "part": item["content"].([]any)[0],
		})
	default:
		return
	}
	d.done(s, item)
	d.open, d.content = "", ""
}

func (d *responses) done(s *stream, item map[string]any) {
	d.send(s, "response.output_item.done", map[string]any{"output_index": len(d.output), "item": item})
	d.output = append(d.output, item)
}

func (d *responses) call(s *stream, c call) {
	d.shut(s)
	n := len(d.output)
	added := d.head.responsesCall(n, c, "", "in_progress")
	d.send(s, "response.output_item.added", map[string]any{"output_index": n, "item": added})
	kind, field := "response.function_call_arguments", "arguments"
	if c.custom {
		kind, field = "response.custom_tool_call_input", "input"
	}
	for _, piece := range cut(c.args, 64) {
		d.send(s, kind+".delta", map[string]any{"item_id": added["id"], "output_index": n, "delta": piece})
	}
	d.send(s, kind+".done", map[string]any{"item_id": added["id"], "output_index": n, field: c.args})
	d.done(s, d.head.responsesCall(n, c, c.args, "completed"))
}

func (d *responses) end(s *stream, a answer) {
	d.shut(s)
	if a.stop == "length" {
		body := a.responsesBody("incomplete", d.output)
		body["incomplete_details"] = map[string]any{"reason": "max_output_tokens"}
		d.send(s, "response.incomplete", map[string]any{"response": body})
		return
	}
	d.send(s, "response.completed", map[string]any{"response": a.responsesBody("completed", d.output)})
}
