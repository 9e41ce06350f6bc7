package tui

import (
	"errors"

	"charm.land/bubbletea/v2"

	"conch/allchat"
	"conch/allchat/record"
	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/runpane"
)

// runRead shows a run that was read, and offers what can be done with it.
func (m *model) runRead(msg runReadMsg) {
	r := msg.run
	if m.run != r {
		return
	}
	r.opened = true
	if msg.err != nil {
		r.failed, r.next = allchat.Sentence(msg.err)
		m.d.Log("read run: %v", msg.err)
		return
	}
	v := runpane.Run{Snapshot: allchat.Snapshot{Run: msg.view.Run, State: msg.view.State}, Torn: msg.view.Torn, View: true}
	if msg.view.Problem != nil {
		v.Problem = record.CodeOf(msg.view.Problem)
		r.failed, r.next = allchat.Sentence(msg.view.Problem)
	}
	r.pane.Set(v)
	m.focusRun(r, runTimeline)
	m.offerCarry(r)
}

// runOpened takes in a run that is open now, or says why it can't be.
func (m *model) runOpened(msg runOpenedMsg) {
	r := msg.run
	if msg.err != nil {
		m.d.Log("open run: %v", msg.err)
		r.w = nil
		r.failed, r.next = runRefused(msg.err)
		if r.first != "" {
			r.prompt.SetText(r.first)
			r.first = ""
		}
		var not *allchat.NotReady
		if errors.As(msg.err, &not) && not.SignIn && m.run == r {
			r.next = "/sign-in " + not.Provider + " in a chat does it here"
		}
		return
	}
	r.opened, r.id = true, msg.id
	r.prompt.SetChat(msg.id)
	m.runNews(r, msg.snap)
	if words := r.first; words != "" {
		r.first = ""
		m.sayInRun(r, words)
	}
	m.offerTasks(r)
}

// runRefused says why a run could not be opened, and one step.
func runRefused(err error) (says, next string) {
	var not *allchat.NotReady
	if errors.As(err, &not) {
		return plain.Line(not.Problem, 300), plain.Line(not.Next, 300)
	}
	return allchat.Sentence(err)
}

// runNews takes in how a run stands.
func (m *model) runNews(r *running, snap allchat.Snapshot) {
	was := r.snapshot()
	r.pane.Set(runpane.Run{Snapshot: snap})
	had := r.cards.Focused()
	r.cards.Set(m.runCards(r))
	m.setOffers(r)
	if had && !r.cards.Focused() && r.focus == runCard {
		m.focusRun(r, runPrompt)
	}
	m.notifyRun(r, was)
}

// runTrouble says that something asked of a run was refused.
func (m *model) runTrouble(msg runTroubleMsg) {
	m.d.Log("%s: %v", msg.doing, msg.err)
	if msg.back != "" && msg.run.prompt.Empty() {
		msg.run.prompt.SetText(msg.back)
	}
	says, next := allchat.Sentence(msg.err)
	if says == "" {
		says = "can't " + msg.doing + ": " + plain.Line(msg.err.Error(), 200)
	}
	if next != "" {
		says += " → " + next
	}
	m.say(plain.Line(says, 400), true)
}

// runCards are the permissions and questions of a run as cards. What a program would
// remember can't be chosen in a run, and is not offered.
func (m *model) runCards(r *running) []conversation.Card {
	snap := r.snapshot()
	var cards []conversation.Card
	for _, c := range snap.Cards {
		p := c.Permission
		p.Options = nil
		for _, o := range c.Permission.Options {
			if o.Kind == engine.AllowOnce || o.Kind == engine.RejectOnce {
				p.Options = append(p.Options, o)
			}
		}
		_, n := r.pane.Of(c.Participant)
		why := c.Why
		if c.Task != "" {
			why = "for " + c.Task + ": " + why
		}
		cards = append(cards, conversation.Card{ID: c.Request, AskedBy: number(n) + " " + string(c.Role) + " " + c.Name, Why: why, Permission: &p})
	}
	for _, q := range snap.Questions {
		question := q.Question
		cards = append(cards, conversation.Card{ID: q.ID, AskedBy: "1 coordinator " + q.Name, Question: &question})
	}
	return cards
}

// notifyRun tells the person, where they want it, that a run waits for them or is over.
func (m *model) notifyRun(r *running, was runpane.Run) {
	now := r.snapshot()
	words := ""
	switch {
	case len(now.Cards)+len(now.Questions) > len(was.Cards)+len(was.Questions), waitingOffers(now) > waitingOffers(was):
		words = "the run waits for you"
	case now.State.End != "" && was.State.End == "":
		words = "the run is " + now.Word()
	}
	if words == "" || m.d.Options.Notify == "never" || m.looked && m.d.Options.Notify != "always" {
		return
	}
	if title := now.Title(); title != "" {
		words += ": " + plain.Line(title, 60)
	}
	m.later(tea.Raw(notification(env(m.d.Environ), words)))
}

// waitingOffers counts the proposals that wait for the person.
func waitingOffers(r runpane.Run) int {
	n := 0
	for _, p := range r.State.Proposals {
		if p.Status == record.ProposalWaits {
			n++
		}
	}
	return n
}
