package codex

import "encoding/json"

// said is what a notification or a request of the program may hold. A field that
// is not there, or of another kind than it should be, is empty.
type said struct {
	Thread string `json:"threadId"`
	Turn   string `json:"turnId"`
	ItemID string `json:"itemId"`
	Delta  string `json:"delta"`

	What      item       `json:"item"`
	TurnInfo  turnInfo   `json:"turn"`
	Plan      []planStep `json:"plan"`
	Usage     tokenUsage `json:"tokenUsage"`
	Error     turnError  `json:"error"`
	WillRetry bool       `json:"willRetry"`
	Message   string     `json:"message"`

	RateLimits rateLimits `json:"rateLimits"`

	// Of requests.
	CallID    string          `json:"callId"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Command   string          `json:"command"`
	Cwd       string          `json:"cwd"`
	Actions   []action        `json:"commandActions"`
	Reason    string          `json:"reason"`
	GrantRoot string          `json:"grantRoot"`
	Extra     json.RawMessage `json:"additionalPermissions"`
	Network   json.RawMessage `json:"networkApprovalContext"`
	NetRules  json.RawMessage `json:"proposedNetworkPolicyAmendments"`
	Questions []question      `json:"questions"`
	Server    string          `json:"serverName"`
	Meta      struct {
		Kind   string          `json:"codex_approval_kind"`
		Tool   string          `json:"tool_name"`
		Params json.RawMessage `json:"tool_params"`
	} `json:"_meta"`
}

type turnInfo struct {
	ID     string     `json:"id"`
	Status string     `json:"status"`
	Error  *turnError `json:"error"`
}

type turnError struct {
	Message string          `json:"message"`
	Info    json.RawMessage `json:"codexErrorInfo"` // a word, or an object of one member
	Details string          `json:"additionalDetails"`
}

type planStep struct {
	Step   string `json:"step"`
	Status string `json:"status"`
}

type tokenUsage struct {
	Total  tokens `json:"total"`
	Last   tokens `json:"last"`
	Window int64  `json:"modelContextWindow"`
}

type tokens struct {
	Total  int64 `json:"totalTokens"`
	Input  int64 `json:"inputTokens"`
	Cached int64 `json:"cachedInputTokens"`
	Output int64 `json:"outputTokens"`
}

type rateLimits struct {
	Primary   *window `json:"primary"`
	Secondary *window `json:"secondary"`
}

type window struct {
	Used    float64 `json:"usedPercent"`
	Minutes int64   `json:"windowDurationMins"`
	Resets  int64   `json:"resetsAt"` // seconds
}

// item is a step or a message of a turn.
type item struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Text   string `json:"text"`
	Status string `json:"status"`

	// commandExecution
	Command  string   `json:"command"`
	Cwd      string   `json:"cwd"`
	Actions  []action `json:"commandActions"`
	Output   string   `json:"aggregatedOutput"`
	ExitCode *int     `json:"exitCode"`

	Changes []change `json:"changes"` // fileChange

	// mcpToolCall, dynamicToolCall
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    *struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	} `json:"result"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`

	Query string `json:"query"` // webSearch
	Path  string `json:"path"`  // imageView
}

// action is what Codex makes of one part of a command.
type action struct {
	Type    string `json:"type"` // read, search, listFiles, unknown
	Command string `json:"command"`
	Name    string `json:"name"`
	Path    string `json:"path"`
	Query   string `json:"query"`
}

type change struct {
	Path string `json:"path"`
	Kind struct {
		Type   string `json:"type"`
		MoveTo string `json:"move_path"`
	} `json:"kind"`
	Diff string `json:"diff"`
}

type question struct {
	ID      string `json:"id"`
	Header  string `json:"header"`
	Text    string `json:"question"`
	Secret  bool   `json:"isSecret"`
	Other   bool   `json:"isOther"`
	Options []struct {
		Label string `json:"label"`
		Says  string `json:"description"`
	} `json:"options"`
}
