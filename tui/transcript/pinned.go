package transcript

import (
	"slices"
	"strconv"

	"conch/chats"
	"conch/plain"
)

// Pinned is the newest turn's plan in one line of at most the pane's width, for
// as long as the turn runs, steps are left, and the plan itself is not in sight
// in a pane of so many rows. "" is for no line. The rows are counted without the
// line, so that it can't come and go by what it takes away itself.
func (t *Transcript) Pinned(rows int) string {
	tu := t.book.turn
	if tu == nil || tu.plan == nil || tu.plan.done || t.w == 0 {
		return ""
	}
	p := tu.plan.body.(*plan)
	left := slices.ContainsFunc(p.steps, func(s chats.PlanStep) bool { return s.Status != "done" })
	if !left || t.inSight(t.indexOf(tu.plan), rows) {
		return ""
	}
	c := canvas{th: t.th, inks: t.inks, m: t.m, width: t.textWidth(t.w), wide: t.textWidth(t.w)}
	lead := ""
	if t.margins() {
		lead = "  "
	}
	return lead + c.muted(p.pinned(&c))
}

// inSight reports that a line of an item would be seen in so many rows.
func (t *Transcript) inSight(at, rows int) bool {
	if at < 0 || rows <= 0 {
		return false
	}
	h, top := t.h, t.top
	defer func() { t.h, t.top = h, top }()
	t.h = rows
	t.settlePlace()
	if at < t.top.item {
		return false
	}
	first := place{at, t.gap(at)}
	last := t.move(t.top, rows-1)
	return len(t.linesOf(at)) > 0 && !last.before(first)
}

// pinned is the plan from the step that is worked on, with what is done as a
// number. What is ahead is cut first.
func (p *plan) pinned(c *canvas) string {
	is := func(status string) func(chats.PlanStep) bool {
		return func(s chats.PlanStep) bool { return s.Status == status }
	}
	at := slices.IndexFunc(p.steps, is("active"))
	if at < 0 {
		at = slices.IndexFunc(p.steps, func(s chats.PlanStep) bool { return s.Status != "done" })
	}
	done := 0
	for _, s := range p.steps {
		if s.Status == "done" {
			done++
		}
	}
	words := "plan"
	if done > 0 && c.width >= 30 {
		words += "  " + c.th.Signs.Done + " " + strconv.Itoa(done) + " of " + strconv.Itoa(len(p.steps))
	}
	for _, s := range p.steps[max(at, 0):] {
		sign := c.th.Signs.Waiting
		switch s.Status {
		case "done":
			continue
		case "active":
			sign = c.th.Signs.Next
		}
		words += "  " + sign + " " + plain.Line(s.Title, 80)
	}
	return c.cut(words, c.width)
}
