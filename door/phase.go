package door

import (
	"context"
	"sync"

	"conch/engine"
)

// Turn is what a running turn offers through the door.
type Turn struct {
	Tools        []engine.Tool
	Instructions string // given to a program that greets; "" for one that takes them elsewhere
	// Emit takes the rows of calls, in their order, none after the turn's end.
	Emit func(engine.Event)
	// IDs stands before the id of each row, so that two turns share none.
	IDs string
	// Images says that the program can see pictures.
	Images bool
}

// phase is the opening of a session, or a turn.
type phase struct {
	turn    Turn
	opening bool
	ctx     context.Context
	cancel  context.CancelFunc

	mu   sync.Mutex
	over bool
	open map[string]bool // rows that were begun and not ended
}

// Opening has the door answer while a session is being opened: it greets and tells
// the tools, and runs none. done ends that.
func (d *Door) Opening(instructions string, tools []engine.Tool) (done func()) {
	return d.begin(context.Background(), Turn{Tools: tools, Instructions: instructions, Emit: func(engine.Event) {}}, true)
}

// Begin has the door answer for a turn, until end is called; a call that still runs
// then, or when ctx is done, is told that it was stopped. end must not be called
// while something is held that Emit waits for.
func (d *Door) Begin(ctx context.Context, t Turn) (end func()) {
	return d.begin(ctx, t, false)
}

func (d *Door) begin(ctx context.Context, t Turn, opening bool) func() {
	p := &phase{turn: t, opening: opening, open: map[string]bool{}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	d.mu.Lock()
	before := d.phase
	if !d.closed {
		d.phase = p
	}
	d.mu.Unlock()
	if before != nil {
		before.end()
	}
	return func() {
		d.mu.Lock()
		if d.phase == p {
			d.phase = nil
		}
		d.mu.Unlock()
		p.end()
	}
}

// end stops the calls and closes their rows.
func (p *phase) end() {
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.over = true
	for id := range p.open {
		p.turn.Emit(engine.ToolEnd{ToolUseID: id, Status: engine.ToolError, Reason: "stopped"})
	}
	p.open = nil
}

// start begins a row. ok is false when the turn is over.
func (p *phase) start(row engine.ToolStart) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.ctx.Err() != nil {
		return false
	}
	p.open[row.ToolUseID] = true
	p.turn.Emit(row)
	return true
}

// finish ends a row, unless the end of the turn has.
func (p *phase) finish(row engine.ToolEnd) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.open[row.ToolUseID] {
		return
	}
	delete(p.open, row.ToolUseID)
	p.turn.Emit(row)
}
