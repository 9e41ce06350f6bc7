package search

import (
	"slices"
	"time"
)

// spread reports that a group is of several words and in no quotes: "ulti-age" is
// a part of "multi-agent".
func (g group) spread() bool { return !g.phrase && len(g.terms) > 1 && !blankless(g.terms[0]) }

// everything lists all chats, whatever is in the index.
func (ix *Index) everything() (*ledger, error) {
	l := &ledger{}
	return l, l.list(ix.sources)
}

// scan reads the logs of chats, newest first, for what the index does not know,
// until the page is full or the time is over.
func (f *finding) scan(chats []Chat, how manner) {
	f.read(chats, f.ledger.source, how, func(c Chat) int {
		if f.db == nil {
			return 0
		}
		return f.ledger.have(c.ID).messages
	})
}

// scanAll reads the logs of all chats for parts of words.
func (f *finding) scanAll(l *ledger) {
	f.read(l.all, l.source, part, func(Chat) int { return 0 })
}

// read is one way through logs. from is the first message of a chat to look at.
func (f *finding) read(chats []Chat, source map[string]int, how manner, from func(Chat) int) {
	if f.fits == nil && f.filter.byChat() {
		var kinds []kind
		for _, c := range chats {
			kinds = append(kinds, kindOf(c))
		}
		f.fits = f.filter.among(kinds)
	}
	m := newMatcher(f.wanted, how)
	seen := 0
	for _, c := range chats {
		if f.ctx.Err() != nil || seen >= f.o.Limit {
			f.res.More = f.res.More || f.ctx.Err() == nil
			return
		}
		if time.Now().After(f.until) {
			f.res.More = true
			return
		}
		at, ok := source[c.ID]
		if !ok || c.ID == f.o.Except || f.fits != nil && !f.fits(kindOf(c)) || c.Updated.Unix() < f.filter.since {
			continue
		}
		hits := f.readChat(c, at, from(c), m)
		if len(hits) == 0 {
			continue
		}
		f.res.Total += len(hits)
		f.res.Chats++
		if f.o.Newest {
			slices.Reverse(hits)
		}
		if f.o.PerChat > 0 {
			hits = hits[:min(len(hits), f.o.PerChat)]
		}
		f.res.Hits = append(f.res.Hits, hits...)
		seen += len(hits)
	}
}

// readChat reads one chat's messages from one on and gives those that match.
func (f *finding) readChat(c Chat, source, from int, m *matcher) (hits []Hit) {
	n := 0
	err := f.ix.sources[source].Words(c.ID, func(w Word) bool {
		if n++; n <= from {
			return f.ctx.Err() == nil
		}
		if h, ok := f.hit(c, n-1, w, m); ok {
			hits = append(hits, h)
		}
		if n%16 == 0 && time.Now().After(f.until) {
			f.res.More = true
			return false
		}
		return f.ctx.Err() == nil
	})
	if err != nil {
		f.ix.log("search-read", "a chat could not be read for a search: "+err.Error())
	}
	return hits
}
