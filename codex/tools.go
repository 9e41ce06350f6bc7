package codex

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"conch/engine"
	"conch/program"
	"conch/redact"
)

// maxCalls is how many calls of Conch's tools one turn may make.
const maxCalls = 512

func toolAnswer(text string, success bool) map[string]any {
	return map[string]any{"contentItems": []any{map[string]any{"type": "inputText", "text": text}}, "success": success}
}

// toolCall runs a tool of Conch's, after those that were called before. A call that
// came twice, or one too many, is stale: the model is told.
func (t *turn) toolCall(id json.RawMessage, m said) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.th.p
	stale := m.CallID == "" || t.seen[m.CallID] || len(t.seen) >= maxCalls || t.closed || t.stopped
	if stale {
		p.conn.reply(id, toolAnswer("This call is stale: it was not run.", false))
		return
	}
	t.seen[m.CallID] = true
	t.heard = true
	t.silence.Stir()
	t.words.step()
	args := m.Arguments
	if !isObject(args) {
		args = json.RawMessage("{}")
	}
	each := t.rows.called(m.CallID, m.Tool, args)
	t.calls.add(task{
		run: func(ctx context.Context) {
			t.mu.Lock()
			each.asked = false
			t.mu.Unlock()
			r, err := t.callTool(engine.WithCall(ctx, each.key), m.Tool, args)
			end := engine.ToolEnd{ToolUseID: each.key, Status: engine.ToolSuccess, View: r.View}
			if err != nil {
				r = engine.ToolResult{Text: engine.FailureText(err)}
				end.Status = engine.ToolError
			}
			if r.Failed {
				end.Status = engine.ToolError
			}
			r.Text, _ = redact.Redact(r.Text)
			end.Output = tail(r.Text)
			if ctx.Err() != nil { // Stop may have closed the row already, in the same way
				r = engine.ToolResult{Text: stoppedText}
				end = engine.ToolEnd{ToolUseID: each.key, Status: engine.ToolError, Reason: "stopped"}
			}
			t.mu.Lock()
			if !each.ended {
				each.ended = true
				t.emit(end)
			}
			t.mu.Unlock()
			p.conn.reply(id, toolResult(r, end.Status == engine.ToolSuccess))
		},
		refuse: func() { p.conn.reply(id, toolAnswer(stoppedText, false)) },
	})
}

const stoppedText = "It was stopped."

// wireName is how Codex knows a tool: names that begin with "mcp__" it keeps for
// servers of its own (0.171.0 refuses them with "dynamic tool name is reserved").
func wireName(name string) string {
	if app, ok := strings.CutPrefix(name, "mcp__"); ok {
		return "app__" + app
	}
	return name
}

// called draws the row of a call of Conch's own tool. It has not begun to run.
func (r *rows) called(id, name string, args json.RawMessage) *row {
	it := item{Type: "dynamicToolCall", ID: id, Tool: name, Arguments: args}
	each := &row{key: r.turn.key + "." + program.OneLine(id, maxName), item: it, name: program.OneLine(name, maxName), subject: engine.SubjectOf(args), asked: true}
	start := engine.ToolStart{ToolUseID: each.key, Name: each.name, Kind: engine.KindOther, Subject: each.subject, Input: args}
	if at := slices.IndexFunc(r.turn.tools, func(t engine.Tool) bool { return wireName(t.Name()) == name }); at >= 0 {
		start = engine.RowOf(r.turn.tools[at], each.key, args)
		start.Name, start.Subject = program.OneLine(start.Name, maxName), program.OneLine(start.Subject, maxName)
		each.name, each.subject = start.Name, start.Subject
	}
	r.list = append(r.list, each)
	r.turn.emit(start)
	return each
}

// callTool calls a tool of this turn's. A panic in it is an error. One that goes on
// after its end was asked for is waited for when the engine closes, not here.
func (t *turn) callTool(ctx context.Context, name string, args json.RawMessage) (engine.ToolResult, error) {
	at := slices.IndexFunc(t.tools, func(tool engine.Tool) bool { return wireName(tool.Name()) == name })
	if at < 0 {
		return engine.ToolResult{}, fmt.Errorf("there is no tool %q", program.OneLine(name, maxName))
	}
	type answer struct {
		r   engine.ToolResult
		err error
	}
	answered := make(chan answer, 1)
	t.e.calls.Go(func() {
		var a answer
		defer func() {
			if v := recover(); v != nil {
				t.e.program.Logf("tool-panic", "%s: %v", name, v)
				a = answer{err: fmt.Errorf("%s broke inside Conch; this is a fault of Conch's, not of the call", name)}
			}
			answered <- a
		}()
		a.r, a.err = t.tools[at].Call(ctx, args)
	})
	select {
	case a := <-answered:
		return a.r, a.err
	case <-ctx.Done():
		return engine.ToolResult{}, ctx.Err()
	}
}

func toolResult(r engine.ToolResult, success bool) map[string]any {
	answer := toolAnswer(r.Text, success)
	items := answer["contentItems"].([]any)
	for _, image := range r.Images {
		items = append(items, map[string]any{"type": "inputImage", "imageUrl": dataURL(image)})
	}
	answer["contentItems"] = items
	return answer
}

func dataURL(a engine.Attachment) string {
	return "data:" + a.MIME + ";base64," + base64.StdEncoding.EncodeToString(a.Data)
}

// attached is an attachment as Codex takes it: a picture, or a text that says where
// the file is or what is in it.
func attached(a engine.Attachment) map[string]any {
	switch {
	case len(a.MIME) > 6 && a.MIME[:6] == "image/" && a.Data != nil:
		return map[string]any{"type": "image", "url": dataURL(a)}
	case a.Data != nil:
		return map[string]any{"type": "text", "text": fmt.Sprintf("The file %s, attached by the person:\n\n%s", a.Name, a.Data), "text_elements": []any{}}
	}
	return map[string]any{"type": "text", "text": "The person attached the file " + a.Path, "text_elements": []any{}}
}
