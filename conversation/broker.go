package conversation

import (
	"context"
	"fmt"
	"slices"

	"conch/chats"
	"conch/engine"
	"conch/plain"
)

const (
	maxAsked   = 2000 // requests of one turn
	maxWaiting = 100  // cards that wait at a time
	maxOptions = 50   // of one request
)

// card is what waits for the person. One answer goes in, whoever takes the card
// out of the Manager's list gives it.
type card struct {
	Card
	turn   *turn
	answer chan reply
}

// reply is how a card went.
type reply struct {
	decision engine.Decision
	answer   engine.Answer
	by, why  string
	resolved string // allow, deny, cancelled or expired
}

// Ask decides a request: by the rules, else by the person. It blocks until there
// is an answer; Stop, the end of the turn and the end of ctx cancel it.
func (t *turn) Ask(ctx context.Context, p engine.Permission) engine.Decision {
	m := t.m
	id, st, ok := t.request(p.ToolUseID, true)
	if !ok {
		return engine.Decision{Verdict: engine.Cancelled, Reason: "the turn is over"}
	}
	defer t.asks.Done()

	p = bounded(p)
	rule := t.rules().judge(p)
	if before := m.refusedBefore(p); before != "" && rule.by != byFlag {
		rule = rule.againstNo(before, m.deps.Unattended, t.rules().isOwn(p))
	}
	broken := unclear(p.Options)
	if rule.tainted && broken == "" {
		p.Options = once(p.Options)
	}
	p.Options = ordered(p.Options)
	over := m.stopping(t)
	requested := chats.PermissionRequested{
		PermissionID: id, ToolUseID: st.id, ToolName: p.Tool, ToolKind: string(p.Kind), Input: rawInput(p.Input),
		Summary: p.Subject, Options: kept(p.Options), View: rawView(engine.View{Diffs: p.Diffs}),
	}
	if rule.verdict == "" && broken == "" && !over {
		requested.Why = rule.why
		if rule.tainted {
			requested.Taint, requested.Once = t.rules().taintFor(p), true
		}
	}
	m.record(t.id, requested)

	out := t.resolve(ctx, id, p, rule, broken, over)
	m.remembersAnswer(p, out)
	m.record(t.id, chats.PermissionResolved{
		PermissionID: id, Decision: out.resolved, OptionID: out.decision.OptionID, By: out.by, Why: out.why,
	})
	if out.decision.Verdict != engine.Allow {
		t.mu.Lock()
		t.decline(st, out.why)
		t.mu.Unlock()
	}
	return out.decision
}

// request begins a request of the engine's, a permission for the step that tool
// means or a question. It reports false when the turn takes none any more; else asks.Done ends it.
func (t *turn) request(tool string, forStep bool) (id string, st *step, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asked++; t.closing || t.asked > maxAsked {
		t.m.drop()
		return "", nil, false
	}
	t.asks.Add(1)
	if forStep {
		st = t.stepOf(tool)
	}
	return t.newID(), st, true
}

// answerAll answers what still waits for the person as the turn ends, and takes
// no more requests.
func (t *turn) answerAll() {
	t.mu.Lock()
	t.closing = true
	t.mu.Unlock()
	t.m.dismiss(t, "expired")
	t.asks.Wait()
}

// rules are those that hold now: a stricter mode holds at once, a laxer one with
// the next message.
func (t *turn) rules() rules {
	m := t.m
	m.mu.Lock()
	defer m.mu.Unlock()
	return rules{
		who: t.who, cwd: m.folder, protected: m.protected(), mode: engine.Stricter(t.options.Mode, m.chosen.mode),
		unattended: m.deps.Unattended, allow: m.deps.Allow, taints: slices.Clone(m.taints), tools: t.input.Tools,
	}
}

// protected lists the protected places.
func (m *Manager) protected() []string {
	places := slices.Clone(m.deps.Protected)
	if m.deps.Home != "" {
		places = append(places, m.deps.Home)
	}
	return places
}

func (m *Manager) stopping(t *turn) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return t.stopped || t.ctx.Err() != nil
}

// bounded keeps a request to what can be kept and shown. The exact command is
// never shortened: one that is too long is not asked for as if it were whole.
func bounded(p engine.Permission) engine.Permission {
	p.Tool = toolName(p.Tool)
	p.Reason = clean(p.Reason, 500)
	if p.Kind == "" {
		p.Kind = engine.KindOther
	}
	if len(p.Options) > maxOptions {
		p.Options = nil
	}
	return p
}

func kept(options []engine.PermissionOption) []chats.PermissionOption {
	var out []chats.PermissionOption
	for _, o := range options {
		out = append(out, chats.PermissionOption{ID: o.ID, Name: plain.Line(o.Name, 200), Kind: string(o.Kind)})
	}
	return out
}

// resolve finds the answer.
func (t *turn) resolve(ctx context.Context, id string, p engine.Permission, rule ruling, broken string, over bool) reply {
	switch {
	case over:
		return cancelled(byStop, "stopped before it ran")
	case broken != "":
		t.m.record(t.id, chats.Notice{Code: "unclear-request", Message: fmt.Sprintf("%s asked %s: it was not allowed", t.who, broken)})
		return cancelled(byMode, "it asked "+broken)
	case len(p.Subject) > maxCommand:
		t.m.record(t.id, chats.Notice{Code: "unclear-request", Message: fmt.Sprintf("%s asked for something too long to show: it was not allowed", t.who)})
		return cancelled(byMode, "it is too long to show")
	}
	if rule.notice != "" {
		t.m.record(t.id, chats.Notice{Code: "protected", Message: rule.notice})
	}
	switch rule.verdict {
	case engine.Deny:
		return denied(p.Options, rule.by, rule.why)
	case engine.Allow:
		if option := optionOf(p.Options, engine.AllowOnce); option != "" {
			return reply{
				decision: engine.Decision{Verdict: engine.Allow, OptionID: option, Reason: rule.why},
				by:       rule.by, why: rule.why, resolved: "allow",
			}
		}
		rule.why = t.who + " offers no way to allow this once"
		if t.m.deps.Unattended || t.rules().mode == engine.ModePlan {
			return denied(p.Options, byMode, rule.why)
		}
	}
	return t.askPerson(ctx, &card{
		Card: Card{ID: id, Permission: &p, Why: rule.why, AskedBy: t.name, At: t.m.deps.Now()},
		turn: t, answer: make(chan reply, 1),
	}, p.ToolUseID)
}

// maxCommand bounds, in bytes, a command that the person can be asked for.
const maxCommand = 64 << 10

// denied answers with reject_once where it is offered, else as cancelled.
func denied(options []engine.PermissionOption, by, why string) reply {
	d := engine.Decision{Verdict: engine.Deny, OptionID: optionOf(options, engine.RejectOnce), Reason: why}
	if d.OptionID == "" {
		d.Verdict = engine.Cancelled
	}
	return reply{decision: d, by: by, why: why, resolved: "deny"}
}

func cancelled(by, why string) reply {
	return reply{
		decision: engine.Decision{Verdict: engine.Cancelled, Reason: why}, answer: engine.Answer{Cancelled: true},
		by: by, why: why, resolved: "cancelled",
	}
}

// askPerson shows a card and waits for its answer. tool is the step that waits
// with it, by the engine's id.
func (t *turn) askPerson(ctx context.Context, c *card, tool string) reply {
	m := t.m
	m.mu.Lock()
	if t.stopped || t.ctx.Err() != nil || ctx.Err() != nil {
		m.mu.Unlock()
		return cancelled(byStop, "stopped before it ran")
	}
	if len(m.cards) >= maxWaiting {
		m.mu.Unlock()
		return cancelled(byMode, "too much waits for you already")
	}
	m.cards = append(m.cards, c)
	m.status.news++
	m.status.waiting = waiting{}
	m.out.wake()
	m.mu.Unlock()

	var out reply
	answered := t.guard.waits()
	defer answered()
	select {
	case out = <-c.answer:
	case <-ctx.Done():
		if m.take(c) {
			out = cancelled(byStop, "it was taken back before you answered")
		} else {
			out = <-c.answer
		}
	}
	waited := m.deps.Now().Sub(c.At)
	m.mu.Lock()
	t.busy = m.deps.Now()
	m.mu.Unlock()
	t.mu.Lock()
	if st := t.steps[tool]; st != nil && st.shown && !st.ended && st.began.Before(c.At) {
		st.asking += waited
	}
	t.mu.Unlock()
	return out
}

// take takes a card out of the list. It reports false when somebody else did.
func (m *Manager) take(c *card) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.takeOut(c)
}

// takeOut is take with mu held.
func (m *Manager) takeOut(c *card) bool {
	i := slices.Index(m.cards, c)
	if i < 0 {
		return false
	}
	m.cards = slices.Delete(m.cards, i, i+1)
	m.out.wake()
	return true
}

// dismiss answers every card of a turn as cancelled.
func (m *Manager) dismiss(t *turn, how string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range slices.Clone(m.cards) {
		if c.turn == t && m.takeOut(c) {
			out := cancelled(byStop, "stopped before it ran")
			if how == "expired" {
				out.resolved, out.why = "expired", "the turn ended before you answered"
			}
			c.answer <- out
		}
	}
}

// Answer decides a permission card with an option that was offered; "" declines
// it (reject_once where offered). An unknown card or option is an error and
// touches nothing.
func (m *Manager) Answer(id, option string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.find(id)
	if c == nil || c.Permission == nil {
		return errNoCard
	}
	out := denied(c.Permission.Options, byPerson, "you said no")
	if option != "" {
		i := slices.IndexFunc(c.Permission.Options, func(o engine.PermissionOption) bool { return o.ID == option })
		if i < 0 {
			return fmt.Errorf("that answer was not offered")
		}
		out = picked(c.Permission.Options[i])
	}
	m.takeOut(c)
	c.answer <- out
	return nil
}

var errNoCard = fmt.Errorf("nothing waits for this answer any more")

// find gives a waiting card. mu is held.
func (m *Manager) find(id string) *card {
	for _, c := range m.cards {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// picked is the person's choice of an option. What an option of an unknown kind
// does is the provider's to know: its name is all that can be said.
func picked(o engine.PermissionOption) reply {
	name := clean(o.Name, 80)
	out := reply{
		decision: engine.Decision{Verdict: engine.Allow, OptionID: o.ID}, by: byPerson, resolved: "allow",
	}
	switch o.Kind {
	case engine.AllowOnce:
		out.why = "you allowed it once"
	case engine.AllowAlways:
		out.why = "you allowed it: " + name
	case engine.RejectOnce:
		out.decision.Verdict, out.resolved, out.why = engine.Deny, "deny", "you said no"
	case engine.RejectAlways:
		out.decision.Verdict, out.resolved, out.why = engine.Deny, "deny", "you said no: "+name
	default:
		out.why = "you chose " + name
	}
	out.decision.Reason = out.why
	return out
}
