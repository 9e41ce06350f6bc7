package search

import (
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"conch/redact"
)

const (
	// ranked is how many of the newest matches are ordered by relevance: of more
	// the older ones are only counted.
	ranked = 4000

	// rankedTyped is the same while a word may be the beginning of longer ones: the
	// next letter may come at any moment.
	rankedTyped = 2000

	// halfLife is the age at which half of what being new is worth is gone.
	halfLife = 30 * 24 * time.Hour
)

// row is a message that the index says matches.
type row struct {
	id    int64
	score float64 // more is better
}

// indexed gives the page from the index: words and beginnings of words first,
// then parts of words where there is room.
func (f *finding) indexed() error {
	scopes, err := f.scopes()
	if err != nil {
		return err
	}
	f.page = &page{f: f, scopes: scopes, pieces: map[int64]*place{}, perChat: map[int64]int{}, seen: map[int64]bool{}}
	if done, err := f.typed(); err != nil || done {
		return err
	}
	before := ""
	for _, how := range []manner{lastBegin, begin} {
		if expr := f.wanted.expression(how); expr != before {
			if err := f.page.fill(f.wanted, how); err != nil {
				return err
			}
			before = expr
		}
		if len(f.page.hits) >= f.o.Limit {
			return nil
		}
	}
	inParts, ok, err := f.inParts()
	if err != nil || !ok {
		return err
	}
	return f.page.fill(inParts, begin)
}

// inParts is what is wanted with every word that has a part of it in place of a
// word.
func (f *finding) inParts() (wanted, bool, error) {
	w := f.wanted
	w.groups = slices.Clone(w.groups)
	ok := false
	for i, g := range w.groups {
		if !g.partable() {
			continue
		}
		any, err := containing(f.ctx, f.db, g.terms[0])
		if err != nil {
			return w, false, err
		}
		// A beginning is found without them.
		if slices.ContainsFunc(any, func(word string) bool { return !strings.HasPrefix(word, g.terms[0]) }) {
			slices.Sort(any)
			w.groups[i].any, ok = any, true
		}
	}
	return w, ok, nil
}

// spelled is what is wanted with close spellings in place of the words that are
// nowhere.
func (f *finding) spelled() (w wanted, tried []string, err error) {
	w = f.wanted
	w.groups = slices.Clone(w.groups)
	for i, g := range w.groups {
		if !g.partable() {
			continue
		}
		alone := wanted{groups: []group{g}}
		if n, err := f.page.matches(alone.expression(begin), 1); err != nil || n > 0 {
			if err != nil {
				return w, nil, err
			}
			continue
		}
		words, err := near(f.ctx, f.db, g.terms[0], i == w.last())
		if err != nil {
			return w, nil, err
		}
		words, err = f.frequent(words)
		if err != nil {
			return w, nil, err
		}
		if len(words) > 0 {
			tried = append(tried, words...)
			slices.Sort(words)
			w.groups[i].any = words
		}
	}
	return w, tried, nil
}

const maxSpellings = 3 // for one word

// frequent leaves the words that are in some message; of many those in the most.
func (f *finding) frequent(words []string) ([]string, error) {
	count := map[string]int{}
	for _, word := range words {
		n, err := f.page.matches(wanted{groups: []group{{terms: []string{word}}}}.expression(whole), 100)
		if err != nil {
			return nil, err
		}
		count[word] = n
	}
	words = slices.DeleteFunc(words, func(word string) bool { return count[word] == 0 })
	slices.SortStableFunc(words, func(a, b string) int { return count[b] - count[a] })
	return words[:min(len(words), maxSpellings)], nil
}

// page is being filled with hits from the index.
type page struct {
	f       *finding
	scopes  []scope
	pieces  map[int64]*place
	perChat map[int64]int
	seen    map[int64]bool // rows that were looked at
	hits    []Hit
}

// place is where a piece's messages stand.
type place struct {
	n      int64 // of the chat
	source int
	chat   Chat
	first  int
}

// fill adds the matches of one expression, and counts them.
func (p *page) fill(w wanted, how manner) error {
	return p.fillBy(w, how, p.f.o.Newest)
}

// fillBy is fill with the newest first or the best.
func (p *page) fillBy(w wanted, how manner, newest bool) error {
	f := p.f
	expr := w.expression(how)
	list, err := p.matching(expr)
	if err != nil {
		return err
	}
	next := p.newest(expr, list)
	if !newest && len(p.hits) < f.o.Limit {
		most := ranked
		if w.last() >= 0 {
			most = rankedTyped
		}
		if next, err = p.best(expr, list, most); err != nil {
			return err
		}
	}
	m := newMatcher(w, how)
	for len(p.hits) < f.o.Limit {
		rows, err := next(f.o.Limit - len(p.hits))
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := p.add(rows, m); err != nil {
			return err
		}
	}
	return nil
}

// where is the condition of a scope.
func (p *page) where(s scope, expr string) (string, []any) {
	sql := ` FROM words WHERE words MATCH ? AND rowid >= ? AND rowid <= ?`
	args := []any{expr, s.lo, s.hi}
	if s.pieces != "" {
		sql += fmt.Sprintf(` AND (rowid >> %d) IN (SELECT value FROM json_each(?))`, placeBits)
		args = append(args, s.pieces)
	}
	if p.f.filter.mine {
		sql += fmt.Sprintf(` AND (rowid & %d)`, mineBit)
	}
	return sql, args
}

// listOf is numbers as a JSON list.
func listOf(numbers iter.Seq[int64]) string {
	b := []byte{'['}
	for n := range numbers {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}

func (p *page) rows(query string, args []any) ([]row, error) {
	rows, err := p.f.db.QueryContext(p.f.ctx, query, args...)
	if err != nil {
		return nil, classify(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	var list []row
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.id, &r.score); err != nil {
			return nil, classify(err)
		}
		list = append(list, r)
	}
	return list, classify(rows.Err())
}

// recency makes what is new worth up to twice as much as what is old.
func (p *page) recency(list []row) error {
	until := map[int64]int64{}
	for _, r := range list {
		number, _ := placeOf(r.id)
		until[number] = 0
	}
	rows, err := p.f.db.QueryContext(p.f.ctx, `SELECT number, until FROM pieces WHERE number IN (SELECT value FROM json_each(?))`, listOf(maps.Keys(until)))
	if err != nil {
		return classify(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var number, sec int64
		if err := rows.Scan(&number, &sec); err != nil {
			return classify(err)
		}
		until[number] = sec
	}
	now := time.Now().Unix()
	for i := range list {
		number, _ := placeOf(list[i].id)
		age := float64(max(0, now-until[number])) / halfLife.Seconds()
		list[i].score *= 1 + math.Exp2(-age)
	}
	return classify(rows.Err())
}

// place finds the chat of a piece.
func (p *page) place(number int64) (*place, error) {
	if at, ok := p.pieces[number]; ok {
		return at, nil
	}
	at := &place{}
	var updated int64
	c := &at.chat
	err := p.f.db.QueryRowContext(p.f.ctx, `SELECT p.first, c.n, c.source, c.id, c.stamp, c.app, c.title, c.project, c.sender, c.untrusted, c.updated
		FROM pieces p JOIN chats c ON c.n = p.chat WHERE p.number = ?`, number).
		Scan(&at.first, &at.n, &at.source, &c.ID, &c.Stamp, &c.App, &c.Title, &c.Project, &c.From, &c.Untrusted, &updated)
	if errors.Is(err, sql.ErrNoRows) {
		p.pieces[number] = nil // taken out since
		return nil, nil
	}
	if err != nil {
		return nil, classify(err)
	}
	c.Updated = fromNanos(updated)
	p.pieces[number] = at
	return at, nil
}

// add reads the messages of rows and adds those that match. What the index has
// and the log has not any more is passed over.
func (p *page) add(rows []row, m *matcher) error {
	f := p.f
	type need struct {
		at *place
		n  int
	}
	var needs []need
	room := f.o.Limit - len(p.hits)
	for _, r := range rows {
		if len(needs) >= room {
			break
		}
		if p.seen[r.id] {
			continue
		}
		p.seen[r.id] = true
		number, n := placeOf(r.id)
		at, err := p.place(number)
		if err != nil {
			return err
		}
		if at == nil || f.o.PerChat > 0 && p.perChat[at.n] >= f.o.PerChat {
			continue
		}
		p.perChat[at.n]++
		needs = append(needs, need{at, at.first + n})
	}
	words := map[int64]map[int]Word{}
	for _, n := range needs {
		if words[n.at.n] == nil {
			words[n.at.n] = map[int]Word{}
		}
		words[n.at.n][n.n] = Word{}
	}
	for _, n := range needs {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		list := words[n.at.n]
		if _, read := list[-1]; !read {
			f.fetch(n.at, list)
			list[-1] = Word{}
		}
		if hit, ok := f.hit(n.at.chat, n.n, list[n.n], m); ok {
			p.hits = append(p.hits, hit)
		} else {
			p.perChat[n.at.n]--
		}
	}
	return nil
}

// fetch fills in the messages of a chat that are wanted.
func (f *finding) fetch(at *place, list map[int]Word) {
	if at.source < 0 || at.source >= len(f.ix.sources) {
		return
	}
	left, n := len(list), 0
	want := func(n int) bool {
		_, ok := list[n]
		return ok
	}
	take := func(n int, w Word) bool {
		if want(n) {
			list[n] = w
			left--
		}
		return left > 0 && f.ctx.Err() == nil
	}
	var err error
	if source, ok := f.ix.sources[at.source].(Places); ok {
		err = source.WordsAt(at.chat.ID, want, take)
	} else {
		err = f.ix.sources[at.source].Words(at.chat.ID, func(w Word) bool {
			n++
			return take(n-1, w)
		})
	}
	if err != nil {
		f.ix.log("search-read", "a chat could not be read for a search: "+err.Error())
	}
}

// hit makes a hit of a message, when it has what is wanted.
func (f *finding) hit(c Chat, n int, w Word, m *matcher) (Hit, bool) {
	if w.Text == "" || f.filter.mine && w.Role != "user" {
		return Hit{}, false
	}
	if !w.At.IsZero() && (w.At.Unix() < f.filter.since || w.At.Unix() >= f.filter.until) {
		return Hit{}, false
	}
	text, _ := redact.Redact(bounded(w.Text))
	found, ok := m.match(text)
	if !ok {
		return Hit{}, false
	}
	h := Hit{Chat: c, Message: w.ID, N: n, Role: w.Role, At: w.At}
	if h.At.IsZero() {
		h.At = c.Updated
	}
	h.Chat.Title = oneLine(c.Title)
	h.Snippet, h.Marks = snippet(text, found)
	return h, true
}

// oneLine is a title without what a terminal obeys.
func oneLine(s string) string {
	line, _ := snippet(s, nil)
	return line
}
