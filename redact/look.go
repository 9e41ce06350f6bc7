package redact

import "strings"

// lookSK takes what begins with "sk-": with OpenAI's mark in it anything, else
// 32 characters that look like a key.
func lookSK(s *scan, start, body int) (int, int, bool) {
	const mark, side, window = "T3BlbkFJ", 20, 128
	to := s.run(url, body)
	if to-body < 32 {
		return 0, 0, false
	}
	if at := strings.Index(s.text[body:min(to, body+window)], mark); at >= side && to-body-at-len(mark) >= side {
		return start, to, true
	}
	return start, to, s.varied(body, to, true)
}

// lookAnthropic takes a kind such as api03, a dash, and the key.
func lookAnthropic(s *scan, start, body int) (int, int, bool) {
	const longestKind = 16
	kind := body
	for kind < len(s.text) && kind-body < longestKind && isIn(an, s.text[kind]) {
		kind++
	}
	if kind == body || kind >= len(s.text) || s.text[kind] != '-' {
		return 0, 0, false
	}
	to := s.run(url, kind+1)
	return start, to, to-kind-1 >= 40 && s.varied(kind+1, to, false)
}

// lookGitHub takes 36 and more letters and digits; a token of three parts may be in it.
func lookGitHub(s *scan, start, body int) (int, int, bool) {
	const number = 4 // the least that stands before the parts
	if s.run(an, body)-body < number {
		return 0, 0, false
	}
	to := s.run(anUnder, body)
	if strings.Contains(s.text[body:min(to, body+looked)], "eyJ") {
		to = s.run(url, to)
		for range 2 {
			if !dot(s.text, to) || s.run(url, to+1)-to < 10 {
				break
			}
			to = s.run(url, to+1)
		}
	}
	for to > body && s.text[to-1] == '_' {
		to--
	}
	return start, to, to-body >= 36 && s.varied(body, to, false)
}

// dotted takes a body of at least least bytes, and more of it after single dots as far
// as that looks like a key and not like the next sentence.
func dotted(a alphabet, least int) func(*scan, int, int) (int, int, bool) {
	return func(s *scan, start, body int) (int, int, bool) {
		to := s.run(a, body)
		if to-body < least && (to == body || to-body > 3) || !dot(s.text, to) && to-body < least {
			return 0, 0, false
		}
		for range 4 { // ".01.0w3f5k2" of GitLab, "ya29.c.…" of Google
			if !dot(s.text, to) {
				break
			}
			end := s.run(a, to+1)
			short := end-to-1 <= 3 && dot(s.text, end)
			if part := s.text[to+1 : end]; end == to+1 || !short && !strings.ContainsAny(part[:min(len(part), looked)], "0123456789") {
				break
			}
			to = end
		}
		return start, to, to-body >= least && s.varied(body, to, false)
	}
}

func dot(text string, i int) bool { return i+1 < len(text) && text[i] == '.' }

// lookAWS takes an access key's id: 16 and more of A-Z and 2-7. A lower-case
// letter after it means a word.
func lookAWS(s *scan, start, body int) (int, int, bool) {
	to := s.run(an, body)
	if to-body < 16 || to-body > 32 {
		return 0, 0, false
	}
	for i := body; i < to; i++ {
		if b := s.text[i]; (b < 'A' || b > 'Z') && (b < '0' || b > '9') {
			return 0, 0, false
		}
	}
	if !s.variedUpper(body, to) {
		return 0, 0, false
	}
	// The secret that belongs to it may stand beside it, as in a table.
	const secretLength = 40
	from := s.skip(to, 8, " \t,;:|/\"'`")
	if from > to && s.run(b64, from) == from+secretLength {
		if sh := shapeOf(s.text[from : from+secretLength]); sh.isRandom() && sh.upper > 0 && sh.lower > 0 && sh.digits > 0 {
			s.postpone(later{span: span{from, from + secretLength}})
		}
	}
	return start, to, true
}

// variedUpper is varied for keys of upper-case letters, which need not have a
// digit.
func (s *scan) variedUpper(from, to int) bool {
	var seen [4]uint64
	different := 0
	body := s.text[from:min(to, from+looked)]
	for i := range len(body) {
		if b := body[i]; seen[b>>6]&(1<<(b&63)) == 0 {
			seen[b>>6] |= 1 << (b & 63)
			different++
		}
	}
	return different >= 8 && !strings.Contains(body, "EXAMPLE")
}

// lookAzure takes a client secret: three characters, a digit, "Q~", and 31 more.
func lookAzure(s *scan, start, body int) (int, int, bool) {
	from := start - 4
	if from < s.done || !isIn(digits, s.text[start-1]) || s.back(url, start-1, 3) != from || !s.beginsAt(from) {
		return 0, 0, false
	}
	to := s.trimDots(body, s.run(secret, body))
	return from, to, to-body >= 31 && s.varied(body, to, false)
}

func (s *scan) trimDots(from, to int) int {
	for to > from && s.text[to-1] == '.' {
		to--
	}
	return to
}

// lookSlack takes digits and dashes and then a key of 8 or more.
func lookSlack(s *scan, start, body int) (int, int, bool) {
	to := s.run(anDash, body)
	return start, to, to-body >= 16 && s.varied(body, to, false)
}

// lookHook takes the address of a webhook, from its scheme on.
func lookHook(s *scan, start, body int) (int, int, bool) {
	to := s.run(path, body)
	if to-body < 40 || !s.varied(body, to, false) {
		return 0, 0, false
	}
	for _, scheme := range []string{"https://", "http://", `https:\/\/`} {
		if strings.HasSuffix(s.text[s.done:start], scheme) {
			return start - len(scheme), to, true
		}
	}
	return start, to, true
}

// lookSendGrid takes 22 characters, a dot, and 43.
func lookSendGrid(s *scan, start, body int) (int, int, bool) {
	mid := s.run(url, body)
	if mid-body < 16 || !dot(s.text, mid) {
		return 0, 0, false
	}
	to := s.run(url, mid+1)
	return start, to, to-mid-1 >= 32 && s.varied(body, to, false)
}

// lookTelegram takes a bot's number, ":AA", and 33.
func lookTelegram(s *scan, start, body int) (int, int, bool) {
	from := s.back(digits, start, 13)
	if from > s.done && s.text[from-1] == '%' { // an escape of an address stands right before it
		from += 2
	}
	if n := start - from; n < 8 || n > 10 || !s.botBegins(from) {
		return 0, 0, false
	}
	to := s.run(url, body)
	return from, to, to-body >= 33 && s.varied(body, to, false)
}

// botBegins also knows the address form, .../bot<number>:<key>.
func (s *scan) botBegins(from int) bool {
	return s.beginsAt(from) || strings.HasSuffix(s.text[s.done:from], "bot")
}

// nextDot finds the next dot from i on that another follows seven bytes later, as
// in a Discord token; of most text there is none.
func (s *scan) nextDot(i int) {
	for i < len(s.text) {
		n := strings.IndexByte(s.text[i:], '.')
		if n < 0 {
			break
		}
		i += n
		if i+7 >= len(s.text) {
			break
		}
		if s.text[i+7] == '.' && isIn(url, s.text[i+1]) && isIn(url, s.text[i-min(i, 1)]) {
			s.dot = i
			return
		}
		i++
	}
	s.dot = len(s.text)
}

// checkDot takes a Discord bot's token by its first dot: 24 to 28, 6, and 27 to 38.
func (s *scan) checkDot() {
	dot := s.dot
	body := dot + 1
	s.nextDot(body)
	if dot < s.done || s.run(url, body) != body+6 {
		return
	}
	from := s.back(url, dot, 29)
	if n := dot - from; n < 24 || n > 28 || strings.IndexByte("MNO", s.text[from]) < 0 {
		// The letter of an escape or a colour may stand right before it.
		if from = s.afterEscapeIn(from, dot); from < 0 {
			return
		}
	}
	if to := s.run(url, body+7); to-body-7 >= 27 && s.varied(from, dot, false) {
		s.take(from, to)
	}
}

// afterEscapeIn finds where a token begins whose run has an escape's letter or
// digits in front of it.
func (s *scan) afterEscapeIn(from, to int) int {
	for n := 28; n >= 24; n-- {
		if at := to - n; at > from && strings.IndexByte("MNO", s.text[at]) >= 0 && s.beginsAt(at) {
			return at
		}
	}
	return -1
}

// lookCursor takes "key_" and 64 of hex near the word Cursor.
func lookCursor(s *scan, start, body int) (int, int, bool) {
	to := s.run(hex, body)
	return start, to, to-body >= 64 && s.varied(body, to, false) && s.near(start, "cursor")
}

// near reports that a word, in lower case, stands near i, in any case.
func (s *scan) near(i int, word string) bool {
	const window = 256
	s.short = s.short || len(s.text)-i < window
	for j := max(0, i-window); j < min(len(s.text), i+window); j++ {
		if s.follows(j, word) {
			return true
		}
	}
	return false
}

// lookJWT takes two parts that are JSON in base64 and a signature, which may be
// missing after its dot.
func lookJWT(s *scan, start, body int) (int, int, bool) {
	const part, second = 10, "eyJ"
	to := s.run(url, body)
	if to-body < part || !strings.HasPrefix(s.text[to:], "."+second) {
		return 0, 0, false
	}
	at := to + 1 + len(second)
	to = s.run(url, at)
	if to-at < part || to >= len(s.text) || s.text[to] != '.' || !s.varied(body, to, false) {
		return 0, 0, false
	}
	if end := s.run(url, to+1); end-to-1 >= part {
		to = end
	}
	return start, to, true
}
