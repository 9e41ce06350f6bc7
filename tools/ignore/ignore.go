// Package ignore tells what the .gitignore files of a tree leave out, as git reads
// them: the last pattern that fits decides, deeper files after the ones above.
//
// It is pure: who walks a tree reads the files and asks. It knows neither git's index
// (a file that is tracked counts as left out when a pattern says so) nor the person's
// own list of patterns.
package ignore

import (
	"path"
	"regexp"
	"strings"
)

// Limits of one file of patterns; what is beyond them is skipped.
const (
	maxText     = 256 << 10 // bytes
	maxPatterns = 5000
	maxPattern  = 500 // bytes
)

// List are the patterns that hold in a folder. The zero value has none. It never
// changes: Under gives another one.
type List struct {
	above *List
	dir   string // slash path of the file's folder, "" for the root
	rules []rule
}

type rule struct {
	no      bool // takes back what a pattern before left out
	folders bool // fits folders alone
	whole   bool // is of the path, not of the last name in it
	literal string
	suffix  string
	pattern *regexp.Regexp
}

// Under is the list with the patterns of one more file. dir is the folder that the
// file lies in, a slash path from the root of the tree, "" for the root itself.
func (l *List) Under(dir, text string) *List {
	var rules []rule
	if len(text) > maxText {
		text = text[:maxText]
	}
	for line := range strings.Lines(text) {
		if r, ok := parse(strings.TrimRight(line, "\r\n")); ok && len(rules) < maxPatterns {
			rules = append(rules, r)
		}
	}
	if len(rules) == 0 {
		return l
	}
	return &List{above: l, dir: strings.Trim(dir, "/"), rules: rules}
}

// Leaves reports that what lies at a slash path from the root of the tree is left out
// by itself. Whether a folder above it is has to be asked before.
func (l *List) Leaves(at string, folder bool) bool {
	name := path.Base(at)
	for ; l != nil; l = l.above {
		rel := at
		if l.dir != "" {
			var in bool
			if rel, in = strings.CutPrefix(at, l.dir+"/"); !in {
				continue
			}
		}
		for i := len(l.rules) - 1; i >= 0; i-- {
			if l.rules[i].fits(rel, name, folder) {
				return !l.rules[i].no
			}
		}
	}
	return false
}

func (r *rule) fits(rel, name string, folder bool) bool {
	if r.folders && !folder {
		return false
	}
	of := name
	if r.whole {
		of = rel
	}
	switch {
	case r.literal != "":
		return of == r.literal
	case r.suffix != "":
		return strings.HasSuffix(of, r.suffix)
	}
	return r.pattern.MatchString(of)
}

// parse reads one line. ok is false for one that says nothing.
func parse(line string) (r rule, ok bool) {
	if strings.HasPrefix(line, "#") || len(line) > maxPattern {
		return r, false
	}
	line = trimBlanks(line)
	if rest, no := strings.CutPrefix(line, "!"); no {
		r.no, line = true, rest
	}
	if rest, folders := strings.CutSuffix(line, "/"); folders {
		r.folders, line = true, rest
	}
	r.whole = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if rest, any := strings.CutPrefix(line, "**/"); any && !strings.Contains(rest, "/") {
		line, r.whole = rest, false
	}
	if line == "" {
		return r, false
	}
	switch rest, star := strings.CutPrefix(line, "*"); {
	case !strings.ContainsAny(line, `*?[\`):
		r.literal = line
		return r, true
	case star && !r.whole && rest != "" && !strings.ContainsAny(rest, `*?[\`):
		r.suffix = rest
		return r, true
	}
	pattern, err := regexp.Compile(Expression(line))
	r.pattern = pattern
	return r, err == nil
}

// trimBlanks takes blanks off the end that no backslash keeps.
func trimBlanks(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// Expression is a glob as a regular expression of a whole slash path: * and ? stay
// within one name, ** as a name of its own stands for any folders, {a,b} is not known.
func Expression(glob string) string {
	var b strings.Builder
	b.WriteString(`\A(?s:`)
	for i := 0; i < len(glob); {
		rest := glob[i:]
		switch c := glob[i]; {
		case strings.HasPrefix(rest, "**/") && (i == 0 || glob[i-1] == '/'):
			b.WriteString(`(?:[^/]+/)*`)
			i += 3
		case rest == "**" && i > 0 && glob[i-1] == '/':
			b.WriteString(`.+`)
			i += 2
		case c == '*':
			b.WriteString(`[^/]*`)
			for i < len(glob) && glob[i] == '*' {
				i++
			}
		case c == '?':
			b.WriteString(`[^/]`)
			i++
		case c == '[':
			set, n := class(rest)
			b.WriteString(set)
			i += n
		case c == '\\' && len(rest) > 1:
			n := runeLen(rest[1:])
			b.WriteString(regexp.QuoteMeta(rest[1 : 1+n]))
			i += 1 + n
		default:
			n := runeLen(rest)
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			i += n
		}
	}
	b.WriteString(`)\z`)
	return b.String()
}

func runeLen(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

// class is a set in brackets and its length; a bracket that is never closed stands
// for itself.
func class(s string) (string, int) {
	end := 1
	if end < len(s) && (s[end] == '!' || s[end] == '^') {
		end++
	}
	if end < len(s) && s[end] == ']' {
		end++
	}
	for end < len(s) && s[end] != ']' {
		if s[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s) {
		return `\[`, 1
	}
	inner := s[1:end]
	var b strings.Builder
	b.WriteByte('[')
	if strings.HasPrefix(inner, "!") || strings.HasPrefix(inner, "^") {
		b.WriteString("^/")
		inner = inner[1:]
	}
	for i, c := range inner {
		if c == '[' || c == ']' || c == '^' || c == '&' || c == '~' || c == '-' && (i == 0 || i == len(inner)-1) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	b.WriteByte(']')
	if _, err := regexp.Compile(b.String()); err != nil {
		return `\[`, 1
	}
	return b.String(), end + 1
}
