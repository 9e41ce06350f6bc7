package conversation

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/plain"
)

// taint remembers where words from outside came from. mu is held.
func (m *Manager) taint(from chats.TaintSource) {
	label := plain.Line(from.Label, 120)
	if label == "" {
		label = "outside"
	}
	if !slices.Contains(m.taints, label) {
		m.taints = append(m.taints, label)
	}
}

// taintLabels are where the chat's words from outside came from, oldest first.
func (m *Manager) taintLabels() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.taints)
}

// askedFor gives where the chat's outside words came from when a mode of the
// provider's asks for nothing, "" when it may be chosen.
func (m *Manager) askedFor(mode string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.taints) == 0 || mode == "" || m.asksIn(m.chosen.provider, mode) {
		return ""
	}
	return taintWords(m.taints)
}

// asksIn reports that the provider is known to ask in that mode of its own. One
// that it did not list yet may ask for nothing. mu is held.
func (m *Manager) asksIn(provider, mode string) bool {
	return slices.ContainsFunc(m.tie(provider).offers.Modes, func(c engine.Choice) bool {
		return c.ID == mode && !c.AsksNothing
	})
}

// opens reports that the provider is in a mode of its own that it lists as asking
// for nothing. mu is held.
func (m *Manager) opens(provider string) bool {
	offers := m.tie(provider).offers
	return slices.ContainsFunc(offers.Modes, func(c engine.Choice) bool {
		return c.ID == offers.Mode && c.AsksNothing
	})
}

const (
	askAgainTime = 3 * time.Second // for a provider to go back to asking
	maxAskAgain  = 3               // times a turn, then it is stopped
)

// asksFromHere takes back every mode that asks for nothing, now that the chat has
// read from outside: the choices, and the mode of the turn that runs. It returns
// when the provider asks again or its turn is stopped.
func (m *Manager) asksFromHere(t *turn) {
	m.mu.Lock()
	var changed bool
	for id, own := range m.chosen.own {
		if own.NativeMode != "" && !m.asksIn(id, own.NativeMode) {
			own.NativeMode = ""
			m.chosen.own[id] = own
			changed = changed || id == m.chosen.provider
		}
	}
	if changed {
		m.chosen.written = true
		m.out.wake()
	}
	body := m.chosen.body()
	from := taintWords(m.taints)
	native := t.options.NativeMode
	open := t.options.Mode != engine.ModePlan && native != "" && !m.asksIn(t.who, native)
	open = m.turn == t && !t.stopped && t.who != "" && (open || m.opens(t.who))
	if open {
		t.cautions++
	}
	tries := t.cautions
	m.mu.Unlock()
	if changed {
		m.record("", body)
	}
	if !open {
		return
	}
	if tries <= maxAskAgain && m.askAgain(t) {
		m.mu.Lock()
		if t.options.NativeMode == native {
			t.options.NativeMode = ""
		}
		m.mu.Unlock()
		if tries == 1 {
			m.record(t.id, chats.Notice{Code: "asks-again", Message: t.who + " asks before it acts from here: this chat has read from " + from})
		}
		return
	}
	m.record(t.id, chats.Notice{Code: "asks-again", Message: t.who + " was stopped, in a mode that asks for nothing: this chat has read from " + from + ". With the next message it asks"})
	m.mu.Lock()
	t.whyStopped = t.who + " was stopped, since it asked for nothing"
	m.mu.Unlock()
	m.stop(t)
}

// askAgain brings the provider of a running turn back to asking.
func (m *Manager) askAgain(t *turn) (ok bool) {
	e, can := t.engine.(engine.Cautioner)
	if !can {
		return false
	}
	defer m.caught(t.who, "ask again")
	ctx, cancel := context.WithTimeout(t.ctx, askAgainTime)
	defer cancel()
	return e.AskAgain(ctx, m.ID())
}

// taintWords names the sources, the newest two of many: "Claude Code, in shop".
func taintWords(labels []string) string {
	if n := len(labels); n > 2 {
		labels = labels[n-2:]
	}
	return strings.Join(labels, " and ")
}

// reaches reports that a request could carry out what outside words told the
// assistant to: a command, a change outside the working folder, an address that
// takes data along, a tool that nobody knows to only read. In a chat that has
// read from outside no mode and no earlier answer allows these.
func reaches(p engine.Permission, isIn bool) bool {
	if p.App != "" {
		return !p.Own // its arguments go to somebody else
	}
	switch p.Kind {
	case engine.KindRead, engine.KindSearch:
		return false
	case engine.KindEdit, engine.KindDelete, engine.KindMove:
		return !isIn
	case engine.KindFetch:
		return takesAlong(p.Subject)
	}
	return true
}

const (
	longQuery  = 60 // bytes of an address behind its "?" or "#"
	longOpaque = 32 // bytes of one part of it without a word's end
)

// takesAlong reports that an address could carry data out: it has a long query,
// a name before the host, or a long part that is no word. What is no address is
// not trusted either.
func takesAlong(subject string) bool {
	fields := strings.Fields(subject)
	found := false
	for _, f := range fields {
		u, err := url.Parse(f)
		if err != nil || u.Host == "" {
			continue
		}
		found = true
		if u.User != nil || len(u.RawQuery)+len(u.Fragment) > longQuery {
			return true
		}
		parts := strings.FieldsFunc(u.Hostname()+"/"+u.EscapedPath()+"?"+u.RawQuery+"#"+u.Fragment, func(r rune) bool {
			return strings.ContainsRune("/.-_?&=#+~,;:", r)
		})
		if slices.ContainsFunc(parts, func(part string) bool { return len(part) >= longOpaque }) {
			return true
		}
	}
	return !found
}

// once keeps of a request's answers those that hold for this call alone, where
// there is one that allows: what is answered for always would outlive the words
// that asked for it.
func once(options []engine.PermissionOption) []engine.PermissionOption {
	if optionOf(options, engine.AllowOnce) == "" {
		return options
	}
	return slices.DeleteFunc(slices.Clone(options), func(o engine.PermissionOption) bool { return o.Kind == engine.AllowAlways })
}
