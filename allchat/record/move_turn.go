package record

import "slices"

func (s *State) personMessage(e Event) error {
	switch {
	case s.Turns >= MaxTurns:
		return refuse(Limit, "the run has had all its turns")
	case s.TurnOpen:
		return refuse(TransitionInvalid, "a turn is open")
	case !s.ready(Coordinator):
		return refuse(TransitionInvalid, "the coordinator isn't ready")
	case e.Turn != s.Turns+1:
		return &Error{Code: EventInvalid, Field: "turn", What: "is not the next one"}
	}
	s.Turns++
	s.TurnOpen = true
	s.asked = e.Seq
	return nil
}

// ofOpenTurn checks that an event is of the turn that is open.
func (s *State) ofOpenTurn(e Event) error {
	if !s.TurnOpen {
		return refuse(TransitionInvalid, "no turn is open")
	}
	if e.Turn != s.Turns {
		return &Error{Code: EventInvalid, Field: "turn", What: "is not the one that is open"}
	}
	return nil
}

// answer stages what the coordinator said until the end of its turn follows.
func (s *State) answer(e Event) error {
	if err := s.ofOpenTurn(e); err != nil {
		return err
	}
	s.staged = e.Seq
	return nil
}

func (s *State) synthesis(e Event, b Synthesis) error {
	for i, id := range b.Tasks {
		if t := s.Task(id); t == nil || t.Status != TaskDone || slices.Contains(b.Tasks[:i], id) {
			return refuse(TransitionInvalid, "puts together what is no result")
		}
	}
	return s.answer(e)
}

func (s *State) turnCompleted(e Event, b TurnCompleted) error {
	if b.Participant != Coordinator {
		return refuse(TransitionInvalid, "a task's result or failure ends this participant's turn")
	}
	if s.staged == 0 {
		return refuse(TransitionInvalid, "no answer comes directly before it")
	}
	if err := s.ofOpenTurn(e); err != nil {
		return err
	}
	s.staged = 0
	s.TurnOpen = false
	return nil
}

func (s *State) turnEnds(e Event, who Who) error {
	if who != Coordinator {
		return refuse(TransitionInvalid, "a task's failure ends this participant's turn")
	}
	if err := s.ofOpenTurn(e); err != nil {
		return err
	}
	s.TurnOpen = false
	return nil
}

// inTurn checks that a participant is asked something at the moment.
func (s *State) inTurn(who Who) error {
	if who == Coordinator && s.TurnOpen || who != Coordinator && s.openOf(who) > 0 {
		return nil
	}
	return refuse(TransitionInvalid, "it isn't this participant's turn")
}

// turnOf tells that a participant is asked something in this turn of the person.
func (s *State) turnOf(who Who, turn int64) bool {
	if who == Coordinator {
		return s.TurnOpen && turn == s.Turns
	}
	return slices.ContainsFunc(s.Tasks, func(t Task) bool {
		return t.To == who && t.Status == TaskOpen && t.Turn == turn
	})
}

func (s *State) permission(e Event, b PermissionDecided) error {
	switch {
	case b.Decision == AllowOnce && e.By != Person:
		return refuse(TransitionInvalid, "only the person allows")
	case b.Decision == DecisionExpired && e.By != Conch:
		return refuse(TransitionInvalid, "only Conch lets a permission expire")
	case s.decided[b.Request] != 0:
		return refuse(TransitionInvalid, "the permission was decided")
	}
	if s.decided == nil {
		s.decided = map[string]int64{}
	}
	s.decided[b.Request] = e.Seq
	return nil
}
