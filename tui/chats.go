package tui

import (
	"context"
	"path/filepath"

	"charm.land/bubbletea/v2"

	"conch/plain"
	"conch/tui/keys"
	"conch/tui/sheet"
)

// openSheet lays the list of chats over the chat.
func (m *model) openSheet(filter string) {
	if m.sheet == nil {
		m.sheet = sheet.New(m.th, m.d.Folder)
		m.sheet.SetKeys(m.sheetKeys())
		m.sheet.SetFinds(m.past.find != nil)
		m.sheet.SetLoading(true)
	}
	m.picker, m.pager, m.reader = nil, nil, nil
	m.sheeted = true
	for m.sheet.Cancel() { // what a key that closed it left open
	}
	m.sheet.SetNote("")
	m.sheet.SetFilter(filter)
	m.sheet.SetFolder(m.room.folderNow())
	m.sheet.SetGoing(m.goesOn())
	m.sheet.SetFresh(m.freshWords())
	m.countFresh()
	if !m.finding.looking && m.past.find != nil {
		m.finding.looking = true
		m.lookBehind(0)
	}
	if m.begun {
		m.rows = nil
		m.readRows()
	}
}

// sheetKeys are the names of the keys that work in the sheet, from the table.
func (m *model) sheetKeys() sheet.Keys {
	name := func(a keys.Action) string { return m.keys.First(a, keys.Sheet) }
	return sheet.Keys{
		Up: name(keys.SheetUp), Down: name(keys.SheetDown), Open: name(keys.SheetOpen), Preview: name(keys.SheetPreview),
		Export: name(keys.SheetExport), Rename: name(keys.SheetRename), Delete: name(keys.SheetDelete), All: name(keys.SheetAll),
		Undo: name(keys.Undo), Back: name(keys.Interrupt), Carry: name(keys.Carry), Import: name(keys.Import),
	}
}

func (m *model) closeSheet() {
	m.sheeted = false
	m.forgetFound()
	m.seen(m.room)
}

// readRows reads the list of chats; those of other apps too while the sheet is
// open, if it changed.
func (m *model) readRows() {
	if m.reload || m.d.Store == nil {
		m.changed = m.reload // what is on its way may be older
		return
	}
	m.reload = true
	past, stamp := m.past.store, m.stamp
	if !m.sheeted {
		past = nil
	}
	m.later(m.crew.cmd("list", func(context.Context) tea.Msg {
		list, err := m.d.Store.List()
		rows := make([]sheet.Row, 0, len(list))
		for _, s := range list {
			rows = append(rows, sheet.Row{
				ID: s.ID, Provider: s.Provider, Project: filepath.Base(s.Folder), Folder: s.Folder, Branch: s.Branch,
				Title: s.Title, LastWords: s.LastWords, Updated: s.Updated, Messages: s.Messages, CutOff: s.Interrupted,
			})
		}
		msg := rowsMsg{rows: rows, own: sheet.Ready(rows), err: err}
		if past != nil {
			msg.pasts, msg.stamp, msg.pastErr = pastRows(past, stamp)
		}
		return msg
	}))
}

// pastRows lists other apps' chats; nil when the list is the one with the stamp.
func pastRows(store pastStore, was string) (*sheet.List, string, error) {
	stamp, err := store.Stamp()
	if err == nil && stamp == was && stamp != "" {
		return nil, was, nil
	}
	entries, err := store.List()
	if err != nil {
		return nil, was, err
	}
	rows := make([]sheet.Row, 0, len(entries))
	for _, e := range entries {
		rows = append(rows, sheet.Row{
			ID: e.ID, Provider: e.Source, Project: e.Project, Title: e.Title, Updated: e.Updated, Messages: e.Messages, Past: true,
		})
	}
	list := sheet.Ready(rows)
	return &list, stamp, nil
}

func (m *model) rowsKnown(msg rowsMsg) {
	m.reload = false
	if m.changed {
		m.changed = false
		m.readRows()
	}
	m.known, m.rows = len(msg.rows), msg.rows
	if msg.pasts != nil {
		changed := m.stamp != ""
		m.pasts, m.stamp = *msg.pasts, msg.stamp
		if changed && m.bring.run == nil && m.sheet != nil { // what could be brought in is another now
			m.bring.status = nil
			m.sheet.SetFresh("")
			m.countFresh()
		}
	}
	if row, ok := m.cutOff(m.room); ok && m.d.Options.Plain {
		m.say(cutOffWords(row)+" An empty line carries it on.", false)
	}
	for _, err := range []error{msg.err, msg.pastErr} {
		if err == nil {
			continue
		}
		m.d.Log("list chats: %v", err)
		if m.sheet != nil {
			m.sheet.SetNote("the chats can't be listed: " + plain.Line(err.Error(), 200))
		}
	}
	if m.sheet == nil {
		return
	}
	m.sheet.SetLoading(false)
	m.sheet.SetLists(msg.own, m.pasts)
	for _, r := range m.rooms {
		m.sheet.SetState(r.id, stateOf(r), r == m.room)
	}
}

func stateOf(r *room) sheet.State {
	switch {
	case len(r.status.Cards) > 0:
		return sheet.Waiting
	case r.status.Running:
		return sheet.Running
	case r.status.News > 0:
		return sheet.News
	}
	return sheet.Quiet
}
