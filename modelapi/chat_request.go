package modelapi

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

// chatAPI is OpenAI's Chat Completions, as OpenAI, OpenRouter, Ollama, LM Studio,
// llama.cpp and vLLM serve it.
type chatAPI struct{}

func (chatAPI) path() string { return "chat/completions" }

func (chatAPI) head(h http.Header, key string) { bearer(h, key) }

func bearer(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

func (chatAPI) body(r request) ([]byte, error) {
	var messages []object
	if r.system != "" {
		messages = append(messages, object{"role": "system", "content": r.system})
	}
	messages = append(messages, chatMessages(r.history, r.model)...)
	body := object{"model": r.model, "messages": messages, "stream": true}
	if !r.quirks.has(noStreamOptions) {
		body["stream_options"] = object{"include_usage": true}
	}
	if len(r.tools) > 0 {
		var tools []object
		for _, t := range r.tools {
			tools = append(tools, object{"type": "function", "function": object{"name": t.name, "description": t.says, "parameters": t.schema}})
		}
		body["tools"] = tools
	}
	if r.effort != "" {
		body["reasoning_effort"] = r.effort
	}
	if r.most > 0 {
		body["max_tokens"] = r.most
	}
	if strings.HasSuffix(r.host, "openrouter.ai") {
		body["usage"] = object{"include": true} // then it says what it cost
	}
	return json.Marshal(body)
}

// chatMessages is a history as the API takes it. The answer of a tool takes only words,
// and the answers to the calls of one message must stand together: pictures that tools
// gave go in messages of the person behind them.
func chatMessages(history []message, model string) (out []object) {
	var behind []object
	for _, m := range history {
		if m.Role != ofTool {
			out, behind = append(out, behind...), nil
		} else if len(m.Images) > 0 {
			behind = append(behind, object{"role": "user", "content": chatParts("What "+m.Name+" gave:", m.Images)})
		}
		out = append(out, chatMessage(m, model))
	}
	return append(out, behind...)
}

func chatMessage(m message, model string) object {
	switch m.Role {
	case ofTool:
		return object{"role": "tool", "tool_call_id": m.Call, "content": m.Text}
	case ofModel:
		out := object{"role": "assistant", "content": m.Text}
		for _, raw := range m.back {
			var fields object
			if m.backOf == model && json.Unmarshal(raw, &fields) == nil {
				for name, value := range fields {
					out[name] = value
				}
			}
		}
		var calls []object
		for _, c := range m.Calls {
			calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": string(c.object())}})
		}
		if calls != nil {
			out["tool_calls"] = calls
		}
		return out
	}
	if len(m.Images) > 0 {
		return object{"role": "user", "content": chatParts(m.Text, m.Images)}
	}
	return object{"role": "user", "content": m.Text}
}

func chatParts(text string, images []picture) (parts []object) {
	if text != "" {
		parts = append(parts, object{"type": "text", "text": text})
	}
	for _, p := range images {
		parts = append(parts, object{"type": "image_url", "image_url": object{"url": p.url()}})
	}
	return parts
}

func (p picture) url() string {
	return "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}
