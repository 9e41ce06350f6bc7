package evals

import (
	"errors"
	"fmt"
	"strings"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
)

// Demo is the id of the provider that stands in for another one that was talked to
// before.
const Demo = "demo"

// ask sends a message to the provider under test and gives its final words.
func (r *room) ask(words string) (string, error) { return r.askOf(r.h.Provider, words) }

func (r *room) askOf(provider, words string) (string, error) {
	if r.chat == nil {
		chat, err := r.h.Open(r.ctx, r.place)
		if err != nil {
			return "", fmt.Errorf("open a chat: %w", err)
		}
		r.chat = &chat
	}
	m := r.chat.Manager
	if err := m.SetProvider(provider); err != nil {
		return "", fmt.Errorf("choose %s: %w", provider, err)
	}
	if provider == r.h.Provider && r.h.Model != "" {
		if err := m.SetModel(r.h.Model); err != nil {
			return "", fmt.Errorf("choose the model %s: %w", r.h.Model, err)
		}
	}
	if err := m.Send(conversation.Message{Text: words}); err != nil {
		return "", fmt.Errorf("send: %w", err)
	}
	return r.listen(m, provider)
}

// listen plays the person until the turn is over, and gives the last message of it.
func (r *room) listen(m *conversation.Manager, provider string) (string, error) {
	var order []string
	said := map[string]string{}
	for {
		events, status := m.Take()
		for _, e := range events {
			if e.Live() {
				continue
			}
			switch b := e.Body.(type) {
			case chats.AssistantDelta:
				if b.Channel != chats.ChannelText {
					continue
				}
				if _, known := said[b.MessageID]; !known {
					order = append(order, b.MessageID)
				}
				said[b.MessageID] += b.Delta
			case chats.ToolStarted:
				r.steps++
			case chats.TurnCompleted:
				if err := r.ended(b, provider); err != nil {
					return "", err
				}
				return lastWords(order, said), nil
			}
		}
		for _, c := range status.Cards {
			r.person.answer(m, c)
		}
		select {
		case <-m.Changed():
		case <-r.ctx.Done():
			m.Stop()
			// The turn ends within a few seconds; the chat's end waits for it.
			return "", fmt.Errorf("wait for %s: %w", provider, r.ctx.Err())
		}
	}
}

func (r *room) ended(b chats.TurnCompleted, provider string) error {
	if provider == r.h.Provider {
		r.answeredBy, r.model = b.Engine, b.Model
	}
	switch {
	case b.Engine != provider:
		return fmt.Errorf("%s answered, not %s", b.Engine, provider)
	case b.Outcome != string(engine.Success):
		return fmt.Errorf("%s: %s", provider, strings.TrimSpace(b.Error+" "+b.Next))
	case b.Paused && b.Pause != nil:
		return fail("it was paused after %s", b.Pause.Message)
	case b.Paused:
		return fail("it stopped at a limit of its own")
	}
	return nil
}

// lastWords are the last message that says anything.
func lastWords(order []string, said map[string]string) string {
	for i := len(order) - 1; i >= 0; i-- {
		if text := strings.TrimSpace(said[order[i]]); text != "" {
			return text
		}
	}
	return ""
}

// person is who sits there: they let through what only reads, and what the fixture
// app does, which changes nothing.
type person struct {
	site    string
	answers func(q engine.Question) (engine.Answer, bool) // nil: every question is skipped
	asked   int                                           // questions
}

func (p *person) answer(m *conversation.Manager, c conversation.Card) {
	if c.Question != nil {
		p.asked++
		a, ok := engine.Answer{}, false
		if p.answers != nil {
			a, ok = p.answers(*c.Question)
		}
		if !ok {
			a = engine.Answer{Skipped: true}
		}
		if m.AnswerQuestion(c.ID, a) != nil && !a.Skipped {
			_ = m.AnswerQuestion(c.ID, engine.Answer{Skipped: true}) // it does not fit the question's fields
		}
		return
	}
	option := ""
	if c.Permission != nil && p.allows(*c.Permission) {
		for _, o := range c.Permission.Options {
			if o.Kind == engine.AllowOnce {
				option = o.ID
				break
			}
		}
	}
	_ = m.Answer(c.ID, option) // a card that is gone was answered otherwise
}

// allows reports that a call only reads: files, the fixture site, the fixture app.
func (p *person) allows(q engine.Permission) bool {
	switch {
	case q.App == LedgerID:
		return true
	case q.Kind == engine.KindRead, q.Kind == engine.KindSearch:
		return true
	case q.Kind == engine.KindFetch:
		return strings.HasPrefix(strings.TrimSpace(q.Subject), p.site+"/")
	case q.Kind == engine.KindExecute:
		return p.looksUp(q.Subject)
	}
	return false
}

// looksUp reports a command that only gets a page of the fixture site.
func (p *person) looksUp(command string) bool {
	if strings.ContainsAny(command, ";&|<>`$\n") {
		return false
	}
	fields := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(command, "'", ""), `"`, ""))
	if len(fields) > 2 && fields[1] == "-lc" { // as Codex runs it
		fields = fields[2:]
	}
	if len(fields) < 2 || fields[0] != "curl" {
		return false
	}
	found := false
	for _, f := range fields[1:] {
		switch {
		case strings.HasPrefix(f, p.site+"/"):
			found = true
		case strings.HasPrefix(f, "-") && strings.Trim(f, "-sSLfi") == "":
		default:
			return false
		}
	}
	return found
}

// errNoWords is a turn that ended without an answer.
var errNoWords = errors.New("it said nothing")

// question asks and wants an answer.
func (r *room) question(words string) (string, error) {
	answer, err := r.ask(words)
	if err == nil && answer == "" {
		err = fail("%v", errNoWords)
	}
	return answer, err
}
