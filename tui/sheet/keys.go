package sheet

import (
	"cmp"
	"strings"

	"charm.land/bubbletea/v2"

	"conch/plain"
	"conch/tui/edit"
)

// Key takes a key. It reports false for a key that is not the sheet's, esc among
// them: the screen calls Cancel, and closes the sheet when there was nothing to
// cancel.
func (s *Sheet) Key(k tea.KeyPressMsg) (Action, bool) {
	switch s.ask {
	case renaming:
		return s.renameKey(k)
	case deleting:
		return s.deleteKey(k), k.Keystroke() != "esc" && k.Mod&tea.ModCtrl == 0
	}
	name := k.Keystroke()
	if s.reading && s.previewKey(name) {
		return Action{}, true
	}
	row, any := s.Selected()
	s.note = ""
	s.opens = s.opens && name == "enter"
	switch name {
	case "up":
		s.steer(s.chosen - 1)
	case "down":
		s.steer(s.chosen + 1)
	case "pgup":
		s.steer(s.chosen - s.page())
	case "pgdown":
		s.steer(s.chosen + s.page())
	case "ctrl+home":
		s.steer(0)
	case "ctrl+end":
		s.steer(len(s.order) - 1)
	case "tab":
		s.reading = !s.reading && any
	case "alt+a":
		s.mixed = !s.mixed
		s.refilter()
	case "alt+i":
		return Action{Kind: Import}, true
	case "alt+z":
		return s.undo(), true
	case "enter", "alt+c", "alt+e", "f6", "delete":
		if name == "enter" && isCommand(s.filter.Text()) {
			words := strings.TrimSpace(s.filter.Text())
			s.filter.Reset()
			s.refilter()
			return Action{Kind: Command, Row: row, Words: words}, true
		}
		if name == "enter" && s.early() {
			return Action{}, true
		}
		if any {
			return s.act(name, row), true
		}
	default:
		return Action{}, s.filterKey(k)
	}
	return Action{}, true
}

// act does what a key means for the chosen row.
func (s *Sheet) act(name string, row Row) Action {
	switch name {
	case "enter":
		return Action{Kind: Open, Row: row}
	case "alt+c":
		if row.Past {
			return Action{Kind: Carry, Row: row}
		}
		return Action{Kind: Open, Row: row}
	case "alt+e":
		return Action{Kind: Export, Row: row}
	}
	switch {
	case row.Past && name == "delete":
		s.note = "another app's chat: nothing is changed there, and only conch import --remove takes them out of Conch"
	case row.Past:
		s.note = "another app's chat: nothing is changed there; " + cmp.Or(s.keys.Carry, "/carry") + " carries it on in one of your own"
	case name == "f6":
		s.ask, s.about = renaming, row
		s.name.Reset()
		s.name.Insert(plain.Line(row.Title, maxTitle), edit.Pasted)
	case row.State == Running || row.State == Waiting:
		s.note = "a turn of this chat is not over: stop it first, then delete"
	default:
		s.ask, s.about = deleting, row
	}
	return Action{}
}

func (s *Sheet) filterKey(k tea.KeyPressMsg) bool {
	// The delete key belongs to the rows; text is edited with backspace.
	was := s.filter.Text()
	if !s.filter.Key(k) {
		return false
	}
	s.reading = false
	if was == s.filter.Text() {
		return true
	}
	s.typed()
	return true
}

// typed takes in other words.
func (s *Sheet) typed() {
	s.refilter()
	if !isCommand(s.filter.Text()) { // a command is about the chosen row
		s.choose(0)
		s.steered = false
	}
}

// AskDelete asks whether a row is to go.
func (s *Sheet) AskDelete(row Row) { s.act("delete", row) }

func (s *Sheet) renameKey(k tea.KeyPressMsg) (Action, bool) {
	switch k.Keystroke() {
	case "enter":
		words := strings.TrimSpace(plain.Line(s.name.Text(), maxTitle))
		s.ask = nothing
		if words == "" || words == s.about.Title {
			return Action{}, true
		}
		return Action{Kind: Rename, Row: s.about, Words: words}, true
	case "esc":
		return Action{}, false
	}
	s.name.Key(k)
	return Action{}, k.Mod&tea.ModCtrl == 0
}

// deleteKey deletes with y alone; any other key keeps the chat.
func (s *Sheet) deleteKey(k tea.KeyPressMsg) Action {
	s.ask = nothing
	if k.String() == "y" {
		return Action{Kind: Delete, Row: s.about}
	}
	s.note = "kept"
	return Action{}
}

func (s *Sheet) undo() Action {
	if s.deleted == nil {
		s.note = "nothing to bring back"
		return Action{}
	}
	row := *s.deleted
	s.deleted = nil
	return Action{Kind: Undo, Row: row}
}

// steer is choose by the person.
func (s *Sheet) steer(i int) {
	s.choose(i)
	s.steered = true
}

// page is how many rows a page has.
func (s *Sheet) page() int {
	seen := 0
	for i, place := range s.drawn.places {
		if place >= 0 && (i == 0 || s.drawn.places[i-1] != place) {
			seen++
		}
	}
	return max(seen-1, 1)
}

func (s *Sheet) choose(i int) { s.chosen = max(min(i, len(s.order)-1), 0) }

// Paste goes into the filter, or the name that is being typed, as one line.
func (s *Sheet) Paste(text string) {
	text = plain.Line(text, 200)
	switch s.ask {
	case renaming:
		s.name.Insert(text, edit.Pasted)
	case nothing:
		s.filter.Insert(text, edit.Pasted)
		s.typed()
	}
}

// Cancel closes what is on top: a question, a name being typed, the preview, the
// filter. It reports whether there was something.
func (s *Sheet) Cancel() bool {
	switch {
	case s.ask != nothing:
		s.ask = nothing
	case s.reading:
		s.reading = false
	case !s.filter.Empty():
		s.filter.Reset()
		s.typed()
	default:
		return false
	}
	s.note = ""
	return true
}

// Click selects the row at a cell of the last Lines and reports whether there is
// one.
func (s *Sheet) Click(x, y int) bool {
	if s.drawn.split > 0 && x >= s.drawn.split {
		s.reading = true
		return false
	}
	i := y - s.drawn.first
	if s.ask != nothing || i < 0 || i >= len(s.drawn.places) || s.drawn.places[i] < 0 {
		return false
	}
	s.reading = false
	s.steer(s.drawn.places[i])
	return true
}

// Wheel moves the list, or the preview when x is in it, by n rows.
func (s *Sheet) Wheel(x, n int) {
	if s.drawn.split > 0 && x >= s.drawn.split || s.reading {
		s.view.scroll(n)
		return
	}
	s.steer(s.chosen + n)
}
