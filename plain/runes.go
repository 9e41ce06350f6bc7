package plain

import "unicode"

// isInvisible holds for runes that show nothing and only change, hide or order
// others: bidi controls, zero-width spaces and operators, fillers, tags. The
// joiners and variation selectors are decided on by what stands before them.
func isInvisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5:
		return true
	case r < 0x200b:
		return false
	case r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r == 0x3164, r == 0xfeff, r == 0xffa0, r >= 0xfff0 && r <= 0xfffb:
		return true
	case r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a:
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff
}

func isNonCharacter(r rune) bool {
	return r >= 0xfdd0 && r <= 0xfdef || r&0xfffe == 0xfffe
}

// isMark holds for what is drawn onto the character before it: combining marks
// and the skin tones of emoji.
func isMark(r rune) bool {
	switch {
	case r < 0x300, r >= 0x2000 && r < 0x20d0, r >= 0x3400 && r < 0xa66f, r >= 0xac00 && r < 0xfb1e:
		return false // the blocks without any, for speed
	}
	return unicode.In(r, unicode.Mn, unicode.Me) || r >= 0x1f3fb && r <= 0x1f3ff
}

// isPictograph covers what can stand in a joined emoji, somewhat widely: a
// joiner between two symbols hides nothing.
func isPictograph(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2600 && r <= 0x27bf, r >= 0x2b00 && r <= 0x2bff:
		return true
	case r >= 0x2190 && r <= 0x23ff, r >= 0x25a0 && r <= 0x25ff, r == 0x2934, r == 0x2935:
		return true
	}
	return r == 0xa9 || r == 0xae || r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 || r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299
}

// takesVariation holds for runes that a variation selector may follow.
func takesVariation(r rune) bool {
	if r < 0x80 {
		return r >= '0' && r <= '9' || r == '#' || r == '*'
	}
	return r != 0xfffd && unicode.In(r, unicode.L, unicode.N, unicode.S, unicode.P)
}

// joining lists the scripts in which a joiner or non-joiner changes the shape of
// a word, so that text would be wrong without it.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Phags_Pa, unicode.Adlam,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese,
}

func needsJoiners(r rune) bool {
	return r >= 0x600 && unicode.IsOneOf(joining, r) && (unicode.IsLetter(r) || unicode.IsMark(r))
}
