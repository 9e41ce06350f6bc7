// Package ignore tells what the .gitignore files of a tree leave out, as git reads
// them: the last pattern that fits decides, deeper files after the ones above.
//
// It is for who walks a tree from the top down. It knows neither git's index (a file
// that is tracked counts as left out when a pattern says so) nor the person's own list
// of patterns for all repositories.
package ignore

import (
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Rules are the patterns of several files, those of deeper folders behind. The
// last one that matches decides.
type Rules []pattern

// pattern is one line of a .gitignore (gitignore(5), git 2.47).
type pattern struct {
	base   string // the folder it speaks of, "" or ending in a slash
	negate bool
	dir    bool    // folders only
	name   matcher // of one name at any depth, when parts is nil
	parts  []part  // of a whole path below base
}

// part stands for one name between slashes, or for any number of them ("**").
type part struct {
	any  bool
	name matcher
}

// matcher tells the three cheap forms, which most lines have, from a glob.
type matcher struct {
	literal, prefix, suffix, glob string
}

// with adds patterns without touching what shares the slice.
func (r Rules) with(more []pattern) Rules {
	if len(more) == 0 {
		return r
	}
	return append(r[:len(r):len(r)], more...)
}

// Leaves reports whether a path, from the top and without a slash at its end,
// is left out. A folder that is left out is not looked into.
func (r Rules) Leaves(rel, name string, dir bool) bool {
	for i := len(r) - 1; i >= 0; i-- {
		if p := &r[i]; (dir || !p.dir) && p.matches(rel, name) {
			return !p.negate
		}
	}
	return false
}

func (p *pattern) matches(rel, name string) bool {
	rel, ok := strings.CutPrefix(rel, p.base)
	if p.parts == nil {
		return ok && p.name.matches(name)
	}
	return ok && matchParts(p.parts, strings.Split(rel, "/"))
}

func (m *matcher) matches(name string) bool {
	switch {
	case m.glob != "":
		ok, err := path.Match(m.glob, name)
		return ok && err == nil
	case m.literal != "":
		return name == m.literal
	}
	return len(name) >= len(m.prefix)+len(m.suffix) && strings.HasPrefix(name, m.prefix) && strings.HasSuffix(name, m.suffix)
}

// matchParts matches a path's names: reached[i] says that the parts so far can
// stand for the first i names. "**" at the end stands for at least one.
func matchParts(parts []part, names []string) bool {
	reached := make([]bool, len(names)+1)
	reached[0] = true
	for n, p := range parts {
		next := make([]bool, len(names)+1)
		open := false
		for i := range next {
			switch {
			case p.any && n == len(parts)-1:
				next[i] = open
				open = open || reached[i]
			case p.any:
				open = open || reached[i]
				next[i] = open
			case i > 0 && reached[i-1]:
				next[i] = p.name.matches(names[i-1])
			}
		}
		reached = next
	}
	return reached[len(names)]
}

// maxRules bounds what one file may ask for.
const (
	maxRules     = 10_000
	maxRuleBytes = 1 << 20
)

// Under are the rules with those of one more folder, at dir. rel is its path from the
// top, "" or ending in a slash.
func (r Rules) Under(dir, rel string) Rules {
	return r.with(readPatterns(filepath.Join(dir, ".gitignore"), rel))
}

func readPatterns(file, base string) []pattern {
	var found []pattern
	for _, line := range bytes.Split(readSmall(file), []byte("\n")) {
		if p, ok := parsePattern(string(line), base); ok && len(found) < maxRules {
			found = append(found, p)
		}
	}
	return found
}

// readSmall reads a regular file, not through a link, up to a bound. What cannot
// be read is empty.
func readSmall(file string) []byte {
	if info, err := os.Lstat(file); file == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRuleBytes))
	if err != nil {
		return nil
	}
	return data
}

// parsePattern reads a line. A comment, an empty line and one that cannot be a
// pattern give false.
func parsePattern(line, base string) (pattern, bool) {
	line = trimBlanks(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' {
		return pattern{}, false
	}
	p := pattern{base: base}
	if line[0] == '!' {
		p.negate = true
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		p.dir = true
		line = strings.TrimRight(line, "/")
	}
	if line == "" {
		return pattern{}, false
	}
	if !strings.Contains(line, "/") {
		// Every path that is asked about lies below the folder of the file, since
		// rules are handed down only.
		p.name = newMatcher(line)
		return p, valid(p.name.glob)
	}
	for _, name := range strings.Split(strings.TrimPrefix(line, "/"), "/") {
		m := newMatcher(name)
		if !valid(m.glob) {
			return pattern{}, false
		}
		p.parts = append(p.parts, part{any: name == "**", name: m})
	}
	return p, true
}

func valid(glob string) bool {
	_, err := path.Match(glob, "")
	return err == nil
}

// trimBlanks takes blanks off the end but for one behind a backslash.
func trimBlanks(line string) string {
	for strings.HasSuffix(line, " ") {
		slashes := 0
		for i := len(line) - 2; i >= 0 && line[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 1 {
			break
		}
		line = line[:len(line)-1]
	}
	return line
}

func newMatcher(glob string) matcher {
	switch {
	case !strings.ContainsAny(glob, `*?[\`):
		return matcher{literal: glob}
	case strings.Count(glob, "*") == 1 && !strings.ContainsAny(glob, `?[\`):
		prefix, suffix, _ := strings.Cut(glob, "*")
		return matcher{prefix: prefix, suffix: suffix}
	}
	return matcher{glob: strings.ReplaceAll(glob, "[!", "[^")}
}
