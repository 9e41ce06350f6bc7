package redact

import (
	"encoding/base64"
	"strings"
)

// lookBearer takes a token after the word, wherever it stands.
func lookBearer(s *scan, b, e int) {
	if !s.beginsAt(b) {
		return
	}
	const shortest = 12
	from := s.skipQuotes(e)
	to := s.trimDots(from, s.run(token, from))
	if s.byteAt(to) == '%' && to > from && isIn(hex, s.byteAt(to+1)) && isIn(hex, s.byteAt(to+2)) {
		to = max(to, s.run(urlPct, from))
	}
	if to-from >= shortest && s.text[from] != '+' && (s.digitIn(from, to) || s.oddIn(from, to)) && !isPlaceholder(s.text[from:to]) && !s.isWords(from, to) {
		s.take(from, to)
	}
}

// isWords reports names joined by marks, such as token-based-auth, or one word.
func (s *scan) isWords(from, to int) bool {
	v := s.text[from:to]
	sh := shapeOf(v)
	return !sh.isRandom() && !sh.isPassphrase(v, false) && sh.symbols == 0 && (sh.soft > 0 && sh.digits < 4 || sh.digits < 2 && sh.upper == 0)
}

func (s *scan) oddIn(from, to int) bool {
	sh := shapeOf(s.text[from:to])
	return sh.oddCase()
}

// lookBasic takes what follows the word alone when it is base64 of "user:password".
func lookBasic(s *scan, b, e int) {
	if !s.beginsAt(b) {
		return
	}
	from := s.skipQuotes(e)
	to := s.run(b64, from)
	if isBasic(s.text[from:to]) {
		s.take(from, to)
	}
}

// isBasic reports base64 of printable text with a colon.
func isBasic(v string) bool {
	const shortest, longest = 8, 512
	v = strings.TrimRight(v, "=")
	if len(v) < shortest || len(v) > longest {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(v)
	if err != nil {
		return false
	}
	colon := false
	for i, c := range raw {
		if c < ' ' || c > '~' {
			return false
		}
		colon = colon || c == ':' && i < len(raw)-1
	}
	return colon
}

// schemes come before the secret in an Authorization header.
var schemes = []string{"bearer", "basic", "token", "apikey", "api-key", "digest", "key", "bot", "ssws", "geniekey", "oauth", "dpop", "splunk", "negotiate", "ntlm", "jwt"}

// lookAuthorization takes what the header or setting of that name carries, after
// its scheme when there is one.
func lookAuthorization(s *scan, b, e int) {
	i := s.colours(s.skipQuotes(e))
	switch c := s.byteAt(i); {
	case c == '=' && s.byteAt(i+1) == '>':
		i++
	case c == ':' || c == '=' || c == ',':
	case s.follows(i, "\xef\xbc\x9a"):
		i += 2
	default:
		if i = s.pair(i); i == 0 {
			return
		}
		i--
	}
	i = s.colours(s.skipQuotes(s.skip(i+1, 4, "[ ")))
	for _, scheme := range schemes {
		if s.follows(i, scheme) && (isBlank(s.byteAt(i+len(scheme))) || s.byteAt(i+len(scheme)) == '=' || s.follows(i+len(scheme), "%20")) {
			from := i + len(scheme)
			if s.byteAt(from) == '%' {
				from += len("%20")
			}
			from = s.skipQuotes(s.skip(from, 1, "="))
			if s.follows(from, "token=") {
				from = s.skipQuotes(from + len("token="))
			}
			to := s.trimDots(from, s.run(token, from))
			if end := s.bareEnd(from); end > to && end-from < longestValue { // Bearer with what is no token
				to = s.trimDots(from, end)
			}
			if v := s.text[from:to]; to-from >= 8 && v[0] != '+' && (s.varied(from, to, false) || isBasic(v)) && !isPlaceholder(v) && !s.isWords(from, to) {
				s.take(from, to)
			}
			return
		}
	}
	// No scheme: only what cannot be words.
	to := s.trimDots(i, s.run(token, i))
	if to-i < 16 {
		return
	}
	v := s.text[i:to]
	if sh := shapeOf(v); (sh.isRandom() || isUUID(v) || isHexKey(v)) && sh.different >= 8 && !isPlaceholder(v) && !isReference(v, sh) && !isCode(v, sh, s.byteAt(to)) {
		s.take(i, to)
	}
}

// skipQuotes passes blanks, quotes and the backslashes before them, a few.
func (s *scan) skipQuotes(i int) int {
	for n := 0; n < 16 && i < len(s.text) && (strings.IndexByte(" \t\"'`", s.text[i]) >= 0 || s.text[i] == '\\' && strings.IndexByte(`\"'`, s.byteAt(i+1)) >= 0); n++ {
		i++
	}
	return i
}

func (s *scan) digitIn(from, to int) bool {
	return strings.ContainsAny(s.text[from:min(to, from+looked)], "0123456789")
}

// longestCookies is how far a list of cookies is looked through, in bytes.
const longestCookies = 8192

// lookCookie takes the values of cookies that are a session: in a header, a flag
// or a program's table of them.
func lookCookie(s *scan, b, e int) {
	if b < s.line {
		return // in a list that was looked through
	}
	i := e
	if fold(s.byteAt(i)) == 's' {
		i++
	}
	i = s.skipQuotes(i)
	switch c := s.byteAt(i); {
	case c == ':' || c == '=' && s.byteAt(i+1) != '=' || c == ',' || c == '(':
		i++
	case i > e && (s.isFlag(b)):
	default:
		return
	}
	s.cookies(i)
}

// lookCookieFlag takes the cookies that curl is given.
func lookCookieFlag(s *scan, _, e int) {
	if e > s.line {
		s.cookies(e)
	}
}

// cookies takes the sessions in the list of cookies at i, up to the end of its line.
func (s *scan) cookies(i int) {
	end := i
	for limit := min(len(s.text), i+longestCookies); end < limit && s.text[end] != '\n' && s.text[end] != '\r'; end++ {
		if s.text[end] == '\\' && (s.byteAt(end+1) == 'n' || s.byteAt(end+1) == 'r') {
			break
		}
	}
	s.short = s.short || end == len(s.text)
	s.line = end
	for i < end {
		name := s.skip(i, 16, " \t\"'`\\;,{([")
		i = name
		for i < end && isIn(cookieName, s.text[i]) {
			i++
		}
		nameEnd := i
		i = s.skip(i, 8, "\"'`\\")
		if i >= end || s.text[i] != '=' && s.text[i] != ':' {
			i = max(i, name) + 1
			continue
		}
		value := s.skip(i+1, 8, " \"'`\\")
		i = value
		for i < end && isIn(cookieValue, s.text[i]) {
			i++
		}
		if i-value >= 16 && isSessionName(s.text[name:nameEnd]) {
			if sh := shapeOf(s.text[value:i]); sh.different >= 8 && (sh.oddCase() || sh.digits > 1 && sh.letters() > 0) && !isPlaceholder(s.text[value:i]) && !isCode(s.text[value:i], sh, 0) {
				s.postpone(later{span: span{value, i}})
			}
		}
	}
}

// isSessionName reports that a cookie of the name holds a session.
func isSessionName(name string) bool {
	if len(name) > 128 {
		return false
	}
	name = strings.ToLower(name)
	return strings.Contains(name, "sess") || strings.Contains(name, "sid") && !strings.Contains(name, "side") || strings.Contains(name, "auth") && !strings.Contains(name, "author") ||
		strings.Contains(name, "token") || strings.Contains(name, "jwt")
}
