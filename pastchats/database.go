package pastchats

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	maxCopy  = 2 << 30   // bytes of a database and its write-ahead file that are copied
	maxValue = 128 << 20 // bytes of one value or row of a database
)

// errMoved is given when a database was changed by its app while it was read in
// place: what was read may be half old and half new. Reading it once more helps.
var errMoved = errors.New("the database changed while it was read")

// A statement gets 0.8 seconds, and a quarter for each MiB of the database: a
// few pages that are named again and again would keep SQLite busy for ever. After
// one that took too long the next gets an eighth.
const (
	patience    = 800 * time.Millisecond
	patienceMiB = 250 * time.Millisecond
	maxSlow     = 2 // statements that took too long, then no more are run
)

// errSlow is given for a statement that took too long for its database's size.
var errSlow = errors.New("it takes too long")

// database is another app's SQLite database, opened so that its folder stays as
// it was: read-only and immutable when nothing waits in its write-ahead file,
// else a private copy. At most one statement runs at a time: a row's callback
// must not run another.
type database struct {
	// Old: only what was said before the last checkpoint can be read, for the
	// database is too large to copy.
	Old bool

	home       *Home
	root, path string
	real       string // path without links, when it was opened

	turn chan struct{} // holds one token: whoever has it may use what follows
	db   *sql.DB
	conn *sql.Conn
	copy *private // nil when it is read in place
	slow int      // statements that took too long

	cols  map[string]map[string]bool // by table, since it was opened
	colMu sync.Mutex
	seen  marksOf
}

// marksOf are the sizes and times of a database and what lies beside it.
type marksOf struct {
	main, wal, journal stamp
}

type stamp struct{ size, mtime int64 }

// database opens one. A file that is no database is an error; one that is not
// there is fs.ErrNotExist.
func (h *Home) database(ctx context.Context, root, path string) (*database, error) {
	d := &database{home: h, root: root, path: path, turn: make(chan struct{}, 1)}
	if err := d.open(ctx); err != nil {
		d.shut()
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	d.turn <- struct{}{}
	return d, nil
}

// open chooses how: formats of SQLite say what waits beside a database. -wal with
// content: changes that are not in it yet. A -journal that begins with anything
// but zeros: a change that was not finished and must be rolled back.
func (d *database) open(ctx context.Context) error {
	d.colMu.Lock()
	d.cols = nil
	d.colMu.Unlock()
	// Opening it as a file first: it must be a regular one, inside.
	f, err := d.home.open(d.root, d.path)
	if err != nil {
		return err
	}
	header := make([]byte, 16)
	_, err = f.Read(header)
	f.Close()
	if err != nil || string(header) != "SQLite format 3\x00" {
		return errors.New("it is not a database")
	}
	_, real, err := d.home.resolve(d.root, d.path)
	if err != nil {
		return err
	}
	d.real, d.seen, d.Old = real, look(real), false
	hot := d.seen.journal.size > 0 && isHot(real+"-journal")
	if d.seen.wal.size == 0 && !hot {
		return d.connect(ctx, real, "mode=ro&immutable=1")
	}
	if d.seen.main.size+d.seen.wal.size+d.seen.journal.size > maxCopy {
		d.Old = true
		return d.connect(ctx, real, "mode=ro&immutable=1")
	}
	beside, mode := "-wal", "mode=ro"
	if hot {
		beside, mode = "-journal", "mode=rw" // SQLite rolls the copy back
	}
	copied, err := d.home.copyDatabase(ctx, real, beside)
	if err != nil {
		if ctx.Err() != nil || hot {
			return err
		}
		// No room for a copy, or its app never rests: what was there before is better
		// than nothing.
		d.Old = true
		return d.connect(ctx, real, "mode=ro&immutable=1")
	}
	d.copy = copied
	return d.connect(ctx, copied.database(), mode)
}

// connect makes the one connection. The path is escaped: a question mark in it
// would end the address, and SQLite would make a new file at the shorter name.
func (d *database) connect(ctx context.Context, path, mode string) error {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/…
	}
	address := "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?" + mode +
		"&_pragma=busy_timeout(2000)&_pragma=trusted_schema(0)&_pragma=query_only(1)&_pragma=temp_store(2)&_pragma=cell_size_check(1)"
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return err
	}
	d.db = db
	db.SetMaxOpenConns(1)
	if d.conn, err = db.Conn(ctx); err != nil {
		return err
	}
	if _, err := sqlite.Limit(d.conn, sqlite3.SQLITE_LIMIT_LENGTH, maxValue); err != nil {
		return err
	}
	// Opening is lazy: this is what fails on a file that is no database.
	var n int64
	return d.conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&n)
}

// shut lets go of the connection and the private copy.
func (d *database) shut() error {
	var errs []error
	if d.conn != nil {
		errs = append(errs, d.conn.Close())
	}
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	if d.copy != nil {
		errs = append(errs, d.copy.remove())
	}
	d.conn, d.db, d.copy = nil, nil, nil
	return errors.Join(errs...)
}

func (d *database) close() error {
	if d == nil {
		return nil
	}
	<-d.turn
	defer func() { d.turn <- struct{}{} }()
	return d.shut()
}

// take waits for the turn to use the connection.
func (d *database) take(ctx context.Context) error {
	select {
	case <-d.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	if d.conn == nil {
		d.turn <- struct{}{}
		return errors.New("the database is closed")
	}
	return nil
}

// moved reports that its app changed a database that is read in place. A copy
// stays as it is.
func (d *database) moved() bool {
	if d.copy != nil {
		return false
	}
	now := look(d.real)
	if d.Old {
		return now.main != d.seen.main
	}
	return now != d.seen
}

// columns are the names of a table's columns, empty when there is no such table.
// They are not to be changed.
// A view is no table: what it would do is not known.
func (d *database) columns(ctx context.Context, table string) map[string]bool {
	d.colMu.Lock()
	names := d.cols[table]
	d.colMu.Unlock()
	if names != nil {
		return names
	}
	names = map[string]bool{}
	isTable := false
	err := d.each(ctx, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", []any{table}, func([]any) error {
		isTable = true
		return nil
	})
	if err != nil {
		return names
	}
	if !isTable {
		d.keep(table, names)
		return names
	}
	err = d.each(ctx, "SELECT name FROM pragma_table_info(?)", []any{table}, func(cols []any) error {
		names[asText(cols[0])] = true
		return nil
	})
	if err != nil {
		return map[string]bool{}
	}
	d.keep(table, names)
	return names
}

// keep remembers a table's columns until the database is opened anew.
func (d *database) keep(table string, names map[string]bool) {
	d.colMu.Lock()
	defer d.colMu.Unlock()
	if d.cols == nil {
		d.cols = map[string]map[string]bool{}
	}
	d.cols[table] = names
}

// each runs a query and calls row with the columns of each row: nil, int64,
// float64, string or []byte as the app stored them, valid until row returns. row
// may return errStop. errMoved when the app changed the database meanwhile.
func (d *database) each(ctx context.Context, query string, args []any, row func(cols []any) error) (err error) {
	if err := d.take(ctx); err != nil {
		return err
	}
	defer func() { d.turn <- struct{}{} }()
	if d.moved() {
		d.shut()
		if err := d.open(ctx); err != nil {
			d.shut()
			return fmt.Errorf("open database %s again: %w", d.path, err)
		}
	}
	if d.slow >= maxSlow {
		return fmt.Errorf("read database %s: %w", d.path, errSlow)
	}
	size := d.seen.main.size + d.seen.wal.size
	limit := patience + time.Duration(size>>20)*patienceMiB
	if d.slow > 0 {
		limit /= 8
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = d.run(limited, query, args, row)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		d.slow++
		return fmt.Errorf("read database %s: %w", d.path, errSlow)
	}
	if ctx.Err() == nil && d.moved() {
		return fmt.Errorf("read database %s: %w", d.path, errMoved)
	}
	if err != nil {
		return fmt.Errorf("read database %s: %w", d.path, err)
	}
	return nil
}

func (d *database) run(ctx context.Context, query string, args []any, row func(cols []any) error) error {
	rows, err := d.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	cols, into := make([]any, len(names)), make([]any, len(names))
	for i := range cols {
		into[i] = &cols[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, c := range cols {
			// The driver reads more into a column's declared type than the app wrote.
			switch c := c.(type) {
			case time.Time:
				cols[i] = c.UTC().Format(time.RFC3339Nano)
			case bool:
				cols[i] = int64(0)
				if c {
					cols[i] = int64(1)
				}
			}
		}
		if err := row(cols); err != nil {
			if errors.Is(err, errStop) {
				return nil
			}
			return err
		}
	}
	return rows.Err()
}

// asText is a column as text, asInt as a whole number, also written as text; ""
// and 0 for anything else.
func asText(col any) string {
	switch c := col.(type) {
	case string:
		return valid(c)
	case []byte:
		return valid(string(c))
	}
	return ""
}

func asInt(col any) int64 {
	switch c := col.(type) {
	case int64:
		return c
	case float64:
		if c > -(1<<53) && c < 1<<53 {
			return int64(c)
		}
	case string:
		n, _ := strconv.ParseInt(strings.TrimSpace(c), 10, 64)
		return n
	}
	return 0
}

// asTime is a column as a time, as when reads one: milliseconds, 0 for none.
func asTime(col any) int64 {
	switch c := col.(type) {
	case int64:
		return unixTime(float64(c))
	case float64:
		return unixTime(c)
	case string:
		return textTime(c)
	case []byte:
		return textTime(string(c))
	}
	return 0
}

// look gives the marks of a database. What is no regular file does not count.
func look(path string) marksOf {
	one := func(p string) stamp {
		info, err := os.Lstat(p)
		if err != nil || !info.Mode().IsRegular() {
			return stamp{}
		}
		return stamp{info.Size(), info.ModTime().UnixNano()}
	}
	m := marksOf{one(path), one(path + "-wal"), one(path + "-journal")}
	if m.wal.size == 0 {
		m.wal = stamp{} // an empty one says as much as none
	}
	if m.journal.size == 0 {
		m.journal = stamp{}
	}
	return m
}

// isHot reports that a rollback journal has a header: SQLite zeroes it when the
// change is done and the journal is kept.
func isHot(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	defer f.Close()
	b := make([]byte, 1)
	n, _ := f.Read(b)
	return n == 1 && b[0] != 0
}
