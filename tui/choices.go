package tui

import (
	"strings"

	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/keys"
)

// openModels lists the models of the provider that answers.
func (m *model) openModels() {
	r := m.room
	m.ready(r)
	m.openPicker(&picker{
		title: "Which model of " + orNobody(r.status.Provider) + "?",
		again: keys.Model,
		fill: func(p *picker) {
			p.rows = choiceRows(r.status.Offers.Models, firstOf(r.status.Model, r.status.Offers.Model))
			if len(p.rows) == 0 {
				p.hint = "type a model's id · enter · esc"
			} else {
				p.hint = "type to filter · enter · esc"
			}
		},
		take:  func(row pick) { m.setModel(r, row.id) },
		typed: func(words string) bool { m.setModel(r, words); return true },
	})
}

// openEfforts lists how hard the model can think.
func (m *model) openEfforts() {
	r := m.room
	m.ready(r)
	if len(r.status.Offers.Efforts) == 0 {
		m.say(orNobody(r.status.Provider)+" offers no levels of effort, as far as is known", false)
		return
	}
	m.openPicker(&picker{
		title: "How hard should it think?",
		fill: func(p *picker) {
			p.rows = choiceRows(r.status.Offers.Efforts, firstOf(r.status.Effort, r.status.Offers.Effort))
		},
		take: func(row pick) { m.setEffort(r, row.id) },
	})
}

// openModes lists Conch's four modes and then the provider's own.
func (m *model) openModes() {
	r := m.room
	m.ready(r)
	m.openPicker(&picker{
		title: "What may it do without asking?",
		fill: func(p *picker) {
			p.rows = nil
			for _, mode := range engine.Modes() {
				p.rows = append(p.rows, pick{id: string(mode), on: !nativeShown(r) && r.status.Mode == mode,
					cells: []cell{{string(mode), plainly}, {modeWords(mode), muted}}})
			}
			for _, c := range r.status.Offers.Modes {
				words := cell{plain.Line(c.Description, 200), muted}
				if c.AsksNothing {
					words.look = attention
					if !strings.Contains(strings.ToLower(words.words), "asks for nothing") {
						words.words = strings.TrimSpace("asks for nothing  " + words.words)
					}
				}
				p.rows = append(p.rows, pick{id: nativePrefix + c.ID, on: nativeShown(r) && (r.status.Native == c.ID || r.status.Native == c.Name),
					cells: []cell{{plain.Line(c.Name, 40) + " (" + r.status.Provider + ")", plainly}, words}})
			}
		},
		take: func(row pick) { m.chooseMode(r, row.id) },
	})
}

// nativePrefix marks a provider's own mode among the rows.
const nativePrefix = "native:"

func choiceRows(list []engine.Choice, current string) []pick {
	var rows []pick
	for _, c := range list {
		name := plain.Line(c.Name, 60)
		if name == "" {
			name = plain.Line(c.ID, 60)
		}
		words := plain.Line(c.Description, 200)
		if name != c.ID && !strings.Contains(words, c.ID) {
			words = strings.TrimSpace(plain.Line(c.ID, 60) + "  " + words)
		}
		rows = append(rows, pick{id: c.ID, on: c.ID == current || c.Name == current, cells: []cell{{name, plainly}, {words, muted}}})
	}
	return rows
}

func (m *model) setModel(r *room, id string) {
	r.status.Model = id // until the chat says so itself
	m.choose(r, "set the model", func(t talk) error { return t.SetModel(id) })
	m.say(plain.Line(id, 60)+" from the next message on", false)
}

func (m *model) setEffort(r *room, id string) {
	m.choose(r, "set the effort", func(t talk) error { return t.SetEffort(id) })
	m.say("effort "+plain.Line(id, 60)+" from the next message on", false)
}

// chooseMode sets one of Conch's modes or of the provider's own. One in which
// the provider asks for nothing is taken only after a yes.
func (m *model) chooseMode(r *room, id string) {
	if mode, err := engine.ParseMode(id); err == nil && id != "" {
		m.setMode(r, mode)
		return
	}
	native, ok := nativeMode(r.status, strings.TrimPrefix(id, nativePrefix))
	if !ok {
		m.say("there is no mode "+plain.Line(id, 40)+"; /mode lists them", true)
		return
	}
	set := func() {
		m.choose(r, "set the mode", func(t talk) error { return t.SetNativeMode(native.ID) })
		m.say(plain.Line(native.Name, 60)+", "+r.status.Provider+"'s own mode, from the next message on", false)
	}
	if !native.AsksNothing {
		set()
		return
	}
	m.asks("In "+plain.Line(native.Name, 60)+" "+r.status.Provider+" runs and changes everything without asking, outside this folder too. Take it?", "take it", set)
}

func nativeMode(st conversation.Status, words string) (engine.Choice, bool) {
	for _, c := range st.Offers.Modes {
		if c.ID == words || strings.EqualFold(c.Name, words) {
			return c, true
		}
	}
	return engine.Choice{}, false
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

func orNobody(id string) string {
	if id == "" {
		return "nobody"
	}
	return id
}
