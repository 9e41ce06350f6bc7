package apps

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"conch/chats"
	"conch/engine"
	"conch/plain"
	"conch/redact"
	"conch/tools"
)

// maxSubject is what a row says of a call's arguments, in characters.
const maxSubject = 200

// tool is one tool of an app, in one turn.
type tool struct {
	listed Listed
	app    App
	link   *link
	turn   tools.Turn
}

var (
	_ engine.Tool  = (*tool)(nil)
	_ engine.Shown = (*tool)(nil)
)

func (t *tool) Name() string            { return t.listed.Name }
func (t *tool) Description() string     { return t.listed.Description }
func (t *tool) Schema() json.RawMessage { return t.listed.Schema }

// kind is what a call does to the world: reading only where the app says so.
func (t *tool) kind() engine.ToolKind {
	if t.listed.ReadOnly {
		return engine.KindRead
	}
	return engine.KindOther
}

// Show gives the row of a call: the app, its tool, and the first thing that the call
// is about.
func (t *tool) Show(args json.RawMessage) engine.ToolStart {
	return engine.ToolStart{Name: t.listed.Name, Kind: t.kind(), Subject: subject(args), Input: args}
}

// Call puts the call to the turn, makes it, and marks the chat as having read from
// outside before the answer goes on.
func (t *tool) Call(ctx context.Context, args json.RawMessage) (engine.ToolResult, error) {
	d := t.turn.Ask(ctx, engine.Permission{
		Tool: t.listed.Name, Kind: t.kind(), Subject: whole(args), Input: args, Paths: t.places(args), App: t.app.ID, Own: t.app.Own,
	})
	if err := ctx.Err(); err != nil {
		return engine.ToolResult{}, err
	}
	if d.Verdict != engine.Allow {
		why := d.Reason
		if why == "" {
			why = "it was not allowed"
		}
		return engine.ToolResult{}, errors.New("it was not run: " + why)
	}
	answer, err := t.link.call(ctx, t.listed, args)
	if err != nil {
		var own *ownError
		if errors.As(err, &own) {
			t.taint(ctx)
		}
		return engine.ToolResult{}, err
	}
	t.taint(ctx)
	return t.link.b.result(t.listed, answer), nil
}

// taint says that words of the app are about to reach the chat.
func (t *tool) taint(ctx context.Context) {
	if !t.app.Own {
		t.turn.Taint(engine.CallID(ctx), chats.AppTaint(t.app.ID))
	}
}

// shortArgs is how many bytes of arguments are one line.
const shortArgs = 100

// whole is everything that a call gives the app, for the person to read.
func whole(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, args) != nil || b.String() == "{}" {
		return ""
	}
	if b.Len() <= shortArgs {
		return b.String()
	}
	b.Reset()
	if json.Indent(&b, args, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// telling are the fields that say best what a call is about.
var telling = []string{"query", "title", "name", "path", "url", "id", "customer", "text", "message"}

// subject is what a row says of the arguments: a telling field, else the first that
// is a word or a number, as the model wrote them.
func subject(args json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	first := ""
	found := map[string]string{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			break
		}
		var v any
		if d.Decode(&v) != nil {
			break
		}
		said := ""
		switch v := v.(type) {
		case string:
			said = v
		case json.Number:
			said = v.String()
		}
		if said = strings.TrimSpace(said); said == "" {
			continue
		}
		if first == "" {
			first = said
		}
		if name, ok := key.(string); ok {
			found[name] = said
		}
	}
	for _, name := range telling {
		if said := found[name]; said != "" {
			first = said
			break
		}
	}
	clean, _ := redact.Redact(plain.Line(first, 4*maxSubject))
	return plain.Line(clean, maxSubject)
}

// ownError is an error that the app itself answered with.
type ownError struct{ say string }

func (e *ownError) Error() string { return e.say }
