package modelapi

import (
	"cmp"
	"encoding/json"
	"strconv"
)

func (messagesAPI) reader(a *answer) reader {
	return &messagesReader{a: a, open: map[int]*messagesBlock{}}
}

// messagesReader reads the events of a Messages answer.
type messagesReader struct {
	a     *answer
	open  map[int]*messagesBlock
	usage messagesUsage
}

type messagesBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

type messagesUsage struct {
	In      int64 `json:"input_tokens"`
	Out     int64 `json:"output_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
}

type messagesEvent struct {
	Type    string        `json:"type"`
	Index   int           `json:"index"`
	Block   messagesBlock `json:"content_block"`
	Message messagesWhole `json:"message"`
	Delta   struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
		JSON      string `json:"partial_json"`
		Stop      string `json:"stop_reason"`
	} `json:"delta"`
	Usage *messagesUsage `json:"usage"`
}

type messagesWhole struct {
	Type    string          `json:"type"`
	Model   string          `json:"model"`
	Content []messagesBlock `json:"content"`
	Stop    string          `json:"stop_reason"`
	Usage   *messagesUsage  `json:"usage"`
}

const maxBlocks = 4096

func (r *messagesReader) event(name string, data []byte) error {
	var e messagesEvent
	if lenient(data, &e) != nil {
		r.a.ignored("noise")
		return nil
	}
	switch kind := cmp.Or(e.Type, name); kind {
	case "message_start":
		r.a.model = cmp.Or(r.a.model, e.Message.Model)
		r.count(e.Message.Usage)
	case "content_block_start":
		return r.begin(e.Index, e.Block)
	case "content_block_delta":
		return r.delta(e)
	case "content_block_stop":
		r.finish(e.Index)
	case "message_delta":
		r.stop(e.Delta.Stop)
		r.count(e.Usage)
	case "message_stop":
		r.a.ended, r.a.over = true, true
	case "error":
		return refusalOf(data)
	case "ping":
	default:
		r.a.ignored(kind)
	}
	return nil
}

func (r *messagesReader) begin(index int, b messagesBlock) error {
	if len(r.open) >= maxBlocks {
		return errTooMuch
	}
	r.open[index] = &b
	switch b.Type {
	case "text":
		return r.a.words(b.Text)
	case "thinking":
		return r.a.think(b.Thinking)
	case "tool_use":
		args := ""
		if isObject(b.Input) && string(b.Input) != "{}" {
			args = string(b.Input)
		}
		return r.a.piece(strconv.Itoa(index), b.ID, b.Name, args)
	}
	return nil
}

func (r *messagesReader) delta(e messagesEvent) error {
	b := r.open[e.Index]
	if b == nil {
		b = &messagesBlock{} // its start was lost
	}
	switch e.Delta.Type {
	case "text_delta":
		return r.a.words(e.Delta.Text)
	case "thinking_delta":
		if len(b.Thinking) < maxBack {
			b.Thinking += e.Delta.Thinking
		}
		return r.a.think(e.Delta.Thinking)
	case "signature_delta":
		if len(b.Signature) < maxBack {
			b.Signature += e.Delta.Signature
		}
	case "input_json_delta":
		if b.Type == "tool_use" {
			return r.a.piece(strconv.Itoa(e.Index), "", "", e.Delta.JSON)
		}
	}
	return nil
}

// finish keeps of a block what the API wants back: thinking with its signature.
func (r *messagesReader) finish(index int) {
	b := r.open[index]
	if b == nil {
		return
	}
	switch {
	case b.Type == "thinking" && b.Signature != "":
		r.back(object{"type": "thinking", "thinking": b.Thinking, "signature": b.Signature})
	case b.Type == "redacted_thinking":
		r.back(object{"type": "redacted_thinking", "data": b.Data})
	}
	b.Signature, b.Data, b.Thinking = "", "", ""
}

func (r *messagesReader) back(block object) {
	if raw, err := json.Marshal(block); err == nil {
		r.a.keep(raw)
	}
}

func (r *messagesReader) stop(reason string) {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		r.a.stop = stopLength
	case "refusal":
		r.a.stop = stopRefused
	}
}

// count takes the figures so far: those of the end are whole, but may leave out
// what the start said.
func (r *messagesReader) count(u *messagesUsage) {
	if u == nil {
		return
	}
	r.usage.In, r.usage.Out = max(r.usage.In, u.In), max(r.usage.Out, u.Out)
	r.usage.Read, r.usage.Written = max(r.usage.Read, u.Read), max(r.usage.Written, u.Written)
	all := r.usage.In + r.usage.Read + r.usage.Written
	r.a.usage = usage{in: all, out: r.usage.Out, cached: r.usage.Read, said: all+r.usage.Out > 0}
}

func (r *messagesReader) whole(data []byte) error {
	var m messagesWhole
	if lenient(data, &m) != nil {
		r.a.ignored("noise")
		return nil
	}
	if m.Type == "error" {
		return refusalOf(data)
	}
	for i, b := range m.Content {
		if err := r.begin(i, b); err != nil {
			return err
		}
		r.finish(i)
	}
	r.a.model = m.Model
	r.stop(m.Stop)
	r.count(m.Usage)
	r.a.ended = m.Stop != ""
	return nil
}
