// Package complete is the list that helps to finish a word: commands after a
// slash, files after an at sign, earlier prompts in a history search.
//
// A List filters its items fuzzily and shows at most eight rows. Files walks a
// project within a budget of time and number, honours .gitignore as git does,
// and never follows a link. Names are cleaned for the screen and inserted
// exactly. Nothing here reads a disk but Walk, which the screen runs in a
// command of its own.
package complete

import (
	"charm.land/bubbletea/v2"

	"conch/tui/theme"
)

// Rows is how many items a list shows at once.
const Rows = 8

// Item is one thing to take.
type Item struct {
	Insert string // what goes into the text, exactly
	Label  string // what is shown and matched; cleaned when drawn
	Detail string // a muted word on the right: a description, "3 Oct"
	Hint   string // what may follow it: "[name]"; "" when nothing does
	Dir    bool   // a folder: taking it goes on inside it
}

// List is a filtered list with a selection. The zero value is empty.
type List struct {
	items []Item
}

// SetItems replaces the items; the filter stays and the selection goes to the
// best match.
func (l *List) SetItems(items []Item) { l.items = items }

// Filter shows the items that match the query, best first; "" shows all in
// their own order.
func (l *List) Filter(query string) {}

// Len is the number of items that match.
func (l *List) Len() int { return 0 }

// Selected is the item that enter takes.
func (l *List) Selected() (Item, bool) { return Item{}, false }

// Move moves the selection by n rows; it stops at the ends.
func (l *List) Move(n int) {}

// Key moves the selection by up, down, pgup, pgdn, home and end, and reports
// whether the key was one of them.
func (l *List) Key(k tea.KeyPressMsg) bool { return false }

// Lines draws at most rows rows of exactly width cells.
func (l *List) Lines(th *theme.Theme, width, rows int) []string { return nil }
