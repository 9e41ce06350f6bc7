package tui

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"charm.land/bubbletea/v2"

	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/keys"
)

// demoID is the provider that is there on every machine.
const demoID = "demo"

// healthTime bounds how long a provider is asked how it is.
const healthTime = 20 * time.Second

// checkHealth asks every provider how it is, side by side and off the screen.
func (m *model) checkHealth() {
	for _, e := range m.d.Engines {
		id := e.Info().ID
		m.later(m.crew.cmd("health of "+id, func(ctx context.Context) tea.Msg {
			ctx, cancel := context.WithTimeout(ctx, healthTime)
			defer cancel()
			return healthMsg{id: id, health: e.Health(ctx)}
		}))
	}
}

func (m *model) healthKnown(msg healthMsg) {
	m.health[msg.id] = msg.health
	if msg.id == m.unlooked {
		m.unlooked = ""
		if words := m.absent(msg.id); words != "" && m.room.status.Provider == msg.id {
			m.say(words, true)
		}
	}
	m.chooseReady()
	m.refreshPicker()
}

// chooseReady lets the first provider that is ready answer in a chat where
// nobody was chosen yet.
func (m *model) chooseReady() {
	r := m.room
	if !r.opened || r.status.Provider != "" || r.status.ReadOnly || len(m.health) < len(m.d.Engines) {
		return
	}
	for want := range engine.Ranks {
		for _, e := range m.d.Engines {
			id := e.Info().ID
			if rank, ok := engine.Rank(e, m.health[id].State); ok && rank == want && id != demoID {
				m.setProvider(r, id)
				return
			}
		}
	}
}

// nobody reports that no real provider can answer, as far as is known.
func (m *model) nobody() bool {
	if len(m.health) < len(m.d.Engines) {
		return false
	}
	for id, h := range m.health {
		if id != demoID && (h.State == engine.Ready || h.State == engine.Unknown) {
			return false
		}
	}
	return true
}

// offersDemo reports that Enter in the empty prompt takes the demo.
func (m *model) offersDemo(r *room) bool {
	return r.untouched() && m.nobody() && m.stateOf(demoID).words == "ready"
}

func (m *model) openSwitcher() {
	r := m.room
	m.checkHealth()
	m.askMissed(r)
	m.openPicker(&picker{
		title: "Who answers next?",
		again: keys.Provider,
		fill:  func(p *picker) { p.rows = m.providerRows(r) },
		take:  func(row pick) { m.chooseProvider(row.id) },
	})
}

// askMissed asks the chat what each provider would be told.
func (m *model) askMissed(r *room) {
	send := m.crew.send
	var ids []string
	for _, e := range m.d.Engines {
		ids = append(ids, e.Info().ID)
	}
	r.w.do(func(t talk) {
		missed := map[string]conversation.Missed{}
		for _, id := range ids {
			missed[id] = t.Missed(id)
		}
		send(missedMsg{room: r, missed: missed})
	})
}

// offered are the providers that lists name, in their order. The one that answers
// here is always among them.
func (m *model) offered() (list []engine.Engine) {
	for _, e := range m.d.Engines {
		if id := e.Info().ID; engine.Named(e, m.health[id]) || id == m.room.status.Provider {
			list = append(list, e)
		}
	}
	return list
}

func (m *model) providerRows(r *room) []pick {
	var rows []pick
	for _, e := range m.offered() {
		id := e.Info().ID
		row := pick{id: id, on: id == r.status.Provider}
		model := r.models[id]
		if row.on {
			model = firstOf(r.status.Model, model)
		}
		state, last := m.stateOf(id), m.lastCell(r, id)
		row.cells = []cell{{id, plainly}, {plain.Line(model, 40), muted}, state, last}
		rows = append(rows, row)
	}
	return rows
}

// stateOf says in a word or two how a provider is.
func (m *model) stateOf(id string) cell {
	h, ok := m.health[id]
	if !ok {
		return cell{"looking", muted}
	}
	switch h.State {
	case engine.Ready:
		return cell{"ready", plainly}
	case engine.Unknown:
		if id == demoID {
			return cell{"ready", plainly} // a part of Conch: there is nothing to sign in to
		}
	case engine.NeedSignIn:
		return cell{"sign in", attention}
	case engine.NotFound:
		return cell{"not here", muted}
	case engine.TooOld:
		return cell{"too old", attention}
	case engine.Broken:
		return cell{"broken", wrong}
	}
	return cell{"installed", plainly}
}

// lastCell says what choosing a provider means: what it missed, or what is to be
// done first.
func (m *model) lastCell(r *room, id string) cell {
	h := m.health[id]
	switch h.State {
	case engine.NeedSignIn, engine.NotFound, engine.TooOld, engine.Broken:
		words := h.Next
		if words == "" {
			words = h.Problem
		}
		return cell{plain.Line(words, 200), muted}
	}
	if r.status.Running && r.status.Answering == id {
		return cell{"answering now", accent}
	}
	missed, ok := r.missed[id]
	if !ok {
		return cell{"", muted}
	}
	return cell{missedWords(missed), muted}
}

// missedWords says what a provider has not seen.
func missedWords(missed conversation.Missed) string {
	if missed.Messages == 0 && missed.Steps == 0 {
		return ""
	}
	if missed.Everything {
		return "missed everything: " + count(missed.Messages, "message", "messages")
	}
	parts := []string{}
	if missed.Messages > 0 {
		parts = append(parts, count(missed.Messages, "message", "messages"))
	}
	if missed.Steps > 0 {
		parts = append(parts, count(missed.Steps, "step", "steps"))
	}
	return "missed " + strings.Join(parts, ", ")
}

// pickNth takes the n-th provider at once.
func (m *model) pickNth(n int) {
	list := m.offered()
	if n < 0 || n >= len(list) {
		m.say(fmt.Sprintf("there are only %d providers", len(list)), false)
		return
	}
	m.chooseProvider(list[n].Info().ID)
}

// chooseProvider lets a provider answer from the next message on.
func (m *model) chooseProvider(id string) {
	r := m.room
	id = resolve(m.d.Engines, id)
	if m.engine(id) == nil {
		m.say("there is no provider "+plain.Line(id, 40)+"; "+m.keyOf(keys.Provider)+" lists them", true)
		return
	}
	h, known := m.health[id]
	if words := m.absent(id); words != "" {
		m.say(words, true)
		return
	}
	if id == r.status.Provider {
		m.say(id+" answers already", false)
		return
	}
	m.setProvider(r, id)
	if !known {
		m.unlooked = id
	}
	switch {
	case h.State == engine.NeedSignIn:
		m.say(id+" isn't signed in → /sign-in does it here, or: "+plain.Line(h.Next, 200), true)
	case r.status.Running:
		m.say(id+" answers from the next message; "+r.answering()+" goes on with this one", false)
	default:
		m.say(id+" answers from the next message", false)
	}
}

// absent says that a provider can't be started, and what to do; "" for one that
// can, as far as is known.
func (m *model) absent(id string) string {
	h := m.health[id]
	switch h.State {
	case engine.NotFound:
		return id + " is not installed → " + plain.Line(h.Next, 200)
	case engine.TooOld:
		return id + " is too old → " + plain.Line(h.Next, 200)
	}
	return ""
}

// resolve reads a provider's id or name as a person may type it.
func resolve(engines []engine.Engine, words string) string {
	words = strings.ToLower(strings.TrimSpace(words))
	other := map[string]string{"claude": "claude-code", "gemini": "gemini-cli", "codex-cli": "codex"}
	for _, e := range engines {
		if info := e.Info(); words == info.ID || words == strings.ToLower(info.Name) || other[words] == info.ID {
			return info.ID
		}
	}
	return words
}

func (m *model) setProvider(r *room, id string) {
	if !r.status.Running {
		r.status.Answering = id
	}
	r.status.Provider, r.status.Model = id, "" // until the chat says so itself
	m.choose(r, "change the provider", func(t talk) error { return t.SetProvider(id) })
}

// askSignIn looks whether a provider offers a sign-in in the terminal.
func (m *model) askSignIn(id string) {
	id = resolve(m.d.Engines, id)
	e := m.engine(id)
	if e == nil {
		m.say("there is no provider "+plain.Line(id, 40)+"; "+m.keyOf(keys.Provider)+" lists them", true)
		return
	}
	s, ok := e.(engine.SignIner)
	if !ok {
		m.say(signInWords(id, m.health[id]), false)
		return
	}
	m.later(m.crew.cmd("sign-in", func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, healthTime)
		defer cancel()
		cmd, ok := s.SignIn(ctx)
		return signInMsg{id: id, cmd: cmd, ok: ok}
	}))
}

func signInWords(id string, h engine.Health) string {
	if h.Next != "" {
		return id + " has no sign-in of its own here → " + plain.Line(h.Next, 200)
	}
	return id + " has no sign-in that can be run from here"
}

// signIn runs a provider's own sign-in on the person's terminal.
func (m *model) signIn(msg signInMsg) {
	if !msg.ok || len(msg.cmd.Args) == 0 {
		m.say(signInWords(msg.id, m.health[msg.id]), false)
		return
	}
	if m.d.Options.Plain {
		m.say("to sign in, leave Conch and run: "+plain.Line(strings.Join(msg.cmd.Args, " "), 200), false)
		return
	}
	m.asks("Run "+plain.Line(strings.Join(msg.cmd.Args, " "), 60)+" here to sign in?", "run it", func() {
		c := m.withTerminal(exec.CommandContext(m.crew.ctx, msg.cmd.Args[0], msg.cmd.Args[1:]...))
		c.Env, c.Dir = msg.cmd.Env, msg.cmd.Dir
		m.later(tea.ExecProcess(c, func(err error) tea.Msg {
			if err != nil {
				return saidMsg{words: msg.id + "'s sign-in ended with an error: " + plain.Line(err.Error(), 100), bad: true}
			}
			return signedInMsg{id: msg.id}
		}))
	})
}
