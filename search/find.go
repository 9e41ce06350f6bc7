package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	defaultLimit = 20
	maxLimit     = 1000

	// countMost is how many matches are counted: more are "at least this many".
	countMost = 10_000

	// scanTime is how long logs are read for what the index does not know.
	scanTime = 150 * time.Millisecond

	// ledgerAge is how long a comparison of index and sources is good for.
	ledgerAge = time.Second
)

// Search finds messages. A filter without words gives the newest chats that it
// leaves, each by its first message.
func (ix *Index) Search(ctx context.Context, q Query, o Options) (Results, error) {
	start := time.Now()
	if o.Limit <= 0 {
		o.Limit = defaultLimit
	}
	o.Limit = min(o.Limit, maxLimit)
	f := &finding{ix: ix, ctx: ctx, q: q, o: o, wanted: want(q), filter: newFilter(q), until: start.Add(scanTime)}
	err := f.all()
	f.res.Took = time.Since(start)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return Results{}, fmt.Errorf("search: %w", err)
	}
	return f.res, nil
}

// finding is one search.
type finding struct {
	ix     *Index
	ctx    context.Context
	q      Query
	o      Options
	wanted wanted
	filter filter
	until  time.Time // no log is read for its own sake after this

	db     *database // nil: no index
	ledger *ledger
	fits   func(kind) bool // the chat filters, once the chats that there are are known
	res    Results
}

func (f *finding) all() error {
	switch {
	case f.q.Empty():
		f.res.Hint = "Type a word to search for."
		return nil
	case len(f.wanted.groups) == 0 && f.wanted.typed:
		f.res.Hint = "There is no letter or digit in this to search for."
		return nil
	}
	if f.wanted.cut {
		f.res.Hint = "That is a lot to search for at once: only its beginning was searched."
	}
	if err := f.open(); err != nil {
		return err
	}
	f.res.Wait = len(f.ledger.todo)
	if len(f.wanted.groups) == 0 {
		return f.chats()
	}
	return f.words()
}

// open opens the index and finds out what is not in. Without an index, or with a
// damaged one, everything is read from the logs.
func (f *finding) open() error {
	db, err := f.ix.reader(f.ctx)
	if err == nil {
		f.ledger, err = f.ix.known(f.ctx, db)
	}
	if err == nil {
		f.db = db
		return nil
	}
	if f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	if !errors.Is(err, errNone) {
		f.without(err)
	}
	f.ledger, err = f.ix.compare(f.ctx, nil)
	return err
}

// without goes on after the index failed.
func (f *finding) without(err error) {
	f.db = nil
	f.ix.log("search-index", "the index cannot be read and the logs are searched: "+err.Error())
	if errors.Is(err, errDamaged) {
		f.ix.Changed() // whoever follows makes it anew
	}
}

// known is what is not in, found out anew when something may have changed.
func (ix *Index) known(ctx context.Context, db *database) (*ledger, error) {
	ix.mu.Lock()
	l := ix.ledger
	ix.mu.Unlock()
	if l != nil && l.changes == ix.changes.Load() && time.Since(l.at) < ledgerAge {
		return l, nil
	}
	l, err := ix.compare(ctx, db)
	if err != nil {
		return nil, err
	}
	if l.all == nil {
		ix.wait.Store(0)
	} else {
		ix.wait.Store(int64(len(l.todo)))
		ix.of.Store(int64(len(l.all)))
	}
	ix.mu.Lock()
	ix.ledger = l
	ix.mu.Unlock()
	return l, nil
}

// words finds messages by their words: in the index, in chats that are not in it,
// as parts of words, and by close spellings when there is nothing else.
func (f *finding) words() error {
	var hits []Hit
	if f.db != nil {
		var err error
		hits, err = f.indexed()
		if err != nil {
			if f.ctx.Err() != nil {
				return f.ctx.Err()
			}
			f.without(err)
			hits = nil
			if f.ledger, err = f.ix.compare(f.ctx, nil); err != nil {
				return err
			}
			f.res.Total, f.res.Chats, f.res.More = 0, 0, false
		}
	}
	f.res.Hits = hits
	if len(f.ledger.todo) > 0 {
		f.scan(f.ledger.todo, begin)
	}
	return f.ctx.Err()
}

// chats gives the newest chats that the filters leave.
func (f *finding) chats() error { return nil }

// order brings hits of several origins into one order and cuts the page.
func (f *finding) order() {
	if f.o.Newest {
		slices.SortStableFunc(f.res.Hits, func(a, b Hit) int { return b.At.Compare(a.At) })
	}
	if len(f.res.Hits) > f.o.Limit {
		f.res.Hits = f.res.Hits[:f.o.Limit]
	}
}
