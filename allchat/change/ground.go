package change

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ground is the project's folder, held open while it is read or changed. No folder in it
// is opened but step by step from the one before, so that what is swapped for a link
// meanwhile leads nowhere else.
type ground struct {
	base  string // the folder, links resolved
	root  *os.Root
	never []fs.FileInfo       // folders that nothing is changed in, by whatever name
	dirs  map[string]*os.Root // folders that are held, by their path in the project
}

// enter opens the project.
func (p Project) enter() (*ground, error) {
	if !filepath.IsAbs(p.Root) {
		return nil, errors.New("open the project: its folder is not a whole path")
	}
	base, err := filepath.EvalSymlinks(p.Root)
	if err != nil {
		return nil, fmt.Errorf("open the project: %w", bare(err))
	}
	g := &ground{base: base, dirs: map[string]*os.Root{}}
	if p.Home != "" {
		if home, err := filepath.EvalSymlinks(p.Home); err == nil {
			if rel, err := filepath.Rel(home, base); err == nil && filepath.IsLocal(rel) {
				return nil, refuse(Outside, "Conch's own folder is no project")
			}
		}
		if info, err := os.Stat(p.Home); err == nil {
			g.never = append(g.never, info)
		}
	}
	if g.root, err = os.OpenRoot(base); err != nil {
		return nil, fmt.Errorf("open the project: %w", bare(err))
	}
	if info, err := g.root.Stat(".git"); err == nil && info.IsDir() {
		g.never = append(g.never, info)
	}
	g.dirs["."] = g.root
	return g, nil
}

// release lets go of a folder that is to be taken away.
func (g *ground) release(folder string) {
	if dir := g.dirs[folder]; dir != nil && dir != g.root {
		_ = dir.Close() // it was only held
		delete(g.dirs, folder)
	}
}

func (g *ground) close() {
	for _, dir := range g.dirs {
		_ = dir.Close() // it was only held
	}
}

// bare takes the path out of a system's error: no whole path is said on.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// place is where the path of a file leads.
type place struct {
	real string      // in the project, links resolved, with slashes
	dir  *os.Root    // the folder it is in; nil while that is not there
	name string      // in dir
	info fs.FileInfo // nil when nothing is there
}

func (pl place) folder() string { return path.Dir(pl.real) }

// place finds a file. The errors are a *Refusal: Outside, or Stale when what is there
// is no file.
func (g *ground) place(named string) (place, error) {
	clean, err := CheckPath(named)
	if err != nil {
		return place{}, refuse(Outside, err.Error(), named)
	}
	real, err := g.leads(clean)
	if err != nil {
		return place{}, refuse(Outside, err.Error(), named)
	}
	if again, err := CheckPath(real); err != nil || again != real {
		return place{}, refuse(Outside, "it leads to a path that no proposal may have", named)
	}
	pl := place{real: real, name: path.Base(real)}
	if pl.dir, err = g.dir(pl.folder()); errors.Is(err, fs.ErrNotExist) {
		return pl, nil
	} else if err != nil {
		var no *Refusal
		if errors.As(err, &no) {
			return place{}, refuse(no.Code, no.Why, named)
		}
		return place{}, refuse(Outside, err.Error(), named)
	}
	switch info, err := pl.dir.Lstat(pl.name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return place{}, refuse(Outside, bare(err).Error(), named)
	case !info.Mode().IsRegular():
		return place{}, refuse(Stale, "what is there is "+sortOf(info.Mode())+", not a file", named)
	default:
		pl.info = info
	}
	return pl, nil
}

func sortOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// leads follows the links of a path. Parts at its end that are not there stay as they
// are named.
func (g *ground) leads(clean string) (string, error) {
	local, err := filepath.Localize(clean)
	if err != nil {
		return "", errors.New("no file of this system can have such a path")
	}
	head, rest := filepath.Join(g.base, local), ""
	for {
		to, err := filepath.EvalSymlinks(head)
		if err == nil {
			head = filepath.Join(to, rest)
			break
		}
		if _, lerr := os.Lstat(head); lerr == nil {
			return "", errors.New("it leads over a link to nowhere")
		}
		if !errors.Is(err, fs.ErrNotExist) && !notFolder(err) {
			return "", fmt.Errorf("it can't be looked at: %w", bare(err))
		}
		rest = filepath.Join(filepath.Base(head), rest)
		head = filepath.Dir(head)
	}
	rel, err := filepath.Rel(g.base, head)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", errors.New("it leads out of the project")
	}
	real := filepath.ToSlash(rel)
	if ofGit(real) {
		return "", errors.New("it leads to what git keeps in .git")
	}
	return real, nil
}

// dir holds a folder of the project, by a path that has no link in it. fs.ErrNotExist
// when it is not there.
func (g *ground) dir(folder string) (*os.Root, error) {
	if d, ok := g.dirs[folder]; ok {
		return d, nil
	}
	at := g.root
	for part := range strings.SplitSeq(folder, "/") {
		next, err := g.step(at, part)
		if at != g.root {
			_ = at.Close() // it was only on the way
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	g.dirs[folder] = at
	return at, nil
}

// step opens a folder in a folder.
func (g *ground) step(at *os.Root, name string) (*os.Root, error) {
	before, err := at.Lstat(name)
	switch {
	case err != nil:
		return nil, bare(err)
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, refuse(Outside, "it leads somewhere else than a moment ago")
	case !before.IsDir():
		return nil, refuse(Stale, "what should be a folder on the way is none")
	}
	for _, never := range g.never {
		if os.SameFile(before, never) {
			return nil, refuse(Outside, "it leads to a folder that no proposal may change")
		}
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, bare(err)
	}
	if info, err := next.Stat("."); err != nil || !os.SameFile(before, info) {
		_ = next.Close() // it is not used
		return nil, refuse(Outside, "it leads somewhere else than a moment ago")
	}
	return next, nil
}

var errTooLarge = errors.New("it is larger than 1 MiB")

// readIn reads a file of a folder, at most MaxFile bytes of it. What is no ordinary file
// is not opened: a pipe would wait for a writer.
func readIn(dir *os.Root, name string) ([]byte, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, bare(err)
	}
	if !before.Mode().IsRegular() {
		return nil, errors.New("it is " + sortOf(before.Mode()) + ", not a file")
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|openNow, 0)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, bare(err)
	}
	if !os.SameFile(before, info) {
		return nil, errors.New("it was changed while it was read")
	}
	if info.Size() > MaxFile {
		return nil, errTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, bare(err)
	}
	if len(data) > MaxFile {
		return nil, errTooLarge
	}
	return data, nil
}

// holds is the digest of what stands under a name in a folder, "" when nothing does.
func holds(dir *os.Root, name string) (string, error) {
	data, err := readIn(dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	return DigestOf(data), nil
}
