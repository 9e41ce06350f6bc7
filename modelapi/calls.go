package modelapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"conch/engine"
	"conch/program"
)

const (
	maxRowText  = 200  // characters of a row's word or subject
	maxOutput   = 8000 // characters of a row's output, the last ones
	maxResult   = 100_000
	leastResult = 4_000
	mostBotched = 3 // answers in a row without a call that can be run
)

const stoppedText = "It was stopped."

// runCalls runs the calls of one answer, one after the other, and puts what they
// gave into the history. Behind a Stop the rest is answered as stopped.
func (t *turn) runCalls(ctx context.Context, calls []call, stop string) {
	usable := false
	for _, c := range calls {
		m := message{Role: ofTool, Call: c.ID, Name: c.Name}
		if ctx.Err() != nil {
			m.Text, m.Failed = stoppedText, true
			t.s.history = append(t.s.history, m)
			continue
		}
		r, ok, err := t.call(ctx, c, stop)
		usable = usable || ok
		if err != nil {
			r = engine.ToolResult{Text: engine.FailureText(err), Failed: true}
		}
		m.Text, m.Failed = t.bounded(r.Text), r.Failed
		m.Images = append(m.Images, pictures(r.Images)...)
		t.s.history = append(t.s.history, m)
	}
	if usable || ctx.Err() != nil {
		t.botched = 0
	} else {
		t.botched++
	}
}

// call runs one call in a row of its own. usable is false when it named no tool or
// gave no arguments that can be read.
func (t *turn) call(ctx context.Context, c call, stop string) (r engine.ToolResult, usable bool, err error) {
	id := t.key + "." + shortID()
	tool, known := find(t.tools, c.Name)
	args := json.RawMessage(strings.TrimSpace(c.Args))
	bad := t.misfit(c, known, stop)
	row := engine.ToolStart{ToolUseID: id, Name: c.Name, Kind: engine.KindOther, Subject: engine.SubjectOf(c.object()), Input: c.object()}
	if known && bad == nil {
		row = engine.RowOf(tool.tool, id, args)
	}
	row.Name, row.Subject = program.OneLine(row.Name, maxRowText), program.OneLine(row.Subject, 4*maxRowText)
	t.accept()
	t.sink.Emit(row)
	if bad != nil {
		t.sink.Emit(engine.ToolEnd{ToolUseID: id, Status: engine.ToolError, Output: tail(bad.Error())})
		return engine.ToolResult{}, false, bad
	}
	r, err = t.runTool(engine.WithCall(ctx, id), tool.tool, args)
	end := engine.ToolEnd{ToolUseID: id, Status: engine.ToolSuccess, View: r.View}
	if err != nil {
		r = engine.ToolResult{Text: engine.FailureText(err), Failed: true}
	}
	if r.Failed {
		end.Status = engine.ToolError
	}
	r.Text, _ = t.e.secrets().Redact(r.Text)
	end.Output = tail(r.Text)
	if ctx.Err() != nil {
		r = engine.ToolResult{Text: stoppedText, Failed: true}
		end = engine.ToolEnd{ToolUseID: id, Status: engine.ToolError, Reason: "stopped"}
	}
	t.sink.Emit(end)
	return r, true, nil
}

// misfit says what makes a call one that can't be run, nil for none.
func (t *turn) misfit(c call, known bool, stop string) error {
	if !known && len(t.tools) == 0 {
		return errors.New("there are no tools here: answer in words")
	}
	if !known {
		return fmt.Errorf("there is no tool %q; these are: %s", program.OneLine(c.Name, maxRowText), names(t.tools))
	}
	if isObject([]byte(c.Args)) {
		return nil
	}
	why := "they must be a JSON object that fits the tool's schema"
	var v any
	if err := json.Unmarshal([]byte(c.Args), &v); err != nil {
		why = err.Error()
	}
	cut := ""
	if stop == stopLength {
		cut = " Your answer had reached the longest that it may be: make the call smaller."
	}
	return fmt.Errorf("it was not run: the arguments of %s are no JSON object: %s. They began: %s.%s", c.Name, why, program.OneLine(c.Args, maxRowText), cut)
}

// runTool calls a tool. A panic in it is an error. One that goes on after its end
// was asked for is waited for when the engine closes, not here.
func (t *turn) runTool(ctx context.Context, tool engine.Tool, args json.RawMessage) (engine.ToolResult, error) {
	type given struct {
		r   engine.ToolResult
		err error
	}
	done := make(chan given, 1)
	t.e.work.Go(func() {
		var g given
		defer func() {
			if v := recover(); v != nil {
				t.e.logf("tool-panic", "%s: %v", tool.Name(), v)
				g = given{err: fmt.Errorf("%s broke inside Conch; this is a fault of Conch's, not of the call", tool.Name())}
			}
			done <- g
		}()
		g.r, g.err = tool.Call(ctx, args)
	})
	select {
	case g := <-done:
		return g.r, g.err
	case <-ctx.Done():
		return engine.ToolResult{}, ctx.Err()
	}
}

// bounded cuts what a tool gave to what the model's window has room for.
func (t *turn) bounded(text string) string {
	most := min(maxResult, max(leastResult, t.window())) // a quarter of the window, at four characters a token
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	return fmt.Sprintf("%s\n\n… (%d characters are left out here: ask for less at once) …\n\n%s", string(runes[:most*3/4]), len(runes)-most, string(runes[len(runes)-most/4:]))
}

// tail is the end of a text, as a row holds it.
func tail(text string) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-maxOutput):])
}
