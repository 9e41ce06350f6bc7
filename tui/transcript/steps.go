package transcript

import (
	"conch/chats"
	"conch/engine"
)

func (t *Transcript) stepOf(id string) *item { return t.book.steps[id] }

func (t *Transcript) stepStarted(e chats.Event, b chats.ToolStarted) {
	it := t.stepOf(b.ToolUseID)
	if it == nil {
		it = t.newStep(e, b.ToolUseID)
	}
	s := it.body.(*step)
	s.name, s.toolKind = ownName(b.Name), b.ToolKind
	if b.Subject != "" {
		s.subject = b.Subject
	}
	s.setView(b.View)
	t.update(it)
}

func (t *Transcript) newStep(e chats.Event, id string) *item {
	it := t.add(e, &step{id: id, at: e.At, state: Running})
	t.book.steps[id] = it
	if tu := t.book.turn; tu != nil {
		tu.steps = append(tu.steps, it)
	}
	return it
}

func (t *Transcript) stepProgress(e chats.Event, b chats.ToolProgress) {
	it := t.stepOf(b.ToolUseID)
	if it == nil {
		t.orphan(e)
		return
	}
	s := it.body.(*step)
	if b.Name != "" {
		s.name = ownName(b.Name)
	}
	if b.Subject != "" {
		s.subject = b.Subject
	}
	s.setOutput(b.Output)
	s.setView(b.View)
	t.update(it)
}

func (t *Transcript) stepFinished(e chats.Event, b chats.ToolFinished) {
	it := t.stepOf(b.ToolUseID)
	if it == nil {
		t.orphan(e)
		return
	}
	s := it.body.(*step)
	switch engine.ToolStatus(b.Status) {
	case engine.ToolSuccess:
		s.state = Done
	case engine.ToolError:
		s.state = Failed
	case engine.ToolNotRun:
		s.state = NotRun
	default:
		s.state = Unknown
	}
	if b.Reason != "" || s.state != NotRun {
		s.reason = b.Reason
	}
	s.ms = b.DurationMs
	s.setOutput(b.Output)
	s.setView(b.View)
	it.done = true
	t.update(it)
	delete(t.book.steps, b.ToolUseID)
}
