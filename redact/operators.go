package redact

import "strings"

// op is what stands between a label and its value.
type op uint8

const (
	opNone   op = iota
	opAssign    // = := => and the like
	opColon
	opFlag    // a blank after --password, ENV, login … password
	opProse   // "is", a blank: the value must look like one by itself
	opList    // a comma or a bracket in code: the value is quoted
	opCell    // the next cell of a table
	opElement // > of XML, the value attribute of the same element
)

// place is where a value could begin.
type place struct {
	at      int
	op      op
	far     bool // other things stand between: they are looked at first
	bare    bool // in prose, with no word such as "is" before the value
	xml     bool // the text of an element: it goes up to the next one
	escaped bool // in an address or HTML: quotes and ends are written out
	tight   bool // no blank between label and value: NAME=value
	label   span
}

const (
	widestGap  = 128 // blanks between label, operator and value
	reach      = 256 // how far the value of a pair may stand from its name, in bytes
	longestTag = 128
)

// skip passes at most n bytes that are in set.
func (s *scan) skip(i, n int, set string) int {
	for end := min(len(s.text), i+n); i < end && strings.IndexByte(set, s.text[i]) >= 0; i++ {
	}
	s.short = s.short || i >= len(s.text)
	return i
}

// blanks passes blanks.
func (s *scan) blanks(i int) int {
	for end := min(len(s.text), i+widestGap); i < end && isBlank(s.text[i]); i++ {
	}
	s.short = s.short || i >= len(s.text)
	return i
}

// colours passes ANSI colours, in bytes or written out.
func (s *scan) colours(i int) int {
	for range 4 {
		j := i
		switch {
		case s.byteAt(i) == 0x1b:
			j++
		case s.byteAt(i) == '\\':
			for _, esc := range []string{`\u001b`, `\x1b`, `\033`, `\e`} {
				if s.follows(i, esc) {
					j = i + len(esc)
					break
				}
			}
		}
		if j == i || s.byteAt(j) != '[' {
			return i
		}
		j = s.skip(j+1, 16, "0123456789;:")
		if s.byteAt(j) != 'm' {
			return i
		}
		i = j + 1
	}
	return i
}

// writtenQuote gives the length of a quote at i that is written as HTML, addresses
// or JSON write it, or 0.
func (s *scan) writtenQuote(i int) int {
	switch s.byteAt(i) {
	case '&':
		if s.follows(i, "&quot;") {
			return len("&quot;")
		}
	case '%':
		if s.follows(i, "%22") || s.follows(i, "%27") {
			return len("%22")
		}
	case '\\':
		if s.follows(i, `\u0022`) || s.follows(i, `\u0027`) {
			return len(`\u0022`)
		}
	}
	return 0
}

// afterLabel finds where the value of the label from b to e could begin.
func (s *scan) afterLabel(b, e int, k kind) place {
	i := e
	closed := false
	p := place{label: span{b, e}}
	for n := 0; n < 16; n++ { // what closes the label: quotes, brackets, the stars of Markdown
		c := s.byteAt(i)
		if q := s.writtenQuote(i); q > 0 {
			i += q
			closed, p.escaped = true, true
			continue
		}
		if c == '"' || c == '\'' || c == '`' {
			closed = true
		} else if c != ']' && c != '*' && (c != '\\' || strings.IndexByte("\"'`\\", s.byteAt(i+1)) < 0) {
			break
		}
		i++
	}
	i = s.colours(i)
	gap := i
	i = s.blanks(i)
	p.tight = gap == i
	c, next := s.byteAt(i), s.byteAt(i+1)
	switch c {
	case ':':
		switch next {
		case ':':
		case '=':
			p.op, p.at = opAssign, i+2
		case '-':
			p.op, p.at = opAssign, i+2
			if !s.inBraces(b) {
				p.op = opNone
			}
		default:
			p.op, p.at = opColon, i+1
		}
	case '=':
		switch next {
		case '=':
		case '~':
			if p.tight && s.byteAt(i+2) > ' ' { // a value that begins with "~", not a match
				p.op, p.at = opAssign, i+1
			}
		case '>':
			p.op, p.at = opAssign, i+2
		default:
			p.op, p.at = opAssign, i+1
		}
	case '?':
		switch next {
		case '=':
			p.op, p.at = opAssign, i+2
		case '?':
			p.op, p.at = s.orElse(i + 2)
		}
	case '|':
		if next == '|' {
			p.op, p.at = s.orElse(i + 2)
		} else if s.inRow(b) {
			p.op, p.at = opCell, i+1
		}
	case '>':
		if start := s.wordStart(b); i == gap && strings.IndexByte("\"'`]);,", next) < 0 && (closed || s.byteAt(start-1) == '<' || s.byteAt(start-1) == ':') {
			p.op, p.at, p.xml = opElement, s.inner(i+1), true
		}
	case '<':
		if i == gap && next == '/' {
			p = s.nextElement(p, i)
		} else if j := s.blanks(i + 2); next == '-' && (s.byteAt(j) == '"' || s.byteAt(j) == '\'') { // R
			p.op, p.at = opAssign, j
		}
	case ',':
		if v := s.pair(i); v > 0 && !closed {
			p.op, p.at = opElement, v
			break
		}
		if before := s.byteAt(s.wordStart(b) - 1); closed || before == '{' || before == ':' && s.byteAt(s.wordStart(b)-2) == '{' {
			p.op, p.at = opList, i+1
			if s.isFlag(b) {
				p.op = opFlag
			}
			if v := s.pair(i); v > 0 {
				p.op, p.at = opElement, v
			}
		}
	case '(':
		if i > gap {
			p = s.afterBlank(p, b, i, k, closed)
		} else if !closed && s.sets(b) {
			p.op, p.at = opList, i+1
		}
	case '{':
		if closed {
			p = s.variable(p, i)
		}
	case '"', '\'', '`':
		if i > gap && !closed && (k == aPassword || s.byteAt(s.wordStart(b)-1) == ':' || s.isFlag(b) || s.isCommand(b) || s.precedes(s.wordStart(b), "set(")) {
			p.op, p.at = opFlag, i
		}
	case '-':
		if i > gap && next == '>' {
			p.op, p.at = opProse, i+2
		} else if i > gap && isBlank(next) && k == aPassword && !closed {
			p.op, p.at, p.bare = opProse, s.blanks(i+1), true
		}
	case '\n', '\r', '\\', '/':
		if v := s.pair(i); v > 0 {
			p.op, p.at = opElement, v
		}
	case '%':
		if next == '3' && (s.follows(i, "%3d") || s.follows(i, "%3a")) {
			p.op, p.at, p.escaped = opAssign, i+3, true
		}
	case 0xef:
		if s.follows(i, "\xef\xbc\x9a") || s.follows(i, "\xef\xbc\x9d") {
			p.op, p.at = opColon, i+3
		}
	case 0:
	default:
		switch {
		case i > gap || c >= 0x80:
			p = s.afterBlank(p, b, i, k, closed)
		}
	}
	if p.op == opNone && i > gap && !closed && strings.IndexByte("-?%/=:<>", c) >= 0 && next > ' ' && next != '-' && (s.isFlag(b) || s.isCommand(b)) {
		// A password that begins as other things do.
		if sh := shapeOf(s.text[i:min(s.bareEnd(i), i+shaped)]); sh.symbols >= 2 && sh.isRandom() || isBase64Key(s.text[i:min(s.bareEnd(i), i+shaped)], sh) {
			p.op, p.at = opFlag, i
		}
	}
	return p
}

// orElse gives the value that stands for a label that has none: x || "value",
// x ??= "value". Only a quoted one is.
func (s *scan) orElse(i int) (op, int) {
	i = s.blanks(s.skip(i, 1, "="))
	if c := s.byteAt(i); c == '"' || c == '\'' || c == '`' {
		return opAssign, i
	}
	return opList, i
}

// inBraces reports that the label is in ${…}.
func (s *scan) inBraces(b int) bool {
	i := s.wordStart(b)
	return s.byteAt(i-1) == '{' && s.byteAt(i-2) == '$'
}

// wordStart gives where the name begins that holds the label at b.
func (s *scan) wordStart(b int) int {
	i := b
	for i > s.done && b-i < 64 && isIn(urlDot, s.text[i-1]) {
		i--
	}
	return i
}

// isFlag reports that the label is a flag's name.
func (s *scan) isFlag(b int) bool {
	i := s.wordStart(b)
	return s.byteAt(i) == '-' && !isIn(an, s.byteAt(i-1))
}

// sets reports that the name of a call says that it is given a secret, or is one:
// setPassword("x"), password("x"), not getSecret("x").
func (s *scan) sets(b int) bool {
	w := s.text[s.wordStart(b):b]
	if dot := strings.LastIndexByte(w, '.'); dot >= 0 {
		w = w[dot+1:]
	}
	w = strings.TrimRight(w, "_-")
	for _, verb := range []string{"", "set", "with", "use", "user", "add", "api", "client", "auth", "db", "Set", "With", "Use"} {
		if w == verb || verb != "" && len(w) < 24 && strings.HasPrefix(w, verb) {
			return true
		}
	}
	return false
}

// inRow reports that a row of a table begins before the label: "|" with only words
// between.
func (s *scan) inRow(b int) bool {
	for i := b - 1; i >= s.done && b-i < 64; i-- {
		switch c := s.text[i]; {
		case c == '|':
			return isBlank(s.text[i+1]) || i == 0 || s.text[i-1] == '\n'
		case c == '\n' || c == '$' || c == '(':
			return false
		}
	}
	return false
}

// nextElement finds the element after </label>: the next cell, or the value of a
// property list.
func (s *scan) nextElement(p place, i int) place {
	j := s.tagEnd(i)
	if j == 0 {
		return p
	}
	j = s.skip(j, widestGap, " \t\r\n")
	if s.byteAt(j) != '<' || !isLetter(s.byteAt(j+1)) {
		return p
	}
	if j = s.tagEnd(j); j > 0 {
		p.op, p.at = opCell, s.inner(j)
	}
	return p
}

// inner passes one more tag that opens at i: <td><code>x, <setting …><value>x.
func (s *scan) inner(i int) int {
	j := s.skip(i, widestGap, " \t\r\n")
	for _, tag := range []string{"<value>", "<string>", "<code>", "<b>", "<strong>", "<tt>", "<span>", "<pre>", "<kbd>"} {
		if s.byteAt(j) == '<' && s.follows(j, tag) {
			return j + len(tag)
		}
	}
	return i
}

// tagEnd gives the place after the tag that begins at i, or 0.
func (s *scan) tagEnd(i int) int {
	for j := i + 1; j < len(s.text) && j-i < longestTag; j++ {
		switch s.text[j] {
		case '>':
			return j + 1
		case '<', '\n':
			return 0
		}
	}
	s.short = s.short || len(s.text)-i < longestTag
	return 0
}

// pair finds the value of a name that was the label: on the next line or in the
// next attribute, after a word that says so. It gives 0 when none is there.
func (s *scan) pair(i int) int {
	for n := 0; n < 64; n++ {
		c := s.byteAt(i)
		if c == '\\' && strings.IndexByte("nrt", s.byteAt(i+1)) >= 0 {
			i += 2
		} else if c != 0 && strings.IndexByte(" \t\r\n\"'`\\,;", c) >= 0 {
			i++
		} else {
			break
		}
	}
	for _, word := range []string{"value", "parametervalue", "default", "content", "val"} {
		if !s.follows(i, word) {
			continue
		}
		j := i + len(word)
		if isIn(anUnder, s.byteAt(j)) {
			return 0
		}
		j = s.blanks(s.skip(j, 8, "\\\"'`"))
		if c := s.byteAt(j); c == ':' || c == '=' {
			return j + 1
		}
		return 0
	}
	return 0
}

// variable finds the default of variable "label" { … }, Terraform's, and the value of
// an output.
func (s *scan) variable(p place, i int) place {
	line := s.text[max(s.done, p.label.from-48):p.label.from]
	word := "default"
	if strings.Contains(line, "output ") {
		word = "value"
	} else if !strings.Contains(line, "variable ") {
		return p
	}
	for j := i; j < len(s.text) && j-i < reach && s.text[j] != '}'; j++ {
		if s.text[j] == word[0] && s.follows(j, word) && !isIn(anUnder, s.text[j-1]) {
			if j = s.blanks(j + len(word)); s.byteAt(j) == '=' {
				p.op, p.at, p.far = opElement, j+1, true
			}
			return p
		}
	}
	s.short = s.short || len(s.text)-i < reach
	return p
}

// lineStart gives where the line of i begins, at most n bytes before it.
func (s *scan) lineStart(i, n int) int {
	for j := i; ; j-- {
		if j <= s.done || i-j >= n || s.text[j-1] == '\n' || s.text[j-1] == '\r' {
			return j
		}
	}
}

// isCommand reports that the words before the label's name make what follows it
// its value: ENV NPM_TOKEN x, set -x SECRET_KEY x, login dev password x.
func (s *scan) isCommand(b int) bool {
	i := s.wordStart(b)
	if (s.byteAt(i-1) == ':' || s.byteAt(i-1) == '/') && s.byteAt(i) == '_' { // //host/:_authToken of npm
		return true
	}
	before := s.text[s.lineStart(i, 96):i]
	if !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\t") {
		// redis.conf: a line of its own
		return s.byteAt(i) != 0 && before == "" && (s.follows(i, "requirepass") || s.follows(i, "masterauth"))
	}
	before = strings.TrimRight(before, " \t")
	if before == "" { // netrc on several lines
		lines := s.text[max(s.done, i-96):i]
		return fold(s.text[b]) == 'p' && (strings.Contains(lines, "login ") && strings.Contains(lines, "\n") && !strings.Contains(lines, ":\n"))
	}
	for _, command := range commands[before[len(before)-1]] {
		if strings.HasSuffix(before, command) {
			return true
		}
	}
	return fold(s.text[b]) == 'p' && (strings.Contains(before, "login ") || strings.Contains(before, "machine "))
}

// commands are the words before a name that make what follows it its value, by
// their last byte.
var commands = func() (by [256][]string) {
	for _, command := range []string{"ENV", "ARG", "setenv", "setx", "setx /M", "config set", "config:set", "configure set", "set -x", "set -gx", "set -Ux", "set -xg", "set -xU", "secret set",
		"variable set", "env set", "secrets set", "env add", "secret put", "--env", "CONFIG SET", "config --global", "#define", "proxy_set_header", "add_header", "set_header", "RequestHeader set", "(def"} {
		last := command[len(command)-1]
		by[last] = append(by[last], command)
	}
	return by
}()
