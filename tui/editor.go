package tui

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"charm.land/bubbletea/v2"

	"conch/plain"
)

// editPrompt hands the draft to the person's editor. The file is made off the
// screen; then the terminal is the editor's until it ends.
func (m *model) editPrompt(r *room) {
	text := r.prompt.Text()
	m.later(m.crew.cmd("editor", func(context.Context) tea.Msg {
		path, err := draftFile(text)
		return editMsg{room: r, path: path, err: err}
	}))
}

// draftFile makes a file with text for an editor.
func draftFile(text string) (path string, err error) {
	f, err := os.CreateTemp("", "conch-*.md") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(f.Name()) //nolint:errcheck // a file of the temporary folder
	}
	return f.Name(), err
}

// readDraft reads what an editor left in a file.
func readDraft(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxEdited {
		err = os.ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func (m *model) runEditor(msg editMsg) {
	if msg.err != nil {
		m.say("the editor can't be started: "+plain.Line(msg.err.Error(), 200), true)
		return
	}
	m.later(tea.ExecProcess(m.editor(msg.path), func(err error) tea.Msg {
		return editedMsg{room: msg.room, path: msg.path, err: err}
	}))
}

func (m *model) editor(args ...string) *exec.Cmd {
	return m.withTerminal(exec.CommandContext(m.crew.ctx, m.d.Editor[0], append(append([]string(nil), m.d.Editor[1:]...), args...)...))
}

// maxEdited bounds what comes back from the editor.
const maxEdited = 4 << 20

// readEdited reads what the editor left. A failed editor changes nothing.
func (m *model) readEdited(msg editedMsg) {
	m.later(m.crew.cmd("editor", func(context.Context) tea.Msg {
		defer os.Remove(msg.path) //nolint:errcheck // a file of the temporary folder
		if msg.err != nil {
			return editTextMsg{room: msg.room, err: msg.err}
		}
		text, err := readDraft(msg.path)
		return editTextMsg{room: msg.room, text: strings.TrimRight(string(text), "\r\n"), err: err}
	}))
}

func (m *model) edited(msg editTextMsg) {
	if msg.err != nil {
		m.say("the editor ended with an error; the prompt is as it was: "+plain.Line(msg.err.Error(), 120), true)
		return
	}
	m.focusOn(msg.room, onPrompt)
	msg.room.prompt.SetText(msg.text)
}

// openFile opens the file of an item in the editor, at its line.
func (m *model) openFile(r *room, path string, line int) {
	switch {
	case path == "":
		m.say("there is no file in it", false)
		return
	case len(m.d.Editor) == 0:
		m.say("no editor is set: set VISUAL or EDITOR", false)
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.folderNow(), path)
	}
	args := []string{path}
	if line > 0 && plusLine(m.d.Editor[0]) {
		args = []string{"+" + strconv.Itoa(line), path}
	}
	m.later(tea.ExecProcess(m.editor(args...), func(err error) tea.Msg {
		if err != nil {
			return saidMsg{words: "the editor ended with an error: " + plain.Line(err.Error(), 120), bad: true}
		}
		return nil
	}))
}

// plusLine reports an editor that goes to a line by +N.
func plusLine(program string) bool {
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case "vi", "vim", "nvim", "view", "nano", "emacs", "emacsclient", "kak", "micro", "joe", "ne", "mg", "mcedit":
		return true
	}
	return false
}
