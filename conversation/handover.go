package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/handoff"
)

// given is what a turn hands over.
type given struct {
	block  string
	count  handoff.Count
	shells []chats.Event // that go with the message
	owes   *int64        // a command of the provider's goes alone: the rest is due from here
}

// past is what a provider has of the chat.
type past struct {
	whose  string // the provider, when its session is the one of the log: it has seen its own turns
	took   bool   // it took part
	resume string
	since  int64 // the last event that it took in
	kind   handoff.Case
	lost   bool
}

// pastOf finds what a provider has of the chat.
func (m *Manager) pastOf(who string) (past, error) {
	sum, err := m.log.Summary()
	if err != nil {
		return past{}, err
	}
	rec, took := sum.Sessions[who]
	m.mu.Lock()
	defer m.mu.Unlock()
	tie := m.tie(who)
	p := past{whose: who, took: took, resume: rec.ResumeID, since: rec.Seq, kind: handoff.WentOn}
	switch {
	case tie.resume != "" && tie.resume != rec.ResumeID:
		p.whose, p.resume, p.lost = "", tie.resume, tie.lost && took
		p.since, p.kind = -1, handoff.Restart
	case took && rec.ResumeID == "":
		p.whose = ""
		p.since, p.kind = -1, handoff.Restart
	}
	if !took {
		p.since, p.kind = -1, handoff.Joined
	}
	return p, nil
}

// missed gives the events that a provider has not seen, before seq until (0: all).
// Commands of the person's that go with the next message are not among them.
func (m *Manager) missed(p past, until int64) ([]chats.Event, handoff.Options, error) {
	o := handoff.Options{Case: p.kind, Since: p.since, Until: until, Keys: m.deps.Keys}
	events, err := m.log.Since(p.since)
	if err != nil {
		return nil, o, err
	}
	return m.withoutShells(events, turnsOf(p.whose, events)), o, nil
}

// turnsOf gives the turns that a provider took in. There are some among what it
// missed when something before their end was left for later.
func turnsOf(who string, events []chats.Event) map[string]bool {
	turns := map[string]bool{}
	for _, e := range events {
		engine := ""
		switch b := e.Body.(type) {
		case chats.Session:
			engine = b.Engine
		case chats.TurnCompleted:
			if b.Accepted {
				engine = b.Engine
			}
		}
		if engine != "" && engine == who {
			turns[e.Turn] = true
		}
	}
	return turns
}

// withoutShells takes out the commands of the person's that go with the next
// message, and the turns that were seen.
func (m *Manager) withoutShells(events []chats.Event, seen map[string]bool) []chats.Event {
	m.mu.Lock()
	waiting := make(map[int64]bool, len(m.shells))
	for _, e := range m.shells {
		waiting[e.Seq] = true
	}
	m.mu.Unlock()
	if len(waiting) == 0 && len(seen) == 0 {
		return events
	}
	return slices.DeleteFunc(events, func(e chats.Event) bool { return waiting[e.Seq] || e.Turn != "" && seen[e.Turn] })
}

// address makes what the engine is given.
func (m *Manager) address(t *turn) error {
	p, err := m.pastOf(t.who)
	if err != nil {
		return err
	}
	events, o, err := m.missed(p, t.message.Seq)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.past = p
	m.mu.Lock()
	shells := slices.DeleteFunc(slices.Clone(m.shells), func(e chats.Event) bool { return e.Seq > t.message.Seq })
	commands := m.tie(t.who).commands
	m.mu.Unlock()

	prompt := t.msg.Text
	block, count := handoff.Build(m.withSeen(events, o), o)
	if isCommand(t.msg.Text, commands) {
		if block != "" || len(shells) > 0 {
			t.give.owes = &p.since
		}
	} else {
		t.give = given{block: block, count: count, shells: shells}
		prompt = join(block, m.ran(shells), appsMissing(t.missing), t.msg.Text)
	}
	t.input = engine.TurnInput{
		ConversationID: m.ID(), Seq: t.message.Seq - 1, Prompt: prompt, ResumeID: p.resume,
		FreshPrompt: func() string { return m.afresh(t) }, SystemAppend: m.instructions(t.engine, t.form, t.tools),
		Cwd: m.folder, Options: t.options, Attachments: t.msg.Attachments, ProtectedPaths: m.protected(),
		Tools: t.tools, Hurry: t.hurry,
	}
	return nil
}

func join(parts ...string) string {
	kept := slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(kept, "\n\n")
}

// isCommand reports that a message is one of the provider's own commands. It has
// to begin the prompt, so nothing may stand before it.
func isCommand(text string, known []engine.SlashCommand) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	word, _, _ = strings.Cut(word, "\n")
	return strings.HasPrefix(text, "/") && slices.ContainsFunc(known, func(c engine.SlashCommand) bool { return c.Name == word })
}

// afresh tells the whole chat, for a session that could not be carried on.
func (m *Manager) afresh(t *turn) string {
	whole := past{since: -1, kind: handoff.Restart}
	t.mu.Lock()
	if !t.past.took {
		whole.kind = handoff.Joined // a session was opened ahead, and is gone
	}
	t.mu.Unlock()
	events, o, err := m.missed(whole, t.message.Seq)
	if err != nil {
		m.logf("chat %s: tell it again: %v", m.ID(), err)
	}
	block, count := handoff.Build(events, o)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.give.block, t.give.count, t.give.owes = block, count, nil
	if isCommand(t.msg.Text, m.commandsOf(t.who)) {
		return join(block, t.msg.Text)
	}
	if t.accepted {
		m.handOver(t)
	}
	return join(block, m.ran(t.give.shells), appsMissing(t.missing), t.msg.Text)
}

func (m *Manager) commandsOf(who string) []engine.SlashCommand {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tie(who).commands
}

// handOver puts into the chat what the provider was told. t.mu is held.
func (m *Manager) handOver(t *turn) {
	if t.give.block == "" {
		return
	}
	m.mu.Lock()
	m.handed.provider, m.handed.block = t.who, t.give.block
	m.mu.Unlock()
	m.record(t.id, chats.Handoff{Engine: t.who, Messages: t.give.count.Messages, Steps: t.give.count.Steps, Block: t.give.block})
}

// wasTold follows the first sign that the provider took the prompt in: what it
// was handed counts as seen from here on. t.mu is held.
func (m *Manager) wasTold(t *turn) {
	m.handOver(t)
	m.record(t.id, t.sessionBody())
	lost := t.past.lost || t.session != nil && t.session.Restarted == engine.Lost
	if lost && t.past.took {
		m.heal(t)
	}
	m.mu.Lock()
	told := map[int64]bool{}
	for _, e := range t.give.shells {
		told[e.Seq] = true
	}
	m.shells = slices.DeleteFunc(m.shells, func(e chats.Event) bool { return told[e.Seq] })
	tie := m.tie(t.who)
	tie.resume, tie.lost = "", false
	m.mu.Unlock()
	if t.give.owes != nil {
		m.record(t.id, chats.Notice{Code: "handoff", Message: "the command went alone: what " + t.who + " missed goes with the next message"})
	}
}

// heal says in one quiet line that a session was gone.
func (m *Manager) heal(t *turn) {
	says := t.who + "'s session was gone; it was told the whole chat again"
	m.mu.Lock()
	m.healed = append(m.healed, Healed{Provider: t.who, At: m.deps.Now(), Message: says})
	m.mu.Unlock()
	m.record(t.id, chats.Notice{Code: "healed", Message: says})
}

// keepSession remembers a session that has seen nothing yet: of Open, or of a
// turn whose prompt was not taken in.
func (m *Manager) keepSession(who string, s engine.Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tie := m.tie(who)
	tie.resume = s.ResumeID
	tie.lost = tie.lost || s.Restarted == engine.Lost
}

// sameSession reports that two resume ids of an engine are of one session: what an
// engine notes in them beside it may change, and the session has seen the same.
func sameSession(e engine.Engine, a, b string) bool {
	if a == b {
		return true
	}
	namer, ok := e.(engine.SessionNamer)
	if !ok {
		return false
	}
	id := namer.AppSession(a)
	return id != "" && id == namer.AppSession(b)
}

// LastHandoff is the last block that was handed over, and to whom, also in another
// life of the program. It may read the log.
func (m *Manager) LastHandoff() (provider, block string) {
	m.mu.Lock()
	provider, block = m.handed.provider, m.handed.block
	m.mu.Unlock()
	for before, more := m.log.LastSeq()+1, true; block == "" && more && before > 0; {
		var events []chats.Event
		var err error
		if events, more, err = m.log.Before(before, handoffBytes); err != nil || len(events) == 0 {
			return "", ""
		}
		for _, e := range slices.Backward(events) {
			if b, ok := e.Body.(chats.Handoff); ok && b.Block != "" {
				return b.Engine, b.Block
			}
		}
		before = events[0].Seq
	}
	return provider, block
}

// handoffBytes is how much of a log is looked through at once for a block.
const handoffBytes = 1 << 20

// Missed counts what a provider has not seen.
type Missed struct {
	Everything bool // it never took part
	Messages   int
	Steps      int
}

// counts remembers what the whole chat comes to, up to the end of a turn.
type counts struct {
	upto            int64
	messages, steps int
	made            bool
}

// Missed says what a provider would be told with the next message. It reads the
// log: the first time, for a provider that never took part, all of it.
func (m *Manager) Missed(provider string) Missed {
	p, err := m.pastOf(provider)
	if err != nil {
		return Missed{}
	}
	out := Missed{Everything: !p.took}
	if p.since >= 0 {
		events, o, err := m.missed(p, 0)
		if err == nil {
			n := handoff.Missed(events, o)
			out.Messages, out.Steps = n.Messages, n.Steps
		}
		return out
	}
	out.Messages, out.Steps = m.whole()
	return out
}

// whole counts all of the chat. What was counted before is not read again.
func (m *Manager) whole() (messages, steps int) {
	m.mu.Lock()
	base := m.counts
	m.mu.Unlock()
	if !base.made {
		base.upto = -1
	}
	events, err := m.log.Since(base.upto)
	if err != nil {
		return base.messages, base.steps
	}
	if base.made && slices.ContainsFunc(events, movesStart) {
		base = counts{upto: -1}
		if events, err = m.log.Since(-1); err != nil {
			return 0, 0
		}
	}
	o := handoff.Options{Case: handoff.Joined, Since: -1}
	last := -1
	for i, e := range events {
		if _, end := e.Body.(chats.TurnCompleted); end {
			last = i
		}
	}
	all := handoff.Missed(m.withoutShells(slices.Clone(events), nil), o)
	messages, steps = base.messages+all.Messages, base.steps+all.Steps
	if last >= 0 && m.shellsWaiting() == 0 {
		done := handoff.Missed(slices.Clone(events[:last+1]), o)
		m.mu.Lock()
		m.counts = counts{upto: events[last].Seq, messages: base.messages + done.Messages, steps: base.steps + done.Steps, made: true}
		m.mu.Unlock()
	}
	return messages, steps
}

// movesStart reports that an event changes what of the chat is handed over.
func movesStart(e chats.Event) bool {
	switch e.Body.(type) {
	case chats.ContextCleared, chats.ContextRestored:
		return true
	}
	return false
}

func (m *Manager) shellsWaiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.shells)
}

// Forget removes what the engines themselves keep of a chat's sessions, those that
// it had before too: behind a clear, and of a session that was replaced. It is called
// when a chat is deleted for good. Which engine an older session was of is not known:
// each is told all of them, and passes over an id that is not of its form.
func Forget(ctx context.Context, engines []engine.Engine, chat chats.Summary) error {
	var failed []error
	for _, e := range engines {
		own := chat.Sessions[e.Info().ID].ResumeID
		others := map[string]bool{"": true, own: true}
		for id, s := range chat.Sessions {
			others[s.ResumeID] = others[s.ResumeID] || id != e.Info().ID
		}
		ids := slices.DeleteFunc(slices.Clone(chat.Held), func(id string) bool { return others[id] })
		if own != "" {
			ids = append(ids, own)
		}
		for _, id := range ids {
			if err := e.ForgetSession(ctx, id); err != nil {
				failed = append(failed, fmt.Errorf("forget a session of %s: %w", e.Info().ID, err))
			}
		}
	}
	return errors.Join(failed...)
}

// awaitOpening lets an opening of the same engine end first.
func (m *Manager) awaitOpening(t *turn) {
	m.mu.Lock()
	opening := m.opening[t.who]
	m.mu.Unlock()
	if opening == nil {
		return
	}
	select {
	case <-opening:
	case <-t.ctx.Done():
		// The opening ends with its own limits; the turn's start is over.
		limit := time.NewTimer(stopGrace)
		defer limit.Stop()
		select {
		case <-opening:
		case <-limit.C:
		}
	}
}
