package conversation

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"conch/chats"
	"conch/engine"
)

const (
	maxOutput  = 8000      // characters of a step's output, the last ones
	maxView    = 1 << 20   // bytes of what a row can show
	maxInput   = 256 << 10 // bytes of a call's arguments
	maxSubject = 8000      // characters of a row's subject
	maxNotices = 100       // a turn
	maxPlan    = 200       // steps of a plan
)

// stream is what came of a turn so far. Everything in it is guarded by its mu.
type stream struct {
	mu       sync.Mutex
	prefix   string
	name     string // the provider's, as a person reads it
	last     int    // the newest number given to a message, step or request
	messages map[string]*message
	steps    map[string]*step // by the engine's id, the newest with it
	past     past
	session  *engine.Session
	accepted bool
	reported engine.Usage
	plan     string
	notices  int
	asked    int
	asks     sync.WaitGroup // requests that are not answered yet
	closing  bool           // no more of them
	closed   bool
}

// message is one of the assistant's. Engines may use an id again; here none is
// used twice.
type message struct {
	id   string
	n    int
	open bool
}

func newStream(turn string) stream {
	return stream{prefix: turn, messages: map[string]*message{}, steps: map[string]*step{}}
}

// newID gives an id that no other message, step or request of any turn has.
func (s *stream) newID() string {
	s.last++
	return s.prefix + "-" + strconv.Itoa(s.last)
}

// Emit takes an event of the engine. What comes after the end of the turn is
// dropped and counted. It writes to the chat's log and never waits for the
// screen.
func (t *turn) Emit(e engine.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		t.m.drop()
		t.m.logf("chat %s: %s sent a %T after the end of its turn", t.m.ID(), t.who, e)
		return
	}
	t.alive(e)
	if t.guard.saw(e); t.guard.paused() != nil {
		defer t.m.pauseOver(t)
	}
	switch e := e.(type) {
	case engine.Session:
		t.hasSession(e)
	case engine.Text:
		t.say(e.MessageID, chats.ChannelText, e.Delta)
	case engine.Thought:
		t.say(e.MessageID, chats.ChannelThought, e.Delta)
	case engine.MessageDone:
		t.done(e.MessageID, false)
	case engine.Retract:
		t.done(e.MessageID, true)
	case engine.ToolStart:
		t.accept()
		t.startStep(e)
	case engine.ToolUpdate:
		t.accept()
		t.updateStep(e)
	case engine.ToolEnd:
		t.accept()
		t.endStep(e)
	case engine.Plan:
		t.planned(e)
	case engine.Usage:
		t.usage(e)
	case engine.Notice:
		t.notice(e)
	case engine.Compacted:
		t.m.record(t.id, compacted(e, t.who, t.m.modelOf(t.who)))
	case engine.Waiting: // alive has it
	default:
		t.m.learn(t.who, e)
	}
}

// drop counts an event that came too late or made no sense.
func (m *Manager) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.dropped++
}

// learn takes in what a provider says of itself, in a turn or ahead of it.
func (m *Manager) learn(who string, e engine.Event) {
	switch e := e.(type) {
	case engine.Commands:
		m.mu.Lock()
		m.tie(who).commands = e.List
		m.out.wake()
		m.mu.Unlock()
	case engine.Offers:
		m.mu.Lock()
		m.tie(who).offers = e
		m.out.wake()
		if t := m.turn; t != nil && t.who == who && t.engine != nil && len(m.taints) > 0 && m.opens(who) {
			m.work.Go(func() { m.asksFromHere(t) }) // it waits for the provider, which waits for this
		}
		m.mu.Unlock()
	case engine.Limits:
		m.mu.Lock()
		m.tie(who).limits, m.tie(who).limitsAt = windows(e), m.deps.Now()
		m.out.wake()
		m.mu.Unlock()
	case engine.Title:
		m.titled(e.Text)
	}
}

// titled takes the provider's title. The person's own stays above it, and an
// empty chat gets none: nothing of it is written before its first message.
func (m *Manager) titled(text string) {
	title := clean(text, 200)
	m.mu.Lock()
	idle := m.status.lastSeq < 0 || title == "" || title == m.status.given
	m.status.given = title
	m.mu.Unlock()
	if idle || m.log.ReadOnly() {
		return
	}
	m.record("", chats.Title{Title: title, By: "provider"})
	m.entitle()
}

// hasSession remembers the session until the provider took the prompt in: only
// then has it seen what it was told.
func (t *turn) hasSession(e engine.Session) {
	e.Model = clean(e.Model, 200)
	first := t.session == nil
	if !first && e.Restarted == "" {
		e.Restarted = t.session.Restarted
	}
	t.session = &e
	t.m.mu.Lock()
	tie := t.m.tie(t.who)
	tie.opened = true
	if e.Model != "" {
		tie.model = e.Model
	}
	t.m.mu.Unlock()
	if t.accepted {
		t.m.record(t.id, t.sessionBody())
	} else if e.Restarted != "" || !sameSession(t.engine, e.ResumeID, t.past.resume) {
		t.m.keepSession(t.who, e)
	}
}

func (t *turn) sessionBody() chats.Session {
	if t.session == nil {
		return chats.Session{Engine: t.who, ResumeID: t.input.ResumeID, Owes: t.give.owes}
	}
	return chats.Session{
		Engine: t.who, ResumeID: t.session.ResumeID, Model: t.session.Model, Restarted: t.session.Restarted, Owes: t.give.owes,
	}
}

// accept notes that the provider took the prompt in, with the first thing that
// shows it.
func (t *turn) accept() {
	if t.accepted {
		return
	}
	t.accepted = true
	t.m.wasTold(t)
}

// say takes a piece of a message.
func (t *turn) say(id, channel, delta string) {
	if delta == "" {
		return
	}
	t.accept()
	msg := t.messages[id]
	if msg == nil || !msg.open {
		msg = &message{id: t.newID(), open: true}
		msg.n = t.last
		t.messages[id] = msg
	}
	at := t.m.deps.Now().UnixMilli()
	t.m.mu.Lock()
	t.m.out.say(t.id, at, piece{msg.id, channel}, strings.ToValidUTF8(delta, "\uFFFD"))
	t.m.mu.Unlock()
}

// done ends a message, or takes it back.
func (t *turn) done(id string, retract bool) {
	msg := t.messages[id]
	if msg == nil || !msg.open {
		if retract {
			t.m.drop()
		}
		return
	}
	msg.open = false
	if retract {
		t.m.mu.Lock()
		t.m.out.unsay(msg.id)
		t.m.mu.Unlock()
	}
	t.m.record(t.id, chats.AssistantDone{MessageID: msg.id, Retracted: retract})
}

func (t *turn) planned(e engine.Plan) {
	steps := make([]chats.PlanStep, 0, min(len(e.Steps), maxPlan))
	for _, each := range e.Steps[:min(len(e.Steps), maxPlan)] {
		switch each.Status {
		case "pending", "active", "done":
			steps = append(steps, chats.PlanStep{Title: clean(each.Title, 300), Status: each.Status})
		}
	}
	if len(steps) == 0 && len(e.Steps) > 0 {
		t.m.drop()
		return
	}
	raw, err := json.Marshal(steps)
	if err != nil || string(raw) == t.plan {
		return
	}
	t.plan = string(raw)
	t.accept()
	t.m.record(t.id, chats.Plan{Steps: steps})
}

// notice puts a quiet line into the chat. A healed session is said by the
// Manager itself, once.
func (t *turn) notice(e engine.Notice) {
	healed := e.Code == "healed" && t.session != nil && t.session.Restarted == engine.Lost
	message := clean(e.Message, 500)
	if healed || message == "" {
		return
	}
	if t.notices++; t.notices > maxNotices {
		t.m.drop()
		return
	}
	t.m.record(t.id, chats.Notice{Code: code(e.Code), Message: message})
}

// code keeps a notice's code to what the log may hold.
func code(s string) string {
	for _, r := range s {
		if r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return "provider"
		}
	}
	if s == "" || len(s) > 40 {
		return "provider"
	}
	return s
}

// close ends what is open in the turn. Nothing is taken in after it.
func (t *turn) close(res *engine.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if res.Accepted || res.Outcome == engine.Success {
		t.accept()
	}
	res.Accepted = t.accepted
	t.closeSteps(res.Outcome)
	if res.Outcome == engine.Success {
		for _, msg := range t.openMessages() {
			t.m.record(t.id, chats.AssistantDone{MessageID: msg.id})
			msg.open = false
		}
	}
	t.closed = true
	t.m.checkpoint()
}

// openMessages are those without an end, oldest first.
func (t *turn) openMessages() []*message {
	var open []*message
	for _, msg := range t.messages {
		if msg.open {
			open = append(open, msg)
		}
	}
	slices.SortFunc(open, func(a, b *message) int { return cmp.Compare(a.n, b.n) })
	return open
}

// rawView is a view as the log keeps it, nil when it says nothing.
func rawView(v engine.View) json.RawMessage {
	raw, err := json.Marshal(v)
	if err == nil && len(raw) > maxView {
		v.Diffs, v.Locations = nil, nil
		if v.Result == "" {
			v.Result = "too large to show"
		}
		raw, err = json.Marshal(v)
	}
	if err != nil || string(raw) == "{}" {
		return nil
	}
	return raw
}

func rawInput(raw json.RawMessage) json.RawMessage {
	if len(raw) > maxInput || !json.Valid(raw) {
		return nil
	}
	return raw
}

// lastRunes keeps the last n characters.
func lastRunes(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	at := len(s)
	for ; n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}

// firstRunes keeps the first n characters.
func firstRunes(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	seen := 0
	for at := range s {
		if seen == n {
			return s[:at]
		}
		seen++
	}
	return s
}

var _ engine.Sink = (*turn)(nil)
