// Package runpane draws an all-chat run: who takes part, how each of them stands and
// what it said that it can, and one timeline of what happened, labelled by participant.
//
// What is in the record is drawn as it is; what a participant says at the moment is dim
// below it, and gone when its turn is cancelled. The pane takes no key and does nothing
// to the run: the screen calls its methods. All words of agents pass package plain.
package runpane

import (
	"time"

	"conch/allchat"
	"conch/allchat/record"
	"conch/tui/theme"
)

// Run is what is drawn.
type Run struct {
	allchat.Snapshot
	Problem record.Code // of a record that can only be read: record.Damaged, record.FutureVersion or record.Storage
	Torn    bool        // a line that was never committed follows the last event
	View    bool        // it is read here, and not written
}

// Options say how things are drawn.
type Options struct {
	Zone  *time.Location // nil: local
	Still bool           // no time moves
}

// Focus is which part of the pane has the keys.
type Focus uint8

// The parts.
const (
	Nothing Focus = iota
	Players
	Timeline
)

// Pane is one run on the screen. Use New.
type Pane struct {
	th *theme.Theme
	o  Options

	run    Run
	focus  Focus
	player int        // the participant that keys are about
	only   record.Who // whose rows are shown, "" for all

	width  int
	items  []*item
	cached map[key]*item
	open   map[int64]bool // folded rows that the person opened, by their place in the record

	follow bool
	top    int // the first line in sight while not following
	at     int // the selected item
	rows   int // of the timeline at the last draw
	seen   int // items when the end was in sight last

	told map[key]bool // --plain: what was read out
	word string       // the state that was read out last
}

// New makes a pane.
func New(th *theme.Theme, o Options) *Pane {
	if o.Zone == nil {
		o.Zone = time.Local
	}
	return &Pane{th: th, o: o, cached: map[key]*item{}, open: map[int64]bool{}, follow: true, told: map[key]bool{}}
}

// SetTheme draws with another theme from now on.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.th = th
	p.redraw()
}

// Set gives the run as it is now.
func (p *Pane) Set(r Run) {
	if r.State == nil {
		r.State = &record.State{}
	}
	if len(r.Participants) == 0 {
		r.Participants = members(r.State)
	}
	p.run = r
	p.player = max(min(p.player, len(r.Participants)-1), 0)
	p.list()
}

// members are the participants of a run that is only read.
func members(s *record.State) (all []allchat.Participant) {
	for _, m := range s.Participants {
		all = append(all, allchat.Participant{ID: m.ID, Role: m.Role, Engine: m.Engine, Name: m.Engine, Can: can(m.Session.Capabilities)})
	}
	return all
}

// can says in words what a program advertised.
func can(c record.Capabilities) (words []string) {
	for _, each := range []struct {
		yes  bool
		word string
	}{{c.Load, "load"}, {c.Image, "images"}, {c.HTTP, "http tools"}, {c.Modes, "modes"}, {c.Models, "models"}} {
		if each.yes {
			words = append(words, each.word)
		}
	}
	return words
}

// Run is what is drawn.
func (p *Pane) Run() Run { return p.run }

// Focus says which part has the keys.
func (p *Pane) Focus(f Focus) {
	if f == Timeline && p.focus != Timeline && p.follow {
		p.at = len(p.items) - 1
	}
	p.focus = f
}

// Player is the participant that keys are about, "" for none.
func (p *Pane) Player() record.Who {
	if p.player >= len(p.run.Participants) {
		return ""
	}
	return p.run.Participants[p.player].ID
}

// Choose makes the n-th participant, from 0, the one that keys are about.
func (p *Pane) Choose(n int) bool {
	if n < 0 || n >= len(p.run.Participants) {
		return false
	}
	p.player = n
	return true
}

// Next goes on from the participant that keys are about.
func (p *Pane) Next(n int) { p.Choose(max(min(p.player+n, len(p.run.Participants)-1), 0)) }

// Filter shows the rows of the n-th participant alone, or all again when it does that
// already. It reports false when there is no such participant.
func (p *Pane) Filter(n int) bool {
	if !p.Choose(n) {
		return false
	}
	who := p.run.Participants[n].ID
	if p.only == who {
		who = ""
	}
	p.only = who
	p.list()
	p.Last()
	return true
}

// All shows the rows of all again. It reports that some were hidden.
func (p *Pane) All() bool {
	was := p.only != ""
	p.only = ""
	if was {
		p.list()
		p.Last()
	}
	return was
}

// Of is the participant of an id, and its number as the pane shows it.
func (p *Pane) Of(who record.Who) (allchat.Participant, int) {
	for i, each := range p.run.Participants {
		if each.ID == who {
			return each, i + 1
		}
	}
	return allchat.Participant{ID: who}, 0
}
