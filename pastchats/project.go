package pastchats

import (
	"net/url"
	"strings"

	"conch/plain"
)

// projectOf is the last part of a folder: also of file:// addresses, Windows
// paths and with separators at the end. "" for none. It is made short, and
// keys are taken out before that, where it is stored or shown.
func projectOf(folder string) string {
	s := strings.TrimSpace(folder)
	if scheme, rest, ok := strings.Cut(s, "://"); ok && isScheme(scheme) {
		rest, _, _ = strings.Cut(rest, "#")
		rest, _, _ = strings.Cut(rest, "?")
		if unescaped, err := url.PathUnescape(rest); err == nil {
			rest = unescaped
		}
		// What stands before the first slash is a machine, not a folder.
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			s = rest[i:]
		} else {
			s = ""
		}
		if len(s) > 2 && isDrive(s[1:]) {
			s = s[1:]
		}
	}
	// A backslash can be part of a name where folders are parted by slashes.
	separators := "/"
	if isDrive(s) || strings.HasPrefix(s, `\\`) || !strings.Contains(s, "/") {
		separators = `/\`
	}
	if isDrive(s) {
		s = s[2:]
	}
	s = strings.TrimRight(s, separators)
	if i := strings.LastIndexAny(s, separators); i >= 0 {
		s = s[i+1:]
	}
	if s == "." || s == ".." {
		return ""
	}
	s = strings.TrimSpace(valid(s))
	if len(s) > beginningBytes {
		s = plain.Line(s, beginningBytes)
	}
	return s
}

func isDrive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && ('a' <= s[0]|0x20 && s[0]|0x20 <= 'z')
}

func isScheme(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return s != ""
}
