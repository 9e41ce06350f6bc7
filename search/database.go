package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	fileName = "conch.db"
	lockName = "conch.db.lock"

	// version is of the tables and of how words are taken apart. An index of
	// another version is made anew.
	version = 1

	pageSize    = 8192
	writerCache = 32 << 10 // KiB
	readerCache = 8 << 10  // KiB, for each of the readers
	readers     = 2        // at once; a third waits
	busyMillis  = 5000
	readerBusy  = 1000 // milliseconds too: the logs have everything, and a person waits
)

// The tables. A row of words is a message: its words, and the parts of those that
// have any. Its rowid says which: see rowid.
//
// A chat's messages lie in pieces: one when it is indexed at once, more when it
// went on after others. A piece's number grows with the time of its words, so that
// the newest come first when rows are read backwards.
var tables = []string{
	`CREATE VIRTUAL TABLE words USING fts5(text, parts, content='', contentless_delete=1, tokenize='ascii')`,
	`INSERT INTO words(words, rank) VALUES('automerge', 0)`,
	`INSERT INTO words(words, rank) VALUES('hashsize', 4194304)`, // bytes gathered before a part is written: fewer parts to merge
	`INSERT INTO words(words, rank) VALUES('rank', 'bm25(1.0, 0.5)')`,
	`CREATE TABLE chats(
		n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, -- '' while it is not all in
		source INTEGER NOT NULL, app TEXT NOT NULL, title TEXT NOT NULL, project TEXT NOT NULL, sender TEXT NOT NULL,
		untrusted INTEGER NOT NULL, updated INTEGER NOT NULL, -- nanoseconds
		messages INTEGER NOT NULL, sum INTEGER NOT NULL)`, // sum: of the words that are in
	`CREATE TABLE pieces(
		number INTEGER PRIMARY KEY, chat INTEGER NOT NULL, first INTEGER NOT NULL, messages INTEGER NOT NULL,
		since INTEGER NOT NULL, until INTEGER NOT NULL, -- seconds, of the first and the last message
		times BLOB NOT NULL)`, // of each message, see times
	`CREATE INDEX pieces_of ON pieces(chat)`,
	`CREATE TABLE vocabulary(n INTEGER PRIMARY KEY, words BLOB NOT NULL)`,
	`CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
}

// A rowid is a piece's number, the message's place in the piece, and whether it is
// the person's.
const (
	placeBits = 20
	mineBit   = 1
	maxPlace  = 1<<(placeBits-1) - 1
)

func rowid(number int64, place int, mine bool) int64 {
	id := number<<placeBits | int64(place)<<1
	if mine {
		id |= mineBit
	}
	return id
}

func placeOf(rowid int64) (number int64, place int) {
	return rowid >> placeBits, int(rowid>>1) & maxPlace
}

// Reasons why there is no index to read.
var (
	errNone    = errors.New("there is no index yet")
	errDamaged = errors.New("the index is damaged")
	errLocked  = errors.New("another program has locked the index")
)

// database is one opened file.
type database struct {
	*sql.DB
	file fs.FileInfo // to see that the file at the path is still this one
}

// openDatabase opens the index that is there, for reading.
func openDatabase(ctx context.Context, path string) (*database, error) {
	file, err := there(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(path, readerCache, readerBusy)+"&_pragma=query_only(1)")
	if err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	if err := check(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &database{db, file}, nil
}

func dsn(path string, cache, busy int) string {
	return fmt.Sprintf("file:%s?mode=rw&_pragma=busy_timeout(%d)&_pragma=cache_size(-%d)&_pragma=synchronous(NORMAL)&_pragma=temp_store(MEMORY)",
		(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), busy, cache)
}

// check looks whether a file is an index of this version. It reads its first
// pages alone: damage further in is met where it is read.
func check(ctx context.Context, db *sql.DB) error {
	var v, tables int
	err := db.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema WHERE name IN ('words', 'chats', 'pieces', 'vocabulary', 'facts'))`).Scan(&v, &tables)
	switch {
	case err != nil:
		return fmt.Errorf("look at the index: %w", classify(err))
	case v == 0 && tables == 0:
		return errNone // made, and nothing in it yet
	case v != version || tables != 5:
		return fmt.Errorf("version %d of the index: %w", v, errDamaged)
	}
	return nil
}

// openWriter opens the index for the one that holds the lock. It is made where
// there is none. maxPages bounds the file, 0: no bound.
func openWriter(ctx context.Context, path string, maxPages int) (*sql.DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the index: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // the files beside it get its mode
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("make the index: %w", err)
	}
	busy := busyMillis
	if until, ok := ctx.Deadline(); ok { // SQLite waits on whatever becomes of ctx
		busy = max(1, min(busy, int(time.Until(until).Milliseconds())))
	}
	db, err := sql.Open("sqlite", dsn(path, writerCache, busy)+"&_txlock=immediate&_pragma=journal_size_limit(33554432)")
	if err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	db.SetMaxOpenConns(1)
	if err := prepare(ctx, db, maxPages); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func prepare(ctx context.Context, db *sql.DB, maxPages int) error {
	err := check(ctx, db)
	if errors.Is(err, errNone) {
		err = create(ctx, db)
	}
	if err == nil && maxPages > 0 {
		_, err = db.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, maxPages))
	}
	return err
}

func create(ctx context.Context, db *sql.DB) error {
	// The size of a page, and that free ones can be given back, count only before
	// anything is written.
	for _, pragma := range []string{fmt.Sprintf(`PRAGMA page_size = %d`, pageSize), `PRAGMA auto_vacuum = INCREMENTAL`, `PRAGMA journal_mode = WAL`} {
		if _, err := db.ExecContext(ctx, pragma); err != nil {
			return fmt.Errorf("make the index: %w", classify(err))
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("make the index: %w", classify(err))
	}
	for _, table := range append(tables, fmt.Sprintf(`PRAGMA user_version = %d`, version)) {
		if _, err := tx.ExecContext(ctx, table); err != nil {
			return errors.Join(fmt.Errorf("make the index: %w", classify(err)), tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("make the index: %w", classify(err))
	}
	return nil
}

// classify makes an error of SQLite's one that callers can tell: damage, or a
// search that was given up.
func classify(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA:
		return fmt.Errorf("%w: %w", errDamaged, err)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%w: %w", errLocked, err)
	case sqlite3.SQLITE_INTERRUPT:
		return fmt.Errorf("%w: %w", context.Canceled, err)
	case sqlite3.SQLITE_IOERR:
		if e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
	case sqlite3.SQLITE_ERROR: // has no code of its own
		for _, sign := range []string{"no such table", "no such column", "vtable constructor failed", "invalid fts5 file format"} {
			if strings.Contains(err.Error(), sign) {
				return fmt.Errorf("%w: %w", errDamaged, err)
			}
		}
	}
	return err
}

// removeDatabase takes the index and the files beside it away.
func removeDatabase(path string) error {
	var errs []error
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("take the damaged index away: %w", err)
	}
	return nil
}

// there looks whether there is a file, without opening it.
func there(path string) (fs.FileInfo, error) {
	file, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNone
	case err != nil:
		return nil, fmt.Errorf("open the index: %w", err)
	case !file.Mode().IsRegular():
		return nil, fmt.Errorf("open the index: %s is not a file", path)
	case file.Size() == 0:
		return nil, errNone // is being made
	}
	return file, nil
}
