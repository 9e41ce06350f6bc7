package redact

import "strings"

// lookPEM takes what stands between the marks of a private key, real line ends
// or written ones, quoted or not. A block that was cut off goes to the end of
// the text. Public keys and certificates stay.
func lookPEM(s *scan, _, body int) {
	const dashes, longest = "-----", 64
	head := s.text[body:min(len(s.text), body+longest)]
	n := strings.Index(head, dashes)
	if n < 0 || !strings.HasSuffix(strings.TrimSuffix(head[:n], " BLOCK"), "PRIVATE KEY") {
		return
	}
	from := body + n + len(dashes)
	key := s.skipBreaks(from)
	if !s.keyBegins(key) {
		return
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
	s.take(key, to)
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
