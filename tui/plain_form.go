package tui

import (
	"fmt"
	"strconv"
	"strings"

	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/markdown"
	"conch/tui/theme"
)

// form is a question that is answered field by field, a line each.
type form struct {
	card   string
	fields []engine.Field
	at     int
	values map[string]any
}

func newForm(c conversation.Card) *form {
	return &form{card: c.ID, fields: c.Question.Fields, values: map[string]any{}}
}

// askField says what the next line is for.
func (p *plainScreen) askField() {
	f := p.form
	if len(f.fields) == 0 {
		p.write("Your answer:")
		return
	}
	field := f.fields[f.at]
	words := plain.Line(firstOf(field.Label, field.Name), 200)
	if field.Description != "" {
		words += ". " + plain.Line(field.Description, 400)
	}
	switch field.Kind {
	case "boolean":
		words += " (y or n)"
	case "choice", "choices":
		for i, o := range field.Options {
			p.write(fmt.Sprintf("%d  %s", i+1, plain.Line(firstOf(o.Name, o.ID), 200)))
		}
		words += " (a number"
		if field.Kind == "choices" {
			words += ", or several"
		}
		words += ")"
	}
	if !field.Required {
		words += ", empty leaves it out"
	}
	p.write(words + ":")
}

// field takes a line as the value of the field that was asked for.
func (p *plainScreen) field(text string) {
	f, r := p.form, p.m.room
	text = strings.TrimSpace(text)
	if len(f.fields) == 0 {
		p.reply(r, f.card, engine.Answer{Text: text})
		return
	}
	field := f.fields[f.at]
	value, err := valueOf(field, text)
	if err != "" {
		p.write(err)
		p.askField()
		return
	}
	if value != nil {
		f.values[field.Name] = value
	}
	if f.at++; f.at < len(f.fields) {
		p.askField()
		return
	}
	p.reply(r, f.card, engine.Answer{Values: f.values})
}

// valueOf reads a field's value; nil when it is left out. wrong says what is not
// right with it.
func valueOf(field engine.Field, text string) (value any, wrong string) {
	if text == "" {
		if field.Default != nil {
			return field.Default, ""
		}
		if field.Required {
			return nil, "This one is needed."
		}
		return nil, ""
	}
	switch field.Kind {
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, "That is no number."
		}
		return n, ""
	case "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, "That is no whole number."
		}
		return n, ""
	case "boolean":
		switch strings.ToLower(text) {
		case "y", "yes":
			return true, ""
		case "n", "no":
			return false, ""
		}
		return nil, "y or n."
	case "choice":
		ids, wrong := choicesOf(field, text)
		if wrong == "" && len(ids) != 1 {
			wrong = "One number."
		}
		if wrong != "" {
			return nil, wrong
		}
		return ids[0], ""
	case "choices":
		ids, wrong := choicesOf(field, text)
		if wrong != "" {
			return nil, wrong
		}
		return ids, ""
	}
	return text, ""
}

func choicesOf(field engine.Field, text string) (ids []string, wrong string) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		n, err := strconv.Atoi(w)
		if err != nil || n < 1 || n > len(field.Options) {
			return nil, "Use the numbers from 1 to " + strconv.Itoa(len(field.Options)) + "."
		}
		ids = append(ids, field.Options[n-1].ID)
	}
	return ids, ""
}

func diffLines(d engine.Diff, th *theme.Theme, width int) []string {
	return markdown.Diff(d.Old, d.New, th, markdown.DiffOptions{Width: width, Limit: 200, Line: d.Line})
}
