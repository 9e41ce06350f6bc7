package tools

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"conch/engine"
	"conch/plain"
	"conch/redact"
)

// tool is one of Conch's own, bound to a turn.
type tool struct {
	name, what string
	takes      []argument
	show       func(args json.RawMessage) engine.ToolStart // nil: as any tool's
	call       func(ctx context.Context, args json.RawMessage) (engine.ToolResult, error)
}

func (t *tool) Name() string            { return t.name }
func (t *tool) Description() string     { return t.what }
func (t *tool) Schema() json.RawMessage { return schemaOf(t.takes) }

// Show gives the row of a call.
func (t *tool) Show(args json.RawMessage) engine.ToolStart {
	if t.show == nil {
		return engine.ToolStart{}
	}
	return t.show(args)
}

func (t *tool) Call(ctx context.Context, args json.RawMessage) (engine.ToolResult, error) {
	if err := ctx.Err(); err != nil {
		return engine.ToolResult{}, err
	}
	return t.call(ctx, args)
}

// bind makes a tool of a function that takes its arguments as a struct.
func bind[A any](name, what string, takes []argument, do func(ctx context.Context, args A) (engine.ToolResult, error)) *tool {
	return &tool{name: name, what: what, takes: takes, call: func(ctx context.Context, raw json.RawMessage) (engine.ToolResult, error) {
		var args A
		if err := read(name, takes, raw, &args); err != nil {
			return engine.ToolResult{}, err
		}
		return do(ctx, args)
	}}
}

// rowed gives a tool its row. The arguments are as they came: what of them can't be
// read is left out.
func rowed[A any](t *tool, row func(args A) engine.ToolStart) *tool {
	t.show = func(raw json.RawMessage) engine.ToolStart {
		var args A
		if len(raw) <= room(t.takes) {
			_ = json.Unmarshal(raw, &args) // the call says what is wrong with them
		}
		r := row(args)
		r.Subject = plain.Line(r.Subject, maxRow)
		return r
	}
	return t
}

// maxRow bounds what a row says of a call, in characters.
const maxRow = 2000

// cleaner takes out of outside text what must not reach a model or a terminal.
// Control characters go first: a key with one inside is none to redact.
type cleaner struct{ keys *redact.Redactor }

func (c cleaner) text(s string) string {
	s = plain.Text(s)
	if c.keys != nil {
		s, _ = c.keys.Redact(s)
		return s
	}
	s, _ = redact.Redact(s)
	return s
}

// line is text on one line of at most max characters. Secrets go before it is cut.
func (c cleaner) line(s string, max int) string {
	return plain.Line(c.text(plain.Line(s, 16*max)), max)
}

// written is a value as JSON that a person can read too. Text from outside stands
// in it between quotes that it can't close.
func written(v any) string {
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	if err := out.Encode(v); err != nil {
		return "{}" // words and numbers always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// within reports that the text has at most max characters.
func within(text string, max int) bool {
	return len(text) <= max || utf8.RuneCountInString(text) <= max
}

// Clean takes out of text what must reach neither a model nor a terminal, for the
// sources of a Finder (search.Cleaned), whose words were redacted by their shapes
// already. keys are those that Conch was given; nil: none.
func Clean(keys *redact.Redactor) func(string) string {
	return func(s string) string {
		if clean := plain.Text(s); keys != nil || clean != s {
			return cleaner{keys}.text(clean)
		}
		return s
	}
}
