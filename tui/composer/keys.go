package composer

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbletea/v2"

	"conch/tui/edit"
)

// HoldTime is how long an Enter is held that came in one burst with the text
// before it, as a paste does in a terminal without bracketed paste.
const HoldTime = 20 * time.Millisecond

// Keys are the keys of the composer's own actions, by the names that
// tea.Key.String or Keystroke give. Editing keys are readline's and fixed.
type Keys struct {
	Send, Newline, HistoryBack, HistoryForward, HistorySearch, Complete []string

	Open    []string // opens a folded paste
	Unqueue string   // the root's; only shown
}

// DefaultKeys are those of the key table.
func DefaultKeys() Keys {
	return Keys{
		Send: []string{"enter"}, Newline: []string{"shift+enter", "alt+enter", "ctrl+j"},
		HistoryBack: []string{"up"}, HistoryForward: []string{"down"}, HistorySearch: []string{"ctrl+r"},
		Complete: []string{"tab", "enter"}, Open: []string{"alt+o"}, Unqueue: "alt+up",
	}
}

// burst follows keys that come faster than anyone types.
type burst struct {
	start  time.Time // of the keys that came in one go
	last   time.Time // the last key of text
	lead   time.Time // when the draft's first character was typed
	held   bool      // an Enter waits for Release
	heldAt time.Time
	lines  bool // an Enter of this burst became a line end: it is a paste

	// after is a key that came when a held Enter was due but not yet released;
	// it is taken once the message is.
	after []tea.KeyPressMsg
}

// Key takes a key. The second result is false for a key that means nothing here
// now, such as ctrl+d or enter in an empty prompt, or tab without a list: it is
// the screen's. at is when the key came.
func (c *Composer) Key(k tea.KeyPressMsg, at time.Time) (Action, bool) {
	c.now = at
	if c.search != nil {
		return None, c.searchKey(k)
	}
	if c.burst.held {
		if at.Sub(c.burst.heldAt) > HoldTime {
			if a := c.Release(at); a != None {
				c.burst.after = append(c.burst.after, k)
				return a, true
			}
		} else {
			c.heldIsLineEnd()
		}
	}
	if at.Sub(c.burst.last) >= HoldTime {
		c.burst.start, c.burst.lines = at, false
	}
	in := at.Sub(c.burst.last) < HoldTime
	switch {
	case is(k, c.keys.Newline):
		c.text("\n", at)
		return None, true
	case is(k, c.keys.Send) && in && !c.blank():
		c.burst.held, c.burst.heldAt = true, at
		return Hold, true
	case k.Keystroke() == "tab" && in && c.burst.lines:
		c.text("\t", at)
		return None, true
	}
	return c.plainKey(k, at)
}

// plainKey is a key outside of a burst.
func (c *Composer) plainKey(k tea.KeyPressMsg, at time.Time) (Action, bool) {
	if c.Opened() {
		if is(k, c.keys.Complete) {
			return c.take(is(k, c.keys.Send)), true
		}
		if c.completion.list.Key(k) {
			c.completion.moved = true
			return None, true
		}
	}
	switch {
	case is(k, c.keys.Send):
		return c.enter()
	case is(k, c.keys.HistorySearch):
		c.Search()
	case is(k, c.keys.Open):
		return None, c.Expand()
	case is(k, c.keys.HistoryBack):
		c.back()
	case is(k, c.keys.HistoryForward):
		c.forward()
	default:
		return None, c.editKey(k, at)
	}
	return None, true
}

// enter sends, or breaks the line behind a backslash.
func (c *Composer) enter() (Action, bool) {
	before := c.buf.Before()
	slashes := len(before) - len(strings.TrimRight(before, `\`))
	if slashes%2 == 1 {
		c.buf.Replace(len(before)-1, len(before), "\n", edit.Typed)
		c.closeCompletion()
		return None, true
	}
	if c.blank() {
		return None, false
	}
	c.closeCompletion()
	return Send, true
}

// screenKeys are the screen's where the prompt is empty.
var screenKeys = []string{"end", "home", "ctrl+home", "ctrl+end", "left", "right", "backspace", "delete", "ctrl+d"}

func (c *Composer) editKey(k tea.KeyPressMsg, at time.Time) bool {
	name := k.Keystroke()
	if name == "ctrl+end" || c.buf.Empty() && slices.Contains(screenKeys, name) {
		return false
	}
	before := c.buf.Len()
	first := c.buf.Cursor() == 0
	if !c.buf.Key(k) {
		return false
	}
	if k.Text != "" {
		c.typed(first, at)
	}
	if c.buf.Len() != before {
		c.follow()
	} else {
		c.closeCompletion()
	}
	return true
}

// text types a character that is no key of text.
func (c *Composer) text(s string, at time.Time) {
	first := c.buf.Cursor() == 0
	c.buf.Insert(s, edit.Typed)
	c.typed(first, at)
	c.closeCompletion()
}

func (c *Composer) typed(first bool, at time.Time) {
	c.burst.last = at
	if first {
		c.burst.lead = at
	}
}

// heldIsLineEnd makes the Enter that is held a line end of a paste.
func (c *Composer) heldIsLineEnd() {
	c.burst.held, c.burst.lines = false, true
	if !c.burst.lead.Before(c.burst.start) {
		c.buf.Distrust()
	}
	c.text("\n", c.burst.heldAt)
}

// Release decides an Enter that was held: Send when it ended a line that was
// typed, None when it belonged to a paste. A shell line that came whole in one
// burst is not run: it stays, and the next Enter runs it. Release does nothing
// when no Enter is held.
func (c *Composer) Release(at time.Time) Action {
	if !c.burst.held {
		return None
	}
	c.burst.held = false
	if c.burst.lines {
		c.heldIsLineEnd()
		return None
	}
	if c.Kind() == Shell && !c.burst.lead.Before(c.burst.start) {
		return None
	}
	if c.Opened() {
		return c.take(true)
	}
	a, _ := c.enter()
	return a
}

// afterTake takes the keys that came behind a held Enter.
func (c *Composer) afterTake() {
	keys := c.burst.after
	c.burst.after = nil
	for _, k := range keys {
		c.Key(k, c.now)
	}
}

func is(k tea.KeyPressMsg, names []string) bool {
	return slices.Contains(names, k.Keystroke()) || slices.Contains(names, k.String())
}
