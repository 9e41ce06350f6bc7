// Package chats keeps Conch's own chats: the append-only log of events, the
// derived list, taint. It is the bottom of the house and knows no provider, no
// screen and no process.
//
// One file per chat, one event per line. An event is never changed; what a
// newer version wrote and this one does not know is skipped when reading and
// never rewritten.
package chats

import (
	"encoding/json"
	"strings"
)

// Version is the format that this Conch writes.
const Version = 1

// Event is one line of a chat's log.
type Event struct {
	V    int    // format version
	Seq  int64  // from 0, contiguous; -1 while it is only live
	ID   string // ULID
	At   int64  // milliseconds since 1970
	Turn string // the turn's id; "" outside a turn
	Body Body   // what happened
}

// Live reports that the event was never written to the log: a piece of a
// streaming answer or of a running step.
func (e Event) Live() bool { return e.Seq < 0 }

// Body is what an event says. Kind is the word in the log.
type Body interface{ Kind() string }

// Start is the first event of a log.
type Start struct {
	Chat   string `json:"chat"`
	Folder string `json:"folder"`
	Branch string `json:"branch,omitempty"`
}

// UserMessage is what the person sent, or with By "conch" what Conch itself did to
// wake a chat that waited: Text is then framed as Conch's.
type UserMessage struct {
	MessageID   string       `json:"messageId"`
	Text        string       `json:"text"`
	By          string       `json:"by,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
}

// Words is the text without the frame that a message of Conch's own has.
func (m UserMessage) Words() string {
	if m.By == "" {
		return m.Text
	}
	text := strings.TrimSuffix(strings.TrimPrefix(m.Text, "<from-conch>"), "</from-conch>")
	return strings.TrimSpace(text)
}

// Attachment is what the log remembers of one: its name, never its contents.
type Attachment struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// Channels of an assistant's message.
const (
	ChannelText    = "text"
	ChannelThought = "thought"
)

// AssistantDelta is a piece of an answer. In the log the pieces of one message
// are merged as far as the checkpoints allow.
type AssistantDelta struct {
	MessageID string `json:"messageId"`
	Channel   string `json:"channel"`
	Delta     string `json:"delta"`
}

// AssistantDone ends a message. Retracted: its stream broke and it is sent
// again, so what was written of it does not count.
type AssistantDone struct {
	MessageID string `json:"messageId"`
	Retracted bool   `json:"retracted,omitempty"`
}

// ToolStarted begins a step.
type ToolStarted struct {
	ToolUseID string          `json:"toolUseId"`
	Name      string          `json:"name"`
	ToolKind  string          `json:"toolKind,omitempty"`
	Subject   string          `json:"subject,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	View      json.RawMessage `json:"view,omitempty"` // engine.View
}

// ToolProgress is the whole output so far of a running step, or a fuller name
// or subject. It is live only, except when the name or subject changed.
type ToolProgress struct {
	ToolUseID string          `json:"toolUseId"`
	Name      string          `json:"name,omitempty"`
	Subject   string          `json:"subject,omitempty"`
	Output    string          `json:"output,omitempty"`
	View      json.RawMessage `json:"view,omitempty"`
}

// ToolFinished ends a step. Status is success, error, not-run or unknown.
type ToolFinished struct {
	ToolUseID  string          `json:"toolUseId"`
	Status     string          `json:"status"`
	Output     string          `json:"output,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	DurationMs int64           `json:"durationMs"`
	View       json.RawMessage `json:"view,omitempty"`
}

// PermissionOption is an answer that was offered.
type PermissionOption struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// PermissionRequested is a call that waits for a decision.
type PermissionRequested struct {
	PermissionID string             `json:"permissionId"`
	ToolUseID    string             `json:"toolUseId"`
	ToolName     string             `json:"toolName"`
	ToolKind     string             `json:"toolKind,omitempty"`
	Input        json.RawMessage    `json:"input,omitempty"`
	Summary      string             `json:"summary"` // the exact command, path or address
	Why          string             `json:"why,omitempty"`
	Options      []PermissionOption `json:"options,omitempty"`
	View         json.RawMessage    `json:"view,omitempty"`
	Taint        string             `json:"taint,omitempty"`
	Once         bool               `json:"once,omitempty"`
}

// PermissionResolved is what was decided: allow, deny, cancelled or expired. By
// is person, mode, protected, flag (--allow) or stop.
type PermissionResolved struct {
	PermissionID string `json:"permissionId"`
	Decision     string `json:"decision"`
	OptionID     string `json:"optionId,omitempty"`
	By           string `json:"by,omitempty"`
	Why          string `json:"why,omitempty"`
}

// PlanStep is one line of a plan: pending, active or done.
type PlanStep struct {
	Title  string `json:"title"`
	Status string `json:"status"`
}

// Plan is the whole plan.
type Plan struct {
	Steps []PlanStep `json:"steps"`
}

// Question is something the person was asked.
type Question struct {
	QuestionID string          `json:"questionId"`
	Title      string          `json:"title"`
	Fields     json.RawMessage `json:"fields,omitempty"` // []engine.Field
	URL        string          `json:"url,omitempty"`
}

// QuestionAnswered is the answer; Answer is null when it was skipped.
type QuestionAnswered struct {
	QuestionID string          `json:"questionId"`
	Answer     *QuestionAnswer `json:"answer"`
}

// QuestionAnswer holds free text or the fields' values.
type QuestionAnswer struct {
	Text   string         `json:"text,omitempty"`
	Values map[string]any `json:"values,omitempty"`
}

// Session says that an engine has taken in everything up to this event. With Owes
// only its turn, and what came up to that seq: a command of the engine's went
// alone, and the rest is still to be told.
type Session struct {
	Engine    string `json:"engine"`
	ResumeID  string `json:"resumeId"`
	Model     string `json:"model,omitempty"`
	Restarted string `json:"restarted,omitempty"`
	Owes      *int64 `json:"owes,omitempty"`
}

// Title names the chat. By is person, provider or message (its first words).
type Title struct {
	Title string `json:"title"`
	By    string `json:"by,omitempty"`
}

// Options is what the chat answers with from here on. Engine is whose Model and
// Effort they are.
type Options struct {
	Engine string `json:"engine,omitempty"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	Mode   string `json:"mode,omitempty"`
	// NativeMode is one of the engine's own modes. It is not taken up again when
	// the chat is.
	NativeMode string `json:"nativeMode,omitempty"`
}

// Notice is a quiet line in the chat.
type Notice struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Handoff records what a provider was told of what it missed.
type Handoff struct {
	Engine   string `json:"engine"`
	Messages int    `json:"messages"`
	Steps    int    `json:"steps"`
	Block    string `json:"block,omitempty"`
}

// Shell is a command the person ran with "!" and its output.
type Shell struct {
	Command    string `json:"command"`
	Output     string `json:"output"`
	ExitCode   int    `json:"exitCode"`
	DurationMs int64  `json:"durationMs"`
	Offered    bool   `json:"offered,omitempty"` // goes with the next message
}

// Queue is the messages that wait to be sent, whole each time, the first to go
// first: so none is lost with the program.
type Queue struct {
	Messages []QueuedMessage `json:"messages"`
}

// QueuedMessage is one of them. Of attachments only the names are kept.
type QueuedMessage struct {
	Text        string   `json:"text"`
	Attachments []string `json:"attachments,omitempty"`
}

// States of a task.
const (
	TaskQueued      = "queued"
	TaskRunning     = "running"
	TaskNeedsPerson = "needs-person"
	TaskDone        = "done"
	TaskFailed      = "failed"
	TaskStopped     = "stopped"
)

// Task is a piece of work beside the turns, as it stands now: a job in the
// background, or a worker's.
type Task struct {
	TaskID string `json:"taskId"`
	Title  string `json:"title"`
	State  string `json:"state"`
	By     string `json:"by,omitempty"`
}

// ContextCompacted: a provider folded its own history.
type ContextCompacted struct {
	Summary string `json:"summary,omitempty"`
	Before  int64  `json:"before,omitempty"`
	Turns   int    `json:"turns,omitempty"`
	Engine  string `json:"engine,omitempty"`
	Model   string `json:"model,omitempty"`
}

// ContextCleared: nothing at or before this event is handed over any more.
type ContextCleared struct{}

// ContextRestored takes a clear back.
type ContextRestored struct {
	ClearedSeq int64 `json:"clearedSeq"`
}

// Usage is what the provider reported, as engine.Usage.
type Usage struct {
	Usage json.RawMessage `json:"usage"`
}

// TurnCompleted is the one end of a turn. Outcome is success, interrupted or
// error. A turn without it, in a log that nobody writes, was interrupted.
type TurnCompleted struct {
	Outcome  string          `json:"outcome"`
	Usage    json.RawMessage `json:"usage,omitempty"`
	Error    string          `json:"error,omitempty"`
	Detail   string          `json:"detail,omitempty"`
	Problem  string          `json:"problem,omitempty"`
	Next     string          `json:"next,omitempty"`
	SignIn   bool            `json:"signIn,omitempty"` // the provider's own sign-in can be run in the terminal
	Paused   bool            `json:"paused,omitempty"`
	Pause    *Pause          `json:"pause,omitempty"` // why, when it was Conch that paused it
	Accepted bool            `json:"accepted,omitempty"`
	Engine   string          `json:"engine"`
	Model    string          `json:"model,omitempty"`
}

// Pause is why Conch paused a turn. Reason is steps, tokens, time or loop; Message
// says what of it, in a few words.
type Pause struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Taint says that the assistant read words from outside.
type Taint struct {
	Source    TaintSource `json:"source"`
	ToolUseID string      `json:"toolUseId,omitempty"`
}

// ChatsLooked says which other chats the assistant searched or read. Query is what
// it searched for, "" when it read one chat.
type ChatsLooked struct {
	Query string       `json:"query,omitempty"`
	Chats []LookedChat `json:"chats"`
}

// LookedChat is a chat of which the assistant was given words. Untrusted: they
// came from outside.
type LookedChat struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	From      string `json:"from,omitempty"`
	Messages  int    `json:"messages"` // of which it was given words
	Untrusted bool   `json:"untrusted,omitempty"`
}

// MemorySaved is something to remember in every chat. Sources are where the chat's
// outside words had come from when the person let it be saved; none in a chat that
// had read nothing from outside.
type MemorySaved struct {
	MemoryID string   `json:"memoryId"`
	Text     string   `json:"text"`
	Sources  []string `json:"sources,omitempty"`
}

// MemoryForgotten takes a memory out, and says its words once more.
type MemoryForgotten struct {
	MemoryID string `json:"memoryId"`
	Text     string `json:"text"`
}

// TaintSource is where outside words came from.
type TaintSource struct {
	Kind  string `json:"kind"`
	Label string `json:"label"`
}

// AppTaint is where the words of an app's tool came from.
func AppTaint(app string) TaintSource {
	return TaintSource{Kind: "app", Label: "the app " + app}
}

func (Start) Kind() string               { return "start" }
func (UserMessage) Kind() string         { return "user.message" }
func (AssistantDelta) Kind() string      { return "assistant.delta" }
func (AssistantDone) Kind() string       { return "assistant.done" }
func (ToolStarted) Kind() string         { return "tool.started" }
func (ToolProgress) Kind() string        { return "tool.progress" }
func (ToolFinished) Kind() string        { return "tool.finished" }
func (PermissionRequested) Kind() string { return "permission.requested" }
func (PermissionResolved) Kind() string  { return "permission.resolved" }
func (Plan) Kind() string                { return "plan" }
func (Question) Kind() string            { return "question" }
func (QuestionAnswered) Kind() string    { return "question.answered" }
func (Session) Kind() string             { return "session" }
func (Title) Kind() string               { return "title" }
func (Options) Kind() string             { return "options" }
func (Notice) Kind() string              { return "notice" }
func (Handoff) Kind() string             { return "handoff" }
func (Shell) Kind() string               { return "shell" }
func (Queue) Kind() string               { return "queue" }
func (Task) Kind() string                { return "task" }
func (ContextCompacted) Kind() string    { return "context.compacted" }
func (ContextCleared) Kind() string      { return "context.cleared" }
func (ContextRestored) Kind() string     { return "context.restored" }
func (Usage) Kind() string               { return "usage" }
func (TurnCompleted) Kind() string       { return "turn.completed" }
func (Taint) Kind() string               { return "taint" }
func (ChatsLooked) Kind() string         { return "chats.looked" }
func (MemorySaved) Kind() string         { return "memory.saved" }
func (MemoryForgotten) Kind() string     { return "memory.forgotten" }
