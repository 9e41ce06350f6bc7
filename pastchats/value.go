package pastchats

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// value is one JSON value where it stands in a line. Nothing is copied until its
// text is asked for, and nothing that is not asked for is looked at twice. A
// value of the wrong kind gives nothing: text of a number is "". It accepts all
// that is JSON and some that is not; it ends on any input in linear time.
type value []byte

// parse gives the value that a line is, without the blanks around it.
func parse(line []byte) value { return value(bytes.Trim(line, " \t\r\n")) }

func (v value) isObject() bool { return len(v) > 1 && v[0] == '{' }
func (v value) isArray() bool  { return len(v) > 1 && v[0] == '[' }
func (v value) isString() bool { return len(v) > 1 && v[0] == '"' }

// fields calls each for every member of an object, in order. It reports whether
// the object is whole: what each was called with before a false cannot be
// believed, so a line is acted on only after fields has returned true. Of a name
// that is there twice the later one counts.
func (v value) fields(each func(key string, val value)) bool {
	return v.members(func(key []byte, val value) bool {
		each(string(key), val)
		return true
	})
}

// members is fields without a copy of the names; each returns false to stop.
func (v value) members(each func(key []byte, val value) bool) bool {
	if !v.isObject() {
		return false
	}
	i := blanks(v, 1)
	if i < len(v) && v[i] == '}' {
		return i+1 == len(v)
	}
	for i < len(v) {
		if v[i] != '"' {
			return false
		}
		end, ok := skip(v, i)
		if !ok {
			return false
		}
		key := v[i+1 : end-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			key = []byte(value(v[i:end]).text())
		}
		i = blanks(v, end)
		if i >= len(v) || v[i] != ':' {
			return false
		}
		i = blanks(v, i+1)
		end, ok = skip(v, i)
		if !ok {
			return false
		}
		if !each(key, v[i:end]) {
			return true
		}
		i = blanks(v, end)
		if i >= len(v) {
			return false
		}
		if v[i] == '}' {
			return i+1 == len(v)
		}
		if v[i] != ',' {
			return false
		}
		i = blanks(v, i+1)
	}
	return false
}

// items calls each for every element of an array until it returns false, and
// reports whether the array is whole as far as it was walked.
func (v value) items(each func(val value) bool) bool {
	if !v.isArray() {
		return false
	}
	i := blanks(v, 1)
	if i < len(v) && v[i] == ']' {
		return i+1 == len(v)
	}
	for i < len(v) {
		end, ok := skip(v, i)
		if !ok {
			return false
		}
		if !each(v[i:end]) {
			return true
		}
		i = blanks(v, end)
		if i >= len(v) {
			return false
		}
		if v[i] == ']' {
			return i+1 == len(v)
		}
		if v[i] != ',' {
			return false
		}
		i = blanks(v, i+1)
	}
	return false
}

// get is the member at a path of names, nil when there is none.
func (v value) get(path ...string) value {
	for _, name := range path {
		var at value
		v.members(func(key []byte, val value) bool {
			if string(key) == name {
				at = val
			}
			return true
		})
		v = at
	}
	return v
}

// is reports that the value is the string s.
func (v value) is(s string) bool {
	if !v.isString() {
		return false
	}
	inner := v[1 : len(v)-1]
	return string(inner) == s || bytes.IndexByte(inner, '\\') >= 0 && v.text() == s
}

// bool reports that the value is true.
func (v value) bool() bool { return string(v) == "true" }

// number is the value as a number, also when it is written as a string.
func (v value) number() (float64, bool) {
	s := string(v)
	if v.isString() {
		s = strings.TrimSpace(v.text())
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, false
	}
	return f, true
}

// int is number as a whole number within ±2^53, 0 when it is none.
func (v value) int() int64 {
	f, ok := v.number()
	if !ok || math.Abs(f) > 1<<53 {
		return 0
	}
	return int64(f)
}

// text is a string's text, "" for anything else. Halves of pairs and bytes that
// are no UTF-8 become U+FFFD.
func (v value) text() string {
	if !v.isString() {
		return ""
	}
	s := v[1 : len(v)-1]
	i := bytes.IndexByte(s, '\\')
	if i < 0 {
		return valid(string(s))
	}
	b := make([]byte, 0, len(s))
	for i >= 0 && i+1 < len(s) {
		b = append(b, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'u':
			r, n := hex4(s)
			s = s[n:]
			if utf16.IsSurrogate(r) {
				if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
					low, n := hex4(s[2:])
					if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
						r, s = pair, s[2+n:]
					}
				}
				if utf16.IsSurrogate(r) {
					r = utf8.RuneError
				}
			}
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, c)
		}
		i = bytes.IndexByte(s, '\\')
	}
	b = append(b, s...)
	return valid(string(b))
}

// valid replaces each byte that is no UTF-8 by U+FFFD, as encoding/json does.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	b := make([]byte, 0, len(s)+len(s)/2)
	for _, r := range s {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// hex4 reads four hex digits, and how many bytes they are: 0 when they are none.
func hex4(s []byte) (r rune, n int) {
	if len(s) < 4 {
		return utf8.RuneError, 0
	}
	for _, c := range s[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return utf8.RuneError, 0
		}
		r = r<<4 | rune(c)
	}
	return r, 4
}

func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skip gives the end of the value that begins at i, without looking into it.
func skip(b []byte, i int) (end int, ok bool) {
	if i >= len(b) {
		return 0, false
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch c := b[i]; {
			case c == '"':
				if i, ok = skipString(b, i); !ok {
					return 0, false
				}
				continue
			case c|0x20 == '{': // [ and {
				depth++
			case c|0x20 == '}': // ] and }
				if depth--; depth == 0 {
					return i + 1, true
				}
			}
			i++
		}
		return 0, false
	}
	end = i
	for end < len(b) && strings.IndexByte("+-.0123456789Eaeflnrstu", b[end]) >= 0 {
		end++
	}
	return end, end > i
}

const (
	ones    = 0x0101010101010101
	highs   = 0x80 * ones
	quotes  = '"' * ones
	slashes = '\\' * ones

	near = 32 // bytes that are looked through eight at a time before a far search pays
)

// skipString gives the end of the string whose first quote is at i. Where quotes
// stand close together it looks at eight bytes at a time, else for the next quote;
// a quote after an odd number of backslashes is text.
func skipString(b []byte, i int) (end int, ok bool) {
	at := i + 1 // nothing before it escapes what stands at it
	for far := at + near; ; {
		for at < far && at+8 <= len(b) {
			word := binary.LittleEndian.Uint64(b[at:])
			q, s := word^quotes, word^slashes
			// The high bit of every byte that is a quote or a backslash.
			hit := ^(q&^highs + ^uint64(highs) | q) | ^(s&^highs + ^uint64(highs) | s)
			hit &= highs
			at += 8
			for hit != 0 {
				k := bits.TrailingZeros64(hit)
				if word>>(k-7)&0xff == '"' {
					return at - 8 + k>>3 + 1, true
				}
				if k == 63 {
					at++ // what is escaped is the next word's first byte
				} else if word>>(k+1)&0xff == '"' {
					far = at + near
				}
				hit &= ^uint64(0) << (k + 9)
			}
		}
		if at >= len(b) {
			return 0, false
		}
		j := bytes.IndexByte(b[at:], '"')
		if j < 0 {
			return 0, false
		}
		back := at + j
		for back > at && b[back-1] == '\\' {
			back--
		}
		at += j + 1
		if (at-1-back)%2 == 0 {
			return at, true
		}
		if j < near {
			far = at + near
		}
	}
}
