package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"conch/chats"
	"conch/engine"
	"conch/plain"
)

const (
	maxFields = 50
	maxAnswer = 100_000 // characters
)

// Question puts something to the person and waits for the answer. Where nobody
// can be asked it is skipped.
func (t *turn) Question(ctx context.Context, q engine.Question) engine.Answer {
	m := t.m
	id, _, ok := t.request("", false)
	if !ok {
		return engine.Answer{Cancelled: true}
	}
	defer t.asks.Done()
	q.ID = id
	q.Title = plain.Text(firstRunes(q.Title, 4000))
	if len(q.Fields) > maxFields {
		q.Fields = q.Fields[:maxFields]
	}
	fields, err := json.Marshal(q.Fields)
	if err != nil || len(q.Fields) == 0 {
		fields = nil
	}
	m.record(t.id, chats.Question{QuestionID: q.ID, Title: q.Title, Fields: fields, URL: firstRunes(q.URL, 4000)})

	out := reply{answer: engine.Answer{Skipped: true}}
	switch {
	case m.stopping(t):
		out = cancelled(byStop, "")
	case m.deps.Unattended:
		m.record(t.id, chats.Notice{Code: "nobody-asked", Message: t.who + " asked something and nobody is here to answer: it was skipped"})
	default:
		out = t.askPerson(ctx, &card{
			Card: Card{ID: q.ID, Question: &q, Why: t.who + " asks you", AskedBy: t.name, At: m.deps.Now()},
			turn: t, answer: make(chan reply, 1),
		}, "")
	}
	said := chats.QuestionAnswered{QuestionID: q.ID}
	if a := out.answer; !a.Skipped && !a.Cancelled {
		said.Answer = &chats.QuestionAnswer{Text: a.Text, Values: a.Values}
	}
	m.record(t.id, said)
	return out.answer
}

// AnswerQuestion answers a question card. An answer that lacks a required field
// or names a choice that was not offered is an error and leaves the card.
func (m *Manager) AnswerQuestion(id string, a engine.Answer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.find(id)
	if c == nil || c.Question == nil {
		return errNoCard
	}
	if !a.Skipped && !a.Cancelled {
		if err := fits(*c.Question, a); err != nil {
			return err
		}
	}
	m.takeOut(c)
	c.answer <- reply{answer: a, by: byPerson}
	return nil
}

// fits checks an answer against the fields of its question.
func fits(q engine.Question, a engine.Answer) error {
	if len(a.Text) > maxAnswer {
		return fmt.Errorf("the answer is too long")
	}
	if len(q.Fields) == 0 {
		return nil
	}
	for _, f := range q.Fields {
		value, given := a.Values[f.Name]
		if text, ok := value.(string); value == nil || ok && strings.TrimSpace(text) == "" {
			given = false
		}
		if !given {
			if f.Required {
				return fmt.Errorf("%s is needed", label(f))
			}
			continue
		}
		switch f.Kind {
		case "choice":
			text, ok := value.(string)
			if !ok || !offered(f, text) {
				return fmt.Errorf("%s: that was not offered", label(f))
			}
		case "choices":
			for _, each := range strs(value) {
				if !offered(f, each) {
					return fmt.Errorf("%s: that was not offered", label(f))
				}
			}
		}
	}
	return nil
}

func label(f engine.Field) string {
	if l := clean(f.Label, 60); l != "" {
		return l
	}
	return clean(f.Name, 60)
}

func offered(f engine.Field, id string) bool {
	return slices.ContainsFunc(f.Options, func(c engine.Choice) bool { return c.ID == id })
}

// strs reads a list of words, whichever way a screen keeps it.
func strs(v any) []string {
	switch v := v.(type) {
	case []string:
		return v
	case []any:
		var out []string
		for _, each := range v {
			if s, ok := each.(string); ok {
				out = append(out, s)
			} else {
				out = append(out, fmt.Sprint(each))
			}
		}
		return out
	}
	return []string{fmt.Sprint(v)}
}
