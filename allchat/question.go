package allchat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"conch/allchat/record"
	"conch/engine"
	"conch/plain"
)

// question is one that waits, and who waits for it.
type question struct {
	Question
	t      *turn
	answer chan engine.Answer // holds one
}

// maxAsked bounds what a question says, in characters, and its fields.
const (
	maxAsked  = 4000
	maxFields = 50
)

// Question puts something to the person. It is the coordinator's alone: of anybody else
// it is skipped.
func (t *turn) Question(ctx context.Context, q engine.Question) engine.Answer {
	r := t.r
	if t.p.role != record.RoleCoordinator {
		return engine.Answer{Skipped: true}
	}
	q.Title = plain.Text(q.Title)
	if runes := []rune(q.Title); len(runes) > maxAsked {
		q.Title = string(runes[:maxAsked])
	}
	q.Fields = q.Fields[:min(len(q.Fields), maxFields)]
	asked := &question{t: t, answer: make(chan engine.Answer, 1)}
	r.mu.Lock()
	if t.over || t.ctx.Err() != nil {
		r.mu.Unlock()
		return engine.Answer{Cancelled: true}
	}
	r.asked++
	q.ID = fmt.Sprintf("q%d", r.asked)
	asked.Question = Question{Question: q, Name: t.p.name, At: r.deps.Clock.Now()}
	r.questions = append(r.questions, asked)
	r.mu.Unlock()
	r.wake()
	defer t.waits()()
	select {
	case a := <-asked.answer:
		return a
	case <-ctx.Done():
	case <-t.ctx.Done():
	}
	if r.takeQuestion(q.ID) != nil {
		return engine.Answer{Cancelled: true}
	}
	return <-asked.answer
}

// takeQuestion takes a question away, nil when somebody else did.
func (r *Run) takeQuestion(id string) *question {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.questions, func(q *question) bool { return q.ID == id })
	if i < 0 {
		return nil
	}
	q := r.questions[i]
	r.questions = slices.Delete(r.questions, i, i+1)
	r.wake()
	return q
}

func (r *Run) dismissQuestions(t *turn) {
	r.mu.Lock()
	var gone []*question
	r.questions = slices.DeleteFunc(r.questions, func(q *question) bool {
		if q.t == t {
			gone = append(gone, q)
		}
		return q.t == t
	})
	r.mu.Unlock()
	for _, q := range gone {
		q.answer <- engine.Answer{Cancelled: true}
	}
}

// Answer answers a question of the coordinator's. One that lacks what is needed, or
// names what was not offered, is refused and the question waits on.
func (r *Run) Answer(id string, a engine.Answer) error {
	r.mu.Lock()
	i := slices.IndexFunc(r.questions, func(q *question) bool { return q.ID == id })
	var err error
	switch {
	case i < 0:
		err = errNoCard()
	case !a.Skipped && !a.Cancelled:
		err = fits(r.questions[i].Fields, a)
	}
	r.mu.Unlock()
	if err != nil {
		return err
	}
	q := r.takeQuestion(id)
	if q == nil {
		return errNoCard()
	}
	q.answer <- a
	return nil
}

// fits checks an answer against the fields of its question.
func fits(fields []engine.Field, a engine.Answer) error {
	bad := func(f engine.Field, what string) error {
		return &record.Error{Code: record.EventInvalid, Field: plain.Line(f.Label, 60), What: what}
	}
	if len(a.Text) > record.MaxText {
		return &record.Error{Code: record.Limit, What: "the answer is too long"}
	}
	for _, f := range fields {
		value := a.Values[f.Name]
		if text, ok := value.(string); value == nil || ok && strings.TrimSpace(text) == "" {
			if f.Required {
				return bad(f, "is needed")
			}
			continue
		}
		offered := func(id string) bool {
			return slices.ContainsFunc(f.Options, func(c engine.Choice) bool { return c.ID == id })
		}
		switch f.Kind {
		case "choice":
			if text, ok := value.(string); !ok || !offered(text) {
				return bad(f, "was not offered")
			}
		case "choices":
			list, ok := value.([]string)
			if !ok || slices.ContainsFunc(list, func(id string) bool { return !offered(id) }) {
				return bad(f, "was not offered")
			}
		}
	}
	return nil
}
