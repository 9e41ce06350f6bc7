package conversation

import (
	"fmt"
	"strings"
	"time"

	"conch/chats"
)

// budget is what one turn may use before it pauses. A zero bounds nothing.
type budget struct {
	steps  int
	tokens int64 // those that were not read from a cache
	time   time.Duration
}

// budgetOf gives a turn's budget. local: the model runs on the person's own
// machine, where tokens cost nothing and take longer. spent: the month's tokens are
// used up.
func budgetOf(unattended, local, spent bool) budget {
	b := budget{steps: 100, tokens: 2_000_000, time: 30 * time.Minute}
	if unattended {
		b = budget{steps: 200, tokens: 4_000_000, time: time.Hour}
	}
	switch {
	case local:
		b.tokens, b.time = 0, b.time*3/2
	case spent:
		b.tokens /= 2
	}
	return b
}

// Why a turn paused.
const (
	pausedBySteps  = "steps"
	pausedByTokens = "tokens"
	pausedByTime   = "time"
	pausedByLoop   = "loop"
)

// used is what a turn has used so far.
type used struct {
	steps  int
	tokens int64
	time   time.Duration
}

// over says what of the budget is used up, nil for nothing.
func (b budget) over(u used) *chats.Pause {
	switch {
	case b.steps > 0 && u.steps > b.steps:
		return &chats.Pause{Reason: pausedBySteps, Message: fmt.Sprintf("%d steps in one turn", b.steps)}
	case b.tokens > 0 && u.tokens >= b.tokens:
		return &chats.Pause{Reason: pausedByTokens, Message: grouped(b.tokens) + " new tokens in one turn"}
	case b.time > 0 && u.time >= b.time:
		return &chats.Pause{Reason: pausedByTime, Message: fmt.Sprintf("%d minutes in one turn", int(b.time.Minutes()))}
	}
	return nil
}

// near reports that 85 % of one of the bounds is reached.
func (b budget) near(u used) bool {
	return b.steps > 0 && u.steps*100 >= b.steps*85 ||
		b.tokens > 0 && u.tokens >= b.tokens/100*85 ||
		b.time > 0 && u.time >= b.time/100*85
}

// grouped is a number with its thousands apart.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	var b strings.Builder
	for i, r := range text {
		if i > 0 && (len(text)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}
