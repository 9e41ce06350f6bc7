package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"conch/engine"
	"conch/program"
)

// turn is one message from its sending to its end. What the program says arrives
// on the connection's reader; mu orders it with what Stop and the person do.
type turn struct {
	e    *Engine
	th   *thread
	sink engine.Sink
	key  string // before every id, so that two turns share none
	cwd  string

	tools []engine.Tool
	asks  *lane // approvals and questions
	calls *lane // of Conch's tools, one at a time
	ctx   context.Context

	ended chan ending // holds one

	mu      sync.Mutex
	id      string // as Codex names it; "" until it is known
	closed  bool   // nothing is emitted any more
	stopped bool   // Stop came
	heard   bool   // a word or a step came: the message was taken in
	words   words
	rows    rows
	base    *tokens // the thread's tokens before this turn
	usage   engine.Usage
	last    turnError // of an error that is final
	silence program.Silence
	seen    map[string]bool // ids of tool calls
	asked   map[string]bool // items whose approval was asked for
}

// ending is the turn's completion, or why it was not taken in.
type ending struct {
	turnInfo
	err error
}

// Turn sends a message and blocks until the turn is over.
func (e *Engine) Turn(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
	c, ctx, leave, err := e.enter(ctx, in.ConversationID)
	if err != nil {
		return e.explain(err)
	}
	defer leave()
	th, err := c.ready(ctx, in)
	if err != nil {
		r := e.explain(err)
		c.learn(r)
		return r
	}
	t := &turn{
		e: e, th: th, sink: sink, key: fmt.Sprintf("%d.%d", in.Seq, e.turns.Add(1)), cwd: in.Cwd, tools: in.Tools,
		ended: make(chan ending, 1), seen: map[string]bool{}, asked: map[string]bool{},
	}
	t.words.turn, t.rows.turn = t, t
	t.silence = program.NewSilence(e.times.Silence, t.emit)
	r := t.run(ctx, c, in)
	c.learn(r)
	return r
}

// run sends the message and sees the turn to its end.
func (t *turn) run(ctx context.Context, c chat, in engine.TurnInput) engine.Result {
	th := t.th
	text := in.Prompt
	if th.stands != "" && !th.begun && in.FreshPrompt != nil {
		text = in.FreshPrompt()
	}
	t.sink.Emit(th.session())
	t.sink.Emit(th.p.offers(th))
	if l := th.p.windows(); len(l.Windows) > 0 {
		t.sink.Emit(l)
	}
	th.begun = true

	t.ctx = ctx
	t.asks, t.calls = newLane(ctx), newLane(ctx)
	defer t.calls.wait()
	defer t.asks.wait()
	th.attach(t)
	defer th.attach(nil)

	t.send(t.params(in, text))
	end, err := program.Await(ctx, t.ended, program.Wait{
		Gone: th.p.conn.gone, Stop: t.stop, Limit: t.e.times.Stop, Look: t.sayWaiting, Every: min(t.e.times.Note, t.e.times.Silence),
	})
	if err == nil {
		err = end.err
	}
	switch {
	case errors.Is(err, program.ErrDidNotStop):
		t.broke()
		c.Kill()
	case err != nil:
		t.broke()
		err = c.broken(context.Background(), th.p, err)
	}
	r := t.end(ctx, end.turnInfo, err)
	if err == nil {
		th.keep()
	}
	return r
}

// send sends the message. That it was not taken is the turn's end; told is the digest
// of the instructions that go along.
func (t *turn) send(params map[string]any, told string) {
	th := t.th
	t.e.calls.Go(func() {
		_, err := th.p.conn.callHearing(context.Background(), "turn/start", params, t.e.times.Thread, "it did not take the message", func(result json.RawMessage) {
			th.mu.Lock()
			th.told, th.unsaid = told, ""
			th.mu.Unlock()
			t.named(result)
		})
		if err != nil {
			t.over(ending{err: err})
		}
	})
}

// over gives the turn its end, if it has none.
func (t *turn) over(end ending) {
	select {
	case t.ended <- end:
	default:
	}
}

// params are those of turn/start, with the digest of the instructions that the
// thread is told by it. A thread keeps those of its start; others go along as
// context, which it keeps too.
func (t *turn) params(in engine.TurnInput, text string) (params map[string]any, told string) {
	input := []any{map[string]any{"type": "text", "text": text, "text_elements": []any{}}}
	for _, a := range in.Attachments {
		input = append(input, attached(a))
	}
	params = map[string]any{"threadId": t.th.id, "input": input}
	if model := cmp.Or(in.Options.Model, t.e.agent.Model); model != "" {
		params["model"] = model
	}
	if in.Options.Effort != "" {
		params["effort"] = in.Options.Effort
	}
	context := map[string]any{}
	told = digestOf(in.SystemAppend)
	if t.th.told != told {
		context["conch"] = map[string]any{"kind": "application", "value": replaced(in.SystemAppend)}
	}
	if t.th.unsaid != "" {
		context["conch-stopped"] = map[string]any{"kind": "application", "value": stoppedAfter + t.th.unsaid}
	}
	if len(context) > 0 {
		params["additionalContext"] = context
	}
	return params, told
}

// stoppedAfter stands before what Codex had said of an answer when it was stopped.
// The person has it before them, and Codex itself keeps nothing of it.
const stoppedAfter = "Your last answer was stopped before its end. Until then you had said, and the person has read:\n\n"

// maxUnsaid is in characters; of a longer one its end is kept.
const maxUnsaid = 12000

// broke notes a turn that will have no end of Codex's: what its rollout has of it is
// kept all the same, for the message counts as seen.
func (t *turn) broke() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.heard {
		return
	}
	t.th.mu.Lock()
	defer t.th.mu.Unlock()
	t.th.turns++
	t.th.unsaid = t.words.unsaid()
}

// replaced frames instructions as taking the place of those from before.
func replaced(instructions string) string {
	if instructions == "" {
		return "The instructions that Conch, the application, gave you earlier in this conversation hold no longer."
	}
	return "Conch, the application, has new instructions. They take the place of all that it gave you earlier in this conversation:\n\n" + instructions
}

// named takes the turn's id, before anything that is said of it.
func (t *turn) named(result json.RawMessage) {
	var o struct {
		Turn turnInfo `json:"turn"`
	}
	lenient(result, &o)
	t.begins(o.Turn.ID)
}

// attach makes a turn the one that takes what arrives.
func (th *thread) attach(t *turn) {
	th.mu.Lock()
	defer th.mu.Unlock()
	th.turn = t
}

// stop is Stop: once. What is open is closed and answered at once.
func (t *turn) stop() {
	t.mu.Lock()
	t.stopped = true
	t.interrupt()
	t.rows.stopAll()
	t.mu.Unlock()
	t.asks.cancel()
	t.calls.cancel()
}

// interrupt stops a turn that has a name; another one is stopped when it gets it. An
// old Codex never answers when nothing runs: the completion is what counts. t.mu is
// held.
func (t *turn) interrupt() {
	if id := t.id; id != "" {
		t.e.calls.Go(func() {
			_, _ = t.th.p.conn.call(context.Background(), "turn/interrupt", map[string]any{"threadId": t.th.id, "turnId": id}, t.e.times.Stop, "it did not stop")
		})
	}
}

// steer puts words into the running turn.
func (t *turn) steer(ctx context.Context, text string) bool {
	t.mu.Lock()
	id, over := t.id, t.closed || t.stopped
	t.mu.Unlock()
	if over || id == "" {
		return false
	}
	_, err := t.th.p.conn.call(ctx, "turn/steer", map[string]any{
		"threadId": t.th.id, "expectedTurnId": id,
		"input": []any{map[string]any{"type": "text", "text": text, "text_elements": []any{}}},
	}, t.e.times.Asking, "it did not take the words")
	return err == nil
}

// take takes what is said of the thread. It is called by the reader.
func (th *thread) take(method string, m said) {
	t := th.running()
	if method == "thread/tokenUsage/updated" {
		th.mu.Lock()
		th.usage = m.Usage
		th.mu.Unlock()
	}
	if t == nil {
		return // a history, or what comes too late
	}
	turn := cmp.Or(m.Turn, m.TurnInfo.ID)
	if method == "turn/started" {
		t.begins(turn)
	}
	if turn != "" && !t.mine(turn) {
		t.e.program.Count(method + " of another turn")
		return
	}
	t.take(method, m)
}

// begins takes the turn's id, from the answer that names it or, should that come
// before, from the word that it has begun.
func (t *turn) begins(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.id != "" {
		return
	}
	t.id = id
	if t.stopped && !t.closed {
		t.interrupt()
	}
}

// mine reports that an id is this turn's. Behind a resume the figures of the last
// turn come once more.
func (t *turn) mine(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id == id
}

func (t *turn) take(method string, m said) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.silence.Stir()
	switch method {
	case "turn/started":
	case "item/agentMessage/delta":
		t.words.delta(m.ItemID, m.Delta, false)
	case "item/reasoning/summaryTextDelta", "item/reasoning/textDelta":
		t.words.delta(m.ItemID, m.Delta, true)
	case "item/reasoning/summaryPartAdded":
		t.words.part(m.ItemID)
	case "item/started":
		t.rows.started(m.What)
		t.th.p.Step()
	case "item/completed":
		t.rows.completed(m.What)
	case "item/commandExecution/outputDelta":
		t.rows.output(m.ItemID, m.Delta)
	case "turn/plan/updated":
		t.takePlan(m.Plan)
	case "thread/tokenUsage/updated":
		t.takeUsage(m.Usage)
	case "error":
		t.takeError(m)
	case "thread/compacted":
	case "turn/completed":
		t.over(ending{turnInfo: m.TurnInfo})
	default:
		if !quietMethod(method) && !strings.HasPrefix(method, "item/") {
			t.e.program.Count(method)
		}
	}
}

// takeError takes a failure of the model's server. While Codex tries again, what it
// had said in part is said anew.
func (t *turn) takeError(m said) {
	if !m.WillRetry {
		t.last = m.Error
		return
	}
	t.words.retry()
	t.silence.Retries = program.OneLine(m.Error.Message, maxErrorLine)
	t.silence.Say(t.e.agent.Name + ": " + cmp.Or(t.silence.Retries, "it tries again"))
}

func (t *turn) takePlan(plan []planStep) {
	status := map[string]string{"pending": "pending", "inProgress": "active", "completed": "done"}
	var steps []engine.PlanStep
	for _, each := range plan {
		if title, s := program.OneLine(each.Step, maxName), status[each.Status]; title != "" && s != "" && len(steps) < maxChoices {
			steps = append(steps, engine.PlanStep{Title: title, Status: s})
		}
	}
	if len(steps) > 0 {
		t.emit(engine.Plan{Steps: steps})
	}
}

// takeUsage counts what the turn used: Codex tells what the thread has.
func (t *turn) takeUsage(u tokenUsage) {
	if t.base == nil {
		t.base = &tokens{Input: u.Total.Input - u.Last.Input, Output: u.Total.Output - u.Last.Output, Cached: u.Total.Cached - u.Last.Cached}
	}
	count := func(now, before int64) *int64 { n := max(0, now-before); return &n }
	t.usage.InputTokens = count(u.Total.Input, t.base.Input)
	t.usage.OutputTokens = count(u.Total.Output, t.base.Output)
	t.usage.CachedTokens = count(u.Total.Cached, t.base.Cached)
	if u.Last.Total > 0 {
		t.usage.ContextUsed = &u.Last.Total
	}
	if u.Window > 0 {
		t.usage.ContextSize = &u.Window
	}
	t.emit(t.usage)
}

// end closes what is open and gives the turn its one end.
func (t *turn) end(ctx context.Context, info turnInfo, err error) engine.Result {
	t.asks.cancel()
	t.calls.cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.outcome(ctx, info, err)
	t.silence.Say("")
	t.rows.closeAll(r.Outcome == engine.Interrupted)
	unsaid := t.words.unsaid()
	t.words.settle()
	r.Usage = t.usage
	th := t.th
	th.mu.Lock()
	if info.Status != "" {
		th.turns++
		th.unsaid = unsaid
	}
	r.Model = th.model
	th.mu.Unlock()
	r.Accepted = t.heard || r.Outcome == engine.Success || r.Outcome == engine.Interrupted && info.Status != ""
	t.closed = true
	return r
}

func (t *turn) outcome(ctx context.Context, info turnInfo, err error) engine.Result {
	switch {
	case errors.Is(err, program.ErrDidNotStop):
		t.emit(program.DidNotStop(t.e.agent.Name))
		return engine.Result{Outcome: engine.Interrupted}
	case t.stopped || ctx.Err() != nil:
		return engine.Result{Outcome: engine.Interrupted}
	case err != nil:
		return t.e.explain(err)
	}
	switch info.Status {
	case "completed":
		return engine.Result{Outcome: engine.Success}
	case "interrupted":
		t.emit(program.EndedItself(t.e.agent.Name))
		return engine.Result{Outcome: engine.Interrupted}
	}
	failed := t.last
	if info.Error != nil {
		failed = *info.Error
	}
	return t.e.explainTurn(failed, t.th.p)
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

// sayWaiting says what a silent turn waits for, again and again.
func (t *turn) sayWaiting() {
	t.th.p.Step()
	open := t.asks.open() || t.calls.open() // then it is the person or a tool of ours
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case open:
		t.silence.Stir()
	case !t.stopped:
		t.silence.Tick(cmp.Or(t.rows.running(), t.e.agent.Name))
	}
}
