package handoff

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"conch/plain"
	"conch/redact"
)

// margin is how many bytes beyond a limit are read, so that a secret is seen
// whole before the text is cut.
const margin = 4 << 10

// whole is the longest message that is cleaned from end to end; of a longer one
// only the two ends are looked at.
const whole = 256 << 10

// clean makes text harmless and takes secrets out.
func (l Limits) clean(s string) string { return l.redact(plain.Text(s)) }

// line gives the beginning of s as one clean line of at most max characters.
func (l Limits) line(s string, max int) string {
	return plain.Line(l.redact(plain.Line(head(s, 4*max+margin), 0)), max)
}

// redact takes out what has the form of a secret, and the ones that are known.
func (l Limits) redact(s string) string {
	if l.keys != nil {
		s, _ = l.keys.Redact(s)
		return s
	}
	s, _ = redact.Redact(s)
	return s
}

// head gives about the first n bytes of s, whole characters only.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tail gives about the last n bytes of s.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

// words cleans a message and cuts it to max characters: the first half, how many
// were left out, the last half.
func (l Limits) words(s string, max int) string {
	if len(s) <= whole {
		return clip(strings.Trim(l.clean(s), "\n\t "), max)
	}
	half := (max+1)/2*utf8.UTFMax + 16*margin
	first := runes(strings.TrimLeft(l.clean(head(s, half)), "\n\t "), (max+1)/2)
	last := lastRunes(strings.TrimRight(l.clean(tail(s, half)), "\n\t "), max/2)
	return first + gap(length(s)-max) + last
}

// clip keeps both ends of a text that is longer than max.
func clip(s string, max int) string {
	n := length(s)
	if n <= max {
		return s
	}
	return runes(s, (max+1)/2) + gap(n-max) + lastRunes(s, max/2)
}

func gap(n int) string { return fmt.Sprintf("\n[… %d characters left out …]\n", n) }

func runes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

// indent puts every line after the first two blanks in, so that no label can
// stand at the start of one. A blank line stays blank.
func indent(s string) string {
	if strings.IndexByte(s, '\n') < 0 {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] = strings.TrimRight(lines[i], " \t"); lines[i] != "" {
			lines[i] = "  " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}
