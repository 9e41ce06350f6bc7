package conversation

import (
	"strings"
	"time"

	"conch/engine"
	"conch/plain"
)

const (
	checkEvery = time.Second      // words are in the log this long after they came
	silentFor  = 10 * time.Second // after which a turn says what it waits for
)

// waiting is what a silent turn waits for.
type waiting struct {
	says   string
	since  time.Time
	theirs bool // the provider said it: it stays until the provider takes it back or goes on
}

// alive notes a sign of life.
func (t *turn) alive(e engine.Event) {
	t.m.mu.Lock()
	defer t.m.mu.Unlock()
	w := &t.m.status.waiting
	switch e := e.(type) {
	case engine.Waiting:
		t.busy = t.m.deps.Now()
		*w = waiting{}
		if text := clean(e.Text, 200); text != "" {
			*w = waiting{says: text, since: t.busy, theirs: true}
		}
		t.m.out.wake()
		return
	case engine.Commands, engine.Offers, engine.Title, engine.Usage, engine.Notice:
		if w.theirs {
			return
		}
	}
	t.busy = t.m.deps.Now()
	if w.says != "" {
		*w = waiting{}
		t.m.out.wake()
	}
}

// watch brings words into the log as they come, and says what a silent turn
// waits for. It ends when over is closed.
func (m *Manager) watch(t *turn, over <-chan struct{}) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		m.checkpoint()
		m.listen(t)
		m.mu.Lock()
		guard := t.guard
		m.mu.Unlock()
		if guard != nil && guard.paused() != nil {
			m.pauseOver(t)
		}
	}
}

// listen says what is waited for after a silence. While a card waits for the
// person the clock stands still.
func (m *Manager) listen(t *turn) {
	now := m.deps.Now()
	m.mu.Lock()
	if len(m.cards) > 0 {
		t.busy = now
		m.mu.Unlock()
		return
	}
	silent := now.Sub(t.busy) >= silentFor && m.status.waiting.says == ""
	since, who, stopped := t.busy, t.who, t.stopped
	m.mu.Unlock()
	if !silent {
		return
	}
	says := t.waitsFor(who, stopped)
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.busy.Equal(since) && m.status.waiting.says == "" {
		m.status.waiting = waiting{says: says, since: since}
		m.out.wake()
	}
}

// waitsFor says in one sentence what a silent turn waits for.
func (t *turn) waitsFor(who string, stopped bool) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	who = orSome(who)
	switch running := t.running(); {
	case stopped:
		return "waiting for " + who + " to stop"
	case running != nil:
		return strings.TrimRight("waiting for "+running.name+" "+plain.Line(running.subject, 60), " ") + " to end"
	case !t.accepted && t.session == nil:
		return "waiting for " + who + " to start"
	case !t.accepted:
		return who + " has said nothing since it got your message"
	}
	return who + " has said nothing for 10 s"
}

// running is the step that began last and has not ended.
func (t *turn) running() *step {
	var found *step
	for _, st := range t.steps {
		if st.shown && !st.ended && (found == nil || st.n > found.n) {
			found = st
		}
	}
	return found
}
