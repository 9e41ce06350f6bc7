package conversation

import "conch/engine"

// guardOf makes the guard of a turn. mu is held.
func (m *Manager) guardOf(who string) *guard {
	e := m.engine(who)
	local := false
	if l, ok := e.(engine.Local); ok {
		local = l.Local()
	}
	over := m.deps.OverMonth != nil && m.deps.OverMonth()
	return newGuard(budgetOf(m.deps.Unattended, local, over), !handless(e), m.deps.Now)
}

// pauseOver ends a turn that its guard pauses: as a success that can be carried on.
// The person's own Stop stays what it is, also when both happen.
func (m *Manager) pauseOver(t *turn) {
	m.mu.Lock()
	if t.pausing || t.stopped {
		m.mu.Unlock()
		return
	}
	t.pausing = true
	m.out.wake()
	m.mu.Unlock()
	m.dismiss(t, "stop")
	t.cancel()
}
