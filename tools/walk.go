package tools

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"conch/ignore"
)

// Limits of a walk.
const (
	maxDepth   = 60
	maxVisited = 300_000 // files and folders
	maxInDir   = 50_000  // names of one folder
)

// found is what a walk comes by.
type found struct {
	rel    string // slash path from where the walk began
	entry  fs.DirEntry
	left   bool // .gitignore leaves it out
	hidden bool // its name begins with a dot
}

// walker goes through a folder, names in order, without following a link and without
// a look into git's own folder or into Conch's.
type walker struct {
	root   string   // where links lead already
	all    bool     // also into folders that .gitignore leaves out
	avoid  []string // folders that are never looked into
	avoids []fs.FileInfo

	visited int
	full    bool // there was more than is looked at
	blind   int  // folders that can't be read
}

func (b *bound) walker(root string, all bool) *walker {
	w := &walker{root: root, all: all, avoid: b.kit.Protected}
	for _, dir := range w.avoid {
		if info, err := os.Stat(dir); err == nil {
			w.avoids = append(w.avoids, info)
		}
	}
	return w
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// each tells of all that is found, folders before what is in them. Where it returns
// fs.SkipDir the folder is not looked into.
func (w *walker) each(ctx context.Context, tell func(found) error) error {
	rules, prefix := ignore.Above(w.root)
	err := w.folder(ctx, "", prefix, rules, 0, tell)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (w *walker) folder(ctx context.Context, rel, prefix string, rules ignore.Rules, depth int, tell func(found) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at := filepath.Join(w.root, filepath.FromSlash(rel))
	dir, err := os.Open(at)
	if err != nil {
		w.blind++
		return nil
	}
	entries, err := dir.ReadDir(maxInDir)
	if err == nil && len(entries) == maxInDir {
		w.full = true
	}
	_ = dir.Close() // it was only read
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	from := prefix // the way to this folder from the top of the repository
	if rel != "" {
		from += rel + "/"
	}
	rules = rules.Under(at, from)
	for _, e := range entries {
		if w.visited++; w.visited > maxVisited {
			w.full = true
			return errEnough
		}
		f := found{rel: path.Join(rel, e.Name()), entry: e, hidden: strings.HasPrefix(e.Name(), ".")}
		if e.Name() == ".git" || e.IsDir() && w.avoided(e) {
			continue
		}
		f.left = rules.Leaves(from+e.Name(), e.Name(), e.IsDir())
		err := tell(f)
		if errors.Is(err, fs.SkipDir) {
			continue
		}
		if err != nil {
			return err
		}
		if !e.IsDir() || f.left && !w.all {
			continue
		}
		if depth >= maxDepth {
			w.full = true
			continue
		}
		if err := w.folder(ctx, f.rel, prefix, rules, depth+1, tell); err != nil {
			return err
		}
	}
	return nil
}

// avoided reports one of the folders that are never looked into, by whatever name.
func (w *walker) avoided(e fs.DirEntry) bool {
	if len(w.avoids) == 0 {
		return false
	}
	info, err := e.Info()
	return err == nil && slices.ContainsFunc(w.avoids, func(a fs.FileInfo) bool { return os.SameFile(a, info) })
}
