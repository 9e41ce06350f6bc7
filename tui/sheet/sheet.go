// Package sheet is the list of chats that lies over a chat: filter as you type,
// this folder first, newest first, a preview beside it.
//
// It is a struct with plain methods and knows no store: rows go in, actions come
// out, and the screen does what they say. Titles, folders and words of chats
// pass package plain. Only what is in sight is drawn, so that ten thousand chats
// cost what ten do.
package sheet

import (
	"time"

	"conch/plain"
	"conch/tui/edit"
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
	Project   string // the folder's name; "" takes the last name of Folder
	Folder    string // absolute
	Branch    string
	Title     string
	LastWords string
	Updated   time.Time
	Messages  int
	State     State
	Past      bool // another app's: read-only here
	Open      bool // the chat that lies under the sheet
	CutOff    bool // Conch ended in the middle of its last turn
}

// Kind is what the screen is asked to do.
type Kind int

const (
	None   Kind = iota
	Close       // the chat below comes back
	Open        // open Row
	Carry       // carry a past chat on here
	Export      // export Row
	Import      // bring in what is new
	Rename      // give Row the title Words
	Delete      // take Row away: it was asked; then call Deleted
	Undo        // bring Row back
)

// Action is what a key gave.
type Action struct {
	Kind  Kind
	Row   Row
	Words string
}

// ask is what lies on top of the list.
type ask int

const (
	nothing  ask = iota
	renaming     // name holds the new title
	deleting     // y or n
)

// Sheet is the list with its filter. Use New.
type Sheet struct {
	th     *theme.Theme
	folder string
	keys   Keys
	filter *edit.Buffer

	rows    []entry
	order   []int // rows that match, in the order shown
	here    int   // so many of them are of this folder, when those stand first
	mixed   bool  // all folders in one, newest first
	chosen  int   // place in order
	top     int   // first line of the list that is drawn
	loading bool
	note    string

	ask     ask
	name    *edit.Buffer
	about   Row // what is renamed or deleted
	deleted *Row

	reading bool // keys move the preview
	view    view

	drawn  drawn // of the last Lines
	cursor struct{ x, y int }
}

// entry is a row with what it is found by and how it is shown.
type entry struct {
	Row
	hay     string // lower case, what words are looked for in
	title   string // harmless, of one line
	project string
	branch  string
	app     string
	last    string
}

// Keys are the names of keys as the hints show them; "" for an action that has
// none. Key takes the default ones whatever they are.
type Keys struct {
	Up, Down, Open, Preview, Export, Rename, Delete, All, Undo, Back string
}

// DefaultKeys are those of the key table.
func DefaultKeys() Keys {
	return Keys{Up: "up", Down: "down", Open: "enter", Preview: "tab", Export: "alt+e", Rename: "f6", Delete: "delete", All: "alt+a", Undo: "alt+z", Back: "esc"}
}

// SetKeys changes the names that the hints show.
func (s *Sheet) SetKeys(k Keys) { s.keys = k }

// New makes an empty sheet for chats begun in folder.
func New(th *theme.Theme, folder string) *Sheet {
	return &Sheet{th: th, folder: folder, keys: DefaultKeys(), filter: edit.New(th.Widths), name: edit.New(th.Widths)}
}

// SetTheme draws with another theme from now on.
func (s *Sheet) SetTheme(th *theme.Theme) {
	s.th = th
	s.filter.SetMethod(th.Widths)
	s.name.SetMethod(th.Widths)
}

// SetFolder says which folder is "this folder".
func (s *Sheet) SetFolder(folder string) {
	s.folder = folder
	s.refilter()
}

// SetRows gives the chats in any order. Filter and selection stay.
func (s *Sheet) SetRows(rows []Row) {
	was, _ := s.Selected()
	for _, r := range rows {
		s.view.old = s.view.old || r.ID == s.view.id && s.wentOn(r)
	}
	s.rows, s.order = make([]entry, len(rows)), nil
	for i, r := range rows {
		s.rows[i] = newEntry(r)
	}
	s.list(was.ID)
}

// wentOn reports that more was said in a chat than its row knew.
func (s *Sheet) wentOn(r Row) bool {
	for _, e := range s.rows {
		if e.ID == r.ID {
			return e.Messages != r.Messages || !e.Updated.Equal(r.Updated)
		}
	}
	return true
}

// SetLoading says that rows are still being read.
func (s *Sheet) SetLoading(loading bool) { s.loading = loading }

// SetFilter begins with words, as a picker does.
func (s *Sheet) SetFilter(words string) {
	s.filter.SetText(plain.Line(words, 200))
	s.refilter()
	s.chosen = 0
}

// Filter is what was typed.
func (s *Sheet) Filter() string { return s.filter.Text() }

// SetNote shows one line below the list until the next key: an error, what was
// done.
func (s *Sheet) SetNote(words string) { s.note = plain.Line(words, 400) }

// Deleted says that a row is gone and can be brought back.
func (s *Sheet) Deleted(row Row) {
	s.deleted = &row
	s.note = ""
}

// Restored says that what was deleted is back.
func (s *Sheet) Restored() { s.deleted = nil }

// Selected is the row that enter opens.
func (s *Sheet) Selected() (Row, bool) {
	if s.chosen < 0 || s.chosen >= len(s.order) {
		return Row{}, false
	}
	return s.rows[s.order[s.chosen]].Row, true
}

// Len is the number of rows that the filter leaves.
func (s *Sheet) Len() int { return len(s.order) }
