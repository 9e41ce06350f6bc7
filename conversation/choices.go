package conversation

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"conch/chats"
	"conch/engine"
)

// choices is what the chat answers with from the next message on.
type choices struct {
	provider string
	settled  bool // the provider was chosen, by the person, the chat or the defaults
	mode     engine.Mode
	own      map[string]engine.Options // by provider; Mode is not used
	written  bool                      // the log says all of it
}

// of is what was chosen for a provider. A model is never sent to another one.
func (c *choices) of(provider string) engine.Options { return c.own[provider] }

// body is the choices as the log keeps them.
func (c *choices) body() chats.Options {
	own := c.of(c.provider)
	return chats.Options{
		Engine: c.provider, Model: own.Model, Effort: own.Effort, Mode: string(c.mode), NativeMode: own.NativeMode,
	}
}

// restore takes up what the chat's log says of it.
func (m *Manager) restore(sum chats.Summary) error {
	m.status = facts{title: sum.Title, readOnly: m.log.ReadOnly(), lastSeq: m.log.LastSeq(), said: sum.Messages > 0}
	m.chosen = choices{mode: m.deps.DefaultMode, own: map[string]engine.Options{}}
	if m.chosen.mode == "" {
		m.chosen.mode = engine.DefaultMode
	}
	if m.deps.DefaultModel != "" && m.deps.DefaultProvider != "" {
		m.chosen.own[m.deps.DefaultProvider] = engine.Options{Model: m.deps.DefaultModel}
	}
	for _, from := range sum.Taints {
		m.taint(from)
	}
	var past history
	if m.status.lastSeq >= 0 {
		events, _, err := m.log.Tail(restoreBytes)
		if err != nil {
			return err
		}
		past = m.remember(events)
	}
	m.status.cleared = sum.Cleared
	m.restoreProvider(sum, past)
	m.restoreMode(sum, past)
	return nil
}

// restoreBytes is how much of the log is looked at for how the chat stands.
const restoreBytes = 256 << 10

// history is what the newest events say that a summary does not.
type history struct {
	native  map[string]string // each provider's own mode, as chosen last
	started bool              // something was said
}

// remember takes usage, the last end, choices and unheard commands from the
// newest events.
func (m *Manager) remember(events []chats.Event) history {
	past := history{native: map[string]string{}, started: true}
	begun := map[string]int64{} // turns, by the seq of their message
	for _, e := range events {
		m.startMoved(e)
		switch b := e.Body.(type) {
		case chats.UserMessage:
			if _, steered := begun[e.Turn]; !steered {
				begun[e.Turn] = e.Seq
			}
			m.status.lastEnd = nil
		case chats.Options:
			if b.Engine != "" {
				m.chosen.own[b.Engine] = engine.Options{Model: b.Model, Effort: b.Effort}
				past.native[b.Engine] = b.NativeMode
			}
		case chats.Shell:
			if b.Offered {
				m.shells = append(m.shells, e)
			}
		case chats.Queue:
			if !m.status.readOnly {
				m.restoreQueue(b)
			}
		case chats.Handoff:
			m.handed.provider, m.handed.block = b.Engine, b.Block
		case chats.TurnCompleted:
			m.status.lastEnd = &b
			if used, ok := readUsage(b.Usage); ok && b.Engine != "" {
				m.tie(b.Engine).usage, m.tie(b.Engine).usageAt = used, time.UnixMilli(e.At)
			}
			if at, ok := begun[e.Turn]; ok && b.Accepted {
				m.shells = after(m.shells, at)
			}
			if b.Model != "" && b.Engine != "" {
				m.tie(b.Engine).model = b.Model
			}
		}
	}
	return past
}

// after keeps the events behind seq.
func after(events []chats.Event, seq int64) []chats.Event {
	var kept []chats.Event
	for _, e := range events {
		if e.Seq > seq {
			kept = append(kept, e)
		}
	}
	return kept
}

func (m *Manager) restoreProvider(sum chats.Summary, past history) {
	c := &m.chosen
	if sum.Provider != "" && m.engine(sum.Provider) != nil {
		c.provider, c.settled = sum.Provider, true
		if sum.Model != "" || sum.Effort != "" {
			own := c.own[sum.Provider]
			own.Model, own.Effort = sum.Model, sum.Effort
			c.own[sum.Provider] = own
		}
	} else if m.engine(m.deps.DefaultProvider) != nil {
		c.provider, c.settled = m.deps.DefaultProvider, true
	} else if len(m.deps.Engines) > 0 {
		c.provider = m.deps.Engines[0].Info().ID
	}
	c.written = past.started && sum.Provider == c.provider && sum.Mode != ""
	if past.started && sum.Provider != "" && sum.Provider != c.provider && c.provider != "" {
		m.say("provider", fmt.Sprintf("%s, which this chat was with, isn't set up here: %s answers from here", clean(sum.Provider, 40), c.provider))
	}
	if native := past.native[c.provider]; native != "" {
		m.say("mode", fmt.Sprintf("%s's own mode %s isn't taken up again: choose it anew if you want it", c.provider, clean(native, 40)))
		c.written = false
	}
}

// restoreMode lets the stricter of the chat's own mode and the one of now win.
func (m *Manager) restoreMode(sum chats.Summary, past history) {
	if !past.started || sum.Mode == "" {
		return
	}
	c := &m.chosen
	saved, err := engine.ParseMode(sum.Mode)
	if err != nil {
		saved = engine.ModePlan // of a newer conch: nobody knows how strict it was
	}
	now := engine.Stricter(saved, c.mode)
	c.mode = now
	if string(now) != sum.Mode {
		m.say("mode", fmt.Sprintf("this chat was in %s; it goes on in %s, which is stricter", clean(sum.Mode, 40), now))
		c.written = false
	}
}

// say puts a quiet line into a chat that has begun.
func (m *Manager) say(code, message string) {
	if m.log.ReadOnly() {
		return
	}
	m.record("", chats.Notice{Code: code, Message: message})
}

// choose changes what the next message is answered with.
func (m *Manager) choose(change func(c *choices) (changed bool, err error)) error {
	m.mu.Lock()
	if err := m.usable(); err != nil {
		m.mu.Unlock()
		return err
	}
	changed, err := change(&m.chosen)
	if err != nil || !changed {
		m.mu.Unlock()
		return err
	}
	m.chosen.written = false
	begun := m.status.lastSeq >= 0
	body := m.chosen.body()
	if begun {
		m.chosen.written = true
	}
	m.out.wake()
	m.mu.Unlock()
	if begun {
		m.record("", body)
	}
	return nil
}

// usable reports why the chat takes nothing. mu is held.
func (m *Manager) usable() error {
	switch {
	case m.closed:
		return ErrClosed
	case m.status.readOnly:
		return ErrReadOnly
	}
	return nil
}

// SetProvider, SetModel, SetEffort, SetMode and SetNativeMode take effect with
// the next message; only a stricter mode also holds for the turn that runs. They
// are written to the log, in a chat without a message together with the first.
// Model, effort and native mode belong to the provider of now. SetMode takes a
// native mode back. Before SetNativeMode with a mode that asks for nothing
// (engine.Choice.AsksNothing) the caller asks the person.
func (m *Manager) SetProvider(id string) error {
	if m.engine(id) == nil {
		return fmt.Errorf("no provider is called %q: there are %s", clean(id, 40), strings.Join(m.providers(), ", "))
	}
	return m.choose(func(c *choices) (bool, error) {
		if c.provider == id && c.settled {
			return false, nil
		}
		c.provider, c.settled = id, true
		return true, nil
	})
}

func (m *Manager) providers() []string {
	var ids []string
	for _, e := range m.deps.Engines {
		ids = append(ids, e.Info().ID)
	}
	return ids
}

// SetModel chooses a model of the provider's; "" is its default.
func (m *Manager) SetModel(id string) error {
	return m.chooseOwn("model", id, func(o *engine.Options) *string { return &o.Model })
}

// SetEffort chooses how hard the model works; "" is its default.
func (m *Manager) SetEffort(id string) error {
	return m.chooseOwn("effort", id, func(o *engine.Options) *string { return &o.Effort })
}

// SetNativeMode chooses one of the provider's own modes; "" leaves it in the one
// in which it asks.
func (m *Manager) SetNativeMode(id string) error {
	if from := m.askedFor(id); from != "" {
		return fmt.Errorf("this chat has read from %s: a mode that asks for nothing is not for it", from)
	}
	return m.chooseOwn("mode", id, func(o *engine.Options) *string { return &o.NativeMode })
}

func (m *Manager) chooseOwn(what, id string, field func(*engine.Options) *string) error {
	if len(id) > 300 || id != strings.TrimSpace(id) || clean(id, 300) != id {
		return fmt.Errorf("%q is no name of a %s", clean(id, 40), what)
	}
	return m.choose(func(c *choices) (bool, error) {
		if c.provider == "" {
			return false, fmt.Errorf("there is no provider to choose a %s of", what)
		}
		own := c.own[c.provider]
		at := field(&own)
		if *at == id {
			return false, nil
		}
		*at = id
		c.own[c.provider] = own
		return true, nil
	})
}

// SetMode chooses how much is done without asking.
func (m *Manager) SetMode(mode engine.Mode) error {
	known, err := engine.ParseMode(string(mode))
	if err != nil || mode == "" {
		return fmt.Errorf("unknown mode %q: use plan, ask, auto-read or auto-edit", clean(string(mode), 40))
	}
	return m.choose(func(c *choices) (bool, error) {
		changed := c.mode != known
		c.mode = known
		for id, own := range c.own {
			if own.NativeMode != "" {
				own.NativeMode = ""
				c.own[id] = own
				changed = true
			}
		}
		return changed, nil
	})
}

// SetTitle names the chat.
func (m *Manager) SetTitle(title string) error {
	title = clean(title, 200)
	if title == "" {
		return fmt.Errorf("a chat's name can't be empty")
	}
	m.mu.Lock()
	err := m.usable()
	if err == nil {
		m.status.title = title
		m.out.wake()
	}
	begun := m.status.lastSeq >= 0
	m.mu.Unlock()
	if err != nil || !begun {
		return err
	}
	m.record("", chats.Title{Title: title, By: "person"})
	return nil
}

// healthLimit is how long the search for a ready provider may take.
const healthLimit = 5 * time.Second

// settle finds who answers when nobody chose: the first that is ready, else the
// first that might be, else the first.
func (m *Manager) settle(ctx context.Context) {
	m.mu.Lock()
	settled := m.chosen.settled || len(m.deps.Engines) < 2
	m.mu.Unlock()
	if settled {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	states := make([]engine.State, len(m.deps.Engines))
	var asking sync.WaitGroup
	for i, e := range m.deps.Engines {
		asking.Go(func() {
			defer m.caught(e.Info().ID, "health")
			states[i] = e.Health(ctx).State
		})
	}
	asking.Wait()
	pick := 0
	best := engine.Ranks
	for i, e := range m.deps.Engines {
		if rank, ok := engine.Rank(e, states[i]); ok && rank < best {
			best, pick = rank, i
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.chosen.settled {
		m.chosen.provider, m.chosen.settled = m.deps.Engines[pick].Info().ID, true
		m.out.wake()
	}
}
