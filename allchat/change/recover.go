package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Recovered is how a proposal stands of which something is kept.
type Recovered struct {
	Proposal string
	Applied  bool     // it is applied whole; else the files are as before
	Left     []string // files that are as nobody left them: they were not touched
}

// Recover puts back what a killed program left half done in the run, and says of each
// proposal of which something is kept how it stands now: who reads that knows whose end
// had been noted. One that is not named was not applied. With an error the others are
// done all the same, and what was not is tried again the next time.
func (p Project) Recover(ctx context.Context) ([]Recovered, error) {
	home, err := p.openHome()
	if err != nil {
		return nil, refusal(err)
	}
	defer home.Close()
	list, err := listed(home, path.Join(undoFolder, p.Run))
	if err != nil {
		return nil, refusal(err)
	}
	var names []string
	for _, d := range list {
		if idForm.MatchString(strings.TrimSuffix(d.Name(), undoMark)) && d.IsDir() {
			names = append(names, d.Name())
		}
	}
	// What takes a change back is looked at before the change.
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	var all []Recovered
	var errs []error
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return all, refusal(errors.Join(append(errs, err)...))
		}
		r, err := p.recover(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("recover %s: %w", name, err))
		}
		all = told(all, r)
	}
	if len(errs) > 0 {
		return all, refusal(errors.Join(errs...))
	}
	return all, nil
}

func rank(name string) int {
	if strings.HasSuffix(name, undoMark) {
		return 0
	}
	return 1
}

// told adds what was found of a proposal to what was found of it before.
func told(all []Recovered, r Recovered) []Recovered {
	i := slices.IndexFunc(all, func(a Recovered) bool { return a.Proposal == r.Proposal })
	switch {
	case r.Proposal == "":
		return all
	case i < 0:
		return append(all, r)
	}
	all[i].Applied = r.Applied
	all[i].Left = append(all[i].Left, r.Left...)
	return all
}

// recover brings one change to an end.
func (p Project) recover(name string) (Recovered, error) {
	j, err := p.journal(name)
	if err != nil {
		return Recovered{}, err
	}
	defer j.close()
	proposal, isUndo := strings.CutSuffix(name, undoMark)
	done := j.has(doneFile)
	r, err := j.record()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Recovered{}, j.drop() // it was not begun, or is forgotten already
	case err != nil:
		return Recovered{}, err
	case done && isUndo:
		return Recovered{Proposal: proposal}, p.forgetUndone(proposal)
	case done:
		return Recovered{Proposal: proposal, Applied: true}, nil
	}
	g, err := p.enter()
	if err != nil {
		return Recovered{}, err
	}
	defer g.close()
	// Whatever is not whole is put back; a change that is taken back is then applied.
	left, err := p.restore(g, j, r, r.Files)
	if err != nil {
		return Recovered{}, err
	}
	if len(left) > 0 {
		return Recovered{Proposal: proposal, Applied: isUndo, Left: left}, nil
	}
	return Recovered{Proposal: proposal, Applied: isUndo}, j.drop()
}
