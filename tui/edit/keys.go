package edit

import "charm.land/bubbletea/v2"

// Key does what a key means in a line of text: readline's chords, arrows, and
// text. It reports false for every other key and for one that can do nothing,
// such as ctrl+d in an empty buffer. Enter, tab, up and down are the user's.
func (b *Buffer) Key(k tea.KeyPressMsg) bool {
	if k.Text != "" && k.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock|tea.ModScrollLock) == 0 {
		if hasControl(k.Text) {
			return false
		}
		b.Insert(k.Text, Typed)
		return true
	}
	switch k.Keystroke() {
	case "left", "ctrl+b":
		b.Left()
	case "right", "ctrl+f":
		b.Right()
	case "home", "ctrl+a":
		b.Home()
	case "end", "ctrl+e":
		b.End()
	case "ctrl+home", "alt+<", "alt+shift+,":
		b.Top()
	case "ctrl+end", "alt+>", "alt+shift+.":
		b.Bottom()
	case "alt+b", "alt+left", "ctrl+left":
		b.WordLeft()
	case "alt+f", "alt+right", "ctrl+right":
		b.WordRight()
	case "backspace", "ctrl+h", "shift+backspace":
		b.erase(b.prev(b.cursor), b.cursor)
	case "delete":
		b.erase(b.cursor, b.following(b.cursor))
	case "ctrl+d":
		if b.Empty() {
			return false
		}
		b.erase(b.cursor, b.following(b.cursor))
	case "ctrl+k":
		end := b.lineEnd(b.cursor)
		if end == b.cursor {
			end = b.following(end)
		}
		b.kill(b.cursor, end)
	case "ctrl+u":
		start := b.lineStart(b.cursor)
		if start == b.cursor {
			start = b.prev(start)
		}
		b.kill(start, b.cursor)
	case "ctrl+w":
		b.kill(b.blankStart(b.cursor), b.cursor)
	case "alt+backspace", "ctrl+alt+h", "ctrl+backspace":
		b.kill(b.wordStart(b.cursor), b.cursor)
	case "alt+d", "alt+delete", "ctrl+delete":
		b.kill(b.cursor, b.wordEnd(b.cursor))
	case "ctrl+y":
		b.Yank()
	case "ctrl+_", "ctrl+shift+-", "ctrl+-", "ctrl+/", "alt+z", "ctrl+z": // ctrl+z where it does not suspend
		b.Undo()
	case "alt+shift+z", "alt+Z":
		b.Redo()
	default:
		return false
	}
	return true
}

// Yank puts what was killed last at the cursor.
func (b *Buffer) Yank() {
	b.replace(b.cursor, b.cursor, b.killed, b.killedFrom, false)
	b.last = moved
}

func (b *Buffer) erase(from, to int) {
	b.replace(from, to, "", Typed, b.last == erasing && len(b.past) > 0)
	b.last = erasing
}

// kill erases and keeps what was there; kills in a row are kept as one.
func (b *Buffer) kill(from, to int) {
	if from == to {
		return
	}
	gone := b.text[from:to]
	if b.last != killing {
		b.killed, b.killedFrom = "", Typed
	}
	if from < b.cursor {
		b.killed = gone + b.killed
	} else {
		b.killed += gone
	}
	if b.lead.foreign {
		b.killedFrom = Pasted
	}
	b.replace(from, to, "", Typed, false)
	b.last = killing
}

func hasControl(s string) bool {
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return true
		}
	}
	return false
}
