package record

import "slices"

func (s *State) start(b RunStarted) error {
	s.Start = b
	for _, p := range b.Participants {
		s.Participants = append(s.Participants, Member{Participant: p})
	}
	return nil
}

func (s *State) sessionReady(e Event, b SessionReady) error {
	m := s.Member(b.Participant)
	switch {
	case m == nil:
		return refuse(TransitionInvalid, "no such participant")
	case m.Ready:
		return refuse(TransitionInvalid, "it is ready already")
	case s.connections[b.Connection]:
		return refuse(TransitionInvalid, "the connection isn't new")
	}
	m.Ready, m.Session, m.Since = true, b, e.Seq
	if s.connections == nil {
		s.connections = map[string]bool{}
	}
	s.connections[b.Connection] = true
	s.Interrupted = false
	return nil
}

func (s *State) handoff(e Event, b Handoff) error {
	if !s.ready(b.To) {
		return refuse(TransitionInvalid, "it isn't ready")
	}
	if b.Up >= e.Seq {
		return &Error{Code: EventInvalid, Field: "covers", What: "has events that are not there"}
	}
	return nil
}

func (s *State) interrupt() error {
	for i := range s.Participants {
		s.Participants[i].Ready = false
	}
	for i := range s.Tasks {
		if s.Tasks[i].Status == TaskOpen {
			s.Tasks[i].Recoverable = true
		}
	}
	s.TurnOpen = false
	s.Interrupted = true
	return nil
}

func (s *State) complete() error {
	if s.open() > 0 || s.TurnOpen {
		return refuse(TransitionInvalid, "a task or a turn is open")
	}
	s.End = KindRunCompleted
	return nil
}

// end ends a run that did not complete: what is open fails with it.
func (s *State) end(e Event, code Code) error {
	for i := range s.Tasks {
		if t := &s.Tasks[i]; t.Status == TaskOpen {
			t.Status, t.Code, t.Ended, t.Recoverable = TaskBroken, code, e.Seq, false
		}
	}
	for i := range s.Participants {
		s.Participants[i].Ready = false
	}
	s.TurnOpen, s.Interrupted = false, false
	s.End, s.EndCode = e.Kind(), code
	return nil
}

func (s *State) propose(e Event, b ProposalMade) error {
	if s.Member(e.By).Role == RoleReviewer {
		return refuse(TransitionInvalid, "a reviewer proposes no changes")
	}
	if s.Proposal(b.Proposal) != nil {
		return refuse(TransitionInvalid, "the proposal's id is taken")
	}
	if err := s.inTurn(e.By); err != nil {
		return err
	}
	s.Proposals = append(s.Proposals, Proposal{ProposalMade: b, By: e.By, Made: e.Seq, Status: ProposalWaits})
	return nil
}

func (s *State) decide(e Event, b ProposalDecided) error {
	p := s.Proposal(b.Proposal)
	switch {
	case p == nil:
		return refuse(TransitionInvalid, "no such proposal")
	case p.Status != ProposalWaits:
		return refuse(TransitionInvalid, "the proposal was decided")
	case p.Digest != b.Digest:
		return refuse(Unapproved, "the answer is for another proposal")
	}
	p.Status, p.Decided = ProposalDeclined, e.Seq
	if b.Decision == Approved {
		p.Status = ProposalApproved
	}
	return nil
}

func (s *State) apply(e Event, b ProposalApplied) error {
	p := s.Proposal(b.Proposal)
	switch {
	case p == nil:
		return refuse(TransitionInvalid, "no such proposal")
	case p.Applied != 0:
		return refuse(TransitionInvalid, "the proposal was applied")
	case p.Status != ProposalApproved:
		return refuse(Unapproved, "nobody approved the proposal")
	}
	same := func(f File, r FileResult) bool { return f.Path == r.Path }
	if !slices.EqualFunc(p.Files, b.Results, same) {
		return &Error{Code: EventInvalid, Field: "results", What: "are not of the proposal's files"}
	}
	p.Status, p.Applied, p.Results = ProposalRefused, e.Seq, b.Results
	if b.Applied() {
		p.Status = ProposalDone
	}
	return nil
}
