package demo

import (
	"context"
	"encoding/json"
	"time"
)

// handle answers one message of the client. Prompts, and answers that the flags
// delay, run beside the reader.
func (a *agent) handle(ctx context.Context, m message) {
	switch m.Method {
	case "initialize":
		if !a.flags.NeverStart {
			a.after(ctx, a.flags.SlowStart, func() { a.initialize(m) })
		}
	case "authenticate":
		a.conn.refuse(m.ID, codeBadParams, "the demo agent signs in in a terminal: conch demo-agent --sign-in")
	case "logout":
		a.conn.answer(m.ID, struct{}{})
	case "session/new":
		a.after(ctx, a.flags.SlowNew, func() { a.newSession(ctx, m) })
	case "session/load":
		a.after(ctx, a.flags.SlowNew, func() { a.reopen(ctx, m, !a.flags.NoLoad, !a.flags.NoReplay) })
	case "session/resume":
		a.after(ctx, a.flags.SlowNew, func() { a.reopen(ctx, m, !a.flags.NoResume, false) })
	case "session/list":
		a.list(m)
	case "session/close":
		a.closeSession(m)
	case "session/delete":
		a.deleteSession(m)
	case "session/set_mode":
		a.setMode(m)
	case "session/set_config_option":
		a.setOption(m)
	case "session/prompt":
		a.prompt(ctx, m)
	case "session/cancel":
		var p openParams
		if json.Unmarshal(m.Params, &p) == nil {
			if s := a.session(p.SessionID); s != nil {
				s.cancel()
			}
		}
	case "$/cancel_request":
		a.cancelRequest(m)
	default:
		if m.ID != nil {
			a.conn.refuse(m.ID, codeNoMethod, "Method not found")
		}
	}
}

// after does it at once, or beside the reader when there is a delay.
func (a *agent) after(ctx context.Context, d time.Duration, do func()) {
	if d <= 0 {
		do()
		return
	}
	a.turns.Go(func() {
		if wait(ctx, d) == nil {
			do()
		}
	})
}

func (a *agent) initialize(m message) {
	var p initializeParams
	_ = json.Unmarshal(m.Params, &p) // what will not parse counts as absent
	a.mu.Lock()
	a.client = p.ClientCapabilities
	a.mu.Unlock()

	inSession := map[string]any{"delete": struct{}{}}
	for name, off := range map[string]bool{"list": a.flags.NoList, "resume": a.flags.NoResume, "close": a.flags.NoClose} {
		if !off {
			inSession[name] = struct{}{}
		}
	}
	methods := []any{}
	if (a.flags.SignedOut || a.flags.SignedOutPrompt) && p.ClientCapabilities.Auth.Terminal {
		methods = append(methods, map[string]any{
			"id": "demo-sign-in", "name": "Sign in to the demo", "type": "terminal", "args": []string{"--sign-in"},
			"description": "Shows how signing in goes; the demo agent has no accounts",
		})
	}
	a.conn.answer(m.ID, map[string]any{
		"protocolVersion": a.flags.Protocol,
		"agentCapabilities": map[string]any{
			"loadSession":         !a.flags.NoLoad,
			"promptCapabilities":  map[string]any{"image": !a.flags.NoImages, "embeddedContext": true},
			"mcpCapabilities":     map[string]any{"http": true, "sse": false},
			"sessionCapabilities": inSession,
			"auth":                map[string]any{"logout": struct{}{}},
		},
		"agentInfo":   map[string]any{"name": "conch-demo-agent", "title": "Demo agent (scripted, no model)", "version": Version},
		"authMethods": methods,
	})
}

// Version is the demo agent's own.
const Version = "1.0.0"

func (a *agent) newSession(ctx context.Context, m message) {
	var p openParams
	if json.Unmarshal(m.Params, &p) != nil || p.Cwd == "" {
		a.conn.refuse(m.ID, codeBadParams, "session/new needs a cwd")
		return
	}
	if a.flags.SignedOut && !a.signedIn() {
		a.conn.refuse(m.ID, codeSignIn, "Authentication required")
		return
	}
	s := a.open(record{ID: newID(), Cwd: p.Cwd})
	s.equip(ctx, p)
	result := s.state()
	result["sessionId"] = s.id
	a.conn.answer(m.ID, result)
	s.announce()
}

// reopen answers session/load (with a replay) and session/resume (without one).
func (a *agent) reopen(ctx context.Context, m message, allowed, replay bool) {
	var p openParams
	if !allowed {
		a.conn.refuse(m.ID, codeNoMethod, "Method not found")
		return
	}
	if json.Unmarshal(m.Params, &p) != nil || p.SessionID == "" {
		a.conn.refuse(m.ID, codeBadParams, m.Method+" needs a sessionId")
		return
	}
	if a.flags.SignedOut && !a.signedIn() {
		a.conn.refuse(m.ID, codeSignIn, "Authentication required")
		return
	}
	s := a.session(p.SessionID)
	if s == nil {
		rec, ok := a.store.load(p.SessionID)
		if !ok || a.flags.LoseSessions {
			a.conn.refuse(m.ID, codeNotFound, "Resource not found")
			return
		}
		s = a.open(rec)
	}
	s.equip(ctx, p)
	if replay && !a.flags.ReplayAfter {
		s.replay()
	}
	a.conn.answer(m.ID, s.state())
	if replay && a.flags.ReplayAfter {
		s.replay()
	}
	s.announce()
}

func (a *agent) list(m message) {
	if a.flags.NoList {
		a.conn.refuse(m.ID, codeNoMethod, "Method not found")
		return
	}
	var p openParams
	_ = json.Unmarshal(m.Params, &p) // no params: every folder
	sessions := []any{}
	for _, rec := range a.store.list() {
		if p.Cwd != "" && rec.Cwd != p.Cwd {
			continue
		}
		sessions = append(sessions, map[string]any{
			"sessionId": rec.ID, "cwd": rec.Cwd, "title": rec.Title, "updatedAt": rec.Updated.UTC().Format(time.RFC3339),
		})
	}
	a.conn.answer(m.ID, map[string]any{"sessions": sessions})
}

func (a *agent) closeSession(m message) {
	var p openParams
	if a.flags.NoClose {
		a.conn.refuse(m.ID, codeNoMethod, "Method not found")
		return
	}
	if s := a.take(m.Params, &p); s != nil {
		s.close()
	}
	a.conn.answer(m.ID, struct{}{})
}

func (a *agent) deleteSession(m message) {
	var p openParams
	if s := a.take(m.Params, &p); s != nil {
		s.close()
	}
	a.store.remove(p.SessionID)
	a.conn.answer(m.ID, struct{}{})
}

// take removes the session that the params name from the open ones.
func (a *agent) take(params json.RawMessage, p *openParams) *session {
	if json.Unmarshal(params, p) != nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[p.SessionID]
	delete(a.sessions, p.SessionID)
	return s
}

func (a *agent) setMode(m message) {
	var p modeParams
	_ = json.Unmarshal(m.Params, &p) // a bad one names no session
	s := a.session(p.SessionID)
	if s == nil {
		a.conn.refuse(m.ID, codeNotFound, "Resource not found")
		return
	}
	if !s.setMode(p.ModeID) {
		a.conn.refuse(m.ID, codeBadParams, "no such mode")
		return
	}
	s.update(update{"sessionUpdate": "current_mode_update", "currentModeId": p.ModeID})
	a.conn.answer(m.ID, struct{}{})
}

func (a *agent) setOption(m message) {
	var p optionParams
	_ = json.Unmarshal(m.Params, &p) // a bad one names no session
	s := a.session(p.SessionID)
	if s == nil {
		a.conn.refuse(m.ID, codeNotFound, "Resource not found")
		return
	}
	if !s.setOption(p.ConfigID, p.Value) {
		a.conn.refuse(m.ID, codeBadParams, "no such option or value")
		return
	}
	a.conn.answer(m.ID, map[string]any{"configOptions": s.options()})
}

func (a *agent) cancelRequest(m message) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.sessions {
		s.cancelPrompt(string(p.RequestID))
	}
}
