package redact

import "strings"

const numbers = "0123456789"

// isPlaceholder holds for what stands where a secret would: a variable, a word in
// brackets, stars, a request to put one there, the marker.
func isPlaceholder(v string) bool {
	if v == "" || strings.HasPrefix(v, Marker) || strings.Trim(v, "*xX.•-_#?") == "" {
		return true
	}
	switch v[0] {
	case '<', '{':
		return true
	case '$':
		if isVariable(v[1:]) {
			return true
		}
	case '%':
		if len(v) == 2 || v[len(v)-1] == '%' || v[1] == '(' {
			return true
		}
	case '@':
		if v[len(v)-1] == '@' || len(v) > 1 && v[1] == '{' {
			return true
		}
	case '[':
		if v[len(v)-1] == ']' || strings.IndexByte(v, ']') < 0 {
			return true
		}
	case '(':
		if strings.Trim(v, "()*") == "" || v[len(v)-1] == ')' {
			return true
		}
	case '!':
		if isTag(v[1:]) {
			return true
		}
	}
	short := v[:min(len(v), shaped)]
	for i := range len(short) { // ${x} $(x) {{x}} #{x} <%= x %> **** ... …
		switch short[i] {
		case '$', '#':
			if i+1 < len(short) && (short[i+1] == '{' || short[i+1] == '(' && short[i] == '$') {
				return true
			}
		case '{':
			if strings.HasPrefix(short[i:], "{{") {
				return true
			}
		case '<':
			if strings.HasPrefix(short[i:], "<%") {
				return true
			}
		case '*', '.', 0xe2:
			if strings.HasPrefix(short[i:], "****") || strings.HasPrefix(short[i:], "...") || strings.HasPrefix(short[i:], "…") || strings.HasPrefix(short[i:], "•••") {
				return true
			}
		}
	}
	if strings.IndexByte(short, '%') >= 0 { // "%s-%d" is a format, and no digits of its own
		rest := strings.NewReplacer("%s", "", "%d", "", "%v", "", "%q", "").Replace(short)
		if len(rest) < len(short)-2 || len(rest) < len(short) && !strings.ContainsAny(rest, numbers) {
			return true
		}
	}
	return saysPlaceholder(short)
}

// isVariable reports the name of one: VAR, {VAR}, env:VAR.
func isVariable(v string) bool {
	if v == "" || v[0] == '{' || v[0] == '(' || len(v) == 1 {
		return true
	}
	if strings.HasPrefix(v, "env:") || strings.HasPrefix(v, "ENV{") || strings.HasPrefix(v, "_") {
		return true
	}
	if !isLetter(v[0]) {
		return false
	}
	upper, lower, digits := 0, 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case isUpper(c):
			upper++
		case isLower(c):
			lower++
		case isDigit(c):
			digits++
		case c == '_' || c == '.' || c == '[' || c == ']' || c == '-' || c == '>' || c == '"' || c == '\'' || c == ':' || c == '/':
		default:
			return false
		}
	}
	return digits <= 2 || upper == 0 || lower == 0
}

// isTag reports a tag of YAML that fetches the value: !vault, !Ref x.
func isTag(v string) bool {
	for _, tag := range []string{"vault", "ref", "sub", "getatt", "env", "secret", "encrypted", "include", "reference", "importvalue"} {
		if hasFold(v, tag) && (len(v) == len(tag) || !isIn(an, v[len(tag)])) {
			return true
		}
	}
	return false
}

// saysPlaceholder reports a value that says of itself that it is none.
func saysPlaceholder(v string) bool {
	if isIn(an, v[0]) && len(v) < 12 {
		var low [12]byte
		for i := range len(v) {
			low[i] = fold(v[i])
		}
		switch string(low[:len(v)]) {
		case "password", "passwd", "pass", "pwd", "secret", "token", "changeme", "changeit", "user", "username", "none", "null", "nil", "undefined", "true", "false", "foobar", "foobar123", "todo",
			"required", "optional", "hidden", "redacted", "masked", "removed", "example":
			return true
		}
	}
	for i := 0; i+4 <= len(v); i++ {
		switch fold(v[i]) {
		case 'e':
			if hasFold(v[i:], "example") {
				return true
			}
		case 'y':
			if word := v[i:min(len(v), i+4)]; (word == "your" || word == "Your" || word == "YOUR") && (i == 0 || !isLetter(v[i-1])) {
				return true
			}
		case 'c':
			if hasFold(v[i:], "change") && (hasFold(v[i+6:], "me") || hasFold(v[i+6:], "_me") || hasFold(v[i+6:], "-me") || hasFold(v[i+6:], "this") || hasFold(v[i+6:], "-this") || hasFold(v[i+6:], "_this")) {
				return true
			}
		case 'r':
			if hasFold(v[i:], "replace") || hasFold(v[i:], "redacted") || hasFold(v[i:], "removed") {
				return true
			}
		case 'p':
			if hasFold(v[i:], "placeholder") {
				return true
			}
		case 'x':
			if hasFold(v[i:], "xxxxx") || len(v) < 16 && hasFold(v[i:], "xxxx") {
				return true
			}
		case 'i':
			if i == 0 && hasFold(v, "insert") {
				return true
			}
		case 'd':
			if hasFold(v[i:], "dummy") {
				return true
			}
		case 'f':
			if i == 0 && (hasFold(v, "fake-") || hasFold(v, "fake_") || hasFold(v, "foo-") || hasFold(v, "fixme")) {
				return true
			}
		case 'm':
			if i == 0 && (hasFold(v, "my-") || hasFold(v, "my_")) && namesStem(v) {
				return true
			}
		case 't':
			if i == 0 && (hasFold(v, "todo-") || hasFold(v, "todo_") || hasFold(v, "todo:")) {
				return true
			}
		case 'h':
			if (hasFold(v[i:], "here") && i+4 == len(v)) && i > 0 && !isIn(an, v[i-1]) {
				return true
			}
		}
	}
	return false
}

// isReference reports a value that says where the secret is: a path, an address, a
// resource's name, an address of mail, a digest.
func isReference(v string, sh shape) bool {
	if strings.Contains(v[:min(len(v), 24)], "://") || strings.HasPrefix(v, "-----") {
		return true
	}
	for _, scheme := range []string{"arn:", "vault:", "ssm:", "env:", "file:", "op:", "keyring:", "keychain:", "secretref:", "sha1:", "sha1-", "sha256:", "sha256-", "sha384:", "sha384-", "sha512:", "sha512-", "md5:", "h1:", "data:",
		"projects/", "secret/", "secrets/", "kv/", "refs/", "env.", "process.env", "os.environ", "urn:", "kms:", "enc[", "urn:", "/dev/", "/etc/", "/run/", "/var/", "/home/", "/tmp/", "/users/", "/opt/", "/usr/"} {
		if hasFold(v, scheme) && (len(scheme) > 5 || strings.IndexByte(scheme, '/') < 0 || !sh.isRandom()) {
			return true
		}
	}
	switch {
	case strings.HasPrefix(v, "./"), strings.HasPrefix(v, "../"), strings.HasPrefix(v, "~/"), len(v) > 2 && isLetter(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/'):
		return true
	case v[0] == '/' && isBase64Key(v, sh):
		return false
	case strings.Count(v, "/") >= 1 && sh.symbols == 0 && sh.blanks == 0 && !sh.isRandom() && !(sh.upper >= 3 && sh.lower >= 3 && sh.digits > 0 && sh.n >= 20 && !strings.ContainsAny(v, ".-_")):
		return true
	case v[0] == '#' && sh.n <= 9: // a colour
		return strings.Trim(v[1:], "0123456789abcdefABCDEF") == ""
	case v[0] == '^' && v[len(v)-1] == '$': // a pattern
		return true
	}
	if isVersion(v) {
		return true
	}
	at := strings.IndexByte(v, '@')
	return at > 0 && sh.symbols == 1 && isDomain(v[at+1:])
}

// isVersion reports the version of a package: ^1.2.3-beta.4, 1:4.13+dfsg1-1.
func isVersion(v string) bool {
	const longest = 48
	if len(v) > longest {
		return false
	}
	v = strings.TrimLeft(strings.TrimPrefix(v, "workspace:"), "^~=<>v")
	if epoch := strings.IndexByte(v, ':'); epoch == 1 && isDigit(v[0]) {
		v = v[2:]
	}
	major := strings.TrimLeft(v, numbers)
	if len(major) == len(v) || len(major) < 2 || major[0] != '.' || !isDigit(major[1]) {
		return false
	}
	for i := range len(major) {
		if c := major[i]; !isDigit(c) && !isLower(c) && strings.IndexByte(".+-~", c) < 0 {
			return false
		}
	}
	rest := strings.TrimLeft(major[1:], numbers)
	return rest == "" || strings.IndexByte(".+-~", rest[0]) >= 0 || len(rest) < 5
}

// isDomain reports a name of a host as addresses of mail have it: lower case, and
// letters after the last dot.
func isDomain(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	if dot < 1 || len(v)-dot < 3 {
		return false
	}
	for i := range len(v) {
		if c := v[i]; !isLower(c) && c != '.' && (i > dot || !isDigit(c) && c != '-') {
			return false
		}
	}
	return true
}

// isPattern reports a regular expression.
func isPattern(v string, sh shape) bool {
	v = v[:min(len(v), shaped)]
	if strings.Contains(v, ".*") && !(sh.isRandom() && sh.digits > 0) {
		return true
	}
	for _, mark := range []string{"[^", `\w`, `\d`, `\s`, "(?:", "]+", "]*", "[a-z", "[A-Z", "[0-9"} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	return false
}
