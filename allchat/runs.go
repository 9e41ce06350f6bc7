package allchat

import (
	"context"
	"errors"
	"time"

	"conch/allchat/change"
	"conch/allchat/record"
	"conch/engine"
)

var errLater = errors.New("not there yet")

// Runs are all runs of one home.
type Runs struct {
	home string
	deps Deps
}

// Open gives the runs of home (CONCH_HOME), an absolute path. Nothing is written.
func Open(home string, deps Deps) (*Runs, error) {
	return &Runs{home: home, deps: deps}, nil
}

// Start begins a run: the sessions of all participants are open when it returns, and
// nothing was said yet. One run of a folder is open at a time, in whatever process:
// else the error has the code record.LeaseHeld. A provider that can't take part is a
// *NotReady.
func (r *Runs) Start(ctx context.Context, p Plan) (*Run, error) { return nil, errLater }

// Carry takes up a run that another process, or this one, left. Each participant goes
// on in its session where its program can load it, else in a new one that is told what
// was said, bounded: Participant.Carried says which. Nothing is sent by that. A run that
// has ended, is damaged or of a newer Conch can only be viewed.
func (r *Runs) Carry(ctx context.Context, run string, a Again) (*Run, error) { return nil, errLater }

// Summary is a run in a list.
type Summary struct {
	Run          string
	Project      string
	Started      time.Time
	Updated      time.Time
	Title        string // the person's first words, on one line
	Participants []record.Participant
	Phase        record.Phase
	Events       int64
	Turns        int64
	Problem      record.Code // record.Damaged, record.FutureVersion or record.Storage, "" for a good one
}

// List lists the runs of a folder, the newest first; of all folders with "".
func (r *Runs) List(folder string) ([]Summary, error) { return nil, errLater }

// View reads a run. It writes nothing and takes no lease: another process may write it.
func (r *Runs) View(run string) (record.View, error) { return record.View{}, errLater }

// Preview shows a proposal of a run that is only viewed.
func (r *Runs) Preview(run, proposal string) (change.Preview, error) {
	return change.Preview{}, errLater
}

// Remove deletes a run with what is kept of its proposals. It is refused with
// record.LeaseHeld while a process has a run of that project open.
func (r *Runs) Remove(run string) error { return errLater }

// Find gives the run that an id or a unique beginning of one names.
func (r *Runs) Find(id string) (run string, err error) { return "", errLater }

// Ready says of each provider whether it could take part, in the order of Plan. It
// starts nothing.
func (r *Runs) Ready(ctx context.Context, p Plan) []engine.Health { return nil }
