package cli

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"conch/redact"
)

// lineFilter takes secrets out of lines of JSON. What stays of a text keeps its
// spelling: secrets are cut out of the string as it is written, never written anew.
type lineFilter struct {
	plain int // lines that were no object with a text
	text  []byte
	out   []byte
}

// line gives the line that stands for another, both with their line end. It is good
// until the next call.
func (f *lineFilter) line(in []byte) []byte {
	body := bytes.TrimRight(in, "\r\n")
	end := in[len(body):]
	if len(bytes.TrimSpace(body)) == 0 {
		return in
	}
	raw, ok := textMember(body)
	if ok {
		f.text, ok = unquote(f.text[:0], raw)
	}
	if !ok {
		f.plain++
		raw, _ = json.Marshal(string(body))
		raw = raw[1 : len(raw)-1]
		f.text = append(f.text[:0], body...)
		if decoded, ok := unquote(nil, raw); ok {
			f.text = decoded // invalid UTF-8 was mended
		}
	}
	spans := redact.Find(string(f.text))
	f.out = append(f.out[:0], `{"text":"`...)
	f.out = appendCut(f.out, raw, spans)
	f.out = append(f.out, `","count":`...)
	f.out = strconv.AppendInt(f.out, int64(len(spans)), 10)
	f.out = append(f.out, '}')
	if len(end) == 0 {
		return append(f.out, '\n')
	}
	return append(f.out, end...)
}

// textMember gives the string of an object's member "text", as it is written
// between its quotes.
func textMember(line []byte) ([]byte, bool) {
	if raw, ok := onlyText(line); ok {
		return raw, true
	}
	var object struct {
		Text *json.RawMessage `json:"text"`
	}
	if json.Unmarshal(line, &object) != nil || object.Text == nil {
		return nil, false
	}
	raw := *object.Text
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	return raw[1 : len(raw)-1], true
}

// onlyText is the common line read fast: an object with a text and nothing else.
func onlyText(line []byte) ([]byte, bool) {
	rest := line
	for _, want := range []string{"{", `"text"`, ":", `"`} {
		rest = bytes.TrimLeft(rest, " \t")
		if len(rest) < len(want) || string(rest[:len(want)]) != want {
			return nil, false
		}
		rest = rest[len(want):]
	}
	for at := 0; ; {
		n := bytes.IndexByte(rest[at:], '"')
		if n < 0 {
			return nil, false
		}
		at += n
		slashes := 0
		for slashes < at && rest[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			after := bytes.TrimSpace(rest[at+1:])
			return rest[:at], len(after) == 1 && after[0] == '}'
		}
		at++
	}
}

// unquote appends what a JSON string says. Halves of surrogate pairs become U+FFFD,
// as they do for encoding/json. It reports whether the escapes are JSON's.
func unquote(to, raw []byte) ([]byte, bool) {
	for {
		n := bytes.IndexByte(raw, '\\')
		if n < 0 {
			return append(to, raw...), true
		}
		to = append(to, raw[:n]...)
		raw = raw[n:]
		r, size := escape(raw)
		if size == 0 {
			return to, false
		}
		to = utf8.AppendRune(to, r)
		raw = raw[size:]
	}
}

// escape reads the escape that raw begins with, and gives its length, 0 when it is
// none.
func escape(raw []byte) (rune, int) {
	if len(raw) < 2 {
		return 0, 0
	}
	switch raw[1] {
	case '"', '\\', '/':
		return rune(raw[1]), 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		high, ok := hex4(raw)
		if !ok {
			return 0, 0
		}
		if high < 0xd800 || high > 0xdfff {
			return high, 6
		}
		if high < 0xdc00 && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			if low, ok := hex4(raw[6:]); ok && low >= 0xdc00 && low <= 0xdfff {
				return (high-0xd800)<<10 | (low - 0xdc00) + 0x10000, 12
			}
		}
		return utf8.RuneError, 6
	}
	return 0, 0
}

// hex4 reads \uXXXX.
func hex4(raw []byte) (rune, bool) {
	if len(raw) < 6 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 32)
	return rune(n), err == nil
}

// appendCut appends a string as it is written, with the marker in place of the
// spans of what it says.
func appendCut(to, raw []byte, spans []redact.Span) []byte {
	at := 0 // in what it says
	for _, sp := range spans {
		n := written(raw, sp.From-at)
		to = append(to, raw[:n]...)
		to = append(to, redact.Marker...)
		raw = raw[n:]
		raw = raw[written(raw, sp.To-sp.From):]
		at = sp.To
	}
	return append(to, raw...)
}

// written gives the length in a string as it is written of the first n bytes of
// what it says.
func written(raw []byte, n int) int {
	at := 0
	for n > 0 {
		plain := bytes.IndexByte(raw[at:], '\\')
		if plain < 0 || plain >= n {
			return at + n
		}
		at += plain
		n -= plain
		r, size := escape(raw[at:])
		at += size
		n -= utf8.RuneLen(r)
	}
	return at
}
