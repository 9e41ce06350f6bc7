package program

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"conch/plain"
	"conch/redact"
)

// maxWords bounds foreign words in a sentence, in characters.
const maxWords = 200

// OneLine makes foreign words one harmless line without secrets, of at most limit
// characters.
func OneLine(s string, limit int) string {
	clean, _ := redact.Redact(plain.Line(s, 4*limit))
	return plain.Line(clean, limit)
}

// Sentence ends a line with a full stop.
func Sentence(s string) string { return strings.TrimRight(s, " .:;,…") + "." }

// lastLine is the end of the last line of cleaned text.
func lastLine(s string) string {
	s = strings.TrimRight(s, "\n \t")
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	if r := []rune(s); len(r) > maxWords {
		s = "…" + string(r[len(r)-maxWords+1:])
	}
	return plain.Line(s, 0)
}

// wholeLines cleans and redacts the kept end of a text. Where the text was longer,
// the line that was cut goes, or of a single one the word: the rest of a secret is
// not known for what it is.
func wholeLines(text string, kept int) string {
	if len(text) >= kept {
		if _, rest, _ := strings.Cut(text, "\n"); strings.TrimSpace(rest) != "" {
			text = rest
		} else if _, rest, ok := strings.Cut(text, " "); ok {
			text = rest
		}
	}
	clean, _ := redact.Redact(plain.Text(text))
	return clean
}

// span is a duration as a person says it.
func span(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	}
	return fmt.Sprintf("%d ms", int(d/time.Millisecond))
}

// Pattern is a regular expression that is made when it is first needed: most runs of
// Conch need none of a provider's. An expression that is none panics then.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
