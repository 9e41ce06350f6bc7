package acp

import (
	"context"

	"conch/engine"
)

type chat struct{}
type knowledge struct{}

func (e *Engine) Health(ctx context.Context) engine.Health { panic("soon") }
func (e *Engine) Turn(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
	panic("soon")
}
func (e *Engine) Open(ctx context.Context, in engine.TurnInput, sink engine.Sink) error {
	panic("soon")
}
func (e *Engine) SignIn(ctx context.Context) (engine.Command, bool) { panic("soon") }
func (e *Engine) Release(conversationID string)                     { panic("soon") }
func (e *Engine) Close() error                                      { panic("soon") }
