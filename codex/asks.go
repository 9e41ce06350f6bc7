package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"conch/engine"
	"conch/program"
)

// ask takes a request of the program's: on the reader, so it never waits. t is the
// running turn of the thread that it names; nil: there is none.
func (p *process) ask(t *turn, id json.RawMessage, method string, m said) {
	mine := t != nil && (m.Turn == "" || t.mine(m.Turn))
	switch method {
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		if !mine {
			p.decide(id, "decline")
			return
		}
		t.approval(id, method, m)
	case "item/tool/call":
		if !mine {
			p.conn.reply(id, toolAnswer("This call is not of the running turn: it was not run.", false))
			return
		}
		t.toolCall(id, m)
	case "item/tool/requestUserInput":
		if !mine {
			p.conn.reply(id, map[string]any{"answers": map[string]any{}})
			return
		}
		t.question(id, m)
	case "mcpServer/elicitation/request":
		if !mine || m.Meta.Kind != "mcp_tool_call" {
			p.conn.reply(id, elicited("decline"))
			return
		}
		t.appCall(id, m)
	case "item/permissions/requestApproval":
		// Nothing is granted beyond one call.
		p.conn.reply(id, map[string]any{"permissions": map[string]any{}, "scope": "turn"})
		if mine {
			t.tell(engine.Notice{Code: "declined-escape", Message: p.e.agent.Name + " asked for further permissions: it was declined."})
		}
	default:
		p.e.program.Count("request " + method)
		p.conn.refuse(id, -32601, "Method not found")
	}
}

func (p *process) decide(id json.RawMessage, decision string) {
	p.conn.reply(id, map[string]any{"decision": decision})
}

func elicited(action string) map[string]any {
	return map[string]any{"action": action, "content": nil, "_meta": nil}
}

// The answers to an approval that the person may choose from.
var approvalOptions = []engine.PermissionOption{
	{ID: "accept", Name: "Yes, this once", Kind: engine.AllowOnce},
	{ID: "decline", Name: "No", Kind: engine.RejectOnce},
	{ID: "acceptForSession", Name: "Yes, and the same again in this session", Kind: engine.AllowAlways},
}

// escape tells what a request wants beyond this one call inside the sandbox; ""
// for nothing.
func escape(m said, again bool) string {
	there := func(raw json.RawMessage) bool {
		s := strings.TrimSpace(string(raw))
		return s != "" && s != "null" && s != "[]" && s != "{}"
	}
	switch {
	case there(m.Network), there(m.NetRules):
		return "access to the network"
	case m.GrantRoot != "":
		return "lasting write access to " + program.OneLine(m.GrantRoot, 120)
	case there(m.Extra):
		return "permissions of its own"
	case again:
		return "the same step again, outside the sandbox"
	case strings.TrimSpace(m.Reason) != "":
		// Where everything is asked for, Codex gives a reason only for what is to run
		// outside the sandbox: the model's own, or that it failed inside.
		return "to leave the sandbox"
	}
	return ""
}

// approval puts a command or a change to whoever decides.
func (t *turn) approval(id json.RawMessage, method string, m said) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.th.p
	if t.closed || t.stopped {
		p.decide(id, "cancel")
		return
	}
	t.silence.Stir()
	again := t.asked[m.ItemID]
	t.asked[m.ItemID] = true
	if method == "item/commandExecution/requestApproval" && t.rows.by[m.ItemID] == nil {
		t.rows.draw(item{Type: "commandExecution", ID: m.ItemID, Command: m.Command, Cwd: m.Cwd, Actions: m.Actions})
	}
	if want := escape(m, again); want != "" {
		t.rows.declined(m.ItemID, "it asked for "+want)
		t.emit(engine.Notice{Code: "declined-escape", Message: t.e.agent.Name + " asked for " + want + ": it was declined."})
		p.decide(id, "decline")
		return
	}
	row := t.rows.by[m.ItemID]
	if row == nil || row.ended {
		p.decide(id, "decline")
		return
	}
	t.rows.waits(m.ItemID, true)
	ask := permission(row, m, t.cwd)
	t.asks.add(task{
		run: func(ctx context.Context) {
			d := t.sink.Ask(ctx, ask)
			t.mu.Lock()
			t.silence.Stir()
			t.rows.waits(m.ItemID, false)
			decision := "decline"
			switch {
			case d.Verdict == engine.Allow && (d.OptionID == "accept" || d.OptionID == "acceptForSession"):
				decision = d.OptionID
			case d.Verdict == engine.Cancelled:
				decision = "cancel"
				t.rows.declined(m.ItemID, cmp.Or(d.Reason, neverRan))
			default:
				t.rows.declined(m.ItemID, cmp.Or(d.Reason, "you said no"))
			}
			t.mu.Unlock()
			p.decide(id, decision)
		},
		refuse: func() { p.decide(id, "cancel") },
	})
}

// permission is what a step wants to be allowed.
func permission(r *row, m said, cwd string) engine.Permission {
	it := r.item
	if len(m.Actions) > 0 {
		it.Actions = m.Actions
	}
	if m.Command != "" {
		it.Command = m.Command
	}
	if m.Cwd != "" {
		it.Cwd = m.Cwd
	}
	name, kind, subject, _ := step(it, cwd)
	ask := engine.Permission{
		ToolUseID: r.key, Tool: name, Kind: kind, Subject: subject, Input: input(it), Reason: program.OneLine(m.Reason, maxName),
		Options: append([]engine.PermissionOption(nil), approvalOptions...),
	}
	switch it.Type {
	case "fileChange":
		ask.Diffs = diffs(it.Changes)
		for _, c := range it.Changes {
			ask.Paths = append(ask.Paths, c.Path)
			if c.Kind.MoveTo != "" {
				ask.Paths = append(ask.Paths, c.Kind.MoveTo)
			}
		}
	case "commandExecution":
		ask.Subject = cmp.Or(unwrapped(it.Command), subject)
		ask.Kind, ask.Paths = reach(it, cwd)
	}
	return ask
}

// reach is what a command does, and the paths that it names. It reads only when
// Codex takes each of its parts for reading and its own words say so too; a part that
// names no path reads the folder that it runs in.
func reach(it item, cwd string) (engine.ToolKind, []string) {
	kind := engine.KindRead
	at := cmp.Or(it.Cwd, cwd)
	paths := []string{at}
	named, ok := reads(unwrapped(it.Command))
	if !ok || len(it.Actions) == 0 {
		return engine.KindExecute, nil
	}
	for _, a := range it.Actions {
		switch a.Type {
		case "read":
		case "search", "listFiles":
			kind = engine.KindSearch
		default:
			return engine.KindExecute, nil
		}
		if a.Path != "" {
			named = append(named, a.Path)
		}
	}
	for _, path := range named {
		if !filepath.IsAbs(path) {
			path = filepath.Join(at, path)
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return kind, paths
}

// appCall puts a call of an MCP server that the person set up in Codex to whoever
// decides.
func (t *turn) appCall(id json.RawMessage, m said) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.th.p
	if t.closed || t.stopped {
		p.conn.reply(id, elicited("cancel"))
		return
	}
	t.silence.Stir()
	// The request names no item: it is the newest open one of this tool.
	var row *row
	for _, each := range t.rows.list {
		if !each.ended && each.item.Type == "mcpToolCall" && each.item.Server == m.Server && each.item.Tool == m.Meta.Tool {
			row = each
		}
	}
	ask := engine.Permission{
		Tool: program.OneLine(m.Server+": "+m.Meta.Tool, maxName), Kind: engine.KindOther, Subject: program.OneLine(arguments(m.Meta.Params), 1000), Input: m.Meta.Params,
		Options: append([]engine.PermissionOption(nil), approvalOptions[:2]...),
	}
	if row != nil {
		ask.ToolUseID = row.key
		row.asked = true
	}
	t.asks.add(task{
		run: func(ctx context.Context) {
			d := t.sink.Ask(ctx, ask)
			action := "decline"
			t.mu.Lock()
			if row != nil {
				row.asked = false
			}
			switch {
			case d.Verdict == engine.Allow && d.OptionID == "accept":
				action = "accept"
			case d.Verdict == engine.Cancelled:
				action = "cancel"
			}
			if row != nil && action != "accept" && !row.ended {
				t.rows.end(row, engine.ToolNotRun, cmp.Or(d.Reason, "you said no"), "")
			}
			t.mu.Unlock()
			p.conn.reply(id, elicited(action))
		},
		refuse: func() { p.conn.reply(id, elicited("cancel")) },
	})
}

// question puts Codex's own questions to the person.
func (t *turn) question(id json.RawMessage, m said) {
	p := t.th.p
	q := engine.Question{ID: t.key + ".q" + strings.Trim(string(id), `"`), Title: t.e.agent.Name + " asks"}
	for _, each := range m.Questions {
		if each.ID == "" || len(q.Fields) == maxChoices {
			continue
		}
		f := engine.Field{Name: each.ID, Label: program.OneLine(cmp.Or(each.Text, each.Header), 1000), Kind: "text", Required: true}
		for _, o := range each.Options {
			if len(f.Options) < maxChoices {
				f.Options = append(f.Options, engine.Choice{ID: o.Label, Name: program.OneLine(o.Label, maxName), Description: program.OneLine(o.Says, maxName)})
			}
		}
		if len(f.Options) > 0 && !each.Other {
			f.Kind = "choice"
		}
		q.Fields = append(q.Fields, f)
	}
	if len(q.Fields) == 1 {
		q.Title = q.Fields[0].Label
	}
	give := func(a engine.Answer) {
		answers := map[string]any{}
		for i, f := range q.Fields {
			text, _ := a.Values[f.Name].(string)
			if text == "" && i == 0 {
				text = a.Text
			}
			if text != "" && !a.Skipped && !a.Cancelled {
				answers[f.Name] = map[string]any{"answers": []string{text}}
			}
		}
		p.conn.reply(id, map[string]any{"answers": answers})
	}
	t.asks.add(task{
		run:    func(ctx context.Context) { give(t.sink.Question(ctx, q)) },
		refuse: func() { give(engine.Answer{Cancelled: true}) },
	})
}
