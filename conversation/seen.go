package conversation

import (
	"conch/chats"
	"conch/handoff"
)

// seenBytes is how much of the log's end is looked at for how things stand, of
// what a provider has seen. A plan and a question end with the next message, so the
// last turn has them, and it is read whole.
const seenBytes = 64 << 10

// withSeen puts before what a provider missed the newest of what it has seen: how
// things stand, work that runs and questions that are open, may be from there. It
// tells a provider nothing that missed nothing.
func (m *Manager) withSeen(missed []chats.Event, o handoff.Options) []chats.Event {
	if o.Since < 0 || handoff.Missed(missed, o) == (handoff.Count{}) {
		return missed
	}
	newest, _, err := m.log.Tail(seenBytes)
	if err != nil {
		return missed // what it missed is in any case told
	}
	n := 0
	for n < len(newest) && newest[n].Seq <= o.Since {
		n++
	}
	return append(newest[:n:n], missed...)
}
