package allchat

import "slices"

// maxPartial is how much of what a participant says is shown before its turn is over,
// in bytes; the newest.
const maxPartial = 16 << 10

// Snapshot is the run as it is now.
func (r *Run) Snapshot() Snapshot {
	r.mu.Lock()
	s := Snapshot{Run: r.id, State: r.state, Notices: slices.Clone(r.notices), Problem: r.problem, Next: r.next}
	for _, p := range r.parts {
		s.Participants = append(s.Participants, p.shown())
	}
	for _, c := range r.cards {
		s.Cards = append(s.Cards, c.Card)
	}
	for _, q := range r.questions {
		s.Questions = append(s.Questions, q.Question)
	}
	r.mu.Unlock()
	for i := range s.Participants { // it takes a while: nobody waits for it
		s.Participants[i].Partial = r.cleaner.Text(s.Participants[i].Partial).String()
	}
	return s
}

// shown is the participant as it is now, but that what it says is as it came. Run.mu is
// held.
func (p *participant) shown() Participant {
	out := Participant{
		ID: p.id, Role: p.role, Engine: p.engine.Info().ID, Name: p.name, Model: p.answers, Queued: len(p.tasks),
		Can: p.can, Carried: p.carried, Out: p.out, Problem: p.problem, Next: p.next, SignIn: p.signIn,
	}
	if out.Model == "" {
		out.Model = p.model
	}
	if t := p.turn; t != nil {
		out.Working, out.Task, out.Since = true, t.task, t.began
		out.Step, out.Steps, out.Plan, out.Usage = t.step, t.steps, t.plan, t.usage
		if t.stopped == stoppedNot {
			out.Partial = t.partial(maxPartial)
		}
	}
	return out
}
