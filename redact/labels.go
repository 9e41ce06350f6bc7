package redact

// kind is what a label says that its value is.
type kind uint8

const (
	aPassword kind = iota // password, passphrase, and the like in other languages
	aSecret               // client secret, API secret
	aKey                  // API key, private key, access key: never a bare "key"
	aToken
	aCredential // credential, auth, and pass as a word of its own: they often label something else
)

// labels are the stems of labels. Each is looked at from its first letter: what
// follows says soonest that it is only a word.
var labels = []anchor{
	{text: "pass", look: lookPass},
	{text: "pwd", look: lookPwd},
	{text: "pw:", look: lookPw},
	{text: "pw=", look: lookPw},
	{text: "secret", look: lookSecret},
	{text: "token", look: lookToken},
	{text: "key", look: lookKey},
	{text: "credential", look: lookCredential},
	{text: "auth", look: lookAuth},
	{text: "contrase", gram: 4, look: lookContrasena},
	{text: "has\xc5\x82o", look: lookWord},
	{text: "haslo", look: lookWord},
	{text: "heslo", look: lookWord},
	{text: "senha", look: lookWord},
	{text: "kennwort", gram: 2, look: lookWord},
	{text: "wachtwoord", gram: 4, look: lookWord},
	{text: "l\xc3\xb6senord", gram: 1, look: lookWord},
	{text: "salasana", gram: 3, look: lookWord},
	{text: "adgangskode", gram: 3, look: lookWord},
	{text: "jelsz\xc3\xb3", gram: 2, look: lookWord},
	{text: "parola", gram: 2, look: lookWord},
	{text: "\xc5\x9fifre", gram: 0, look: lookWord},
	{text: "密码", look: lookScript},
	{text: "密碼", look: lookScript},
	{text: "口令", look: lookScript},
	{text: "密钥", look: lookScript},
	{text: "令牌", look: lookScript},
	{text: "パスワード", look: lookScript},
	{text: "비밀번호", look: lookScript},
	{text: "암호", look: lookScript},
	{text: "пароль", look: lookScript},
	{text: "Пароль", look: lookScript},
	{text: "ПАРОЛЬ", look: lookScript},
}

// byteAt is the byte at i, or 0 outside the text. Within a secret that was taken it
// is the marker's last.
func (s *scan) byteAt(i int) byte {
	if uint(i) < uint(len(s.text)) {
		if i < s.done {
			return Marker[len(Marker)-1]
		}
		return s.text[i]
	}
	s.short = s.short || i >= 0
	return 0
}

func isLower(b byte) bool  { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool  { return b >= 'A' && b <= 'Z' }
func isLetter(b byte) bool { return isLower(b) || isUpper(b) }
func isDigit(b byte) bool  { return b >= '0' && b <= '9' }
func isBlank(b byte) bool  { return b == ' ' || b == '\t' }

// follows reports that word stands at i, in any case.
func (s *scan) follows(i int, word string) bool {
	if i+len(word) > len(s.text) {
		s.short = s.short || i >= len(s.text) || foldsTo(s.text[i:], word[:len(s.text)-i])
		return false
	}
	return foldsTo(s.text[i:i+len(word)], word)
}

// precedes reports that word ends at i, in any case.
func (s *scan) precedes(i int, word string) bool {
	return i-len(word) >= s.done && foldsTo(s.text[i-len(word):i], word)
}

// ownWord reports that a stem begins a word or a part of one: "db_pass" and
// "dbPass", not "compass".
func (s *scan) ownWord(b int) bool {
	before := s.byteAt(b - 1)
	switch {
	case b == s.done || !isLetter(before):
		return true
	case isUpper(s.text[b]) && isLower(before):
		return true
	}
	return s.afterEscape(b)
}

// lookPass knows pass, password, passwd, passwort, passphrase, passcode and mot de
// passe.
func lookPass(s *scan, b, e int) {
	switch fold(s.byteAt(e)) {
	case 'w':
		for _, rest := range []string{"word", "wort", "wd"} {
			if s.follows(e, rest) {
				s.label(b, e+len(rest), aPassword)
				return
			}
		}
	case 'p':
		if s.follows(e, "phrase") {
			s.label(b, e+len("phrase"), aPassword)
		}
	case 'c':
		if s.follows(e, "code") {
			s.label(b, e+len("code"), aPassword)
		}
	case 'e':
		if s.precedes(b, "mot de ") || s.precedes(b, "mot_de_") || s.precedes(b, "motde") || s.precedes(b, "palavra-") {
			s.label(b, e+1, aPassword)
		}
	default:
		if s.ownWord(b) {
			k := aCredential
			if isUpper(s.text[b]) && isUpper(s.text[e-1]) && s.byteAt(b-1) == '_' { // DB_PASS, not "pass: 12"
				k = aPassword
			}
			s.label(b, e, k)
			return
		}
		for _, program := range []string{"require", "store", "key", "db", "user", "root", "admin", "mysql", "redis", "pg", "ftp", "smtp", "ssh", "http", "my", "bind", "ldap", "mail"} {
			if s.precedes(b, program) {
				s.label(b, e, aPassword)
				return
			}
		}
	}
}

func lookPwd(s *scan, b, e int) {
	if s.ownWord(b) || s.precedes(b, "db") || s.precedes(b, "user") || s.precedes(b, "my") {
		s.label(b, e, aPassword)
	}
}

// lookPw knows the short form that people write.
func lookPw(s *scan, b, e int) {
	if s.ownWord(b) {
		s.label(b, e-1, aPassword)
	}
}

func lookSecret(s *scan, b, e int) { s.label(b, e, aSecret) }

// lookToken leaves out the tokens that mark a page of a list.
func lookToken(s *scan, b, e int) {
	w := b
	if c := s.byteAt(b - 1); c == '_' || c == '-' || c == ' ' {
		w--
	}
	for _, word := range []string{"page", "continuation", "sync", "pagination", "continue", "next"} {
		if s.precedes(w, word) {
			return
		}
	}
	s.label(b, e, aToken)
}

func lookCredential(s *scan, b, e int) {
	if fold(s.byteAt(e)) == 's' {
		e++
	}
	s.label(b, e, aCredential)
}

func lookAuth(s *scan, b, e int) {
	if !s.ownWord(b) && !s.precedes(b, "master") {
		return
	}
	if s.follows(e, "orization") {
		lookAuthorization(s, b, e+len("orization"))
		return
	}
	if i := s.secondOfPair(e); i > 0 {
		s.takeAt(place{at: i, op: opFlag, label: span{b, e}})
		return
	}
	s.label(b, e, aCredential)
}

// secondOfPair gives where the password stands in auth=("user", "password") and
// BasicAuth("user", "password"), or 0.
func (s *scan) secondOfPair(e int) int {
	i := s.blanks(s.skip(s.blanks(e), 1, "="))
	if s.byteAt(i) != '(' && s.byteAt(i) != '[' {
		return 0
	}
	_, to, ok := s.quoted(s.blanks(i + 1))
	if !ok {
		return 0
	}
	i = s.blanks(s.skip(to, 8, "\\\"'`"))
	if s.byteAt(i) != ',' {
		return 0
	}
	i = s.blanks(i + 1)
	if _, to, ok = s.quoted(i); !ok {
		return 0
	}
	if i2 := s.blanks(s.skip(to, 8, "\\\"'`")); s.byteAt(i2) != ')' && s.byteAt(i2) != ']' {
		return 0
	}
	return i
}

// keyWords are the words that make a key one to keep secret, by their last letter.
var keyWords = map[byte][]string{
	'c': {"hmac"},
	'd': {"shared"},
	'e': {"private", "service", "license", "storage"},
	'g': {"signing"},
	'h': {"auth"},
	'i': {"api"},
	'k': {"webhook"},
	'n': {"application", "encryption", "decryption", "admin", "subscription", "integration"},
	'p': {"app"},
	'r': {"master", "cipher"},
	's': {"access", "functions", "aws"},
	't': {"secret", "account", "jwt", "encrypt"},
	'y': {"deploy"},
}

// lookKey knows key after a word that makes it a secret; key alone labels anything.
func lookKey(s *scan, b, e int) {
	next := s.byteAt(e)
	if isLetter(next) && (isLower(next) || isUpper(s.text[e-1])) {
		return
	}
	w := b
	switch before := s.byteAt(b - 1); {
	case before == '_' || before == '-' || before == '.' || before == ' ':
		w--
	case !isLetter(before):
		return
	}
	if w == 0 {
		return
	}
	for _, word := range keyWords[fold(s.text[w-1])] {
		if w-len(word) >= s.done && s.precedes(w, word) && s.ownWord(w-len(word)) {
			s.label(w-len(word), e, aKey)
			return
		}
	}
	// "openaiapikey", "MYAPIKEY"
	if w == b && (s.precedes(w, "api") || s.precedes(w, "secret") || s.precedes(w, "private") || s.precedes(w, "access")) {
		s.label(b, e, aKey)
	}
}

func lookContrasena(s *scan, b, e int) {
	switch {
	case s.follows(e, "na"):
		s.label(b, e+2, aPassword)
	case s.follows(e, "\xc3\xb1a") || s.follows(e, "\xc3\x91a"):
		s.label(b, e+3, aPassword)
	}
}

func lookWord(s *scan, b, e int) {
	if s.ownWord(b) {
		s.label(b, e, aPassword)
	}
}

// lookScript knows labels in scripts that do not part words by blanks.
func lookScript(s *scan, b, e int) { s.label(b, e, aPassword) }

// endings may follow a stem and leave it a label; after any other word it is the
// name of something else: token_count, secret_name, passwordField.
var endings = map[string]bool{
	"base": true, "value": true, "val": true, "plain": true, "plaintext": true, "text": true, "string": true, "str": true, "raw": true, "current": true,
	"new": true, "old": true, "confirm": true, "confirmation": true, "repeat": true, "prod": true, "production": true, "dev": true, "development": true,
	"stage": true, "staging": true, "test": true, "live": true, "local": true, "primary": true, "secondary": true, "default": true, "override": true,
	"main": true, "master": true, "b64": true, "base64": true, "hex": true, "encoded": true, "env": true, "rw": true, "ro": true, "readonly": true,
	"v1": true, "v2": true, "v3": true, "a": true, "b": true, "backup": true, "fallback": true, "next": true, "previous": true, "prev": true,
}

// longestEnding is one more than the longest of endings.
const longestEnding = 13

// afterStem gives the end of the whole label when the stem ends at e, or -1 when
// the stem is only a part of another word.
func (s *scan) afterStem(e int) int {
	for range 3 {
		next := s.byteAt(e)
		switch {
		case isDigit(next):
			for n := 0; isDigit(s.byteAt(e)); n++ {
				if n == 4 {
					return -1
				}
				e++
			}
			if isLetter(s.byteAt(e)) {
				return -1
			}
			continue
		case next == '_', next == '-' && isLetter(s.byteAt(e+1)), next == '.' && isLetter(s.byteAt(e+1)):
			n := s.ending(e + 1)
			if n == 0 {
				return -1
			}
			e += 1 + n
			continue
		case isUpper(next) && isLower(s.text[e-1]):
			n := s.ending(e)
			if n == 0 {
				return -1
			}
			e += n
			continue
		case isLetter(next):
			return -1
		}
		return e
	}
	if isIn(anUnder, s.byteAt(e)) {
		return -1
	}
	return e
}

// ending gives the length of the ending at i, or 0 when the word there is none.
func (s *scan) ending(i int) int {
	var word [longestEnding]byte
	n := 0
	for n < len(word) {
		b := s.byteAt(i + n)
		if !isLetter(b) && !isDigit(b) || n > 0 && isUpper(b) && isLower(s.text[i+n-1]) {
			break
		}
		word[n] = fold(b)
		n++
	}
	if n == 0 || n == len(word) {
		return 0
	}
	if isDigit(word[0]) {
		for _, b := range word[:n] {
			if !isDigit(b) {
				return 0
			}
		}
		return n
	}
	if !endings[string(word[:n])] {
		return 0
	}
	return n
}

// label looks whether a value stands after the label whose stem is from b to e.
func (s *scan) label(b, e int, k kind) {
	e = s.afterStem(e)
	if e < 0 {
		return
	}
	if c := s.byteAt(b - 1); c == ':' && s.inName(b) {
		return
	}
	if p := s.afterLabel(b, e, k); p.op != opNone && (k != aCredential || p.op != opList && p.op != opProse) {
		if p.far {
			s.postpone(later{span: span{from: p.at}, place: p, kind: k})
		} else {
			s.takeValue(p, k)
		}
	}
}

// inName reports that the label is a part of a name with colons: a resource's of
// AWS, a type's.
func (s *scan) inName(b int) bool {
	if s.byteAt(b-2) == ':' {
		return true
	}
	for i := b; i > s.done && b-i < 128; i-- {
		c := s.text[i-1]
		if c <= ' ' || c == '"' || c == '\'' || c == ',' {
			return false
		}
		if c == 'a' && s.follows(i-1, "arn:") {
			return true
		}
	}
	return false
}
