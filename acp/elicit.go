package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sort"

	"github.com/sourcegraph/jsonrpc2"

	"conch/engine"
	"conch/program"
)

// elicitation takes a question of the program: a form, or an address to open.
func (p *process) elicitation(id jsonrpc2.ID, params object) {
	answer := p.answerer(id)
	action := func(word string) { answer.give(map[string]any{"action": word}) }
	q, ok := readQuestion(params)
	if !ok {
		p.e.program.Count("elicitation " + params.text("mode"))
		p.refuse(id, jsonrpc2.CodeInvalidParams, "This kind of question is not known")
		return
	}
	s := p.session()
	if s == nil || params.has("sessionId") && s.id != params.text("sessionId") {
		action("cancel")
		return
	}
	t := p.running(s.id)
	if t == nil {
		action("cancel")
		return
	}
	t.stir()
	t.mu.Lock()
	q.ID = t.key + ".q" + id.String()
	closed := t.closed
	t.heard = t.heard || !closed
	t.mu.Unlock()
	if closed {
		action("cancel")
		return
	}
	t.asks.add(id, func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		done := addressID(params.text("elicitationId"))
		if q.URL != "" {
			p.remember(done, cancel)
			defer p.forget(done)
		}
		a := t.sink.Question(ctx, q)
		t.stir()
		switch {
		case ctx.Err() != nil && q.URL != "" && a.Cancelled:
			action("accept") // it was opened and is complete
		case a.Cancelled:
			action("cancel")
		case a.Skipped:
			action("decline")
		case q.URL != "":
			action("accept")
		default:
			answer.give(map[string]any{"action": "accept", "content": contentOf(q, a)})
		}
	}, func() { action("cancel") })
}

// addressID is the key under which an open address waits for its completion.
func addressID(elicitation string) jsonrpc2.ID {
	return jsonrpc2.ID{Str: "elicitation " + elicitation, IsString: true}
}

// elicitationDone is the program's word that an address has done its work.
func (p *process) elicitationDone(params object) {
	p.mu.Lock()
	done := p.asked[addressID(params.text("elicitationId"))]
	p.mu.Unlock()
	if done != nil {
		done()
	}
}

// maxFields bounds a form.
const maxFields = 100

func readQuestion(params object) (engine.Question, bool) {
	q := engine.Question{Title: program.OneLine(params.text("message"), maxSentence)}
	schema := params.object("requestedSchema")
	switch mode := params.text("mode"); {
	case mode == "url":
		q.URL = params.text("url")
		return q, q.URL != ""
	case mode == "form", mode == "" && schema != nil:
		q.Title = cmp.Or(q.Title, program.OneLine(schema.firstText("title", "description"), maxSentence))
		q.Fields = readFields(schema)
		return q, true
	}
	return q, false
}

// readFields reads a form's fields, those first that must be filled in. A field
// of a kind that is not known is left out.
func readFields(schema object) []engine.Field {
	properties := schema.object("properties")
	required := texts(schema, "required")
	var names []string
	for name := range properties {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := slices.Index(required, names[i]), slices.Index(required, names[j])
		if (a >= 0) != (b >= 0) {
			return a >= 0
		}
		if a != b {
			return a < b
		}
		return names[i] < names[j]
	})
	var fields []engine.Field
	for _, name := range names {
		f, ok := readField(name, properties.object(name))
		if !ok || len(fields) == maxFields {
			continue
		}
		f.Required = slices.Contains(required, name)
		fields = append(fields, f)
	}
	return fields
}

func readField(name string, p object) (engine.Field, bool) {
	f := engine.Field{
		Name:        name,
		Label:       program.OneLine(cmp.Or(p.text("title"), name), maxName),
		Description: program.OneLine(p.text("description"), maxSentence),
	}
	if p.has("default") {
		_ = json.Unmarshal(p["default"], &f.Default)
	}
	switch p.text("type") {
	case "string":
		f.Kind = "text"
		if f.Options = readChoices(p, "oneOf"); len(f.Options) > 0 {
			f.Kind = "choice"
		}
	case "number":
		f.Kind = "number"
	case "integer":
		f.Kind = "integer"
	case "boolean":
		f.Kind = "boolean"
	case "array":
		f.Kind = "choices"
		f.Options = readChoices(p.object("items"), "anyOf")
		if len(f.Options) == 0 {
			return f, false
		}
	default:
		return f, false
	}
	return f, true
}

func readChoices(p object, titled string) []engine.Choice {
	var list []engine.Choice
	if each, _ := p.objects(titled); len(each) > 0 {
		for _, o := range each {
			if id := o.text("const"); id != "" && len(list) < maxChoices {
				list = append(list, engine.Choice{ID: id, Name: program.OneLine(cmp.Or(o.text("title"), id), maxName)})
			}
		}
		return list
	}
	for _, id := range texts(p, "enum") {
		if len(list) < maxChoices {
			list = append(list, engine.Choice{ID: id, Name: program.OneLine(id, maxName)})
		}
	}
	return list
}

// contentOf is an answer as the program wants it. A form of one text field takes
// a free answer.
func contentOf(q engine.Question, a engine.Answer) map[string]any {
	content := map[string]any{}
	for _, f := range q.Fields {
		if v, ok := a.Values[f.Name]; ok && v != nil {
			content[f.Name] = v
		}
	}
	if len(content) == 0 && a.Text != "" && len(q.Fields) > 0 {
		content[q.Fields[0].Name] = a.Text
	}
	return content
}
