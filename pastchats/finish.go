package pastchats

import (
	"strings"

	"conch/plain"
	"conch/redact"

	"github.com/rivo/uniseg"
)

// Characters of what is kept beside the words.
const (
	maxTitle = 120
	maxName  = 120
)

const untitled = "Untitled chat"

// finished is a chat as it is stored: cleaned, redacted, cut.
type finished struct {
	title    string
	ownTitle bool // the app's, not the first words
	project  string
	model    string
	created  int64 // milliseconds
	updated  int64
	messages []message
	first    int // the number of the first message, from 1
	users    int // messages of the person
	redacted int // keys taken out
}

// finish makes of what a finder read what is stored. It takes c's words over.
func finish(f chatFile, c *talk) finished {
	words := distinct(c.words)
	done := finished{first: c.gone + 1}
	opening := firstOf(words)
	if n := len(words) - maxKept; n > 0 {
		words = words[n:]
		done.first += n
	}
	for i := range words {
		m := &words[i]
		switch {
		case !m.ready:
			m.redact(c.keys)
		case c.keys != nil: // it was made ready before anybody told of these
			text, n := c.keys.Redact(m.text)
			m.text, m.redacted = text, m.redacted+n
		}
		done.redacted += m.redacted
		if m.role == User {
			done.users++
		}
	}
	done.messages = words
	done.title, done.ownTitle = firstWords(opening, c.keys), false
	if title, n := appTitle(c.Title, opening, c.keys); title != "" {
		done.title, done.ownTitle = title, true
		done.redacted += n
	}
	if done.title == "" {
		done.title = untitled
	}
	done.project = tidyName(c.Project, c.keys)
	if done.project == "" {
		done.project = tidyName(projectOf(c.Cwd), c.keys)
	}
	if done.project == "" {
		done.project = tidyName(f.Project, c.keys)
	}
	done.model = tidyName(c.Model, c.keys)
	done.date(f, c)
	return done
}

// distinct cleans the words and drops what is empty or equal to what was said
// just before. It works in place.
func distinct(words []message) []message {
	kept := words[:0]
	for _, m := range words {
		if !m.ready {
			m.text = strings.TrimSpace(plain.Text(m.text))
		}
		if m.text == "" {
			continue
		}
		if n := len(kept); n > 0 && kept[n-1].role == m.role && kept[n-1].sum == m.sum && kept[n-1].text == m.text {
			continue
		}
		kept = append(kept, m)
	}
	clear(words[len(kept):])
	return kept
}

// makeReady cleans, redacts and cuts a message.
func (m *message) makeReady() {
	m.text = strings.TrimSpace(plain.Text(m.text))
	m.redact(nil)
	m.ready = true
}

// redact comes before the cut: a key that lies on it must not stay in part.
func (m *message) redact(keys *redact.Redactor) {
	m.text, m.redacted = taken(m.text, keys)
	m.text = shorten(m.text, maxWords)
}

// firstOf is the person's first message, cleaned.
func firstOf(words []message) string {
	for _, m := range words {
		if m.role == User {
			return m.text
		}
	}
	return ""
}

func firstWords(opening string, keys *redact.Redactor) string {
	clean, _ := taken(beginning(opening), keys)
	return plain.Line(clean, maxTitle)
}

// taken is a text without its secrets; keys are those known by heart, nil for
// none.
func taken(s string, keys *redact.Redactor) (string, int) {
	if keys == nil {
		return redact.Redact(s)
	}
	return keys.Redact(s)
}

// beginningBytes is as much of a text as can reach into a title.
const beginningBytes = 4 << 10

// beginning is the beginning of a text, longer than any title. A key that is cut by
// its end lies far behind the title's.
func beginning(s string) string {
	if len(s) <= beginningBytes {
		return s
	}
	return strings.ToValidUTF8(s[:beginningBytes], "")
}

// appTitle is the app's title as one line and the keys that were taken out of
// it. Many apps take the first words as the title: their keys are counted there.
func appTitle(title, opening string, keys *redact.Redactor) (string, int) {
	line := plain.Line(title, beginningBytes)
	clean, n := taken(line, keys)
	if n > 0 && strings.HasPrefix(plain.Line(beginning(opening), 0), strings.TrimRight(line, ".… ")) {
		n = 0
	}
	return plain.Line(clean, maxTitle), n
}

// tidyName is a short text that is not the person's: a project, a model.
func tidyName(s string, keys *redact.Redactor) string {
	clean, _ := taken(plain.Line(s, beginningBytes), keys)
	return plain.Line(clean, maxName)
}

func clean(s string) string {
	s, _ = redact.Redact(s)
	return s
}

// endOfTime bounds times in milliseconds: later years have no written form.
const endOfTime = 253_402_300_800_000

// date gives the chat and each message its time: what has none takes that of
// what was said before it, then the chat's, then the file's.
func (d *finished) date(f chatFile, c *talk) {
	good := func(ms int64) int64 {
		if ms <= 0 || ms >= endOfTime {
			return 0
		}
		return ms
	}
	d.created, d.updated = good(c.Started), good(c.Updated)
	var first, last int64
	for i := range d.messages {
		at := good(d.messages[i].at)
		d.messages[i].at = at
		if at != 0 {
			if first == 0 {
				first = at
			}
			last = at
		}
	}
	file := good(f.MTime / 1e6)
	for _, ms := range []int64{first, file} {
		if d.created == 0 {
			d.created = ms
		}
	}
	for _, ms := range []int64{last, file} {
		if d.updated == 0 {
			d.updated = ms
		}
	}
	last = d.created
	for i := range d.messages {
		if d.messages[i].at == 0 {
			d.messages[i].at = last
		}
		last = d.messages[i].at
	}
}

// shorten cuts a text to max characters, the "…" among them, between two
// graphemes.
func shorten(s string, max int) string {
	if len(s) <= max {
		return s
	}
	end, n := len(s), 0
	for i := range s {
		if n == max-1 {
			end = i
		}
		if n++; n > max {
			return s[:boundary(s, end)] + "…"
		}
	}
	return s
}

// lookBack bounds how far before a cut its grapheme may begin, in bytes. plain
// leaves no longer ones.
const lookBack = 2048

// boundary is the last end of a grapheme at or before end.
func boundary(s string, end int) int {
	from := end
	for from > 0 && end-from < lookBack && (s[from-1] >= 0x80 || s[from] >= 0x80) {
		from--
	}
	for from < end && s[from]&0xc0 == 0x80 {
		from++
	}
	state, at := -1, from
	for rest := s[from:]; at < end; {
		var g string
		g, rest, _, state = uniseg.StepString(rest, state)
		if at+len(g) > end {
			break
		}
		at += len(g)
	}
	return at
}
