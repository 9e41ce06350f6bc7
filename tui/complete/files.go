package complete

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"conch/ignore"
)

// Limits bound a walk.
type Limits struct {
	Files int           // 0: 100,000
	Time  time.Duration // 0: 500 ms
}

// Files are the paths of a project, relative to its root and with slashes,
// folders ending in one. It does not change once made.
type Files struct {
	Root  string
	Paths []string
	Cut   bool // a limit was reached: there are more
}

// Walk lists what is below root, what is near to it first. It honours .gitignore
// files, those above root up to the top of its repository too, and
// .git/info/exclude; .git itself is left out. Links are listed and never
// followed. What cannot be read is left out. It ends at the limits and with ctx
// and gives what it has by then.
func Walk(ctx context.Context, root string, limits Limits) *Files {
	if limits.Files <= 0 {
		limits.Files = 100_000
	}
	if limits.Time <= 0 {
		limits.Time = 500 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	w := walk{ctx: ctx, limit: limits.Files, out: &Files{Root: root}}
	above, rel := ignore.Above(root)
	queue := []folder{{rel: rel, rules: above}}
	w.base = len(rel)
	for len(queue) > 0 && !w.out.Cut {
		queue = append(queue[1:], w.read(root, queue[0])...)
	}
	slices.SortStableFunc(w.out.Paths, func(a, b string) int {
		return cmp.Compare(depth(a), depth(b))
	})
	return w.out
}

// folder is one that is still to be read. rel is its path from the top of the
// repository, "" or ending in a slash.
type folder struct {
	rel   string
	rules ignore.Rules
}

type walk struct {
	ctx   context.Context
	limit int
	base  int // bytes of rel that lie above the root
	out   *Files
}

// chunk is how many entries are read before the limits are looked at again.
const chunk = 512

func (w *walk) read(root string, dir folder) []folder {
	path := filepath.Join(root, filepath.FromSlash(dir.rel[w.base:]))
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	own := dir.rules.Under(path, dir.rel)
	var entries []fs.DirEntry
	for {
		if w.ctx.Err() != nil || len(w.out.Paths)+len(entries) > w.limit {
			w.out.Cut = true
			break
		}
		some, err := f.ReadDir(chunk)
		entries = append(entries, some...)
		if err == io.EOF || err != nil || len(some) == 0 {
			break
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var below []folder
	for _, e := range entries {
		name, kind := e.Name(), e.Type()
		isDir := kind.IsDir()
		if name == ".git" || !isDir && !kind.IsRegular() && kind&fs.ModeSymlink == 0 {
			continue
		}
		rel := dir.rel + name
		if own.Leaves(rel, name, isDir) {
			continue
		}
		if len(w.out.Paths) >= w.limit {
			w.out.Cut = true
			break
		}
		if isDir {
			rel += "/"
			below = append(below, folder{rel: rel, rules: own})
		}
		w.out.Paths = append(w.out.Paths, rel[w.base:])
	}
	return below
}

func depth(path string) int { return strings.Count(strings.TrimSuffix(path, "/"), "/") }
