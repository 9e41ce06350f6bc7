package redact

import "strings"

// shape is what a value is made of, as far as its first looked bytes tell.
type shape struct {
	n                    int // bytes looked at
	lower, upper, digits int
	symbols              int // what only a password has: ! # $ ^ * ? ~ + @ and the like
	soft                 int // what names and code have too: - _ . / : and brackets
	blanks               int
	high                 int // bytes of other scripts
	different            int // different bytes
	turns                int // changes between upper, lower, digits, symbols; marks between words are none
	camel                bool
	inside               bool // digits between letters, as in p4ss
	pairs, common        int  // letters that stand together, and how many of the pairs are common in words
	thisTurn             int
}

const shaped = 128

// classes of a byte
const (
	isOther = iota
	isLow
	isUp
	isDig
	isSoft
	isBlankByte
	isHigh
)

// classes has the class of each byte.
var classes = func() (of [256]uint8) {
	for b := range 256 {
		switch c := byte(b); {
		case isLower(c):
			of[b] = isLow
		case isUpper(c):
			of[b] = isUp
		case isDigit(c):
			of[b] = isDig
		case strings.IndexByte("-_./:,'|()[]{}<>=;\\\"`", c) >= 0:
			of[b] = isSoft
		case isBlank(c):
			of[b] = isBlankByte
		case c >= 0x80:
			of[b] = isHigh
		}
	}
	return of
}()

func shapeOf(v string) shape {
	var sh shape
	var seen [4]uint64
	v = v[:min(len(v), shaped)]
	sh.n = len(v)
	last := -1
	for i := range len(v) {
		b := v[i]
		if seen[b>>6]&(1<<(b&63)) == 0 {
			seen[b>>6] |= 1 << (b & 63)
			sh.different++
		}
		class := int(classes[b])
		switch class {
		case isLow:
			sh.lower++
		case isUp:
			sh.upper++
			if last == isLow {
				sh.camel = true
			}
		case isDig:
			sh.digits++
		case isSoft:
			sh.soft++
		case isBlankByte:
			sh.blanks++
			class = isOther
		case isHigh:
			sh.high++
			class = isOther
		default:
			sh.symbols++
		}
		if (class == isLow || class == isUp) && (last == isUp || last == class) {
			sh.pairs++
			if commonPairs[fold(v[i-1])-'a']&(1<<(fold(b)-'a')) != 0 {
				sh.common++
			}
		}
		if (class == isLow || class == isUp) && last == isDig && i > sh.thisTurn && isLetter(v[i-1-sh.thisTurn]) {
			sh.inside = true
		}
		if class != last && !(last == isUp && class == isLow && sh.thisTurn == 1) {
			if class != isSoft && last != isSoft {
				sh.turns++
			}
			sh.thisTurn = 0
		}
		sh.thisTurn++
		last = class
	}
	return sh
}

func (sh shape) letters() int { return sh.lower + sh.upper }

// isVaried reports that it is more than words: a digit, a symbol, or letters whose
// case follows no word.
func (sh shape) isVaried() bool {
	return sh.digits > 0 || sh.symbols > 0 || sh.oddCase() || sh.noWord()
}

// noWord holds for letters alone that are no word of a language written in them:
// too few of the pairs are such as words have.
func (sh shape) noWord() bool {
	return sh.n >= 10 && sh.letters() == sh.n && sh.common*2 < sh.pairs
}

// hasNoWords holds for letters and digits in which too few letters stand together as
// they do in words.
func (sh shape) hasNoWords() bool {
	if sh.n < 10 || sh.digits < 2 || sh.soft*8 > sh.n || sh.blanks+sh.high > 0 {
		return false
	}
	if sh.n >= 32 && sh.upper >= 6 && sh.lower >= 6 {
		return sh.common*10 < sh.pairs*7
	}
	if sh.n >= 20 && sh.upper >= 2 && sh.lower >= 2 {
		return sh.common*20 < sh.pairs*11
	}
	return sh.soft == 0 && sh.pairs >= 4 && sh.common*2 < sh.pairs
}

// oddCase holds for letters alone that change between cases as no name does.
func (sh shape) oddCase() bool {
	if sh.n < 8 || sh.upper < 2 || sh.lower < 2 || sh.soft*4 > sh.n || sh.blanks+sh.high > 0 {
		return false
	}
	if sh.turns*5 >= sh.n*2 {
		return true
	}
	if sh.soft > 0 {
		return false
	}
	if sh.turns*10 < sh.n*3 { // long parts, as of a name
		return sh.common*20 < sh.pairs*9
	}
	return sh.common*4 < sh.pairs*3
}

// commonPairs has for each letter the letters that often follow it in words of
// prose and names of code: 200 pairs, which are nine tenths of all.
var commonPairs = func() (follow [26]uint32) {
	for _, row := range []string{"abcdgilmnprst", "baeilou", "cacehiklorstu", "dadeilorsu", "eacdefglmnprstvx", "faefilor", "geinors", "haeio", "iabcdefglmnoprstvz", "ke", "ladeilostuy", "maeiopsu", "nacdefgiost",
		"obcdfglmnoprstuvw", "paeiloprstu", "qu", "racdeilmorstuy", "sacehilopstuy", "tacehiloprstuy", "ubeilmnprst", "vaei", "wai", "xt", "yps", "ze"} {
		for i := 1; i < len(row); i++ {
			follow[row[0]-'a'] |= 1 << (row[i] - 'a')
		}
	}
	return follow
}()

// isRandom reports that no words are in it: kinds of characters alternate.
func (sh shape) isRandom() bool {
	if sh.n < 8 || sh.different < 6 {
		return false
	}
	if sh.oddCase() || sh.noWord() {
		return true
	}
	if sh.letters() == 0 || sh.digits == 0 {
		return sh.symbols >= 2 && sh.letters() > 0 && sh.turns*5 >= sh.n*2
	}
	if sh.hasNoWords() {
		return true
	}
	if sh.n >= 12 && sh.soft == 0 && (sh.turns >= 4 && sh.digits*3 >= sh.n || sh.turns >= 3 && sh.digits*3 >= sh.n*2) {
		return true
	}
	least := 3 // turns in ten
	if sh.n < 16 {
		least = 4
	}
	return sh.turns*10 >= (sh.n-sh.soft)*least && sh.soft*4 <= sh.n && (sh.n >= 12 || sh.upper > 0 && sh.lower > 0 || sh.symbols > 0)
}

// isPassphrase reports words joined by one kind of mark with a number among them at
// an end: three-words-then-42. Two words do with a number of two digits, unless it is
// strict.
func (sh shape) isPassphrase(v string, strict bool) bool {
	if sh.soft+sh.symbols < 2 || sh.digits == 0 || sh.digits > 6 || sh.blanks > 0 || len(v) > 64 || sh.high > 0 {
		return false
	}
	mark := byte(0)
	words, numbers, word := 0, 0, 0
	for i := 0; i <= len(v); i++ {
		if i < len(v) && (isLetter(v[i]) || isDigit(v[i])) {
			continue
		}
		part := v[word:i]
		word = i + 1
		letters := strings.TrimRight(part, "0123456789")
		if letters == "" {
			if part == "" || numbers > 0 && words > 0 && i < len(v) {
				return false
			}
			numbers++
		} else {
			if strings.ContainsAny(letters, "0123456789") {
				return false
			}
			if len(letters) < len(part) {
				if numbers++; words > 0 && i < len(v) {
					return false
				}
			}
			if len(letters) >= 3 {
				words++
			}
		}
		if i < len(v) {
			if mark != 0 && v[i] != mark || v[i] == '/' || v[i] == ':' || v[i] == ',' {
				return false
			}
			mark = v[i]
		}
	}
	return numbers == 1 && words >= 2 && !namesStem(v) && (words >= 3 || sh.digits >= 2 && !strict) && (mark == '-' || words >= 3)
}

// isChosen holds for what people choose: a word with digits in it, or after it with a
// mark between.
func (sh shape) isChosen() bool {
	if sh.n < 8 || sh.n > 24 || sh.letters() < 3 || sh.blanks+sh.high > 0 || sh.soft > 2 {
		return false
	}
	return sh.inside || sh.digits >= 2
}

// hasRandomWord reports that one of several words is a password by itself.
func (sh shape) hasRandomWord(v string) bool {
	for word := range strings.FieldsSeq(v[:min(len(v), shaped)]) {
		w := shapeOf(word)
		if w.symbols > 0 && w.digits > 0 && w.letters() > 0 && w.isRandom() {
			return true
		}
	}
	return false
}

// isBase64Key reports 32 and more of base64 with all its kinds of characters, which a
// path could begin like.
func isBase64Key(v string, sh shape) bool {
	if sh.n < 32 || sh.upper < 4 || sh.lower < 4 || sh.digits == 0 || !sh.isRandom() {
		return false
	}
	for i := range len(v) {
		if !isIn(b64, v[i]) {
			return false
		}
	}
	return true
}

// isUUID reports 8-4-4-4-12 of hex.
func isUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if v[i] != '-' {
				return false
			}
		} else if !isIn(hex, v[i]) {
			return false
		}
	}
	return true
}

// isHexKey reports 32 and more of hex, letters and digits.
func isHexKey(v string) bool {
	if len(v) < 32 {
		return false
	}
	letters := false
	for i := range len(v) {
		if !isIn(hex, v[i]) {
			return false
		}
		letters = letters || isLetter(v[i])
	}
	return letters
}
