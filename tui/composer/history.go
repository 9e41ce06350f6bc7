package composer

import "time"

// Entry is something that was typed once.
type Entry struct {
	Text string
	Chat string
	At   time.Time
}

// History holds what was typed, oldest first. Prompts of one screen share it.
type History struct {
	// Saved is called for each new entry, on the screen's goroutine; nil keeps
	// nothing.
	Saved func(Entry)
}

// NewHistory makes a history of earlier entries, oldest first.
func NewHistory(entries []Entry) *History { return &History{} }

// Entries are all that it holds, oldest first.
func (h *History) Entries() []Entry { return nil }
