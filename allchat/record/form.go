package record

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"
)

// ParseRun checks the form of a run's id, a ULID, and gives it in upper case. Only
// what passed here ever becomes part of a path.
func ParseRun(s string) (string, error) {
	id := strings.ToUpper(s)
	if runForm(id) != "" || len(s) != ulid.EncodedSize {
		return "", &Error{Code: StateInvalid, Field: "run", What: "not a run's id"}
	}
	return id, nil
}

// ProjectOf is the project's id of a folder, an absolute path. The folder itself
// can't be made out from it.
func ProjectOf(folder string) string {
	return "prj_" + Digest([]byte(filepath.Clean(folder)))[:32]
}

// Digest is the sha256 of some bytes as 64 lower-case hexadecimal digits.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func runForm(s string) string {
	if id, err := ulid.ParseStrict(s); err != nil || id.String() != s {
		return "not a run's id"
	}
	return ""
}

func projectForm(s string) string {
	if rest, ok := strings.CutPrefix(s, "prj_"); !ok || !isHex(rest, 32) {
		return "not a project's id"
	}
	return ""
}

func digestForm(s string) string {
	if !isHex(s, 64) {
		return "not a digest"
	}
	return ""
}

func digestOrNone(s string) string {
	if s == "" {
		return ""
	}
	return digestForm(s)
}

func connectionForm(s string) string {
	if !isHex(s, 32) {
		return "not a connection's id"
	}
	return ""
}

func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := 0; i < n; i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// idForm is the form of the ids of tasks, proposals and engines.
func idForm(s string) string {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c != '-' || i == 0) {
			return "not an id: a-z, 0-9 and - only"
		}
	}
	if s == "" || len(s) > 64 {
		return "not an id: 1 to 64 characters"
	}
	return ""
}

// oneOf takes these words alone.
func oneOf(words ...string) check {
	return func(s string) string {
		if !slices.Contains(words, s) {
			return "not a word that is known here"
		}
		return ""
	}
}

// participantForm takes the ids of participants.
var participantForm = oneOf(string(Coordinator), string(Worker1), string(Worker2))

// codeForm takes the codes.
var codeForm = oneOf(codes...)

// lines takes text of several lines, from least to most bytes.
func lines(least, most int) check {
	return func(s string) string { return words(s, least, most, "\n\r\t") }
}

// line takes text of one line, from least to most bytes.
func line(least, most int) check {
	return func(s string) string { return words(s, least, most, "") }
}

func words(s string, least, most int, may string) string {
	switch {
	case len(s) < least:
		return "is empty"
	case len(s) > most:
		return "is over " + strconv.Itoa(most) + " bytes"
	case !utf8.ValidString(s):
		return "is not UTF-8"
	}
	for _, r := range s {
		if unicode.IsControl(r) && !strings.ContainsRune(may, r) {
			return "has a control character"
		}
	}
	return ""
}

// summaryForm takes one line of at most MaxSummary characters, or none.
func summaryForm(s string) string {
	if utf8.RuneCountInString(s) > MaxSummary {
		return "is over " + strconv.Itoa(MaxSummary) + " characters"
	}
	return words(s, 0, 4*MaxSummary, "")
}

// subjectForm takes what a tool is used on: a relative path, a program's name, or
// nothing.
func subjectForm(s string) string {
	if absolute(s) {
		return "is an absolute path"
	}
	return words(s, 0, MaxPath, "")
}

// pathForm takes a path within the project: clean, with forward slashes.
func pathForm(s string) string {
	if what := words(s, 1, MaxPath, ""); what != "" {
		return what
	}
	if absolute(s) || strings.Contains(s, `\`) {
		return "is not a path within the project"
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part == "." || part == ".." {
			return "is not a path within the project"
		}
	}
	return ""
}

// absolute tells a path that starts at a root, on any system.
func absolute(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, `\`) ||
		len(s) >= 2 && s[1] == ':' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}
