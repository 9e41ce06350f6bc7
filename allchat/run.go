package allchat

import (
	"context"

	"conch/allchat/change"
	"conch/allchat/record"
	"conch/engine"
)

// Run is a run that is open for writing in this process. Its methods may be called
// from several goroutines. Those with an error change nothing when they give one; it
// has a code (record.CodeOf) and Sentence puts it into words.
type Run struct{}

// ID is the run's id.
func (r *Run) ID() string { return "" }

// Changed wakes whoever shows the run: a Snapshot would differ from the last one. Many
// changes are one wake-up. It is never closed.
func (r *Run) Changed() <-chan struct{} { return nil }

// Snapshot is the run as it is now.
func (r *Run) Snapshot() Snapshot { return Snapshot{} }

// Say gives the coordinator a message. It returns when the message is in the record;
// the turn goes on behind it. Refused while a turn is open.
func (r *Run) Say(ctx context.Context, text string) error { return errLater }

// Choose answers a card with an option that was offered: the card waits on when that
// option, or anything that the answer is bound to, is another.
func (r *Run) Choose(b record.Bond, option string) error { return errLater }

// Decline answers a card with no: with its option for that where there is one.
func (r *Run) Decline(b record.Bond) error { return errLater }

// Answer answers a question of the coordinator's.
func (r *Run) Answer(question string, a engine.Answer) error { return errLater }

// Preview shows what a proposal would change.
func (r *Run) Preview(proposal string) (change.Preview, error) { return change.Preview{}, errLater }

// Decide is the person's word on a proposal. digest is that of the proposal whose
// preview they saw. One that they approve is applied at once, all of it or nothing: the
// record says what became of it, and a refusal is an error too.
func (r *Run) Decide(ctx context.Context, proposal string, approve bool, digest string) error {
	return errLater
}

// UndoProposal takes an applied proposal back, if its files are what it made them.
func (r *Run) UndoProposal(ctx context.Context, proposal string) error { return errLater }

// RunAgain gives a task that was open when the run was interrupted to its participant
// once more.
func (r *Run) RunAgain(task string) error { return errLater }

// MarkFailed gives such a task up.
func (r *Run) MarkFailed(task string) error { return errLater }

// CancelTurn cancels what a participant does now, and no other. It returns at once;
// the turn is over within two and a half seconds.
func (r *Run) CancelTurn(who record.Who) error { return errLater }

// Renew opens the sessions anew: a participant that is out takes part again. Refused
// while a turn or a task runs.
func (r *Run) Renew(ctx context.Context) error { return errLater }

// Complete ends the run as done. Refused while a turn or a task is open.
func (r *Run) Complete() error { return errLater }

// Cancel ends the run: open tasks fail, every participant is told once, and its
// program ended when it has not stopped within two seconds. What was applied stays.
func (r *Run) Cancel(ctx context.Context) error { return errLater }

// Close lets the run go, and returns when every program that it started is gone. A run
// in which something is open can be carried on later.
func (r *Run) Close() error { return nil }

// Sentence says in words for the person what an error of this package means, and one
// next step.
func Sentence(err error) (says, next string) { return "", "" }
