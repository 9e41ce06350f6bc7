package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"conch/engine"
)

// guarded is a tool of Conch's under the eyes of a turn's guard.
type guarded struct {
	engine.Tool
	watch *guard
	pause func() // ends the turn, when the guard says so
	logf  func(format string, args ...any)
}

// Show gives what the tool's own row says.
func (g guarded) Show(args json.RawMessage) engine.ToolStart {
	if s, ok := g.Tool.(engine.Shown); ok {
		return s.Show(args)
	}
	return engine.ToolStart{}
}

// Call runs the tool, unless the turn is to pause. What the guard has to say stands
// behind the answer, or behind the words of the error, and takes nothing from them.
func (g guarded) Call(ctx context.Context, args json.RawMessage) (engine.ToolResult, error) {
	name, watch := g.Name(), g.watch
	early, pause := watch.before(engine.CallID(ctx), name, args)
	if pause != nil {
		g.pause()
		return engine.ToolResult{}, errors.New("it was not run: the turn is paused, after " + pause.Message + ". End here and say how far you are")
	}
	broke := true
	defer func() {
		if broke { // whoever called it makes an error of the panic
			watch.after(name, "", true)
		}
	}()
	result, err := g.Tool.Call(ctx, args)
	broke = false
	if ctx.Err() != nil {
		return result, err
	}
	if err != nil && strings.TrimSpace(err.Error()) == "" {
		err = errors.New(name + " failed without saying why")
	}
	text, failed := result.Text, result.Failed
	if err != nil {
		text, failed = engine.FailureText(err), true
	}
	late := watch.after(name, text, failed)
	if watch.paused() != nil {
		defer g.pause()
	}
	if early == "" && late == "" {
		return result, err
	}
	if err != nil {
		// The words stay whole with the note behind them; what they leave out is for the log.
		g.logf("%s: %v", name, err)
		result = engine.ToolResult{View: result.View, Failed: true}
	}
	result.Text = withNote(text, strings.TrimSpace(early+" "+late))
	return result, nil
}

// withNote sets words of Conch's apart from an answer.
func withNote(text, note string) string {
	return text + "\n\n<from-conch>\n" + note + "\n</from-conch>"
}
