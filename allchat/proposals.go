package allchat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"conch/allchat/change"
	"conch/allchat/record"
)

// nextProposal gives a proposal its id, once in the run.
func (r *Run) nextProposal() string {
	r.commits.Lock()
	defer r.commits.Unlock()
	r.offered++
	return fmt.Sprintf("p%d", r.offered)
}

// proposed keeps a proposal and puts it before the person.
func (r *Run) proposed(p *participant, pr change.Proposal) (string, error) {
	t := p.current()
	if t == nil || t.ctx.Err() != nil {
		return "", errors.New("it was not proposed: the turn is over")
	}
	made := record.ProposalMade{Proposal: pr.ID, Digest: pr.Digest()}
	for _, f := range pr.Files {
		made.Files = append(made.Files, record.File{Path: f.Path, BaseDigest: f.Base, NewDigest: f.NewDigest()})
	}
	if err := r.shelf.putProposal(pr); err != nil {
		r.logf("keep a proposal: %v", err)
		return "", errors.New("it was not proposed: the disk would not take it")
	}
	r.commits.Lock()
	defer r.commits.Unlock()
	if _, err := r.append(record.Entry{By: p.id, Turn: t.n, Body: made}); err != nil {
		if record.CodeOf(err) == record.Limit {
			return "", errors.New("it was not proposed: the run has no room for it")
		}
		return "", errors.New("it was not proposed: " + wordsOf(record.CodeOf(err)))
	}
	for _, f := range made.Files {
		r.watch.Add(f.Path, f.BaseDigest)
	}
	return "Proposed as " + pr.ID + ". Nothing is changed yet: the person sees it and decides, and what they decided comes with a later message. Go on without waiting for it.", nil
}

// Preview shows what a proposal would change.
func (r *Run) Preview(id string) (change.Preview, error) {
	p := r.now().Proposal(id)
	if p == nil {
		return change.Preview{}, errNoProposal()
	}
	pr, err := r.shelf.proposal(p.ProposalMade)
	if err != nil {
		return change.Preview{}, err
	}
	return pr.Preview(), nil
}

// Decide is the person's word on a proposal. digest is that of the proposal whose
// preview they saw. One that they approve is applied at once, all of it or nothing: the
// record says what became of it, and a refusal is an error too.
func (r *Run) Decide(ctx context.Context, id string, approve bool, digest string) error {
	if err := r.usable(); err != nil {
		return err
	}
	p := r.now().Proposal(id)
	if p == nil {
		return errNoProposal()
	}
	word := record.Entry{By: record.Person, Body: record.ProposalDecided{Proposal: id, Decision: record.Declined, Digest: digest}}
	if !approve {
		_, err := r.commit(word)
		return err
	}
	pr, err := r.shelf.proposal(p.ProposalMade)
	if err != nil {
		return err
	}
	word.Body = record.ProposalDecided{Proposal: id, Decision: record.Approved, Digest: digest}

	// The generation stands still from the word to the deed.
	r.commits.Lock()
	defer r.commits.Unlock()
	state, err := r.append(word)
	if err != nil {
		return err
	}
	gen := uint64(state.Gen())
	_, refused := r.project.Apply(ctx, pr, change.Approval{Digest: digest, Generation: gen}, gen)
	results := resultsOf(pr.Paths(), refused)
	if _, err := r.append(record.Entry{By: record.Conch, Body: record.ProposalApplied{Proposal: id, Results: results}}); err != nil {
		return errors.Join(refused, err)
	}
	if refused == nil {
		for _, f := range pr.Files {
			r.watch.Add(f.Path, f.NewDigest())
		}
	}
	return refused
}

// resultsOf is what became of each file of a proposal.
func resultsOf(paths []string, err error) []record.FileResult {
	results := make([]record.FileResult, len(paths))
	for i, path := range paths {
		results[i] = record.FileResult{Path: path, Result: record.FileApplied}
	}
	if err == nil {
		return results
	}
	named := map[string]bool{}
	var no *change.Refusal
	if errors.As(err, &no) {
		for _, path := range no.Paths {
			named[path] = true
		}
	}
	why, any := string(change.CodeOf(err)), false
	for i := range results {
		results[i].Result = record.FileUntouched
		if named[results[i].Path] {
			results[i].Result, any = why, true
		}
	}
	if !any {
		results[0].Result = why
	}
	return results
}

// UndoProposal takes an applied proposal back, if its files are what it made them.
func (r *Run) UndoProposal(ctx context.Context, id string) error {
	p := r.now().Proposal(id)
	switch {
	case p == nil:
		return errNoProposal()
	case p.Status != record.ProposalDone:
		return &record.Error{Code: record.TransitionInvalid, What: "the proposal was not applied"}
	}
	r.commits.Lock()
	defer r.commits.Unlock()
	if _, err := r.project.Undo(ctx, id); err != nil {
		return err
	}
	for _, f := range p.Files {
		r.watch.Add(f.Path, f.BaseDigest)
	}
	r.notice(record.Person, "undone", "Proposal "+id+" was taken back: its files are as they were before.")
	return nil
}

func errNoProposal() error {
	return &record.Error{Code: record.TransitionInvalid, What: "there is no such proposal"}
}

// lookAtFiles says which files of proposals changed all the same.
func (r *Run) lookAtFiles(who record.Who) {
	if r.life.Err() != nil {
		return
	}
	r.commits.Lock()
	paths, err := r.watch.Changed(r.life)
	r.commits.Unlock()
	if err != nil {
		r.logf("look at the files of proposals: %v", err)
	}
	if len(paths) == 0 {
		return
	}
	r.notice(who, "changed-outside", "Changed outside of this run, while "+string(who)+" worked: "+strings.Join(paths, ", ")+". A proposal for it can't be applied any more.")
}

// recover puts right what a killed Conch left of approved proposals: each was applied
// whole, or is as before. Nothing is applied again.
func (r *Run) recover(ctx context.Context) error {
	left, err := r.project.Recover(ctx)
	if err != nil {
		return fmt.Errorf("put back what was half done: %w", err)
	}
	r.commits.Lock()
	defer r.commits.Unlock()
	applied := map[string]bool{}
	for _, each := range left {
		applied[each.Proposal] = each.Applied
		if len(each.Left) > 0 {
			r.notice(record.Conch, "half-done", "Not as they were before proposal "+each.Proposal+", and not touched: "+strings.Join(each.Left, ", "))
		}
	}
	for _, p := range r.log.State().Proposals {
		if p.Status != record.ProposalApproved {
			continue
		}
		var why error
		if !applied[p.Proposal] {
			why = &change.Refusal{Code: change.Storage, Why: "Conch ended before it was applied"}
		}
		paths := make([]string, len(p.Files))
		for i, f := range p.Files {
			paths[i] = f.Path
		}
		if _, err := r.append(record.Entry{By: record.Conch, Body: record.ProposalApplied{Proposal: p.Proposal, Results: resultsOf(paths, why)}}); err != nil {
			return err
		}
	}
	return nil
}
