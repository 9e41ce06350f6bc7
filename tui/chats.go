package tui

import (
	"context"
	"errors"
	"path/filepath"

	"charm.land/bubbletea/v2"

	"conch/chats"
	"conch/plain"
	"conch/tui/composer"
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

// seekPages is how many older pages are read for a message that was looked for.
const seekPages = 16

// seekOn brings the message in view that was looked for, once it is loaded. It
// reports that older events are to be read for it.
func (m *model) seekOn(r *room) bool {
	if r.seek == "" || !r.opened || r.loading || m.d.Options.Plain {
		return false
	}
	if !r.items.GoToMessage(r.seek) && r.hasOlder && r.sought < seekPages {
		r.sought++
		return true
	}
	r.seek = ""
	return false
}

// unmark takes the marks away that a search left in a chat. It reports that there
// were some.
func (r *room) unmark() bool {
	was := r.marked
	r.marked, r.seek = false, ""
	if was {
		r.items.Mark(nil)
	}
	return was
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

// show puts a chat on the screen, opening it when it is not. What runs in the
// others goes on.
func (m *model) show(id string) {
	m.mend(id)
	for _, r := range m.rooms {
		switch {
		case r.id != id:
		case r.failed != nil || r.opened && r.status.ReadOnly:
			m.reopen(r)
			return
		default:
			m.enter(r)
			return
		}
	}
	m.enter(m.openRoom(id))
}

// reopen opens a chat anew that could not be opened, or that another conch held:
// it may have left it since, and what it wrote is read. What is in the prompt
// comes along.
func (m *model) reopen(r *room) {
	n := m.openRoom(r.id)
	n.again = r.failed == nil
	n.takeDraft(r)
	m.enter(n)
	m.leaveRoom(r)
}

// takeDraft takes over what is in the prompt of a chat that is left.
func (r *room) takeDraft(from *room) {
	if msg, ok := from.prompt.Take(); ok {
		if msg.Kind == composer.Shell {
			msg.Text = "!" + msg.Text
		}
		r.prompt.Put(msg.Text, msg.Attachments)
	}
}

func (m *model) newChat() {
	was := m.room
	if was.failed == nil && was.untouched() {
		m.say("this is a new chat already", false)
		return
	}
	n := m.freshRoom(m.d.Folder)
	if was.failed != nil {
		n.takeDraft(was)
	}
	m.enter(n)
}

// maxIdle is how many open chats are kept in which nothing runs or waits.
const maxIdle = 6

// enter puts an open chat on the screen.
func (m *model) enter(r *room) {
	was := m.room
	if was == r {
		return
	}
	m.hideMoment()
	was.w.front.Store(false)
	r.w.front.Store(true)
	m.room = r
	m.sideOn = false
	m.seen(r)
	m.chooseReady()
	if was.untouched() || was.failed != nil {
		m.leaveRoom(was)
	}
	idle := 0
	for i := len(m.rooms) - 1; i >= 0; i-- {
		each := m.rooms[i]
		if each == r || each.busy() || !each.prompt.Empty() || len(each.status.Queue) > 0 || each.status.News > 0 || !each.opened {
			continue
		}
		if idle++; idle > maxIdle {
			m.leaveRoom(each)
		}
	}
}

// leaveRoom closes a chat that is not on the screen.
func (m *model) leaveRoom(r *room) {
	for i, each := range m.rooms {
		if each == r {
			m.rooms = append(m.rooms[:i:i], m.rooms[i+1:]...)
			break
		}
	}
	r.w.end()
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
		m.gone = &msg.row
		if m.sheet != nil {
			m.sheet.Deleted(msg.row)
		}
		if !m.sheeted || m.d.Options.Plain { // the sheet says it itself, with its key
			m.say("deleted; /undo brings it back", false)
		}
	}
	m.readRows()
}
