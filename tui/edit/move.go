package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Left and Right move by one cluster, Home and End to the ends of the line, Top
// and Bottom to the ends of the text.
func (b *Buffer) Left()   { b.moveTo(b.prev(b.cursor)) }
func (b *Buffer) Right()  { b.moveTo(b.following(b.cursor)) }
func (b *Buffer) Home()   { b.moveTo(b.lineStart(b.cursor)) }
func (b *Buffer) End()    { b.moveTo(b.lineEnd(b.cursor)) }
func (b *Buffer) Top()    { b.moveTo(0) }
func (b *Buffer) Bottom() { b.moveTo(len(b.text)) }

// WordLeft and WordRight move over blanks and signs and then a word.
func (b *Buffer) WordLeft()  { b.moveTo(b.wordStart(b.cursor)) }
func (b *Buffer) WordRight() { b.moveTo(b.wordEnd(b.cursor)) }

// Up and Down move by a row and keep to the column where the first of them
// began. They report false, and do nothing, on the first and the last row.
func (b *Buffer) Up() bool   { return b.vertical(-1) }
func (b *Buffer) Down() bool { return b.vertical(1) }

// RowEnd moves to the end of row r.
func (b *Buffer) RowEnd(r int) {
	if r >= 0 && r < len(b.rows) {
		b.moveTo(b.lastIn(r))
	}
}

// MoveTo puts the cursor at a row and a column, or as near as there is text.
func (b *Buffer) MoveTo(r, col int) {
	r = min(max(r, 0), len(b.rows)-1)
	b.moveTo(b.offset(r, col))
}

func (b *Buffer) moveTo(at int) { b.cursor, b.goal, b.last = at, -1, moved }

func (b *Buffer) vertical(n int) bool {
	r, col := b.Cell()
	if r+n < 0 || r+n >= len(b.rows) {
		return false
	}
	if b.goal < 0 {
		b.goal = col
	}
	goal := b.goal
	b.moveTo(b.offset(r+n, goal))
	b.goal = goal
	return true
}

// offset is the place in row r that is at col or the last before it.
func (b *Buffer) offset(r, col int) int {
	at, x := b.rows[r].start, 0
	end := b.lastIn(r)
	for at < end {
		size, w := b.glyph(at, x)
		if x+w > col {
			break
		}
		at += size
		x += w
	}
	return at
}

// lastIn is the last place that still belongs to row r: its end, or the start of
// its last cluster when the next row begins right there.
func (b *Buffer) lastIn(r int) int {
	end := b.rows[r].end
	if r+1 < len(b.rows) && b.rows[r+1].start == end && end > b.rows[r].start {
		return b.prev(end)
	}
	return end
}

// prev is the place one cluster before at.
func (b *Buffer) prev(at int) int {
	if at <= 0 {
		return 0
	}
	i := b.rows[b.rowOf(at-1)].start
	for {
		size := b.size(i)
		if i+size >= at {
			return i
		}
		i += size
	}
}

func (b *Buffer) following(at int) int {
	if at >= len(b.text) {
		return len(b.text)
	}
	return at + b.size(at)
}

func (b *Buffer) size(at int) int {
	if b.text[at] == '\n' {
		return 1
	}
	size, _ := b.glyph(at, 0)
	return size
}

func (b *Buffer) lineStart(at int) int { return strings.LastIndexByte(b.text[:at], '\n') + 1 }

func (b *Buffer) lineEnd(at int) int {
	if n := strings.IndexByte(b.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(b.text)
}

func (b *Buffer) wordStart(at int) int {
	for at > 0 && !b.wordAt(b.prev(at)) {
		at = b.prev(at)
	}
	for at > 0 && b.wordAt(b.prev(at)) {
		at = b.prev(at)
	}
	return at
}

func (b *Buffer) wordEnd(at int) int {
	for at < len(b.text) && !b.wordAt(at) {
		at = b.following(at)
	}
	for at < len(b.text) && b.wordAt(at) {
		at = b.following(at)
	}
	return at
}

// blankStart is where the word before at begins when only blanks part words.
func (b *Buffer) blankStart(at int) int {
	blank := func(i int) bool { r, _ := utf8.DecodeRuneInString(b.text[i:]); return unicode.IsSpace(r) }
	for at > 0 && blank(b.prev(at)) {
		at = b.prev(at)
	}
	for at > 0 && !blank(b.prev(at)) {
		at = b.prev(at)
	}
	return at
}

// wordAt reports that a word's character or an atom stands at a place.
func (b *Buffer) wordAt(at int) bool {
	if b.text[at] == markByte {
		return true
	}
	r, _ := utf8.DecodeRuneInString(b.text[at:])
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
