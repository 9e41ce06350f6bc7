package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Follow catches up once and then after each Changed, until ctx ends. When it has
// been quiet for a while the index is tidied.
func (ix *Index) Follow(ctx context.Context) {
	const quiet = 3 * time.Second
	for ctx.Err() == nil {
		if err := ix.catchUp(ctx, 0); err != nil && ctx.Err() == nil {
			ix.log("search-catch-up", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-ix.changed:
			continue
		case <-time.After(quiet):
		}
		if err := ix.tidy(ctx); err != nil && ctx.Err() == nil {
			ix.log("search-tidy", err.Error())
		}
		select {
		case <-ctx.Done():
		case <-ix.changed:
		}
	}
}

// CatchUp brings the index up to the sources and returns when it is. While
// another process does so it waits for that, but not for one that has stopped, nor
// for a program that had the file locked a moment ago.
func (ix *Index) CatchUp(ctx context.Context) error {
	ix.mu.Lock()
	out := ix.lockedOut()
	ix.mu.Unlock()
	if out {
		return fmt.Errorf("bring the search index up to date: %w", errLocked)
	}
	return ix.catchUp(ctx, ix.patience)
}

func (ix *Index) catchUp(ctx context.Context, patience time.Duration) error {
	release, err := ix.hold(ctx, patience)
	if err != nil {
		return err
	}
	defer release()
	for anew := false; ; {
		changes := ix.changes.Load()
		err := ix.pass(ctx)
		switch {
		case errors.Is(err, errDamaged) && !anew:
			anew = true
			if err := ix.renew(err); err != nil {
				return err
			}
		case err != nil:
			return fmt.Errorf("bring the search index up to date: %w", err)
		case ix.changes.Load() == changes:
			return nil
		}
	}
}

// pass compares once and takes in what is not in.
func (ix *Index) pass(ctx context.Context) (err error) {
	if _, err := there(ix.path); errors.Is(err, errNone) {
		// For someone without a chat nothing is made.
		l, err := ix.compare(ctx, nil)
		if err != nil || len(l.all) == 0 {
			return err
		}
	}
	db, err := openWriter(ctx, ix.path, ix.maxPages)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	l, err := ix.compare(ctx, db)
	if err != nil {
		return err
	}
	if len(l.gone) > 0 && l.forgets() {
		if err := forget(ctx, db); err != nil {
			return err
		}
		if l, err = ix.compare(ctx, db); err != nil {
			return err
		}
	}
	if l.all == nil {
		return ix.allIn(ctx, db)
	}
	ix.looked.Store(true)
	ix.wait.Store(int64(len(l.todo)))
	ix.of.Store(int64(len(l.all)))
	return ix.take(ctx, db, l)
}

func (ix *Index) allIn(ctx context.Context, db *sql.DB) error {
	var n int64
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM chats`).Scan(&n); err != nil {
		return classify(err)
	}
	ix.looked.Store(true)
	ix.wait.Store(0)
	ix.of.Store(n)
	return nil
}

// take brings in what a comparison found. What was committed stays when it is
// broken off.
func (ix *Index) take(ctx context.Context, db *sql.DB, l *ledger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := newWriter(ctx, db, ix.txBytes)
	if err != nil {
		return err
	}
	batches := make(chan batch, waiting)
	fed := make(chan error, 1)
	go func() {
		defer close(batches)
		fed <- ix.feed(ctx, l, batches)
	}()
	err = w.clear(l)
	left := int64(len(l.todo))
	for b := range batches {
		if err != nil {
			continue // until the feeder sees that it is over
		}
		if err = w.put(b); err != nil {
			cancel()
			continue
		}
		if b.fault != nil {
			ix.log("search-read", "a chat could not be read to its end: "+b.fault.Error())
		}
		if b.end {
			left--
			ix.wait.Store(left)
		}
	}
	if fault := <-fed; err == nil {
		err = fault
	}
	if err == nil {
		err = w.upTo(l.stamps)
	}
	if err = w.end(err); err != nil {
		return err
	}
	return ix.changedIn(ctx, db, l)
}

// feed reads the chats that are to come in, the oldest first, and takes their
// words apart.
func (ix *Index) feed(ctx context.Context, l *ledger, out chan<- batch) error {
	gather := newGatherer(func(each func([]byte)) error {
		db, err := ix.reader(ctx)
		if err != nil {
			return err
		}
		return vocabulary(ctx, db, each)
	})
	for _, c := range slices.Backward(l.todo) {
		n := l.source[c.ID]
		f := feeder{ctx: ctx, out: out, chat: c, have: l.have(c.ID), source: n, from: ix.sources[n], gather: gather}
		if err := f.chatIn(); err != nil {
			return err
		}
	}
	return nil
}
