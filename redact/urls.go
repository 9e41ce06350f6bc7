package redact

import "strings"

// lookUserinfo takes the password of scheme://user:password@host.
func lookUserinfo(s *scan, start, body int) {
	const longest, afterSlash = 512, 64
	if start == 0 || !isIn(an, s.byteAt(start-1)) {
		return
	}
	colon, at, slash := -1, -1, -1
	s.short = s.short || len(s.text)-body < longest
scan:
	for i := body; i < len(s.text) && i < body+longest; i++ {
		switch b := s.text[i]; {
		case slash >= 0 && i-slash > afterSlash:
			s.short = false
			break scan
		case b <= ' ', b == '"', b == '\'', b == '`', b == '<', b == '>', b == '\\':
			s.short = false
			break scan
		case b == '/', b == '?':
			if slash < 0 {
				slash = i
			}
			if colon < 0 || at >= 0 || i == colon+1 || s.text[i-1] == '/' {
				s.short = false
				break scan
			}
			// A password may hold one; then what stands there is looked at twice.
		case b == ':' && colon < 0:
			colon = i
		case b == '@':
			at = i
		}
	}
	if colon < 0 || at <= colon+1 {
		return
	}
	if slash >= 0 && slash < at {
		if sh := shapeOf(s.text[colon+1 : at]); !sh.isRandom() || sh.digits == 0 || sh.upper == 0 || sh.lower == 0 || !isIn(an, s.byteAt(at+1)) {
			return
		}
	}
	v := s.text[colon+1 : at]
	if port := strings.TrimLeft(v, "0123456789"); len(v)-len(port) > 0 && len(port) > 0 && strings.IndexByte(",;)]}", port[0]) >= 0 {
		return // host:port, and something else with an @
	}
	if isPlaceholder(v) || strings.HasPrefix(v, "%") && len(v) == 2 {
		return
	}
	s.take(colon+1, at)
}

// lookDSN takes the password of user:password@tcp(host), as Go's driver of MySQL has
// it, with no scheme in front.
func lookDSN(s *scan, at, _ int) {
	const longest = 96
	colon := -1
	for i := at - 1; i >= s.done && at-i < longest; i-- {
		c := s.text[i]
		if c <= ' ' || strings.IndexByte("\"'`(){}<>,;\\", c) >= 0 {
			break
		}
		if c == ':' && s.text[i+1] != '/' {
			colon = i
		}
	}
	if colon < 0 || colon+1 >= at || isPlaceholder(s.text[colon+1:at]) {
		return
	}
	s.take(colon+1, at)
}

// lookQuery takes the value of a query parameter that is a key in an address alone:
// key, sig, signature, code.
func lookQuery(s *scan, b, e int) {
	const shortest = 16
	i := b
	for i > s.done && b-i < 32 && isIn(url, s.text[i-1]) {
		i--
	}
	before := s.byteAt(i - 1)
	if before == '\\' && s.follows(i, "u0026") { // "&" as JSON writes it
		i += len("u0026")
		before = '&'
	}
	if before != '?' && before != '&' && !(before == ';' && s.precedes(i, "&amp;")) {
		return
	}
	switch name := s.text[i:e]; {
	case i == b, strings.EqualFold(name, "X-Amz-Signature="), strings.EqualFold(name, "X-Goog-Signature="), strings.EqualFold(name, "api-key="):
	default:
		return
	}
	to := e
	for to < len(s.text) && to-e < longestValue && isIn(urlPctTilde, s.text[to]) {
		to++
	}
	to = s.trimDots(e, to)
	v := s.text[e:to]
	if to-e < shortest || isPlaceholder(v) {
		return
	}
	if c := fold(s.text[e-2]); (c == 'y' || c == 'e') && (strings.IndexByte(v, '+') >= 0 || strings.Count(v, "%") > 3 || strings.Contains(v, "%20") || strings.Contains(v, "%0A")) {
		return // a text, such as a program that is to be run
	}
	if sh := shapeOf(v); sh.different >= 8 && sh.digits > 0 && (sh.isRandom() || isUUID(v) || isHexKey(v) || sh.upper > 0 && sh.lower > 0) {
		s.take(e, to)
	}
}
