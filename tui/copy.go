package tui

import (
	"context"
	"os/exec"
	"runtime"

	"charm.land/bubbletea/v2"

	"conch/tui/clip"
)

const windows = runtime.GOOS == "windows"

// copier is the one handed in, else the system's tools and the terminal.
func copier(d Deps) *clip.Copier {
	if d.Copier != nil {
		return d.Copier
	}
	return &clip.Copier{OS: runtime.GOOS, Env: env(d.Environ), Look: exec.LookPath, Run: clip.Exec, Read: clip.Output}
}

func (m *model) copyText(what, text string) {
	if text == "" {
		m.say("there is nothing to copy in it", false)
		return
	}
	c := copier(m.d)
	m.later(m.crew.cmd("copy", func(ctx context.Context) tea.Msg {
		return copiedMsg{c.Copy(ctx, what, text)}
	}))
}
