package record

// Evidence is something that goes with a task, by its digest: what it says is not
// in the record.
type Evidence struct {
	Label  Text
	Digest string
	Bytes  int64 // at most MaxEvidence
}

// TaskDelegated gives a task to another participant, by the coordinator.
type TaskDelegated struct {
	Task        string // an id, once in a run
	To          Who
	Brief       Text
	BriefDigest string // of Brief
	Evidence    []Evidence
}

// Delegate makes the event with its digest.
func Delegate(task string, to Who, brief Text, evidence ...Evidence) TaskDelegated {
	return TaskDelegated{Task: task, To: to, Brief: brief, BriefDigest: brief.Digest(), Evidence: evidence}
}

func (TaskDelegated) Kind() Kind { return KindTaskDelegated }
func (TaskDelegated) sealed()    {}
func (b *TaskDelegated) fields(c *coder) {
	c.str("task", &b.Task, idForm)
	c.who("to", &b.To, participantForm)
	c.text("brief", &b.Brief, lines(1, MaxBrief))
	c.digestOf("briefDigest", &b.BriefDigest, b.Brief)
	list(c, "evidence", &b.Evidence, 0, MaxItems, func(e *Evidence) {
		c.object(func() {
			c.text("label", &e.Label, line(1, MaxLabel))
			c.str("digest", &e.Digest, digestForm)
			c.num("bytes", &e.Bytes, 0, MaxEvidence)
		})
	})
}

// TaskStarted says that a participant works on its task, by it. It only informs:
// a result needs none before it.
type TaskStarted struct{ Task string }

func (TaskStarted) Kind() Kind         { return KindTaskStarted }
func (TaskStarted) sealed()            {}
func (b *TaskStarted) fields(c *coder) { c.str("task", &b.Task, idForm) }

// TaskResult is what a task came to, by whom it was given to; it ends that
// participant's turn.
type TaskResult struct {
	Task   string
	Text   Text
	Digest string // of Text
	Finish Finish
}

// Result makes the event with its digest.
func Result(task string, text Text, finish Finish) TaskResult {
	return TaskResult{Task: task, Text: text, Digest: text.Digest(), Finish: finish}
}

func (TaskResult) Kind() Kind { return KindTaskResult }
func (TaskResult) sealed()    {}
func (b *TaskResult) fields(c *coder) {
	c.str("task", &b.Task, idForm)
	c.text("text", &b.Text, lines(1, MaxResult))
	c.digestOf("digest", &b.Digest, b.Text)
	c.finish("finish", &b.Finish)
}

// TaskFailed says that a task came to nothing, by Conch; it ends that
// participant's turn.
type TaskFailed struct {
	Task string
	Code Code
}

func (TaskFailed) Kind() Kind { return KindTaskFailed }
func (TaskFailed) sealed()    {}
func (b *TaskFailed) fields(c *coder) {
	c.str("task", &b.Task, idForm)
	c.code("code", &b.Code)
}

// EvidenceBound says that something was put together for an open task, by Conch.
type EvidenceBound struct {
	Label  Text
	Digest string
	Task   string
}

func (EvidenceBound) Kind() Kind { return KindEvidenceBound }
func (EvidenceBound) sealed()    {}
func (b *EvidenceBound) fields(c *coder) {
	c.text("label", &b.Label, line(1, MaxLabel))
	c.str("digest", &b.Digest, digestForm)
	c.str("task", &b.Task, idForm)
}
