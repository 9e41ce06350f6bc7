package acp

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
)

// Handle takes what the program sends on its own. It runs on the connection's
// reader, in the order of arrival, and never waits for a person.
func (p *process) Handle(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	var params object
	if req.Params != nil {
		params = parse(*req.Params)
	}
	switch {
	case req.Method == "session/update":
		p.sessionUpdate(params)
	case req.Method == "session/request_permission" && !req.Notif:
		p.permission(req.ID, params)
	case req.Method == "elicitation/create" && !req.Notif:
		p.elicitation(req.ID, params)
	case req.Method == "elicitation/complete":
		p.elicitationDone(params)
	case req.Method == "$/cancel_request":
		p.withdraw(params)
	case req.Notif:
		p.notification(req.Method, params)
	default:
		p.e.program.Count("request " + req.Method)
		p.refuse(req.ID, jsonrpc2.CodeMethodNotFound, "Method not found")
	}
}

// refuse answers with an error; a program that is gone misses nothing.
func (p *process) refuse(id jsonrpc2.ID, code int64, message string) {
	_ = p.conn.ReplyWithError(context.Background(), id, &jsonrpc2.Error{Code: code, Message: message})
}

func (p *process) reply(id jsonrpc2.ID, result any) {
	_ = p.conn.Reply(context.Background(), id, result)
}

func (p *process) sessionUpdate(params object) {
	id, update := params.text("sessionId"), params.object("update")
	if id == "" || update == nil {
		p.e.program.Count("session/update without its fields")
		return
	}
	p.mu.Lock()
	s := p.sess
	if early := (earlyUpdate{id, update}); s == nil && len(p.early) < maxEarly && p.earlyN+early.size() <= maxEarlyBytes {
		// Some programs speak of a session before they have told its id.
		p.early, p.earlyN = append(p.early, early), p.earlyN+early.size()
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	if s == nil || s.id != id {
		p.e.program.Count("session/update of another session")
		if s != nil {
			p.breached(breachForeign)
		}
		return
	}
	s.update(update)
}

// notification takes what is no part of the protocol's text. One is known: a
// dropped stream that is about to be sent again.
func (p *process) notification(method string, params object) {
	update := params.object("update")
	if p.e.agent.Quirks.AnnouncesRetry && strings.HasSuffix(method, "/session_notification") &&
		update.text("sessionUpdate") == "retry_state" {
		if t := p.running(params.text("sessionId")); t != nil {
			t.retry(update)
		}
		return
	}
	if kind := update.text("sessionUpdate"); kind != "" {
		method += " " + kind
	}
	p.e.program.Count(method)
}

// running is the turn that takes what arrives for a session.
func (p *process) running(sessionID string) *turn {
	p.mu.Lock()
	s := p.sess
	p.mu.Unlock()
	if s == nil || s.id != sessionID {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn
}

// withdraw takes back a request that the program no longer wants answered.
func (p *process) withdraw(params object) {
	id, ok := requestID(params["requestId"])
	if !ok {
		return
	}
	p.mu.Lock()
	cancel := p.asked[id]
	p.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

func requestID(raw json.RawMessage) (jsonrpc2.ID, bool) {
	o := object{"id": raw}
	if s, ok := o.optText("id"); ok {
		return jsonrpc2.ID{Str: s, IsString: true}, true
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	return jsonrpc2.ID{Num: uint64(n)}, err == nil
}
