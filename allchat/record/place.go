package record

// Entry is an event that is to be appended; the log gives it its place and its
// time. Turn and Cause are put in where they are 0 and follow from the body: the
// turn that is open, or that of the task; the person's message, the delegation or
// the proposal that it answers.
type Entry struct {
	By    Who
	Turn  int64
	Cause int64
	Body  Body
}

// place makes the next event of an entry. at is the time in milliseconds; a clock
// that went back does not count.
func (s *State) place(entry Entry, at int64) Event {
	if n := len(s.Events); n > 0 {
		at = max(at, s.Events[n-1].At)
	}
	seq := s.Gen() + 1
	e := Event{V: Version, Seq: seq, Gen: seq, At: at, Turn: entry.Turn, Cause: entry.Cause, By: entry.By, Body: entry.Body}
	turn, cause := s.follows(entry.Body)
	if e.Turn == 0 {
		e.Turn = turn
	}
	if e.Cause == 0 {
		e.Cause = cause
	}
	return e
}

// follows gives the turn that an event is of, and the event that it answers.
func (s *State) follows(body Body) (turn, cause int64) {
	switch b := body.(type) {
	case PersonMessage:
		return s.Turns + 1, 0
	case TaskDelegated, CoordinatorMessage, Synthesis, TurnCompleted, TurnCancelled, TurnFailed:
		return s.Turns, s.asked
	case TaskStarted:
		return s.ofTask(b.Task)
	case TaskResult:
		return s.ofTask(b.Task)
	case TaskFailed:
		return s.ofTask(b.Task)
	case EvidenceBound:
		return s.ofTask(b.Task)
	case ProposalDecided:
		if p := s.Proposal(b.Proposal); p != nil {
			return s.Events[p.Made-1].Turn, p.Made
		}
	case ProposalApplied:
		if p := s.Proposal(b.Proposal); p != nil {
			return s.Events[p.Made-1].Turn, p.Decided
		}
	}
	return s.Turns, 0
}

func (s *State) ofTask(id string) (turn, cause int64) {
	if t := s.Task(id); t != nil {
		return t.Turn, t.Delegated
	}
	return s.Turns, 0
}
