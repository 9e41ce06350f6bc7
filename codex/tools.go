package codex

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"conch/engine"
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
	t.stir()
	t.words.step()
	key := t.key + "." + oneLine(m.CallID, maxName)
	args := m.Arguments
	if len(args) == 0 || args[0] != '{' {
		args = json.RawMessage("{}")
	}
	t.calls.add(task{
		run: func(ctx context.Context) {
			t.tell(engine.ToolStart{ToolUseID: key, Name: oneLine(m.Tool, maxName), Kind: engine.KindOther, Input: args})
			r, err := t.callTool(ctx, m.Tool, args)
			end := engine.ToolEnd{ToolUseID: key, Status: engine.ToolSuccess, Output: tail(r.Text), View: r.View}
			if err != nil {
				r = engine.ToolResult{Text: engine.FailureText(err)}
				end.Status, end.Output = engine.ToolError, tail(r.Text)
				if ctx.Err() != nil {
					r.Text = "It was stopped."
					end.Reason = "stopped"
				}
			}
			t.tell(end)
			p.conn.reply(id, toolResult(r, err == nil))
		},
		refuse: func() { p.conn.reply(id, toolAnswer("It was stopped.", false)) },
	})
}

func (t *turn) callTool(ctx context.Context, name string, args json.RawMessage) (r engine.ToolResult, err error) {
	defer func() {
		if v := recover(); v != nil {
			t.e.log("tool-panic", fmt.Sprintf("%s: %v", name, v))
			err = fmt.Errorf("%s broke", name)
		}
	}()
	for _, tool := range t.tools {
		if tool.Name() == name {
			return tool.Call(ctx, args)
		}
	}
	return r, fmt.Errorf("there is no tool %q", name)
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
