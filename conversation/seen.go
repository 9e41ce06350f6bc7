package conversation

import "conch/chats"

// seenBytes is how much of the log's end is looked at for how things stand, of
// what a provider has seen.
const seenBytes = 256 << 10

// withSeen puts before what a provider missed the newest of what it has seen: how
// things stand, work that runs and questions that are open, may be from there. It
// tells a provider nothing that missed nothing.
func (m *Manager) withSeen(missed []chats.Event, since int64) []chats.Event {
	if len(missed) == 0 || since < 0 {
		return missed
	}
	newest, _, err := m.log.Tail(seenBytes)
	if err != nil {
		return missed // what it missed is in any case told
	}
	n := 0
	for n < len(newest) && newest[n].Seq <= since {
		n++
	}
	return append(newest[:n:n], missed...)
}
