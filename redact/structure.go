package redact

import "strings"

// structures are the fixed texts of formats that carry a secret.
var structures = []prefix{
	{text: "-----BEGIN ", look: lookPEM, free: true},
	{text: "://", look: lookUserinfo, free: true},
	{text: "bearer ", look: lookBearer, anyCase: true},
	{text: "authorization", look: lookAuthorization, anyCase: true, free: true},
}

// lookPEM takes what stands between the marks of a private key, real line ends
// or written ones, quoted or not. A block that was cut off goes to the end of
// the text. Public keys and certificates stay.
func lookPEM(s *scan, _, body int) (int, int, bool) {
	const dashes, longest = "-----", 64
	head := s.text[body:min(len(s.text), body+longest)]
	n := strings.Index(head, dashes)
	if n < 0 || !strings.HasSuffix(strings.TrimSuffix(head[:n], " BLOCK"), "PRIVATE KEY") {
		return 0, 0, false
	}
	from := body + n + len(dashes)
	key := s.skipBreaks(from)
	if !s.keyBegins(key) {
		return 0, 0, false
	}
	to := s.pemEnd(key)
	for to > key && isBreak(s.text[to-1]) {
		to--
	}
	for to-key >= 2 && s.text[to-2] == '\\' && (s.text[to-1] == 'n' || s.text[to-1] == 'r') {
		to -= 2
		for to > key && s.text[to-1] == '\\' {
			to--
		}
	}
	return key, to, to > key
}

func isBreak(b byte) bool { return strings.IndexByte(" \t\r\n>|", b) >= 0 }

// skipBreaks passes white space, quoting and line ends that are written out.
func (s *scan) skipBreaks(i int) int {
	for i < len(s.text) {
		switch {
		case isBreak(s.text[i]):
			i++
		case s.text[i] == '\\':
			j := i
			for j < len(s.text) && s.text[j] == '\\' {
				j++
			}
			if j >= len(s.text) || strings.IndexByte("nrt", s.text[j]) < 0 {
				return i
			}
			i = j + 1
		default:
			return i
		}
	}
	return i
}

// keyBegins reports that a key's lines begin at i, or the lines that may stand
// before them. In source code that only speaks of the marks neither does.
func (s *scan) keyBegins(i int) bool {
	for _, header := range []string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:"} {
		if strings.HasPrefix(s.text[i:], header) {
			return true
		}
	}
	return s.run(b64, i)-i >= 16
}

// pemEnd gives where the next end mark stands, or the end of the text.
func (s *scan) pemEnd(from int) int {
	if from < s.end.from || from > s.end.to || s.end.to == 0 {
		to := len(s.text)
		if n := strings.Index(s.text[from:], "-----END"); n >= 0 {
			to = from + n
		}
		s.end = span{from, to}
	}
	return s.end.to
}

// lookUserinfo takes the password of scheme://user:password@host.
func lookUserinfo(s *scan, start, body int) (int, int, bool) {
	const longest = 512
	if start == 0 || !isIn(an, s.text[start-1]) {
		return 0, 0, false
	}
	colon, at := -1, -1
	for i := body; i < len(s.text) && i < body+longest; i++ {
		b := s.text[i]
		if b <= ' ' || strings.IndexByte("/?\"'`<>", b) >= 0 {
			break
		}
		switch {
		case b == ':' && colon < 0:
			colon = i
		case b == '@':
			at = i
		}
	}
	if colon < 0 || at <= colon+1 {
		return 0, 0, false
	}
	return colon + 1, at, !isPlaceholder(s.text[colon+1 : at])
}

// lookBearer takes a token after the word, wherever it stands.
func lookBearer(s *scan, _, body int) (int, int, bool) {
	from := s.skipQuotes(body)
	to := s.trimDots(from, s.run(token, from))
	return from, to, to-from >= 12 && s.digitIn(from, to) && !isPlaceholder(s.text[from:to])
}

// lookAuthorization takes what the header or setting of that name carries after
// its scheme.
func lookAuthorization(s *scan, _, body int) (int, int, bool) {
	i := s.skipQuotes(body)
	if i >= len(s.text) || s.text[i] != ':' && s.text[i] != '=' {
		return 0, 0, false
	}
	i = s.skipQuotes(i + 1)
	for _, scheme := range []string{"bearer", "basic", "token", "apikey", "digest"} {
		if len(s.text)-i > len(scheme) && strings.EqualFold(s.text[i:i+len(scheme)], scheme) && s.text[i+len(scheme)] == ' ' {
			from := s.skipQuotes(i + len(scheme))
			to := s.trimDots(from, s.run(token, from))
			return from, to, to-from >= 8 && s.varied(from, to, false) && !isPlaceholder(s.text[from:to])
		}
	}
	return 0, 0, false
}

// skipQuotes passes blanks, quotes and the backslashes before them, a few.
func (s *scan) skipQuotes(i int) int {
	for n := 0; n < 16 && i < len(s.text) && strings.IndexByte(" \t\"'`\\", s.text[i]) >= 0; n++ {
		i++
	}
	return i
}

func (s *scan) digitIn(from, to int) bool {
	return strings.ContainsAny(s.text[from:min(to, from+looked)], "0123456789")
}

// isPlaceholder holds for what stands where a secret would: a variable, a word
// in brackets, stars, the marker.
func isPlaceholder(v string) bool {
	switch {
	case v == "", strings.IndexByte("$<{", v[0]) >= 0, strings.HasPrefix(v, Marker), strings.Trim(v, "*xX.•…") == "":
		return true
	case v[0] == '%' && (len(v) == 2 || v[len(v)-1] == '%'):
		return true
	}
	switch strings.ToLower(v) {
	case "password", "passwd", "pass", "pwd", "secret", "token", "changeme", "user", "username":
		return true
	}
	return false
}
