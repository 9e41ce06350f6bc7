package search

import "time"

// scan reads the logs of chats, newest first, for what the index does not know,
// until the page is full or the time is over.
func (f *finding) scan(chats []Chat, how manner) {
	m := newMatcher(f.wanted, how)
	found := 0
	for _, c := range chats {
		if len(f.res.Hits) >= f.o.Limit && found > 0 || f.ctx.Err() != nil {
			break
		}
		if time.Now().After(f.until) {
			f.res.More = true
			break
		}
		from := f.ledger.in[c.ID].messages
		if f.db == nil {
			from = 0
		}
		source, ok := f.ledger.source[c.ID]
		if !ok || c.ID == f.o.Except || f.fits != nil && !f.fits(kindOf(c)) {
			continue
		}
		n, here := 0, 0
		_ = f.ix.sources[source].Words(c.ID, func(w Word) bool {
			n++
			if n <= from {
				return true
			}
			if h, ok := f.hit(c, n-1, w, m); ok {
				f.res.Total++
				here++
				if f.o.PerChat == 0 || here <= f.o.PerChat {
					f.res.Hits = append(f.res.Hits, h)
					found++
				}
			}
			return f.ctx.Err() == nil && !time.Now().After(f.until)
		})
		if here > 0 {
			f.res.Chats++
		}
	}
}
