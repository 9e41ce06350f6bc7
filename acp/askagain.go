package acp

import (
	"context"

	"conch/engine"
)

// AskAgain brings the session of a running turn back into the mode in which its
// program asks before it acts. It is false when nothing runs, and when the program
// has no such mode, refuses it or does not answer: its next call may then be done
// unasked.
func (e *Engine) AskAgain(ctx context.Context, conversationID string) bool {
	p := e.chats.Process(conversationID)
	if p == nil || !p.Alive() {
		return false
	}
	s := p.session()
	if s == nil {
		return false
	}
	s.mu.Lock()
	wanted := s.settings.wanted(e.agent, engine.Options{})
	s.mu.Unlock()
	if wanted == "" || s.set(ctx, "mode", wanted) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks = wanted
	return !s.settings.open()
}

var _ engine.Cautioner = (*Engine)(nil)
