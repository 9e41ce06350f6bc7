package allchat

import (
	"conch/allchat/record"
)

// commit puts entries into the record, all or none. What it gives is on the disk.
func (r *Run) commit(entries ...record.Entry) (*record.State, error) {
	r.commits.Lock()
	defer r.commits.Unlock()
	return r.append(entries...)
}

// append is commit with commits held.
func (r *Run) append(entries ...record.Entry) (*record.State, error) {
	state, err := r.log.Append(r.log.State().Gen(), entries...)
	if err != nil {
		switch record.CodeOf(err) {
		case record.Storage, record.GenerationStale, record.Conflict, record.Damaged:
			r.broke(err)
		}
		return nil, err
	}
	r.committed(state)
	return state, nil
}

// commitEnd ends the run in the record, and the permissions that wait with it.
func (r *Run) commitEnd(end record.Entry) error {
	r.commits.Lock()
	defer r.commits.Unlock()
	for _, c := range r.claimAll(nil) {
		body, err := r.log.Cards().Drop(c.Bond, record.DecisionCancelled)
		if err == nil {
			_, err = r.append(record.Entry{By: record.Conch, Turn: c.Turn, Body: body})
		}
		if err != nil {
			r.logf("take a card away: %v", err)
		}
		c.answer <- cancelled("the run has ended")
	}
	_, err := r.append(end)
	return err
}

// committed makes a state the one that is shown, and wakes who waits for it.
func (r *Run) committed(state *record.State) {
	r.mu.Lock()
	r.state = state
	close(r.news)
	r.news = make(chan struct{})
	r.mu.Unlock()
	r.wake()
}

// broke ends all that runs: what can't be recorded isn't done. The next start reads
// what is there.
func (r *Run) broke(err error) {
	r.logf("the record can't be written: %v", err)
	says, next := Sentence(err)
	r.mu.Lock()
	if r.problem == "" {
		r.problem, r.next = says, next
	}
	var running []*turn
	for _, p := range r.parts {
		if p.turn != nil {
			running = append(running, p.turn)
		}
	}
	r.mu.Unlock()
	for _, t := range running {
		t.stop(stoppedByEnd, "")
	}
	r.wake()
}
