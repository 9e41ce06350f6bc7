package handoff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tags are the names, letters only, of the tags that frame data for a provider:
// that of a block, and that of a command that the person ran.
var tags = []string{"earlierconversation", "personran", "fromconch", "agentsmd", "fromparticipant"}

// openers are the signs that a reader may take for the beginning of a tag.
const openers = "<＜﹤˂ᐸ≺⟨\u2329〈"

// between bounds what may stand between two letters of a tag's name, in
// characters: more than that nobody reads as one name.
const between = 64

// Defuse makes text unable to open or close the frames of what a provider is told.
// The sign before a tag's name becomes a "‹", in whatever case, width or script
// its letters are, and whatever blanks, dashes or invisible characters stand among
// them. All else stays as it is.
func Defuse(s string) string {
	if !strings.ContainsAny(s, openers) {
		return s
	}
	var b strings.Builder
	kept := 0
	for i, r := range s {
		if !strings.ContainsRune(openers, r) || !names(s[i+utf8.RuneLen(r):]) {
			continue
		}
		b.WriteString(s[kept:i] + "‹")
		kept = i + utf8.RuneLen(r)
	}
	if kept == 0 {
		return s
	}
	return b.String() + s[kept:]
}

// names reports that s begins with the name of a tag, as a reader may take it.
func names(s string) bool {
	alive := tags
	letters, skipped := 0, 0
	for _, r := range s {
		l := letterOf(r)
		if l == 0 {
			if skipped++; skipped > between {
				return false
			}
			continue
		}
		skipped = 0
		var still []string
		for _, name := range alive {
			if name[letters] != l && !(l == 'l' && name[letters] == 'i') && !(l == 'i' && name[letters] == 'l') {
				continue
			}
			if letters+1 == len(name) {
				return true
			}
			still = append(still, name)
		}
		if len(still) == 0 {
			return false
		}
		alive = still
		letters++
	}
	return false
}

// letterOf gives the small ASCII letter that a character looks like, 0 for what is
// no letter, and '?' for any other.
func letterOf(r rune) byte {
	switch {
	case r >= 'a' && r <= 'z':
		return byte(r)
	case r >= 'A' && r <= 'Z':
		return byte(r) + 'a' - 'A'
	case r < utf8.RuneSelf:
		switch r {
		case '0':
			return 'o'
		case '1', '|':
			return 'l'
		}
		if r >= '2' && r <= '9' {
			return '?'
		}
		return 0
	case r >= 'Ａ' && r <= 'Ｚ':
		return byte(r-'Ａ') + 'a'
	case r >= 'ａ' && r <= 'ｚ':
		return byte(r-'ａ') + 'a'
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical alphabets, 26 capitals and 26 small ones each
		return byte((r-0x1d400)%26) + 'a'
	case r >= 'Ⓐ' && r <= 'ⓩ':
		return byte((r-'Ⓐ')%26) + 'a'
	}
	if l, ok := alike[r]; ok {
		return l
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return '?'
	}
	return 0
}

// alike has the characters of other alphabets, and with marks, that look like the
// letters of the tags.
var alike = byCharacter(map[byte]string{
	'a': "аАαΑàáâãäåāăąɑᴀÀÁÂÃÄÅĀĂĄ",
	'c': "сСϲϹçćĉċčᴄÇĆĈĊČⅽⅭ",
	'e': "еЕεΕèéêëēĕėęěᴇℯℰÈÉÊËĒĔĖĘĚєЄ",
	'i': "іІιΙìíîïĩīĭįıɪίїЇÌÍÎÏĨĪĬĮİⅰⅠℹ",
	'l': "ӏӀℓʟⅼⅬłŁĺļľĹĻĽ∣ǀ",
	'n': "ոпηñńņňɴΝÑŃŅŇ",
	'o': "оОοΟòóôõöøōŏőᴏόºօÒÓÔÕÖØŌŎŐ०໐",
	'p': "рРρΡᴘþ",
	'r': "гŕŗřʀŔŖŘɼᴦ",
	's': "ѕЅśŝşšꜱŚŜŞŠʂ",
	't': "тТτΤţťŧᴛŢŤŦ",
	'v': "ѵѴνᴠⅴⅤ∨",
})

func byCharacter(letters map[byte]string) map[rune]byte {
	all := map[rune]byte{}
	for l, same := range letters {
		for _, r := range same {
			all[r] = l
		}
	}
	return all
}
