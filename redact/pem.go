package redact

import (
	"encoding/base64"
	"strings"
)

// lookPEM takes what stands between the marks of a private key, real line ends
// or written ones, quoted or not. A block that was cut off goes to the end of
// the text. Public keys and certificates stay.
func lookPEM(s *scan, _, body int) {
	const dashes, longest = "-----", 64
	head := s.text[body:min(len(s.text), body+longest)]
	n := strings.Index(head, dashes)
	s.short = s.short || n < 0 && len(s.text)-body < longest
	if n < 0 || !strings.HasSuffix(strings.TrimSuffix(head[:n], " BLOCK"), "PRIVATE KEY") {
		return
	}
	key := s.skipBreaks(body + n + len(dashes))
	if !s.keyBegins(key) {
		if key = s.skipFront(key); key < 0 {
			return
		}
	}
	s.take(key, beforeBreaks(s.text, key, s.pemEnd(key)))
}

// endMark begins the end of a block.
const endMark = "-----END"

// beforeBreaks gives the end of a key's lines when what follows them begins at to.
func beforeBreaks(text string, from, to int) int {
	for {
		switch {
		case to > from && isBreak(text[to-1]):
			to--
		case to-from >= 2 && text[to-2] == '\\' && (text[to-1] == 'n' || text[to-1] == 'r'):
			to -= 2
			for to > from && text[to-1] == '\\' {
				to--
			}
		default:
			return to
		}
	}
}

func isBreak(b byte) bool { return strings.IndexByte(" \t\r\n>|", b) >= 0 }

// skipBreaks passes white space, quoting and line ends that are written out.
func (s *scan) skipBreaks(i int) int {
	for {
		if i >= len(s.text) {
			s.short = true
			return i
		}
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
		if n := strings.Index(s.text[from:], endMark); n >= 0 {
			to = from + n
		}
		s.end = span{from, to}
	}
	s.short = s.short || s.end.to == len(s.text)
	return s.end.to
}

// skipFront passes what a listing puts before the lines of a key: line numbers, the
// marks of a diff or a comment, quotes of strings that are joined. A whole line of
// the key must follow, or it gives -1.
func (s *scan) skipFront(i int) int {
	const longest, wholeLine = 48, 40
	for end := min(len(s.text), i+longest); i < end; {
		j := s.skipBreaks(i)
		j = s.skip(j, longest, "\"'`+-#*/,;:.")
		number := s.skip(j, 8, numbers)
		if c := s.byteAt(number); number > j && (c == ':' || c == '\t' || c == '|' || c == ' ') {
			j = number + 1
		} else if number > j && strings.HasPrefix(s.text[number:], "→") {
			j = number + len("→")
		}
		if j == i {
			break
		}
		i = j
	}
	if s.run(b64, i)-i < wholeLine {
		return -1
	}
	return i
}

// lookEncodedPEM takes a private key whose whole block is written in base64.
func lookEncodedPEM(s *scan, start, body int) (int, int, bool) {
	const head = 64
	to := s.run(b64, start)
	raw, err := base64.StdEncoding.DecodeString(s.text[start : start+min(head, (to-start)/4*4)])
	return start, to, err == nil && strings.Contains(string(raw), "PRIVATE KEY")
}
