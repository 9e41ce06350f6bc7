package record

func (s *State) delegate(e Event, b TaskDelegated) error {
	if err := s.ofOpenTurn(e); err != nil {
		return err
	}
	switch {
	case b.To == Coordinator:
		return refuse(TransitionInvalid, "a task is for another participant")
	case !s.ready(b.To):
		return refuse(TransitionInvalid, "it isn't ready")
	case s.Task(b.Task) != nil:
		return refuse(TransitionInvalid, "the task's id is taken")
	case len(s.Tasks) >= MaxTasks:
		return refuse(Limit, "the run has had all its tasks")
	case s.openOf(b.To) >= MaxOpenTasks:
		return refuse(Limit, "it has as many open tasks as it may")
	}
	s.Tasks = append(s.Tasks, Task{TaskDelegated: b, Turn: e.Turn, Delegated: e.Seq, Status: TaskOpen})
	return nil
}

// assigned finds the open task that an event is about. by is whose it must be, ""
// for anybody's.
func (s *State) assigned(e Event, id string, by Who) (*Task, error) {
	t := s.Task(id)
	if t == nil || t.Status != TaskOpen || by != "" && t.To != by {
		return nil, refuse(TaskUnassigned, "not an open task of this participant")
	}
	if e.Turn != t.Turn {
		return nil, &Error{Code: EventInvalid, Field: "turn", What: "is not that of the task"}
	}
	return t, nil
}

func (s *State) taskStarted(e Event, b TaskStarted) error {
	t, err := s.assigned(e, b.Task, e.By)
	if err != nil {
		return err
	}
	if t.Started && !t.Recoverable {
		return refuse(TransitionInvalid, "the task was started")
	}
	t.Started, t.Recoverable = true, false
	return nil
}

func (s *State) taskResult(e Event, b TaskResult) error {
	t, err := s.assigned(e, b.Task, e.By)
	if err != nil {
		return err
	}
	t.Status, t.Ended, t.Recoverable = TaskDone, e.Seq, false
	t.Result, t.Finish = b.Text, b.Finish
	return nil
}

func (s *State) taskFailed(e Event, b TaskFailed) error {
	t, err := s.assigned(e, b.Task, "")
	if err != nil {
		return err
	}
	t.Status, t.Ended, t.Recoverable, t.Code = TaskBroken, e.Seq, false, b.Code
	return nil
}

func (s *State) evidence(b EvidenceBound) error {
	if t := s.Task(b.Task); t == nil || t.Status != TaskOpen {
		return refuse(TaskUnassigned, "not an open task")
	}
	return nil
}
