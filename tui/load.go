package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"charm.land/bubbletea/v2"

	"conch/engine"
	"conch/plain"
	"conch/tui/complete"
	"conch/tui/composer"
)

// loadTime is how long after the start the rest is read: the first frame goes
// out before it.
const loadTime = 80 * time.Millisecond

// tickTime is how often a time that is shown moves on.
const tickTime = time.Second

// load reads what the first frame did not need.
func (m *model) load() {
	m.begun = true
	m.d.Drawn()
	switch m.d.PanicAt {
	case "update":
		panic("CONCH_TEST_PANIC: update")
	case "command":
		m.later(m.crew.cmd("command", func(context.Context) tea.Msg { panic("CONCH_TEST_PANIC: command") }))
	}
	m.checkHealth()
	m.readRows()
	if m.d.Start.Offer {
		m.look(forOffer)
	}
	m.countFresh()
	if load := m.d.History.Load; load != nil {
		m.later(m.crew.cmd("history", func(context.Context) tea.Msg {
			typed, err := load()
			if err != nil {
				m.d.Log("read what was typed before: %v", err)
			}
			return historyMsg{typed}
		}))
	}
}

// typedBefore puts what was typed in earlier chats before what was typed by now.
func (m *model) typedBefore(msg historyMsg) {
	if m.typed {
		return
	}
	m.typed = true
	entries := make([]composer.Entry, 0, len(msg.typed))
	for _, text := range msg.typed {
		entries = append(entries, composer.Entry{Text: plain.Text(text)})
	}
	m.history.Load(entries)
}

// tick moves the times on that are shown while something runs.
func (m *model) tick() {
	m.ticking = false
	if m.room.items.Running() {
		m.room.items.Tick(m.at)
	}
}

// walkFiles lists a chat's folder for the completion of files.
func (m *model) walkFiles(r *room) {
	root := r.folderNow()
	m.later(m.crew.cmd("files", func(ctx context.Context) tea.Msg {
		return filesMsg{room: r, files: complete.Walk(ctx, root, complete.Limits{})}
	}))
}

// maxPicture bounds a picture that goes with a message.
const maxPicture = 10 << 20

// readPicture reads a picture whose path was pasted.
func (m *model) readPicture(r *room, p composer.Picture) {
	folder := r.folderNow()
	m.later(m.crew.cmd("picture", func(context.Context) tea.Msg {
		path := p.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		a, err := picture(path)
		return pictureMsg{room: r, text: p.Text, a: a, err: err}
	}))
}

func picture(path string) (engine.Attachment, error) {
	a := engine.Attachment{Name: filepath.Base(path), Path: path, MIME: mimeOf(path)}
	info, err := os.Stat(path)
	if err != nil {
		return a, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPicture || a.MIME == "" {
		return a, os.ErrInvalid
	}
	a.Data, err = os.ReadFile(path)
	return a, err
}

func mimeOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	}
	return ""
}
