package allchat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"conch/allchat/record"
	"conch/conversation"
	"conch/engine"
)

// turn is what one participant does for one message: the coordinator for the person's,
// the others for a task. It is the Sink of its engine.
type turn struct {
	r      *Run
	p      *participant
	n      int64  // the person's turn that caused it
	task   string // "" for the coordinator
	ctx    context.Context
	cancel context.CancelFunc
	began  time.Time
	within <-chan time.Time // its time is over
	guard  *conversation.Guard
	queue  *queue
	asking chan struct{} // holds one: a participant has one request at a time

	// Guarded by Run.mu.
	live
	stopped  stopped  // why it was stopped, the first reason
	words    string   // for the person, of why
	over     bool     // nothing of it is taken in any more
	declined bool     // a call was declined
	changes  bool     // of them, one that would have changed files
	shown    []string // tasks whose results it was given
}

// stopped says why a turn was stopped.
type stopped string

const (
	stoppedNot      stopped = ""
	stoppedByPerson stopped = "person"
	stoppedByExpiry stopped = "expiry" // a permission waited too long
	stoppedByTime   stopped = "time"
	stoppedByGuard  stopped = "guard"
	stoppedByFlood  stopped = "flood" // too much came at once
	stoppedByEnd    stopped = "end"   // the run is let go
)

// begin makes a turn a participant's own.
func (r *Run) begin(p *participant, n int64, task string) *turn {
	t := &turn{
		r: r, p: p, n: n, task: task, began: r.deps.Clock.Now(), within: r.deps.Clock.After(r.within), queue: newQueue(), asking: make(chan struct{}, 1),
		guard: conversation.NewGuard(!handless(p.engine), local(p.engine), r.deps.Clock.Now),
	}
	t.live = newLive()
	t.ctx, t.cancel = context.WithCancel(r.life)
	r.mu.Lock()
	p.turn = t
	p.problem, p.next, p.signIn = "", "", false
	r.mu.Unlock()
	r.wake()
	return t
}

// stop ends a turn. The first reason is the one that counts.
func (t *turn) stop(why stopped, words string) {
	t.r.mu.Lock()
	if t.stopped == stoppedNot && !t.over {
		t.stopped, t.words = why, words
	}
	t.r.mu.Unlock()
	t.cancel()
	t.r.wake()
}

// play gives the participant a message and sees the turn to its end. Where a declined
// change ended it, the participant is told once how changes are made here.
func (t *turn) play(prompt string, fresh func() string) ending {
	res, ended := t.drive(prompt, fresh)
	if ended && t.wantsWord(res) {
		t.r.mu.Lock()
		t.declined, t.changes = false, false
		t.r.mu.Unlock()
		again := frame(declinedWord(t.p.role))
		res, ended = t.drive(again, func() string { return fresh() + "\n\n" + again })
	}
	return t.settle(res, ended)
}

// wantsWord tells that a turn ended because a change was declined.
func (t *turn) wantsWord(res engine.Result) bool {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	return t.changes && t.stopped == stoppedNot && t.breach == "" && (res.Outcome == engine.Interrupted || res.Outcome == engine.Success && t.declinedEnded)
}

// drive sends a prompt and takes in what comes, until the engine's turn is over. ended
// is false when it did not stop and was given up.
func (t *turn) drive(prompt string, fresh func() string) (res engine.Result, ended bool) {
	r, p := t.r, t.p
	tools := make([]engine.Tool, len(p.tools))
	for i, tool := range p.tools {
		tools[i] = tool
		if tool.Name() != collectName { // it is made to be called again and again
			tools[i] = t.guard.Tool(tool, t.lookAtGuard, r.logf)
		}
	}
	in := p.input(r.now().Gen(), tools)
	in.Prompt, in.FreshPrompt = prompt, fresh
	end, done := make(chan engine.Result, 1), make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				r.logf("panic while %s answered: %v", p.id, v)
				end <- engine.Result{Outcome: engine.Failed, Error: "Conch failed while " + p.name + " answered", Next: "send the message again"}
			}
		}()
		end <- p.engine.Turn(t.ctx, in, t)
	}()
	within, stopping := t.within, t.ctx.Done()
	var grace <-chan time.Time
	for {
		select {
		case <-t.queue.wake:
			t.takeIn()
		case <-within:
			within = nil
			t.outOfTime()
		case <-stopping:
			stopping = nil
			grace = r.deps.Clock.After(stopWithin)
		case res := <-end:
			<-done
			t.takeIn()
			return res, true
		case <-grace:
			r.mu.Lock()
			p.late = done
			r.mu.Unlock()
			return engine.Result{Outcome: engine.Interrupted}, false
		}
	}
}

// stopWithin is how long a turn may take to end behind its cancel: the two seconds in
// which the engine ends its program, and a moment for that.
const stopWithin = record.CancelGrace + 500*time.Millisecond

// How a turn came out.
type outcome string

const (
	cameDone      outcome = "done"
	cameCancelled outcome = "cancelled"
	cameFailed    outcome = "failed"
	cameNot       outcome = "dropped" // the run is let go: nothing is noted of it
)

// ending is a turn behind its end.
type ending struct {
	outcome outcome
	code    record.Code
	text    string // put together, of one that is done
	finish  record.Finish
	shown   []string // tasks whose results it was given

	problem, next string
	signIn        bool
}

// settle closes the turn and says how it came out. What was stopped is that, however
// its engine ended.
func (t *turn) settle(res engine.Result, ended bool) ending {
	r, p := t.r, t.p
	waited := t.close()
	r.mu.Lock()
	e := ending{outcome: cameFailed, text: t.together(), finish: record.Stop, shown: t.shown}
	why, words, breach, declined, unheard, cut := t.stopped, t.words, t.breach, t.declined, t.didNotStop, t.cut
	if res.Model != "" {
		p.answers = res.Model
	}
	r.mu.Unlock()
	if breach == "" && waited {
		breach = "it ended its turn while its request waited for you"
	}
	if breach == "" && res.Breach != "" {
		breach = res.Breach
	}
	unasked := ended && why == stoppedNot && res.Outcome == engine.Interrupted && !declined
	if breach == "" && unasked {
		breach = "it broke off by itself"
	}
	if cut || res.Paused {
		e.finish = record.Length
	}
	switch {
	case why == stoppedByEnd:
		e.outcome = cameNot
	case why == stoppedByFlood:
		e.code, e.problem = record.Limit, words
		p.retire(words)
	case !ended:
		e.code, e.problem = record.Unavailable, p.name+" did not stop, so its program was ended"
		p.retire("it did not stop when it was told to")
	case why != stoppedNot && unheard:
		e.code, e.problem = record.Unavailable, p.name+" did not stop, so its program was ended"
	case why == stoppedByPerson, why == stoppedByExpiry:
		e.outcome, e.code, e.problem = cameCancelled, record.Cancelled, words
	case why == stoppedByTime:
		e.code, e.problem = record.Timeout, p.name+" was stopped: "+words
	case why == stoppedByGuard:
		e.code, e.problem, e.next = record.Limit, p.name+" was paused: "+words, "send a message to go on"
	case breach != "":
		e.code, e.problem = record.ResponseInvalid, "what "+p.name+" said was not taken: "+breach
		p.retire(breach)
	case res.Outcome == engine.Failed:
		e.code, e.problem, e.next, e.signIn = codeOf(res), res.Error, res.Next, res.SignIn
		if e.problem == "" {
			e.problem = p.name + " failed and did not say why"
		}
	case e.text == "":
		e.code, e.problem = record.ResponseInvalid, p.name+" ended without a word"
	default:
		e.outcome = cameDone
	}
	return e
}

// close ends what is open in the turn: nothing is taken in behind it. waited tells that
// a request had no answer yet.
func (t *turn) close() (waited bool) {
	r := t.r
	r.mu.Lock()
	t.over = true
	asked := t.stopped == stoppedNot
	r.mu.Unlock()
	waited = r.dismiss(t) && asked
	t.cancel()
	return waited
}

// leave makes the participant free for the next turn.
func (t *turn) leave(e ending) {
	r, p := t.r, t.p
	r.mu.Lock()
	if p.turn == t {
		p.turn = nil
	}
	if e.outcome == cameFailed {
		p.problem, p.next, p.signIn = r.cleaner.Line(e.problem, maxNotice).String(), r.cleaner.Line(e.next, maxNotice).String(), e.signIn
	}
	r.spent.ends(t, r.deps.Clock.Now())
	r.mu.Unlock()
	r.wake()
}

// codeOf is the code of a turn that its engine says has failed.
func codeOf(res engine.Result) record.Code {
	switch res.Problem {
	case engine.SignedOut:
		return record.SignedOut
	case engine.TooLong:
		return record.Limit
	}
	return record.Unavailable
}

// outOfTime stops a turn that took longer than a turn may.
func (t *turn) outOfTime() {
	t.stop(stoppedByTime, "its turn took longer than "+t.r.within.String())
}

// lookAtGuard stops a turn that goes in circles or has used what it may. That its time
// is over comes first: the guard has a clock of its own.
func (t *turn) lookAtGuard() {
	if !t.r.deps.Clock.Now().Before(t.began.Add(t.r.within)) {
		t.outOfTime()
		return
	}
	if pause := t.guard.Paused(); pause != nil {
		t.stop(stoppedByGuard, pause.Message)
	}
}

// declinedWord says how files are changed in a run.
func declinedWord(role record.Role) string {
	if role == record.RoleReviewer {
		return "In this run nobody changes files by their own tools, so that call was declined. Say in your answer what you would change. Go on with the rest of the task."
	}
	return "In this run nobody changes files by their own tools, so that call was declined. Use propose_change: the person sees the change and decides. Go on with the rest of the task."
}

// frame sets words of Conch's apart in what a participant is told.
func frame(words string) string {
	return fmt.Sprintf("<from-conch>\n%s\n</from-conch>", strings.TrimSpace(words))
}
