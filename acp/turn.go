package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine"
	"conch/program"
)

// turn is one prompt from its sending to its end. What the program says arrives
// on the connection's reader; mu orders it with what Stop and the person do.
type turn struct {
	e    *Engine
	s    *session
	sink engine.Sink
	key  string // before every id, so that two turns share none

	after bool   // the answer has come, what comes now is late; the session's lock guards it
	model string // as the program says which answers; the same

	mu      sync.Mutex
	closed  bool // nothing is emitted any more
	stopped bool // Stop came
	heard   bool // a word or a step came: the prompt was taken in
	words   words
	rows    rows
	usage   usageCount
	noticed string // the last of the program's own lines
	failing bool   // it said "Error:"
	spoken  bool   // a word of the model came
	decline bool   // a call was declined, and no word came since
	silence program.Silence
	doubt   doubt // about words that may be those of the turn before

	asks asks
	left atomic.Bool // a request was still open when the prompt's answer came
	over atomic.Bool // it has come
}

// Turn sends a message and blocks until the turn is over.
func (e *Engine) Turn(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
	c, ctx, leave, err := e.enter(ctx, in.ConversationID)
	if err != nil {
		return e.explain(err)
	}
	defer leave()
	s, err := c.ready(ctx, in)
	if err != nil {
		r := e.explain(err)
		c.learn(r)
		return r
	}
	r, again := e.prompted(ctx, c, s, in, sink)
	if again {
		// The program does not know the session any more: it is opened again,
		// or healed, once.
		s.p.adopt(nil)
		if s, err = c.ready(ctx, in); err != nil {
			r = e.explain(err)
		} else {
			r, _ = e.prompted(ctx, c, s, in, sink)
		}
	}
	c.learn(r)
	return r
}

// prompted runs a turn in an open session. again says that the session turned out
// to be gone before anything was said.
func (e *Engine) prompted(ctx context.Context, c chat, s *session, in engine.TurnInput, sink engine.Sink) (r engine.Result, again bool) {
	e.opened()
	t := &turn{e: e, s: s, sink: sink, key: fmt.Sprintf("%d.%d", in.Seq, e.turns.Add(1))}
	t.words.turn, t.rows.turn = t, t
	t.silence = program.NewSilence(e.times.Silence, t.emit)
	t.rows.cwd = in.Cwd
	return t.run(ctx, c, in)
}

// run sends the prompt and sees the turn to its end.
func (t *turn) run(ctx context.Context, c chat, in engine.TurnInput) (r engine.Result, again bool) {
	s, p := t.s, t.s.p
	text := in.Prompt
	instead := s.stands != "" && !s.begun
	if instead && in.FreshPrompt != nil {
		text = in.FreshPrompt()
	}
	prompt := t.e.prompt(p.caps, text, in.Attachments)
	told, earlier := s.toTell(in)
	if told != "" {
		prompt.blocks = append([]any{map[string]any{"type": "text", "text": told}}, prompt.blocks...)
		defer func() {
			if !r.Accepted {
				s.digest = earlier
			}
		}()
	}

	s.mu.Lock()
	t.sink.Emit(engine.Session{ResumeID: s.resumeID(), Model: s.model(), Restarted: s.restarted()})
	s.begun = true
	late := s.late
	s.late = nil
	s.tell(t.sink.Emit)
	s.mu.Unlock()
	for _, n := range append(prompt.notices, t.openMode()...) {
		t.sink.Emit(n)
	}

	t.asks.start(t, ctx)
	defer t.asks.wait()
	s.attach(t)
	defer s.attach(nil)
	t.doubt.begin(late)
	shut := t.throughDoor(ctx, in)
	defer shut()
	asking, err := p.ask(context.WithoutCancel(ctx), "session/prompt", map[string]any{
		"sessionId": s.id, "prompt": prompt.blocks,
	})
	if err != nil {
		shut()
		return t.end(ctx, nil, c.broken(context.Background(), p, err)), false
	}
	answered := make(chan reply, 1)
	go func() {
		o, err := asking.wait(0, "")
		answered <- reply{o, err}
	}()
	got := t.await(ctx, answered)
	if got.err != nil && got.err != program.ErrDidNotStop {
		got.err = c.broken(context.Background(), p, got.err)
	}
	if got.err == program.ErrDidNotStop {
		// It did not end the prompt: it is ended itself, in the time that is
		// left of the three seconds.
		asking.cancel(program.ErrDidNotStop)
		<-answered
		c.Kill()
	} else if got.err == nil {
		t.grace(ctx, in.Hurry)
	}
	shut()
	if got.err == nil {
		t.mu.Lock()
		t.sayUnused(len(in.Tools))
		t.mu.Unlock()
	}
	return t.end(ctx, got.answer, got.err), ctx.Err() == nil && t.strange(got.err)
}

// strange reports that the program refused the prompt because it does not know
// the session, before it said anything.
func (t *turn) strange(err error) bool {
	var no *refused
	return !t.heard && errors.As(err, &no) && saysNoSession().MatchString(no.words())
}

type reply struct {
	answer object
	err    error
}

// attach makes a turn the one that takes what arrives.
func (s *session) attach(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn, s.turned = t, true
	if t != nil {
		s.tell(t.tell)
	}
}

// openMode warns of a session that runs tools unasked and cannot be told to ask.
func (t *turn) openMode() []engine.Event {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if !t.s.settings.open() || t.s.asks == t.s.settings.mode.current {
		return nil
	}
	return []engine.Event{engine.Notice{
		Code:    "asks-nothing",
		Message: fmt.Sprintf("%s is in its mode %q, in which it runs tools without asking.", t.e.agent.Name, t.s.settings.mode.current),
	}}
}

// await waits for the prompt's answer, sees to Stop, and says what a silent turn
// waits for.
func (t *turn) await(ctx context.Context, answered <-chan reply) reply {
	r, err := program.Await(ctx, answered, program.Wait{
		Stop: t.stop, Limit: t.e.times.Stop, Look: t.sayWaiting, Every: min(t.e.times.Note, t.e.times.Silence),
	})
	if err != nil {
		return reply{err: err}
	}
	return r
}

// stop is Stop: once. What is open is answered and closed at once; what still
// comes until the answer is taken in.
func (t *turn) stop() {
	t.mu.Lock()
	t.stopped = true
	t.rows.stopAll()
	t.mu.Unlock()
	t.asks.cancelAll()
	t.s.p.tell("session/cancel", map[string]any{"sessionId": t.s.id})
}

// grace takes in what a program sends after its answer: until the next message
// waits, at most for a quarter of a second.
func (t *turn) grace(ctx context.Context, hurry <-chan struct{}) {
	timer := time.NewTimer(t.e.times.Grace)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-hurry:
	case <-ctx.Done():
	case <-t.s.p.gone:
	}
}

// emit hands an event on, unless the turn is over. t.mu is held.
func (t *turn) emit(ev engine.Event) {
	if !t.closed {
		t.sink.Emit(ev)
	}
}

// tell is emit for what is no part of the turn itself.
func (t *turn) tell(ev engine.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.emit(ev)
}

// update takes what belongs to the turn's words, steps and plan. It is called by
// the reader, with the session's lock held.
func (t *turn) update(kind string, u object) {
	t.stir()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if t.after {
		t.s.late = t.words.ids()
	}
	switch kind {
	case "agent_message_chunk":
		t.chunk(channelText, u)
	case "agent_thought_chunk":
		t.chunk(channelThought, u)
	case "tool_call", "tool_call_update":
		if t.rows.update(u) == nil {
			t.e.program.Count(kind + " without its id")
		}
		t.s.p.Step()
	case "plan":
		t.takePlan(u, "entries")
	}
}

// stir notes that something came, and takes back what was said to be waited for.
func (t *turn) stir() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.silence.Stir()
}

// sayWaiting says what a silent turn waits for, again and again.
func (t *turn) sayWaiting() {
	t.s.p.Step()
	open := t.asks.open() // then it is the person who is waited for
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case open, t.rows.inside > 0: // or a tool of Conch's own runs, which often asks the person
		t.silence.Stir()
	case !t.stopped:
		t.silence.Tick(cmp.Or(t.rows.running(), t.e.agent.Name))
	}
}

// retry is a program's word that a stream broke and its text is sent again.
func (t *turn) retry(update object) {
	t.stir()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || update.text("type") != "retrying" {
		return
	}
	t.words.retractAll()
	attempt, _ := update.number("attempt")
	limit, _ := update.number("max_retries")
	t.silence.Retries = fmt.Sprintf("it tries again (%d of %d)", attempt, limit)
	if reason := program.OneLine(update.text("reason"), maxErrorLine); reason != "" {
		t.silence.Retries += ", " + reason
	}
	t.silence.Say(t.e.agent.Name + ": " + t.silence.Retries)
}
