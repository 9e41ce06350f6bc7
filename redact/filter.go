package redact

import "sync"

// anchor is a fixed text at which a secret could begin, or a label end.
type anchor struct {
	text string                      // lower case for labels and formats; keys keep theirs
	gram int                         // where in the text the four bytes stand that the filter looks for
	pos  int                         // index into prefixes, or -1
	look func(s *scan, from, to int) // for labels and formats: looks at what stands there
}

// filter finds the places where four bytes of an anchor stand, whatever their
// case. One bit of a small table is looked at for a place, independent of the
// place before, so that the processor looks at several at once; a table of states
// would have to wait for each.
type filter struct {
	bits  [1 << hashBits / 64]uint64
	slot  [1 << hashBits]uint16 // index into heads, 0 for none
	heads [][]gramAnchors
}

// gramAnchors are the anchors that have one gram, the longest text first.
type gramAnchors struct {
	gram    uint32
	anchors []*anchor
}

const hashBits = 17

func hash(gram uint32) uint32 { return gram * 0x9E3779B1 >> (32 - hashBits) }

// foldGram makes both cases of letters alike; that it also makes some other bytes
// alike costs a look and no more.
const foldGram = 0x20202020

// theFilter is built when it is first needed and never changes.
var theFilter = sync.OnceValue(func() *filter {
	f := &filter{heads: make([][]gramAnchors, 1)}
	for i := range prefixes {
		f.add(&anchor{text: prefixes[i].text, pos: i})
	}
	for _, list := range [][]anchor{structures, labels} {
		for i := range list {
			a := list[i]
			a.pos = -1
			f.add(&a)
		}
	}
	return f
})

// add enters an anchor. One of less than four bytes stands under every gram that
// begins with it; one that only follows digits, under every digit before it.
func (f *filter) add(a *anchor) {
	var gram [4]byte
	if a.pos >= 0 && prefixes[a.pos].afterDigit {
		a.gram = -1
		for d := byte('0'); d <= '9'; d++ {
			gram[0] = d
			f.enter(a, gram, 1+copy(gram[1:], a.text))
		}
		return
	}
	f.enter(a, gram, copy(gram[:], a.text[a.gram:]))
}

func (f *filter) enter(a *anchor, gram [4]byte, n int) {
	if n == len(gram) {
		f.put(uint32(gram[0])|uint32(gram[1])<<8|uint32(gram[2])<<16|uint32(gram[3])<<24|foldGram, a)
		return
	}
	for b := range 256 {
		if c := byte(b); c&0x20 != 0 && (a.pos < 0 || isIn(prefixes[a.pos].alphabet, c) || isIn(prefixes[a.pos].alphabet, c&^0x20)) {
			gram[n] = c
			f.enter(a, gram, n+1)
		}
	}
}

func (f *filter) put(gram uint32, a *anchor) {
	h := hash(gram)
	f.bits[h/64] |= 1 << (h % 64)
	if f.slot[h] == 0 {
		f.slot[h] = uint16(len(f.heads))
		f.heads = append(f.heads, nil)
	}
	head := &f.heads[f.slot[h]]
	for i := range *head {
		g := &(*head)[i]
		if g.gram != gram {
			continue
		}
		at := 0
		for at < len(g.anchors) && len(g.anchors[at].text) >= len(a.text) {
			at++
		}
		g.anchors = append(g.anchors[:at], append([]*anchor{a}, g.anchors[at:]...)...)
		return
	}
	*head = append(*head, gramAnchors{gram, []*anchor{a}})
}

// next gives the first place from i on where a gram could stand, or a place less
// than four bytes before the end.
func (f *filter) next(text string, i int) int {
	for ; i+8 <= len(text); i += 4 {
		v := load64(text, i)
		a := hash(uint32(v) | foldGram)
		b := hash(uint32(v>>8) | foldGram)
		c := hash(uint32(v>>16) | foldGram)
		d := hash(uint32(v>>24) | foldGram)
		if f.bits[a/64]&(1<<(a%64)) != 0 {
			return i
		}
		if f.bits[b/64]&(1<<(b%64)) != 0 {
			return i + 1
		}
		if f.bits[c/64]&(1<<(c%64)) != 0 {
			return i + 2
		}
		if f.bits[d/64]&(1<<(d%64)) != 0 {
			return i + 3
		}
	}
	for ; i+4 <= len(text); i++ {
		if h := hash(load32(text, i) | foldGram); f.bits[h/64]&(1<<(h%64)) != 0 {
			return i
		}
	}
	return i
}

// at gives the anchors that could stand around the gram at i.
func (f *filter) at(text string, i int) []*anchor {
	gram := load32(text, i) | foldGram
	for _, g := range f.heads[f.slot[hash(gram)]] {
		if g.gram == gram {
			return g.anchors
		}
	}
	return nil
}

func load32(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func load64(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func fold(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// foldsTo reports that s is word, which is lower case, in any case.
func foldsTo(s, word string) bool {
	if len(s) != len(word) {
		return false
	}
	for i := range len(s) {
		if fold(s[i]) != word[i] {
			return false
		}
	}
	return true
}
