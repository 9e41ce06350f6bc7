package transcript

import (
	"strings"

	"conch/chats"
)

// apply takes in one event.
func (t *Transcript) apply(e chats.Event) {
	if !e.Live() && t.book.taken(e.Seq) {
		return
	}
	t.turnOf(e)
	switch b := e.Body.(type) {
	case chats.UserMessage:
		if b.By != "" {
			first, _, _ := strings.Cut(b.Words(), "\n")
			t.notice(e, "Conch woke the chat: "+strings.Replace(first, "You waited", "it waited", 1))
			return
		}
		t.add(e, &person{message: b.MessageID, text: b.Text, attachments: b.Attachments}).done = true
	case chats.AssistantDelta:
		t.delta(e, b)
	case chats.AssistantDone:
		t.textDone(e, b)
	case chats.ToolStarted:
		t.stepStarted(e, b)
	case chats.ToolProgress:
		t.stepProgress(e, b)
	case chats.ToolFinished:
		t.stepFinished(e, b)
	case chats.PermissionRequested:
		t.permissionRequested(e, b)
	case chats.PermissionResolved:
		t.permissionResolved(e, b)
	case chats.Plan:
		t.plan(e, b)
	case chats.Question:
		t.question(e, b)
	case chats.QuestionAnswered:
		t.questionAnswered(e, b)
	case chats.Session:
		t.answers(e, b.Engine)
	case chats.Options:
		t.options(e, b)
	case chats.Notice:
		t.notice(e, b.Message)
	case chats.Handoff:
		t.handoff(e, b)
	case chats.ChatsLooked:
		t.looked(e, b)
	case chats.MemorySaved:
		t.remembered(e, remember, b.Text, b.Sources)
	case chats.MemoryForgotten:
		t.remembered(e, forget, b.Text, nil)
	case chats.Shell:
		t.add(e, &shell{Shell: b}).done = true
	case chats.ContextCompacted:
		t.notice(e, orSomeone(b.Engine)+" folded its own history")
	case chats.ContextCleared:
		t.add(e, &divider{text: "nothing above is handed over any more"}).done = true
	case chats.ContextRestored:
		t.notice(e, "what is above is handed over again")
	case chats.TurnCompleted:
		t.turnEnded(e, b)
	}
}

// turnOf notes that a turn began. What the one before left open is closed: only
// a turn that was cut off leaves anything.
func (t *Transcript) turnOf(e chats.Event) {
	if e.Turn == "" {
		return
	}
	if t.book.turn == nil || t.book.turn.id != e.Turn {
		if t.book.turn != nil {
			t.closeOpen()
		}
		t.book.turn = &turn{id: e.Turn}
	}
	// A turn whose beginning is not loaded has no known start.
	if _, ok := e.Body.(chats.UserMessage); ok && t.book.turn.started == 0 {
		t.book.turn.started = e.At
	}
}

// add puts an item at the end; a plan of the same turn stays below it.
func (t *Transcript) add(e chats.Event, b body) *item {
	it := &item{body: b, turn: e.Turn, fold: -1}
	at := len(t.items)
	if tu := t.book.turn; tu != nil && tu.id == e.Turn && tu.plan != nil && at > 0 && t.items[at-1] == tu.plan {
		at--
	}
	t.insert(at, it)
	t.touched(at)
	return it
}

func (t *Transcript) insert(at int, it *item) {
	t.items = append(t.items, nil)
	copy(t.items[at+1:], t.items[at:])
	t.items[at] = it
	if at+1 < len(t.items) {
		t.shift(at, 1)
	}
}

// shift moves what points at items from an index on.
func (t *Transcript) shift(from, by int) {
	move := func(i *int) {
		if *i >= from {
			*i += by
		}
	}
	move(&t.top.item)
	move(&t.fresh)
	move(&t.sel)
	move(&t.match.item)
	move(&t.flushed)
}

// remove takes an item out. What pointed at it points at the next one.
func (t *Transcript) remove(it *item) {
	i := t.indexOf(it)
	if i < 0 {
		return
	}
	t.items = append(t.items[:i], t.items[i+1:]...)
	t.shift(i+1, -1)
	if t.top.item == i {
		t.top.line = 0
	}
	last := len(t.items) - 1
	t.top.item = max(min(t.top.item, last), 0)
	t.sel = min(t.sel, last)
	t.match.item = min(t.match.item, last)
	it.lines = nil
}

// indexOf looks from the end, where what changes is.
func (t *Transcript) indexOf(it *item) int {
	for i := len(t.items) - 1; i >= 0; i-- {
		if t.items[i] == it {
			return i
		}
	}
	return -1
}

// update notes that an item changed.
func (t *Transcript) update(it *item) {
	it.changed()
	if !t.follow {
		t.touched(t.indexOf(it))
	}
}

func (t *Transcript) delta(e chats.Event, b chats.AssistantDelta) {
	key := textKey{e.Turn, b.MessageID, b.Channel}
	it := t.book.texts[key]
	if it == nil {
		if strings.TrimSpace(b.Delta) == "" && e.Live() {
			// Nothing to show yet. The log's own piece brings it again.
			return
		}
		tx := &text{message: b.MessageID, thought: b.Channel == chats.ChannelThought}
		it = t.add(e, tx)
		t.book.texts[key] = it
	}
	if it.body.(*text).write(b.Delta, !e.Live()) {
		t.update(it)
	}
}

func (t *Transcript) textDone(e chats.Event, b chats.AssistantDone) {
	known := false
	for _, channel := range []string{chats.ChannelText, chats.ChannelThought} {
		key := textKey{e.Turn, b.MessageID, channel}
		it := t.book.texts[key]
		if it == nil {
			continue
		}
		known = true
		delete(t.book.texts, key)
		if b.Retracted {
			t.remove(it)
			continue
		}
		t.finishText(it)
	}
	if !known || b.Retracted {
		t.orphan(e)
	}
}

func (t *Transcript) finishText(it *item) {
	it.body.(*text).finish()
	it.done = true
	t.update(it)
}

// closeOpen closes what a turn left open.
func (t *Transcript) closeOpen() {
	for key, it := range t.book.texts {
		t.finishText(it)
		delete(t.book.texts, key)
	}
	for id, it := range t.book.steps {
		it.body.(*step).abandon()
		it.done = true
		t.update(it)
		delete(t.book.steps, id)
	}
	for id, it := range t.book.asks {
		if q, ok := it.body.(*question); ok && q.state == Waiting {
			q.state = NotRun
			q.answer = "the turn ended first"
			it.done = true
			t.update(it)
		}
		delete(t.book.asks, id)
	}
	if tu := t.book.turn; tu != nil && tu.plan != nil {
		tu.plan.done = true
	}
}

func (t *Transcript) turnEnded(e chats.Event, b chats.TurnCompleted) {
	t.closeOpen()
	end := &turnEnd{TurnCompleted: b}
	end.Usage = nil
	end.said = t.said(e.Turn)
	if tu := t.book.turn; tu != nil && tu.id == e.Turn && tu.started > 0 {
		end.ms = e.At - tu.started
	}
	if end.shows() {
		it := &item{body: end, turn: e.Turn, fold: -1, done: true}
		t.insert(len(t.items), it)
		t.touched(len(t.items) - 1)
	}
}

// said tells that a turn has words of the assistant.
func (t *Transcript) said(turn string) bool {
	for i := len(t.items) - 1; i >= 0 && t.items[i].turn == turn; i-- {
		if t.items[i].body.kind() == KindText {
			return true
		}
	}
	return false
}
