package composer

import (
	"strings"

	"charm.land/bubbletea/v2"

	"conch/tui/complete"
	"conch/tui/edit"
)

// search looks through the history while the draft waits below it.
type search struct {
	query *edit.Buffer
	all   bool // every chat, not this one alone
	list  complete.List
	found []int // places in view, newest first
	view  []entry
}

// Search opens the history search; where it is open, it moves on to the next
// older hit.
func (c *Composer) Search() {
	if c.search != nil {
		c.search.list.Move(1)
		return
	}
	c.closeCompletion()
	c.search = &search{query: edit.New(c.th.Widths)}
	c.search.query.SetWidth(c.inner())
	c.scope(!c.history.has(c.chat))
}

// scope looks through every chat, newest first, or through this one alone.
func (c *Composer) scope(all bool) {
	s := c.search
	s.all, s.view = all, c.history.seenFrom(c.chat)
	if all {
		s.view = append([]entry(nil), c.history.entries...)
	}
	c.findHistory()
}

// findHistory lists the entries that hold every word of the query.
func (c *Composer) findHistory() {
	s := c.search
	words := strings.Fields(strings.ToLower(s.query.Text()))
	s.found = s.found[:0]
	var items []complete.Item
	for i := len(s.view) - 1; i >= 0; i-- {
		e := s.view[i]
		if !s.all && e.Chat != c.chat || !holdsAll(e.Text, words) {
			continue
		}
		s.found = append(s.found, i)
		items = append(items, complete.Item{Label: label(e.draft.Shown())})
	}
	s.list.SetItems(items)
}

// maxLabel bounds what of an entry is drawn.
const maxLabel = 400

func label(s string) string {
	if len(s) > maxLabel {
		s = strings.ToValidUTF8(s[:maxLabel], "") + "…"
	}
	return s
}

func holdsAll(text string, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func (c *Composer) searchKey(k tea.KeyPressMsg) bool {
	s := c.search
	name := k.Keystroke()
	switch {
	case is(k, c.keys.HistorySearch):
		s.list.Move(1)
	case is(k, c.keys.Send):
		c.takeFound()
	case name == "tab":
		c.scope(!s.all)
	case name == "esc":
		c.search = nil
	case s.list.Key(k):
	case s.query.Key(k):
		c.findHistory()
	default:
		return false
	}
	return true
}

// takeFound puts the chosen entry into the prompt; down leads back to the draft.
func (c *Composer) takeFound() {
	s := c.search
	n := s.list.Position()
	if n == 0 {
		return
	}
	place := s.found[n-1]
	c.search = nil
	c.keepChanged()
	c.startBrowsing(s.view)
	c.goTo(place)
	c.buf.Bottom()
}

// keepChanged ends a walk through the history in which entries were changed.
func (c *Composer) keepChanged() {
	b := c.browse
	if b == nil {
		return
	}
	draft := b.drafts[len(b.view)]
	delete(b.drafts, len(b.view))
	c.keepOthers()
	if b.at != len(b.view) {
		if d := c.buf.Draft(); !d.Equal(b.view[b.at].draft) {
			c.history.add(d, c.chat, c.now)
		}
		c.buf.SetDraft(draft)
	}
	c.browse = nil
}
