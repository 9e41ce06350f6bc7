package composer

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"conch/engine"
	"conch/tui/edit"
)

// Entry is something that was typed once.
type Entry struct {
	Text  string    `json:"text"` // whole, with pastes opened
	Chat  string    `json:"chat,omitempty"`
	At    time.Time `json:"at,omitzero"`
	Typed bool      `json:"typed,omitempty"` // a slash or mark at its start was typed
}

// Encode writes an entry as one line of JSON, for the file of the history.
func (e Entry) Encode() string {
	line, err := json.Marshal(e)
	if err != nil { // a string and a time always marshal, but for a year beyond 9999
		line, _ = json.Marshal(Entry{Text: e.Text, Chat: e.Chat, Typed: e.Typed})
	}
	return string(line)
}

// DecodeEntry reads what Encode wrote. ok is false for any other line.
func DecodeEntry(line string) (e Entry, ok bool) {
	err := json.Unmarshal([]byte(line), &e)
	return e, err == nil && strings.TrimSpace(e.Text) != ""
}

// History holds what was typed, oldest first. The prompts of one screen share
// it; it belongs to the screen's goroutine.
type History struct {
	// Saved is called for each new entry of up to 256 KB; nil keeps nothing.
	Saved func(Entry)

	entries  []entry
	bytes    int
	pictures int // bytes of the pictures in the drafts
}

type entry struct {
	Entry
	draft edit.Draft
}

// The limits of the history in memory; the oldest go first.
const (
	maxEntries      = 5000
	maxHistoryBytes = 16 << 20
	maxPictureBytes = 64 << 20  // older entries keep their words and lose their pictures
	maxSaved        = 256 << 10 // what is longer is remembered until the program ends
)

// NewHistory makes a history of earlier entries, oldest first. Blank ones are
// left out.
func NewHistory(entries []Entry) *History {
	h := &History{}
	h.Load(entries)
	return h
}

// Load puts entries of earlier days, oldest first, before what was typed by now.
func (h *History) Load(earlier []Entry) {
	now := h.entries
	h.entries, h.bytes, h.pictures = nil, 0, 0
	for _, e := range earlier {
		if strings.TrimSpace(e.Text) != "" {
			h.push(entry{e, entryDraft(e)})
		}
	}
	for _, e := range now {
		h.push(e)
	}
}

// entryDraft folds a long entry as its paste was.
func entryDraft(e Entry) edit.Draft {
	if n := countLines(e.Text); n > foldLines || utf8.RuneCountInString(e.Text) > foldChars {
		return edit.AtomDraft(foldedAtom(e.Text, n))
	}
	return edit.TextDraft(e.Text, e.Typed)
}

// Entries are all that it holds, oldest first.
func (h *History) Entries() []Entry {
	out := make([]Entry, len(h.entries))
	for i, e := range h.entries {
		out[i] = e.Entry
	}
	return out
}

// add puts a draft at the end, unless it is what stands there.
func (h *History) add(d edit.Draft, chat string, at time.Time) {
	e := entry{Entry{Text: d.Text(), Chat: chat, At: at, Typed: d.Typed()}, d}
	if n := len(h.entries); n > 0 {
		if last := h.entries[n-1]; last.Chat == chat && last.draft.Equal(d) {
			return
		}
	}
	h.push(e)
	if h.Saved != nil && len(e.Text) <= maxSaved {
		h.Saved(e.Entry)
	}
}

func (h *History) push(e entry) {
	h.entries = append(h.entries, e)
	h.bytes += len(e.Text)
	h.pictures += pictureBytes(e.draft)
	h.forgetPictures()
	drop := 0
	for drop < len(h.entries)-1 && (len(h.entries)-drop > maxEntries || h.bytes > maxHistoryBytes) {
		h.bytes -= len(h.entries[drop].Text)
		h.pictures -= pictureBytes(h.entries[drop].draft)
		drop++
	}
	if drop > 0 {
		h.entries = append([]entry(nil), h.entries[drop:]...)
	}
}

// forgetPictures lets go of the oldest pictures; the newest entry keeps its own.
func (h *History) forgetPictures() {
	for i := 0; i < len(h.entries)-1 && h.pictures > maxPictureBytes; i++ {
		e := &h.entries[i]
		if n := pictureBytes(e.draft); n > 0 {
			h.pictures -= n
			e.draft = entryDraft(e.Entry)
		}
	}
}

func pictureBytes(d edit.Draft) int {
	n := 0
	for _, a := range d.Atoms() {
		if att, ok := a.Value.(engine.Attachment); ok {
			n += len(att.Data)
		}
	}
	return n
}

// has reports that a chat has entries of its own.
func (h *History) has(chat string) bool {
	return slices.ContainsFunc(h.entries, func(e entry) bool { return e.Chat == chat })
}

// seenFrom orders the entries as up goes through them, the nearest last: other
// chats', then this chat's.
func (h *History) seenFrom(chat string) []entry {
	var others, own []entry
	for _, e := range h.entries {
		if e.Chat == chat {
			own = append(own, e)
		} else {
			others = append(others, e)
		}
	}
	return append(others, own...)
}

// browse is a walk through the history. The draft is the newest entry of all:
// the place behind the last one.
type browse struct {
	view   []entry
	at     int
	drafts map[int]edit.Draft // what was changed at a place, and the draft itself
}

// back goes a row up, or on the first row to the entry before.
func (c *Composer) back() {
	c.closeCompletion()
	if c.buf.Up() {
		return
	}
	if c.browse == nil {
		c.startBrowsing(c.history.seenFrom(c.chat))
	}
	if c.browse.at == 0 {
		c.stopBrowsing()
		return
	}
	c.goTo(c.browse.at - 1)
	c.buf.RowEnd(0)
}

// forward goes a row down, or on the last row to the entry after, at last to the
// draft.
func (c *Composer) forward() {
	c.closeCompletion()
	if c.buf.Down() || c.browse == nil || c.browse.at == len(c.browse.view) {
		return
	}
	c.goTo(c.browse.at + 1)
	c.stopBrowsing()
}

func (c *Composer) startBrowsing(view []entry) {
	c.browse = &browse{view: view, at: len(view), drafts: map[int]edit.Draft{}}
}

// stopBrowsing ends a walk that is back at the draft and left no change behind.
func (c *Composer) stopBrowsing() {
	b := c.browse
	if b.at != len(b.view) {
		return
	}
	delete(b.drafts, b.at)
	if len(b.drafts) == 0 {
		c.browse = nil
	}
}

// goTo keeps what stands in the prompt at its place and shows another one.
func (c *Composer) goTo(place int) {
	b := c.browse
	d := c.buf.Draft()
	if b.at == len(b.view) || !d.Equal(b.view[b.at].draft) {
		b.drafts[b.at] = d
	} else {
		delete(b.drafts, b.at)
	}
	b.at = place
	kept, changed := b.drafts[place]
	if !changed {
		kept = b.view[place].draft
	}
	c.buf.SetDraft(kept)
}

// keepOthers puts what browsing left behind into the history: changed entries
// and the draft.
func (c *Composer) keepOthers() {
	if c.browse == nil {
		return
	}
	for place := range len(c.browse.view) + 1 {
		if d, ok := c.browse.drafts[place]; ok && place != c.browse.at && strings.TrimSpace(d.Text()) != "" {
			c.history.add(d, c.chat, c.now)
		}
	}
}
