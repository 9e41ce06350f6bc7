package conversation

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"conch/chats"
	"conch/engine"
)

// When the guard speaks, and when it pauses.
const (
	sameWindow = 12 // calls among which the very same one is looked for
	sameTell   = 3
	samePause  = 5

	failTell  = 4 // failures in a row
	failPause = 8

	answerTell  = 4 // the same long answer from the same tool in a row
	answerPause = 7
	longAnswer  = 200 // characters; the same short one says little

	ownPause = 10 // the program's own calls: the same with the same answer, hard on each other
)

// guard watches one turn for going in circles, and its budget. It is told of calls
// of Conch's own tools as they are made, and sees what the program does by itself
// from outside. It points out first, and pauses when that did not help. It knows no
// engine and no clock but the one it is given.
type guard struct {
	now    func() time.Time
	limit  budget
	halves bool // the program runs its own loop: two calls are one step

	mu    sync.Mutex
	pause *chats.Pause

	began   time.Time
	waiting int // cards that the person has before them
	since   time.Time
	waited  time.Duration

	calls  int // rows that began
	tokens int64
	near   bool // it was said that the budget is nearly used up

	window []digest // of the last calls of Conch's tools
	told   map[digest]bool
	fails  int
	answer digest // the last long answer, with its tool
	same   int

	rows     map[string]bool   // began, by id
	ours     map[string]bool   // rows of Conch's own tools
	open     map[string]digest // calls of the program's that run
	own      digest            // its last call with its answer
	ownTimes int
}

type digest [sha256.Size]byte

func newGuard(limit budget, halves bool, now func() time.Time) *guard {
	return &guard{
		now: now, limit: limit, halves: halves, began: now(),
		told: map[digest]bool{}, rows: map[string]bool{}, ours: map[string]bool{}, open: map[string]digest{},
	}
}

// paused says that the turn is to pause and why, nil while it is not.
func (g *guard) paused() *chats.Pause {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.look()
}

// look brings the time into account. mu is held.
func (g *guard) look() *chats.Pause {
	if g.pause == nil {
		g.pause = g.limit.over(g.used())
	}
	return g.pause
}

// used is what the turn has used so far. mu is held.
func (g *guard) used() used {
	u := used{steps: g.calls, tokens: g.tokens, time: g.now().Sub(g.began) - g.waited}
	if g.halves {
		u.steps = (g.calls + 1) / 2
	}
	if g.waiting > 0 {
		u.time -= g.now().Sub(g.since)
	}
	return u
}

// waits stops the clock while the person has something to answer, until the
// function that it gives is called.
func (g *guard) waits() (answered func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting++; g.waiting == 1 {
		g.since = g.now()
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.waiting--; g.waiting == 0 {
			g.waited += g.now().Sub(g.since)
		}
	}
}

// before is told of a call of one of Conch's own tools. It gives what the model is
// to read with the answer, and the pause when the call is not to be run.
func (g *guard) before(row, tool string, args json.RawMessage) (note string, pause *chats.Pause) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if row != "" {
		g.ours[row] = true
	}
	if g.look() != nil {
		return "", g.pause
	}
	call := callOf(tool, args)
	if g.window = append(g.window, call); len(g.window) > sameWindow {
		g.window = g.window[1:]
	}
	times := 0
	for _, each := range g.window {
		if each == call {
			times++
		}
	}
	switch {
	case times >= samePause && g.told[call]:
		g.pause = &chats.Pause{Reason: pausedByLoop, Message: fmt.Sprintf("the very same call of %s, %d times", tool, times)}
		return "", g.pause
	case times >= sameTell && !g.told[call]:
		g.told[call] = true
		note = fmt.Sprintf("This very call was made %d times now; its answer will not be another. Say what you expected, and try something different: another name, another tool, another source.", times)
	}
	return note, nil
}

// after is told how such a call went, in the words that the model reads. It gives
// what is to be added to them.
func (g *guard) after(tool, text string, failed bool) (note string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var notes []string
	if failed {
		g.fails++
	} else {
		g.fails = 0
	}
	switch {
	case g.fails >= failPause && g.pause == nil:
		g.pause = &chats.Pause{Reason: pausedByLoop, Message: fmt.Sprintf("%d failures in a row", g.fails)}
	case g.fails == failTell:
		notes = append(notes, fmt.Sprintf("That is %d failures in a row. Stop and read the errors as one: what do they have in common? State one cause, test it, and go another way.", g.fails))
	}
	if utf8.RuneCountInString(text) >= longAnswer {
		if answer := sha256.Sum256([]byte(tool + "\x00" + text)); answer == g.answer {
			g.same++
		} else {
			g.answer, g.same = answer, 1
		}
		switch {
		case g.same >= answerPause && g.pause == nil:
			g.pause = &chats.Pause{Reason: pausedByLoop, Message: fmt.Sprintf("the same answer from %s, %d times in a row", tool, g.same)}
		case g.same == answerTell:
			notes = append(notes, fmt.Sprintf("%s gave this same answer %d times in a row. What you change makes no difference to it: look elsewhere.", tool, g.same))
		}
	} else {
		g.answer, g.same = digest{}, 0
	}
	if !g.near && g.pause == nil && g.limit.near(g.used()) {
		g.near = true
		notes = append(notes, "This turn has used nearly all that it may. Finish the step that you are in, then say what is done, what is left, and what you would do next.")
	}
	return strings.Join(notes, " ")
}

// saw is told of every event of the turn.
func (g *guard) saw(e engine.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch e := e.(type) {
	case engine.ToolStart:
		if !g.rows[e.ToolUseID] {
			g.rows[e.ToolUseID] = true
			g.calls++
		}
		g.open[e.ToolUseID] = sightOf(e.Name, e.Subject, e.Input, e.View)
	case engine.ToolUpdate:
		if e.Input != nil || e.Subject != "" || !empty(e.View) {
			before := g.open[e.ToolUseID]
			now := sightOf(e.Name, e.Subject, e.Input, e.View)
			g.open[e.ToolUseID] = sha256.Sum256(slices.Concat(before[:], now[:]))
		}
	case engine.ToolEnd:
		g.sawEnd(e)
	case engine.Usage:
		g.tokens = max(g.tokens, fresh(e))
	}
	g.look()
}

// sawEnd counts a call of the program's own that is the same as the one before, with
// the same answer. mu is held.
func (g *guard) sawEnd(e engine.ToolEnd) {
	call, known := g.open[e.ToolUseID]
	delete(g.open, e.ToolUseID)
	if !known || g.ours[e.ToolUseID] || e.Status == engine.ToolNotRun {
		return
	}
	end := sightOf(string(e.Status), e.Output, nil, e.View)
	if both := sha256.Sum256(slices.Concat(call[:], end[:])); both == g.own {
		g.ownTimes++
	} else {
		g.own, g.ownTimes = both, 1
	}
	if g.ownTimes >= ownPause && g.pause == nil {
		g.pause = &chats.Pause{Reason: pausedByLoop, Message: fmt.Sprintf("the same step with the same result, %d times in a row", g.ownTimes)}
	}
}

// fresh is how many tokens of a turn were not read from a cache. Some programs count
// the cached ones among those that went in, some beside them.
func fresh(u engine.Usage) (n int64) {
	if u.InputTokens != nil {
		n = *u.InputTokens
		if u.CachedTokens != nil && *u.CachedTokens <= n {
			n -= *u.CachedTokens
		}
	}
	if u.OutputTokens != nil {
		n += *u.OutputTokens
	}
	return n
}

// callOf names a call by its tool and its arguments, in whatever order they stand.
func callOf(tool string, args json.RawMessage) digest {
	text := []byte(args)
	decoder := json.NewDecoder(strings.NewReader(string(args)))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) == nil {
		if sorted, err := json.Marshal(value); err == nil {
			text = sorted
		}
	}
	return sha256.Sum256(slices.Concat([]byte(tool), []byte{0}, text))
}

// sightOf is what can be seen of a call from outside.
func sightOf(name, subject string, input json.RawMessage, view engine.View) digest {
	in := callOf("", input)
	seen, _ := json.Marshal(view) // words and numbers always encode
	return sha256.Sum256(slices.Concat([]byte(name), []byte{0}, []byte(subject), []byte{0}, in[:], seen))
}
