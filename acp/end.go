package acp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"conch/engine"
	"conch/program"
)

// end closes what is open and gives the turn its one end.
func (t *turn) end(ctx context.Context, answer object, err error) engine.Result {
	t.over.Store(answer != nil && ctx.Err() == nil)
	t.asks.cancelAll()
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()

	t.sure()
	stopped := t.stopped || ctx.Err() != nil
	r := t.outcome(answer, err, stopped)
	t.silence.Say("")
	t.rows.closeAll(r.Outcome == engine.Interrupted)
	t.words.settle()
	if t.decline && r.Outcome != engine.Failed && !stopped && (t.e.agent.Quirks.DeclineEnds || answer.text("stopReason") == "cancelled") {
		t.emit(engine.Notice{
			Code:    "declined-ended",
			Message: t.e.agent.Name + " ended its turn because a step was declined. Say how to go on.",
		})
	}
	t.usage.addAnswer(answer)
	r.Usage = t.usage.with(s.usage)
	if t.usage.any() {
		t.emit(r.Usage)
	}
	r.Model = t.modelOf(answer)
	r.Accepted = t.heard || r.Outcome == engine.Success || r.Outcome == engine.Interrupted && answer != nil
	t.closed = true
	if t.left.Load() {
		s.p.breached(breachLeft)
	}
	r.Breach = s.p.takeBreach()
	return r
}

// outcome reads how a prompt ended.
func (t *turn) outcome(answer object, err error, stopped bool) engine.Result {
	switch {
	case stopped, errors.Is(err, program.ErrDidNotStop):
		if errors.Is(err, program.ErrDidNotStop) {
			t.emit(program.DidNotStop(t.e.agent.Name))
		}
		return engine.Result{Outcome: engine.Interrupted}
	case err != nil:
		return t.e.explain(err)
	}
	name := t.e.agent.Name
	r := engine.Result{Outcome: engine.Success}
	switch reason := answer.text("stopReason"); reason {
	case "end_turn":
		return t.saidOnlyErrors(r)
	case "cancelled":
		if !t.decline {
			r.Outcome = engine.Interrupted
			t.emit(program.EndedItself(name))
		}
	case "max_tokens":
		t.emit(engine.Notice{Code: "cut-off", Message: "The answer was cut off at the length limit of " + name + ". Ask it to carry on."})
	case "refusal":
		t.emit(engine.Notice{Code: "refused", Message: name + " refused to go on with this."})
	case "max_turn_requests":
		r.Paused = true
		t.emit(engine.Notice{Code: "paused", Message: name + " stopped at its own limit of steps. It can carry on."})
	default:
		t.e.program.Count("stop reason " + reason)
	}
	return r
}

// saidOnlyErrors makes a turn that ended well, but in which the program had
// nothing to say but its own complaints, the failure that it is.
func (t *turn) saidOnlyErrors(r engine.Result) engine.Result {
	if !t.failing && (t.spoken || t.decline || t.rows.any() || t.noticed == "") {
		return r
	}
	words := strings.TrimPrefix(strings.TrimPrefix(t.noticed, "Error: "), "Info: ")
	failed := t.e.explainRefusal(&refused{message: words})
	failed.Detail = t.s.p.Said()
	return failed
}

func (t *turn) modelOf(answer object) string {
	meta := answer.object("_meta")
	if id := program.OneLine(meta.text("modelId"), maxName); id != "" {
		return id
	}
	if t.model != "" {
		return t.model
	}
	if used, _ := meta.object("quota").objects("model_usage"); len(used) > 0 {
		if id := program.OneLine(used[0].text("model"), maxName); id != "" {
			return id
		}
	}
	return t.s.model()
}

// takePlan reads a plan, whole, from a list of entries. An entry in a state that
// is not known is left out; a plan with none left changes nothing.
func (t *turn) takePlan(from object, key string) {
	entries, _ := from.objects(key)
	var steps []engine.PlanStep
	for _, entry := range entries {
		title := program.OneLine(entry.firstText("content", "title"), maxSentence)
		status, ok := planStatus[entry.text("status")]
		if title != "" && ok && len(steps) < maxChoices {
			steps = append(steps, engine.PlanStep{Title: title, Status: status})
		}
	}
	// Grok says the same plan again at the end of every turn.
	if len(steps) == 0 || slices.Equal(steps, t.s.plan) {
		return
	}
	t.s.plan = steps
	t.emit(engine.Plan{Steps: steps})
}

var planStatus = map[string]string{"pending": "pending", "in_progress": "active", "completed": "done"}
