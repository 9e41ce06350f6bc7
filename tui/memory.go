package tui

import (
	"context"
	"os"

	"charm.land/bubbletea/v2"

	"conch/plain"
	"conch/tui/keys"
)

// memoryTitle is that of the list of what is remembered, and tells it from others.
const memoryTitle = "Remembered in all your chats"

type (
	// memoryMsg: what is remembered. open: the list is to be shown.
	memoryMsg struct {
		list []Remembered
		open bool
		err  error
	}
	// forgotMsg: a memory was forgotten; back puts it where it was.
	forgotMsg struct {
		words string
		back  func() error
		err   error
	}
	// memoryEditMsg: a copy of the file is there for the editor.
	memoryEditMsg struct {
		path, before string
		err          error
	}
	// memoryEditedMsg: the editor ended.
	memoryEditedMsg struct {
		path, before string
		err          error
	}
	// memoryKeptMsg: what the person wrote was put in place, or not.
	memoryKeptMsg struct {
		back func() error // nil: nothing changed
		path string       // where the person's text still is
		err  error
	}
)

// openMemory shows what is remembered.
func (m *model) openMemory() { m.readMemory(true) }

func (m *model) readMemory(open bool) {
	mem := m.d.Memory
	if mem == nil {
		m.say("nothing is remembered here: memory = true in config.toml turns it on", false)
		return
	}
	m.later(m.crew.cmd("memory", func(context.Context) tea.Msg {
		list, err := mem.List()
		return memoryMsg{list: list, open: open, err: err}
	}))
}

func (m *model) memoryKnown(msg memoryMsg) {
	shown := m.picker != nil && m.picker.title == memoryTitle
	switch {
	case msg.err != nil:
		m.say("what is remembered is told to no assistant: "+plain.Line(msg.err.Error(), 200)+" → mend "+short(m.d.Memory.Path, m.d.Home)+" in an editor", true)
		return
	case len(msg.list) == 0:
		if shown {
			m.picker = nil
		}
		if msg.open {
			m.say("nothing is remembered yet; ask an assistant to remember something", false)
		}
		return
	case !msg.open && !shown:
		return
	}
	rows := m.memoryRows(msg.list)
	if shown {
		m.picker.rows = rows
		return
	}
	hint := "enter reads it · " + m.keys.First(keys.MemoryForget, keys.Picker) + " forgets · esc"
	if len(m.d.Editor) > 0 {
		hint = "enter opens your editor · " + m.keys.First(keys.MemoryForget, keys.Picker) + " forgets · esc"
	}
	m.openPicker(&picker{title: memoryTitle, rows: rows, take: m.takeMemory, drop: m.forget})
	m.picker.hint = hint
}

// memoryRows are the memories, the newest first.
func (m *model) memoryRows(list []Remembered) []pick {
	rows := make([]pick, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		r := list[i]
		when := "by hand"
		if !r.At.IsZero() {
			when = r.At.In(m.zone).Format("2 Jan 2006")
		}
		rows = append(rows, pick{id: r.ID, cells: []cell{{when, muted}, {plain.Line(r.Words, 400), plainly}}})
	}
	return rows
}

// takeMemory opens the file in the person's editor, or shows a memory whole where
// there is none. Without a screen it asks whether to forget it.
func (m *model) takeMemory(row pick) {
	words := row.cells[1].words
	switch {
	case m.d.Options.Plain:
		m.asks("Forget “"+words+"”? /undo brings it back.", "forget", func() { m.forget(row) })
	case len(m.d.Editor) > 0:
		m.editMemory()
	default:
		m.pager = textPage("Remembered", words+"\n\nThe file is "+short(m.d.Memory.Path, m.d.Home)+". Set VISUAL or EDITOR to change it from here.")
	}
}

// forget takes a memory out. What was there before comes back with undo, unless the
// file was changed meanwhile.
func (m *model) forget(row pick) {
	mem := m.d.Memory
	m.later(m.crew.cmd("forget", func(context.Context) tea.Msg {
		msg := forgotMsg{words: row.cells[1].words}
		before, err := mem.Read()
		if err == nil {
			err = mem.Forget(row.id)
		}
		var after string
		if err == nil {
			after, err = mem.Read()
		}
		msg.err = err
		msg.back = func() error { return mem.Replace(after, before) }
		return msg
	}))
}

func (m *model) forgot(msg forgotMsg) {
	if msg.err != nil {
		m.say("it can't be forgotten: "+plain.Line(msg.err.Error(), 200), true)
		return
	}
	m.undoMemory(msg.back)
	m.say("forgotten: "+plain.Line(msg.words, 80)+" · /undo brings it back", false)
	m.readMemory(false)
}

// undoMemory lets undo put the memory back as it was.
func (m *model) undoMemory(back func() error) {
	m.back = func() {
		m.later(m.crew.cmd("undo", func(context.Context) tea.Msg {
			if err := back(); err != nil {
				return saidMsg{words: "it can't be brought back: " + plain.Line(err.Error(), 200), bad: true}
			}
			return memoryBackMsg{}
		}))
	}
}

// memoryBackMsg: the memory is as it was.
type memoryBackMsg struct{}

func (m *model) memoryBack() {
	m.say("it is remembered again", false)
	m.readMemory(false)
}

// editMemory gives a copy of the file to the person's editor: what an assistant
// saves meanwhile is not overwritten by it.
func (m *model) editMemory() {
	mem := m.d.Memory
	m.later(m.crew.cmd("memory", func(context.Context) tea.Msg {
		before, err := mem.Read()
		if err != nil {
			return memoryEditMsg{err: err}
		}
		path, err := draftFile(before)
		return memoryEditMsg{path: path, before: before, err: err}
	}))
}

func (m *model) runMemoryEditor(msg memoryEditMsg) {
	if msg.err != nil {
		m.say("the editor can't be started: "+plain.Line(msg.err.Error(), 200), true)
		return
	}
	m.later(tea.ExecProcess(m.editor(msg.path), func(err error) tea.Msg {
		return memoryEditedMsg{path: msg.path, before: msg.before, err: err}
	}))
}

func (m *model) memoryEdited(msg memoryEditedMsg) {
	mem := m.d.Memory
	m.later(m.crew.cmd("memory", func(context.Context) tea.Msg {
		err := msg.err
		var text []byte
		if err == nil {
			text, err = readDraft(msg.path)
		}
		if err == nil && string(text) != msg.before {
			err = mem.Replace(msg.before, string(text))
		}
		if err != nil {
			return memoryKeptMsg{path: msg.path, err: err}
		}
		os.Remove(msg.path) //nolint:errcheck // a file of the temporary folder
		if string(text) == msg.before {
			return memoryKeptMsg{}
		}
		return memoryKeptMsg{back: func() error { return mem.Replace(string(text), msg.before) }}
	}))
}

func (m *model) memoryKept(msg memoryKeptMsg) {
	switch {
	case msg.err != nil:
		m.say("the memory is as it was: "+plain.Line(msg.err.Error(), 120)+" → what you wrote is in "+plain.Line(msg.path, 0), true)
	case msg.back == nil:
		m.say("nothing was changed", false)
	default:
		m.undoMemory(msg.back)
		m.say("assistants remember it so from the next message on · /undo takes it back", false)
	}
}
