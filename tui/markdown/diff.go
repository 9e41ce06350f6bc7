package markdown

import "conch/tui/theme"

// DiffOptions say how a change is drawn.
type DiffOptions struct {
	Width int
	Split bool // old and new side by side; callers ask for it from 120 columns on
	Limit int  // at most so many lines, the rest folded to one with its count; 0 is no limit
	Line  int  // 1-based line of the first line of old in its file; 0 is unknown, counted from 1
	Path  string
}

// Diff draws the change from old to new; nil is a file that is not there.
func Diff(old, new *string, th *theme.Theme, o DiffOptions) []string { return nil }

// Count gives the lines that a change adds and removes.
func Count(old, new *string) (added, removed int) { return 0, 0 }
