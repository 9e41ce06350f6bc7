package record

// Event is one committed event. Gen is the number of committed events after it,
// the same as Seq. At is in milliseconds since 1970 and never falls. Turn is the
// person's turn that caused it, counted from 1; 0 before the first. Cause is the
// Seq of the event that it answers, 0 for none.
type Event struct {
	V     int64
	Seq   int64
	Gen   int64
	At    int64
	Turn  int64
	Cause int64
	By    Who
	Body  Body
}

// Kind is the event's kind.
func (e Event) Kind() Kind {
	if e.Body == nil {
		return ""
	}
	return e.Body.Kind()
}

// Body is what an event says: one of the types of this package, as a value and
// not as a pointer.
type Body interface {
	Kind() Kind
	sealed()
}

// Who says who an event is by, and who it is for: a participant, the person or
// Conch.
type Who string

// Everyone who can be named.
const (
	Coordinator Who = "coordinator"
	Worker1     Who = "worker-1"
	Worker2     Who = "worker-2"
	Person      Who = "person"
	Conch       Who = "conch"
)

// Role is what a participant is in the run for. A reviewer gets tasks as a worker
// does and proposes no changes.
type Role string

// The roles. The participant of the first one is Coordinator; those of the others
// are Worker1 and Worker2, in the order in which they were picked.
const (
	RoleCoordinator Role = "coordinator"
	RoleWorker      Role = "worker"
	RoleReviewer    Role = "reviewer"
)

// Kind names what an event says.
type Kind string

// Every kind there is.
const (
	KindRunStarted         Kind = "run.started"
	KindSessionReady       Kind = "session.ready"
	KindPersonMessage      Kind = "person.message"
	KindTaskDelegated      Kind = "task.delegated"
	KindTaskStarted        Kind = "task.started"
	KindTaskResult         Kind = "task.result"
	KindTaskFailed         Kind = "task.failed"
	KindToolActivity       Kind = "tool.activity"
	KindPermissionDecided  Kind = "permission.decided"
	KindHandoff            Kind = "handoff"
	KindCoordinatorMessage Kind = "coordinator.message"
	KindTurnCompleted      Kind = "turn.completed"
	KindTurnCancelled      Kind = "turn.cancelled"
	KindTurnFailed         Kind = "turn.failed"
	KindEvidenceBound      Kind = "evidence.bound"
	KindProposalMade       Kind = "proposal.made"
	KindProposalDecided    Kind = "proposal.decided"
	KindProposalApplied    Kind = "proposal.applied"
	KindSynthesis          Kind = "synthesis"
	KindRunInterrupted     Kind = "run.interrupted"
	KindRunCompleted       Kind = "run.completed"
	KindRunFailed          Kind = "run.failed"
	KindRunCancelled       Kind = "run.cancelled"
)
