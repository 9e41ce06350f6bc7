package acp

import (
	"context"

	"conch/engine"
	"conch/program"
)

// chat is a conversation of the engine while a turn or an opening runs in it.
type chat struct {
	*program.Chat[*process]
	e *Engine
}

// enter waits for its turn in a conversation. leave must be called.
func (e *Engine) enter(ctx context.Context, id string) (chat, context.Context, func(), error) {
	c, ctx, leave, err := e.chats.Enter(ctx, id)
	return chat{c, e}, ctx, leave, err
}

// Release lets go of a conversation's process and waits until it is gone.
func (e *Engine) Release(conversationID string) { e.chats.Release(conversationID) }

// Close ends everything that the engine started and waits until it is gone.
func (e *Engine) Close() error {
	e.chats.Close()
	return nil
}

// Open opens a conversation's session ahead of its first message.
func (e *Engine) Open(ctx context.Context, in engine.TurnInput, sink engine.Sink) error {
	c, ctx, leave, err := e.enter(ctx, in.ConversationID)
	if err != nil {
		return err
	}
	defer leave()
	s, err := c.ready(ctx, in)
	if err != nil {
		r := e.explain(err)
		c.learn(r)
		return &program.Unopened{Result: r}
	}
	e.opened()
	s.mu.Lock()
	defer s.mu.Unlock()
	sink.Emit(engine.Session{ResumeID: s.resumeID(), Model: s.model(), Restarted: s.restarted()})
	s.news.commands = len(s.commands) > 0
	s.news.settings = s.news.settings || len(s.settings.mode.list)+len(s.settings.model.list) > 0
	s.tell(sink.Emit)
	return nil
}

// broken keeps what is known of an error of opening. A process that did not answer is
// ended; one that said no stays, and may say yes after a sign-in.
func (c chat) broken(ctx context.Context, p *process, err error) error {
	if p == nil {
		return err
	}
	f := p.Failed(err)
	f.Opening = p.session() == nil
	if !isRefusal(err) {
		c.Drop(ctx)
	}
	return f
}

// learn keeps for Health what a turn showed. A program that is not signed in is let
// go: it is started anew after the sign-in, and reads it then.
func (c chat) learn(r engine.Result) {
	c.e.program.Learn(r)
	if r.Problem == engine.SignedOut {
		c.Retire()
	}
}

// opened keeps for Health that a session was opened: most programs refuse that
// without a sign-in.
func (e *Engine) opened() {
	if !e.agent.Quirks.SignInAtPrompt {
		e.program.Prove(engine.Ready, "", "")
	}
}

func (s *session) restarted() string {
	if s.lost && !s.begun {
		return engine.Lost
	}
	return ""
}
