package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"charm.land/bubbletea/v2"

	"conch/chats"
	"conch/plain"
)

// Edits takes back what Conch's own tools changed in files. Both functions are called
// off the screen's own goroutine, and none is nil.
type Edits struct {
	// Last are the edits of the last turn of a chat that made some: their group, when
	// the last was made, and in how many files. An empty group: there are none.
	Last func(chat string) (group string, at time.Time, files int, err error)
	// Back takes them back. back are the files that are as they were before, left says
	// of each other one why it was left.
	Back func(chat, group string) (back, left []string, err error)
}

type (
	// filesEditedMsg: the turn that ended changed files.
	filesEditedMsg struct {
		room        *room
		chat, group string
		files       int
	}
	// filesBackMsg: they were taken back, as far as they could be.
	filesBackMsg struct {
		room       *room
		back, left []string
		err        error
	}
)

// lookForEdits sees whether the turn that ended changed files by Conch's own tools.
func (m *model) lookForEdits(r *room, chat string, began int64) {
	edits := m.d.Edits
	if edits == nil || chat == "" || began == 0 {
		return
	}
	m.later(m.crew.cmd("edits", func(context.Context) tea.Msg {
		group, at, files, err := edits.Last(chat)
		if err != nil || group == "" || at.UnixMilli() < began {
			return nil
		}
		return filesEditedMsg{room: r, chat: chat, group: group, files: files}
	}))
}

// filesEdited lets undo take the turn's edits back.
func (m *model) filesEdited(msg filesEditedMsg) {
	edits := m.d.Edits
	m.back = func() {
		if msg.room.status.Running {
			m.say("a turn is running: stop it first (esc)", true)
			return
		}
		m.later(m.crew.cmd("undo", func(context.Context) tea.Msg {
			back, left, err := edits.Back(msg.chat, msg.group)
			return filesBackMsg{room: msg.room, back: back, left: left, err: err}
		}))
	}
	if msg.room == m.room {
		m.say(count(msg.files, "file was", "files were")+" changed · /undo takes it back", false)
	}
}

// filesBack says how it went, and tells whoever answers next.
func (m *model) filesBack(msg filesBackMsg) {
	if msg.err != nil {
		m.say("it can't be taken back: "+plain.Line(msg.err.Error(), 200), true)
		return
	}
	words := count(len(msg.back), "file is", "files are") + " as before"
	if len(msg.left) > 0 {
		words += " · " + plain.Line(strings.Join(msg.left, ", "), 200)
	}
	m.say(words, len(msg.back) == 0)
	if len(msg.back) == 0 {
		return
	}
	out := "Taken back, the files hold what they held before the last turn:"
	for _, path := range msg.back {
		if rel, err := filepath.Rel(m.d.Folder, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
		out += "\n" + path
	}
	if len(msg.left) > 0 {
		out += fmt.Sprintf("\nLeft as it is: %s", strings.Join(msg.left, ", "))
	}
	m.do(msg.room, "note what was taken back", func(t talk) error {
		return t.AddShell(chats.Shell{Command: "/undo", Output: out, Offered: true})
	})
}
