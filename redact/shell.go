package redact

import "strings"

// commandEnd gives the end of the command that i is in, at most a window further.
func (s *scan) commandEnd(i int) int {
	const window = 256
	end := min(len(s.text), i+window)
	for j := i; j < end; j++ {
		switch c := s.text[j]; {
		case c == '\n' || c == '|' || c == ';':
			return j
		case c == '\\' && s.byteAt(j+1) == 'n':
			return j
		}
	}
	s.short = s.short || end == len(s.text)
	return end
}

// option takes the value of the first of a command's options of that letter. A
// command line is looked through once.
func (s *scan) option(from int, option string, attached bool) {
	if from < s.line {
		return
	}
	end := s.commandEnd(from)
	s.line = end
	for at := from; at < end; {
		n := strings.Index(s.text[at:end], option)
		if n < 0 {
			return
		}
		at += n + len(option)
		if c := s.byteAt(at); isBlank(c) || c == '=' || attached && c != '-' {
			s.takeAt(place{at: s.skip(at, 1, " ="), op: opFlag, label: span{from, from}})
			return
		}
	}
}

// takeAt takes a password further on, when the scan is there.
func (s *scan) takeAt(p place) {
	s.postpone(later{span: span{from: p.at}, place: p, kind: aPassword})
}

func lookSSHPass(s *scan, _, e int) { s.option(e, " -p", true) }

func lookLogin(s *scan, _, e int) { s.option(e-1, " -p", true) }

func lookSQLCmd(s *scan, _, e int) { s.option(e-1, " -P", true) }

func lookRedis(s *scan, _, e int) { s.option(e, " -a", false) }

// lookLoginKey takes a key that is the only argument of a login: wandb login x.
func lookLoginKey(s *scan, b, e int) {
	const shortest = 24
	to := s.run(url, e)
	if v := s.text[e:to]; to-e >= shortest && !isPlaceholder(v) {
		if sh := shapeOf(v); isHexKey(v) || sh.isRandom() && sh.soft == 0 && sh.digits > 2 {
			s.take(e, to)
		}
	}
}

// lookMySQL takes the password that is attached to -p.
func lookMySQL(s *scan, _, e int) {
	if e < s.line {
		return
	}
	end := s.commandEnd(e)
	s.line = end
	for at := e; at < end; {
		n := strings.Index(s.text[at:end], " -p")
		if n < 0 {
			return
		}
		at += n + len(" -p")
		if c := s.byteAt(at); !isBlank(c) && c != 0 {
			s.takeAt(place{at: at, op: opFlag, tight: true, label: span{e, e}})
			return
		}
	}
}

// lookCurl takes the password of -uuser:password, with no blank between.
func lookCurl(s *scan, _, e int) {
	const window = 256
	at := e - 1
	n := strings.Index(s.text[at:min(len(s.text), at+window)], " -u")
	s.short = s.short || len(s.text)-at < window
	if n < 0 || s.commandEnd(e) < at+n {
		return
	}
	at += n + len(" -u")
	colon := at
	for colon-at < 64 && isIn(userName, s.byteAt(colon)) && s.byteAt(colon) != 0 {
		colon++
	}
	if colon > at && s.byteAt(colon) == ':' && s.byteAt(colon+1) != ':' {
		s.takeAt(place{at: colon + 1, op: opFlag, tight: true, label: span{at, at}})
	}
}

// lookUser takes the password of -u user:password, as curl and others have it.
func lookUser(s *scan, b, e int) {
	i := s.skip(e, 8, " \\\"'")
	colon := i
	for colon-i < 64 && isIn(userName, s.byteAt(colon)) && s.byteAt(colon) != 0 {
		colon++
	}
	if colon == i && fold(s.text[e-1]) != ' ' && s.byteAt(e-1) != '\'' || s.byteAt(colon) != ':' || s.byteAt(colon+1) == ':' {
		return
	}
	s.takeValue(place{at: colon + 1, op: opFlag, tight: true, label: span{b, e}}, aPassword)
}
