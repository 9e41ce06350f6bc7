package codex

import (
	"context"
	"errors"

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
	e.calls.Wait()
	return nil
}

// Steer puts words into the running turn of a conversation.
func (e *Engine) Steer(ctx context.Context, conversationID, text string) bool {
	p := e.chats.Process(conversationID)
	if p == nil {
		return false
	}
	th := p.opened()
	if th == nil {
		return false
	}
	t := th.running()
	return t != nil && t.steer(ctx, text)
}

// Open opens a conversation's thread ahead of its first message.
func (e *Engine) Open(ctx context.Context, in engine.TurnInput, sink engine.Sink) error {
	c, ctx, leave, err := e.enter(ctx, in.ConversationID)
	if err != nil {
		return err
	}
	defer leave()
	th, err := c.ready(ctx, in)
	if err != nil {
		r := e.explain(err)
		c.learn(r)
		return &program.Unopened{Result: r}
	}
	sink.Emit(th.session())
	sink.Emit(th.p.offers(th))
	return nil
}

// broken keeps what is known of an error. A process that did not answer, or that
// nothing may be sent to, is ended; one that said no stays.
func (c chat) broken(ctx context.Context, p *process, err error) error {
	if p == nil {
		return err
	}
	f := p.Failed(err)
	var no *refused
	if !errors.As(err, &no) || !p.Begun {
		c.Drop(ctx)
	}
	return f
}

// learn keeps for Health what a turn showed. A Codex that is not signed in is let go:
// it is started anew after the sign-in, and reads it then.
func (c chat) learn(r engine.Result) {
	c.e.program.Learn(r)
	if r.Problem == engine.SignedOut {
		c.e.program.Prove("", "", "") // the person's Codex home shows it by itself
		c.Retire()
	}
}
