package search

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	defaultLimit = 20
	maxLimit     = 1000

	// countMost is how many matches are counted: more are "at least this many".
	countMost = 5_000

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
	f := &finding{ix: ix, ctx: ctx, q: q, o: o, wanted: want(q), filter: newFilter(q), until: start.Add(ix.scanTime)}
	err := f.all()
	f.shut()
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

	db     *sql.Tx // one state of the index; nil: no index
	ledger *ledger
	page   *page           // from the index
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
		f.db, err = db.BeginTx(f.ctx, nil)
	}
	if err == nil {
		if f.ledger, err = f.ix.known(f.ctx, f.db); err == nil {
			return nil
		}
	}
	err = classify(err)
	if f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	if !errors.Is(err, errNone) {
		f.without(err)
	}
	f.shut()
	f.ledger, err = f.ix.compare(f.ctx, nil)
	return err
}

// without goes on after the index failed: the logs have everything, and get
// their time, however long it was until the index had failed.
func (f *finding) without(err error) {
	f.shut()
	f.ix.meets(err)
	f.until = time.Now().Add(f.ix.scanTime)
	f.ix.log("search-index", "the index cannot be read and the logs are searched: "+err.Error())
	if errors.Is(err, errDamaged) {
		f.ix.discard()
	}
}

// shut lets the state of the index go.
func (f *finding) shut() {
	if f.db != nil {
		_ = f.db.Rollback() // nothing was written
	}
	f.db, f.page = nil, nil
}

// known is what is not in, found out anew when something may have changed.
func (ix *Index) known(ctx context.Context, db asker) (*ledger, error) {
	ix.mu.Lock()
	l := ix.ledger
	ix.mu.Unlock()
	state, err := fact(ctx, db, stateFact)
	if err != nil {
		return nil, err
	}
	if l != nil && l.state == state && l.changes == ix.changes.Load() && time.Since(l.at) < ledgerAge {
		return l, nil
	}
	if l, err = ix.compare(ctx, db); err != nil {
		return nil, err
	}
	l.state = state
	ix.looked.Store(true)
	if l.all == nil {
		var of int64
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM chats`).Scan(&of); err != nil {
			return nil, classify(err)
		}
		ix.wait.Store(0)
		ix.of.Store(of)
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
// and by close spellings when there is nothing else.
func (f *finding) words() error {
	if f.db != nil {
		if err := f.indexed(); err != nil {
			if err := f.fallBack(err); err != nil {
				return err
			}
		} else {
			f.res.Hits = f.page.hits
		}
	}
	f.logs()
	if len(f.res.Hits) == 0 && f.db != nil {
		if err := f.close(); err != nil {
			if err := f.fallBack(err); err != nil {
				return err
			}
			f.logs()
		}
	}
	f.order()
	if len(f.res.Hits) == 0 && f.res.Hint == "" && f.wanted.tooShort() {
		f.res.Hint = fmt.Sprintf("A part of a word is found from %d letters on.", minPart)
	}
	return f.ctx.Err()
}

// fallBack goes on without the index after an error, unless the search is over.
func (f *finding) fallBack(err error) error {
	if f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	f.without(err)
	f.res = Results{Hint: f.res.Hint}
	if f.ledger, err = f.ix.compare(f.ctx, nil); err != nil {
		return err
	}
	f.res.Wait = len(f.ledger.todo)
	return nil
}

// logs reads what the index does not know. Where there is room, or no index,
// parts of words count.
func (f *finding) logs() {
	how := begin
	if len(f.res.Hits) < f.o.Limit {
		how = part
	}
	f.scan(f.ledger.todo, how)
	// A part of words with something between them is in no vocabulary.
	if f.db != nil && len(f.res.Hits) == 0 && slices.ContainsFunc(f.wanted.groups, group.spread) {
		if l, err := f.ix.everything(); err == nil {
			f.scanAll(l)
		}
	}
}

// close looks for words that are spelled almost as was typed.
func (f *finding) close() error {
	w, tried, err := f.spelled()
	if err != nil || len(tried) == 0 {
		return err
	}
	if err := f.page.fill(w, begin); err != nil {
		return err
	}
	if f.res.Hits = f.page.hits; len(f.res.Hits) > 0 {
		f.res.Close = tried
	}
	return nil
}

// order brings hits of several origins into one order and cuts the page.
func (f *finding) order() {
	if f.o.Newest {
		slices.SortStableFunc(f.res.Hits, func(a, b Hit) int { return b.At.Compare(a.At) })
	}
	if len(f.res.Hits) > f.o.Limit {
		f.res.Hits = f.res.Hits[:f.o.Limit]
	}
}
