package modelapi

import (
	"cmp"
	"encoding/json"
)

func (responsesAPI) reader(a *answer) reader {
	return &responsesReader{a: a, said: map[string]bool{}}
}

// responsesReader reads the events of a Responses answer.
type responsesReader struct {
	a    *answer
	said map[string]bool // items whose words came in pieces
	part string          // of the thinking, the last
}

type responsesEvent struct {
	Type     string         `json:"type"`
	ItemID   string         `json:"item_id"`
	Delta    string         `json:"delta"`
	Summary  json.Number    `json:"summary_index"`
	Item     responsesItem  `json:"item"`
	Response *responsesBody `json:"response"`
	// Args are all of a call's arguments, at their end.
	Args string `json:"arguments"`
}

type responsesItem struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	CallID  string          `json:"call_id"`
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"arguments"`
	Content json.RawMessage `json:"content"`
	Summary json.RawMessage `json:"summary"`
	Sealed  string          `json:"encrypted_content"`
}

type responsesBody struct {
	Model  string            `json:"model"`
	Status string            `json:"status"`
	Output []json.RawMessage `json:"output"`
	Error  json.RawMessage   `json:"error"`
	Cut    struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *struct {
		In      int64 `json:"input_tokens"`
		Out     int64 `json:"output_tokens"`
		Details struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

func (r *responsesReader) event(name string, data []byte) error {
	var e responsesEvent
	if lenient(data, &e) != nil {
		if string(data) != "[DONE]" {
			r.a.ignored("noise")
		}
		return nil
	}
	switch kind := cmp.Or(e.Type, name); kind {
	case "response.output_text.delta", "response.refusal.delta":
		r.said[e.ItemID] = true
		return r.a.words(e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.reasoning.delta":
		return r.think(e)
	case "response.output_item.added":
		if e.Item.Type == "function_call" {
			return r.a.piece(e.Item.ID, e.Item.CallID, e.Item.Name, "")
		}
	case "response.function_call_arguments.delta":
		return r.a.piece(e.ItemID, "", "", e.Delta)
	case "response.function_call_arguments.done":
		return r.arguments(e.ItemID, e.Args)
	case "response.output_item.done":
		var whole struct {
			Item json.RawMessage `json:"item"`
		}
		lenient(data, &whole) //nolint:errcheck // it was read before
		return r.item(e.Item, whole.Item)
	case "response.completed", "response.incomplete", "response.failed", "response.done":
		return r.over(e.Response, data)
	case "error":
		return refusalOf(data)
	case "response.created", "response.in_progress", "response.queued":
		if e.Response != nil {
			r.a.model = cmp.Or(r.a.model, e.Response.Model)
		}
	case "response.content_part.added", "response.content_part.done", "response.output_text.done", "response.refusal.done",
		"response.reasoning_summary_part.added", "response.reasoning_summary_part.done", "response.reasoning_summary_text.done",
		"response.reasoning_text.done", "response.output_text.annotation.added", "keepalive":
	default:
		r.a.ignored(kind)
	}
	return nil
}

func (r *responsesReader) think(e responsesEvent) error {
	part := e.ItemID + "/" + e.Summary.String()
	if r.part != "" && r.part != part {
		if err := r.a.think("\n\n"); err != nil {
			return err
		}
	}
	r.part = part
	return r.a.think(e.Delta)
}

// arguments takes all of a call's arguments, where pieces did not come or not all.
func (r *responsesReader) arguments(item, all string) error {
	c := r.a.callOf(item)
	if c == nil || all == "" || len(all) <= len(c.Args) {
		return nil
	}
	c.Args = ""
	return r.a.piece(item, "", "", all)
}

// item takes a finished item.
func (r *responsesReader) item(it responsesItem, raw json.RawMessage) error {
	switch it.Type {
	case "function_call":
		if err := r.a.piece(it.ID, it.CallID, it.Name, ""); err != nil {
			return err
		}
		return r.arguments(it.ID, arguments(it.Args))
	case "message":
		if !r.said[it.ID] {
			r.said[it.ID] = true
			return r.a.words(text(it.Content))
		}
	case "reasoning":
		if it.Sealed != "" {
			r.a.keep(raw)
		}
	}
	return nil
}

func (r *responsesReader) over(body *responsesBody, data []byte) error {
	if body == nil {
		return nil
	}
	if len(body.Error) > 0 && string(body.Error) != "null" {
		no := refusalOf([]byte(`{"error":` + string(body.Error) + `}`))
		return no
	}
	if body.Status == "failed" {
		return refusalOf(data)
	}
	r.a.model = cmp.Or(r.a.model, body.Model)
	if u := body.Usage; u != nil {
		r.a.usage = usage{in: u.In, out: u.Out, cached: u.Details.Cached, said: true}
	}
	switch body.Cut.Reason {
	case "max_output_tokens":
		r.a.stop = stopLength
	case "content_filter":
		r.a.stop = stopRefused
	}
	r.a.ended, r.a.over = true, true
	return nil
}

func (r *responsesReader) whole(data []byte) error {
	var body responsesBody
	if lenient(data, &body) != nil {
		r.a.ignored("noise")
		return nil
	}
	for _, raw := range body.Output {
		var it responsesItem
		if lenient(raw, &it) != nil {
			continue
		}
		if it.Type == "reasoning" {
			if err := r.a.think(text(it.Summary)); err != nil {
				return err
			}
		}
		if err := r.item(it, raw); err != nil {
			return err
		}
	}
	return r.over(&body, data)
}
