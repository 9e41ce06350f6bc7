package engine

import (
	"context"
	"encoding/json"
)

// Tool is a tool of Conch's own that a provider may call.
type Tool interface {
	Name() string
	Description() string
	Schema() json.RawMessage // JSON Schema of the arguments, an object
	Call(ctx context.Context, args json.RawMessage) (ToolResult, error)
}

// ToolResult is what a tool gives back: words for the model, a view for the row.
// Failed marks an answer that tells of a failure in the tool's own words, as an app
// gives it: the row ends as an error and the model is told that it is one.
type ToolResult struct {
	Text   string
	Images []Attachment
	View   View
	Failed bool
}

// Shown is an ability of a Tool: what the row of a call says before it runs. The
// engine gives the row its id; of Name, Kind, Subject, Input and View what is empty
// is as it is for any tool.
type Shown interface {
	Show(args json.RawMessage) ToolStart
}

// RowOf is the row of a call of a tool: its own words for it where it has them, else
// its name and what its arguments say.
func RowOf(t Tool, id string, args json.RawMessage) ToolStart {
	row := ToolStart{}
	if s, ok := t.(Shown); ok {
		row = s.Show(args)
	}
	row.ToolUseID = id
	if row.Name == "" {
		row.Name = t.Name()
	}
	if row.Subject == "" {
		row.Subject = SubjectOf(args)
	}
	if row.Kind == "" {
		row.Kind = KindOther
	}
	if row.Input == nil {
		row.Input = args
	}
	return row
}

type callKey struct{}

// WithCall tells a tool which row its call has, by the id that the engine gave it
// in ToolStart. An engine does so for every call of a Tool.
func WithCall(ctx context.Context, toolUseID string) context.Context {
	return context.WithValue(ctx, callKey{}, toolUseID)
}

// CallID is the id of the row that a tool was called in, "" when none is known.
func CallID(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}
