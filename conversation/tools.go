package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"conch/chats"
	"conch/engine"
	"conch/handoff"
	"conch/tools"
)

// AppTools are the tools of the person's apps in one turn.
type AppTools struct {
	Tools []engine.Tool
	// Missing says in a sentence each what could not be connected, and why.
	Missing []string
	// Close ends the connections; nil: there are none.
	Close func()
}

// equip gives a turn the tools of Conch's own that its provider may call. The apps'
// hold until t.closeApps is called.
func (m *Manager) equip(t *turn) {
	if m.deps.Tools != nil {
		t.tools = m.deps.Tools(toolTurn{t})
	}
	if m.deps.Apps != nil {
		apps := m.deps.Apps(t.ctx, toolTurn{t})
		t.closeApps = apps.Close
		t.tools, t.missing = append(slices.Clip(t.tools), apps.Tools...), apps.Missing
	}
	t.form = formOf(t.ctx, t.engine, t.options)
	t.tools = slices.Clone(t.tools)
	for i, tool := range t.tools {
		t.tools[i] = guarded{tool, t.guard, func() { m.pauseOver(t) }, func(format string, args ...any) {
			m.logf("chat %s: "+format, append([]any{m.ID()}, args...)...)
		}}
	}
}

// appsMissing tells a provider which apps are not there in this turn, "" for none.
// It stands with the message: the instructions are the same from turn to turn.
func appsMissing(missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<from-conch>\nNot there in this turn; go on without, and say so where it matters:\n")
	for _, each := range missing {
		b.WriteString("- " + handoff.Defuse(clean(each, 500)) + "\n")
	}
	b.WriteString("</from-conch>")
	return b.String()
}

// toolsAhead gives the same tools for a session that is opened ahead of a message:
// a provider is told of them, and a call is refused.
func (m *Manager) toolsAhead(e engine.Engine) []engine.Tool {
	var list []engine.Tool
	turn := noTurn{m, e}
	if m.deps.Tools != nil {
		list = slices.Clone(m.deps.Tools(turn))
	}
	if m.deps.Apps != nil {
		apps := m.deps.Apps(m.life, turn)
		list = append(list, apps.Tools...)
		if apps.Close != nil {
			apps.Close()
		}
	}
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
type noTurn struct {
	m      *Manager
	engine engine.Engine
}

var _ tools.Turn = noTurn{}

func (n noTurn) Chat() string    { return n.m.ID() }
func (n noTurn) Folder() string  { return n.m.folder }
func (n noTurn) Handless() bool  { return handless(n.engine) }
func (noTurn) Emit(engine.Event) {}
func (noTurn) Ask(context.Context, engine.Permission) engine.Decision {
	return engine.Decision{Verdict: engine.Cancelled, Reason: "no message was sent yet"}
}
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

func (w toolTurn) Folder() string { return w.t.m.folder }

func (w toolTurn) Handless() bool { return handless(w.t.engine) }

// handless reports that an engine's model has no tools of its own for files,
// commands and the web.
func handless(e engine.Engine) bool {
	h, ok := e.(engine.Handless)
	return ok && h.Handless()
}

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
