package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

const (
	// tidyAt is how many bytes of words come in before the index is tidied.
	tidyAt = 4 << 20

	// tidyLists is how many lists the vocabulary may have beyond what tidying makes.
	tidyLists = 64

	mergePages = 500  // that one step of a merge works on
	freePages  = 1000 // that are given back in one step
	freeShare  = 20   // of the file may be free, as one in so many
)

// Tidy makes the index small and quick where that is worth it: what lies in many
// parts is merged, and what was taken out is gone for good. It takes about as long
// as it may, 0 is without a bound; what is left over is gone on with the next time.
// Searches go on meanwhile, and it ends early for what is new. With a bound it does
// nothing while another conch writes the index.
func (ix *Index) Tidy(ctx context.Context, most time.Duration) error {
	if most > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, most+tidyGrace)
		defer cancel()
	}
	err := ix.tidyFor(ctx, most)
	if most > 0 && errors.Is(err, context.DeadlineExceeded) {
		return nil // the last step was undone
	}
	return err
}

const (
	tidyGrace = time.Second           // how much longer than it may the last step takes
	tidyTurn  = 50 * time.Millisecond // that others who write are waited for
)

func (ix *Index) tidy(ctx context.Context) error { return ix.tidyFor(ctx, 0) }

func (ix *Index) tidyFor(ctx context.Context, most time.Duration) (err error) {
	start, turn := time.Now(), ctx
	if most > 0 {
		var cancel context.CancelFunc
		turn, cancel = context.WithTimeout(ctx, tidyTurn)
		defer cancel()
	}
	release, err := ix.hold(turn, 0)
	if err != nil {
		return err
	}
	defer release()
	if _, err := there(ix.path); err != nil {
		return nil // nothing to tidy
	}
	db, err := openWriter(ctx, ix.path, ix.maxPages)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	changes := ix.changes.Load()
	enough := func() bool {
		return ix.changes.Load() != changes || most > 0 && time.Since(start) >= most
	}
	if done, err := merged(ctx, db, enough); err != nil || !done {
		return err
	}
	return giveBack(ctx, db, enough)
}

// merged merges the parts of the index and of its vocabulary when that is worth it.
// It reports false when it had to leave something over.
func merged(ctx context.Context, db *sql.DB, enough func() bool) (bool, error) {
	var added, removed, lists, words int
	err := db.QueryRowContext(ctx, `SELECT
		coalesce((SELECT CAST(value AS INTEGER) FROM facts WHERE name = ?), 0),
		(SELECT count(*) FROM facts WHERE name = ?),
		(SELECT count(*) FROM vocabulary), (SELECT coalesce(sum(length(words)), 0) FROM vocabulary)`, addedFact, removedFact).
		Scan(&added, &removed, &lists, &words)
	if err != nil {
		return false, classify(err)
	}
	if added < tidyAt && removed == 0 && lists < tidyLists+words/listBytes {
		return true, nil
	}
	for step := -mergePages; ; step = mergePages {
		if done, err := merge(ctx, db, step); err != nil {
			return false, err
		} else if done && step > 0 {
			break
		}
		if enough() {
			return false, nil
		}
	}
	return true, tidyVocabulary(ctx, db, removed > 0)
}

// giveBack makes the file as small as what is in it, when much of it is free:
// merging leaves pages over. An index of a time before this could be done stays as
// large as it is.
func giveBack(ctx context.Context, db *sql.DB, enough func() bool) error {
	var pages, free int
	if err := db.QueryRowContext(ctx, `SELECT (SELECT page_count FROM pragma_page_count), (SELECT freelist_count FROM pragma_freelist_count)`).Scan(&pages, &free); err != nil {
		return classify(err)
	}
	for before := 0; free > pages/freeShare && free != before && !enough(); {
		if _, err := db.ExecContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, min(freePages, free))); err != nil {
			return classify(err)
		}
		before = free
		if err := db.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&free); err != nil {
			return classify(err)
		}
	}
	return nil
}

// forget empties the index, and leaves nothing of what it knew in the file.
func forget(ctx context.Context, db *sql.DB) error {
	for _, statement := range []string{
		`INSERT INTO words(words) VALUES('delete-all')`, `DELETE FROM pieces`, `DELETE FROM chats`, `DELETE FROM vocabulary`, `DELETE FROM facts`,
		`VACUUM`, `PRAGMA wal_checkpoint(TRUNCATE)`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return classify(err)
		}
	}
	return nil
}

// merge does one step: a negative one begins a merge of everything.
func merge(ctx context.Context, db *sql.DB, pages int) (done bool, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, classify(err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var before, after int64
	if err := conn.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&before); err != nil {
		return false, classify(err)
	}
	if _, err := conn.ExecContext(ctx, `INSERT INTO words(words, rank) VALUES('merge', ?)`, pages); err != nil {
		return false, classify(err)
	}
	if err := conn.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&after); err != nil {
		return false, classify(err)
	}
	return after-before < 2, nil
}

// tidyVocabulary puts its lists together. After something was taken out they are
// made anew from what the index still has.
func tidyVocabulary(ctx context.Context, db *sql.DB, anew bool) error {
	if anew {
		if _, err := db.ExecContext(ctx, `CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab(main, words, row)`); err != nil {
			return classify(err)
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return classify(err)
	}
	exec := func(query string, args ...any) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return classify(err)
	}
	read := func(each func(list []byte)) error { return vocabulary(ctx, tx, each) }
	if anew {
		read = func(each func(list []byte)) error { return indexedTerms(ctx, tx, each) }
	}
	if err = rewriteVocabulary(read, exec); err == nil {
		err = exec(`DELETE FROM facts WHERE name IN (?, ?)`, addedFact, removedFact)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return classify(tx.Commit())
}

// indexedTerms reads the words of the index itself.
func indexedTerms(ctx context.Context, db asker, each func(list []byte)) error {
	rows, err := db.QueryContext(ctx, `SELECT term FROM temp.terms WHERE length(CAST(term AS BLOB)) BETWEEN ? AND ?`, shortWord, longWord)
	if err != nil {
		return classify(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var term []byte
		if err := rows.Scan(&term); err != nil {
			return classify(err)
		}
		if !blankless(string(term)) {
			each(term)
		}
	}
	return classify(rows.Err())
}
