package demo

import "encoding/json"

// The wire types of ACP v1 as far as the demo agent speaks it. Read from the
// protocol's schema v1 (schema crate 1.7.0).

type clientAbilities struct {
	Auth struct {
		Terminal bool `json:"terminal"`
	} `json:"auth"`
	Elicitation struct {
		Form *struct{} `json:"form"`
		URL  *struct{} `json:"url"`
	} `json:"elicitation"`
}

type initializeParams struct {
	ProtocolVersion    int             `json:"protocolVersion"`
	ClientCapabilities clientAbilities `json:"clientCapabilities"`
}

type openParams struct {
	SessionID string   `json:"sessionId"`
	Cwd       string   `json:"cwd"`
	Servers   []server `json:"mcpServers"`
	Meta      struct {
		Rules string `json:"rules"`
	} `json:"_meta"`
}

type promptParams struct {
	SessionID string  `json:"sessionId"`
	Prompt    []block `json:"prompt"`
}

// block is a content block of any type.
type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"`
	MimeType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type resource struct {
	URI  string `json:"uri"`
	Text string `json:"text,omitempty"`
}

type modeParams struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

type optionParams struct {
	SessionID string          `json:"sessionId"`
	ConfigID  string          `json:"configId"`
	Value     json.RawMessage `json:"value"`
}

// update is the body of a session/update.
type update map[string]any

type choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// option is a config option: a select, or a boolean without options.
type option struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Description  string   `json:"description,omitempty"`
	Category     string   `json:"category,omitempty"`
	Type         string   `json:"type"`
	CurrentValue any      `json:"currentValue"`
	Options      []choice `json:"options,omitempty"`
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

type permissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

type permissionAnswer struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}

type elicitationAnswer struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content"`
}

func textBlock(s string) block { return block{Type: "text", Text: s} }

// wordsContent is a tool's output as words.
func wordsContent(s string) map[string]any {
	return map[string]any{"type": "content", "content": textBlock(s)}
}

// diffContent is a change of a file; old is nil for a new one.
func diffContent(path string, old *string, new string) map[string]any {
	return map[string]any{"type": "diff", "path": path, "oldText": old, "newText": new}
}
