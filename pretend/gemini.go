package pretend

import (
	"encoding/json"
	"strconv"
	"strings"
)

// gemini is GenerateContent, as Gemini CLI 0.61.0 asks it.
type gemini struct {
	stream bool
	head   answer
	thinks string // a thought comes whole, in one part
}

func (*gemini) name() Dialect { return Gemini }

type geminiPart struct {
	Text         string `json:"text"`
	Thought      bool   `json:"thought"`
	FunctionCall *struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

func (d *gemini) read(body []byte) (asked, error) {
	var b struct {
		System   geminiContent   `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name   string         `json:"name"`
				Params map[string]any `json:"parameters"`
				Schema map[string]any `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Config struct {
			MIME       string         `json:"responseMimeType"`
			Schema     map[string]any `json:"responseSchema"`
			JSONSchema map[string]any `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	if err := decode(body, &b); err != nil {
		return asked{}, err
	}
	in := asked{stream: d.stream, schema: b.Config.Schema}
	if in.schema == nil {
		in.schema = b.Config.JSONSchema
	}
	if in.schema == nil && b.Config.MIME == "application/json" {
		in.schema = map[string]any{"type": "object"}
	}
	in.messages = append(in.messages, geminiMessages("system", b.System.Parts)...)
	for _, c := range b.Contents {
		role := c.Role
		if role == "model" {
			role = "assistant"
		}
		in.messages = append(in.messages, geminiMessages(role, c.Parts)...)
	}
	for _, t := range b.Tools {
		for _, f := range t.Functions {
			schema := f.Schema
			if schema == nil {
				schema = f.Params
			}
			in.tools = append(in.tools, tool{name: f.Name, schema: schema})
		}
	}
	return in, nil
}

func geminiMessages(role string, parts []geminiPart) []Message {
	var out []Message
	var text []string
	results := false
	for _, p := range parts {
		switch {
		case p.FunctionCall != nil:
			out = append(out, Message{Role: "call", Name: p.FunctionCall.Name, Text: string(p.FunctionCall.Args)})
		case p.FunctionResponse != nil:
			results = true
			out = append(out, Message{Role: "result", Name: p.FunctionResponse.Name, Text: string(p.FunctionResponse.Response)})
		case p.Text != "" && !p.Thought:
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

func (*gemini) fail(status int, message string) any {
	word := "UNAVAILABLE"
	switch status {
	case 400:
		word = "INVALID_ARGUMENT"
	case 401:
		word = "UNAUTHENTICATED"
	case 429:
		word = "RESOURCE_EXHAUSTED"
	case 500:
		word = "INTERNAL"
	}
	return map[string]any{"error": map[string]any{"code": status, "message": message, "status": word}}
}

func (a answer) geminiChunk(parts []any, finish string) map[string]any {
	candidate := map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "index": 0}
	out := map[string]any{"candidates": []any{candidate}, "modelVersion": a.model, "responseId": "pretend-" + strconv.Itoa(a.serial)}
	if finish != "" {
		candidate["finishReason"] = finish
		out["usageMetadata"] = map[string]any{"promptTokenCount": a.in, "candidatesTokenCount": a.out, "totalTokenCount": a.in + a.out}
	}
	return out
}

func (a answer) geminiStop() string {
	switch a.stop {
	case "length":
		return "MAX_TOKENS"
	case "refusal":
		return "SAFETY"
	}
	return "STOP"
}

func geminiCall(c call) any {
	return map[string]any{"functionCall": map[string]any{"id": c.id, "name": c.name, "args": json.RawMessage(c.args)}}
}

func (*gemini) whole(a answer) any {
	var parts []any
	if a.thought != "" {
		parts = append(parts, map[string]any{"text": a.thought, "thought": true})
	}
	parts = append(parts, map[string]any{"text": a.text})
	for _, c := range a.calls {
		parts = append(parts, geminiCall(c))
	}
	return a.geminiChunk(parts, a.geminiStop())
}

func (d *gemini) begin(_ *stream, a answer) { d.head = a }

func (d *gemini) thought(_ *stream, piece string) { d.thinks += piece }

func (d *gemini) flush(s *stream) {
	if d.thinks != "" {
		s.event("", d.head.geminiChunk([]any{map[string]any{"text": d.thinks, "thought": true}}, ""))
		d.thinks = ""
	}
}

func (d *gemini) text(s *stream, piece string) {
	d.flush(s)
	s.event("", d.head.geminiChunk([]any{map[string]any{"text": piece}}, ""))
}

func (d *gemini) call(s *stream, c call) {
	d.flush(s)
	s.event("", d.head.geminiChunk([]any{geminiCall(c)}, ""))
}

func (d *gemini) end(s *stream, a answer) {
	d.flush(s)
	s.event("", a.geminiChunk([]any{map[string]any{"text": ""}}, a.geminiStop()))
}
