package tui

import (
	"slices"
	"strings"

	"conch/tui/cells"
	"conch/tui/keys"
	"conch/tui/theme"
)

// openHelp shows the table of keys as it is now, with what can't be used and why.
func (m *model) openHelp() {
	m.picker = nil
	has := m.has()
	shift := m.clear
	if m.d.Options.Plain {
		m.pager = &pager{title: "What can be typed:", make: func(th *theme.Theme, width int) []string { return plainHelp(m.keys) }}
		return
	}
	m.pager = &pager{title: "Help", make: func(th *theme.Theme, width int) []string {
		return helpLines(m.keys, has, shift, th, width)
	}}
}

// plainHelp is the help of --plain: it has lines and no keys.
func plainHelp(t *keys.Table) []string {
	out := []string{
		"a message; a line that ends in \\ goes on in the next one",
		"@path in a message names a file of the folder",
		"!command runs a command line of yours; its output goes with your next message",
	}
	for _, e := range t.Entries() {
		switch e.Action {
		case keys.EditPrompt, keys.Mouse, keys.Redraw, keys.Suspend, keys.Unfold, keys.HistorySearch, keys.Steps:
			continue // they are about the screen
		}
		if e.Command != "" {
			out = append(out, e.Command+": "+e.Says())
		}
	}
	return append(out, "ctrl+d: leave")
}

func helpLines(t *keys.Table, has keys.Need, shift bool, th *theme.Theme, width int) []string {
	var out []string
	keyWidth, cmdWidth := 18, 17
	if width < 76 {
		keyWidth, cmdWidth = 16, 0
	}
	for _, g := range keys.Groups() {
		if !slices.ContainsFunc(t.Entries(), func(e keys.Entry) bool { return e.Group == g }) {
			continue
		}
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, th.Heading.Render(string(g)))
		for _, e := range t.Entries() {
			if e.Group != g {
				continue
			}
			shown := e.Shown()
			if e.Action == keys.Newline && !shift {
				// The terminal can't tell shift+enter from enter.
				shown = strings.TrimPrefix(shown, "shift+enter, ")
			}
			command := e.Command
			if cmdWidth == 0 && shown == "" {
				shown, command = command, ""
			}
			words := e.Words
			why := e.Why(has)
			if why != "" {
				words += " (" + why + ")"
			}
			out = append(out, helpRow(th, shown, command, words, why != "", keyWidth, cmdWidth, width)...)
		}
	}
	return out
}

// helpRow is one action: its keys, its command, its words, wrapped under each
// other.
func helpRow(th *theme.Theme, shown, command, words string, off bool, keyWidth, cmdWidth, width int) []string {
	left := keyWidth + 2
	if cmdWidth > 0 {
		left += cmdWidth + 1
	}
	keyRows := cells.Wrap(th.Widths, shown, keyWidth)
	wordRows := cells.Wrap(th.Widths, words, max(width-left, 10))
	var out []string
	for i := range max(len(keyRows), len(wordRows)) {
		key, cmd, text := "", "", ""
		if i < len(keyRows) {
			key = keyRows[i]
		}
		if i == 0 {
			cmd = command
		}
		if i < len(wordRows) {
			text = wordRows[i]
		}
		if off {
			text = th.Muted.Render(text)
		}
		row := "  " + th.Accent.Render(cells.Fill(th.Widths, key, keyWidth, th.Signs.Ellipsis))
		if cmdWidth > 0 {
			row += th.Accent.Render(cells.Fill(th.Widths, cmd, cmdWidth, th.Signs.Ellipsis)) + " "
		}
		out = append(out, cells.Cut(th.Widths, row+text, width, th.Signs.Ellipsis))
	}
	return out
}
