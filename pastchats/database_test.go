package pastchats

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// written is a database as its app made it: db is the app's own connection.
func written(t testing.TB, path string, statements ...string) *sql.DB {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", (&sqlAddress{path}).String())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

type sqlAddress struct{ path string }

func (a *sqlAddress) String() string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(a.path))
}

var threeWords = []string{"CREATE TABLE t (id INTEGER, words TEXT, raw BLOB, at DATETIME, ok BOOLEAN)",
	"INSERT INTO t VALUES (1, 'one', x'00ff', '2026-11-30 10:00:00', 1), (2, NULL, 'text', 1780000000, 0), (3, 'a' || char(0) || 'b', NULL, 3.5, NULL)"}

// wordsOf reads the table of threeWords.
func wordsOf(t testing.TB, d *database) (words []string) {
	t.Helper()
	err := d.each(context.Background(), "SELECT words FROM t ORDER BY id", nil, func(cols []any) error {
		words = append(words, asText(cols[0]))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}

func TestADatabaseIsReadAsTheAppStoredIt(t *testing.T) {
	h := madeHome(t)
	path := filepath.Join(h.Dir, "app/state.db")
	written(t, path, threeWords...).Close()
	d, err := h.database(context.Background(), filepath.Dir(path), path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if got := wordsOf(t, d); !slices.Equal(got, []string{"one", "", "a\x00b"}) {
		t.Errorf("words %q", got)
	}
	var times []int64
	err = d.each(context.Background(), "SELECT at, ok, raw FROM t WHERE id < ? ORDER BY id", []any{3}, func(cols []any) error {
		times = append(times, asTime(cols[0]), asInt(cols[1]))
		return nil
	})
	if want := []int64{1796032800000, 1, 1780000000000, 0}; err != nil || !slices.Equal(times, want) {
		t.Errorf("times %v, want %v; %v", times, want, err)
	}
	if cols := d.columns(context.Background(), "t"); len(cols) != 5 || !cols["words"] {
		t.Errorf("columns %v", cols)
	}
	for _, none := range []string{"nothing", "t'; DROP TABLE t; --", ""} {
		if cols := d.columns(context.Background(), none); cols == nil || len(cols) != 0 {
			t.Errorf("columns of %q: %v", none, cols)
		}
	}
	if d.Old {
		t.Error("a database that nothing waits beside is called old")
	}
}

func TestAViewIsNoTable(t *testing.T) {
	h := madeHome(t)
	path := filepath.Join(h.Dir, "state.db")
	written(t, path, "CREATE VIEW session AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS id FROM n").Close()
	d, err := h.database(context.Background(), h.Dir, path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if cols := d.columns(context.Background(), "session"); len(cols) != 0 {
		t.Errorf("a view without end has columns %v", cols)
	}
}

func TestWhatIsNoDatabaseIsAnError(t *testing.T) {
	h := madeHome(t)
	for name, text := range map[string]string{"text": "this is not a database", "short": "S", "torn": "SQLite format 3\x00 and no more"} {
		path := put(t, filepath.Join(h.Dir, name), text)
		if d, err := h.database(context.Background(), h.Dir, path); err == nil {
			d.close()
			t.Errorf("%s was opened", name)
		}
	}
	if _, err := h.database(context.Background(), h.Dir, filepath.Join(h.Dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
}

// R-111-14: an unescaped ? would drop the mode and make a new file.
func TestAnyPathOfADatabase(t *testing.T) {
	for _, name := range []string{"a?mode=rwc.db", "a#b.db", "a%20b.db", "ü & ö.db", "a b.db", "a%3fb.db"} {
		h := madeHome(t)
		path := filepath.Join(h.Dir, name)
		written(t, path, threeWords...).Close()
		before := tree(t, h.Dir)
		d, err := h.database(context.Background(), h.Dir, path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := wordsOf(t, d); len(got) != 3 {
			t.Errorf("%s: %q", name, got)
		}
		d.close()
		sameTree(t, h.Dir, before)
	}
}

// What an app left behind in every state leaves the folder as it was.
func TestADatabaseIsReadWithoutATrace(t *testing.T) {
	tests := []struct {
		name  string
		make  func(t *testing.T, path string)
		words int
	}{
		{"closed", func(t *testing.T, path string) {
			written(t, path, append([]string{"PRAGMA journal_mode=WAL"}, threeWords...)...).Close()
		}, 3},
		{"open, all in the write-ahead file", func(t *testing.T, path string) {
			written(t, path, append([]string{"PRAGMA journal_mode=WAL"}, threeWords...)...)
		}, 3},
		{"open, some in the write-ahead file", func(t *testing.T, path string) {
			db := written(t, path, append([]string{"PRAGMA journal_mode=WAL"}, threeWords...)...)
			run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)", "INSERT INTO t (id, words) VALUES (4, 'four')")
		}, 4},
		{"killed: no -shm", func(t *testing.T, path string) {
			other := filepath.Join(t.TempDir(), "x.db")
			written(t, other, append([]string{"PRAGMA journal_mode=WAL"}, threeWords...)...)
			copyTo(t, other, path)
			copyTo(t, other+"-wal", path+"-wal")
		}, 3},
		{"an empty write-ahead file", func(t *testing.T, path string) {
			written(t, path, append([]string{"PRAGMA journal_mode=WAL"}, threeWords...)...).Close()
			put(t, path+"-wal", "")
		}, 3},
		{"a writer inside a change", func(t *testing.T, path string) {
			db := written(t, path, append([]string{"PRAGMA journal_mode=WAL"}, threeWords...)...)
			run(t, db, "BEGIN IMMEDIATE", "INSERT INTO t (id, words) VALUES (4, 'four')")
		}, 3},
		{"a journal of a change that was not finished", func(t *testing.T, path string) {
			other := filepath.Join(t.TempDir(), "x.db")
			db := written(t, other, append([]string{"PRAGMA journal_mode=DELETE", "PRAGMA cache_size=1", "PRAGMA cache_spill=1"}, threeWords...)...)
			run(t, db, "BEGIN IMMEDIATE", "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i+1 FROM n WHERE i < 5000) INSERT INTO t (id, words) SELECT i, 'not yet said' FROM n")
			copyTo(t, other, path)
			copyTo(t, other+"-journal", path+"-journal")
		}, 3},
		{"a journal that is kept and done", func(t *testing.T, path string) {
			written(t, path, append([]string{"PRAGMA journal_mode=PERSIST"}, threeWords...)...).Close()
		}, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := madeHome(t)
			path := filepath.Join(h.Dir, "app/state.db")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			test.make(t, path)
			before := tree(t, h.Dir)
			d, err := h.database(context.Background(), filepath.Dir(path), path)
			if err != nil {
				t.Fatal(err)
			}
			if got := wordsOf(t, d); len(got) != test.words {
				t.Errorf("%d words, want %d: %.200q", len(got), test.words, got)
			}
			sameTree(t, h.Dir, before)
			if err := d.close(); err != nil {
				t.Error(err)
			}
			if err := d.close(); err != nil {
				t.Errorf("closed twice: %v", err)
			}
			sameTree(t, h.Dir, before)
			if list, _ := os.ReadDir(h.temp); len(list) != 0 {
				t.Errorf("a private copy stayed: %v", list)
			}
		})
	}
}

// A database that its app changes between two questions is opened anew, and the
// change is seen; its app does not notice.
func TestADatabaseThatChangesIsOpenedAnew(t *testing.T) {
	h := madeHome(t)
	path := filepath.Join(h.Dir, "state.db")
	written(t, path, append([]string{"PRAGMA journal_mode=WAL"}, threeWords...)...).Close()
	d, err := h.database(context.Background(), h.Dir, path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if got := wordsOf(t, d); len(got) != 3 {
		t.Fatalf("%q", got)
	}
	written(t, path, "INSERT INTO t (id, words) VALUES (4, 'four')") // stays open: in the write-ahead file
	if got := wordsOf(t, d); len(got) != 4 {
		t.Errorf("%q after a change", got)
	}
}

func TestAChangeWhileRowsAreReadIsSaid(t *testing.T) {
	h := madeHome(t)
	path := filepath.Join(h.Dir, "state.db")
	written(t, path, threeWords...).Close()
	d, err := h.database(context.Background(), h.Dir, path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	err = d.each(context.Background(), "SELECT id FROM t", nil, func([]any) error {
		later := time.Now().Add(time.Hour)
		return os.Chtimes(path, later, later)
	})
	if !errors.Is(err, errMoved) {
		t.Errorf("got %v", err)
	}
	if got := wordsOf(t, d); len(got) != 3 {
		t.Errorf("%q the next time", got)
	}
}

func TestCopiesThatACrashLeftAreSweptAndOthersStay(t *testing.T) {
	h := madeHome(t)
	old, young, other := filepath.Join(h.temp, copyPrefix+"1"), filepath.Join(h.temp, copyPrefix+"2"), filepath.Join(h.temp, "something")
	killed := filepath.Join(h.temp, copyPrefix+"3") // its owner, a moment ago
	for _, dir := range []string{old, young, other, killed} {
		put(t, dir+"/copy.db", "x")
	}
	put(t, killed+"/"+copyHeld, "")
	past := time.Now().Add(-2 * copyAge)
	for _, dir := range []string{old, other} {
		if err := os.Chtimes(dir, past, past); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(h.Dir, "state.db")
	written(t, path, append([]string{"PRAGMA journal_mode=WAL"}, threeWords...)...)
	d, err := h.database(context.Background(), h.Dir, path)
	if err != nil {
		t.Fatal(err)
	}
	h.sweep()
	info, err := os.Stat(d.copy.dir) // in use
	if err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("the private folder: %v, %v", info.Mode(), err)
	}
	d.close()
	for dir, want := range map[string]bool{old: false, young: true, other: true, killed: false} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %t", filepath.Base(dir), err == nil)
		}
	}
}

func TestALinkedDatabaseIsNotOpened(t *testing.T) {
	h := madeHome(t)
	real := filepath.Join(t.TempDir(), "state.db")
	written(t, real, threeWords...).Close()
	link1(t, real, filepath.Join(h.Dir, "state.db"))
	if d, err := h.database(context.Background(), h.Dir, filepath.Join(h.Dir, "state.db")); err == nil {
		d.close()
		t.Error("it was opened")
	}
}

func run(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func copyTo(t testing.TB, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	put(t, to, string(b))
}
