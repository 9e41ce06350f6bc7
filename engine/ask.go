package engine

import (
	"context"
	"encoding/json"
)

// Sink takes a turn's events and puts its questions to whoever decides. Emit
// never blocks for long; Ask and Question block until there is an answer or ctx
// is done, and then answer Cancelled.
type Sink interface {
	Emit(Event)
	Ask(ctx context.Context, p Permission) Decision
	Question(ctx context.Context, q Question) Answer
}

// Permission is one call that wants to be allowed.
type Permission struct {
	ToolUseID string
	Tool      string // the row's word
	Kind      ToolKind
	Subject   string // the exact command, path or address
	Input     json.RawMessage
	Paths     []string // every path the call names, as it names them
	Diffs     []Diff
	Reason    string // the program's own words for why, when it gave any
	Options   []PermissionOption

	// App is the MCP app whose tool is called, "" for any other call. Own marks an
	// app of the person's own: what it gives and takes stays with them.
	App string
	Own bool
}

// OptionKind is the reach of an option.
type OptionKind string

const (
	AllowOnce    OptionKind = "allow_once"
	AllowAlways  OptionKind = "allow_always"
	RejectOnce   OptionKind = "reject_once"
	RejectAlways OptionKind = "reject_always"
)

// PermissionOption is an answer the program offers. A kind that is none of the
// four is shown by its name and never picked by Conch.
type PermissionOption struct {
	ID   string     `json:"id"`
	Name string     `json:"name"`
	Kind OptionKind `json:"kind"`
	Own  bool       `json:"own,omitempty"` // Conch itself keeps to it; else the program does
}

// Verdict is what was decided.
type Verdict string

const (
	Allow     Verdict = "allow"
	Deny      Verdict = "deny"
	Cancelled Verdict = "cancelled"
)

// Decision answers a Permission. OptionID is one that was offered, or "" when
// none fits and the request is to be answered as cancelled.
type Decision struct {
	Verdict  Verdict
	OptionID string
	Reason   string // for the row: "you said no", "plan mode runs nothing"
}

// Question is something a tool or a program wants to know from the person.
type Question struct {
	ID     string
	Title  string
	Fields []Field // none: a free text answer
	URL    string  // an address the person is asked to open; never opened by itself
}

// Field is one thing to fill in. Kind is text, number, integer, boolean, choice
// or choices; the last two have Options.
type Field struct {
	Name        string   `json:"name"`
	Label       string   `json:"label"`
	Description string   `json:"description,omitempty"`
	Kind        string   `json:"kind"`
	Required    bool     `json:"required,omitempty"`
	Default     any      `json:"default,omitempty"`
	Options     []Choice `json:"options,omitempty"`
}

// Answer is what the person said. Skipped means they declined to answer;
// Cancelled that the turn ended first.
type Answer struct {
	Text      string
	Values    map[string]any
	Skipped   bool
	Cancelled bool
}
