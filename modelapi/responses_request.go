package modelapi

import (
	"encoding/json"
	"net/http"
)

// responsesAPI is OpenAI's Responses. Nothing is kept at the server: all of the
// history is sent, and thinking goes back sealed.
type responsesAPI struct{}

func (responsesAPI) path() string { return "responses" }

func (responsesAPI) head(h http.Header, key string) { bearer(h, key) }

func (responsesAPI) body(r request) ([]byte, error) {
	var input []any
	for _, m := range r.history {
		input = append(input, responsesItems(m, r.model)...)
	}
	body := object{"model": r.model, "input": input, "stream": true, "store": false}
	if r.system != "" {
		body["instructions"] = r.system
	}
	if !r.quirks.has(noInclude) {
		body["include"] = []string{"reasoning.encrypted_content"}
	}
	if len(r.tools) > 0 {
		var tools []object
		for _, t := range r.tools {
			tools = append(tools, object{"type": "function", "name": t.name, "description": t.says, "parameters": t.schema, "strict": false})
		}
		body["tools"] = tools
	}
	if r.effort != "" {
		body["reasoning"] = object{"effort": r.effort, "summary": "auto"}
	}
	if r.most > 0 {
		body["max_output_tokens"] = r.most
	}
	if r.host == "api.openai.com" && r.session != "" {
		body["prompt_cache_key"] = r.session
	}
	return json.Marshal(body)
}

func responsesItems(m message, model string) (items []any) {
	switch m.Role {
	case ofTool:
		items = append(items, object{"type": "function_call_output", "call_id": m.Call, "output": m.Text})
		if len(m.Images) > 0 {
			items = append(items, responsesSaid("What "+m.Name+" gave:", m.Images))
		}
	case ofModel:
		for _, raw := range m.back {
			if m.backOf == model {
				items = append(items, raw)
			}
		}
		if m.Text != "" {
			items = append(items, object{"type": "message", "role": "assistant", "content": []object{{"type": "output_text", "text": m.Text}}})
		}
		for _, c := range m.Calls {
			items = append(items, object{"type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": string(c.object())})
		}
	default:
		items = append(items, responsesSaid(m.Text, m.Images))
	}
	return items
}

func responsesSaid(text string, images []picture) object {
	var parts []object
	if text != "" {
		parts = append(parts, object{"type": "input_text", "text": text})
	}
	for _, p := range images {
		parts = append(parts, object{"type": "input_image", "image_url": p.url()})
	}
	return object{"type": "message", "role": "user", "content": parts}
}
