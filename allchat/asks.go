package allchat

import (
	"context"
	"fmt"
	"slices"

	"conch/allchat/record"
	"conch/conversation"
	"conch/engine"
	"conch/plain"
)

// card is a permission that waits, and who waits for it.
type card struct {
	Card
	t       *turn
	claimed bool                 // somebody decides it now; guarded by Run.mu
	answer  chan engine.Decision // holds one
}

// Ask decides a request: by the rules of a run, else by the person. It blocks until
// there is an answer, or for two minutes.
func (t *turn) Ask(ctx context.Context, p engine.Permission) engine.Decision {
	select {
	case t.asking <- struct{}{}:
		defer func() { <-t.asking }()
	case <-ctx.Done():
		return cancelled("it was taken back before you answered")
	case <-t.ctx.Done():
		return cancelled("stopped before it ran")
	}
	if why := unclear(p); why != "" {
		t.r.notice(t.p.id, "unclear-request", t.p.name+" asked "+why+": it was not allowed")
		return cancelled("it asked " + why)
	}
	verdict, why := t.judge(p)
	if verdict == engine.Allow {
		if id := optionOf(p.Options, engine.AllowOnce); id != "" {
			return engine.Decision{Verdict: engine.Allow, OptionID: id, Reason: why}
		}
		why = t.p.name + " offers no way to allow this once"
	}
	c, err := t.offer(p, why)
	if err != nil {
		t.r.notice(t.p.id, "limit", t.p.name+" asked for more than it may: it was not allowed")
		return cancelled("it asked for more than it may")
	}
	if verdict == engine.Deny {
		return t.deny(c, why)
	}
	return t.await(ctx, c)
}

// judge decides a call by the rules: protected places, then that nobody writes into the
// project, then the mode. "" puts it to the person.
func (t *turn) judge(p engine.Permission) (verdict engine.Verdict, why string) {
	r := t.r
	rules := conversation.Rules{Who: t.p.name, Folder: r.folder, Protected: r.protected(), Mode: r.mode, Tools: t.p.tools}
	ruling := rules.Judge(p)
	switch {
	case ruling.Verdict == engine.Deny && !changes(p):
		return engine.Deny, ruling.Why
	case changes(p):
		r.mu.Lock()
		t.changes = true
		r.mu.Unlock()
		return engine.Deny, declinedWord(t.p.role)
	case p.Kind == engine.KindExecute && ruling.Verdict == engine.Allow:
		return "", t.p.name + " wants to run this"
	}
	return ruling.Verdict, ruling.Why
}

// changes tells that a call would change files.
func changes(p engine.Permission) bool {
	switch p.Kind {
	case engine.KindEdit, engine.KindDelete, engine.KindMove:
		return true
	}
	return len(p.Diffs) > 0
}

// offer puts a card in line, which is not shown yet.
func (t *turn) offer(p engine.Permission, why string) (*card, error) {
	r := t.r
	now := r.deps.Clock.Now()
	r.mu.Lock()
	r.asked++
	c := &card{t: t, answer: make(chan engine.Decision, 1)}
	c.Card = Card{
		Name: t.p.name, Role: t.p.role, Task: t.task, Permission: p, Why: why, At: now, Until: now.Add(record.PermissionWithin),
	}
	c.Bond = record.Bond{
		Run: r.id, Participant: t.p.id, Session: t.p.session, Connection: t.p.connection, Turn: t.n,
		Request: fmt.Sprintf("%s-%d", t.p.connection[:8], r.asked),
	}
	r.mu.Unlock()
	if c.Tool = r.cleaner.Line(p.Tool, 100); c.Tool.Len() == 0 {
		c.Tool = r.cleaner.Line("tool", 0)
	}
	for _, o := range p.Options {
		c.Choices = append(c.Choices, record.Choice{
			ID: o.ID, Label: plain.Line(o.Name, 200), Allow: o.Kind != engine.RejectOnce && o.Kind != engine.RejectAlways,
			Remembered: o.Kind != engine.AllowOnce && o.Kind != engine.RejectOnce,
		})
	}
	return c, r.log.Cards().Offer(c.Card.Card)
}

// deny records that Conch declined a call, and answers it.
func (t *turn) deny(c *card, why string) engine.Decision {
	t.declines()
	t.r.drop(c, record.Deny)
	d := engine.Decision{Verdict: engine.Deny, OptionID: optionOf(c.Permission.Options, engine.RejectOnce), Reason: why}
	if d.OptionID == "" {
		d.Verdict = engine.Cancelled
	}
	return d
}

func (t *turn) declines() {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	t.declined = true
}

// await shows a card and waits for what becomes of it.
func (t *turn) await(ctx context.Context, c *card) engine.Decision {
	r := t.r
	expired := r.deps.Clock.After(record.PermissionWithin) // before anybody sees it
	r.mu.Lock()
	if t.over || t.ctx.Err() != nil {
		r.mu.Unlock()
		r.drop(c, record.DecisionCancelled)
		return cancelled("stopped before it ran")
	}
	r.cards = append(r.cards, c)
	r.mu.Unlock()
	r.wake()
	defer t.waits()()
	select {
	case d := <-c.answer:
		return d
	case <-expired:
		if r.claim(c) {
			r.drop(c, record.DecisionExpired)
			t.stop(stoppedByExpiry, "nobody answered its request for two minutes")
			return cancelled("nobody answered for two minutes")
		}
	case <-ctx.Done():
		if r.claim(c) {
			r.drop(c, record.DecisionCancelled)
			return cancelled("it was taken back before you answered")
		}
	case <-t.ctx.Done():
		if r.claim(c) {
			r.drop(c, record.DecisionCancelled)
			return cancelled("stopped before it ran")
		}
	}
	return <-c.answer
}

// claim makes the caller the one who decides a card; it is not shown any more.
func (r *Run) claim(c *card) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.claimed {
		return false
	}
	c.claimed = true
	r.cards = slices.DeleteFunc(r.cards, func(each *card) bool { return each == c })
	return true
}

// claimAll claims the cards of a turn, of all with nil.
func (r *Run) claimAll(t *turn) (all []*card) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range slices.Clone(r.cards) {
		if (t == nil || c.t == t) && !c.claimed {
			c.claimed = true
			all = append(all, c)
		}
	}
	r.cards = slices.DeleteFunc(r.cards, func(c *card) bool { return c.claimed })
	return all
}

// dismiss takes away what of a turn still waits for the person. It tells whether a
// permission did.
func (r *Run) dismiss(t *turn) bool {
	all := r.claimAll(t)
	for _, c := range all {
		r.drop(c, record.DecisionCancelled)
		c.answer <- cancelled("the turn is over")
	}
	r.dismissQuestions(t)
	return len(all) > 0
}

// drop records what Conch made of a card that was claimed.
func (r *Run) drop(c *card, how record.Decision) {
	r.mu.Lock()
	closing := r.closing
	r.mu.Unlock()
	body, err := r.log.Cards().Drop(c.Bond, how)
	if closing {
		return // it is gone with the process, and shown as expired when the run is carried on
	}
	if err == nil {
		_, err = r.commit(record.Entry{By: record.Conch, Turn: c.Turn, Body: body})
	}
	if err != nil {
		r.logf("take a card away: %v", err)
	}
	r.wake()
}

// Choose answers a card with an option that was offered: the card waits on when that
// option, or anything that the answer is bound to, is another.
func (r *Run) Choose(b record.Bond, option string) error {
	body, err := r.log.Cards().Choose(b, option)
	if err != nil {
		return err
	}
	return r.decide(b, body, option)
}

// Decline answers a card with no: with its option for that where there is one.
func (r *Run) Decline(b record.Bond) error {
	c := r.cardOf(b)
	if c == nil {
		return errNoCard()
	}
	if option := optionOf(c.Permission.Options, engine.RejectOnce); option != "" {
		return r.Choose(b, option)
	}
	body, err := r.log.Cards().Drop(b, record.Deny)
	if err != nil {
		return err
	}
	return r.decide(b, body, "")
}

// decide commits the person's answer, and gives it to who waits.
func (r *Run) decide(b record.Bond, body record.PermissionDecided, option string) error {
	c := r.cardOf(b)
	if c == nil || !r.claim(c) {
		return errNoCard()
	}
	d := engine.Decision{Verdict: engine.Allow, OptionID: option, Reason: "you allowed it once"}
	if body.Decision != record.AllowOnce {
		d.Verdict, d.Reason = engine.Deny, "you said no"
		if option == "" {
			d.Verdict = engine.Cancelled
		}
		c.t.declines()
	}
	_, err := r.commit(record.Entry{By: record.Person, Turn: c.Turn, Body: body})
	if err != nil {
		d = cancelled("your answer could not be recorded")
	}
	c.answer <- d
	r.wake()
	return err
}

// cardOf is the card that an answer is bound to, nil for none.
func (r *Run) cardOf(b record.Bond) *card {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.cards {
		if c.Bond == b {
			return c
		}
	}
	return nil
}

func errNoCard() error {
	return &record.Error{Code: record.StateInvalid, What: "nothing waits for this answer any more"}
}

func cancelled(why string) engine.Decision {
	return engine.Decision{Verdict: engine.Cancelled, Reason: why}
}

// unclear says why a request can't be answered, "" when it can.
func unclear(p engine.Permission) string {
	if len(p.Options) == 0 || len(p.Options) > record.MaxOptions {
		return "without an answer to choose"
	}
	seen := map[string]bool{}
	for _, o := range p.Options {
		if o.ID == "" || seen[o.ID] {
			return "with answers that can't be told apart"
		}
		seen[o.ID] = true
	}
	if len(p.Subject) > record.MaxText {
		return "for something too long to show"
	}
	return ""
}

func optionOf(options []engine.PermissionOption, kind engine.OptionKind) string {
	for _, o := range options {
		if o.Kind == kind {
			return o.ID
		}
	}
	return ""
}
