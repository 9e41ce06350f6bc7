package tools

import (
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"conch/plain"
)

// paper is memory.md as it is written, and where in it the memories stand. What is
// no memory (headings, comments, blank lines) is never touched.
type paper struct {
	lines []string // with their ends
	found []place
}

// place is a memory and its lines.
type place struct {
	Remembered
	from, to int
}

const paperHead = `# Memory

<!-- What you let Conch remember: every assistant is told these lines. One bullet is
one memory. Change, add and remove them as you like. -->

`

// Each is compiled when it is first used: most runs of the program read no memory.
var (
	bullet  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+`) })
	heading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ {0,3}(?:#{1,6}(?:[ \t]|$)|(?:[-*_=][ \t]*){3,}$)`) })
	comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<!--.*?-->`) })
	saved   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<!-- ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z)(?: ([0-9A-Za-z_]{1,64}))? -->\s*$`)
	})
)

const (
	noteOpen = "<!--"
	noteEnd  = "-->"
)

// parse reads a file that a person may have changed in any way. A bullet is a
// memory, and so is a paragraph without one; lines that follow belong to it, up to
// a blank one. Later ones that say the same again are passed over.
func parse(text string) *paper {
	p := &paper{lines: strings.SplitAfter(text, "\n")}
	if p.lines[len(p.lines)-1] == "" {
		p.lines = p.lines[:len(p.lines)-1]
	}
	from := -1 // where the memory that is read begins
	end := func(to int) {
		if from >= 0 {
			p.note(from, to)
		}
		from = -1
	}
	for i := 0; i < len(p.lines); i++ {
		line := strings.TrimRight(strings.TrimPrefix(p.lines[i], "\ufeff"), "\r\n")
		switch {
		case strings.TrimSpace(line) == "":
			end(i)
		case heading().MatchString(line):
			end(i)
		case strings.HasPrefix(strings.TrimSpace(line), noteOpen) && (from < 0 || !saved().MatchString(line)):
			end(i)
			i = p.noteEnds(i)
		case bullet().MatchString(line):
			end(i)
			from = i
		case from < 0:
			from = i
		}
	}
	end(len(p.lines))
	return p
}

// noteEnds is the last line of the comment that begins in a line: that line itself
// when it doesn't end before the next one begins, so that one lost sign does not
// hide all that follows.
func (p *paper) noteEnds(at int) int {
	_, rest, _ := strings.Cut(p.lines[at], noteOpen)
	for i := at; ; rest = p.lines[i] {
		inside, _, ended := strings.Cut(rest, noteEnd)
		if strings.Contains(inside, noteOpen) {
			return at
		}
		if ended {
			return i
		}
		if i++; i == len(p.lines) {
			return at
		}
	}
}

// note takes up the memory of the lines.
func (p *paper) note(from, to int) {
	raw := strings.TrimPrefix(strings.Join(p.lines[from:to], ""), "\ufeff")
	raw = strings.TrimRightFunc(raw, unicode.IsSpace)
	r := Remembered{}
	if m := saved().FindStringSubmatch(raw); m != nil {
		if at, err := time.Parse(time.RFC3339, m[1]); err == nil {
			r.At, r.Chat = at.UTC(), m[2]
		}
	}
	raw = strings.TrimPrefix(raw, bullet().FindString(raw))
	r.Words = plain.Line(comment().ReplaceAllString(strings.ReplaceAll(raw, "\n", " "), " "), maxMemory)
	if !strings.ContainsFunc(r.Words, wordRune) {
		return
	}
	r.ID = r.id()
	p.found = append(p.found, place{r, from, to})
}

// list gives the memories, what is said twice once.
func (p *paper) list() []Remembered {
	var list []Remembered
	seen := map[string]bool{}
	for _, each := range p.found {
		if k := alike(each.Words); !seen[k] {
			seen[k] = true
			list = append(list, each.Remembered)
		}
	}
	return list
}

// alike is the same for words that differ in nothing that counts.
func alike(words string) string {
	words = strings.ToLower(strings.Join(strings.Fields(words), " "))
	return strings.TrimRight(words, " .!")
}

func (p *paper) like(words string) (Remembered, bool) {
	for _, each := range p.found {
		if alike(each.Words) == alike(words) {
			return each.Remembered, true
		}
	}
	return Remembered{}, false
}

func (p *paper) fits(words string) error {
	if !strings.ContainsFunc(words, wordRune) {
		return ErrNoWords
	}
	if _, ok := p.like(words); ok {
		return ErrKnown
	}
	if len(p.list()) >= maxMemories {
		return ErrFull
	}
	return nil
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func (p *paper) find(idOrWords string) (Remembered, bool) {
	want := strings.Trim(strings.TrimSpace(idOrWords), "[]")
	for _, each := range p.found {
		if each.ID == want {
			return each.Remembered, true
		}
	}
	want = fitting(idOrWords)
	for _, each := range p.found {
		if fitting(each.Words) == want { // as an assistant is told them
			return each.Remembered, true
		}
	}
	return Remembered{}, false
}

// line is a memory as it is written.
func (r Remembered) line(end string) string {
	line := "- " + r.Words
	if !r.At.IsZero() {
		line += " <!-- " + r.At.Format("2006-01-02T15:04:05Z")
		if r.Chat != "" {
			line += " " + r.Chat
		}
		line += " " + noteEnd
	}
	return line + end
}

// lineEnd is the one that the file has.
func (p *paper) lineEnd() string {
	if len(p.lines) > 0 && strings.HasSuffix(p.lines[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// add puts a memory behind the last one, or at the end.
func (p *paper) add(r Remembered) {
	if len(p.lines) == 0 {
		p.lines = strings.SplitAfter(strings.TrimSuffix(paperHead, "\n"), "\n")
		p.lines = append(p.lines, "\n")
	}
	at := len(p.lines)
	if n := len(p.found); n > 0 {
		at = p.found[n-1].to
	}
	if at > 0 && !strings.HasSuffix(p.lines[at-1], "\n") {
		p.lines[at-1] += p.lineEnd()
	}
	p.put(at, at, r.line(p.lineEnd()))
}

// remove takes out all that a memory stands on, as often as it does.
func (p *paper) remove(id string) {
	for i := len(p.found) - 1; i >= 0; i-- {
		if p.found[i].ID == id {
			p.put(p.found[i].from, p.found[i].to)
		}
	}
}

// replace writes a memory in the place of one.
func (p *paper) replace(id string, r Remembered) {
	for i := len(p.found) - 1; i >= 0; i-- {
		if p.found[i].ID == id {
			p.put(p.found[i].from, p.found[i].to, r.line(p.lineEnd()))
			return
		}
	}
}

// put sets lines in the place of others.
func (p *paper) put(from, to int, lines ...string) {
	out := append([]string{}, p.lines[:from]...)
	out = append(out, lines...)
	p.lines = append(out, p.lines[to:]...)
}

func (p *paper) text() string { return strings.Join(p.lines, "") }
