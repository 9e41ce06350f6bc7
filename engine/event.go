package engine

import "encoding/json"

// Event is something that happened in a turn. The set is closed: a screen that
// handles these handles every engine.
type Event interface{ isEvent() }

// Session is reported once per turn, before any text.
type Session struct {
	ResumeID  string
	Model     string
	Restarted string // "" or Lost
}

// Lost is Session.Restarted when the earlier session was gone and the
// conversation was told again.
const Lost = "lost"

// Text is a piece of the answer. Pieces with one MessageID are one message.
type Text struct{ MessageID, Delta string }

// Thought is a piece of the model's thinking.
type Thought struct{ MessageID, Delta string }

// MessageDone ends a message of either channel.
type MessageDone struct{ MessageID string }

// Retract takes back an unfinished message whose stream broke and is sent again.
type Retract struct{ MessageID string }

// ToolStart begins a row. Name is the row's word: Read, Edit, Bash, Grep,
// WebFetch, WebSearch, a tool of Conch's, or the program's own title.
type ToolStart struct {
	ToolUseID string
	Name      string
	Kind      ToolKind
	Subject   string          // the path, command, pattern or address of the row
	Input     json.RawMessage // as the program gave it; may be nil
	View      View
}

// ToolUpdate is the output so far (whole, not a piece) or a fuller subject.
// Empty fields leave what was there.
type ToolUpdate struct {
	ToolUseID string
	Name      string
	Subject   string
	Output    string
	Input     json.RawMessage
	View      View
}

// ToolEnd closes a row.
type ToolEnd struct {
	ToolUseID string
	Status    ToolStatus
	Output    string // at most 8,000 characters, the last ones
	Reason    string // why it was not run, in our words
	View      View
}

// ToolKind is what a call does to the world; modes are decided by it.
type ToolKind string

const (
	KindRead    ToolKind = "read"
	KindSearch  ToolKind = "search"
	KindEdit    ToolKind = "edit"
	KindDelete  ToolKind = "delete"
	KindMove    ToolKind = "move"
	KindExecute ToolKind = "execute"
	KindFetch   ToolKind = "fetch"
	KindThink   ToolKind = "think"
	KindOther   ToolKind = "other"
)

// ToolStatus is how a call went.
type ToolStatus string

const (
	ToolSuccess ToolStatus = "success"
	ToolError   ToolStatus = "error"
	ToolNotRun  ToolStatus = "not-run"
	ToolUnknown ToolStatus = "unknown"
)

// View is what a row can show besides its output.
type View struct {
	Diffs     []Diff   `json:"diffs,omitempty"`
	Locations []string `json:"locations,omitempty"` // path or path:line
	ExitCode  *int     `json:"exitCode,omitempty"`
	Result    string   `json:"result,omitempty"` // the short right-hand fact: "120 lines", "6 matches"
}

// Diff is one file's change. Old is nil for a new file, New nil for a removed one.
type Diff struct {
	Path string  `json:"path"`
	Old  *string `json:"old"`
	New  *string `json:"new"`
	Line int     `json:"line,omitempty"` // 1-based line of Old in the file, when known
}

// Plan is the whole plan, every time.
type Plan struct{ Steps []PlanStep }

// PlanStep is one line of a plan. Status is pending, active or done.
type PlanStep struct {
	Title  string `json:"title"`
	Status string `json:"status"`
}

// Usage is what the provider itself reported; a nil field was not reported.
// Tokens are running totals of the turn; ContextUsed and ContextSize are the
// session's window.
type Usage struct {
	InputTokens  *int64   `json:"inputTokens,omitempty"`
	OutputTokens *int64   `json:"outputTokens,omitempty"`
	CachedTokens *int64   `json:"cachedTokens,omitempty"`
	ContextUsed  *int64   `json:"contextUsed,omitempty"`
	ContextSize  *int64   `json:"contextSize,omitempty"`
	Cost         *float64 `json:"cost,omitempty"`
	Currency     string   `json:"currency,omitempty"`
}

// Limits is what is used up of the limits that the provider counts against, as
// it reports them, whole.
type Limits struct{ Windows []Window }

// Window is a limit that the provider counts use against, as it reports it.
type Window struct {
	Name        string  `json:"name"` // what a person reads: "5 hours", "week"
	UsedPercent float64 `json:"usedPercent"`
	ResetsAt    int64   `json:"resetsAt,omitempty"` // milliseconds since 1970; 0 when it was not said
}

// Commands lists the provider's own slash commands, whole.
type Commands struct{ List []SlashCommand }

// SlashCommand is sent as a message that begins with its name.
type SlashCommand struct {
	Name        string // without the slash
	Description string
	Hint        string // what may follow it; "" when nothing
}

// Offers lists what the provider lets the person choose, whole.
type Offers struct {
	Models  []Choice
	Modes   []Choice // the provider's own modes
	Efforts []Choice
	Model   string // current ids
	Mode    string
	Effort  string
}

// Choice is one thing to pick. AsksNothing marks a mode in which the provider
// runs tools without asking: it is taken only after the person said yes to that.
type Choice struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	AsksNothing bool   `json:"asksNothing,omitempty"`
}

// Compacted says that the provider folded its own history. Summary is "" when it
// did not say into what.
type Compacted struct{ Summary string }

// Title is the provider's own title for the chat.
type Title struct{ Text string }

// Notice is a quiet line: something Conch or the provider wants said.
type Notice struct {
	Code    string // stable, kebab-case: "healed", "cut-off", "declined-ended", "provider"
	Message string
}

// Waiting says what a silent turn is waiting for; an empty text takes it back.
type Waiting struct{ Text string }

func (Session) isEvent()     {}
func (Text) isEvent()        {}
func (Thought) isEvent()     {}
func (MessageDone) isEvent() {}
func (Retract) isEvent()     {}
func (ToolStart) isEvent()   {}
func (ToolUpdate) isEvent()  {}
func (ToolEnd) isEvent()     {}
func (Plan) isEvent()        {}
func (Usage) isEvent()       {}
func (Commands) isEvent()    {}
func (Offers) isEvent()      {}
func (Limits) isEvent()      {}
func (Compacted) isEvent()   {}
func (Title) isEvent()       {}
func (Notice) isEvent()      {}
func (Waiting) isEvent()     {}
