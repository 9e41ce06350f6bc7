package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"conch/engine"
	"conch/plain"
)

// Limits of ask.
const (
	maxQuestion = 500
	maxFields   = 8
	maxChoices  = 12
	maxName     = 40
	maxChoice   = 100
	maxAnswer   = 8000 // characters of what the person said
)

const askWhat = `Ask the person something and wait for the answer, however long it takes. Use it when what to do next depends on a choice that is theirs: ` +
	`not for what you can find out yourself, and not to report. One clear question in title; with choices they pick one (or say something else), ` +
	`with fields they fill in several things; with neither they answer in their own words. They may skip it: then go on with the most careful ` +
	`assumption and say which one. When nobody is there the answer says so at once. Never ask for passwords or keys.`

var askTakes = []argument{
	{name: "title", what: "The question, whole, as the person reads it.", kind: "string", min: 1, max: maxQuestion, required: true},
	{name: "choices", what: "Answers to pick one of. Not together with fields.", kind: "array", min: 2, max: maxChoices, item: &argument{kind: "string", min: 1, max: maxChoice}},
	{name: "fields", what: "Things to fill in.", kind: "array", min: 1, max: maxFields, item: &argument{kind: "object", fields: []argument{
		{name: "name", what: "The key of this value in the answer.", kind: "string", min: 1, max: maxName, required: true},
		{name: "label", what: "What the person reads; name without it.", kind: "string", min: 1, max: maxChoice},
		{name: "description", what: "A word of explanation.", kind: "string", min: 0, max: 200},
		{name: "kind", what: "text without it. choice and choices need choices.", kind: "string", among: []string{"text", "number", "integer", "boolean", "choice", "choices"}},
		{name: "choices", what: "What can be chosen.", kind: "array", min: 2, max: maxChoices, item: &argument{kind: "string", min: 1, max: maxChoice}},
		{name: "required", what: "It must be filled in.", kind: "boolean"},
	}}},
}

type askArgs struct {
	Title   string     `json:"title"`
	Choices []string   `json:"choices"`
	Fields  []askField `json:"fields"`
}

type askField struct {
	Name        string   `json:"name"`
	Label       string   `json:"label"`
	Description string   `json:"description"`
	Kind        string   `json:"kind"`
	Choices     []string `json:"choices"`
	Required    bool     `json:"required"`
}

// asked is the answer of ask.
type asked struct {
	Answered bool           `json:"answered"`
	Answer   string         `json:"answer,omitempty"`
	Values   map[string]any `json:"values,omitempty"`
	Note     string         `json:"note,omitempty"`
}

// What is said when there is no answer.
const (
	nobodyThere  = "Nobody is there to answer, and nobody will be in this turn. Don't ask again. Take the most careful way that can be undone, leave what only the person can decide, and say at the end what you assumed and what you would have asked."
	wasSkipped   = "The person skipped this question. Don't ask it again. Go on with the most careful assumption, and say which one you made."
	turnWasEnded = "The turn was ended before the question was answered."
)

// The fields that stand for choices.
const (
	pickField  = "answer"
	otherField = "other"
)

func (b *bound) ask() *tool {
	return bind("ask", askWhat, askTakes, func(ctx context.Context, args askArgs) (engine.ToolResult, error) {
		q, err := args.question()
		if err != nil {
			return engine.ToolResult{}, err
		}
		if b.turn.Unattended() {
			return engine.ToolResult{Text: written(asked{Note: nobodyThere}), View: engine.View{Result: "nobody there"}}, nil
		}
		a := b.turn.Question(ctx, q)
		switch {
		case a.Cancelled:
			return engine.ToolResult{Text: written(asked{Note: turnWasEnded}), View: engine.View{Result: "not answered"}}, nil
		case a.Skipped:
			return engine.ToolResult{Text: written(asked{Note: wasSkipped}), View: engine.View{Result: "skipped"}}, nil
		}
		return engine.ToolResult{Text: written(args.answer(a)), View: engine.View{Result: "answered"}}, nil
	})
}

// question makes a card of the arguments. What a schema can't say of them is
// checked here.
func (a askArgs) question() (engine.Question, error) {
	bad := &BadArguments{Tool: "ask"}
	q := engine.Question{Title: plain.Text(a.Title)}
	if len(a.Choices) > 0 {
		if len(a.Fields) > 0 {
			bad.add("choices", "wanted either choices or fields, got both")
		}
		bad.unlike("choices", a.Choices)
		q.Fields = []engine.Field{
			{Name: pickField, Label: "Choose one", Kind: "choice", Options: options(a.Choices)},
			{Name: otherField, Label: "Or in other words", Kind: "text"},
		}
	}
	var taken []string
	for i, f := range a.Fields {
		path := fmt.Sprintf("fields[%d]", i)
		choice := f.Kind == "choice" || f.Kind == "choices"
		switch {
		case slices.Contains(taken, f.Name):
			bad.add(path+".name", "wanted a name that no other field has, got "+shown(f.Name)+" again")
		case choice && len(f.Choices) == 0:
			bad.add(path+".choices", "wanted a list of 2 to 12 items with the kind "+f.Kind+", got nothing")
		case !choice && len(f.Choices) > 0:
			bad.add(path+".choices", "wanted only with the kinds choice and choices, got them with "+kindOf(f))
		}
		bad.unlike(path+".choices", f.Choices)
		taken = append(taken, f.Name)
		label := f.Label
		if label == "" {
			label = f.Name
		}
		q.Fields = append(q.Fields, engine.Field{
			Name: f.Name, Label: plain.Line(label, maxChoice), Description: plain.Line(f.Description, 200), Kind: kindOf(f), Required: f.Required, Options: options(f.Choices),
		})
	}
	if len(bad.Problems) > 0 {
		return q, bad
	}
	return q, nil
}

func kindOf(f askField) string {
	if f.Kind == "" {
		return "text"
	}
	return f.Kind
}

// unlike notes choices that a person could not tell apart.
func (e *BadArguments) unlike(path string, choices []string) {
	seen := map[string]bool{}
	for _, c := range choices {
		c = plain.Line(c, maxChoice)
		if seen[c] {
			e.add(path, "wanted different choices, got "+shown(c)+" twice")
		}
		seen[c] = true
	}
}

func options(choices []string) []engine.Choice {
	var list []engine.Choice
	for _, c := range choices {
		list = append(list, engine.Choice{ID: c, Name: plain.Line(c, maxChoice)})
	}
	return list
}

// answer is what the person said. It is given as they said it: their words to the
// assistant, as a message is.
func (a askArgs) answer(said engine.Answer) asked {
	out := asked{Answered: true, Answer: shortened(plain.Text(said.Text), maxAnswer)}
	if len(a.Choices) > 0 {
		if picked, ok := said.Values[pickField].(string); ok {
			out.Answer = picked
		}
		if other, ok := said.Values[otherField].(string); ok && strings.TrimSpace(other) != "" {
			out.Answer = strings.TrimSpace(strings.Join([]string{out.Answer, shortened(plain.Text(other), maxAnswer)}, "\n"))
		}
		return out
	}
	room := maxAnswer
	for _, f := range a.Fields {
		v, ok := said.Values[f.Name]
		if !ok || v == nil {
			continue
		}
		if out.Values == nil {
			out.Values = map[string]any{}
		}
		if text, ok := v.(string); ok {
			text = shortened(plain.Text(text), max(room, 100))
			room -= len([]rune(text))
			v = text
		}
		out.Values[f.Name] = v
	}
	return out
}
