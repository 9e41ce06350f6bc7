package redact

import "strings"

// longestValue is how much of a labelled value goes at most, in bytes; what is
// longer is no password.
const longestValue = 4096

// takeValue takes the value at p when it is one.
func (s *scan) takeValue(p place, k kind) {
	i := s.beforeValue(p)
	if i < 0 {
		return
	}
	if from, to, ok := s.quoted(i); ok {
		if s.isValue(from, to, true, p, k) && s.take(from, to) {
			if j := s.changed(to); j > 0 {
				p.at = j
				s.postpone(later{span: span{from: j}, place: p, kind: k})
			}
		}
		return
	}
	if p.op == opList {
		return
	}
	if j := s.skip(i, 3, "*\"'`\\"); j > i { // Markdown's stars; a quote that nothing closes
		if strings.IndexByte("+.,:;)]}|& \n", s.byteAt(j)) >= 0 {
			return // the end of a string, and code
		}
		i = j
	}
	to := s.bareEnd(i)
	if to-i > longestValue || s.isLabelled(i, to) {
		return
	}
	to = s.trimBare(i, to, p)
	if c := s.byteAt(to); p.xml && (s.byteAt(i) == '@' || c != '<' && c != ']' && c != 0 && c != '\n' && c != '\r') {
		return
	}
	if s.isValue(i, to, false, p, k) {
		s.take(i, to)
	}
}

// changed gives where the new value stands in "old" -> "new", as plans write it, when
// the old one ended at to; or 0.
func (s *scan) changed(to int) int {
	i := s.blanks(s.skip(to, 8, "\\\"'"))
	if s.byteAt(i) != '-' || s.byteAt(i+1) != '>' {
		return 0
	}
	i = s.blanks(i + 2)
	if j := s.skip(i, 4, "\\"); s.byteAt(j) != '"' {
		return 0
	}
	return i
}

// wraps are calls that only wrap the value they are given, by their first byte.
var wraps = byFirst("[]byte(", "secretstr(", "secret(", "string(", "buffer.from(", "bytes(", "some(", "new string(", "string.valueof(", "securestring(", "sensitive(", "convertto-securestring -string ", "convertto-securestring ")

// beforeValue passes what may stand between an operator and its value: blanks,
// colours, a type with "=", the letter of a string, a call that only wraps. It
// gives -1 when no value can follow.
func (s *scan) beforeValue(p place) int {
	i := p.at
	if p.op == opColon && s.byteAt(i) == '<' && s.byteAt(i+1) == '/' { // <b>Token:</b> x
		for _, tag := range []string{"</b>", "</strong>", "</em>", "</span>", "</dt>", "</label>", "</code>"} {
			if s.follows(i, tag) {
				i = s.inner(i + len(tag))
				break
			}
		}
	}
	i = s.colours(s.blanks(s.colours(s.skip(i, 2, "*"))))            // the stars of Markdown close what the label opened
	if c := s.byteAt(i); (c == '|' || c == '>') && p.op == opColon { // a block of YAML
		j := s.blanks(s.skip(i+1, 1, "-+"))
		if c := s.byteAt(j); c != '\n' && c != '\r' {
			return -1
		}
		return s.blanks(s.skip(j, 2, "\r\n"))
	}
	if c := s.byteAt(i); (c == '\n' || c == '\r') && p.op != opList {
		// A value on the next line is believed when it is quoted, or a cell of XML.
		i = s.skip(i, 64, " \t\r\n")
		if c := s.byteAt(i); c != '"' && c != '\'' && p.op != opElement {
			return -1
		}
	}
	i = s.openQuote(i)
	if s.byteAt(i) == '<' && s.follows(i, "<![cdata[") {
		return i + len("<![cdata[")
	}
	if s.byteAt(i) == '{' && p.op == opColon { // {"value": "x"} of a setting
		if j := s.pair(i + 1); j > 0 {
			return s.blanks(j)
		}
	}
	for range 3 { // quotes and blanks as addresses and HTML write them
		n := s.writtenQuote(i)
		if n == 0 && s.follows(i, "%20") {
			n = len("%20")
		}
		i += n
	}
	if p.op == opColon {
		if j := s.typed(i); j > 0 {
			return j
		}
	}
	for _, wrap := range wraps[fold(s.byteAt(i))] {
		if s.follows(i, wrap) {
			i += len(wrap)
			break
		}
	}
	for n := 0; n < 2; n++ { // b"…", rb"…", @"…"
		if c := s.byteAt(i + n); c == '"' || c == '\'' {
			return i + n
		} else if strings.IndexByte("bBrRuUfF@LN", c) < 0 {
			break
		}
		if c := s.byteAt(i + n + 1); c == '"' || c == '\'' {
			return i + n + 1
		}
	}
	return i
}

// openQuote passes a quote of prose: of English, German, French, Chinese, Japanese.
func (s *scan) openQuote(i int) int {
	if s.byteAt(i) < 0xc2 {
		return i
	}
	for _, quote := range []string{"“", "‘", "„", "「", "『"} {
		if strings.HasPrefix(s.text[i:], quote) {
			return i + len(quote)
		}
	}
	if strings.HasPrefix(s.text[i:], "«") {
		i = s.blanks(i + len("«"))
	}
	return i
}

// typed passes a type that is followed by "=" and a quote, as in
// password: str = "x" and const password string = "x".
func (s *scan) typed(i int) int {
	j := i
	if strings.HasPrefix(s.text[min(i, len(s.text)):], Marker) {
		return 0
	}
	if s.byteAt(i)|0x20 == 'a' && s.follows(i, "as string") { // Visual Basic
		i += len("as ")
		j = i
	}
	for n := 0; n < 48 && (isIn(anUnder, s.byteAt(j)) || strings.IndexByte("&<>[]?.|'", s.byteAt(j)) >= 0 || j > i && s.byteAt(j) == ' ' && s.byteAt(i) == '&'); n++ {
		j++
	}
	if j == i || j-i >= 20 && shapeOf(s.text[i:j]).isRandom() { // base64 that ends in "="
		return 0
	}
	j = s.blanks(j)
	if s.byteAt(j) != '=' || s.byteAt(j+1) == '=' {
		return 0
	}
	j = s.blanks(j + 1)
	if c := s.byteAt(j); c != '"' && c != '\'' && c != '`' {
		return 0
	}
	return j
}

// quoted gives what stands between the quote at i and the one that closes it. A
// run of backslashes before a quote is a part of it: in JSON within JSON a quote
// with more backslashes is a quote of the value. A line end, real or written out,
// means that the quote was none.
func (s *scan) quoted(i int) (from, to int, ok bool) {
	depth := 0
	for s.byteAt(i+depth) == '\\' {
		depth++
		if depth > 16 {
			return 0, 0, false
		}
	}
	quote := s.byteAt(i + depth)
	if quote != '"' && quote != '\'' && quote != '`' {
		return 0, 0, false
	}
	from = i + depth + 1
	slashes := 0
	for j := from; j < len(s.text) && j-from <= longestValue; j++ {
		switch c := s.text[j]; {
		case c == '\\':
			slashes++
			continue
		case c == quote && slashes <= depth:
			return from, j - slashes, true
		case c == '\n' || c == '\r':
			return 0, 0, false
		case (c == 'n' || c == 'r') && slashes > 0 && slashes&1 == 1 && depth == 0 && j-from > 1:
			// "…\n" is a value with a line end after it.
			return from, j - slashes, true
		}
		slashes = 0
	}
	s.short = s.short || len(s.text)-from <= longestValue
	return 0, 0, false
}

// bareEnd gives the end of an unquoted value: a blank, a separator, a quote, an
// escape, or text in a script without blanks. A run is measured once.
func (s *scan) bareEnd(from int) int {
	if r := s.bare; from >= r.from && from < r.to {
		s.short = s.short || r.to == len(s.text)
		return r.to
	}
	i := from
	for ; i < len(s.text); i++ {
		c := s.text[i]
		if c > '<' && c < 0x7f && c != '\\' && c != '`' && c != '}' {
			continue
		}
		if c <= ' ' || c >= 0xe2 || c == 0x7f || c == 0xc2 && s.byteAt(i+1) == 0xbb || strings.IndexByte(",;&)}<\"'`", c) >= 0 {
			break
		}
		if c == '\\' && strings.IndexByte("nrtux\"'`\\/0e", s.byteAt(i+1)) >= 0 {
			break
		}
	}
	s.bare = span{from, i}
	s.short = s.short || i == len(s.text)
	return i
}

// trimBare leaves out what follows a value and is no part of it.
func (s *scan) trimBare(from, to int, p place) int {
	if p.op == opCell || p.op == opElement || p.op == opProse || p.op == opColon {
		if n := strings.IndexByte(s.text[from:to], '|'); n >= 0 && p.op == opCell {
			to = from + n
		}
		for to > from && s.text[to-1] == '.' {
			to--
		}
	}
	if to-from > 2 && s.text[to-1] == '*' && s.text[to-2] == '*' { // **bold**
		to -= 2
	}
	if to > from && s.text[to-1] == ']' && strings.IndexByte(s.text[from:to], '[') < 0 {
		to--
	}
	if n := strings.IndexByte(s.text[from:to], '%'); n > 0 { // a quote or an end as an address writes it
		for ; n+2 < to-from; n++ {
			if e := s.text[from+n : from+n+3]; e == "%22" || e == "%26" || e == "%27" && p.escaped || p.escaped && (e == "%2C" || e == "%7D" || e == "%20" || e == "%0A") {
				to = from + n
				break
			}
		}
	}
	if n := strings.Index(s.text[from:to], "]]>"); n > 0 {
		to = from + n
	}
	if p.op == opElement && to > from+1 && s.text[to-1] == '/' && s.byteAt(to) == '>' {
		to--
	}
	if n := strings.IndexByte(s.text[from:to], '>'); n >= 0 && s.byteAt(s.wordStart(p.label.from)-1) == '<' && p.op == opAssign {
		to = from + n
	}
	return to
}

// isLabelled reports that the value is itself a name with an operator, such as
// token=password=x: the inner one is looked at by itself.
func (s *scan) isLabelled(from, to int) bool {
	i := from
	for i < to && i-from < 40 && (isLetter(s.text[i]) || strings.IndexByte("_-.", s.text[i]) >= 0) {
		i++
	}
	return i > from && i+1 < to && (s.text[i] == '=' && s.text[i+1] != '=' || s.text[i] == ':' && isLetter(s.text[i-1]) && i-from < 12)
}

// isValue reports that what stands from, to after a label is a secret: not a
// placeholder, not code, not words.
func (s *scan) isValue(from, to int, quoted bool, p place, k kind) bool {
	const shortest, shortestProse = 6, 8
	n := to - from
	if n < shortest || n < shortestProse && (p.op == opProse || p.op == opCell || p.op == opColon && !quoted && !p.tight && k != aPassword) {
		return false
	}
	v := s.text[from:to]
	sh := shapeOf(v)
	if strings.IndexByte(v, '\\') >= 0 {
		sh = shapeOf(withoutEscapes(v))
	}
	if sh.different < 5 || sh.n < shortest || !sh.isVaried() || isPlaceholder(v) {
		return false
	}
	if !quoted && sh.symbols == 0 && namesStem(v) {
		return false
	}
	if isReference(v, sh) || isPattern(v, sh) {
		return false
	}
	if sh.blanks > 0 {
		return quoted && k == aPassword && sh.blanks < 4 && sh.hasRandomWord(v)
	}
	if sh.letters() == 0 && sh.symbols == 0 {
		return k == aPassword && sh.digits == n && n >= shortest && (quoted || p.tight || p.op == opFlag)
	}
	strong := sh.isRandom() || sh.isPassphrase(v, p.op == opList) || isUUID(v) || isHexKey(strings.TrimRight(v, "."))
	next := s.byteAt(to)
	if p.tight && p.op == opAssign {
		next = 0 // NAME=value; and name=value, are no code
	}
	if p.op == opProse && p.bare && k != aPassword && !(sh.upper > 0 && sh.lower > 0 && sh.digits > 0 && n >= 16) {
		return false
	}
	if k <= aKey && sh.upper > 0 && sh.lower > 0 && sh.digits > 0 && sh.soft == 0 && n >= 10 && sh.turns >= 4 && sh.turns*4 >= n && !p.bare && !namesStem(v) {
		strong = true
	}
	if strong {
		return quoted || !isCode(v, sh, next)
	}
	if k == aPassword && !(p.bare && p.op == opProse) && p.op != opList && sh.isChosen() && !namesStem(v) && !beginsWithType(v) && !isCode(v, sh, next) {
		return true
	}
	if p.op == opList && k <= aKey && sh.isChosen() && sh.inside && sh.soft == 0 && !namesStem(v) && !beginsWithType(v) {
		return true
	}
	if k >= aToken && (quoted || p.tight || p.op == opFlag || n >= 10) && p.op != opProse && p.op != opList && sh.isChosen() && sh.inside && sh.soft == 0 && sh.digits >= 2 && !namesStem(v) && !beginsWithType(v) && !isCode(v, sh, next) {
		return true
	}
	switch p.op {
	case opProse, opList, opCell:
		return sh.symbols > 0 && sh.digits > 0 && sh.letters() > 0 && !isCode(v, sh, next) && !namesStem(v)
	}
	if k >= aToken { // words with a number: step-2, utf-8
		if !quoted && n < shortestProse {
			return false
		}
		mixed := sh.upper > 0 && sh.lower > 0 && sh.digits > 0 && sh.turns*10 >= n*3 && n >= 10 && (quoted || p.tight || p.op == opElement || p.op == opFlag)
		if !(sh.symbols > 0 && sh.digits > 0 && sh.letters() > 0) && !(sh.digits >= 3 && n >= 10 && sh.soft == 0) && !mixed {
			return false
		}
	}
	if namesStem(v) && (sh.soft > 0 || sh.camel) || sh.symbols == 0 && strings.IndexByte(v, ':') >= 0 {
		return false
	}
	if quoted {
		return true
	}
	if isCode(v, sh, next) || sh.soft > 0 && sh.symbols == 0 {
		return false
	}
	if sh.digits == 0 {
		return sh.symbols > 0 && (k == aPassword || p.op == opFlag) && n >= shortestProse
	}
	return true
}

// withoutEscapes leaves out \u and \x escapes, which say nothing of how random a
// value is.
func withoutEscapes(v string) string {
	v = v[:min(len(v), shaped)]
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] == '\\' && i+1 < len(v) {
			switch v[i+1] {
			case 'u':
				i += 5
				continue
			case 'x':
				i += 3
				continue
			}
		}
		b.WriteByte(v[i])
	}
	return b.String()
}
