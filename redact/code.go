package redact

import "strings"

// isCode reports that an unquoted value is an expression: a call, an index, a
// member, a type. next is the byte that ended it.
func isCode(v string, sh shape, next byte) bool {
	if c := v[0]; c == '(' || c == '{' || c == '[' {
		return true
	}
	if v[0] == '/' && isBase64Key(v, sh) {
		return false
	}
	if strings.IndexByte(".&*!^@#?|=<>/~", v[0]) >= 0 && (len(v) < 2 || !isLetter(v[1]) && !isDigit(v[1]) && v[1] != '[' || sh.digits == 0) && !(sh.symbols > 1 && sh.isRandom()) {
		return true
	}
	if strings.IndexByte("*&!-+", v[0]) >= 0 && len(v) > 1 { // a pointer, a negation
		if strings.HasPrefix(v[1:], "[") {
			return true
		}
		v = v[1:]
	}
	if strings.HasPrefix(v, "0x") && len(v) < 34 && isHex(strings.ReplaceAll(strings.TrimRight(v[2:], "uUlL"), "_", "")) || isTypeName(v) {
		return true
	}
	if !isLetter(v[0]) && v[0] != '_' && v[0] != '@' && v[0] != '$' {
		return false
	}
	// A password may have brackets and stars too.
	password := sh.symbols > 0 && sh.digits > 0 && sh.isRandom() && next != ')' && next != ']' && next != '}' && next != '(' && strings.IndexByte(")](", v[len(v)-1]) < 0
	i, parts := 0, 1
	for i < len(v) {
		c := v[i]
		switch {
		case isLetter(c) || isDigit(c) || c == '_' || c == '$':
			i++
			continue
		case c == '.' || c == '?' && i+1 < len(v) && v[i+1] == '.' || c == '-' && i+1 < len(v) && v[i+1] == '>' || c == ':' && i+1 < len(v) && v[i+1] == ':':
			if c != '.' {
				i++
			}
			parts++
			i++
			continue
		case c == '(' || c == '{' || c == '[' && i > 0 || c == '!' && i+1 < len(v) && strings.IndexByte("([{.", v[i+1]) >= 0:
			return i > 0 && !password && !shapeOf(v[:i]).isRandom() || v[len(v)-1] == '(' || v[len(v)-1] == ']'
		}
		break
	}
	if i < len(v) {
		return parts > 1 && !password && strings.IndexByte("?+|&*=<>", v[i]) >= 0 && !shapeOf(v[:i]).isRandom()
	}
	if next == '(' || next == '[' {
		return true
	}
	if parts > 1 {
		return !sh.isRandom() || sh.soft > 3
	}
	if (namesStem(v) || sh.lower == 0 && sh.soft > 0) && !sh.isRandom() {
		return true
	}
	return !sh.isRandom() && sh.digits < 2 && (next == ',' || next == ')' || next == ';' || next == '<')
}

// types are the words with digits that name types, hashes and formats.
var types = map[string]bool{
	"int8": true, "int16": true, "int32": true, "int64": true, "int128": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uint128": true, "uint8array": true, "uint16array": true, "uint32array": true, "int32array": true, "float64array": true, "float16": true, "float32": true,
	"float64": true, "complex64": true, "complex128": true, "sha1": true, "sha224": true, "sha256": true, "sha384": true, "sha512": true, "sha3-256": true, "md5": true,
	"sha-1": true, "sha-256": true, "sha-384": true, "sha-512": true, "base16": true, "base32": true, "base58": true, "base64": true, "base64url": true, "utf8": true, "utf-8": true, "utf16": true, "utf-16": true,
	"oauth2": true, "oauth1": true, "oauth2.0": true, "x509": true, "x.509": true, "pkcs1": true, "pkcs8": true, "pkcs12": true, "ed25519": true, "x25519": true, "secp256k1": true, "secp256r1": true, "aes128": true, "aes256": true,
	"aes-128": true, "aes-256": true, "aes-256-gcm": true, "aes-128-gcm": true, "aes-256-cbc": true, "hs256": true, "hs384": true, "hs512": true, "rs256": true, "rs384": true, "rs512": true, "es256": true, "es384": true, "ps256": true, "hmac-sha256": true, "hmac-sha1": true, "hmacsha256": true,
	"sha256sum": true, "sha1sum": true, "md5sum": true, "argon2": true, "argon2id": true, "pbkdf2": true, "scrypt": true, "bcrypt": true, "rsa2048": true, "rsa4096": true, "rsa-2048": true, "rsa-4096": true, "varchar2": true, "nvarchar2": true, "ripemd160": true, "blake2b": true, "blake3": true, "crc32": true,
	"iso-8859-1": true, "latin1": true, "windows-1252": true, "ascii85": true, "web3": true, "http2": true, "http/1.1": true, "http/2": true, "tls1.2": true, "tls1.3": true, "sha256:": true, "chacha20-poly1305": true, "chacha20": true,
}

func isTypeName(v string) bool {
	const longest = 18
	if len(v) > longest {
		return false
	}
	var low [longest]byte
	for i := range len(v) {
		low[i] = fold(v[i])
	}
	return types[string(low[:len(v)])]
}

// beginsWithType reports a word such as base64-encoded.
func beginsWithType(v string) bool {
	for i := 3; i <= len(v) && i < 10; i++ {
		if isTypeName(v[:i]) {
			return true
		}
	}
	return false
}

// namesStem reports that a value speaks of a secret itself, as the names of
// variables, columns and references do: dbPassword2, app-secret-v1.
func namesStem(v string) bool {
	v = v[:min(len(v), shaped)]
	for i := 0; i+3 <= len(v); i++ {
		switch fold(v[i]) {
		case 'p':
			if hasFold(v[i:], "passw") || hasFold(v[i:], "password") {
				return true
			}
		case 's':
			if hasFold(v[i:], "secret") {
				return true
			}
		case 't':
			if hasFold(v[i:], "token") {
				return true
			}
		case 'a':
			if hasFold(v[i:], "auth") && i > 0 && (!isLetter(v[i-1]) || isUpper(v[i]) && isLower(v[i-1])) && (i+4 == len(v) || !isLower(v[i+4])) {
				return true
			}
		case 'c':
			if hasFold(v[i:], "credential") {
				return true
			}
		case 'k':
			if word := v[i:min(len(v), i+3)]; (word == "key" || word == "Key" || word == "KEY") && (i == 0 || !isLetter(v[i-1]) || isLower(v[i-1]) && isUpper(v[i])) && (i+3 == len(v) || !isLower(v[i+3])) {
				return true
			}
		}
	}
	return false
}

func hasFold(v, word string) bool { return len(v) >= len(word) && foldsTo(v[:len(word)], word) }

func isHex(v string) bool {
	for i := range len(v) {
		if !isIn(hex, v[i]) {
			return false
		}
	}
	return true
}
