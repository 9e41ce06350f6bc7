package conversation

import "conch/engine"

// guardOf makes the guard of a turn. mu is held.
func (m *Manager) guardOf(who string) *guard {
	e := m.engine(who)
	over := m.deps.OverMonth != nil && m.deps.OverMonth()
	return newGuard(budgetOf(m.deps.Unattended || m.deps.Job, local(e), over), !handless(e), m.deps.Now)
}

// local reports that an engine's model runs on the person's own machine.
func local(e engine.Engine) bool {
	l, ok := e.(engine.Local)
	return ok && l.Local()
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
