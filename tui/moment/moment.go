// Package moment is what a person sees of other apps' chats before and while they
// are brought in: how many were found where, how far it is, what came of it.
//
// It is a struct with plain methods that looks at nothing and runs nothing: what
// was found, how far a run is and what it did go in, lines come out. What comes
// from outside passes package plain. It fits a window of any size: what matters
// least goes first.
package moment

import (
	"cmp"
	"slices"
	"time"

	"conch/pastchats"
	"conch/plain"
	"conch/tui/theme"
)

// State is what there is to see.
type State int

// The states.
const (
	Looking  State = iota // what there is is not known yet
	Offer                 // it was found, and can be brought in
	Running               // it comes in
	Stopping              // the person stopped it; what is read is finished
	Done                  // it is in, or was stopped
	Failed                // it could not be brought in
)

// Steps is in how many steps the number counts up, StepTime how far apart they
// are: together one second.
const (
	Steps    = 20
	StepTime = 50 * time.Millisecond
)

// Moment is all that is seen. Use New.
type Moment struct {
	th    *theme.Theme
	keys  Keys
	moves bool
	state State

	rows  []row
	total int // conversations that come in
	again bool
	notes []string
	step  int

	progress pastchats.Progress
	began    time.Time
	result   pastchats.Result
	why      string
	example  string
}

// row is one app.
type row struct {
	id, label string
	count     int
	projects  []pastchats.Project
	since     time.Time
}

// Keys are the names of the keys that the hints show; "" for one that has none.
type Keys struct{ Yes, Later string }

// New makes one that waits for Found. moves is false where nothing may move.
func New(th *theme.Theme, keys Keys, moves bool) *Moment {
	return &Moment{th: th, keys: keys, moves: moves}
}

// SetTheme draws with another theme from now on.
func (m *Moment) SetTheme(th *theme.Theme) { m.th = th }

// State is what there is to see.
func (m *Moment) State() State { return m.state }

// Fresh is how many conversations a look has that are not in yet.
func Fresh(st pastchats.Status) int {
	n := 0
	for _, s := range st.Sources {
		n += s.Fresh
	}
	return n
}

// Found takes in what a look gave and offers what is not in yet.
func (m *Moment) Found(st pastchats.Status) {
	m.state, m.rows, m.total, m.step, m.notes = Offer, nil, 0, 0, nil
	m.again = st.Brought > 0
	busy := map[string]int{}
	for _, s := range st.Sources {
		if s.Fresh <= 0 {
			continue
		}
		r := row{id: s.ID, label: plain.Line(cmp.Or(s.Label, s.ID), 40), count: s.Fresh, since: s.From}
		for _, p := range s.Projects {
			if name := plain.Line(p.Name, 40); name != "" && p.Count > 0 {
				r.projects = append(r.projects, pastchats.Project{Name: name, Count: p.Count})
				busy[name] += p.Count
			}
		}
		m.rows = append(m.rows, r)
		m.total += s.Fresh
	}
	for _, n := range st.Notes {
		m.notes = append(m.notes, plain.Line(n, 300))
	}
	names := make([]string, 0, len(busy))
	for name := range busy {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(busy[b], busy[a]), cmp.Compare(a, b))
	})
	m.example = ""
	if len(names) > 0 {
		m.example = names[0]
	}
	if !m.moves {
		m.step = Steps
	}
}

// Total is how many conversations are offered.
func (m *Moment) Total() int { return m.total }

// Apps are the names of the apps that they are from.
func (m *Moment) Apps() []string {
	names := make([]string, len(m.rows))
	for i, r := range m.rows {
		names[i] = r.label
	}
	return names
}

// Step counts on; false when the number is there.
func (m *Moment) Step() bool {
	m.step = min(m.step+1, Steps)
	return m.step < Steps
}

// Counting reports that the number is not there yet.
func (m *Moment) Counting() bool { return m.state == Offer && m.step < Steps }

// counted is the number as far as it is: quickly at first, then slower.
func (m *Moment) counted() int {
	left := Steps - m.step
	return m.total - m.total*left*left*left/(Steps*Steps*Steps)
}

// Run says that they come in from now on.
func (m *Moment) Run(now time.Time) {
	m.state, m.began, m.progress, m.step = Running, now, pastchats.Progress{}, Steps
}

// Progress takes in how far it is.
func (m *Moment) Progress(p pastchats.Progress) {
	p.App = plain.Line(p.App, 40)
	m.progress = p
}

// Stop says that the person stopped it.
func (m *Moment) Stop() {
	if m.state == Running {
		m.state = Stopping
	}
}

// Finish takes in what a run did.
func (m *Moment) Finish(r pastchats.Result) {
	problems := make([]string, len(r.Problems))
	for i, p := range r.Problems {
		problems[i] = plain.Line(p, 300)
	}
	r.Problems = problems
	m.state, m.result = Done, r
}

// Fail says why nothing could be brought in.
func (m *Moment) Fail(why string) { m.state, m.why = Failed, plain.Line(why, 300) }

// Example are words worth a search: the busiest project.
func (m *Moment) Example() string { return m.example }
