package redact

// lookIdentified takes the password of IDENTIFIED … BY '…'.
func lookIdentified(s *scan, b, e int) {
	const window = 64
	for i := b - 1; i >= s.done && b-i < window && s.text[i] != ';' && s.text[i] != '\''; i-- {
		if fold(s.text[i]) == 'i' && s.follows(i, "identified") {
			s.takeValue(place{at: e - 1, op: opFlag, label: span{b, e}}, aPassword)
			return
		}
	}
}

// lookIdentifiedBy takes what follows the words at once, quoted or not.
func lookIdentifiedBy(s *scan, b, e int) {
	op := opFlag
	if c := s.byteAt(e); c != '\'' && c != '"' {
		if !isIn(an, c) {
			return
		}
		op = opProse // the words are prose too
	}
	s.takeValue(place{at: e, op: op, label: span{b, e}}, aPassword)
}

// lookSetPassword takes the password of SET PASSWORD FOR user = '…', and of
// PASSWORD('…') there.
func lookSetPassword(s *scan, b, e int) {
	const window = 96
	s.short = s.short || len(s.text)-e < window
	for i := e; i < len(s.text) && i-e < window && s.text[i] != ';' && s.text[i] != '\n'; i++ {
		if s.text[i] != '=' && s.text[i] != ':' {
			continue
		}
		i = s.blanks(i + 1)
		if s.follows(i, "password(") {
			i += len("password(")
		}
		if c := s.byteAt(i); c == '\'' || c == '"' {
			s.takeAt(place{at: i, op: opFlag, label: span{b, e}})
			return
		}
	}
}
