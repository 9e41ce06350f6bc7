// Package edit is text under a cursor: of several lines, moved through by
// grapheme cluster, wrapped into rows of cells, with readline's keys, a kill
// buffer and undo. The prompt, the fields of a question and the filter of a list
// are made of it.
//
// An edit wraps again only the rows that it may have changed, so that a key in a
// text of megabytes costs little. Atoms are single places in the text that stand
// for something else, such as a long paste; they are moved over and deleted as
// one character. The package draws no style of its own and knows no time.
package edit

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Origin is where inserted text comes from.
type Origin int

const (
	Typed  Origin = iota // by a key
	Pasted               // by anything else
)

// Buffer is a text with a cursor. Use New.
type Buffer struct {
	text   string // valid UTF-8 and atom marks; lines end in LF
	cursor int    // byte offset, always between two clusters
	goal   int    // column that vertical moves aim at; -1: the cursor's own
	atoms  []Atom

	lead lead
	past []change // for undo, oldest first
	next []change // for redo
	held int      // bytes in past
	last command  // what the last key did: typing and killing run on

	killed     string
	killedFrom Origin

	method ansi.Method
	width  int
	rows   []row
}

// lead says whether the first character was typed, and whether anything in the
// text was not.
type lead struct{ typed, foreign bool }

type command int

const (
	moved command = iota
	typing
	erasing
	killing
)

// change is one replacement, with what undo needs.
type change struct {
	at                int
	removed, inserted string
	cursor            int // before it
	before, after     lead
	joined            bool // undone together with the change before it
}

// The limits of undo.
const (
	maxChanges = 1000
	maxHeld    = 32 << 20
)

// New makes an empty buffer that is measured with method.
func New(method ansi.Method) *Buffer {
	b := &Buffer{method: method, width: 80, goal: -1}
	b.layout()
	return b
}

// Text is what stands in the buffer, with every atom's own text in its place.
func (b *Buffer) Text() string { return b.open(b.text) }

// Kept is the text with atoms as their marks: what byte offsets count in.
func (b *Buffer) Kept() string { return b.text }

// Distrust makes what stands in the buffer count as pasted.
func (b *Buffer) Distrust() { b.lead = lead{foreign: b.text != ""} }

// Len is the number of bytes that are kept: an atom counts as its mark.
func (b *Buffer) Len() int { return len(b.text) }

// Empty reports that there is nothing, not even a blank.
func (b *Buffer) Empty() bool { return b.text == "" }

// Typed reports that the first character was typed by a key, not pasted.
func (b *Buffer) Typed() bool { return b.text != "" && b.lead.typed }

// Cursor is the cursor's byte offset in the kept text.
func (b *Buffer) Cursor() int { return b.cursor }

// Before and After are the kept text on both sides of the cursor. Atoms in it
// are marks: bytes that no valid text holds.
func (b *Buffer) Before() string { return b.text[:b.cursor] }
func (b *Buffer) After() string  { return b.text[b.cursor:] }

// Insert puts text at the cursor. CRLF and a lone CR become LF; bytes that are
// no UTF-8 become U+FFFD.
func (b *Buffer) Insert(s string, from Origin) {
	b.replace(b.cursor, b.cursor, clean(s), from, from == Typed && b.last == typing && !startsWord(b, s))
	b.last = moved
	if from == Typed {
		b.last = typing
	}
}

// startsWord begins a new step of undo with each word.
func startsWord(b *Buffer, s string) bool {
	if s == "" || b.cursor == 0 {
		return true
	}
	before := b.text[b.cursor-1]
	return (before == ' ' || before == '\n' || before == '\t') && s[0] != ' ' && s[0] != '\n' && s[0] != '\t'
}

// Replace puts text in the place of the bytes from..to of the kept text, which
// must lie between clusters, and the cursor behind it. It is one step of undo.
func (b *Buffer) Replace(from, to int, s string, origin Origin) {
	b.replace(from, to, clean(s), origin, false)
	b.last = moved
}

// SetText replaces everything, as one step of undo. The first character keeps
// its origin when it stays the same, else it counts as pasted.
func (b *Buffer) SetText(s string) {
	s = clean(s)
	same := b.lead.typed && s != "" && b.text != "" && s[0] == b.text[0] && s[0] < utf8.RuneSelf
	b.replace(0, len(b.text), s, Pasted, false)
	if same {
		b.lead.typed = true
		if n := len(b.past); n > 0 {
			b.past[n-1].after.typed = true
		}
	}
	b.last = moved
}

// Reset empties the buffer for good: undo does not bring it back. What was
// killed stays.
func (b *Buffer) Reset() {
	b.killed = b.open(b.killed)
	b.text, b.cursor, b.goal, b.lead, b.last = "", 0, -1, lead{}, moved
	b.atoms, b.past, b.next, b.held = nil, nil, nil, 0
	b.layout()
}

// replace is the one way in which the text changes.
func (b *Buffer) replace(from, to int, s string, origin Origin, join bool) {
	if from == to && s == "" {
		return
	}
	c := change{at: from, removed: b.text[from:to], inserted: s, cursor: b.cursor, before: b.lead, joined: join && len(b.past) > 0}
	b.lead = b.leadAfter(from, to, s, origin)
	c.after = b.lead
	b.splice(from, to, s)
	b.cursor = b.boundary(from + len(s))
	b.goal = -1
	b.next = nil
	b.past = append(b.past, c)
	b.held += len(c.removed) + len(c.inserted)
	b.trim()
}

func (b *Buffer) leadAfter(from, to int, s string, origin Origin) lead {
	l := b.lead
	if len(b.text)-(to-from)+len(s) == 0 {
		return lead{}
	}
	if origin == Pasted && s != "" {
		l.foreign = true
	}
	if from == 0 {
		switch {
		case s != "":
			l.typed = origin == Typed
		case to > 0:
			// What comes to the front by a deletion was typed when all was.
			l.typed = !l.foreign
		}
	}
	return l
}

// trim forgets the oldest steps when there are too many.
func (b *Buffer) trim() {
	drop := 0
	for drop < len(b.past)-1 && (len(b.past)-drop > maxChanges || b.held > maxHeld) {
		b.held -= len(b.past[drop].removed) + len(b.past[drop].inserted)
		drop++
	}
	if drop > 0 {
		b.past = append([]change(nil), b.past[drop:]...)
		b.past[0].joined = false
	}
}

// Undo takes the last step back. It reports whether there was one.
func (b *Buffer) Undo() bool {
	done := false
	for len(b.past) > 0 {
		c := b.past[len(b.past)-1]
		b.past = b.past[:len(b.past)-1]
		b.held -= len(c.removed) + len(c.inserted)
		b.splice(c.at, c.at+len(c.inserted), c.removed)
		b.cursor, b.lead = b.boundary(c.cursor), c.before
		b.next = append(b.next, c)
		done = true
		if !c.joined {
			break
		}
	}
	b.goal, b.last = -1, moved
	return done
}

// Redo does again what Undo took back.
func (b *Buffer) Redo() bool {
	done := false
	for len(b.next) > 0 {
		c := b.next[len(b.next)-1]
		if done && !c.joined {
			break
		}
		b.next = b.next[:len(b.next)-1]
		b.splice(c.at, c.at+len(c.removed), c.inserted)
		b.cursor, b.lead = b.boundary(c.at+len(c.inserted)), c.after
		b.past = append(b.past, c)
		b.held += len(c.removed) + len(c.inserted)
		done = true
	}
	b.goal, b.last = -1, moved
	return done
}

// splice changes the text and wraps what that touched.
func (b *Buffer) splice(from, to int, s string) {
	old := b.text
	b.text = old[:from] + s + old[to:]
	b.relayout(from, to, from+len(s))
}

// clean makes line ends LF and the text valid, and so free of atom marks.
func clean(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
