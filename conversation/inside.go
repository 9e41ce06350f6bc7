package conversation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// place is where a path leads, links resolved.
type place struct {
	path    string
	missing bool // its end does not exist yet
}

var errNoPlace = errors.New("where it leads can't be told")

// locate finds where a path leads that a program named. A relative one is of
// cwd. Nothing is expanded: what a program might expand (a leading ~ or $NAME
// that is no file) leads nobody knows where, and so do links to nothing, ".."
// behind what does not exist, pipes, sockets and devices.
func locate(cwd, named string) (place, error) {
	if named == "" || strings.ContainsRune(named, 0) || strings.HasPrefix(named, "~") || cwd == "" {
		return place{}, errNoPlace
	}
	full := named
	if !filepath.IsAbs(named) {
		if filepath.VolumeName(named) != "" || os.IsPathSeparator(named[0]) {
			return place{}, errNoPlace // Windows: C:x and \x are of a drive's own folder
		}
		full = cwd + string(filepath.Separator) + named
	}
	at, err := resolve(full)
	if err != nil {
		return place{}, err
	}
	if strings.HasPrefix(named, "$") && at.missing {
		return place{}, errNoPlace
	}
	// Programs clean a path before they open it, or leave that to the system: with
	// a link before ".." the two lead to different places.
	if strings.Contains(named, "..") {
		cleaned, err := resolve(filepath.Clean(full))
		if err != nil || cleaned != at {
			return place{}, errNoPlace
		}
	}
	return at, nil
}

// resolve follows the links of a path as the system does. What does not exist
// stays as it is named.
func resolve(path string) (place, error) {
	volume := filepath.VolumeName(path)
	parts := strings.FieldsFunc(path[len(volume):], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	root := volume + string(filepath.Separator)
	for n := len(parts); n >= 0; n-- {
		head := root + strings.Join(parts[:n], string(filepath.Separator))
		real, err := filepath.EvalSymlinks(head)
		if err == nil {
			return beyond(real, parts[n:])
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return place{}, errNoPlace
		}
		if _, err := os.Lstat(head); err == nil {
			return place{}, errNoPlace // a link to nothing: writing would make its target
		}
	}
	return place{}, errNoPlace
}

// beyond adds the parts that do not exist to what does.
func beyond(real string, rest []string) (place, error) {
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return place{}, errNoPlace
	}
	if len(rest) == 0 {
		return place{path: real}, nil
	}
	if !info.IsDir() {
		return place{}, errNoPlace
	}
	for _, part := range rest {
		if part == ".." {
			return place{}, errNoPlace
		}
	}
	return place{path: filepath.Join(append([]string{real}, rest...)...), missing: true}, nil
}

// within reports that path is root or lies in it. Both are resolved.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// insideFolder reports that every path leads into the working folder. New files
// count when missing is set.
func insideFolder(cwd string, paths []string, missing bool) bool {
	root, err := filepath.EvalSymlinks(cwd)
	if err != nil || len(paths) == 0 {
		return false
	}
	for _, named := range paths {
		at, err := locate(root, named)
		if err != nil || at.missing && !missing || !within(root, at.path) {
			return false
		}
	}
	return true
}

// reach is how a path stands to the protected places.
type reach int

const (
	apart  reach = iota
	holds        // a protected place lies in it
	inside       // it lies in a protected place
)

// touches finds how close a path comes to a protected place. What cannot be
// resolved is judged by its name.
func touches(cwd, named string, protected []string) reach {
	if named == "" {
		return apart
	}
	full := named
	if !filepath.IsAbs(full) {
		full = cwd + string(filepath.Separator) + full
	}
	names := []string{filepath.Clean(full)}
	if at, err := resolve(full); err == nil {
		names = append(names, at.path)
	}
	if at, err := resolve(filepath.Clean(full)); err == nil {
		names = append(names, at.path)
	}
	most := apart
	for _, place := range protected {
		if place == "" {
			continue
		}
		if expanded(named, place) {
			return inside
		}
		roots := []string{filepath.Clean(place)}
		if at, err := resolve(place); err == nil {
			roots = append(roots, at.path)
		}
		for _, root := range roots {
			for _, name := range names {
				switch {
				case withinAny(root, name):
					return inside
				case withinAny(name, root):
					most = holds
				}
			}
		}
	}
	return most
}

// expanded reports that a path which begins with what a program might expand (~,
// $HOME, %USERPROFILE%) would lead into place if that were a folder above it.
func expanded(named, place string) bool {
	first, rest, _ := strings.Cut(filepath.ToSlash(named), "/")
	if first == "" || !strings.ContainsRune("~$%", rune(first[0])) {
		return false
	}
	for up := filepath.Dir(filepath.Clean(place)); ; up = filepath.Dir(up) {
		if within(filepath.Clean(place), filepath.Join(up, rest)) {
			return true
		}
		if up == filepath.Dir(up) {
			return false
		}
	}
}

// withinAny is within for places where a wrong no is the danger: letter case
// counts only where it always does, and another name of the same folder is the
// folder.
func withinAny(root, path string) bool {
	if within(root, path) {
		return true
	}
	if runtime.GOOS != "linux" && within(strings.ToLower(root), strings.ToLower(path)) {
		return true
	}
	base, err := os.Stat(root)
	if err != nil {
		return false
	}
	for at := path; ; {
		if info, err := os.Stat(at); err == nil && os.SameFile(base, info) {
			return true
		}
		up := filepath.Dir(at)
		if up == at {
			return false
		}
		at = up
	}
}
