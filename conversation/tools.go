package conversation

import (
	"context"
	"encoding/json"
	"errors"
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

// toolsAhead gives the same tools for a session that is opened ahead of a message:
// a provider is told of them, and a call is refused.
func (m *Manager) toolsAhead() []engine.Tool {
	if m.deps.Tools == nil {
		return nil
	}
	list := slices.Clone(m.deps.Tools(noTurn{m}))
	for i, t := range list {
		list[i] = aheadTool{t}
	}
	return list
}

// aheadTool is a tool that is named before there is a turn to call it in.
type aheadTool struct{ engine.Tool }

func (aheadTool) Call(context.Context, json.RawMessage) (engine.ToolResult, error) {
	return engine.ToolResult{}, errNoTurn
}

var errNoTurn = errors.New("it was not run: the person has sent no message yet")

// noTurn stands in for the turn that is not there.
type noTurn struct{ m *Manager }

var _ tools.Turn = noTurn{}

func (n noTurn) Chat() string    { return n.m.ID() }
func (noTurn) Emit(engine.Event) {}
func (noTurn) Question(context.Context, engine.Question) engine.Answer {
	return engine.Answer{Cancelled: true}
}
func (n noTurn) Record(chats.Body)               { n.m.drop() }
func (n noTurn) Taint(string, chats.TaintSource) { n.m.drop() }
func (n noTurn) Taints() []string                { return n.m.taintLabels() }
func (n noTurn) Unattended() bool                { return n.m.deps.Unattended }

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
	turn := w.t.id
	if w.t.closed {
		turn = ""
	}
	w.t.m.record(turn, chats.Taint{Source: from, ToolUseID: toolUseID})
	w.t.mu.Unlock()
	w.t.m.asksFromHere(w.t)
}

func (w toolTurn) Taints() []string { return w.t.m.taintLabels() }

func (w toolTurn) Unattended() bool { return w.t.m.deps.Unattended }
