// Package sheet is the list of chats that lies over a chat: filter as you type,
// this folder first, newest first, a preview beside it.
//
// It is a struct with plain methods and knows no store: rows go in, actions come
// out, and the screen does what they say. Titles, folders and words of chats
// pass package plain.
package sheet

import (
	"time"

	"charm.land/bubbletea/v2"

	"conch/tui/theme"
)

// State is how a chat stands.
type State int

const (
	Quiet   State = iota
	Running       // a turn runs
	Waiting       // it waits for the person
	News          // something came since it was last looked at
)

// Row is one chat.
type Row struct {
	ID        string
	Provider  string // id of the provider or the app
	Project   string // the folder's name
	Folder    string // absolute
	Branch    string
	Title     string
	LastWords string
	Updated   time.Time
	Messages  int
	State     State
	Past      bool // another app's: read-only here
	Open      bool // the chat that lies under the sheet
}

// Kind is what the screen is asked to do.
type Kind int

const (
	None    Kind = iota
	Close        // the chat below comes back
	Open         // open Row
	Carry        // carry a past chat on here
	Export       // export Row
	Import       // bring in what is new
	Rename       // give Row the title Words
	Delete       // take Row away; it was asked
	Undo         // bring Row back
	Refresh      // Preview changed: give Row's words with SetPreview
)

// Action is what a key gave.
type Action struct {
	Kind  Kind
	Row   Row
	Words string
}

// Sheet is the list with its filter.
type Sheet struct{}

// New makes an empty sheet for chats begun in folder.
func New(th *theme.Theme, folder string) *Sheet { return &Sheet{} }

// SetTheme draws with another theme from now on.
func (s *Sheet) SetTheme(th *theme.Theme) {}

// SetRows gives the chats in any order. Filter and selection stay.
func (s *Sheet) SetRows(rows []Row) {}

// SetLoading says that rows are still being read.
func (s *Sheet) SetLoading(loading bool) {}

// SetFilter begins with words, as a picker does.
func (s *Sheet) SetFilter(words string) {}

// SetNote shows one line above the list: an error, what was done.
func (s *Sheet) SetNote(words string) {}

// SetPreview gives the drawn lines of a chat, for the width that Preview said.
func (s *Sheet) SetPreview(id string, width int, lines []string) {}

// Preview is the chat whose words the pane shows, and the pane's width. ok is
// false when there is no pane or its lines are already there.
func (s *Sheet) Preview() (row Row, width int, ok bool) { return Row{}, 0, false }

// Deleted says that a row is gone and can be brought back.
func (s *Sheet) Deleted(row Row) {}

// Selected is the row that enter opens.
func (s *Sheet) Selected() (Row, bool) { return Row{}, false }

// Key takes a key. It reports false for a key that is not the sheet's.
func (s *Sheet) Key(k tea.KeyPressMsg) (Action, bool) { return Action{}, false }

// Paste goes into the filter, as one line.
func (s *Sheet) Paste(text string) {}

// Cancel closes what is on top (a question, a name being typed, the filter) and
// reports whether there was something; else esc closes the sheet.
func (s *Sheet) Cancel() bool { return false }

// Click selects the row at a cell of Lines and reports whether there is one.
func (s *Sheet) Click(x, y int) bool { return false }

// Wheel moves the list, or the preview when x is in it, by n rows.
func (s *Sheet) Wheel(x, n int) {}

// Lines draws the sheet: exactly height rows of exactly width cells.
func (s *Sheet) Lines(width, height int, now time.Time) []string { return nil }

// Cursor is the cell in the last Lines where the terminal's cursor stands.
func (s *Sheet) Cursor() (x, y int) { return 0, 0 }
