package modelapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
)

func (chatAPI) reader(a *answer) reader { return &chatReader{a: a, at: map[int]string{}} }

// chatReader reads the chunks of a Chat Completions answer.
type chatReader struct {
	a    *answer
	last string         // the key of the call that was spoken of last
	at   map[int]string // and that of each index
	made int            // calls that came without an index
	back map[string]string
}

// chatChunk is one chunk, or a whole answer: then it has message where a chunk has
// delta.
type chatChunk struct {
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Usage   *chatUsage      `json:"usage"`
	Choices []struct {
		Index   int       `json:"index"`
		Delta   *chatSaid `json:"delta"`
		Message *chatSaid `json:"message"`
		Text    string    `json:"text"`
		Finish  string    `json:"finish_reason"`
	} `json:"choices"`
}

type chatSaid struct {
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	ToolCalls []chatCall      `json:"tool_calls"`

	// The model's thinking, by server: DeepSeek, llama.cpp, LM Studio and vLLM say
	// reasoning_content; OpenRouter, Ollama and newer vLLM reasoning; others thinking.
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	Thinking         json.RawMessage `json:"thinking"`
}

type chatCall struct {
	Index    *int            `json:"index"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Function json.RawMessage `json:"function"`
}

type chatUsage struct {
	In      int64    `json:"prompt_tokens"`
	Out     int64    `json:"completion_tokens"`
	Cost    *float64 `json:"cost"`
	Details struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
}

func (r *chatReader) event(_ string, data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) {
		r.a.ended, r.a.over = true, true
		return nil
	}
	return r.take(data)
}

func (r *chatReader) whole(data []byte) error {
	err := r.take(data)
	r.a.ended = err == nil && !r.a.empty() || r.a.ended
	return err
}

func (r *chatReader) take(data []byte) error {
	var c chatChunk
	if err := lenient(data, &c); err != nil {
		r.a.ignored("noise")
		return nil
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return refusalOf(data)
	}
	r.a.model = cmp.Or(r.a.model, c.Model)
	if u := c.Usage; u != nil && u.In+u.Out > 0 {
		r.a.usage = usage{in: u.In, out: u.Out, cached: max(u.Details.Cached, u.CacheHit), said: true}
		if u.Cost != nil {
			r.a.usage.cost, r.a.usage.costed = *u.Cost, true
		}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // only one was asked for
		}
		said := choice.Delta
		if said == nil {
			said = choice.Message
		}
		if said != nil {
			if err := r.said(*said); err != nil {
				return err
			}
		}
		if err := r.a.words(choice.Text); err != nil {
			return err
		}
		r.finish(choice.Finish)
	}
	return nil
}

func (r *chatReader) said(s chatSaid) error {
	thought, from := text(s.ReasoningContent), "reasoning_content"
	if thought == "" {
		thought, from = cmp.Or(text(s.Reasoning), text(s.Thinking)), ""
	}
	if err := r.a.think(thought); err != nil {
		return err
	}
	if from != "" && thought != "" {
		r.keep(from, thought)
	}
	if err := r.a.words(text(s.Content)); err != nil {
		return err
	}
	if err := r.a.words(s.Refusal); err != nil {
		return err
	}
	for _, c := range s.ToolCalls {
		if err := r.call(c); err != nil {
			return err
		}
	}
	return nil
}

// keep notes thinking that the server wants back with the calls that it led to.
func (r *chatReader) keep(field, piece string) {
	if r.back == nil {
		r.back = map[string]string{}
	}
	if len(r.back[field])+len(piece) <= maxBack {
		r.back[field] += piece
	}
}

func (r *chatReader) call(c chatCall) error {
	name, args := c.Name, ""
	var f struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if lenient(c.Function, &f) == nil {
		name, args = cmp.Or(f.Name, name), arguments(f.Arguments)
	}
	return r.a.piece(r.keyOf(c, name), c.ID, name, args)
}

// keyOf tells which call a piece belongs to: by its index, which some servers leave
// out or give as 0 to each of several whole calls.
func (r *chatReader) keyOf(c chatCall, name string) string {
	if c.Index != nil {
		key := cmp.Or(r.at[*c.Index], strconv.Itoa(*c.Index))
		if old := r.a.callOf(key); old != nil && c.ID != "" && old.ID != "" && c.ID != old.ID && name != "" {
			key = strconv.Itoa(*c.Index) + "/" + c.ID
		}
		if r.a.callOf(key) == nil {
			r.at[*c.Index] = key
		}
		r.last = key
		return key
	}
	if c.ID == "" && name == "" && r.last != "" {
		return r.last
	}
	if c.ID != "" && r.last != "" {
		if old := r.a.callOf(r.last); old != nil && old.ID == c.ID {
			return r.last
		}
	}
	r.made++
	r.last = "n" + strconv.Itoa(r.made)
	return r.last
}

func (r *chatReader) finish(reason string) {
	switch reason {
	case "":
		return
	case "length":
		r.a.stop = stopLength
	case "content_filter":
		r.a.stop = stopRefused
	}
	r.a.ended = true
	if len(r.a.calls) > 0 && len(r.back) > 0 && len(r.a.back) == 0 {
		if raw, err := json.Marshal(r.back); err == nil {
			r.a.keep(raw)
		}
	}
}

// arguments gives a call's arguments as text: some servers give them as an object.
func arguments(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if isObject(raw) {
		return string(raw)
	}
	return ""
}

// text reads words that are a text or a list of parts.
func text(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] == 'n' {
		return ""
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if lenient(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		if p.Type == "" || p.Type == "text" || p.Type == "output_text" {
			s += p.Text
		}
	}
	return s
}

// lenient reads JSON, and takes a field of another type than was meant for absent.
func lenient(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if _, wrongType := err.(*json.UnmarshalTypeError); wrongType { //nolint:errorlint // it comes bare
		return nil
	}
	return err
}
