package conversation

import (
	"context"
	"slices"

	"conch/engine"
)

// allowInChat is the option that lets a call of one of Conch's tools, or of an app's,
// go for the rest of the chat. It is kept by the Manager alone: it ends with it.
const allowInChat = "allow-in-chat"

// ownOptions are the answers to a call that Conch itself asks for. Changes of files
// are left to the modes, one by one or all of them.
func ownOptions(p engine.Permission) []engine.PermissionOption {
	options := []engine.PermissionOption{{ID: "allow", Name: "Allow once", Kind: engine.AllowOnce}}
	if allowedAs(p) != "" {
		options = append(options, engine.PermissionOption{ID: allowInChat, Name: "Allow in this chat", Kind: engine.AllowAlways, Own: true})
	}
	return append(options, engine.PermissionOption{ID: "no", Name: "Decline", Kind: engine.RejectOnce})
}

// allowedAs names what an answer for the whole chat covers: an app's tool, or one
// exact command or address. "" for what is asked for each time.
func allowedAs(p engine.Permission) string {
	switch {
	case p.App != "":
		return p.Tool
	case p.Kind == engine.KindExecute, p.Kind == engine.KindFetch:
		return p.Tool + "\x00" + p.Subject
	}
	return ""
}

// Ask puts a call of a tool to the rules, and where they leave it open to the person.
func (w toolTurn) Ask(ctx context.Context, p engine.Permission) engine.Decision {
	m := w.t.m
	if p.ToolUseID == "" {
		p.ToolUseID = engine.CallID(ctx)
	}
	if len(p.Options) == 0 {
		p.Options = ownOptions(p)
	}
	as := allowedAs(p)
	m.mu.Lock()
	before := as != "" && m.allowed[as] && len(m.taints) == 0
	m.mu.Unlock()
	before = before && m.refusedBefore(p) == ""
	if before && w.t.rules().judge(p).verdict != engine.Deny {
		return engine.Decision{Verdict: engine.Allow, OptionID: allowInChat, Reason: "you allowed it in this chat"}
	}
	d := w.t.Ask(ctx, p)
	if d.Verdict == engine.Allow && d.OptionID == allowInChat && slices.ContainsFunc(p.Options, func(o engine.PermissionOption) bool { return o.ID == allowInChat }) {
		m.mu.Lock()
		if m.allowed == nil {
			m.allowed = map[string]bool{}
		}
		m.allowed[as] = true
		m.mu.Unlock()
	}
	return d
}
