package change

import (
	"errors"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"conch/plain"
)

// Bounds of a path.
const (
	maxPath  = 1024 // bytes
	maxName  = 255  // bytes of one part
	maxDepth = 64   // parts
)

// ownPrefix begins the names that Conch gives to what it writes beside a file.
const ownPrefix = ".conch-"

// CheckPath gives a path of a proposal in its one form: relative to the project, with
// slashes. It looks at the words alone; where links lead is looked at with the files.
// The error is a part of a sentence that begins with the path's field.
func CheckPath(named string) (string, error) {
	switch {
	case named == "":
		return "", errors.New("wanted a path of the project, got empty text")
	case len(named) > maxPath:
		return "", errors.New("the path is too long")
	case !utf8.ValidString(named) || plain.Text(named) != named || strings.ContainsFunc(named, unicode.IsControl):
		return "", errors.New("the path has characters in it that are not shown")
	case strings.Contains(named, `\`):
		return "", errors.New(`the folders of a path are parted by /, not by \`)
	case strings.HasPrefix(named, "/"), len(named) > 1 && named[1] == ':' && unicode.IsLetter(rune(named[0])):
		return "", errors.New("wanted a path relative to the project, got a whole one")
	case named == "~", strings.HasPrefix(named, "~/"):
		return "", errors.New("wanted a path relative to the project: ~ is not expanded")
	case strings.HasSuffix(named, "/"), strings.HasSuffix(named, "/."), named == ".":
		return "", errors.New("this names a folder, not a file")
	}
	parts := strings.Split(named, "/")
	if len(parts) > maxDepth {
		return "", errors.New("the path has too many folders in it")
	}
	for _, part := range parts {
		switch {
		case part == "..":
			return "", errors.New("a path of the project has no .. in it")
		case len(part) > maxName:
			return "", errors.New("a name in the path is too long")
		case strings.HasPrefix(strings.ToLower(part), ownPrefix):
			return "", errors.New("names that begin with " + ownPrefix + " are Conch's own")
		}
	}
	clean := path.Clean(named)
	if ofGit(clean) {
		return "", errors.New("what git keeps in .git is not for a proposal")
	}
	if local, err := filepath.Localize(clean); err != nil || !filepath.IsLocal(local) || clean == "." {
		return "", errors.New("no file of this system can have such a path")
	}
	return clean, nil
}

// ofGit tells whether a part of a path is git's folder, under any of the names by which
// the file systems of any system would find it.
func ofGit(clean string) bool {
	for part := range strings.SplitSeq(clean, "/") {
		// A stream of a file on NTFS is named behind a colon.
		part, _, _ = strings.Cut(part, ":")
		part = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
				return -1 // HFS+ does not see them
			}
			return unicode.ToLower(r)
		}, part)
		part = strings.TrimRight(part, ". ")
		if part == ".git" || strings.HasPrefix(part, "git~") {
			return true
		}
	}
	return false
}

// folded is a path as a file system reads it for which letter case does not count.
func folded(clean string) string {
	return strings.Map(func(r rune) rune {
		// The least of the runes that fold together, so that K and the Kelvin sign
		// are one.
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, clean)
}

// twice names two entries that are one file, or of which one is a folder of the other,
// on a file system for which letter case does not count. "" when there are none.
func twice(paths []string) (first, second string) {
	seen := map[string]string{}
	for _, p := range paths {
		f := folded(p)
		if before, ok := seen[f]; ok {
			return before, p
		}
		seen[f] = p
	}
	for _, p := range paths {
		for dir := path.Dir(folded(p)); dir != "."; dir = path.Dir(dir) {
			if file, ok := seen[dir]; ok {
				return file, p
			}
		}
	}
	return "", ""
}
