package change

import (
	"context"
	"errors"
	"io/fs"
	"slices"
)

// Undo takes an applied proposal of the run back, if its files are what it made them:
// whole, or not at all, as it was applied.
func (p Project) Undo(ctx context.Context, proposal string) (Applied, error) {
	if !idForm.MatchString(proposal) {
		return Applied{}, refuse(Invalid, "that is no id of a proposal")
	}
	files, as, err := p.inverse(proposal)
	if err != nil {
		return Applied{}, refusal(err)
	}
	did, err := p.carry(ctx, proposal+undoMark, files, as)
	if err != nil {
		return Applied{}, refusal(err)
	}
	// It is taken back. What of it is not forgotten now Recover forgets.
	_ = p.forgetUndone(proposal)
	return did, nil
}

// inverse is what takes a proposal back: each file from what it was made to what it was.
func (p Project) inverse(proposal string) ([]File, modes, error) {
	j, err := p.journal(proposal)
	if err != nil {
		return nil, nil, err
	}
	defer j.close()
	r, err := j.record()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, refuse(Stale, "there is nothing of it to take back")
	case err != nil:
		return nil, nil, err
	case !j.has(doneFile):
		return nil, nil, refuse(Storage, "it was not ended: open the run again")
	}
	before, err := j.before(r)
	if err != nil {
		return nil, nil, err
	}
	as := modes{}
	var files []File
	for _, f := range slices.Backward(r.Files) {
		files = append(files, File{Path: f.Real, Base: f.New, Now: before[f.Real], Remove: f.Base == ""})
		as[f.Real] = f.Mode
	}
	return files, as, nil
}

// forgetUndone ends a change that was taken back: the folders that it had made go, and
// what is kept of it and of its taking back.
func (p Project) forgetUndone(proposal string) error {
	j, err := p.journal(proposal)
	if err != nil {
		return err
	}
	defer j.close()
	switch r, err := j.record(); {
	case err == nil:
		if err := p.rmdirs(r.Made); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := j.drop(); err != nil {
		return err
	}
	back, err := p.journal(proposal + undoMark)
	if err != nil {
		return err
	}
	defer back.close()
	return back.drop()
}

// rmdirs takes folders away that are empty, given outermost first.
func (p Project) rmdirs(folders []string) error {
	g, err := p.enter()
	if err != nil {
		return err
	}
	defer g.close()
	for _, folder := range slices.Backward(folders) {
		if err := p.rmdir(g, folder); err != nil {
			return err
		}
	}
	return nil
}
