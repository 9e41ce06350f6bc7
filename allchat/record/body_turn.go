package record

// Finish is how a turn that was not broken off ended.
type Finish string

// The ways to end.
const (
	Stop   Finish = "stop"   // it was done
	Length Finish = "length" // its model would say no more
)

// PersonMessage is what the person said to the run; it opens a turn of the
// coordinator.
type PersonMessage struct {
	Text    Text
	Sources []Source
}

// Source is something that the person sent along, by its digest.
type Source struct {
	Label  Text
	Digest string
}

func (PersonMessage) Kind() Kind { return KindPersonMessage }
func (PersonMessage) sealed()    {}
func (b *PersonMessage) fields(c *coder) {
	c.text("text", &b.Text, lines(1, MaxText))
	list(c, "sources", &b.Sources, 0, MaxItems, func(s *Source) {
		c.object(func() {
			c.text("label", &s.Label, line(1, MaxLabel))
			c.str("digest", &s.Digest, digestForm)
		})
	})
}

// CoordinatorMessage is the whole answer of the coordinator's turn. It is
// committed together with the TurnCompleted that follows it, or not at all.
type CoordinatorMessage struct{ Text Text }

func (CoordinatorMessage) Kind() Kind         { return KindCoordinatorMessage }
func (CoordinatorMessage) sealed()            {}
func (b *CoordinatorMessage) fields(c *coder) { c.text("text", &b.Text, lines(1, MaxText)) }

// Synthesis is a CoordinatorMessage that puts results together: those of Tasks.
type Synthesis struct {
	Text  Text
	Tasks []string
}

func (Synthesis) Kind() Kind { return KindSynthesis }
func (Synthesis) sealed()    {}
func (b *Synthesis) fields(c *coder) {
	c.text("text", &b.Text, lines(1, MaxText))
	list(c, "tasks", &b.Tasks, 1, MaxTasks, func(t *string) { c.value("tasks", t, idForm) })
}

// TurnCompleted ends the coordinator's turn, by Conch, directly behind what it
// said. A worker's turn ends with its TaskResult or TaskFailed.
type TurnCompleted struct {
	Participant Who
	Finish      Finish
}

func (TurnCompleted) Kind() Kind { return KindTurnCompleted }
func (TurnCompleted) sealed()    {}
func (b *TurnCompleted) fields(c *coder) {
	c.who("participant", &b.Participant, participantForm)
	c.finish("finish", &b.Finish)
}

// TurnCancelled ends the coordinator's turn without a word of it, by Conch.
type TurnCancelled struct{ Participant Who }

func (TurnCancelled) Kind() Kind { return KindTurnCancelled }
func (TurnCancelled) sealed()    {}
func (b *TurnCancelled) fields(c *coder) {
	c.who("participant", &b.Participant, participantForm)
}

// TurnFailed ends the coordinator's turn without a word of it, by Conch.
type TurnFailed struct {
	Participant Who
	Code        Code
}

func (TurnFailed) Kind() Kind { return KindTurnFailed }
func (TurnFailed) sealed()    {}
func (b *TurnFailed) fields(c *coder) {
	c.who("participant", &b.Participant, participantForm)
	c.code("code", &b.Code)
}

// ToolState is where a tool's call is.
type ToolState string

// The states, in the words that rows of a chat have.
const (
	ToolStarted ToolState = "started"
	ToolSuccess ToolState = "success"
	ToolError   ToolState = "error"
	ToolNotRun  ToolState = "not-run"
	ToolUnknown ToolState = "unknown"
)

// ToolActivity is a tool's call of a participant, by it, in its turn. What it was
// called with and what it gave are not in the record.
type ToolActivity struct {
	Tool    Text
	Subject Text // a path within the project, or a program's name; "" for none
	State   ToolState
	Summary Text // one line, at most MaxSummary characters
}

func (ToolActivity) Kind() Kind { return KindToolActivity }
func (ToolActivity) sealed()    {}
func (b *ToolActivity) fields(c *coder) {
	c.text("tool", &b.Tool, line(1, MaxLabel))
	c.text("subject", &b.Subject, subjectForm)
	state := string(b.State)
	c.str("state", &state, oneOf(string(ToolStarted), string(ToolSuccess), string(ToolError), string(ToolNotRun), string(ToolUnknown)))
	b.State = ToolState(state)
	c.text("summary", &b.Summary, summaryForm)
}

// Decision is what became of a permission.
type Decision string

// The decisions. AllowOnce is the person's alone; Conch only denies, cancels or
// lets expire.
const (
	AllowOnce         Decision = "allow-once"
	Deny              Decision = "deny"
	DecisionCancelled Decision = "cancelled"
	DecisionExpired   Decision = "expired"
)

// PermissionDecided says what became of a permission. It is made by Cards.Decide.
type PermissionDecided struct {
	Request  string // once in a run
	Tool     Text
	Decision Decision
	Option   Text // the id of the option that was chosen; "" for none
}

func (PermissionDecided) Kind() Kind { return KindPermissionDecided }
func (PermissionDecided) sealed()    {}
func (b *PermissionDecided) fields(c *coder) {
	c.str("request", &b.Request, line(1, MaxOptionID))
	c.text("tool", &b.Tool, line(1, MaxLabel))
	decision := string(b.Decision)
	c.str("decision", &decision, oneOf(string(AllowOnce), string(Deny), string(DecisionCancelled), string(DecisionExpired)))
	b.Decision = Decision(decision)
	c.text("option", &b.Option, line(0, MaxOptionID))
	if (b.Decision == AllowOnce && b.Option.s == "") ||
		((b.Decision == DecisionCancelled || b.Decision == DecisionExpired) && b.Option.s != "") {
		c.fail("option", "does not go with the decision")
	}
}
