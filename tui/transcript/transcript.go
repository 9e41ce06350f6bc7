// Package transcript is the chat on the screen: a list of items made from a
// chat's events, of which only those in sight are drawn.
//
// The cost of a frame does not depend on the length of the chat. The list keeps
// the source text of items and the lines of those that are in reach. It follows
// the end only while the end is in sight, and it never moves what is being read.
// It does no input or output, starts nothing and reads no clock: the root calls
// its methods and draws Lines.
package transcript

import (
	"time"

	"github.com/charmbracelet/x/ansi"

	"conch/chats"
	"conch/tui/theme"
)

// Options are the choices that hold as long as the program runs.
type Options struct {
	Measure int  // text is at most so wide, in cells; 0 is 100
	Plain   bool // for screen readers: no bars, no rules, nothing on the right edge
	Still   bool // nothing moves: running steps show no growing time
}

// Transcript is one chat's list. Its methods are called from one goroutine.
type Transcript struct {
	th   *theme.Theme
	inks inks
	m    ansi.Method
	o    Options
	w, h int

	items  []*item
	book   book // what events belong to
	drawn  drawn
	top    place // the first line in sight, while not following
	follow bool
	fresh  int // index of the first item that came or changed out of sight; -1: none

	focus bool
	sel   int // selected item, -1: none

	query string
	marks []string // words that are marked while nothing is looked for
	match place    // of the match that is shown; item -1: none

	more    bool // the log has older events
	whole   bool // it has none for sure
	now     int64
	flushed int // items that Flush gave
	out     []string
}

// place is a line of the list: a line of an item, the empty line before it
// counted first.
type place struct{ item, line int }

func (p place) before(q place) bool {
	return p.item < q.item || p.item == q.item && p.line < q.line
}

// New makes an empty list. Call SetSize before Lines.
func New(th *theme.Theme, o Options) *Transcript {
	if o.Measure <= 0 {
		o.Measure = 100
	}
	return &Transcript{
		th: th, inks: newInks(th), m: th.Widths, o: o,
		book:   newBook(),
		follow: true, fresh: -1, sel: -1,
		match: place{item: -1},
	}
}

// SetSize sets the pane in cells. Negative counts as 0.
func (t *Transcript) SetSize(width, height int) {
	width, height = max(width, 0), max(height, 0)
	if width == t.w && height == t.h {
		return
	}
	t.keepPlace(func() { t.w, t.h = width, height })
}

// SetTheme draws with another theme from now on.
func (t *Transcript) SetTheme(th *theme.Theme) {
	t.keepPlace(func() {
		t.th, t.inks, t.m = th, newInks(th), th.Widths
		t.drawn.generation++
	})
}

// keepPlace lets a change of the drawing happen and keeps the item that is at the
// top there, at about the same part of it.
func (t *Transcript) keepPlace(change func()) {
	if t.follow || len(t.items) == 0 || t.w == 0 || t.h == 0 {
		change()
		return
	}
	t.settlePlace()
	at := t.top
	before := t.height(at.item)
	change()
	if after := t.height(at.item); before > 0 && after != before {
		at.line = at.line * after / before
	}
	t.top = at
}

// Empty reports that there is nothing to show.
func (t *Transcript) Empty() bool { return len(t.items) == 0 }

// Running reports that a step shows a growing time: call Tick about once a
// second. It is never true with Options.Still.
func (t *Transcript) Running() bool {
	return !t.o.Still && len(t.book.steps) > 0 && t.book.running()
}

// Tick tells the time to the steps that run.
func (t *Transcript) Tick(now time.Time) {
	t.now = now.UnixMilli()
	if t.o.Still {
		return
	}
	for _, it := range t.book.steps {
		if s := it.body.(*step); s.state == Running {
			it.changed()
		}
	}
}

// SetMore says whether the log holds events older than what was applied.
func (t *Transcript) SetMore(more bool) {
	t.more, t.whole = more, !more
	if t.whole {
		t.book.orphans = nil
	}
}

// Apply takes in events in the order in which they happened, live ones and those
// of the log. An event of the log that was taken in already changes nothing.
func (t *Transcript) Apply(events []chats.Event) {
	for _, e := range events {
		t.apply(e)
	}
}
