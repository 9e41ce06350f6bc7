package search

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxGroups = 32 // words and phrases of a query that are searched
	maxTerms  = 64 // and the words in them
	minPart   = 3  // letters of a part of a word
	minBegin  = 2  // letters of the beginning of a word
)

// group is a word or a phrase of a query: terms that follow each other.
type group struct {
	terms  []string
	phrase bool // in quotes: its last term is whole

	// any, when there are some, are words of which one stands for the only term:
	// those that have it as a part, or are spelled almost so. They are sorted.
	any []string
}

// wanted is what a message must have to match.
type wanted struct {
	groups []group
	cut    bool // the query had more than is searched
	typed  bool // there was something that could have been a word
}

func want(q Query) wanted {
	var w wanted
	left := maxTerms
	add := func(text string, phrase bool) {
		if strings.TrimSpace(text) == "" {
			return
		}
		w.typed = true
		if len(w.groups) == maxGroups || left == 0 {
			w.cut = true
			return
		}
		list := terms(text, left+1)
		if len(list) > left {
			list, w.cut = list[:left], true
		}
		if len(list) == 0 {
			return
		}
		left -= len(list)
		g := group{terms: list, phrase: phrase}
		if !slices.ContainsFunc(w.groups, func(h group) bool { return h.phrase == phrase && slices.Equal(h.terms, list) }) {
			w.groups = append(w.groups, g)
		}
	}
	for _, p := range q.Phrases {
		add(p, true)
	}
	for _, word := range q.Words {
		add(word, false)
	}
	return w
}

// last is the group that is being typed, -1 when none is.
func (w wanted) last() int {
	if n := len(w.groups); n > 0 && !w.groups[n-1].phrase {
		return n - 1
	}
	return -1
}

// How a group's last term is meant.
type manner int

const (
	whole     manner = iota // words as they are
	lastBegin               // the word that is typed last may be the beginning of one
	begin                   // every word may be
	part                    // every word may be a part of one
)

// begins reports that a group's last term may be the beginning of a word.
func (w wanted) begins(i int, how manner) bool {
	g := w.groups[i]
	term := g.terms[len(g.terms)-1]
	if g.phrase || len(g.any) > 0 || blankless(term) || utf8.RuneCountInString(term) < minBegin {
		return false
	}
	return how >= begin || how == lastBegin && i == w.last() && utf8.RuneCountInString(term) >= minPart
}

// expression is the search as FTS5 writes it. Terms hold letters and digits
// alone, so that nothing in them is syntax.
func (w wanted) expression(how manner) string {
	var b strings.Builder
	for i, g := range w.groups {
		if i > 0 {
			b.WriteString(" AND ")
		}
		if len(g.any) > 0 {
			b.WriteString(`("` + strings.Join(g.any, `" OR "`) + `")`)
			continue
		}
		b.WriteByte('"')
		for j, t := range g.terms {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(t)
		}
		b.WriteByte('"')
		if w.begins(i, how) {
			b.WriteByte('*')
		}
	}
	return b.String()
}

// partable reports that a group may be a part of a word.
func (g group) partable() bool {
	return !g.phrase && len(g.terms) == 1 && len(g.any) == 0 && !blankless(g.terms[0]) && utf8.RuneCountInString(g.terms[0]) >= minPart
}

// tooShort reports that there is a word too short to be searched as a part of
// another.
func (w wanted) tooShort() bool {
	return slices.ContainsFunc(w.groups, func(g group) bool {
		return !g.phrase && len(g.terms) == 1 && !blankless(g.terms[0]) && utf8.RuneCountInString(g.terms[0]) < minPart
	})
}

// matcher looks for what is wanted in texts. It is for one goroutine.
type matcher struct {
	wanted
	how   manner
	alive [][]run // by group: what has begun
	found []mark0
	had   []bool
	split splitter
}

// run is a phrase that has begun.
type run struct{ from, next int }

// mark0 is a place that matches.
type mark0 struct{ group, from, to int }

func newMatcher(w wanted, how manner) *matcher {
	return &matcher{wanted: w, how: how, alive: make([][]run, len(w.groups)), had: make([]bool, len(w.groups))}
}

const maxMarks = 1000 // of one message

// match reports that text has all that is wanted, and where.
func (m *matcher) match(text string) ([]mark0, bool) {
	m.found = m.found[:0]
	for i := range m.alive {
		m.alive[i], m.had[i] = m.alive[i][:0], false
	}
	m.split.text, m.split.at, m.split.parts, m.split.end = bounded(text), 0, 0, 0
	for m.split.next() && len(m.found) < maxMarks {
		for i := range m.groups {
			m.step(i)
		}
	}
	return m.found, !slices.Contains(m.had, false)
}

// step takes the next word of the text to a group.
func (m *matcher) step(i int) {
	g, s := &m.groups[i], &m.split
	last := len(g.terms) - 1
	if s.part && last > 0 {
		return // a part follows nothing
	}
	runs := m.alive[i]
	kept := runs[:0]
	for _, r := range runs {
		if !m.is(i, r.next, r.next == last) {
			continue
		}
		if r.next == last {
			m.mark(i, r.from, m.endOf(i))
			continue
		}
		kept = append(kept, run{r.from, r.next + 1})
	}
	m.alive[i] = kept
	if len(m.groups) > 1 && m.had[i] && len(m.found) > maxMarks/2 {
		return
	}
	if !m.starts(i, last == 0) {
		return
	}
	if last == 0 {
		from := s.from
		if m.how == part || len(g.any) > 0 {
			from = m.startOf(g.terms[0])
		}
		m.mark(i, from, m.endOf(i))
		return
	}
	m.alive[i] = append(m.alive[i], run{s.from, 1})
}

// starts reports that a group may begin with the word.
func (m *matcher) starts(i int, last bool) bool {
	g := m.groups[i]
	if len(g.any) > 0 {
		_, ok := slices.BinarySearch(g.any, string(m.split.word))
		return ok
	}
	if m.how == part && !g.phrase && utf8.RuneCountInString(g.terms[0]) >= minPart {
		if last {
			return bytes.Contains(m.split.word, []byte(g.terms[0]))
		}
		return bytes.HasSuffix(m.split.word, []byte(g.terms[0]))
	}
	return m.is(i, 0, last)
}

// is reports that the word is a group's term.
func (m *matcher) is(i, term int, last bool) bool {
	t := m.groups[i].terms[term]
	if len(m.split.word) < len(t) || string(m.split.word[:len(t)]) != t {
		return false
	}
	return len(m.split.word) == len(t) || last && m.begins(i, m.how)
}

// plainly reports that the word is in the text byte for byte, but for its case.
func (m *matcher) plainly() bool { return m.split.to-m.split.from == len(m.split.word) }

func (m *matcher) startOf(term string) int {
	if at := bytes.Index(m.split.word, []byte(term)); at > 0 && m.plainly() {
		return m.split.from + at
	}
	return m.split.from
}

// endOf is where the last term of a group ends in the word, which may go on.
func (m *matcher) endOf(i int) int {
	g := m.groups[i]
	t := g.terms[len(g.terms)-1]
	at := 0
	if len(g.any) > 0 || m.how == part && len(g.terms) == 1 {
		at = bytes.Index(m.split.word, []byte(t))
	}
	if m.plainly() && at >= 0 {
		return m.split.from + at + len(t)
	}
	return m.split.to
}

func (m *matcher) mark(group, from, to int) {
	m.had[group] = true
	m.found = append(m.found, mark0{group, from, to})
}
