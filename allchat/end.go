package allchat

import (
	"errors"

	"conch/allchat/record"
)

// End ends a run that nobody has open: as completed when it waits for the person, else
// as cancelled, with its open tasks. No program is started. It is refused with
// record.LeaseHeld while a process has a run of that project open.
func (r *Runs) End(run string) (record.Phase, error) {
	view, err := r.View(run)
	switch {
	case err != nil:
		return "", err
	case view.Problem != nil:
		return "", view.Problem
	case view.State.End != "":
		return "", &record.Error{Code: record.StateInvalid, What: "the run has ended"}
	}
	lease, err := r.store.Lease(view.Project)
	if err != nil {
		return "", err
	}
	log, err := lease.Open(view.Run)
	if err != nil {
		return "", errors.Join(err, lease.Close())
	}
	state := log.State()
	end := record.Entry{By: record.Person, Body: record.RunCancelled{}}
	if state.Phase() == record.PhaseWaiting {
		end = record.Entry{By: record.Coordinator, Body: record.RunCompleted{}}
	}
	if ended, err := log.Append(state.Gen(), end); err == nil {
		state = ended
	} else {
		return "", errors.Join(err, lease.Close())
	}
	return state.Phase(), lease.Close()
}
