package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Apply makes a change whole, or none of it: then the error is a *Refusal, and unless
// it says Half the project is as it was. now is the run's generation. ctx is heeded
// until the first file is about to be put in place.
func (p Project) Apply(ctx context.Context, pr Proposal, ok Approval, now uint64) (Applied, error) {
	switch {
	case ok.Digest == "":
		return Applied{}, refuse(Unapproved, "nobody approved it")
	case ok.Digest != pr.Digest():
		return Applied{}, refuse(Unapproved, "another proposal was approved")
	case ok.Generation != now:
		return Applied{}, refuse(Stale, "the run went on since it was approved")
	case !idForm.MatchString(pr.ID):
		return Applied{}, refuse(Invalid, "that is no id of a proposal")
	}
	for _, f := range pr.Files {
		if err := f.fits(); err != nil {
			return Applied{}, refuse(Invalid, err.Error(), f.Path)
		}
	}
	did, err := p.carry(ctx, pr.ID, pr.Files, nil)
	if err != nil {
		return Applied{}, refusal(err)
	}
	did.Forgot = p.evict()
	return did, nil
}

// carry checks a change and makes it, under a name in the journal.
func (p Project) carry(ctx context.Context, name string, files []File, as modes) (Applied, error) {
	g, err := p.enter()
	if err != nil {
		return Applied{}, err
	}
	defer g.close()
	entries, err := g.check(ctx, files, as)
	if err != nil {
		return Applied{}, err
	}
	made, err := g.missing(entries)
	if err != nil {
		return Applied{}, err
	}
	j, err := p.journal(name)
	if err != nil {
		return Applied{}, err
	}
	defer j.close()
	switch {
	case j.has(doneFile):
		return Applied{}, refuse(Stale, "it was applied before")
	case j.has(recordFile):
		return Applied{}, refuse(Storage, "an earlier try was not ended: open the run again")
	}
	r := record{Version: recordVersion, Made: made}
	before := map[string][]byte{}
	did := Applied{Made: made}
	for _, e := range entries {
		r.Files = append(r.Files, kept{Path: e.Path, Real: e.real, Base: e.Base, New: e.NewDigest(), Mode: e.before})
		before[e.real] = e.Was
		_, added, removed := e.diffs()
		did.Files = append(did.Files, Outcome{Path: e.Path, Base: e.Base, New: e.NewDigest(), Added: added, Removed: removed})
	}
	if err := j.begin(r, before); err != nil {
		return Applied{}, errors.Join(err, j.drop()) // nothing of it was done
	}
	w := &work{p: p, g: g, j: j, r: r, entries: entries}
	if err := w.do(ctx); err != nil {
		return Applied{}, w.back(err)
	}
	return did, nil
}

// work is a change being made.
type work struct {
	p       Project
	g       *ground
	j       *journal
	r       record
	entries []*entry
}

// do makes it: every new text is written beside its file before the first of them takes
// its file's place. After an error, back has to be called.
func (w *work) do(ctx context.Context) error {
	for _, folder := range w.r.Made {
		if err := w.mkdir(folder); err != nil {
			return fmt.Errorf("make %s: %w", folder, err)
		}
	}
	for i, e := range w.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.stage(e, w.j.temp(i)); err != nil {
			return fmt.Errorf("write %s: %w", e.Path, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, e := range w.entries {
		if err := w.put(e, w.j.temp(i)); err != nil {
			return fmt.Errorf("put %s in place: %w", e.Path, err)
		}
	}
	if err := w.p.sync(w.g, w.r); err != nil {
		return err
	}
	return w.j.done()
}

func (w *work) mkdir(folder string) error {
	at, err := w.g.dir(path.Dir(folder))
	if err != nil {
		return err
	}
	if err := w.p.step("mkdir", folder); err != nil {
		return err
	}
	if err := at.Mkdir(path.Base(folder), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// stage writes the new text beside the file.
func (w *work) stage(e *entry, temp string) (err error) {
	if e.dir, err = w.g.dir(e.folder()); err != nil || e.Remove {
		return err
	}
	if err := w.p.step("stage", e.Path); err != nil {
		return err
	}
	return w.p.write(e.dir, temp, e.Now, e.mode)
}

// put lets the new text take the file's place, if that is what was checked still.
func (w *work) put(e *entry, temp string) error {
	if err := w.p.step("put", e.Path); err != nil {
		return err
	}
	if err := e.still(); err != nil {
		return err
	}
	var err error
	switch {
	case e.Remove:
		err = e.dir.Remove(e.name)
	case e.Base != "":
		err = e.dir.Rename(temp, e.name)
	default:
		err = renameNew(e.dir, temp, e.name)
	}
	if errors.Is(err, fs.ErrExist) {
		return refuse(Stale, "there is such a file now", e.Path)
	}
	e.put = err == nil
	return err
}

// back puts everything back after an error. What can't be is kept for Recover.
func (w *work) back(cause error) error {
	no := refusal(cause)
	var touched []kept
	for i, e := range w.entries {
		if e.put {
			touched = append(touched, w.r.Files[i])
		}
	}
	left, err := w.p.restore(w.g, w.j, w.r, touched)
	if err == nil && len(left) == 0 {
		// What stays of the journal says nothing that is not so: Recover drops it.
		_ = w.j.drop()
		return no
	}
	if len(left) == 0 {
		left = w.r.paths()
	}
	no.Half, no.Paths, no.err = true, left, errors.Join(cause, err)
	no.Why += "; not all of it could be put back: open the run again"
	return no
}

// write writes a new file whole.
func (p Project) write(dir *os.Root, name string, data []byte, mode fs.FileMode) error {
	first := fs.FileMode(0o666)
	if mode != 0 {
		first = 0o600 // until it has its own
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, first)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = p.step("fsync", name)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// renameNew renames to a name that nothing may have. fs.ErrExist when something has.
func renameNew(dir *os.Root, from, to string) error {
	if err := dir.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		if err == nil {
			_ = dir.Remove(from) // a name too many beside a whole file
		}
		return err
	}
	// A file system without links: there is a moment between the look and the renaming.
	if _, err := dir.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fs.ErrExist)
	}
	return dir.Rename(from, to)
}

// sync makes the names last in every folder that has one changed.
func (p Project) sync(g *ground, r record) error {
	for _, folder := range r.folders() {
		if err := p.step("sync", folder); err != nil {
			return err
		}
		dir, err := g.dir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = syncDir(dir)
		}
		if err != nil {
			return fmt.Errorf("sync %s: %w", folder, err)
		}
	}
	return nil
}
