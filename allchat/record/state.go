package record

// State is what the events of a run come to. It never changes: Append gives
// another one. What it holds is shared between states and is to be read only. The
// zero State is that of a run that has not begun.
type State struct {
	Events       []Event // all of them; the one at i has Seq i+1
	Start        RunStarted
	Participants []Member   // as they were picked, the coordinator first
	Tasks        []Task     // in the order in which they were delegated
	Proposals    []Proposal // in the order in which they were made

	Turns       int64 // messages of the person so far
	TurnOpen    bool  // the coordinator has not finished with the last one
	Interrupted bool  // nothing goes on before somebody is ready again
	End         Kind  // the kind of the event that ended the run, "" while it goes on
	EndCode     Code  // why, for one that failed

	decided     map[string]int64 // the Seq of each permission that was decided, by its request
	connections map[string]bool  // every connection that anybody had
	asked       int64            // the Seq of the person's last message
	staged      int64            // the Seq of an answer whose end is to follow it
	closed      bool             // another event was seen in the place of one of these
}

// Member is a participant as it is now.
type Member struct {
	Participant
	Ready   bool
	Session SessionReady // the newest one, of before where it is not Ready
	Since   int64        // the Seq of that, 0 for none yet
}

// TaskStatus is where a task is.
type TaskStatus string

// The statuses.
const (
	TaskOpen   TaskStatus = "open"
	TaskDone   TaskStatus = "done"
	TaskBroken TaskStatus = "failed"
)

// Task is a task as it is now.
type Task struct {
	TaskDelegated
	Turn        int64 // of the person, in which it was delegated
	Delegated   int64 // Seq
	Status      TaskStatus
	Started     bool
	Recoverable bool   // it was open when the run was interrupted, and can be run again
	Ended       int64  // Seq of the event that ended it, 0 while it is open
	Result      Text   // of one that is done
	Finish      Finish // of one that is done
	Code        Code   // of one that failed
}

// ProposalStatus is where a proposal is.
type ProposalStatus string

// The statuses.
const (
	ProposalWaits    ProposalStatus = "waiting"
	ProposalApproved ProposalStatus = "approved"
	ProposalDeclined ProposalStatus = "declined"
	ProposalDone     ProposalStatus = "applied"
	ProposalRefused  ProposalStatus = "refused" // approved, and could not be applied
)

// Proposal is a proposed change as it is now.
type Proposal struct {
	ProposalMade
	By      Who
	Made    int64 // Seq
	Decided int64 // Seq, 0 for not yet
	Applied int64 // Seq, 0 for not yet
	Status  ProposalStatus
	Results []FileResult // of one that was applied or refused
}

// Phase is where the run is, for who shows it.
type Phase string

// The phases.
const (
	PhasePlanned     Phase = "planned" // nothing was said yet
	PhaseRunning     Phase = "running" // a turn or a task is open
	PhaseWaiting     Phase = "waiting" // for the person's next words
	PhaseInterrupted Phase = "interrupted"
	PhaseCompleted   Phase = "completed"
	PhaseFailed      Phase = "failed"
	PhaseCancelled   Phase = "cancelled"
)

// Gen is the generation: the number of committed events.
func (s *State) Gen() int64 { return int64(len(s.Events)) }

// Phase tells where the run is.
func (s *State) Phase() Phase {
	switch {
	case s.End == KindRunCompleted:
		return PhaseCompleted
	case s.End == KindRunFailed:
		return PhaseFailed
	case s.End == KindRunCancelled:
		return PhaseCancelled
	case s.Interrupted:
		return PhaseInterrupted
	case s.TurnOpen || s.open() > 0:
		return PhaseRunning
	case s.Turns == 0:
		return PhasePlanned
	}
	return PhaseWaiting
}

// Member is the participant of this id, nil for none.
func (s *State) Member(id Who) *Member {
	for i := range s.Participants {
		if s.Participants[i].ID == id {
			return &s.Participants[i]
		}
	}
	return nil
}

// Task is the task of this id, nil for none.
func (s *State) Task(id string) *Task {
	for i := range s.Tasks {
		if s.Tasks[i].Task == id {
			return &s.Tasks[i]
		}
	}
	return nil
}

// Proposal is the proposal of this id, nil for none.
func (s *State) Proposal(id string) *Proposal {
	for i := range s.Proposals {
		if s.Proposals[i].Proposal == id {
			return &s.Proposals[i]
		}
	}
	return nil
}

// open counts the open tasks.
func (s *State) open() int {
	n := 0
	for i := range s.Tasks {
		if s.Tasks[i].Status == TaskOpen {
			n++
		}
	}
	return n
}

// openOf counts the open tasks of a participant.
func (s *State) openOf(who Who) int {
	n := 0
	for i := range s.Tasks {
		if s.Tasks[i].Status == TaskOpen && s.Tasks[i].To == who {
			n++
		}
	}
	return n
}

// ready tells that a participant takes part and can be spoken with.
func (s *State) ready(who Who) bool {
	m := s.Member(who)
	return m != nil && m.Ready
}
