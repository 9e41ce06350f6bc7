package pastchats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// entry is a file or a folder met on a walk.
type entry struct {
	rel   string // from the root, with slashes
	path  string // as it is opened
	dir   bool
	size  int64
	mtime int64 // nanoseconds since 1970
}

// errNotPlain is given for what is no regular file: a link, a pipe, a folder.
var errNotPlain = errors.New("not a regular file")

// errOutside is given for a path that leads out of the home and the app's folder.
var errOutside = errors.New("leads out of the home")

// walk visits an app's folder. The root itself may be a link. Inside it only
// regular files that are not empty count; a linked folder is read once, by its
// real path, when that lies in the home or the root; a linked file, a loop, a
// link to nothing and one that leads out are counted in left. visit returns false
// for a folder that need not be entered. A root that is not there is nothing.
// Entries come in the order of their names, those of linked folders last.
func (h *Home) walk(ctx context.Context, root string, visit func(entry) bool) (left int, err error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || notFolder(err) {
			return 0, nil
		}
		return 0, fmt.Errorf("find %s: %w", root, err)
	}
	w := &walker{visit: visit, entered: map[string]bool{}, home: h.real(), root: real}
	if err := w.enter(ctx, "", root, real); err != nil {
		if errors.Is(err, fs.ErrNotExist) || notFolder(err) {
			return 0, nil
		}
		return w.left, fmt.Errorf("list %s: %w", root, err)
	}
	// Links are followed after all that is really there, so that a folder keeps its
	// own name whatever points at it.
	for len(w.links) > 0 {
		l := w.links[0]
		w.links = w.links[1:]
		if err := w.follow(ctx, l); err != nil {
			return w.left, err
		}
	}
	return w.left, nil
}

// real is the home without links, "" when it is not there.
func (h *Home) real() string {
	if h.Dir == "" {
		return ""
	}
	real, err := filepath.EvalSymlinks(h.Dir)
	if err != nil {
		return ""
	}
	return real
}

type walker struct {
	visit      func(entry) bool
	entered    map[string]bool // folders, by their real path
	links      []link
	home, root string // real paths
	left       int
}

type link struct {
	rel, path string
	parent    string // the real path of the folder that it stands in
}

// enter lists one folder and what is below it. dir is how it is opened, real its
// real path. Only ctx and the folder itself can fail; what is below and cannot be
// listed is passed over.
func (w *walker) enter(ctx context.Context, rel, dir, real string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.entered[real] {
		return nil
	}
	list, err := os.ReadDir(dir)
	if err != nil && len(list) == 0 {
		return err
	}
	w.entered[real] = true
	for _, d := range list {
		e := entry{rel: path.Join(rel, d.Name()), path: filepath.Join(dir, d.Name())}
		switch {
		case d.IsDir():
			e.dir = true
			below := filepath.Join(real, d.Name())
			if w.entered[below] || !w.visit(e) {
				continue
			}
			if err := w.enter(ctx, e.rel, e.path, below); err != nil && ctx.Err() != nil {
				return err
			}
		case d.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0:
			w.links = append(w.links, link{e.rel, e.path, real})
		case d.Type().IsRegular():
			info, err := d.Info()
			if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
				continue
			}
			e.size, e.mtime = info.Size(), info.ModTime().UnixNano()
			w.visit(e)
		}
	}
	return nil
}

// follow enters a linked folder, or counts the link as left.
func (w *walker) follow(ctx context.Context, l link) error {
	real, err := filepath.EvalSymlinks(l.path)
	if err != nil || !within(real, w.home) && !within(real, w.root) || within(l.parent, real) || within(w.root, real) {
		w.left++ // to nothing, out of the home, or up to where it stands
		return nil
	}
	info, err := os.Lstat(real)
	if err != nil || !info.IsDir() {
		w.left++
		return nil
	}
	if w.entered[real] || !w.visit(entry{rel: l.rel, path: real, dir: true}) {
		return nil
	}
	if err := w.enter(ctx, l.rel, real, real); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

// within reports that a path is a folder or lies below it; both are clean.
func within(p, folder string) bool {
	if folder == "" || !strings.HasPrefix(p, folder) {
		return false
	}
	return len(p) == len(folder) || os.IsPathSeparator(folder[len(folder)-1]) || os.IsPathSeparator(p[len(folder)])
}

// resolve gives the real path of a regular file below root, and the folder that
// it may not leave.
func (h *Home) resolve(root, name string) (base, real string, err error) {
	info, err := os.Lstat(name)
	if err != nil {
		return "", "", err
	}
	if !info.Mode().IsRegular() {
		return "", "", fmt.Errorf("%s: %w", name, errNotPlain)
	}
	if real, err = filepath.EvalSymlinks(name); err != nil {
		return "", "", err
	}
	if base, err = filepath.EvalSymlinks(root); err == nil && within(real, base) {
		return base, real, nil
	}
	if base = h.real(); within(real, base) {
		return base, real, nil
	}
	return "", "", fmt.Errorf("%s: %w", name, errOutside)
}

// open opens a regular file below root for reading. The path is resolved at this
// moment, so that a swap between look and open cannot lead outside; a pipe or a
// device is refused and never waited for.
func (h *Home) open(root, name string) (*os.File, error) {
	// Most files lie below their root without a link that leads out of it: then
	// nothing has to be resolved. All else goes the long way.
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
			if f, err := openBelow(root, rel, name); err == nil {
				return f, nil
			}
		}
	}
	base, real, err := h.resolve(root, name)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(base, real)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, errOutside)
	}
	return openBelow(base, rel, name)
}

// openBelow opens a regular file at rel below base.
func openBelow(base, rel, name string) (*os.File, error) {
	// What may have been swapped since resolve is caught here: no step of the way
	// can lead out of an os.Root.
	r, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := r.OpenFile(rel, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", name, errNotPlain)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// whole reads a file of at most limit bytes; a larger one is errTooBig.
func (h *Home) whole(root, name string, limit int64) ([]byte, error) {
	f, err := h.open(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s: %w", name, errTooBig)
	}
	// It may have grown since.
	b := make([]byte, 0, info.Size()+512)
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return nil, fmt.Errorf("%s: %w", name, errTooBig)
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, err
		}
	}
}

// head reads at most limit bytes of a file's beginning.
func (h *Home) head(root, name string, limit int) ([]byte, error) {
	f, err := h.open(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, limit)
	n, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return b[:n], nil
}
