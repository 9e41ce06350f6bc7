package runpane

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"conch/allchat"
	"conch/allchat/record"
	"conch/tui/cells"
)

// item is one row of the timeline, of several lines.
type item struct {
	key   key
	lines []string
	copy  string // what copying it takes
	folds bool
}

// key is what an item is drawn from: one that is the same is drawn once.
type key struct {
	seq    int64  // of the event, 0 for a notice
	status string // of what the event began
	notice allchat.Notice
	open   bool
}

// entry is something to be an item.
type entry struct {
	key key
	at  time.Time
	e   record.Event
}

// redraw makes all items anew.
func (p *Pane) redraw() {
	p.cached = map[key]*item{}
	p.list()
}

// list makes the items from the record and the notices, in the order of their times.
func (p *Pane) list() {
	if p.width == 0 {
		return
	}
	var was *item
	if p.at >= 0 && p.at < len(p.items) {
		was = p.items[p.at]
	}
	entries := p.entries()
	items := make([]*item, 0, len(entries))
	cached := make(map[key]*item, len(entries))
	for _, each := range entries {
		it := p.cached[each.key]
		if it == nil {
			it = p.draw(each)
		}
		if len(it.lines) == 0 {
			continue
		}
		cached[each.key] = it
		if was != nil && it.key.seq == was.key.seq && it.key.notice == was.key.notice {
			p.at = len(items)
		}
		items = append(items, it)
	}
	p.items, p.cached = items, cached
	p.at = max(min(p.at, len(items)-1), 0)
}

func (p *Pane) entries() []entry {
	s := p.run.State
	entries := make([]entry, 0, len(s.Events)+len(p.run.Notices))
	for _, e := range s.Events {
		if p.only != "" && !about(s, e, p.only) {
			continue
		}
		entries = append(entries, entry{key: key{seq: e.Seq, status: p.status(e), open: p.open[e.Seq]}, at: time.UnixMilli(e.At), e: e})
	}
	events := len(entries)
	for _, n := range p.run.Notices {
		if p.only == "" || n.By == p.only {
			entries = append(entries, entry{key: key{notice: n}, at: n.At})
		}
	}
	if len(entries) > events {
		slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.at.UnixMilli(), b.at.UnixMilli()) })
	}
	return entries
}

// about tells that an event is by a participant or for it.
func about(s *record.State, e record.Event, who record.Who) bool {
	if e.By == who {
		return true
	}
	switch b := e.Body.(type) {
	case record.SessionReady:
		return b.Participant == who
	case record.TaskDelegated:
		return b.To == who
	case record.TaskFailed:
		t := s.Task(b.Task)
		return t != nil && t.To == who
	case record.Handoff:
		return b.To == who
	case record.TurnCompleted:
		return b.Participant == who
	case record.TurnCancelled:
		return b.Participant == who
	case record.TurnFailed:
		return b.Participant == who
	case record.ProposalDecided:
		made := s.Proposal(b.Proposal)
		return made != nil && made.By == who
	case record.ProposalApplied:
		made := s.Proposal(b.Proposal)
		return made != nil && made.By == who
	}
	return false
}

// status is how what an event began stands now.
func (p *Pane) status(e record.Event) string {
	switch b := e.Body.(type) {
	case record.ProposalMade:
		if made := p.run.State.Proposal(b.Proposal); made != nil {
			return string(made.Status) + strconv.FormatBool(p.run.View || p.run.Ended())
		}
	case record.TaskDelegated:
		if t := p.run.State.Task(b.Task); t != nil {
			return string(t.Status) + strconv.FormatBool(t.Recoverable)
		}
	}
	return ""
}

// draw makes an item's lines: when, who, what.
func (p *Pane) draw(each entry) *item {
	it := &item{key: each.key}
	who := each.e.By
	var said words
	if each.key.seq == 0 {
		who, said = each.key.notice.By, p.notice(each.key.notice)
	} else {
		said = p.say(each.e)
	}
	if len(said.lines) == 0 {
		return it
	}
	it.copy, it.folds = said.copy, said.folds
	label := p.roleName(who)
	look := p.th.Muted
	if who == record.Person {
		look = p.th.Person
	}
	for i, line := range said.lines {
		if i == 0 {
			it.lines = append(it.lines, p.lead(each.at.In(p.o.Zone).Format("15:04"), look.Render(label), label)+line)
		} else {
			it.lines = append(it.lines, p.lead("", "", "")+line)
		}
	}
	return it
}

// labelCols is the room of a row's label: "1 coordinator".
const labelCols = 13

// lead is what stands before a row's words.
func (p *Pane) lead(at, label, bare string) string {
	out := " "
	if p.width >= timeCols {
		out += p.th.Muted.Render(cells.Fill(p.th.Widths, at, 5, "")) + " "
	}
	return out + label + cells.Blank(labelCols-cells.Width(p.th.Widths, bare)) + "  "
}

// leadCols is how wide that is.
func (p *Pane) leadCols() int {
	cols := 1 + labelCols + 2
	if p.width >= timeCols {
		cols += 6
	}
	return cols
}

// maxMeasure is how wide text gets.
const maxMeasure = 100

// measure is how wide the words of a row may be.
func (p *Pane) measure() int { return max(min(p.width-p.leadCols()-1, maxMeasure), 8) }
