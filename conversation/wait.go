package conversation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/tools"
)

// maxWakes is how often a chat goes on by itself without a word of the person's.
const maxWakes = 5

// byConch marks a message that is Conch's own.
const byConch = "conch"

// await is what a chat waits for, from the call that asked for it on. It is looked at
// once the turn of that call is over.
type await struct {
	what  tools.Waiting
	turn  string
	until time.Time          // zero while the turn runs
	end   context.CancelFunc // nil while the turn runs
}

// Wait has something waited for behind the turn.
func (w toolTurn) Wait(what tools.Waiting) error {
	m := w.t.m
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	if w.t.closed {
		m.drop()
		return errors.New("it was not run: the turn is over")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wakes >= maxWakes {
		return fmt.Errorf("this chat was woken %d times without a word of the person's: say how things stand, and end your turn", m.wakes)
	}
	m.endWait()
	m.await = &await{what: what, turn: w.t.id}
	return nil
}

func (n noTurn) Wait(tools.Waiting) error { return errNoTurn }

// endWait lets go of what is waited for, and says what it was. mu is held.
func (m *Manager) endWait() (was string) {
	if m.await == nil {
		return ""
	}
	was = m.await.what.Says
	if m.await.end != nil {
		m.await.end()
	}
	m.await = nil
	m.out.wake()
	return was
}

// stopWaiting lets go of what is waited for and says so in the chat.
func (m *Manager) stopWaiting(why string) {
	m.mu.Lock()
	was := m.endWait()
	m.mu.Unlock()
	if was != "" {
		m.record("", chats.Notice{Code: "wait-ended", Message: "nothing waits " + clean(was, 300) + " any more: " + why})
	}
}

// beginWaiting looks at what a turn that is over wanted to be waited for.
func (m *Manager) beginWaiting(t *turn, res engine.Result) {
	m.mu.Lock()
	a := m.await
	if a == nil || a.turn != t.id || a.end != nil {
		m.mu.Unlock()
		return
	}
	if res.Outcome != engine.Success || res.Paused || m.closed {
		m.mu.Unlock()
		m.stopWaiting("the turn did not end well")
		return
	}
	ctx, end := context.WithCancel(m.life)
	a.end, a.until = end, m.deps.Now().Add(a.what.Limit)
	m.work.Add(1)
	m.out.wake()
	m.mu.Unlock()
	m.record("", chats.Notice{Code: "waits", Message: "waits " + clean(a.what.Says, 300) + "; Stop ends it"})
	go func() {
		defer m.work.Done()
		defer end()
		m.watchFor(ctx, a)
	}()
}

// watchFor waits, and wakes the chat.
func (m *Manager) watchFor(ctx context.Context, a *await) {
	defer m.caught("conch", "wait_for")
	what := a.what
	if look := what.Look; what.Runs {
		what.Look = func(ctx context.Context) (bool, string, error) {
			m.mu.Lock()
			plan := m.chosen.mode == engine.ModePlan
			m.mu.Unlock()
			if plan {
				return false, "", errPlan
			}
			return look(ctx)
		}
	}
	woke, err := what.Watch(ctx)
	switch {
	case ctx.Err() != nil:
		return // whoever ended it said so
	case errors.Is(err, errPlan):
		m.stopWaiting("plan mode runs nothing")
		return
	case err != nil:
		woke.Words = strings.TrimSpace(engine.FailureText(err) + "\n" + woke.Words)
	}
	m.wake(ctx, a, "<from-conch>\n"+woke.Tell(a.what)+"\n</from-conch>")
}

var errPlan = errors.New("plan mode runs nothing")

// wake sends a message of Conch's own as soon as no turn runs and nothing of the
// person's waits. ctx ends with the waiting.
func (m *Manager) wake(ctx context.Context, a *await, text string) {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		m.mu.Lock()
		idle, free := m.idle, m.turn == nil && len(m.queue) == 0
		switch {
		case m.await != a || m.usable() != nil:
			m.mu.Unlock()
			return
		case free:
			m.await = nil
			m.wakes++
			t := m.reserve(Message{Text: text})
			t.by = byConch
			m.mu.Unlock()
			if err := m.start(t); err != nil {
				m.logf("chat %s: wake: %v", m.ID(), err)
			}
			return
		}
		m.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return
		}
		select { // the queue may be held, and nobody says when it is empty
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}
