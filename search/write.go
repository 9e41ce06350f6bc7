package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// txBytes is how many bytes of words one transaction takes in.
const txBytes = 16 << 20

// writer puts batches into the index.
type writer struct {
	ctx   context.Context
	db    *sql.DB
	tx    *sql.Tx
	most  int // bytes of one transaction
	words *sql.Stmt
	bytes int // in this transaction
	fresh []byte
	added int  // since the index was tidied
	took  bool // something was taken out

	last int64 // the highest number of a piece
	chat int64 // n of the chat that is being put in, 0 between chats
	in   int   // messages of it that are in
	open piece
}

// piece is a run of a chat's messages with rowids that follow each other.
type piece struct {
	number, chat int64
	first        int
	since        int64
	times        times
}

// Facts that are kept about the index.
const (
	stampsFact  = "stamps"  // what everything is in up to
	addedFact   = "added"   // bytes of words since the index was tidied
	stateFact   = "state"   // another one after each commit
	removedFact = "removed" // something was taken out since
)

func newWriter(ctx context.Context, db *sql.DB, most int) (*writer, error) {
	w := &writer{ctx: ctx, db: db, most: most}
	err := db.QueryRowContext(ctx, `SELECT coalesce(max(number), 0), coalesce((SELECT CAST(value AS INTEGER) FROM facts WHERE name = ?), 0) FROM pieces`, addedFact).Scan(&w.last, &w.added)
	if err != nil {
		return nil, classify(err)
	}
	return w, w.begin()
}

func (w *writer) begin() error {
	tx, err := w.db.BeginTx(w.ctx, nil)
	if err != nil {
		return classify(err)
	}
	w.tx, w.bytes = tx, 0
	if w.words, err = tx.PrepareContext(w.ctx, `INSERT INTO words(rowid, text, parts) VALUES(?, ?, ?)`); err != nil {
		return errors.Join(classify(err), tx.Rollback())
	}
	return nil
}

func (w *writer) exec(query string, args ...any) error {
	_, err := w.tx.ExecContext(w.ctx, query, args...)
	return classify(err)
}

// end commits what there is, or gives up what came since the last commit.
func (w *writer) end(err error) error {
	if err == nil && len(w.fresh) > 0 {
		err = w.exec(`INSERT INTO vocabulary(words) VALUES(?)`, w.fresh)
		w.fresh = nil
	}
	if err == nil {
		err = w.exec(`INSERT OR REPLACE INTO facts(name, value) VALUES(?, ?)`, addedFact, w.added)
	}
	if err == nil {
		err = w.exec(`INSERT OR REPLACE INTO facts(name, value)
			VALUES(?, 1 + coalesce((SELECT CAST(value AS INTEGER) FROM facts WHERE name = ?), abs(random() >> 8)))`, stateFact, stateFact)
	}
	if err == nil && w.took {
		err = w.exec(`INSERT OR REPLACE INTO facts(name, value) VALUES(?, '1')`, removedFact)
	}
	if err == nil {
		if err = classify(w.tx.Commit()); err == nil {
			return nil
		}
	}
	if undo := w.tx.Rollback(); undo != nil && !errors.Is(undo, sql.ErrTxDone) {
		err = errors.Join(err, undo)
	}
	return err
}

// upTo notes what everything is in up to.
func (w *writer) upTo(stamps string) error {
	return w.exec(`INSERT OR REPLACE INTO facts(name, value) VALUES(?, ?)`, stampsFact, stamps)
}

// clear takes out the chats that are gone and brings the facts of others up to
// date.
func (w *writer) clear(l *ledger) error {
	for _, e := range l.gone {
		if err := w.remove(e.n); err != nil {
			return err
		}
		if err := w.exec(`DELETE FROM chats WHERE n = ?`, e.n); err != nil {
			return err
		}
	}
	for _, c := range l.renamed {
		if err := w.facts(l.in[c.ID].n, l.source[c.ID], c); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) facts(n int64, source int, c Chat) error {
	return w.exec(`UPDATE chats SET source = ?, app = ?, title = ?, project = ?, sender = ?, untrusted = ?, updated = ? WHERE n = ?`,
		source, c.App, c.Title, c.Project, c.From, c.Untrusted, nanos(c.Updated), n)
}

// remove takes out a chat's messages.
func (w *writer) remove(chat int64) error {
	rows, err := w.tx.QueryContext(w.ctx, `SELECT number, messages FROM pieces WHERE chat = ?`, chat)
	if err != nil {
		return classify(err)
	}
	type run struct {
		number int64
		count  int
	}
	var runs []run
	for rows.Next() {
		var r run
		if err := rows.Scan(&r.number, &r.count); err != nil {
			return errors.Join(classify(err), rows.Close())
		}
		runs = append(runs, r)
	}
	if err := errors.Join(classify(rows.Err()), rows.Close()); err != nil {
		return err
	}
	for _, r := range runs {
		if err := w.exec(`DELETE FROM words WHERE rowid >= ? AND rowid <= ?`, rowid(r.number, 0, false), rowid(r.number, r.count, true)); err != nil {
			return err
		}
	}
	w.took = w.took || len(runs) > 0
	return w.exec(`DELETE FROM pieces WHERE chat = ?`, chat)
}

// put takes a batch in.
func (w *writer) put(b batch) error {
	if w.chat == 0 {
		if err := w.start(b); err != nil {
			return err
		}
	}
	for _, m := range b.words {
		if w.open.times.count > maxPlace {
			if err := w.shut(); err != nil {
				return err
			}
			w.beginPiece()
		}
		place := w.open.times.count
		if place == 0 {
			w.open.since = m.sec
		}
		if _, err := w.words.ExecContext(w.ctx, rowid(w.open.number, place, m.mine), m.words, m.parts); err != nil {
			return classify(err)
		}
		w.open.times.add(m.sec)
		w.in++
		w.bytes += len(m.words) + len(m.parts)
		w.added += len(m.words) + len(m.parts)
	}
	w.fresh = append(w.fresh, b.fresh...)
	if b.end {
		return w.stop(b)
	}
	if w.bytes >= w.most {
		return w.commit(b)
	}
	return nil
}

// start begins with a chat, which counts as not all in until it is.
func (w *writer) start(b batch) error {
	w.chat, w.in = b.have.n, b.have.messages
	if b.anew {
		if err := w.remove(w.chat); err != nil {
			return err
		}
		w.in = 0
	}
	if w.chat == 0 {
		// Nor RETURNING: it is a trigger (see shut).
		made, err := w.tx.ExecContext(w.ctx, `INSERT INTO chats(id, source, stamp, app, title, project, sender, untrusted, updated, messages, sum)
			VALUES(?, 0, '', '', '', '', '', 0, 0, 0, 0)`, b.chat.ID)
		if err != nil {
			return classify(err)
		}
		if w.chat, err = made.LastInsertId(); err != nil {
			return classify(err)
		}
	}
	if err := w.facts(w.chat, b.source, b.chat); err != nil {
		return err
	}
	w.beginPiece()
	if w.in == 0 || len(b.words) == 0 {
		return nil
	}
	return w.goOn()
}

// beginPiece begins a piece with the next number.
func (w *writer) beginPiece() {
	w.open = piece{number: w.last + 1, chat: w.chat, first: w.in}
}

// goOn takes up the newest piece where it is this chat's: nothing came after it.
func (w *writer) goOn() error {
	var p piece
	var packed []byte
	err := w.tx.QueryRowContext(w.ctx, `SELECT number, chat, first, messages, since, until, times FROM pieces WHERE number = ?`, w.last).
		Scan(&p.number, &p.chat, &p.first, &p.times.count, &p.since, &p.times.last, &packed)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return classify(err)
	case p.chat != w.chat || p.first+p.times.count != w.in:
		return nil
	}
	p.times.bytes = packed
	w.open = p
	return nil
}

// shut stores the open piece.
func (w *writer) shut() error {
	p := &w.open
	if p.times.count == 0 {
		return nil
	}
	// Not OR REPLACE: a statement that may have to be undone makes FTS5 write out
	// what it has gathered, and small parts have to be merged again.
	if p.number <= w.last {
		return w.exec(`UPDATE pieces SET messages = ?, since = ?, until = ?, times = ? WHERE number = ?`,
			p.times.count, p.since, p.times.last, p.times.bytes, p.number)
	}
	w.last = p.number
	return w.exec(`INSERT INTO pieces(number, chat, first, messages, since, until, times) VALUES(?, ?, ?, ?, ?, ?, ?)`,
		p.number, p.chat, p.first, p.times.count, p.since, p.times.last, p.times.bytes)
}

// stop ends a chat: it is all in.
func (w *writer) stop(b batch) error {
	if err := w.shut(); err != nil {
		return err
	}
	stamp := b.chat.Stamp
	if b.fault != nil {
		stamp = "" // tried again when something changes
	}
	if err := w.exec(`UPDATE chats SET stamp = ?, messages = ?, sum = ? WHERE n = ?`, stamp, w.in, b.sum, w.chat); err != nil {
		return err
	}
	w.chat = 0
	if w.bytes >= w.most {
		return w.commit(b)
	}
	return nil
}

// commit makes what is in visible. Of a chat that is not all in only that it has
// messages, so that the next one to catch up goes on from there or takes them
// out again.
func (w *writer) commit(b batch) error {
	if w.chat != 0 {
		if err := w.shut(); err != nil {
			return err
		}
		if err := w.exec(`UPDATE chats SET stamp = '', messages = ?, sum = ? WHERE n = ?`, w.in, b.sum, w.chat); err != nil {
			return err
		}
	}
	if err := w.end(nil); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return w.begin()
}
