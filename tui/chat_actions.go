package tui

import (
	"context"
	"errors"

	"charm.land/bubbletea/v2"

	"conch/chats"
	"conch/plain"
	"conch/tui/keys"
	"conch/tui/sheet"
)

// sheetAction does what the sheet asked for.
func (m *model) sheetAction(a sheet.Action) {
	switch a.Kind {
	case sheet.Close:
		m.closeSheet()
	case sheet.Open:
		m.openRow(a.Row)
	case sheet.Carry:
		m.carry(a.Row.ID)
	case sheet.Import:
		m.bringNew()
	case sheet.Command:
		m.sheetCommand(a)
	case sheet.Export:
		m.export(a.Row.ID)
	case sheet.Rename:
		m.renameRow(a.Row, a.Words)
	case sheet.Delete:
		m.deleteRow(a.Row)
	case sheet.Undo:
		m.undelete()
	}
}

// openRow opens the chat of a row: one of Conch's own in place of the chat below,
// another app's to be read over the sheet.
func (m *model) openRow(row sheet.Row) {
	message, words := "", m.sheet.Marked()
	if h, ok := m.sheet.Match(); ok && h.Row.ID == row.ID {
		message = h.Message
	}
	if row.Past {
		m.openReader(row.ID, message, words)
		return
	}
	m.closeSheet()
	m.show(row.ID)
	if r := m.room; message != "" && r.id == row.ID {
		r.items.Mark(words)
		r.seek, r.sought, r.marked = message, 0, true
	}
}

// sheetCommand does a command that was typed where words are, about a row.
func (m *model) sheetCommand(a sheet.Action) {
	word, rest, ok := ownWord(a.Words)
	e, known := m.keys.Command(word)
	row, past := a.Row, a.Row.Past
	switch {
	case !ok || !known:
		m.sheet.SetNote("there is no " + plain.Line(a.Words, 40) + " here; " + m.keys.First(keys.Help, keys.Sheet) + " lists the commands")
	case e.Action == keys.Import:
		m.bringNew()
	case e.Action == keys.Search:
		m.sheet.SetFilter(rest)
	case row.ID == "":
		m.sheet.SetNote("there is no chat to do it with")
	case e.Action == keys.Carry && past:
		m.carry(row.ID)
	case e.Action == keys.Carry:
		m.openRow(row)
	case e.Action == keys.Export:
		m.export(row.ID)
	case past && (e.Action == keys.Rename || e.Action == keys.Delete):
		m.sheet.SetNote("another app's chat: nothing is changed there")
	case e.Action == keys.Rename && rest == "":
		m.sheet.SetNote("/rename takes the title: /rename why checkout fails")
	case e.Action == keys.Rename:
		m.renameRow(row, rest)
	case e.Action == keys.Delete:
		m.sheet.AskDelete(row)
	case e.Action == keys.Undo:
		m.undelete()
	default:
		m.closeSheet()
		m.commanded(m.room, e.Action, rest)
	}
}

func (m *model) export(id string) {
	switch {
	case m.d.Export == nil:
		m.say("chats can't be exported here", true)
		return
	case id == "":
		m.say("nothing was said in this chat yet", false)
		return
	}
	m.later(m.crew.cmd("export", func(ctx context.Context) tea.Msg {
		path, err := m.d.Export(ctx, id)
		if err != nil {
			return saidMsg{words: "it can't be exported: " + plain.Line(err.Error(), 200), bad: true}
		}
		return saidMsg{words: "written to " + plain.Line(short(path, m.d.Home), 200)}
	}))
}

func (m *model) rename(r *room, title string) {
	if title == "" {
		m.say("/rename takes the title: /rename why checkout fails", true)
		return
	}
	r.status.Title = title // until the chat says so itself
	m.do(r, "rename the chat", func(t talk) error { return t.SetTitle(title) })
	m.say("renamed", false)
}

func (m *model) renameRow(row sheet.Row, title string) {
	for _, r := range m.rooms {
		if r.id == row.ID && r.opened {
			m.rename(r, title)
			send := m.crew.send
			r.w.do(func(talk) { send(renamedMsg{}) }) // the list is read when it is in the log
			return
		}
	}
	m.later(m.crew.cmd("rename", func(context.Context) tea.Msg {
		if err := m.d.Store.Rename(row.ID, title); err != nil {
			return saidMsg{words: "it can't be renamed: " + why(err), bad: true}
		}
		return renamedMsg{}
	}))
}

func why(err error) string {
	switch {
	case errors.Is(err, chats.ErrReadOnly):
		return "it is open in another conch"
	case errors.Is(err, chats.ErrOpen):
		return "it is open here"
	case errors.Is(err, chats.ErrFull):
		return "the disk is full"
	case errors.Is(err, chats.ErrUnwritable):
		return "the folder can't be written"
	case errors.Is(err, chats.ErrNotFound):
		return "it is gone"
	}
	return plain.Line(err.Error(), 200)
}

// askDelete asks before the chat on the screen is deleted.
func (m *model) askDelete(r *room) {
	if r.busy() {
		m.say("a turn is running: stop it first (esc)", true)
		return
	}
	if r.items.Empty() || r.id == "" {
		m.say("there is nothing to delete in this chat", false)
		return
	}
	row := sheet.Row{ID: r.id, Title: r.status.Title, Folder: r.folderNow(), Provider: r.status.Provider}
	m.asks("Delete this chat? /undo brings it back.", "delete", func() { m.deleteRow(row) })
}

// deleteRow deletes a chat that was asked about; an open one is closed first.
func (m *model) deleteRow(row sheet.Row) {
	var closed <-chan struct{}
	for _, r := range m.rooms {
		if r.id != row.ID {
			continue
		}
		if r.busy() {
			m.say("a turn is running in it: stop it first", true)
			return
		}
		if r == m.room {
			m.enter(m.freshRoom(m.d.Folder))
		}
		m.leaveRoom(r)
		closed = r.w.done
		break
	}
	m.later(m.crew.cmd("delete", func(ctx context.Context) tea.Msg {
		if closed != nil {
			select {
			case <-closed:
			case <-ctx.Done():
				return nil
			}
		}
		return deletedMsg{row: row, err: m.d.Store.Delete(row.ID)}
	}))
}

// undo brings back what went last.
func (m *model) undo() {
	if back := m.back; back != nil {
		m.back = nil
		back()
		return
	}
	if m.gone == nil && m.clearedBefore() {
		m.unclear(m.room)
		return
	}
	m.undelete()
}

func (m *model) undelete() {
	if m.gone == nil {
		m.say("no chat was deleted", false)
		return
	}
	row := *m.gone
	m.later(m.crew.cmd("undelete", func(context.Context) tea.Msg {
		return deletedMsg{row: row, back: true, err: m.d.Store.Undelete(row.ID)}
	}))
}

func (m *model) deleted(msg deletedMsg) {
	switch {
	case msg.err != nil && msg.back:
		m.say("it can't be brought back: "+why(msg.err), true)
	case msg.err != nil:
		m.say("it can't be deleted: "+why(msg.err), true)
	case msg.back:
		m.gone = nil
		if m.sheet != nil {
			m.sheet.Restored()
		}
		m.say("it is back", false)
	default:
		m.gone, m.back = &msg.row, nil
		if m.sheet != nil {
			m.sheet.Deleted(msg.row)
		}
		if !m.sheeted || m.d.Options.Plain { // the sheet says it itself, with its key
			m.say("deleted; /undo brings it back", false)
		}
	}
	m.readRows()
}
