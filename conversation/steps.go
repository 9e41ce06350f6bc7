package conversation

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/plain"
)

// step is a row of the turn.
type step struct {
	id       string
	n        int
	began    time.Time
	asking   time.Duration // of it, waiting for the person
	name     string
	subject  string
	output   string
	view     engine.View
	shown    bool // its start is in the log
	ended    bool
	declined string // why it was not allowed, for the row; "" when it was
}

// stepOf finds the step that an engine's id means now, or makes a row for it
// that is not shown yet.
func (t *turn) stepOf(id string) *step {
	st := t.steps[id]
	if st == nil || st.ended {
		st = &step{id: t.newID(), began: t.m.deps.Now()}
		st.n = t.last
		t.steps[id] = st
	}
	return st
}

func (t *turn) startStep(e engine.ToolStart) {
	if st := t.steps[e.ToolUseID]; st != nil && st.shown && !st.ended {
		t.updateStep(engine.ToolUpdate{ToolUseID: e.ToolUseID, Name: e.Name, Subject: e.Subject, Input: e.Input, View: e.View})
		return
	}
	st := t.stepOf(e.ToolUseID)
	st.name = toolName(e.Name)
	st.subject = firstRunes(e.Subject, maxSubject)
	st.view = e.View
	t.show(st, e.Kind, rawInput(e.Input))
	if st.declined != "" {
		t.finishStep(st, engine.ToolNotRun, "", st.declined)
	}
}

func (t *turn) show(st *step, kind engine.ToolKind, input []byte) {
	st.shown = true
	st.began, st.asking = t.m.deps.Now(), 0
	if kind == "" {
		kind = engine.KindOther
	}
	t.m.record(t.id, chats.ToolStarted{
		ToolUseID: st.id, Name: st.name, ToolKind: string(kind), Subject: st.subject, Input: input, View: rawView(st.view),
	})
}

func toolName(s string) string {
	if s = plain.Line(s, 200); strings.TrimSpace(s) == "" {
		return "Tool"
	}
	return s
}

// known finds the step of an update, or begins it: a program may speak of a call
// that it never announced. What is said of a step that ended changes nothing.
func (t *turn) known(id, name, subject string) *step {
	st := t.steps[id]
	if st != nil && st.ended {
		if st.declined == "" {
			t.m.drop()
		}
		return nil
	}
	if st == nil || !st.shown {
		t.startStep(engine.ToolStart{ToolUseID: id, Name: name, Subject: subject})
		if st = t.steps[id]; st.ended {
			return nil
		}
	}
	return st
}

func (t *turn) updateStep(e engine.ToolUpdate) {
	st := t.known(e.ToolUseID, e.Name, e.Subject)
	if st == nil {
		return
	}
	fuller := false
	if name := plain.Line(e.Name, 200); name != "" && name != st.name {
		st.name, fuller = name, true
	}
	if subject := firstRunes(e.Subject, maxSubject); subject != "" && subject != st.subject {
		st.subject, fuller = subject, true
	}
	if e.Output != "" {
		st.output = lastRunes(e.Output, maxOutput)
	}
	st.view = overlay(st.view, e.View)
	now := chats.ToolProgress{ToolUseID: st.id, Name: st.name, Subject: st.subject, Output: st.output, View: rawView(st.view)}
	if fuller {
		t.m.record(t.id, chats.ToolProgress{ToolUseID: st.id, Name: st.name, Subject: st.subject})
	}
	if e.Output != "" || !empty(e.View) {
		t.m.live(t.id, piece{st.id, stepPiece}, now)
	}
}

func (t *turn) endStep(e engine.ToolEnd) {
	st := t.known(e.ToolUseID, "", "")
	if st == nil {
		return
	}
	if e.Output != "" {
		st.output = lastRunes(e.Output, maxOutput)
	}
	st.view = overlay(st.view, e.View)
	status := e.Status
	switch status {
	case engine.ToolSuccess, engine.ToolError, engine.ToolNotRun, engine.ToolUnknown:
	default:
		status = engine.ToolUnknown
	}
	t.finishStep(st, status, st.output, clean(e.Reason, 300))
}

func (t *turn) finishStep(st *step, status engine.ToolStatus, output, reason string) {
	st.ended = true
	took := t.m.deps.Now().Sub(st.began) - st.asking
	t.m.record(t.id, chats.ToolFinished{
		ToolUseID: st.id, Status: string(status), Output: output, Reason: reason,
		DurationMs: max(0, took.Milliseconds()), View: rawView(st.view),
	})
}

// decline closes the row of a call that was not allowed. What the program says of
// it later changes nothing. mu is held.
func (t *turn) decline(st *step, why string) {
	if t.closed || st.ended {
		return
	}
	st.declined = why
	if st.shown {
		t.finishStep(st, engine.ToolNotRun, "", why)
	}
}

// closeSteps ends the rows that are still open: stopped when the turn was, else
// nobody knows how they went.
func (t *turn) closeSteps(outcome engine.Outcome) {
	var open []*step
	for _, st := range t.steps {
		if st.shown && !st.ended {
			open = append(open, st)
		}
	}
	slices.SortFunc(open, func(a, b *step) int { return cmp.Compare(a.n, b.n) })
	for _, st := range open {
		if outcome == engine.Interrupted {
			t.finishStep(st, engine.ToolError, st.output, "stopped")
			continue
		}
		t.finishStep(st, engine.ToolUnknown, st.output, "the turn ended before this step said how it went")
	}
}

// overlay puts what is known now over what was.
func overlay(had, now engine.View) engine.View {
	if now.Diffs != nil {
		had.Diffs = now.Diffs
	}
	if now.Locations != nil {
		had.Locations = now.Locations
	}
	if now.ExitCode != nil {
		had.ExitCode = now.ExitCode
	}
	if now.Result != "" {
		had.Result = now.Result
	}
	return had
}

func empty(v engine.View) bool {
	return v.Diffs == nil && v.Locations == nil && v.ExitCode == nil && v.Result == ""
}
