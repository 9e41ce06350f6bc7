package record

import (
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// paths knows which words of a text are absolute paths, and what may stand in their
// place: the path within the project, or else its last part.
type paths struct {
	folders []string // of the project, with slashes; the longest first
	home    string   // of the person, with slashes
	roots   []string // what a path begins with, behind its first slash
}

// usualRoots begin a path on some machine, also when this one has no such folder.
var usualRoots = []string{
	"Applications", "Library", "Users", "Volumes", "bin", "dev", "etc", "home", "lib", "media", "mnt", "opt", "private", "proc", "root", "run",
	"sbin", "srv", "sys", "tmp", "usr", "var", "work", "workspace", "workspaces",
}

func newPaths(p Places) paths {
	out := paths{roots: slices.Clone(usualRoots)}
	for _, folder := range append([]string{p.Folder}, p.Also...) {
		if folder = slashed(folder); folder != "" {
			out.folders = append(out.folders, folder)
		}
	}
	slices.SortFunc(out.folders, func(a, b string) int { return len(b) - len(a) })
	out.home = slashed(p.Home)
	if entries, err := os.ReadDir("/"); err == nil {
		for _, e := range entries {
			out.roots = append(out.roots, e.Name())
		}
	}
	for _, known := range append(slices.Clone(out.folders), out.home) {
		if first, _, _ := strings.Cut(strings.TrimPrefix(known, "/"), "/"); first != "" {
			out.roots = append(out.roots, first)
		}
	}
	return out
}

// slashed is a folder's path with slashes and without one at its end; "" for none and
// for a root.
func slashed(folder string) string {
	return strings.TrimRight(strings.ReplaceAll(folder, `\`, "/"), "/")
}

// shorten puts in the place of every absolute path of a text what may stand there.
func (p paths) shorten(s string) string {
	if !strings.ContainsAny(s, `/\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := address(s[i:]); n > 0 && !nameBefore(s[:i]) {
			b.WriteString(p.inAddress(s[i : i+n]))
			i += n
			continue
		}
		n, skip := p.begins(s, i)
		if n == 0 {
			_, size := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+size])
			i += size
			continue
		}
		b.WriteString(p.relative(s[i+skip : i+n]))
		i += n
	}
	return b.String()
}

// inAddress is an address without the folders that are known, nor a path that is the
// value of something in it.
func (p paths) inAddress(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := 0
		if s[i] == '/' {
			if known := p.knownAt(s[i:]); known > 0 {
				n = p.lengthFrom(s, i, known)
			} else if s[i-1] == '=' {
				n, _ = p.begins(s, i)
			}
		}
		if n == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		if s[i-1] != '=' {
			b.WriteByte('/') // what follows is a part of the address still
		}
		b.WriteString(p.relative(s[i : i+n]))
		i += n
	}
	return b.String()
}

// knownAt is the length of the folder that is known and that a text begins with, 0 for
// none.
func (p paths) knownAt(s string) int {
	for _, folder := range p.folders {
		if isAt(s, folder) {
			return len(folder)
		}
	}
	if p.home != "" && isAt(s, p.home) {
		return len(p.home)
	}
	return 0
}

// address is the length of an address with a host at the beginning of s, 0 for none. A
// file's address is none.
func address(s string) int {
	i := strings.Index(s[:min(len(s), 32)], "://")
	if i <= 0 || strings.ContainsFunc(s[:i], func(r rune) bool { return !inName(r) && r != '+' && r != '.' }) || strings.EqualFold(s[:i], "file") {
		return 0
	}
	if end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`<>", r) }); end >= 0 {
		return end
	}
	return len(s)
}

// begins tells that an absolute path begins at i: how long it is, and how much of that
// stands before the path itself. n is 0 for none.
func (p paths) begins(s string, i int) (n, skip int) {
	rest := s[i:]
	if len(rest) >= 7 && strings.EqualFold(rest[:7], "file://") {
		if at := strings.IndexByte(rest[7:], '/'); at >= 0 && !strings.ContainsFunc(rest[7:7+at], unicode.IsSpace) {
			skip = 7 + at
			return skip + p.length(s, i+skip), skip
		}
		return 0, 0
	}
	if known := p.knownAt(rest); known > 0 {
		return p.lengthFrom(s, i, known), 0
	}
	if nameBefore(s[:i]) {
		return 0, 0
	}
	switch {
	case strings.HasPrefix(rest, "~/"), drive(rest), strings.HasPrefix(rest, `\\`) && len(rest) > 2 && inNameAt(rest[2:]):
		return p.length(s, i), 0
	case rest[0] == '/' && !strings.HasSuffix(s[:i], "/"):
		first := strings.TrimLeft(rest, "/")
		if end := strings.IndexFunc(first, func(r rune) bool { return !inName(r) && r != '.' }); end >= 0 {
			first = first[:end]
		}
		if slices.Contains(p.roots, first) {
			return p.length(s, i), 0
		}
	}
	return 0, 0
}

// isAt reports that a text begins with a folder, and not with one whose name only
// begins so.
func isAt(s, folder string) bool {
	if len(s) < len(folder) || !strings.EqualFold(strings.ReplaceAll(s[:len(folder)], `\`, "/"), folder) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[len(folder):])
	return len(s) == len(folder) || !inName(r) && (r != '.' || !inNameAt(s[len(folder)+1:]))
}

// drive tells a path of Windows.
func drive(s string) bool {
	return len(s) > 3 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z') && s[3] != '/'
}

// nameBefore tells that what follows goes on a name: a slash there parts a relative
// path. The letter of a flag, as in -I/usr, is no name.
func nameBefore(before string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	if size == 0 || !goesOn(r) {
		return false
	}
	if n := len(before); n > 1 && before[n-2] == '\\' && strings.ContainsRune("nrt", r) {
		return false // an escaped line break or tab, as in JSON
	}
	front, flag := strings.CutSuffix(before[:len(before)-size], "-")
	r, size = utf8.DecodeLastRuneInString(front)
	return !flag || size > 0 && goesOn(r)
}

// goesOn tells a character behind which a slash parts a relative path.
func goesOn(r rune) bool { return inName(r) || r == '.' }

// length is how long the path is that begins at i.
func (p paths) length(s string, i int) int { return p.lengthFrom(s, i, 0) }

// lengthFrom is length for one of which the first bytes are known to be of it. A path in
// quotes has spaces.
func (p paths) lengthFrom(s string, i, known int) int {
	rest := s[i:]
	if i > 0 {
		if quote := s[i-1]; quote == '"' || quote == '\'' || quote == '`' {
			if end := strings.IndexAny(rest, string(quote)+"\n"); end >= known && end > 0 && end <= MaxPath && rest[end] == quote {
				return end
			}
		}
	}
	n := known
	for n < len(rest) {
		r, size := utf8.DecodeRuneInString(rest[n:])
		if r == '\\' && n+1 < len(rest) && rest[n+1] == ' ' {
			n += 2
			continue
		}
		if !inName(r) && !strings.ContainsRune(`/\.+@%~#=!`, r) {
			if !(r == ':' && n == 1 && drive(rest)) {
				break
			}
		}
		n += size
	}
	if end := strings.TrimRight(rest[:n], ".!"); len(end) >= known { // what ends a sentence
		return len(end)
	}
	return n
}

// relative is a path within the project, "." for the project itself, and the last part
// of one that is elsewhere. A relative one that stays below is as it is.
func (p paths) relative(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, `\ `, " "), `\`, "/")
	for _, folder := range p.folders {
		if isAt(s, folder) {
			if rest := strings.TrimLeft(s[len(folder):], "/"); rest != "" {
				return p.below(rest)
			}
			return "."
		}
	}
	if p.home != "" && strings.EqualFold(strings.TrimRight(s, "/"), p.home) {
		return "~" // its last part is the person's name
	}
	if absolute(s) || strings.HasPrefix(s, "~/") {
		return last(s)
	}
	return p.below(s)
}

// below is a relative path that does not lead up.
func (p paths) below(s string) string {
	if s == "" {
		return ""
	}
	if clean := path.Clean(s); clean != ".." && !strings.HasPrefix(clean, "../") {
		if strings.HasSuffix(s, "/") && clean != "." {
			clean += "/"
		}
		return clean
	}
	return last(s)
}

// last is the last part of a path that is a name, "" where there is none.
func last(s string) string {
	for part := range slices.Values(reversed(strings.Split(s, "/"))) {
		if part != "" && part != "." && part != ".." && !(len(part) == 2 && part[1] == ':') {
			return part
		}
	}
	return ""
}

func reversed(parts []string) []string {
	slices.Reverse(parts)
	return parts
}

// inName tells a character of a name.
func inName(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func inNameAt(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && inName(r)
}
