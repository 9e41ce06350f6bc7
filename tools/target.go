package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"conch/engine"
)

// maxPath is in characters.
const maxPath = 4096

// target is a file or a folder that a call names.
type target struct {
	shown string // as a person reads it: from the working folder where it lies in it
	path  string // absolute and clean, links as they are
	real  string // where it leads, links resolved; what does not exist stays as it is named
	there bool
	inner bool // real lies in the working folder
}

var errElsewhere = errors.New("it leads somewhere else than a moment ago; nothing was done")

// target finds what a call names. A relative path is of the working folder. Nothing is
// expanded: neither ~ nor $NAME.
func (b *bound) target(tool, field, named string) (target, error) {
	bad := func(problem string) (target, error) {
		return target{}, &BadArguments{Tool: tool, Problems: []string{field + ": " + problem}}
	}
	if strings.ContainsRune(named, 0) {
		return bad("wanted a path, got one with a zero byte in it")
	}
	if strings.HasPrefix(named, "~") {
		return bad("wanted a path of the working folder or a whole one, got " + strconv.Quote(shown(named)) + ": ~ is not expanded")
	}
	folder := b.turn.Folder()
	p := target{path: named}
	if !filepath.IsAbs(named) {
		if filepath.VolumeName(named) != "" || named != "" && os.IsPathSeparator(named[0]) {
			return bad("wanted a path of the working folder or a whole one, got " + strconv.Quote(shown(named)))
		}
		p.path = filepath.Join(folder, named)
	}
	p.path = filepath.Clean(p.path)
	var err error
	if p.real, p.there, err = leads(p.path); err != nil {
		return bad(err.Error())
	}
	p.shown = p.path
	if rel, err := filepath.Rel(folder, p.path); err == nil && filepath.IsLocal(rel) {
		p.shown = filepath.ToSlash(rel)
	}
	if root, err := filepath.EvalSymlinks(folder); err == nil {
		rel, err := filepath.Rel(root, p.real)
		p.inner = err == nil && filepath.IsLocal(rel)
	}
	return p, nil
}

// leads follows the links of an absolute path. Parts at its end that do not exist
// stay as they are named.
func leads(path string) (real string, there bool, err error) {
	head, rest := path, ""
	for {
		real, err := filepath.EvalSymlinks(head)
		if err == nil {
			return filepath.Join(real, rest), rest == "", nil
		}
		if _, lerr := os.Lstat(head); lerr == nil {
			return "", false, fmt.Errorf("%s is a link that leads nowhere", filepath.Base(head))
		}
		up := filepath.Dir(head)
		if up == head || !errors.Is(err, fs.ErrNotExist) {
			if errors.Is(err, fs.ErrPermission) {
				return "", false, errors.New("the system doesn't let it be looked at")
			}
			return "", false, errors.New("there is no such place")
		}
		rest = filepath.Join(filepath.Base(head), rest)
		head = up
	}
}

// paths are those that a permission is asked for with: as it is named and where it
// leads.
func (p target) paths() []string {
	if p.path == p.real {
		return []string{p.path}
	}
	return []string{p.path, p.real}
}

// still checks that the place leads where it did when it was asked for.
func (p target) still() error {
	real, _, err := leads(p.path)
	if err != nil || real != p.real {
		return fmt.Errorf("%s: %w", p.shown, errElsewhere)
	}
	return nil
}

// open opens the file that was asked for. What is no ordinary file is not opened: a
// pipe would hold the call up, and reading a device can do things. The folder is held
// while the file is opened, and no link in it is followed out of it, so that nothing
// that changes meanwhile leads elsewhere.
func (p target) open() (*os.File, fs.FileInfo, error) {
	if err := p.still(); err != nil {
		return nil, nil, err
	}
	dir, err := os.OpenRoot(filepath.Dir(p.real))
	if err != nil {
		return nil, nil, p.trouble("read", err)
	}
	defer dir.Close()
	name := filepath.Base(p.real)
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, p.trouble("read", err)
	}
	if err := p.ordinary(before); err != nil {
		return nil, nil, err
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|openNow, 0)
	if err != nil {
		return nil, nil, p.trouble("read", err)
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = errElsewhere
	}
	if err != nil {
		return nil, nil, errors.Join(p.trouble("read", err), f.Close())
	}
	return f, info, nil
}

// ordinary says why what is there is no file to read or write.
func (p target) ordinary(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s is a folder: list shows what is in it", p.shown)
	case mode&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%s is a pipe, not a file", p.shown)
	case mode&fs.ModeSocket != 0:
		return fmt.Errorf("%s is a socket, not a file", p.shown)
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%s: %w", p.shown, errElsewhere)
	}
	return fmt.Errorf("%s is a device, not a file", p.shown)
}

// trouble says in plain words why something could not be done with it.
func (p target) trouble(doing string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s: there is no such file", doing, p.shown)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s %s: the system doesn't allow it", doing, p.shown)
	}
	return fmt.Errorf("%s %s: %w", doing, p.shown, err)
}

// missing is the answer to a path in the working folder where nothing is, with names
// that come close. "" for one outside: what lies there is asked for first.
func (b *bound) missing(tool string, p target) error {
	if p.there || !p.inner {
		return nil
	}
	text := tool + ": there is no " + p.shown
	if near := nearNames(p.real); len(near) > 0 {
		dir := filepath.ToSlash(filepath.Dir(p.shown))
		for i, name := range near {
			near[i] = b.clean.line(strings.TrimPrefix(dir+"/"+name, "./"), 200)
		}
		text += "; there is " + strings.Join(near, ", ")
	}
	return errors.New(text)
}

// nearNames are up to three names in the same folder that a person could have meant.
func nearNames(path string) []string {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(2000) //nolint:errcheck // what could be read will do
	want := strings.ToLower(filepath.Base(path))
	stem := func(s string) string { return strings.TrimSuffix(s, filepath.Ext(s)) }
	var near []string
	for _, name := range names {
		low := strings.ToLower(name)
		if low == want || len(stem(want)) > 2 && (stem(low) == stem(want) || strings.Contains(low, stem(want))) {
			near = append(near, name)
		}
	}
	slices.Sort(near)
	return near[:min(len(near), 3)]
}

// notRun is a call that was not allowed.
type notRun struct{ why string }

func (e notRun) Error() string { return "it was not run: " + e.why }

// may asks for a call, and gives why it is not done.
func (b *bound) may(ctx context.Context, p engine.Permission) error {
	d := b.turn.Ask(ctx, p)
	if d.Verdict == engine.Allow {
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	why := d.Reason
	if rest, ok := strings.CutPrefix(why, "you "); ok {
		why = "the person " + rest // the words are made for their row
	}
	if why == "" {
		why = "it was not allowed"
	}
	return notRun{why}
}
