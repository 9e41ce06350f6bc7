package redact

import "strings"

// alphabet is the set of bytes that a key's body is made of.
type alphabet uint8

const (
	an       alphabet = iota // letters and digits
	hex                      // 0-9 a-f, either case
	url                      // an - _
	urlDot                   // url .
	urlPct                   // url % + / =, for keys that stand in cookies
	b64                      // an + / =
	b64url                   // b64 - _
	anUnder                  // an _
	anDash                   // an -
	hexDash                  // hex -
	hexUnder                 // hex _
	path                     // url /
	secret                   // url . ~
	token                    // url . ~ + / =, for what follows Bearer
	cookieName
	cookieValue
	urlPctTilde // what a value in an address is made of
	userName
	digits
	alphabets
)

// member has, for each byte, a bit for each alphabet it belongs to.
var member = members()

func members() (m [256]uint32) {
	extra := [alphabets]string{url: "-_", urlDot: "-_.", urlPct: "-_%+/=", b64: "+/=", b64url: "+/=-_", anUnder: "_", anDash: "-",
		hexDash: "-", hexUnder: "_", path: "-_/", secret: "-_.~", cookieName: "-_.$", cookieValue: "-_.~+/=%:|!*@", urlPctTilde: "-_.~+/=%", userName: "-_.@+%", token: "-_.~+/="}
	for b := range 256 {
		c := byte(b)
		digit := c >= '0' && c <= '9'
		letter := fold(c) >= 'a' && fold(c) <= 'z'
		for a := range alphabets {
			in := digit || strings.IndexByte(extra[a], c) >= 0
			switch a {
			case digits:
			case hex, hexDash, hexUnder:
				in = in || letter && fold(c) <= 'f'
			default:
				in = in || letter
			}
			if in {
				m[b] |= 1 << a
			}
		}
	}
	return m
}

func isIn(a alphabet, b byte) bool { return member[b]&(1<<a) != 0 }

// run gives the end of the run of an alphabet that begins at from. A run is
// measured once: from a place inside it the end is known.
func (s *scan) run(a alphabet, from int) int {
	if r := &s.runs[a]; from < r.from || from > r.to || r.to == 0 {
		to := from
		for to < len(s.text) && isIn(a, s.text[to]) {
			to++
		}
		*r = span{from, to}
	}
	s.short = s.short || s.runs[a].to == len(s.text)
	return s.runs[a].to
}

// back gives the beginning of the run that ends before to, at most max bytes
// back and never inside a secret that was found.
func (s *scan) back(a alphabet, to, max int) int {
	from := to
	for from > s.done && to-from < max && isIn(a, s.text[from-1]) {
		from--
	}
	return from
}

// beginsAt reports that a key can begin at i: what stands before is not a letter
// or digit of the same word.
func (s *scan) beginsAt(i int) bool {
	if i == s.done || i == 0 {
		return true
	}
	if !isIn(url, s.text[i-1]) {
		return true
	}
	return s.afterEscape(i)
}

// afterEscape reports that the letter or digit before i is not a part of a word:
// it ends an ANSI colour, or an escape of JSON or of an address.
func (s *scan) afterEscape(i int) bool {
	if i <= s.done {
		return i == s.done
	}
	before := s.text[max(s.done, i-24):i]
	n := len(before)
	last := before[n-1]
	switch {
	case last == 'm' && endsColour(before[:n-1]):
		return true
	case n >= 2 && before[n-2] == '\\' && strings.IndexByte("nrtbf", last) >= 0:
		return true
	case n >= 3 && before[n-3] == '%' && isIn(hex, before[n-2]) && isIn(hex, last):
		return true
	case n >= 6 && before[n-6] == '\\' && before[n-5] == 'u':
		return isIn(hex, before[n-4]) && isIn(hex, before[n-3]) && isIn(hex, before[n-2]) && isIn(hex, last)
	}
	return false
}

// endsColour reports that s ends in the beginning of a colour sequence, in bytes
// or written out.
func endsColour(s string) bool {
	s = strings.TrimRight(s, "0123456789;:")
	s, ok := strings.CutSuffix(s, "[")
	if !ok {
		return false
	}
	for _, esc := range []string{"\x1b", `\u001b`, `\u001B`, `\x1b`, `\x1B`, `\033`, `\e`, "^["} {
		if strings.HasSuffix(s, esc) {
			return true
		}
	}
	return false
}

// looked is how much of a body tells whether it is one.
const looked = 64

// varied reports that a body could be a key: eight different characters, and a
// digit or both cases. Where the prefix is weak, such as "sk-", it takes two
// digits and an upper-case letter, or hex alone. A documented example is none.
func (s *scan) varied(from, to int, weak bool) bool {
	body := s.text[from:min(to, from+looked)]
	var seen [4]uint64
	different, digit, upper, lower := 0, 0, 0, 0
	for i := range len(body) {
		b := body[i]
		if seen[b>>6]&(1<<(b&63)) == 0 {
			seen[b>>6] |= 1 << (b & 63)
			different++
		}
		switch {
		case b >= '0' && b <= '9':
			digit++
		case b >= 'A' && b <= 'Z':
			upper++
		case b >= 'a' && b <= 'z':
			lower++
		}
	}
	switch {
	case different < 8 || strings.Contains(body, "EXAMPLE"):
		return false
	case weak:
		return digit >= 2 && (upper > 0 || s.run(hex, from) == to)
	}
	return digit > 0 || upper > 0 && lower > 0
}
