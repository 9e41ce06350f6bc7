package allchat

import (
	"conch/allchat/record"
	"conch/engine"
)

var _ engine.Sink = (*turn)(nil)

// Emit takes an event of the engine. Words or calls behind the end of a turn end the
// session.
func (t *turn) Emit(e engine.Event) {
	t.r.mu.Lock()
	over, stopped := t.over, t.stopped != stoppedNot
	t.r.mu.Unlock()
	switch e.(type) {
	case engine.Thought: // shown to nobody
		return
	case engine.Text, engine.ToolStart:
		if over && !stopped {
			t.p.retire("it went on behind the end of its turn")
		}
	}
	if !over {
		t.queue.put(e)
	}
}

// takeIn takes what waits in the queue.
func (t *turn) takeIn() {
	events, full := t.queue.take()
	var done []record.Entry
	for _, e := range events {
		t.guard.Saw(e)
		if entry, ok := t.see(e); ok {
			done = append(done, entry)
		}
	}
	if full {
		t.stop(stoppedByFlood, "it said more at once than can be taken in")
	} else if len(events) > 0 {
		t.lookAtGuard()
		t.r.lookAtSpent()
	}
	for _, entry := range done {
		t.record(entry)
	}
	t.r.wake()
}

// see folds an event into what is shown. A call that ended gives an entry for the
// record.
func (t *turn) see(e engine.Event) (entry record.Entry, ok bool) {
	r := t.r
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.over {
		return record.Entry{}, false
	}
	switch e := e.(type) {
	case engine.Session:
		t.hasSession(e)
	case engine.Text:
		t.say(e.MessageID, e.Delta)
	case engine.MessageDone:
		t.end(e.MessageID, false)
	case engine.Retract:
		t.end(e.MessageID, true)
	case engine.ToolStart:
		if _, known := t.rows[e.ToolUseID]; !known {
			t.steps++
		}
		t.rows[e.ToolUseID] = e
		t.step = stepOf(r.cleaner, e)
	case engine.ToolUpdate:
		row := t.rows[e.ToolUseID]
		if e.Name != "" {
			row.Name = e.Name
		}
		if e.Subject != "" {
			row.Subject = e.Subject
		}
		t.rows[e.ToolUseID] = row
	case engine.ToolEnd:
		row, known := t.rows[e.ToolUseID]
		delete(t.rows, e.ToolUseID)
		t.step = ""
		if known {
			return t.activity(row, e), true
		}
	case engine.Plan:
		t.plan = nil
		for _, s := range e.Steps[:min(len(e.Steps), maxPlan)] {
			t.plan = append(t.plan, engine.PlanStep{Title: r.cleaner.Line(s.Title, 200).String(), Status: s.Status})
		}
	case engine.Usage:
		t.usage = e
	case engine.Waiting:
		t.step = r.cleaner.Line(e.Text, maxNotice).String()
	case engine.Offers:
		if e.Model != "" {
			t.p.answers = e.Model
		}
	case engine.Notice:
		t.heard(e)
	}
	return record.Entry{}, false
}

const (
	maxPlan    = 40
	maxNotices = 50 // of one turn
)

// heard takes what an engine says of how things go. mu is held.
func (t *turn) heard(e engine.Notice) {
	switch e.Code {
	case "cut-off":
		t.cut = true
	case "did-not-stop":
		t.didNotStop = true
	case "declined-ended":
		t.declinedEnded = true
		return // what is said of it fits a chat
	}
	if t.notices++; t.notices <= maxNotices {
		t.r.note(t.p.id, e.Code, e.Message)
	}
}

// hasSession takes what an engine says of its session at the beginning of a turn. mu is
// held.
func (t *turn) hasSession(e engine.Session) {
	p := t.p
	if e.Model != "" {
		p.answers = e.Model
	}
	if e.ResumeID != "" && e.ResumeID != p.resume {
		p.session, p.resume = sessionOf(e.ResumeID, p.conversation()), e.ResumeID
	}
	if e.Restarted != "" {
		p.carried, p.connection = CarriedNew, newConnection()
		t.r.note(p.id, "session-lost", p.name+"'s session was gone: a new one was told what was said in this run.")
	}
}

// activity is a call as the record has it: what it was, on what, and how it went.
func (t *turn) activity(row engine.ToolStart, e engine.ToolEnd) record.Entry {
	c := t.r.cleaner
	state := record.ToolUnknown
	switch e.Status {
	case engine.ToolSuccess:
		state = record.ToolSuccess
	case engine.ToolError:
		state = record.ToolError
	case engine.ToolNotRun:
		state = record.ToolNotRun
	}
	summary := e.View.Result
	if e.Reason != "" {
		summary = e.Reason
	}
	name := c.Line(row.Name, 100)
	if name.Len() == 0 {
		name = c.Line("tool", 0)
	}
	return record.Entry{By: t.p.id, Turn: t.n, Body: record.ToolActivity{
		Tool: name, Subject: c.Subject(row.Subject), State: state, Summary: c.Line(summary, record.MaxSummary),
	}}
}

// maxActivities is how many calls of a run are recorded. Those that follow are shown
// only: the room that is left is for what was said and decided.
const maxActivities = 512

// record commits a call. A record that has no room for it goes on without.
func (t *turn) record(entry record.Entry) {
	r := t.r
	r.mu.Lock()
	n := r.recorded
	r.recorded++
	r.mu.Unlock()
	if n >= maxActivities {
		if n == maxActivities {
			r.notice(record.Conch, "limit", "The record has as many steps as it may: further ones are shown and not recorded.")
		}
		return
	}
	if _, err := r.commit(entry); err != nil {
		r.logf("record a step: %v", err)
	}
}

// stepOf says in a line what a call does.
func stepOf(c *record.Cleaner, row engine.ToolStart) string {
	words := row.Name
	if row.Subject != "" {
		words += " " + row.Subject
	}
	return c.Line(words, 200).String()
}
