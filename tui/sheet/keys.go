package sheet

import (
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
	switch name {
	case "up":
		s.choose(s.chosen - 1)
	case "down":
		s.choose(s.chosen + 1)
	case "pgup":
		s.choose(s.chosen - max(s.drawn.list-1, 1))
	case "pgdown":
		s.choose(s.chosen + max(s.drawn.list-1, 1))
	case "ctrl+home":
		s.choose(0)
	case "ctrl+end":
		s.choose(len(s.order) - 1)
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
	case row.Past:
		s.note = "another app's chat: nothing is changed there"
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
	if !s.filter.Key(k) {
		return false
	}
	s.reading = false
	before := len(s.order)
	s.refilter()
	if len(s.order) != before || k.Text != "" {
		s.choose(0)
	}
	return true
}

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

func (s *Sheet) choose(i int) { s.chosen = max(min(i, len(s.order)-1), 0) }

// Paste goes into the filter, or the name that is being typed, as one line.
func (s *Sheet) Paste(text string) {
	text = plain.Line(text, 200)
	switch s.ask {
	case renaming:
		s.name.Insert(text, edit.Pasted)
	case nothing:
		s.filter.Insert(text, edit.Pasted)
		s.refilter()
		s.choose(0)
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
		s.refilter()
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
	s.chosen = s.drawn.places[i]
	return true
}

// Wheel moves the list, or the preview when x is in it, by n rows.
func (s *Sheet) Wheel(x, n int) {
	if s.drawn.split > 0 && x >= s.drawn.split || s.reading {
		s.view.scroll(n)
		return
	}
	s.choose(s.chosen + n)
}
