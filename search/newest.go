package search

import (
	"cmp"
	"slices"
)

// listed is a chat that the filters leave.
type listed struct {
	chat   Chat
	source int
}

// chats gives the newest chats that the filters leave, each by the first of its
// messages that they leave.
func (f *finding) chats() error {
	var list []listed
	waits := map[string]bool{}
	for _, c := range f.ledger.todo {
		waits[c.ID] = true
	}
	if f.db != nil {
		var err error
		list, err = f.inIndex(waits)
		if err != nil {
			if err := f.fallBack(err); err != nil {
				return err
			}
			list = nil
		}
	}
	if f.fits == nil && f.filter.byChat() {
		var kinds []kind
		for _, c := range f.ledger.todo {
			kinds = append(kinds, kindOf(c))
		}
		f.fits = f.filter.among(kinds)
	}
	for _, c := range f.ledger.todo {
		if c.ID != f.o.Except && (f.fits == nil || f.fits(kindOf(c))) && c.Updated.Unix() >= f.filter.since {
			list = append(list, listed{c, f.ledger.source[c.ID]})
		}
	}
	slices.SortStableFunc(list, func(a, b listed) int { return b.chat.Updated.Compare(a.chat.Updated) })
	f.res.Total = len(list)
	for _, l := range list {
		if len(f.res.Hits) >= f.o.Limit || f.ctx.Err() != nil {
			break
		}
		h, ok := f.first(l)
		if !ok {
			f.res.Total-- // nothing of it is left
			continue
		}
		f.res.Hits = append(f.res.Hits, h)
	}
	f.res.Chats = f.res.Total
	return f.ctx.Err()
}

// inIndex lists the chats in the index that the filters leave, but for some.
func (f *finding) inIndex(but map[string]bool) ([]listed, error) {
	chats, err := f.allowed()
	if err != nil {
		return nil, err
	}
	rows, err := f.db.QueryContext(f.ctx, `SELECT source, id, stamp, app, title, project, sender, untrusted, updated FROM chats
		WHERE id <> ? AND messages > 0 AND (? = '' OR n IN (SELECT value FROM json_each(?)))
		AND EXISTS (SELECT 1 FROM pieces WHERE chat = n AND since < ? AND until >= ?)`,
		f.o.Except, chats, cmp.Or(chats, "[]"), f.filter.until, f.filter.since)
	if err != nil {
		return nil, classify(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	var list []listed
	for rows.Next() {
		var l listed
		var updated int64
		c := &l.chat
		if err := rows.Scan(&l.source, &c.ID, &c.Stamp, &c.App, &c.Title, &c.Project, &c.From, &c.Untrusted, &updated); err != nil {
			return nil, classify(err)
		}
		c.Updated = fromNanos(updated)
		if !but[c.ID] {
			list = append(list, l)
		}
	}
	return list, classify(rows.Err())
}

// first is the first message of a chat that the filters leave.
func (f *finding) first(l listed) (h Hit, ok bool) {
	if l.source < 0 || l.source >= len(f.ix.sources) {
		return h, false
	}
	n := 0
	m := newMatcher(wanted{}, whole)
	err := f.ix.sources[l.source].Words(l.chat.ID, func(w Word) bool {
		h, ok = f.hit(l.chat, n, w, m)
		n++
		return !ok && f.ctx.Err() == nil
	})
	if err != nil {
		f.ix.log("search-read", "a chat could not be read for a search: "+err.Error())
	}
	return h, ok
}
