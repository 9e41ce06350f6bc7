package acp

import (
	"cmp"
	"context"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"

	"conch/engine"
	"conch/program"
)

// permission takes a request for permission. One that is not this turn's is
// answered by itself.
func (p *process) permission(id jsonrpc2.ID, params object) {
	answer := p.answerer(id)
	options, sound := readOptions(params)
	s := p.session()
	if s == nil || s.id != params.text("sessionId") {
		p.e.program.Count("permission of another session")
		answer.give(cancelled())
		return
	}
	t := p.running(s.id)
	if t == nil {
		// Nobody sent anything: it belongs to a history that is replayed.
		p.askedBetween(s)
		if option := declining(options); option != "" {
			answer.give(selected(option))
		} else {
			answer.give(cancelled())
		}
		return
	}
	t.permission(id, params, options, sound, answer)
}

// readOptions reads what may be answered; sound is false when nothing is
// offered, or one id twice.
func readOptions(params object) (options []engine.PermissionOption, sound bool) {
	list, _ := params.objects("options")
	seen := map[string]bool{}
	sound = true
	for _, each := range list {
		o := engine.PermissionOption{
			ID:   each.text("optionId"),
			Name: program.OneLine(each.text("name"), maxName),
			Kind: engine.OptionKind(each.text("kind")),
		}
		if o.ID == "" || len(options) == maxChoices {
			continue
		}
		if seen[o.ID] {
			sound = false
		}
		seen[o.ID] = true
		o.Name = cmp.Or(o.Name, program.OneLine(cmp.Or(string(o.Kind), o.ID), maxName))
		options = append(options, o)
	}
	return options, sound && len(options) > 0
}

// allowingOnce is the option that allows this call alone; "" when none is offered.
func allowingOnce(options []engine.PermissionOption) string {
	for _, o := range options {
		if o.Kind == engine.AllowOnce {
			return o.ID
		}
	}
	return ""
}

// permission puts a request to whoever decides. Its call is a step like any
// other, and often the first that is heard of it.
func (t *turn) permission(id jsonrpc2.ID, params object, options []engine.PermissionOption, sound bool, answer *answerer) {
	t.stir()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		answer.give(cancelled())
		return
	}
	c := t.rows.merge(params.object("toolCall"), true)
	if c == nil {
		t.e.program.Count("permission without a call")
		answer.give(cancelled())
		return
	}
	if once := allowingOnce(options); sound && once != "" && c.door != "" && !c.ended {
		// Conch's own tool: the door checks the call again.
		if answer.claim() {
			t.s.p.reply(answer.id, selected(once))
		}
		return
	}
	c.asked, c.answered = true, false
	t.rows.draw(c)
	if !sound {
		c.answered = true
		t.rows.declined(c, "its request could not be read")
		t.emit(engine.Notice{
			Code:    "bad-request",
			Message: fmt.Sprintf("%s asked without offering an answer that can be chosen: it was declined.", t.e.agent.Name),
		})
		answer.give(cancelled())
		return
	}
	ask := c.permission(options, params)
	t.asks.add(id, func(ctx context.Context) {
		t.decide(c, options, t.sink.Ask(ctx, ask), answer)
	}, func() {
		if answer.claim() {
			t.left.Store(t.over.Load())
			t.s.p.reply(answer.id, cancelled())
		}
	})
}

// permission is what is to be decided, with the call exactly as it is.
func (c *call) permission(options []engine.PermissionOption, params object) engine.Permission {
	subject := c.command()
	if subject == "" {
		subject = c.subject("")
	}
	return engine.Permission{
		ToolUseID: c.key,
		Tool:      c.name(),
		Kind:      c.askedKind(),
		Subject:   subject,
		Input:     c.input,
		Paths:     c.allPaths(),
		Diffs:     c.view().Diffs,
		Reason:    c.reason(params, subject),
		Options:   options,
	}
}

// reason is the program's own words for why, where it gives any: with the request,
// or as the call's description.
func (c *call) reason(params object, subject string) string {
	why := params.firstText("reason", "message", "description")
	if why == "" {
		why = parse(c.input).text("description")
	}
	if why == subject {
		return ""
	}
	return program.OneLine(why, maxSentence)
}

// decide answers a request. Only what was offered can be chosen; a request that
// was answered meanwhile stays as it is.
func (t *turn) decide(c *call, options []engine.PermissionOption, d engine.Decision, answer *answerer) {
	var chosen *engine.PermissionOption
	for i := range options {
		if options[i].ID == d.OptionID && d.Verdict != engine.Cancelled {
			chosen = &options[i]
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.silence.Stir()
	if !answer.claim() {
		return
	}
	c.answered = true
	result := cancelled()
	if chosen != nil {
		result = selected(chosen.ID)
	}
	// The row is closed before the program hears of it, and says so itself.
	t.settleRow(c, chosen, d)
	t.s.p.reply(answer.id, result)
}

// settleRow closes the row of a call that was not allowed.
func (t *turn) settleRow(c *call, chosen *engine.PermissionOption, d engine.Decision) {
	allowed := chosen != nil && d.Verdict == engine.Allow &&
		chosen.Kind != engine.RejectOnce && chosen.Kind != engine.RejectAlways
	reason := "you said no"
	switch {
	case allowed:
		return
	case d.Verdict == engine.Cancelled:
		reason = neverRan
	case d.Verdict == engine.Allow && chosen == nil:
		reason = "the answer was none of those offered"
	}
	t.decline = t.decline || d.Verdict != engine.Cancelled
	t.rows.declined(c, cmp.Or(program.OneLine(d.Reason, maxName), reason))
}
