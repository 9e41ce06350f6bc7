package engine

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"conch/plain"
	"conch/redact"
)

// maxFailure is in characters.
const maxFailure = 2000

// goroutines marks where the words of an error end and a stack begins.
var goroutines = regexp.MustCompile(`(?m)^goroutine \d+ \[[^\]]*\]:`)

// FailureText is an error as a model reads it: its own words, outermost first, in
// at most 2,000 characters, without keys and without a stack. It is never empty.
// Of a call that was stopped it says only that.
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
	text, _ = redact.Redact(plain.Text(text))
	if text = strings.TrimSpace(text); text == "" {
		return "It failed without saying why."
	}
	if runes := []rune(text); len(runes) > maxFailure {
		text = string(runes[:maxFailure-1]) + "…"
	}
	return text
}
