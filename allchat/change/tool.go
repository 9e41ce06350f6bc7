package change

import (
	"context"
	"encoding/json"
	"fmt"

	"conch/engine"
	"conch/plain"
	"conch/redact"
)

// Bounds of a call's row.
const (
	maxSubject = 200 // characters
	maxRowText = 500 // characters of the summary
)

// NewTool is propose_change for one participant. id gives each proposal its own; made
// gets the proposal and says what the model is told.
func NewTool(p Project, by string, id func() string, made func(context.Context, Proposal) (string, error)) engine.Tool {
	return &tool{project: p, by: by, id: id, made: made}
}

type tool struct {
	project Project
	by      string
	id      func() string
	made    func(context.Context, Proposal) (string, error)
}

func (t *tool) Name() string            { return Name }
func (t *tool) Description() string     { return Description }
func (t *tool) Schema() json.RawMessage { return Schema() }

// Show gives the row of a call: which files, and why. What they are to hold is not in
// it: it is shown once the call has been understood.
func (t *tool) Show(args json.RawMessage) engine.ToolStart {
	var asked struct {
		Summary string `json:"summary"`
		Files   []struct {
			Path string `json:"path"`
		} `json:"files"`
	}
	if len(args) > MaxArguments || json.Unmarshal(args, &asked) != nil {
		return engine.ToolStart{Input: json.RawMessage(`{}`)} // the call says what is wrong with them
	}
	row := struct {
		Summary string   `json:"summary"`
		Files   []string `json:"files"`
	}{Summary: said(asked.Summary, maxRowText)}
	for _, f := range asked.Files[:min(len(asked.Files), MaxFiles)] {
		row.Files = append(row.Files, said(f.Path, maxSubject))
	}
	input, err := json.Marshal(row)
	if err != nil {
		input = json.RawMessage(`{}`) // text always encodes
	}
	return engine.ToolStart{Subject: subject(row.Files), Input: input}
}

// subject names the files of a call in one line.
func subject(files []string) string {
	switch len(files) {
	case 0:
		return ""
	case 1:
		return files[0]
	}
	return plain.Line(fmt.Sprintf("%s and %d more", files[0], len(files)-1), maxSubject)
}

// said is a piece of the arguments, fit for a row.
func said(s string, most int) string {
	s, _ = redact.Redact(plain.Line(s, 16*most))
	return plain.Line(s, most)
}

func (t *tool) Call(ctx context.Context, args json.RawMessage) (engine.ToolResult, error) {
	if err := ctx.Err(); err != nil {
		return engine.ToolResult{}, err
	}
	pr, err := t.project.Propose(ctx, t.id(), t.by, args)
	if err != nil {
		return engine.ToolResult{}, err
	}
	text, err := t.made(ctx, pr)
	if err != nil {
		return engine.ToolResult{}, err
	}
	return engine.ToolResult{Text: text, View: pr.view()}, nil
}

// view is what the row shows of a proposal.
func (p Proposal) view() engine.View {
	v := p.Preview()
	added, removed := 0, 0
	for _, c := range v.Files {
		added += c.Added
		removed += c.Removed
	}
	files := "1 file"
	if n := len(v.Files); n != 1 {
		files = fmt.Sprintf("%d files", n)
	}
	return engine.View{Diffs: v.Diffs, Locations: p.Paths(), Result: fmt.Sprintf("%s, +%d −%d", files, added, removed)}
}
