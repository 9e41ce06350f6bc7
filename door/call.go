package door

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/engine"
	"conch/plain"
	"conch/redact"
)

const (
	// maxOutput is what a row keeps of an answer, in characters, the last ones.
	maxOutput = 8000
	// stoppedText is all that a program is told after Stop.
	stoppedText = "It was stopped."
)

// call runs one call of a tool. hung ends when the program hangs up; inner is the
// SDK's own, by which a notification finds its way to the program.
func (d *Door) call(hung, inner context.Context, p *phase, req *mcp.CallToolRequest) *mcp.CallToolResult {
	name := plain.Line(req.Params.Name, 200)
	if p.opening {
		return failed("No turn is running: call it again in one.")
	}
	i := slices.IndexFunc(p.turn.Tools, func(t engine.Tool) bool { return t.Name() == req.Params.Name })
	if i < 0 {
		return failed(fmt.Sprintf("There is no tool %q here. There are: %s.", name, names(p.turn.Tools)))
	}
	tool := p.turn.Tools[i]
	args := object(req.Params.Arguments)
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return failed(stoppedText)
	}
	d.nextCall++
	id := p.turn.IDs + "door." + strconv.Itoa(d.nextCall)
	d.calls.Add(1) // under the lock: Close waits only after it
	d.mu.Unlock()
	row := engine.RowOf(tool, id, args)
	if !p.start(row) {
		d.calls.Done()
		return failed(stoppedText)
	}
	ctx, cancel := context.WithCancel(engine.WithCall(p.ctx, id))
	defer cancel()
	defer context.AfterFunc(hung, cancel)()
	inner, still := context.WithCancel(inner)
	defer still()
	beats := d.progress(inner, req)
	answered := make(chan answer, 1)
	go func() {
		defer d.calls.Done()
		answered <- d.run(ctx, tool, args)
	}()
	var a answer
	select {
	case a = <-answered:
	case <-ctx.Done():
		a = answer{err: ctx.Err()}
	}
	cancel()
	still()
	<-beats
	return d.finish(p, id, tool.Name(), a, hung)
}

type answer struct {
	result engine.ToolResult
	err    error
}

// run calls the tool. A panic in it is an error; what it was is for the log.
func (d *Door) run(ctx context.Context, tool engine.Tool, args json.RawMessage) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			d.opts.Log("tool-panic", fmt.Sprintf("%s: %v\n%s", tool.Name(), r, debug.Stack()))
			a = answer{err: fmt.Errorf("%s broke inside Conch; this is a fault of Conch's, not of the call", tool.Name())}
		}
	}()
	result, err := tool.Call(ctx, args)
	return answer{result, err}
}

// finish closes the row and gives the program its answer.
func (d *Door) finish(p *phase, id, tool string, a answer, hung context.Context) *mcp.CallToolResult {
	switch {
	case p.ctx.Err() != nil:
		p.finish(engine.ToolEnd{ToolUseID: id, Status: engine.ToolError, Reason: "stopped"})
		return failed(stoppedText)
	case hung.Err() != nil && a.err != nil:
		p.finish(engine.ToolEnd{ToolUseID: id, Status: engine.ToolError, Reason: "the program did not wait for the answer"})
		return failed(stoppedText)
	case a.err != nil:
		text := engine.FailureText(a.err)
		if a.err.Error() == "" {
			text = tool + " failed without saying why."
		}
		p.finish(engine.ToolEnd{ToolUseID: id, Status: engine.ToolError, Output: last(text)})
		return failed(text)
	}
	text, _ := redact.Redact(a.result.Text)
	status := engine.ToolSuccess
	if a.result.Failed {
		status = engine.ToolError
	}
	p.finish(engine.ToolEnd{ToolUseID: id, Status: status, Output: last(plain.Text(text)), View: a.result.View})
	out := &mcp.CallToolResult{IsError: a.result.Failed}
	left := 0
	for _, image := range a.result.Images {
		if !p.turn.Images || !strings.HasPrefix(image.MIME, "image/") || len(image.Data) == 0 {
			left++
			continue
		}
		out.Content = append(out.Content, &mcp.ImageContent{Data: image.Data, MIMEType: image.MIME})
	}
	if left > 0 {
		text += "\n\n(" + strconv.Itoa(left) + " pictures are left out: they can't be shown to you.)"
	}
	out.Content = append([]mcp.Content{&mcp.TextContent{Text: text}}, out.Content...)
	return out
}

// progress tells a program that asked for it that the call goes on; some give up on
// one of which they hear nothing. The channel is closed when ctx is done.
func (d *Door) progress(ctx context.Context, req *mcp.CallToolRequest) <-chan struct{} {
	done := make(chan struct{})
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		tick := time.NewTicker(d.opts.Alive)
		defer tick.Stop()
		for beat := 1.0; ; beat++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// A program that is gone is noticed by its connection.
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: beat, Message: "it goes on"})
			}
		}
	}()
	return done
}

func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// object is the arguments, or an empty object when they are none: the tool then
// names what it misses.
func object(raw json.RawMessage) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return json.RawMessage("{}")
	}
	return raw
}

func names(tools []engine.Tool) string {
	if len(tools) == 0 {
		return "none"
	}
	list := make([]string, len(tools))
	for i, t := range tools {
		list[i] = t.Name()
	}
	return strings.Join(list, ", ")
}

func last(s string) string {
	if r := []rune(s); len(r) > maxOutput {
		return string(r[len(r)-maxOutput:])
	}
	return s
}
