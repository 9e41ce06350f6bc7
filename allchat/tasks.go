package allchat

import (
	"fmt"

	"conch/allchat/record"
)

// assign puts a task behind those that a participant has before it.
func (r *Run) assign(p *participant, task string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.tasks = append(p.tasks, task)
	if p.serving || r.closing {
		return
	}
	p.serving = true
	r.work.Go(func() { r.serve(p) })
}

// serve works on a participant's tasks, one after the other, until there is none.
func (r *Run) serve(p *participant) {
	for {
		r.mu.Lock()
		if len(p.tasks) == 0 || r.closing || r.problem != "" {
			p.serving = false
			r.mu.Unlock()
			return
		}
		id := p.tasks[0]
		p.tasks = p.tasks[1:]
		r.mu.Unlock()
		if task := r.now().Task(id); task != nil && task.Status == record.TaskOpen {
			r.workOn(p, *task)
		}
	}
}

// workOn is a participant's turn for a task.
func (r *Run) workOn(p *participant, task record.Task) {
	p.busy <- struct{}{}
	defer func() { <-p.busy }()
	r.mu.Lock()
	out := p.out
	r.mu.Unlock()
	if out != "" {
		r.failTask(task, record.Unavailable)
		return
	}
	told, err := r.assignment(p, task)
	if err == nil {
		_, err = r.commit(record.Entry{By: p.id, Turn: task.Turn, Body: record.TaskStarted{Task: task.Task}})
	}
	if err == nil {
		err = r.handoff(p.id, task.Turn, told)
	}
	if err != nil {
		r.notice(p.id, "task-failed", "Task "+task.Task+" did not begin: "+says(err))
		r.failTask(task, codeOr(err, record.Storage))
		return
	}
	t := r.begin(p, task.Turn, task.Task)
	defer t.cancel()
	e := t.play(told.text, func() string { return told.text })
	e = r.endTask(t, task, e)
	r.lookAtFiles(p.id)
	t.leave(e)
}

// endTask commits how a task came out.
func (r *Run) endTask(t *turn, task record.Task, e ending) ending {
	switch e.outcome {
	case cameNot:
	case cameDone:
		text := r.bounded(e.text)
		if text.Len() == 0 {
			r.failTask(task, record.ResponseInvalid)
			return ending{outcome: cameFailed, code: record.ResponseInvalid, problem: "its result had no words"}
		}
		_, err := r.commit(record.Entry{By: t.p.id, Turn: task.Turn, Body: record.Result(task.Task, text, e.finish)})
		if code := record.CodeOf(err); code == record.Limit || code == record.EventInvalid {
			r.failTask(task, record.Limit)
			return ending{outcome: cameFailed, code: record.Limit, problem: "its result could not be recorded: " + says(err)}
		} else if err != nil {
			r.logf("record the result of %s: %v", task.Task, err)
		}
	default:
		r.failTask(task, e.code)
	}
	return e
}

// bounded is a result as it may be recorded. What is left out of it is counted.
func (r *Run) bounded(text string) record.Text {
	whole, left := r.cleaner.Bounded(text, record.MaxResult)
	if left == 0 {
		return whole
	}
	const room = 64 // for the count
	cut, left := r.cleaner.Bounded(text, record.MaxResult-room)
	return r.cleaner.Text(fmt.Sprintf("%s\n[… %d bytes left out …]", cut, left))
}

func (r *Run) failTask(task record.Task, code record.Code) {
	_, err := r.commit(record.Entry{By: record.Conch, Turn: task.Turn, Body: record.TaskFailed{Task: task.Task, Code: code}})
	if record.CodeOf(err) == record.Limit {
		r.fail(record.Limit)
	} else if err != nil {
		r.logf("fail %s: %v", task.Task, err)
	}
}

// RunAgain gives a task that was open when the run was interrupted to its participant
// once more.
func (r *Run) RunAgain(id string) error {
	task, err := r.recoverable(id)
	if err != nil {
		return err
	}
	p := r.participant(task.To)
	r.mu.Lock()
	out := p.out
	for _, each := range p.tasks {
		if each == id {
			out = "it is in line already"
		}
	}
	if p.turn != nil && p.turn.task == id {
		out = "it runs already"
	}
	r.mu.Unlock()
	if out != "" {
		return &record.Error{Code: record.Unavailable, What: out}
	}
	r.assign(p, id)
	return nil
}

// MarkFailed gives such a task up.
func (r *Run) MarkFailed(id string) error {
	task, err := r.recoverable(id)
	if err != nil {
		return err
	}
	_, err = r.commit(record.Entry{By: record.Conch, Turn: task.Turn, Body: record.TaskFailed{Task: id, Code: record.Cancelled}})
	return err
}

func (r *Run) recoverable(id string) (record.Task, error) {
	if err := r.usable(); err != nil {
		return record.Task{}, err
	}
	task := r.now().Task(id)
	if task == nil || task.Status != record.TaskOpen || !task.Recoverable {
		return record.Task{}, &record.Error{Code: record.TaskUnassigned, What: "no task of that name waits to be run again"}
	}
	return *task, nil
}
