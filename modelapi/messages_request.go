package modelapi

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
)

// messagesAPI is Anthropic's Messages.
type messagesAPI struct{}

func (messagesAPI) path() string { return "messages" }

func (messagesAPI) head(h http.Header, key string) {
	h.Set("Anthropic-Version", "2023-06-01")
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

// usualMost is how many tokens an answer may have where the API does not say: it has
// to be told a number.
const usualMost = 16_000

// thinkingTokens is what a model may think for, by the effort.
var thinkingTokens = map[string]int{"low": 2048, "medium": 8192, "high": 24_000}

func (messagesAPI) body(r request) ([]byte, error) {
	most := r.most
	if most <= 0 {
		most = usualMost
	}
	body := object{"model": r.model, "stream": true}
	budget := thinkingTokens[r.effort]
	switch {
	case r.effort != "" && !r.quirks.of(r.model, noAdaptive):
		body["thinking"] = object{"type": "adaptive", "display": "summarized"}
		body["output_config"] = object{"effort": r.effort}
	case budget > 0:
		budget = min(budget, max(1024, most-1024))
		body["thinking"] = object{"type": "enabled", "budget_tokens": budget}
		most = max(most, budget+1024)
	}
	body["max_tokens"] = most
	mark := object{"type": "ephemeral"} // up to here the prompt is kept ready
	if r.system != "" {
		body["system"] = []object{{"type": "text", "text": r.system, "cache_control": mark}}
	}
	if len(r.tools) > 0 {
		var tools []object
		for _, t := range r.tools {
			tools = append(tools, object{"name": t.name, "description": t.says, "input_schema": t.schema})
		}
		body["tools"] = tools
	}
	messages := messagesOf(r.history, r.model)
	// The end, and the end of the request before, which is what is found again.
	marked := 0
	for i := len(messages) - 1; i >= 0 && marked < 2; i-- {
		if parts := messages[i].Content; messages[i].Role == ofPerson && len(parts) > 0 {
			if last, ok := parts[len(parts)-1].(object); ok {
				last["cache_control"] = mark
				marked++
			}
		}
	}
	body["messages"] = messages
	return json.Marshal(body)
}

type messagesSaid struct {
	Role    role  `json:"role"`
	Content []any `json:"content"`
}

// messagesOf puts the answers of tools into one message of the person, as the API
// wants them. Thinking goes back to the model that it is of.
func messagesOf(history []message, model string) (out []messagesSaid) {
	add := func(who role, parts []any) {
		if len(parts) == 0 {
			return
		}
		if n := len(out); n > 0 && out[n-1].Role == who {
			out[n-1].Content = append(out[n-1].Content, parts...)
			return
		}
		out = append(out, messagesSaid{who, parts})
	}
	for _, m := range history {
		switch m.Role {
		case ofTool:
			result := object{"type": "tool_result", "tool_use_id": m.Call, "content": messagesParts(m.Text, m.Images)}
			if m.Failed {
				result["is_error"] = true
			}
			add(ofPerson, []any{result})
		case ofModel:
			var parts []any
			if m.backOf == model {
				for _, raw := range m.back {
					parts = append(parts, json.RawMessage(raw))
				}
			}
			if m.Text != "" {
				parts = append(parts, object{"type": "text", "text": m.Text})
			}
			for _, c := range m.Calls {
				parts = append(parts, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.object()})
			}
			add(ofModel, parts)
		default:
			add(ofPerson, messagesParts(m.Text, m.Images))
		}
	}
	return out
}

func messagesParts(text string, images []picture) (parts []any) {
	for _, p := range images {
		parts = append(parts, object{"type": "image", "source": object{"type": "base64", "media_type": p.MIME, "data": base64.StdEncoding.EncodeToString(p.Data)}})
	}
	if text == "" && len(parts) == 0 {
		text = "(nothing)" // an empty text is refused
	}
	if text != "" {
		parts = append(parts, object{"type": "text", "text": text})
	}
	return parts
}
