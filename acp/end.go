package acp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"conch/engine"
)

// end closes what is open and gives the turn its one end.
func (t *turn) end(ctx context.Context, answer object, err error) engine.Result {
	t.asks.cancelAll()
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()

	t.sure()
	stopped := t.stopped || ctx.Err() != nil
	r := t.outcome(answer, err, stopped)
	t.sayWait("")
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
	return r
}

// outcome reads how a prompt ended.
func (t *turn) outcome(answer object, err error, stopped bool) engine.Result {
	switch {
	case stopped, errors.Is(err, errStopped):
		if errors.Is(err, errStopped) {
			t.emit(engine.Notice{Code: "did-not-stop", Message: t.e.agent.Name + " did not stop by itself, so it was ended. Your next message starts it again."})
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
			t.emit(engine.Notice{Code: "ended-itself", Message: name + " ended its turn by itself."})
		}
	case "max_tokens":
		t.emit(engine.Notice{Code: "cut-off", Message: "The answer was cut off at the length limit of " + name + ". Ask it to carry on."})
	case "refusal":
		t.emit(engine.Notice{Code: "refused", Message: name + " refused to go on with this."})
	case "max_turn_requests":
		r.Paused = true
		t.emit(engine.Notice{Code: "paused", Message: name + " stopped at its own limit of steps. It can carry on."})
	default:
		t.e.known.count("stop reason " + reason)
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
	failed := t.e.explainRefusal(&refused{message: words}, engine.Result{Outcome: engine.Failed})
	failed.Detail = t.s.p.stderr()
	return failed
}

func (t *turn) modelOf(answer object) string {
	meta := answer.object("_meta")
	if id := oneLine(meta.text("modelId"), maxName); id != "" {
		return id
	}
	if t.model != "" {
		return t.model
	}
	if used, _ := meta.object("quota").objects("model_usage"); len(used) > 0 {
		if id := oneLine(used[0].text("model"), maxName); id != "" {
			return id
		}
	}
	return t.s.model()
}

// learn keeps for Health what a turn showed. A program that is not signed in is
// let go: it is started anew after the sign-in, and reads it then.
func (c *chat) learn(r engine.Result) {
	e := c.e
	switch {
	case r.Outcome == engine.Success:
		e.known.prove(engine.Ready, "", "")
	case r.Problem == engine.SignedOut:
		e.known.prove(engine.NeedSignIn, r.Error, r.Next)
		c.mu.Lock()
		c.retire(c.proc)
		c.proc = nil
		c.mu.Unlock()
	case r.Outcome == engine.Failed && r.Problem == engine.Unavailable && !r.Accepted:
		e.known.prove(engine.Broken, r.Error, r.Next)
	}
}

// opened keeps for Health that a session was opened: most programs refuse that
// without a sign-in.
func (e *Engine) opened() {
	if !e.agent.Quirks.SignInAtPrompt {
		e.known.prove(engine.Ready, "", "")
	}
}

// takePlan reads a plan, whole, from a list of entries. An entry in a state that
// is not known is left out; a plan with none left changes nothing.
func (t *turn) takePlan(from object, key string) {
	entries, _ := from.objects(key)
	var steps []engine.PlanStep
	for _, entry := range entries {
		title := oneLine(entry.firstText("content", "title"), maxSentence)
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
