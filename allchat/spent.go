package allchat

import (
	"fmt"
	"time"

	"conch/conversation"
)

// spent is what all participants together used for one message of the person's. They
// may use three times what one turn may.
type spent struct {
	since  time.Time
	steps  int
	tokens int64
	time   time.Duration
}

// times is how many turns' worth a run may use for one message.
const times = 3

// ends adds a turn that is over. Run.mu is held.
func (s *spent) ends(t *turn, now time.Time) {
	s.steps += t.halved()
	s.tokens += t.fresh()
	s.time += now.Sub(t.began) - t.waited
}

// halved counts the steps of a turn. A program makes its calls by itself: two of them
// are one step.
func (t *turn) halved() int {
	if handless(t.p.engine) {
		return t.steps
	}
	return (t.steps + 1) / 2
}

// fresh are a turn's tokens that were not read from a cache and cost something.
func (t *turn) fresh() (n int64) {
	if local(t.p.engine) {
		return 0
	}
	if in := t.usage.InputTokens; in != nil {
		n = *in
		if c := t.usage.CachedTokens; c != nil && *c <= n {
			n -= *c
		}
	}
	if out := t.usage.OutputTokens; out != nil {
		n += *out
	}
	return n
}

// lookAtSpent stops all turns when together they have used what the run may.
func (r *Run) lookAtSpent() {
	steps, tokens, within := conversation.TurnBudget(false)
	now := r.deps.Clock.Now()
	r.mu.Lock()
	all := r.spent
	var running []*turn
	for _, p := range r.parts {
		if p.turn != nil && !p.turn.over {
			all.ends(p.turn, now)
			running = append(running, p.turn)
		}
	}
	r.mu.Unlock()
	why := ""
	switch {
	case all.steps > times*steps:
		why = fmt.Sprintf("%d steps of all participants for one message", times*steps)
	case all.tokens >= times*tokens:
		why = "the tokens of three turns for one message"
	case all.time >= times*within:
		why = fmt.Sprintf("%d minutes of all participants for one message", int(times*within/time.Minute))
	default:
		return
	}
	for _, t := range running {
		t.stop(stoppedByGuard, why)
	}
}

// waits stops the clocks of a turn while the person has something to answer, until the
// function that it gives is called.
func (t *turn) waits() (answered func()) {
	began := t.r.deps.Clock.Now()
	done := t.guard.Waits()
	return func() {
		done()
		t.r.mu.Lock()
		t.waited += t.r.deps.Clock.Now().Sub(began)
		t.r.mu.Unlock()
	}
}
