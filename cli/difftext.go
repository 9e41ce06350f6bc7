package cli

import (
	udiff "github.com/aymanbagabas/go-udiff"
)

// diffText is a change as a unified diff.
func diffText(d jsonDiff) string {
	before, after, from, to := "", "", d.Path, d.Path
	if d.Old != nil {
		before = *d.Old
	} else {
		from = "/dev/null"
	}
	if d.New != nil {
		after = *d.New
	} else {
		to = "/dev/null"
	}
	if text := udiff.Unified(from, to, before, after); text != "" {
		return trimNewline(text)
	}
	return "--- " + from + "\n+++ " + to
}

func trimNewline(s string) string {
	for len(s) > 0 && s[len(s)-1] == '\n' {
		s = s[:len(s)-1]
	}
	return s
}
