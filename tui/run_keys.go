package tui

import (
	"strings"

	"charm.land/bubbletea/v2"

	"conch/allchat/record"
	"conch/plain"
	"conch/tui/card"
	"conch/tui/complete"
	"conch/tui/composer"
	"conch/tui/keys"
	"conch/tui/runpane"
	"conch/tui/theme"
)

// runActions are those that do nothing where there are no runs.
var runActions = []keys.Action{keys.Run, keys.RunFilter, keys.RunProposals, keys.RunStop, keys.RunTasks, keys.RunRenew, keys.RunDone}

// focusKey is the key that focuses what comes next.
func (m *model) focusKey() string { return m.keys.First(keys.FocusNext, keys.Draft) }

func (r *running) setTheme(th *theme.Theme) {
	r.pane.SetTheme(th)
	r.prompt.SetTheme(th)
	r.cards.SetTheme(th)
	r.offers.SetTheme(th)
}

// works tells that somebody in the run has a turn.
func (r *running) works() bool {
	for _, p := range r.snapshot().Participants {
		if p.Working {
			return true
		}
	}
	return false
}

// inRun tells that a run has the keys: nothing lies on top of it.
func inRun(m *model) bool {
	return m.ask == nil && m.pager == nil && m.picker == nil && m.reader == nil && !m.sheeted
}

// runPlace is where a key goes in a run.
func (m *model) runPlace() keys.Place {
	r := m.run
	switch {
	case r.stop != nil:
		return keys.Field
	case r.focus == runCard && r.offering:
		return keys.Card
	case r.focus == runCard:
		if _, _, typing := r.cards.Cursor(); typing {
			return keys.Field
		}
		return keys.Card
	case r.focus == runPlayers:
		return keys.Players
	case r.focus == runTimeline:
		return keys.Timeline
	case r.prompt.Opened():
		return keys.List
	case r.prompt.Empty():
		return keys.RunEmpty
	}
	return keys.RunDraft
}

// focusRun moves the keys of a run.
func (m *model) focusRun(r *running, f runFocus) {
	if f == runPrompt && !r.alive() && r.opened {
		f = runTimeline
	}
	stack := r.cards
	if r.offering {
		stack = r.offers
	}
	if f == runCard && !stack.Focus(m.at) {
		f = runPrompt
	}
	if f != runCard {
		r.cards.Blur()
		r.offers.Blur()
	}
	r.focus = f
	r.prompt.SetFocused(f == runPrompt)
	r.pane.Focus(map[runFocus]runpane.Focus{runPlayers: runpane.Players, runTimeline: runpane.Timeline}[f])
}

// focusNextInRun goes round: a waiting card, the participants, the timeline, the prompt.
func (m *model) focusNextInRun(r *running) {
	round := []runFocus{runCard, runPlayers, runTimeline, runPrompt}
	past := map[runFocus]int{runPrompt: 0, runCard: 1, runPlayers: 2, runTimeline: 3}[r.focus]
	for _, f := range round[past:] {
		if f == runCard && r.cards.Len() == 0 {
			continue
		}
		m.focusRun(r, f)
		return
	}
}

// runKey routes a key in a run.
func (m *model) runKey(p keys.Place, a keys.Action, found bool, k tea.KeyPressMsg) {
	r := m.run
	if r.stop != nil {
		m.stopWord(r, a, k)
		return
	}
	switch a {
	case keys.Interrupt:
		m.interruptRun(r)
		return
	case keys.ClearOrQuit:
		m.clearOrQuitRun(r)
		return
	case keys.RunStop:
		m.askStopRun(r)
		return
	case keys.Suspend, keys.Redraw, keys.Mouse, keys.Help, keys.Run, keys.OpenSheet, keys.NewChat, keys.Quit:
		if p != keys.Card && p != keys.Field || a == keys.Suspend || a == keys.Redraw {
			m.runAct(a, k)
			return
		}
	case keys.ScrollUp, keys.ScrollDown:
		if p != keys.Card && p != keys.Field {
			r.pane.Page(map[keys.Action]int{keys.ScrollUp: -1, keys.ScrollDown: 1}[a])
			return
		}
	case keys.Follow:
		r.pane.Last()
		return
	}
	switch p {
	case keys.Card, keys.Field:
		m.runCardKey(r, p, a, k)
	case keys.Players, keys.Timeline:
		m.paneKey(r, p, a, k)
	default:
		if a == keys.FocusNext {
			m.focusNextInRun(r)
			return
		}
		m.runPromptKey(r, k)
	}
}

// runAct does what is the screen's. What shows something else leaves the run where it is.
func (m *model) runAct(a keys.Action, k tea.KeyPressMsg) {
	if a == keys.NewChat {
		m.leaveRun()
	}
	m.act(a, k)
}

// runCardKey hands a key to the card that has the focus.
func (m *model) runCardKey(r *running, p keys.Place, a keys.Action, k tea.KeyPressMsg) {
	switch {
	case r.offering && a == keys.FocusNext && !r.offers.Focused(): // the next proposal
		m.focusRun(r, runCard)
		return
	case r.offering:
		m.offerKey(r, k)
		return
	}
	if std, ok := m.keys.Standard(p, k); ok {
		if out, taken := r.cards.Key(std, m.at); taken {
			m.decidedInRun(r, out)
			return
		}
	}
	if a == keys.FocusNext {
		m.focusNextInRun(r)
	}
}

// decidedInRun does what a card asked for. The answer names everything that the card is
// bound to: it can't fall on another one.
func (m *model) decidedInRun(r *running, out card.Outcome) {
	switch out.Kind {
	case card.Answer:
		m.focusRun(r, runPrompt)
		for _, c := range r.snapshot().Cards {
			if c.Request != out.Card {
				continue
			}
			bond, option := c.Bond, out.Option
			m.doRun(r, "answer it", func(open run) error {
				if option == "" {
					return open.Decline(bond)
				}
				return open.Choose(bond, option)
			})
		}
	case card.Reply:
		m.focusRun(r, runPrompt)
		id, answer := out.Card, out.Reply
		m.doRun(r, "answer it", func(open run) error { return open.Answer(id, answer) })
	case card.Leave:
		m.focusRun(r, runPrompt)
	case card.OpenURL:
		m.copyText("the address", out.URL)
	}
}

// paneKey moves through the participants and the timeline.
func (m *model) paneKey(r *running, p keys.Place, a keys.Action, k tea.KeyPressMsg) {
	n := map[keys.Action]int{keys.ItemNext: 1, keys.ItemBack: -1}[a]
	switch {
	case a == keys.FocusNext:
		m.focusNextInRun(r)
	case a == keys.ItemLeave:
		m.focusRun(r, runPrompt)
	case a == keys.RunFilter:
		if !r.pane.Filter(m.keys.Number(a, k)) {
			m.say("there is no such participant", false)
		}
	case a == keys.RunProposals:
		m.openOffers(r)
	case n != 0 && p == keys.Players:
		r.pane.Next(n)
	case n != 0:
		r.pane.Move(n)
	case a == keys.ItemFirst:
		r.pane.First()
	case a == keys.ItemLast:
		r.pane.Last()
	case a == keys.ItemToggle:
		r.pane.Toggle()
	case a == keys.ItemCopy:
		if text := r.pane.Copy(); text != "" {
			m.copyText("it", text)
		}
	case !r.alive() && k.Keystroke() == "enter" && p == keys.Players:
		m.offerCarry(r)
	}
}

// runPromptKey hands a key to the prompt of the run.
func (m *model) runPromptKey(r *running, k tea.KeyPressMsg) {
	switch action, _ := r.prompt.Key(k, m.at); action {
	case composer.Send:
		m.submitInRun(r)
	case composer.Hold:
		m.later(m.crew.after(composer.HoldTime, runReleaseMsg{r}))
	}
}

// pasteRun puts words into the prompt of the run, or where a card is typed into. It
// answers nothing and sends nothing.
func (m *model) pasteRun(text string) {
	r := m.run
	switch {
	case r.stop != nil:
		r.stop.paste(text)
	case r.focus == runCard && !r.offering && r.cards.Paste(text, m.at):
	case r.focus == runCard:
	default:
		m.focusRun(r, runPrompt)
		if r.focus == runPrompt {
			r.prompt.Paste(text)
		}
	}
}

// submitInRun gives the coordinator the person's words, or does a command.
func (m *model) submitInRun(r *running) {
	if !r.opened && r.w != nil {
		m.say("the participants are still being opened; your words stay", false)
		return
	}
	msg, ok := r.prompt.Take()
	switch {
	case !ok && !r.alive():
		m.offerCarry(r)
	case !ok:
	case msg.Kind == composer.Shell:
		m.say("a run has no command line of yours; "+m.keyOf(keys.Run)+" goes back to the chat", true)
		r.prompt.SetText("!" + msg.Text)
	case msg.Kind == composer.Command && m.runCommand(r, msg.Text):
	case !r.alive():
		r.prompt.SetText(msg.Text)
		m.say("this run is only read here", true)
	default:
		m.sayInRun(r, msg.Text)
	}
}

// sayInRun gives the coordinator a message. It comes back into the prompt when it is
// refused.
func (m *model) sayInRun(r *running, text string) {
	send, ctx := m.crew.send, m.crew.ctx
	r.pane.Last()
	r.w.do(func(open run) {
		if err := open.Say(ctx, text); err != nil {
			send(runTroubleMsg{run: r, doing: "send it", err: err, back: text})
		}
	})
}

// runCommand does a command of the run's. It reports false for what is none.
func (m *model) runCommand(r *running, text string) bool {
	word, rest, ok := ownWord(text)
	if !ok {
		return false
	}
	e, ok := m.keys.Command(word)
	if !ok {
		if near := m.nearest(word); near != "" {
			m.say("there is no "+plain.Line(word, 40)+"; did you mean "+near+"?", true)
			r.prompt.SetText(text)
			return true
		}
		return false
	}
	ctx := m.crew.ctx
	switch e.Action {
	case keys.Interrupt:
		if rest == "run" {
			m.askStopRun(r)
		} else {
			m.interruptRun(r)
		}
	case keys.RunProposals:
		m.openOffers(r)
	case keys.RunTasks:
		m.openTasks(r)
	case keys.RunRenew:
		m.doRun(r, "open the sessions anew", func(open run) error { return open.Renew(ctx) })
	case keys.RunDone:
		m.doRun(r, "end the run", func(open run) error { return open.Complete() })
	case keys.Undo:
		m.undoOffer(r)
	case keys.ClearOrQuit:
		m.quit()
	case keys.OpenSheet, keys.Search, keys.NewChat, keys.SignIn, keys.Carry, keys.Import:
		m.leaveRun()
		m.commanded(m.room, e.Action, rest)
	case keys.Run, keys.Help, keys.Mouse, keys.Redraw, keys.Suspend:
		m.perform(e.Action)
	default:
		m.say(e.Name()+" is for a chat; "+m.keyOf(keys.Run)+" goes back to it", true)
	}
	return true
}

// runCommandItems are what a slash completes in a run.
func (m *model) runCommandItems() []complete.Item {
	var items []complete.Item
	for _, e := range m.keys.Entries() {
		switch e.Action {
		case keys.Interrupt, keys.Undo, keys.ClearOrQuit, keys.OpenSheet, keys.NewChat, keys.Run, keys.Help, keys.Mouse, keys.Redraw:
		default:
			if e.Group != keys.InARun || e.Command == "" {
				continue
			}
		}
		items = append(items, complete.Item{Insert: e.Command, Label: e.Command, Detail: e.Says()})
	}
	for i, each := range items {
		items[i].Insert, _, _ = strings.Cut(each.Insert, " [")
	}
	stop, _ := m.keys.Entry(keys.RunStop)
	return append(items, complete.Item{Insert: "/stop run", Label: "/stop run", Detail: stop.Words})
}

// interruptRun is esc: it closes what is open, then cancels what the participant does
// that the keys are about. It never leaves the run and never touches the draft.
func (m *model) interruptRun(r *running) {
	switch {
	case r.offering:
		m.closeOffers(r)
	case r.focus == runPrompt && r.prompt.Cancel():
	case r.failed != "" && r.w == nil && !r.opened:
		m.closeRun()
	default:
		who, name := m.playerOf(r)
		if who == "" {
			m.say("nobody works here · "+m.keyOf(keys.Run)+" goes back to the chat", false)
			return
		}
		m.say("stopping "+name, false)
		m.doRun(r, "stop it", func(open run) error { return open.CancelTurn(who) })
	}
}

// playerOf is whose turn esc cancels: of whom a focused card is, else of the one that is
// chosen when it works, else of the only one that does.
func (m *model) playerOf(r *running) (who record.Who, name string) {
	snap := r.snapshot()
	if r.focus == runCard {
		for _, c := range snap.Cards {
			if c.Request == r.cards.Shown() {
				return c.Participant, string(c.Participant)
			}
		}
	}
	var working []record.Who
	for _, p := range snap.Participants {
		if p.Working {
			working = append(working, p.ID)
			if p.ID == r.pane.Player() {
				return p.ID, string(p.ID)
			}
		}
	}
	if len(working) == 1 && r.focus == runPrompt {
		return working[0], string(working[0])
	}
	return "", ""
}

// clearOrQuitRun is ctrl+c: the draft goes into the history; a second one within a
// second leaves.
func (m *model) clearOrQuitRun(r *running) {
	if m.again != 0 {
		m.again = 0
		m.quit()
		return
	}
	words := ""
	switch {
	case r.offering:
		m.closeOffers(r)
	case r.prompt.Clear():
		words = "cleared; up brings it back"
	}
	again := m.keys.First(keys.ClearOrQuit, keys.Everywhere) + " again leaves"
	if words != "" {
		again = words + " · " + again
	}
	m.say(again, false)
	m.again = m.note.serial
	m.later(m.crew.after(againTime, againMsg{serial: m.again, words: words}))
}

// stopText is what is typed to end a run.
const stopText = "stop"

// askStopRun asks for the word that ends the run.
func (m *model) askStopRun(r *running) {
	if !r.alive() {
		m.say("this run goes on no more", false)
		return
	}
	r.stop = newLine(m.th.Widths)
}

// stopWord takes the word that ends the run.
func (m *model) stopWord(r *running, a keys.Action, k tea.KeyPressMsg) {
	switch {
	case a == keys.Interrupt || a == keys.ClearOrQuit:
		r.stop = nil
	case k.Keystroke() == "enter":
		word := strings.TrimSpace(r.stop.text())
		r.stop = nil
		if !strings.EqualFold(word, stopText) {
			m.say("the run goes on: the word is "+stopText, false)
			return
		}
		m.cancelRun(r)
	default:
		r.stop.key(k)
	}
}

func (m *model) cancelRun(r *running) {
	ctx := m.crew.ctx
	m.say("ending the run", false)
	m.doRun(r, "end the run", func(open run) error { return open.Cancel(ctx) })
}

// undoOffer takes the proposal back that was applied last.
func (m *model) undoOffer(r *running) {
	all := r.snapshot().State.Proposals
	for i := len(all) - 1; i >= 0; i-- {
		p := all[i]
		if p.Status != record.ProposalDone {
			continue
		}
		ctx := m.crew.ctx
		m.asks("Take proposal "+p.Proposal+" back? Its files get what they held before.", "take it back", func() {
			m.doRun(r, "take it back", func(open run) error { return open.UndoProposal(ctx, p.Proposal) })
		})
		return
	}
	m.say("no proposal of this run was applied", false)
}
