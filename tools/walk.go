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

	"conch/tools/ignore"
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
	rules, prefix := above(w.root)
	err := w.folder(ctx, "", prefix, rules, 0, tell)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (w *walker) folder(ctx context.Context, rel, prefix string, rules *ignore.List, depth int, tell func(found) error) error {
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
	rules = rules.Under(path.Join(prefix, rel), patterns(at))
	for _, e := range entries {
		if w.visited++; w.visited > maxVisited {
			w.full = true
			return errEnough
		}
		f := found{rel: path.Join(rel, e.Name()), entry: e, hidden: strings.HasPrefix(e.Name(), ".")}
		if e.Name() == ".git" || e.IsDir() && w.avoided(e) {
			continue
		}
		f.left = rules.Leaves(path.Join(prefix, f.rel), e.IsDir())
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

// above reads the patterns of the folders over a folder, up to the one that git knows
// as the top. prefix is the way from there.
func above(root string) (rules *ignore.List, prefix string) {
	top := root
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			top = dir
			break
		}
		if dir == filepath.Dir(dir) {
			return nil, ""
		}
	}
	rel, err := filepath.Rel(top, root)
	if err != nil || rel == "." {
		rel = ""
	}
	prefix = filepath.ToSlash(rel)
	rules = rules.Under("", readSmall(filepath.Join(top, ".git", "info", "exclude")))
	for dir := top; dir != root; {
		within, err := filepath.Rel(top, dir)
		if err != nil {
			break
		}
		if within == "." {
			within = ""
		}
		rules = rules.Under(filepath.ToSlash(within), patterns(dir))
		next, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(root, dir), string(filepath.Separator)), string(filepath.Separator))
		if next == "" {
			break
		}
		dir = filepath.Join(dir, next)
	}
	return rules, prefix
}

func patterns(dir string) string { return readSmall(filepath.Join(dir, ".gitignore")) }

// readSmall reads a small ordinary file; "" for what is none.
func readSmall(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 256<<10 {
		return ""
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(raw)
}
