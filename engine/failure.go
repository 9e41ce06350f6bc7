package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"conch/plain"
	"conch/redact"
)

// maxFailure is in characters.
const maxFailure = 2000

// goroutines marks where the words of an error end and a stack begins.
var goroutines = regexp.MustCompile(`(?m)^goroutine \d+ \[[^\]]*\]:`)

// goTypes is how encoding/json names what it wanted: by a type of the program's.
var goTypes = regexp.MustCompile(`into Go (?:value|struct field [^\s.]*\.(\S+)) of type \S+`)

// FailureText is an error as a model reads it: its own words, outermost first, in
// at most 2,000 characters, without keys, without a stack, a type's name or the
// folder of a file that could not be used. It is never empty. Of a call that was
// stopped it says only that.
func FailureText(err error) string {
	if err == nil {
		return "It failed without saying why."
	}
	if errors.Is(err, context.Canceled) {
		return "It was stopped."
	}
	text := err.Error()
	if at := goroutines.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	for _, path := range paths(err) {
		text = strings.ReplaceAll(text, path, filepath.Base(path))
	}
	text = goTypes.ReplaceAllString(text, "here: $1")
	text, _ = redact.Redact(plain.Text(text))
	if text = strings.TrimSpace(text); text == "" {
		return "It failed without saying why."
	}
	if runes := []rune(text); len(runes) > maxFailure {
		text = string(runes[:maxFailure-1]) + "…"
	}
	return text
}

// paths are the absolute paths that the errors of the system name, the longest
// first. What Conch's tools open is Conch's own, and where that lies is nothing for
// a model; the name of the file stays.
func paths(err error) (list []string) {
	switch e := err.(type) { //nolint:errorlint // the whole tree is walked
	case nil:
		return nil
	case *fs.PathError:
		list = append(list, e.Path)
	case *os.LinkError:
		list = append(list, e.Old, e.New)
	}
	switch e := err.(type) { //nolint:errorlint // the same
	case interface{ Unwrap() error }:
		list = append(list, paths(e.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, each := range e.Unwrap() {
			list = append(list, paths(each)...)
		}
	}
	list = slices.DeleteFunc(list, func(path string) bool { return !filepath.IsAbs(path) })
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}
