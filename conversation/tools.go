package conversation

import (
	"context"
	"slices"

	"conch/chats"
	"conch/engine"
	"conch/tools"
)

// toolsOf gives the tools of Conch's own that a turn's provider may call.
func (m *Manager) toolsOf(t *turn) []engine.Tool {
	if m.deps.Tools == nil {
		return nil
	}
	return m.deps.Tools(toolTurn{t})
}

// toolTurn is a turn as its tools see it. Behind the end of the turn they can do
// nothing to the chat.
type toolTurn struct{ t *turn }

var _ tools.Turn = toolTurn{}

func (w toolTurn) Chat() string { return w.t.m.ID() }

func (w toolTurn) Emit(e engine.Event) { w.t.Emit(e) }

func (w toolTurn) Question(ctx context.Context, q engine.Question) engine.Answer {
	return w.t.Question(ctx, q)
}

func (w toolTurn) Record(body chats.Body) {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	if w.t.closed {
		w.t.m.drop()
		return
	}
	w.t.m.record(w.t.id, body)
}

// Taint holds from here on: record has it before it returns. What a late call of a
// turn that was given up reads may reach its provider all the same, so it counts
// too, outside the turn.
func (w toolTurn) Taint(toolUseID string, from chats.TaintSource) {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	turn := w.t.id
	if w.t.closed {
		turn = ""
	}
	w.t.m.record(turn, chats.Taint{Source: from, ToolUseID: toolUseID})
}

func (w toolTurn) Taints() []string {
	m := w.t.m
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.taints)
}

func (w toolTurn) Unattended() bool { return w.t.m.deps.Unattended }
