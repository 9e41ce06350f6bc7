package change

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// restore puts files of a change back to what they held before it, and takes away what
// the change left beside them. A file that holds neither what it held nor what it was to
// hold is somebody's by now: it is left and named. It can be done again and again.
func (p Project) restore(g *ground, j *journal, r record, files []kept) (left []string, err error) {
	before, err := j.before(r)
	if err != nil {
		return nil, err
	}
	if err := j.undone(); err != nil {
		return nil, fmt.Errorf("take back that it was applied: %w", err)
	}
	for i, f := range r.Files {
		if err := p.unstage(g, f, j.temp(i)); err != nil {
			return nil, fmt.Errorf("clear beside %s: %w", f.Path, err)
		}
	}
	var errs []error
	for i, f := range slices.Backward(r.Files) {
		if !slices.Contains(files, f) {
			continue
		}
		switch ok, err := p.putBack(g, f, j.temp(i), before[f.Real]); {
		case err != nil:
			errs = append(errs, fmt.Errorf("put %s back: %w", f.Path, err))
		case !ok:
			left = append(left, f.Path)
		}
	}
	for _, folder := range slices.Backward(r.Made) {
		if err := p.rmdir(g, folder); err != nil {
			errs = append(errs, fmt.Errorf("take %s away: %w", folder, err))
		}
	}
	slices.Sort(left)
	return left, errors.Join(append(errs, p.sync(g, r))...)
}

// unstage takes away a new text that stands beside its file.
func (p Project) unstage(g *ground, f kept, temp string) error {
	dir, err := g.dir(f.folder())
	if err != nil {
		return gone(err)
	}
	if _, err := dir.Lstat(temp); err != nil {
		return gone(err)
	}
	if err := p.step("unstage", f.Path); err != nil {
		return err
	}
	return gone(dir.Remove(temp))
}

// putBack puts one file back. ok is false when it is somebody's.
func (p Project) putBack(g *ground, f kept, temp string, was []byte) (ok bool, err error) {
	dir, err := g.dir(f.folder())
	if err != nil {
		return f.Base == "" && errors.Is(err, fs.ErrNotExist), nil
	}
	name := path.Base(f.Real)
	switch got, err := holds(dir, name); {
	case err != nil:
		return false, nil // a folder, a link, or too large to be ours
	case got == f.Base:
		return true, nil
	case got != f.New:
		return false, nil
	}
	if err := p.step("restore", f.Path); err != nil {
		return false, err
	}
	if f.Base == "" {
		return true, gone(dir.Remove(name))
	}
	if err := p.write(dir, temp, was, f.Mode); err != nil {
		return false, errors.Join(err, gone(dir.Remove(temp)))
	}
	if err := p.step("rename", f.Path); err != nil {
		return false, errors.Join(err, gone(dir.Remove(temp)))
	}
	if f.New != "" {
		return true, dir.Rename(temp, name)
	}
	if err := renameNew(dir, temp, name); errors.Is(err, fs.ErrExist) {
		return false, gone(dir.Remove(temp))
	} else {
		return err == nil, err
	}
}

// rmdir takes a folder away that was made, unless something is in it by now.
func (p Project) rmdir(g *ground, folder string) error {
	dir, err := g.dir(folder)
	if err != nil {
		return gone(err)
	}
	if list, err := fs.ReadDir(dir.FS(), "."); err != nil || len(list) > 0 {
		return err
	}
	if err := p.step("rmdir", folder); err != nil {
		return err
	}
	g.release(folder)
	at, err := g.dir(path.Dir(folder))
	if err != nil {
		return gone(err)
	}
	return gone(at.Remove(path.Base(folder)))
}

// gone passes over that something was not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
