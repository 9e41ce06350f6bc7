package conversation

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"conch/chats"
	"conch/engine"
	"conch/redact"
)

const (
	maxMessage = 8 << 20         // bytes of one message
	stopGrace  = 5 * time.Second // how long a stopped turn may take to end; engines promise 3 s
)

// turn is one message on its way to a provider and back. It is the Sink.
type turn struct {
	m      *Manager
	id     string
	msg    Message
	by     string // "" for the person, byConch
	ctx    context.Context
	cancel context.CancelFunc
	began  time.Time
	hurry  chan struct{} // closed when the next message waits

	// Guarded by Manager.mu.
	who     string // the provider's id, "" until it is settled
	options engine.Options
	stopped bool // by the person
	urgent  int  // messages at the head of the queue that were sent after that
	hurried bool
	busy    time.Time // the last sign of life

	guard   *guard // nil until it is settled who answers
	pausing bool   // the guard cancelled it

	cautions   int    // how often its provider was brought back to asking
	whyStopped string // when it was not the person who stopped it

	// Set before the engine starts.
	engine    engine.Engine
	input     engine.TurnInput
	message   chats.Event // user.message
	form      engine.Form
	tools     []engine.Tool
	missing   []string // apps that are not there, a sentence each
	closeApps func()   // nil: none is connected
	give      given

	stream
}

// Send starts a turn with the message, or queues it while one runs. A message
// that is sent lets a held queue go: it goes first, the queued ones follow. So
// does one that is sent while a stopped turn still ends.
func (m *Manager) Send(msg Message) error {
	if err := check(msg); err != nil {
		return err
	}
	m.mu.Lock()
	if err := m.usable(); err != nil {
		m.mu.Unlock()
		return err
	}
	if m.turn != nil {
		err := m.enqueue(msg)
		m.mu.Unlock()
		if err == nil {
			m.keepQueue()
		}
		return err
	}
	m.status.held = ""
	t := m.reserve(msg)
	m.mu.Unlock()
	return m.start(t)
}

func check(msg Message) error {
	if strings.TrimSpace(msg.Text) == "" && len(msg.Attachments) == 0 {
		return ErrNothing
	}
	if len(msg.Text) > maxMessage {
		return fmt.Errorf("the message is larger than %d MB: give a file's path instead", maxMessage>>20)
	}
	return nil
}

// reserve makes a turn the running one. mu is held.
func (m *Manager) reserve(msg Message) *turn {
	t := &turn{m: m, id: ulid.Make().String(), msg: msg, began: m.deps.Now(), hurry: make(chan struct{})}
	if len(m.queue) > 0 {
		t.hurried = true
		close(t.hurry)
	}
	t.ctx, t.cancel = context.WithCancel(m.life)
	t.busy = t.began
	t.stream = newStream(t.id)
	m.turn = t
	m.idle = make(chan struct{})
	m.status.waiting = waiting{}
	m.work.Add(1)
	m.out.wake()
	return t
}

// start writes the message and lets the turn run. On an error nothing was
// started and the message is the caller's again.
func (m *Manager) start(t *turn) error {
	err := m.write(t)
	if err != nil {
		t.cancel()
		m.mu.Lock()
		m.turn = nil
		close(m.idle)
		m.out.wake()
		m.mu.Unlock()
		m.work.Done()
		return err
	}
	go m.run(t)
	return nil
}

// write puts the person's message into the log, behind the choices that it is
// answered with.
func (m *Manager) write(t *turn) error {
	if len(m.deps.Engines) == 0 {
		return fmt.Errorf("no provider is set up")
	}
	m.mu.Lock()
	var bodies []chats.Body
	if m.chosen.settled && !m.chosen.written {
		bodies = append(bodies, m.chosen.body())
		m.chosen.written = true
	}
	title := m.status.title
	named := m.status.lastSeq < 0 && title != ""
	m.mu.Unlock()

	said := chats.UserMessage{MessageID: t.id + "-0", Text: strings.ToValidUTF8(t.msg.Text, "\uFFFD"), By: t.by}
	for _, a := range t.msg.Attachments {
		said.Attachments = append(said.Attachments, attached(a))
	}
	e, err := m.begin(t.id, append(bodies, said)...)
	if err != nil {
		m.mu.Lock()
		m.chosen.written = m.chosen.written && len(bodies) == 0
		m.mu.Unlock()
		return fmt.Errorf("your message can't be kept, so it wasn't sent: %w", unwritable{err})
	}
	t.message = e
	if named {
		m.record("", chats.Title{Title: title, By: "person"})
	}
	m.entitle()
	return nil
}

// attached is what the log keeps of an attachment.
func attached(a engine.Attachment) chats.Attachment {
	kind := "link"
	switch {
	case strings.HasPrefix(a.MIME, "image/"):
		kind = "image"
	case a.Data != nil:
		kind = "text"
	}
	return chats.Attachment{Name: clean(a.Name, 200), Kind: kind, Bytes: int64(len(a.Data))}
}

// entitle takes the title that the log gives the chat: the person's, else the
// provider's, else the first words.
func (m *Manager) entitle() {
	sum, err := m.log.Summary()
	if err != nil {
		return // the title of before will do
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if sum.Title != m.status.title {
		m.status.title = sum.Title
		m.out.wake()
	}
}

// run carries a turn from its message to its one end, and starts the next.
func (m *Manager) run(t *turn) {
	defer m.work.Done()
	over := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		m.watch(t, over)
	}()
	res := m.play(t)
	close(over)
	<-watching
	t.cancel()
	m.finish(t, res)
}

// play gives the turn to its engine. It never panics.
func (m *Manager) play(t *turn) (res engine.Result) {
	defer func() {
		if v := recover(); v != nil {
			res = m.broke(t.who, v)
		}
	}()
	m.settle(t.ctx)
	if err := m.prepare(t); err != nil {
		return engine.Result{Outcome: engine.Failed, Error: err.Error()}
	}
	if res, ok := m.letGo(t); !ok {
		return res
	}
	m.awaitOpening(t)
	if t.ctx.Err() != nil {
		return engine.Result{Outcome: engine.Interrupted}
	}
	m.equip(t)
	if t.closeApps != nil {
		defer t.closeApps()
	}
	if err := m.address(t); err != nil {
		m.logf("chat %s: %v", m.ID(), err)
		return engine.Result{Outcome: engine.Failed, Error: "this chat's log can't be read, so nothing was sent", Detail: clean(err.Error(), 500)}
	}
	return m.drive(t)
}

// prepare fixes who answers and with what.
func (m *Manager) prepare(t *turn) error {
	m.mu.Lock()
	c := &m.chosen
	t.who = c.provider
	t.options = c.of(c.provider)
	t.options.Mode = c.mode
	t.guard = m.guardOf(t.who)
	if len(m.taints) > 0 && t.options.NativeMode != "" && !m.asksIn(t.who, t.options.NativeMode) {
		t.options.NativeMode = ""
	}
	written := c.written
	c.written = true
	body := c.body()
	tie := m.tie(t.who)
	tie.used = true
	m.out.wake()
	t.engine = m.engine(t.who)
	if t.engine != nil {
		t.name = t.engine.Info().Name
	}
	m.mu.Unlock()
	if t.engine == nil {
		return fmt.Errorf("%s isn't set up here", t.who)
	}
	if !written {
		m.record("", body)
	}
	return nil
}

// letGo waits for a turn of the engine that was given up. Turns of one chat go
// one after the other.
func (m *Manager) letGo(t *turn) (engine.Result, bool) {
	m.mu.Lock()
	late := m.tie(t.who).late
	m.mu.Unlock()
	if late == nil {
		return engine.Result{}, true
	}
	limit := time.NewTimer(stopGrace)
	defer limit.Stop()
	select {
	case <-late:
		m.mu.Lock()
		m.tie(t.who).late = nil
		m.mu.Unlock()
		return engine.Result{}, true
	case <-t.ctx.Done():
		return engine.Result{Outcome: engine.Interrupted}, false
	case <-limit.C:
		return engine.Result{
			Outcome: engine.Failed, Problem: engine.Unavailable,
			Error: t.who + " has not let go of the turn that was stopped", Next: "send again in a moment, or choose another provider",
		}, false
	}
}

// drive runs the engine's turn. One that does not end after Stop is given up:
// what comes of it later is dropped.
func (m *Manager) drive(t *turn) engine.Result {
	end := make(chan engine.Result, 1)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer func() {
			if v := recover(); v != nil {
				end <- m.broke(t.who, v)
			}
		}()
		end <- t.engine.Turn(t.ctx, t.input, t)
	}()
	select {
	case res := <-end:
		<-gone
		return res
	case <-t.ctx.Done():
	}
	limit := time.NewTimer(stopGrace)
	defer limit.Stop()
	select {
	case res := <-end:
		<-gone
		return res
	case <-limit.C:
		m.mu.Lock()
		m.tie(t.who).late = gone
		m.mu.Unlock()
		m.logf("chat %s: %s did not end its turn in %s", m.ID(), t.who, stopGrace)
		m.record(t.id, chats.Notice{Code: "given-up", Message: t.who + " did not answer the stop; it was given up"})
		return engine.Result{Outcome: engine.Interrupted}
	}
}

// broke makes a failed turn of a panic.
func (m *Manager) broke(who string, v any) engine.Result {
	m.logf("chat %s: panic while %s answered: %v", m.ID(), who, v)
	return engine.Result{
		Outcome: engine.Failed, Error: "Conch failed while " + orSome(who) + " answered; the chat is whole",
		Detail: clean(fmt.Sprint(v), 500), Next: "send the message again",
	}
}

func orSome(who string) string {
	if who == "" {
		return "the provider"
	}
	return who
}

// finish ends a turn: what is open in it, its one turn.completed, what is held
// and what goes next.
func (m *Manager) finish(t *turn, res engine.Result) {
	m.mu.Lock()
	stopped := t.stopped || m.closed
	paused := t.pausing && !stopped
	m.mu.Unlock()
	res = settleResult(res, stopped || paused)
	t.answerAll()
	t.close(&res)
	var pause *chats.Pause
	if paused {
		res.Outcome, res.Paused = engine.Success, true
		pause = t.guard.paused()
	}

	m.mu.Lock()
	tie := m.tie(t.who)
	if res.Model != "" {
		tie.model = res.Model
	} else {
		res.Model = tie.model
	}
	m.mu.Unlock()
	used := t.spent(res.Usage)
	if n := fresh(used); n > 0 && m.deps.Spent != nil && !local(t.engine) {
		m.deps.Spent(n)
	}

	end := chats.TurnCompleted{
		Outcome: string(res.Outcome), Usage: writeUsage(used), Error: res.Error, Detail: res.Detail,
		Problem: string(res.Problem), Next: res.Next, SignIn: res.SignIn, Paused: res.Paused, Pause: pause, Accepted: res.Accepted,
		Engine: t.who, Model: res.Model,
	}
	m.mu.Lock()
	m.status.lastEnd = &end
	m.mu.Unlock()
	m.record(t.id, end)
	if err := m.log.Sync(); err != nil {
		m.trouble(err)
	}
	m.entitle()
	m.beginWaiting(t, res)
	m.next(t, res)
}

// settleResult holds a result to what the contract says of it.
func settleResult(res engine.Result, stopped bool) engine.Result {
	switch res.Outcome {
	case engine.Success, engine.Interrupted:
	case engine.Failed:
		if stopped {
			res.Outcome = engine.Interrupted // ending its program is how it was stopped
		}
	default:
		res.Outcome = engine.Failed
	}
	if res.Outcome != engine.Failed {
		res.Error, res.Problem, res.Next, res.SignIn = "", engine.NoProblem, "", false
	} else if res.Error = clean(res.Error, 500); res.Error == "" {
		res.Error = "the turn failed and nothing was said why"
	}
	res.Next, res.Model = clean(res.Next, 300), clean(res.Model, 200)
	res.Detail, _ = redact.Redact(lastRunes(res.Detail, maxOutput))
	if res.Outcome != engine.Success {
		res.Paused = false
	}
	return res
}

// next lets the queue go on, or holds it and says why.
func (m *Manager) next(t *turn, res engine.Result) {
	m.mu.Lock()
	m.turn = nil
	m.status.waiting = waiting{}
	why := ""
	switch {
	case m.closed:
		why = "the chat was closed"
	case t.stopped && t.urgent == 0:
		why = cmp.Or(t.whyStopped, "you stopped the turn")
	case res.Outcome == engine.Failed:
		why = "the turn before failed"
	case res.Paused && t.urgent == 0:
		why = t.who + " paused"
	}
	var following *turn
	idle := m.idle
	if len(m.queue) > 0 {
		m.status.held = why
		if why == "" {
			following = m.reserve(m.queue[0])
			m.queue = m.queue[1:]
		}
	}
	m.out.wake()
	close(idle)
	m.mu.Unlock()
	if following == nil {
		return
	}
	if err := m.start(following); err != nil {
		m.putBack(following.msg, err)
		return
	}
	m.keepQueue()
}

// Stop ends the running turn as interrupted. It sends nothing and empties
// nothing: queued messages wait until the person sends.
func (m *Manager) Stop() {
	m.mu.Lock()
	t := m.turn
	m.mu.Unlock()
	m.stopWaiting("you stopped it")
	if t != nil {
		m.stop(t)
	}
}

func (m *Manager) stop(t *turn) {
	m.mu.Lock()
	t.stopped, t.urgent = true, 0
	m.out.wake()
	m.mu.Unlock()
	m.dismiss(t, "stop")
	t.cancel()
}
