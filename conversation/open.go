package conversation

import (
	"context"
	"sync"

	"conch/engine"
)

// Open lets the provider open its session ahead of the first message, so that
// its commands, models and modes are known. It returns at once. Nothing of it is
// written: a session counts once a message went to it.
func (m *Manager) Open() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.usable() != nil || len(m.deps.Engines) == 0 {
		return
	}
	m.work.Add(1)
	go func() {
		defer m.work.Done()
		m.settle(m.life)
		m.open()
	}()
}

func (m *Manager) open() {
	m.mu.Lock()
	who := m.chosen.provider
	tie := m.tie(who)
	opener, can := m.engine(who).(engine.Opener)
	busy := m.turn != nil && (m.turn.who == who || m.turn.who == "")
	if !can || tie.opened || busy || m.opening[who] != nil || m.closed {
		m.mu.Unlock()
		return
	}
	tie.used = true
	done := make(chan struct{})
	m.opening[who] = done
	options := m.chosen.of(who)
	moves := m.moves
	options.Mode = m.chosen.mode
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		delete(m.opening, who)
		close(done)
		m.mu.Unlock()
	}()
	defer m.caught(who, "open")

	p, err := m.pastOf(who)
	if err != nil {
		m.logf("chat %s: open %s: %v", m.ID(), who, err)
		return
	}
	sink := &openSink{m: m, who: who, had: p.resume, moves: moves}
	defer sink.close()
	list := m.toolsAhead(m.engine(who))
	err = opener.Open(m.life, engine.TurnInput{
		ConversationID: m.ID(), Seq: p.since, ResumeID: p.resume, FreshPrompt: func() string { return "" },
		SystemAppend: m.instructions(m.engine(who), formOf(m.life, m.engine(who), options), list), Cwd: m.folder, Tools: list, Options: options, ProtectedPaths: m.protected(),
	}, sink)
	if err != nil {
		m.logf("chat %s: open %s: %s", m.ID(), who, clean(err.Error(), 300))
		return
	}
	m.mu.Lock()
	tie.opened = true
	m.mu.Unlock()
}

// openSink takes what an engine says of itself while it opens a session. Words
// and steps are history then; a request is declined.
type openSink struct {
	m        *Manager
	who, had string
	moves    int // of the chat's beginning, when it was asked for

	mu     sync.Mutex
	closed bool
}

func (s *openSink) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *openSink) Emit(e engine.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.m.drop()
		return
	}
	if session, ok := e.(engine.Session); ok {
		same := sameSession(s.m.engine(s.who), session.ResumeID, s.had)
		if (!same || session.Restarted != "") && s.m.hasMoved() == s.moves {
			s.m.keepSession(s.who, session) // else it may hold what was cleared meanwhile
		}
		return
	}
	s.m.learn(s.who, e)
}

func (s *openSink) Ask(context.Context, engine.Permission) engine.Decision {
	return engine.Decision{Verdict: engine.Cancelled, Reason: "no message was sent yet"}
}

func (s *openSink) Question(context.Context, engine.Question) engine.Answer {
	return engine.Answer{Cancelled: true}
}
