package conversation

import (
	"net/url"
	"slices"
	"strings"

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
	if len(m.taints) == 0 || mode == "" {
		return ""
	}
	for _, c := range m.tie(m.chosen.provider).offers.Modes {
		if c.ID == mode && c.AsksNothing {
			return taintWords(m.taints)
		}
	}
	return ""
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
