package edit

import (
	"strings"
	"unicode/utf8"
)

// Atom is one place in the text that stands for something else.
type Atom struct {
	Label string // what is drawn, harmless and of one line
	Text  string // what Text gives in its place
	Value any    // the user's own
}

// An atom stands in the text as a mark of four bytes that no valid UTF-8 holds:
// 0xFF and its number in three bytes of six bits each.
const (
	markByte = 0xFF
	markLen  = 4
	maxAtoms = 1 << 18
)

// InsertAtom puts an atom at the cursor.
func (b *Buffer) InsertAtom(a Atom) { b.ReplaceWithAtom(b.cursor, b.cursor, a) }

// ReplaceWithAtom puts an atom in the place of the bytes from..to of the kept
// text. A cursor behind them stays where it is in the text.
func (b *Buffer) ReplaceWithAtom(from, to int, a Atom) {
	a.Text = clean(a.Text)
	if len(b.atoms) >= maxAtoms {
		b.Replace(from, to, a.Text, Pasted)
		return
	}
	behind := b.cursor - to
	b.atoms = append(b.atoms, a)
	b.replace(from, to, mark(len(b.atoms)-1), Pasted, false)
	if behind > 0 {
		b.cursor = b.boundary(from + markLen + behind)
	}
	b.last = moved
}

// OpenAtom puts the text of the atom at the cursor, else of the last one for
// which ok gives true, in its place. It reports whether there was one.
func (b *Buffer) OpenAtom(ok func(Atom) bool) bool {
	at := -1
	switch {
	case b.isMark(b.cursor) && ok(b.atom(b.cursor)):
		at = b.cursor
	case b.isMark(b.cursor-markLen) && ok(b.atom(b.cursor-markLen)):
		at = b.cursor - markLen
	default:
		for i := strings.LastIndexByte(b.text, markByte); i >= 0; i = strings.LastIndexByte(b.text[:i], markByte) {
			if ok(b.atom(i)) {
				at = i
				break
			}
		}
	}
	if at < 0 {
		return false
	}
	b.Replace(at, at+markLen, b.atom(at).Text, Pasted)
	return true
}

// Atoms are those that stand in the text, in order.
func (b *Buffer) Atoms() []Atom {
	var found []Atom
	for i := strings.IndexByte(b.text, markByte); i >= 0; {
		found = append(found, b.atom(i))
		n := strings.IndexByte(b.text[i+markLen:], markByte)
		if n < 0 {
			break
		}
		i += markLen + n
	}
	return found
}

// AtomAt is the atom whose mark begins at a byte of the kept text.
func (b *Buffer) AtomAt(at int) (Atom, bool) {
	if !b.isMark(at) {
		return Atom{}, false
	}
	return b.atom(at), true
}

func mark(n int) string {
	return string([]byte{markByte, 0x80 | byte(n>>12&0x3f), 0x80 | byte(n>>6&0x3f), 0x80 | byte(n&0x3f)})
}

func (b *Buffer) isMark(at int) bool {
	return at >= 0 && at+markLen <= len(b.text) && b.text[at] == markByte
}

func (b *Buffer) atom(at int) Atom {
	s := b.text[at:]
	return b.atoms[int(s[1]&0x3f)<<12|int(s[2]&0x3f)<<6|int(s[3]&0x3f)]
}

// open puts each atom's text in the place of its mark.
func (b *Buffer) open(s string) string {
	i := strings.IndexByte(s, markByte)
	if i < 0 {
		return s
	}
	var out strings.Builder
	for ; i >= 0; i = strings.IndexByte(s, markByte) {
		out.WriteString(s[:i])
		n := int(s[i+1]&0x3f)<<12 | int(s[i+2]&0x3f)<<6 | int(s[i+3]&0x3f)
		out.WriteString(b.atoms[n].Text)
		s = s[i+markLen:]
	}
	out.WriteString(s)
	return out.String()
}

// Draft is a buffer's content, to be put back later into this or another one.
type Draft struct {
	text  string
	atoms []Atom
	lead  lead
}

// Draft gives what stands in the buffer.
func (b *Buffer) Draft() Draft {
	d := Draft{lead: b.lead}
	var out strings.Builder
	s := b.text
	for i := strings.IndexByte(s, markByte); i >= 0; i = strings.IndexByte(s, markByte) {
		out.WriteString(s[:i])
		n := int(s[i+1]&0x3f)<<12 | int(s[i+2]&0x3f)<<6 | int(s[i+3]&0x3f)
		out.WriteString(mark(len(d.atoms)))
		d.atoms = append(d.atoms, b.atoms[n])
		s = s[i+markLen:]
	}
	out.WriteString(s)
	d.text = out.String()
	return d
}

// TextDraft is a draft of plain text. typed says that its first character was.
func TextDraft(s string, typed bool) Draft {
	return Draft{text: clean(s), lead: lead{typed: typed, foreign: !typed}}
}

// AtomDraft is a draft of one atom.
func AtomDraft(a Atom) Draft {
	return Draft{text: mark(0), atoms: []Atom{a}, lead: lead{foreign: true}}
}

// Text is the draft's text with its atoms opened.
func (d Draft) Text() string {
	b := Buffer{atoms: d.atoms}
	return b.open(d.text)
}

// Atoms are those that stand in the draft, in order.
func (d Draft) Atoms() []Atom {
	b := Buffer{text: d.text, atoms: d.atoms}
	return b.Atoms()
}

// Shown is the draft's text with each atom's label in its place.
func (d Draft) Shown() string {
	labels := make([]Atom, len(d.atoms))
	for i, a := range d.atoms {
		labels[i] = Atom{Text: a.Label}
	}
	b := Buffer{atoms: labels}
	return b.open(d.text)
}

// Typed reports that the draft's first character was typed by a key.
func (d Draft) Typed() bool { return d.text != "" && d.lead.typed }

// Equal reports that two drafts hold the same.
func (d Draft) Equal(other Draft) bool {
	return d.Typed() == other.Typed() && len(d.atoms) == len(other.atoms) && d.text == other.text && d.Text() == other.Text()
}

// SetDraft replaces everything with a draft. Undo does not go behind it.
func (b *Buffer) SetDraft(d Draft) {
	b.Reset()
	b.text, b.atoms = d.text, append([]Atom(nil), d.atoms...)
	b.lead = d.lead
	b.cursor = len(b.text)
	b.layout()
}

// ruleOut reports a rune that draws nothing by itself or turns the text around.
func ruleOut(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r == 0x00ad, r == 0x061c, r == 0x180e, r == 0xfeff: // soft hyphen, Arabic letter mark, vowel separator, BOM
		return true
	case r >= 0x200b && r <= 0x200f && r != 0x200d, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfff9 && r <= 0xfffb:
		return true
	case r >= 0x0600 && r <= 0x0605, r == 0x06dd, r == 0x070f, r == 0x0890, r == 0x0891, r == 0x08e2, r == 0x110bd, r == 0x110cd: // signs that reach over what follows
		return true
	}
	return false
}

// tags are the invisible letters of flag sequences.
func tag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

const blackFlag = 0x1f3f4

// odd reports a cluster that would not be seen as what it is.
func odd(cluster string) bool {
	first, _ := utf8.DecodeRuneInString(cluster)
	for _, r := range cluster {
		if ruleOut(r) || tag(r) && first != blackFlag {
			return true
		}
	}
	return false
}
