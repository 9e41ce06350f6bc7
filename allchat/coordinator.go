package allchat

import (
	"context"
	"strings"

	"conch/allchat/record"
)

// Say gives the coordinator a message. It returns when the message is in the record;
// the turn goes on behind it. Refused while a turn is open.
func (r *Run) Say(ctx context.Context, text string) error {
	if err := r.usable(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p := r.coordinator()
	r.mu.Lock()
	out := p.out
	r.mu.Unlock()
	switch clean := r.cleaner.Text(text); {
	case out != "":
		return &record.Error{Code: record.Unavailable, What: "the coordinator's session was ended"}
	case strings.TrimSpace(clean.String()) == "":
		return &record.Error{Code: record.EventInvalid, Field: "text", What: "the message is empty"}
	case len(text) > record.MaxText || clean.Len() > record.MaxText:
		return &record.Error{Code: record.Limit, Field: "text", What: "the message is too long"}
	default:
		return r.say(text, clean)
	}
}

// say commits the message, and only then lets the coordinator's turn run. What was
// typed is sent as it was; the record has it without secrets and paths.
func (r *Run) say(text string, clean record.Text) error {
	state, err := r.commit(record.Entry{By: record.Person, Body: record.PersonMessage{Text: clean}})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.spent = spent{since: r.deps.Clock.Now()}
	r.mu.Unlock()
	if !r.start(func() { r.coordinate(state, text) }) {
		return &record.Error{Code: record.StateInvalid, What: "the run is being closed"}
	}
	return nil
}

// coordinate is the coordinator's turn for a message of the person's.
func (r *Run) coordinate(state *record.State, text string) {
	p := r.coordinator()
	p.busy <- struct{}{}
	defer func() { <-p.busy }()
	t := r.begin(p, state.Turns, "")
	defer t.cancel()

	r.mu.Lock()
	owed, since := p.owed, p.toldUpTo
	r.mu.Unlock()
	last := state.Gen() - 1 // the message itself goes as it is
	var told told
	if owed {
		told = r.history(state, last)
	} else {
		told = r.newsSince(state, since, last)
	}
	t.shows(told.tasks)
	if told.text != "" {
		if err := r.handoff(record.Coordinator, t.n, told); err != nil {
			r.logf("record what the coordinator is told: %v", err)
		}
	}
	e := t.play(join(told.text, text), func() string { return join(r.history(state, last).text, text) })
	if e.outcome == cameDone {
		r.mu.Lock()
		p.owed, p.toldUpTo = false, last
		r.mu.Unlock()
	}
	e = r.endTurn(t, e)
	r.lookAtFiles(p.id)
	t.leave(e)
}

// endTurn commits how the coordinator's turn came out: its whole answer and its end
// together, or its end alone.
func (r *Run) endTurn(t *turn, e ending) ending {
	end := func(body record.Body) error {
		_, err := r.commit(record.Entry{By: record.Conch, Turn: t.n, Body: body})
		return err
	}
	var err error
	switch e.outcome {
	case cameNot:
		return e
	case cameCancelled:
		err = end(record.TurnCancelled{Participant: record.Coordinator})
	case cameFailed:
		err = end(record.TurnFailed{Participant: record.Coordinator, Code: e.code})
	case cameDone:
		err = r.answered(t, e)
		if code := record.CodeOf(err); code == record.Limit || code == record.EventInvalid {
			e = ending{outcome: cameFailed, code: record.Limit, problem: "the coordinator's answer could not be recorded: " + says(err)}
			err = end(record.TurnFailed{Participant: record.Coordinator, Code: record.Limit})
		}
	}
	if err != nil && record.CodeOf(err) == record.Limit {
		r.fail(record.Limit)
	} else if err != nil {
		r.logf("end the coordinator's turn: %v", err)
	}
	return e
}

// answered commits what the coordinator said. Where it was given results, what it says
// puts them together.
func (r *Run) answered(t *turn, e ending) error {
	text := r.cleaner.Text(e.text)
	if text.Len() > record.MaxText {
		return &record.Error{Code: record.Limit, Field: "text", What: "the answer is too long"}
	}
	var body record.Body = record.CoordinatorMessage{Text: text}
	if done := r.doneOf(e.shown); len(done) > 0 {
		body = record.Synthesis{Text: text, Tasks: done}
	}
	_, err := r.commit(
		record.Entry{By: record.Coordinator, Turn: t.n, Body: body},
		record.Entry{By: record.Conch, Turn: t.n, Body: record.TurnCompleted{Participant: record.Coordinator, Finish: e.finish}},
	)
	return err
}

// doneOf leaves of tasks those that have a result, each once.
func (r *Run) doneOf(tasks []string) (done []string) {
	state := r.now()
	seen := map[string]bool{}
	for _, id := range tasks {
		if task := state.Task(id); task != nil && task.Status == record.TaskDone && !seen[id] {
			seen[id] = true
			done = append(done, id)
		}
	}
	return done
}

// shows notes tasks whose results the turn was given.
func (t *turn) shows(tasks []string) {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	t.shown = append(t.shown, tasks...)
}

// handoff records what a participant is told beside the message itself.
func (r *Run) handoff(to record.Who, turn int64, told told) error {
	data := []byte(told.text)
	_, err := r.commit(record.Entry{By: record.Conch, Turn: turn, Body: record.Handoff{
		To: to, Digest: record.Digest(data), Bytes: int64(len(data)), From: max(told.from, 1), Up: max(told.up, told.from, 1),
	}})
	return err
}

// CancelTurn cancels what a participant does now, and no other. It returns at once;
// the turn is over within two and a half seconds.
func (r *Run) CancelTurn(who record.Who) error {
	p := r.participant(who)
	if p == nil {
		return &record.Error{Code: record.EventInvalid, Field: "participant", What: "nobody of that name takes part"}
	}
	t := p.current()
	if t == nil {
		return &record.Error{Code: record.StateInvalid, What: "it does nothing at the moment"}
	}
	t.stop(stoppedByPerson, "you stopped it")
	return nil
}
