package change

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strconv"
)

// entry is one file while it is changed.
type entry struct {
	File               // Was is what stood there when it was checked
	place              // dir is nil until the folder is there
	mode   fs.FileMode // that it is to have, 0 for that of new files
	before fs.FileMode // that it had
	put    bool        // it holds what it is to hold
}

// modes are those of files that are made again, by their paths.
type modes map[string]fs.FileMode

// check looks at everything that has to be so before a change, in this order: what the
// files hold, where they lie, how many and how large they are. It changes nothing.
func (g *ground) check(ctx context.Context, files []File, as modes) ([]*entry, error) {
	if len(files) == 0 {
		return nil, refuse(Invalid, "it changes no file")
	}
	var entries []*entry
	var stale, outside, large, locked []string
	var why string // of the first that is outside
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e := &entry{File: f, mode: as[f.Path]}
		entries = append(entries, e)
		big := len(f.Now) > MaxFile || len(f.Was) > MaxFile
		if big {
			large = append(large, f.Path)
		}
		var err error
		if e.place, err = g.place(f.Path); CodeOf(err) == Outside {
			outside = append(outside, f.Path)
			if why == "" {
				why = plainly(err)
			}
			continue
		}
		if err == nil && e.info != nil {
			e.mode, e.before = e.info.Mode().Perm(), e.info.Mode().Perm()
			e.Was, err = readIn(e.dir, e.name)
		}
		switch {
		case big && errors.Is(err, errTooLarge):
			// It is as it was, as far as it is read.
		case err != nil, e.info == nil && f.Base != "", e.info != nil && DigestOf(e.Was) != f.Base:
			stale = append(stale, f.Path)
		case e.info != nil && e.before&0o200 == 0:
			locked = append(locked, f.Path)
		}
	}
	switch {
	case len(stale) > 0:
		return nil, refuse(Stale, "what is there is not what it was", stale...)
	case len(outside) > 0:
		return nil, refuse(Outside, why, outside...)
	case len(files) > MaxFiles:
		return nil, refuse(Limit, "more than "+strconv.Itoa(MaxFiles)+" files")
	case len(large) > 0:
		return nil, refuse(Limit, "larger than 1 MiB", large...)
	case len(locked) > 0:
		return nil, refuse(Storage, "read-only", locked...)
	}
	return entries, single(entries)
}

// single refuses two entries for one file.
func single(entries []*entry) error {
	paths, places := make([]string, len(entries)), make([]place, len(entries))
	for i, e := range entries {
		paths[i], places[i] = e.Path, e.place
	}
	a, b := twice(paths)
	if a == "" {
		a, b = oneFile(paths, places)
	}
	if a != "" {
		return refuse(Invalid, "two entries for one file", a, b)
	}
	return nil
}

// missing are the folders that have to be made for the entries, outermost first.
func (g *ground) missing(entries []*entry) ([]string, error) {
	var made []string
	known := map[string]bool{}
	for _, e := range entries {
		var chain []string
		for folder := e.folder(); folder != "." && !known[folder]; folder = path.Dir(folder) {
			_, err := g.dir(folder)
			if err == nil {
				break
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			known[folder] = true
			chain = append(chain, folder)
		}
		for i := len(chain) - 1; i >= 0; i-- {
			made = append(made, chain[i])
		}
	}
	return made, nil
}

// still refuses a file that is not what was checked any more.
func (e *entry) still() error {
	if got, err := holds(e.dir, e.name); err != nil || got != e.Base {
		return refuse(Stale, "it was changed a moment ago", e.Path)
	}
	return nil
}
