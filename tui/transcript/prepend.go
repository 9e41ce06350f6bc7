package transcript

import (
	"slices"

	"conch/chats"
)

// splitReach is how many items from the top may belong to something that began
// in the older part.
const splitReach = 400

// maxOrphans is far more than what can be cut in two at one place.
const maxOrphans = 1000

// orphan keeps an event whose beginning is not loaded, for when it is.
func (t *Transcript) orphan(e chats.Event) {
	if !e.Live() && !t.whole && len(t.book.orphans) < maxOrphans {
		t.book.orphans = append(t.book.orphans, e)
	}
}

// Prepend puts events that are older than all others before them, oldest first.
// more says that there are still older ones. What is in sight stays where it is.
func (t *Transcript) Prepend(older []chats.Event, more bool) {
	defer t.SetMore(more)
	for len(older) > 0 && older[len(older)-1].Seq >= t.book.first && t.book.first >= 0 {
		older = older[:len(older)-1] // taken in already
	}
	if len(older) == 0 {
		return
	}
	t.settlePlace()
	// The older part is a list of its own until both are joined.
	o := New(t.th, t.o)
	o.Apply(older)
	o.Apply(t.book.orphans)
	t.book.orphans = o.book.orphans

	t.joinTexts(o)
	t.joinSteps(o)
	var first *turn
	if len(t.items) > 0 {
		first = &turn{id: t.items[0].turn}
	}
	if tu := o.book.turn; tu != nil && (first == nil || first.id != tu.id) {
		o.closeOpen()
	}
	t.joinPlan(o)
	t.joinEnd(o)
	t.joinOpen(o)
	n := len(o.items)
	items := make([]*item, 0, n+len(t.items)+64)
	t.items = append(append(items, o.items...), t.items...)
	t.shift(0, n)
	if t.top.item == n && n > 0 && n < len(t.items) && t.w > 0 { // the first item has a gap before it now
		t.top.line += t.gap(n)
	}
	t.book.first = o.book.first
	if t.book.last < o.book.last {
		t.book.last = o.book.last
	}
	if t.book.engine == "" {
		t.book.engine = o.book.engine
	}
	if t.book.mode == "" {
		t.book.mode = o.book.mode
	}
}

// joinTexts makes one of a message whose pieces are on both sides: the older
// part goes before the newer one.
func (t *Transcript) joinTexts(o *Transcript) {
	for key, old := range o.book.texts {
		for _, it := range t.items[:min(len(t.items), splitReach)] {
			x, ok := it.body.(*text)
			if !ok || it.turn != key.turn || x.message != key.message || x.thought != (key.channel == chats.ChannelThought) {
				continue
			}
			x.before(old.body.(*text).source())
			it.changed()
			o.remove(old)
			break
		}
		delete(o.book.texts, key)
	}
}

// joinSteps makes one of a step that a request of the newer part made a row of,
// because its beginning was not loaded.
func (t *Transcript) joinSteps(o *Transcript) {
	for id, old := range o.book.steps {
		for _, it := range t.items[:min(len(t.items), splitReach)] {
			s, ok := it.body.(*step)
			if !ok || s.id != id || it.turn != old.turn {
				continue
			}
			s.begun(old.body.(*step))
			it.changed()
			t.remove(it)
			o.items[o.indexOf(old)] = it
			if tu := o.book.turn; tu != nil {
				tu.steps = slices.DeleteFunc(tu.steps, func(x *item) bool { return x == old })
			}
			delete(o.book.steps, id)
			break
		}
	}
}

// begun fills in what the beginning of a step said and nothing later did.
func (s *step) begun(old *step) {
	if s.name == "" {
		s.name = old.name
	}
	if s.subject == "" {
		s.subject = old.subject
	}
	if s.toolKind == "" {
		s.toolKind = old.toolKind
	}
	if len(s.raw) == 0 && s.facts == nil {
		s.setView(old.raw)
	}
	if s.output == "" {
		s.output = old.output
	}
}

// joinPlan keeps one plan of the turn that is on both sides, at its end.
func (t *Transcript) joinPlan(o *Transcript) {
	tu := o.book.turn
	if tu == nil || tu.plan == nil {
		return
	}
	end := 0 // of the turn's items here
	for end < len(t.items) && t.items[end].turn == tu.id && t.items[end].body.kind() != KindEnd {
		if t.items[end].body.kind() == KindPlan {
			o.remove(tu.plan)
			tu.plan = nil
			return
		}
		end++
	}
	if end > 0 {
		o.remove(tu.plan)
		t.insert(end, tu.plan)
	}
}

// joinEnd tells the end of the turn that is on both sides what was said in it.
func (t *Transcript) joinEnd(o *Transcript) {
	tu := o.book.turn
	if tu == nil || !o.said(tu.id) {
		return
	}
	for _, it := range t.items {
		if it.turn != tu.id {
			return
		}
		if end, ok := it.body.(*turnEnd); ok && !end.said {
			end.said = true
			it.changed()
		}
	}
}

// joinOpen takes over what the older part left open in the turn that goes on.
func (t *Transcript) joinOpen(o *Transcript) {
	for id, it := range o.book.steps {
		if t.book.turn != nil && t.book.turn.id == it.turn && t.book.steps[id] == nil {
			t.book.steps[id] = it
			continue
		}
		it.body.(*step).abandon()
		it.done = true
		it.changed()
	}
	for id, it := range o.book.asks {
		if t.book.turn != nil && t.book.turn.id == it.turn && t.book.asks[id] == nil {
			t.book.asks[id] = it
		}
	}
	if tu := t.book.turn; tu != nil && o.book.turn != nil && o.book.turn.id == tu.id {
		tu.started = o.book.turn.started
		tu.steps = append(o.book.turn.steps, tu.steps...)
		if tu.plan == nil {
			tu.plan = o.book.turn.plan
		}
	}
}

// before puts what was said earlier before a text.
func (x *text) before(s string) {
	if g := x.growing; g != nil {
		g.buf = append([]byte(s), g.buf...)
		g.logged += len(s)
		g.stream = nil
		return
	}
	x.said = s + x.said
}
