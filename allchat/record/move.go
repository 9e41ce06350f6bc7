package record

import "slices"

// move changes the state by an event whose fields are valid and whose place is
// right, or refuses it without a change.
func (s *State) move(e Event) error {
	if err := s.may(e); err != nil {
		return err
	}
	if err := s.body(e); err != nil {
		return err
	}
	s.Events = append(s.Events, e)
	return nil
}

// may checks what every event must meet, whatever it says.
func (s *State) may(e Event) error {
	kind := e.Kind()
	switch {
	case (kind == KindRunStarted) != (len(s.Events) == 0):
		return refuse(TransitionInvalid, "the start comes first and once")
	case !slices.Contains(kinds[kind].by, e.By):
		return refuse(TransitionInvalid, "not for this participant to say")
	case len(s.Events) > 0 && e.At < s.Events[len(s.Events)-1].At:
		return &Error{Code: EventInvalid, Field: "at", What: "is before the event before it"}
	case s.staged != 0 && kind != KindTurnCompleted:
		return refuse(TransitionInvalid, "the end of the turn follows its answer")
	case s.Interrupted && !afterInterruption(kind):
		return refuse(TransitionInvalid, "the run was interrupted")
	case e.By != Person && e.By != Conch && !s.ready(e.By):
		return refuse(TransitionInvalid, "this participant isn't ready")
	case e.Turn > s.Turns && kind != KindPersonMessage:
		return &Error{Code: EventInvalid, Field: "turn", What: "has not begun"}
	}
	return nil
}

// afterInterruption tells what may follow an interruption before somebody is ready
// again.
func afterInterruption(k Kind) bool {
	switch k {
	case KindSessionReady, KindTaskFailed, KindRunFailed, KindRunCancelled:
		return true
	}
	return false
}

// body does what the kind asks for.
func (s *State) body(e Event) error {
	switch b := e.Body.(type) {
	case RunStarted:
		return s.start(b)
	case SessionReady:
		return s.sessionReady(e, b)
	case RunInterrupted:
		return s.interrupt()
	case RunCompleted:
		return s.complete()
	case RunFailed:
		return s.end(e, b.Code)
	case RunCancelled:
		return s.end(e, Cancelled)
	case Handoff:
		return s.handoff(e, b)
	case PersonMessage:
		return s.personMessage(e)
	case CoordinatorMessage:
		return s.answer(e)
	case Synthesis:
		return s.synthesis(e, b)
	case TurnCompleted:
		return s.turnCompleted(e, b)
	case TurnCancelled:
		return s.turnEnds(e, b.Participant)
	case TurnFailed:
		return s.turnEnds(e, b.Participant)
	case ToolActivity:
		return s.inTurn(e.By)
	case PermissionDecided:
		return s.permission(e, b)
	case TaskDelegated:
		return s.delegate(e, b)
	case TaskStarted:
		return s.taskStarted(e, b)
	case TaskResult:
		return s.taskResult(e, b)
	case TaskFailed:
		return s.taskFailed(e, b)
	case EvidenceBound:
		return s.evidence(b)
	case ProposalMade:
		return s.propose(e, b)
	case ProposalDecided:
		return s.decide(e, b)
	case ProposalApplied:
		return s.apply(e, b)
	}
	return refuse(EventInvalid, "not a kind that is known here")
}
