package tui

import (
	"conch/plain"
	"conch/tui/sheet"
)

// cutOff is the newest chat of this folder when Conch ended in the middle of its
// turn. A new chat offers it until it was opened.
func (m *model) cutOff(r *room) (sheet.Row, bool) {
	if !r.untouched() {
		return sheet.Row{}, false
	}
	for _, row := range m.rows {
		if row.Folder == r.folderNow() {
			return row, row.CutOff
		}
	}
	return sheet.Row{}, false
}

// mend notes that a chat is opened, which ends the turn that was cut off.
func (m *model) mend(id string) {
	for i := range m.rows {
		if m.rows[i].ID == id {
			m.rows[i].CutOff = false
		}
	}
}

// cutOffWords offers such a chat.
func cutOffWords(row sheet.Row) string {
	return "“" + plain.Line(firstOf(row.Title, row.LastWords), 60) + "” was cut off in the middle of an answer."
}
