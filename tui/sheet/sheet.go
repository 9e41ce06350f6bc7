// Package sheet is the list of chats that lies over a chat, Conch's own and those
// of other apps: search as you type, this folder first, newest first, a preview
// beside it.
//
// It is a struct with plain methods and knows no store and no index: rows and what
// a search found go in, actions come out, and the screen does what they say.
// Titles, folders and words of chats pass package plain. Only what is in sight is
// drawn, and rows are made ready off the screen's goroutine, so that ten thousand
// chats cost what ten do.
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
	None    Kind = iota
	Close        // the chat below comes back
	Open         // open Row
	Carry        // carry a past chat on here
	Export       // export Row
	Import       // bring in what is new
	Rename       // give Row the title Words
	Delete       // take Row away: it was asked; then call Deleted
	Undo         // bring Row back
	Command      // do the command Words, about Row
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

	own, past List    // each newest first
	more      []entry // chats that a search found and no list has yet
	order     []int   // places of rows that match, in the order shown; see at
	blocks    []block // what the list shows, headings too
	mixed     bool    // all folders in one, newest first
	chosen    int     // place in order
	top       int     // first block that is drawn
	loading   bool
	note      string
	going     string // what goes on meanwhile, in one line
	fresh     string // what could be brought in, in one line

	finds   bool // words are looked for in all that was said
	found   *Found
	hits    map[string]*Hit // of found, by chat
	pending bool            // what was found is of other words than those typed
	slow    bool            // and is not there soon
	steered bool            // the person chose a row since words were typed
	opens   bool            // enter was pressed; the row is opened once it is found

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
	Up, Down, Open, Preview, Export, Rename, Delete, All, Undo, Back, Carry, Import string
}

// DefaultKeys are those of the key table.
func DefaultKeys() Keys {
	return Keys{Up: "up", Down: "down", Open: "enter", Preview: "tab", Export: "alt+e", Rename: "f6", Delete: "delete", All: "alt+a", Undo: "alt+z", Back: "esc", Carry: "alt+c", Import: "alt+i"}
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
	own, past := make([]Row, 0, len(rows)), []Row(nil)
	for _, r := range rows {
		if r.Past {
			past = append(past, r)
		} else {
			own = append(own, r)
		}
	}
	s.SetLists(Ready(own), Ready(past))
}

// SetLists is SetRows with rows that were made ready elsewhere: Conch's own chats
// and those of other apps. The lists belong to the sheet from then on.
func (s *Sheet) SetLists(own, past List) {
	was, _ := s.Selected()
	if s.view.id != "" {
		old, knew := s.byID(s.view.id)
		now, knows := own.find(s.view.id)
		if !knows {
			now, knows = past.find(s.view.id)
		}
		if knows && (!knew || old.Messages != now.Messages || !old.Updated.Equal(now.Updated)) {
			s.view.old = true
		}
	}
	s.own, s.past = own, past
	s.addFound()
	s.list(was.ID)
}

// SetState says how one of Conch's own chats stands.
func (s *Sheet) SetState(id string, state State, open bool) {
	if i, ok := s.own.at[id]; ok {
		s.own.rows[i].State, s.own.rows[i].Open = state, open
	}
}

// SetFinds says that words are looked for in all that was said, not in titles
// alone: then call SetFound with what a search gave, and Searching before.
func (s *Sheet) SetFinds(finds bool) { s.finds = finds }

// SetGoing shows one line of what goes on meanwhile; "" for nothing.
func (s *Sheet) SetGoing(words string) { s.going = plain.Line(words, 400) }

// SetFresh shows one line about what could be brought in; "" for nothing.
func (s *Sheet) SetFresh(words string) { s.fresh = plain.Line(words, 400) }

// SetLoading says that rows are still being read.
func (s *Sheet) SetLoading(loading bool) { s.loading = loading }

// SetFilter begins with words, as a picker does.
func (s *Sheet) SetFilter(words string) {
	s.filter.SetText(plain.Line(words, 200))
	s.typed()
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
	return s.at(s.order[s.chosen]).Row, true
}

// Len is the number of rows that the filter leaves.
func (s *Sheet) Len() int { return len(s.order) }
