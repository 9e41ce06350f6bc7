package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// library of a few chats, with an index.
func indexedHome(t *testing.T) (home string, s *shelf) {
	t.Helper()
	s = newShelf()
	for i := range 40 {
		s.put(Chat{ID: fmt.Sprint("c", i)}, fmt.Sprintf("olive number%d", i), strings.Repeat(fmt.Sprintf("word%d and other words ", i), 300))
	}
	home = t.TempDir()
	ix, err := Open(home, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	catchUp(t, ix)
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	return home, s
}

func TestADamagedIndexIsMadeAnewAndSearchGoesOn(t *testing.T) {
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	scratch := func(path string, from, to int64) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte(strings.Repeat("\xa5", int(to-from))), from)
		return errors.Join(err, f.Close())
	}
	for name, damage := range map[string]func(path string) error{
		"no database": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("not a database ", 5000)), 0o600)
		},
		"half":                   func(path string) error { return os.Truncate(path, size(path)/2) },
		"a tenth":                func(path string) error { return os.Truncate(path, size(path)/10) },
		"one page":               func(path string) error { return os.Truncate(path, pageSize) },
		"a few bytes":            func(path string) error { return os.Truncate(path, 50) },
		"empty":                  func(path string) error { return os.Truncate(path, 0) },
		"all but the head":       func(path string) error { return scratch(path, 200, size(path)) },
		"all but the first page": func(path string) error { return scratch(path, pageSize, size(path)) },
		"the head":               func(path string) error { return scratch(path, 0, 100) },
		"gone":                   os.Remove,
		"another version": func(path string) error {
			return inFile(path, `PRAGMA user_version = 999`)
		},
		"another program's": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600), inFile(path, `CREATE TABLE words(x)`))
		},
		"a table less": func(path string) error { return inFile(path, `DROP TABLE pieces`) },
		"an inner table less": func(path string) error {
			return inFile(path, `PRAGMA writable_schema = 1`, `DELETE FROM sqlite_schema WHERE name = 'words_data'`)
		},
		"the words gone": func(path string) error {
			return inFile(path, `DELETE FROM words_data WHERE id > 10`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			home, s := indexedHome(t)
			if err := damage(filepath.Join(home, fileName)); err != nil {
				t.Fatal(err)
			}
			ix := open(t, home, s)
			check := func(when string) {
				t.Helper()
				r := find(t, ix, "olive number7", Options{})
				if len(r.Hits) != 1 || r.Hits[0].Message != "c7.0" || r.Total != 1 {
					t.Errorf("%s: total %d, hits %v", when, r.Total, messages(r))
				}
			}
			check("damaged")
			catchUp(t, ix)
			check("made anew")
			if n := number(t, ix, `SELECT count(*) FROM words WHERE words MATCH 'olive'`); n != 40 {
				t.Errorf("%d rows", n)
			}
			if n := number(t, ix, `SELECT count(*) FROM words WHERE words MATCH 'word7'`); n != 1 {
				t.Errorf("%d rows", n)
			}
		})
	}
}

// inFile runs statements in a database.
func inFile(path string, statements ...string) error {
	db, err := openRaw(path)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	return db.Close()
}

func TestAWriteAheadFileThatIsLostOrForeignCostsNothing(t *testing.T) {
	for name, damage := range map[string]func(wal string) error{
		"lost":    os.Remove,
		"cut":     func(wal string) error { return os.Truncate(wal, 5000) },
		"garbage": func(wal string) error { return os.WriteFile(wal, []byte(strings.Repeat("x", 100_000)), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			home, s := indexedHome(t)
			// As after a kill: the files are as another one had them open.
			live := open(t, home, s)
			s.put(Chat{ID: "late"}, "a late olive")
			find(t, live, "olive", Options{})
			catchUp(t, live)
			killed := t.TempDir()
			for _, end := range []string{"", "-wal"} {
				b, err := os.ReadFile(live.path + end)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(killed, fileName+end), b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := damage(filepath.Join(killed, fileName+"-wal")); err != nil {
				t.Fatal(err)
			}
			ix := open(t, killed, s)
			if r := find(t, ix, "late olive", Options{}); r.Total != 1 {
				t.Errorf("total %d", r.Total)
			}
			catchUp(t, ix)
			if n := number(t, ix, `SELECT count(*) FROM words WHERE words MATCH 'olive'`); n != 41 {
				t.Errorf("%d rows, want 41", n)
			}
		})
	}
}

func TestAFullDiskLeavesSearchWorking(t *testing.T) {
	s := many()
	ix := open(t, t.TempDir(), s)
	ix.maxPages, ix.txBytes = 60, 100<<10
	if err := ix.CatchUp(context.Background()); err == nil {
		t.Fatal("there was room for everything")
	}
	if r := find(t, ix, "x29x0 papaya0", Options{}); len(r.Hits) != 1 {
		t.Errorf("hits %v", messages(r))
	}
	ix.maxPages = 0
	catchUp(t, ix)
	if n := number(t, ix, `SELECT count(*) FROM words WHERE words MATCH 'papaya7'`); n != 30 {
		t.Errorf("%d rows, want 30", n)
	}
}

func TestAFolderInThePlaceOfTheIndexLeavesSearchWorking(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a"}, "an elder")
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, fileName), 0o700); err != nil {
		t.Fatal(err)
	}
	ix := open(t, home, s)
	if err := ix.CatchUp(context.Background()); err == nil {
		t.Error("no error")
	}
	if r := find(t, ix, "elder", Options{}); r.Total != 1 {
		t.Errorf("total %d", r.Total)
	}
}

// A backup or a look into it by another program can lock the index whole.
func TestALockedIndexLeavesSearchWorking(t *testing.T) {
	home, s := indexedHome(t)
	ix := open(t, home, s)
	ix.scanTime = scanTime
	other, err := sql.Open("sqlite", dsn(ix.path, 100, 0)+"&_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // nothing is kept of it
	if _, err := other.Exec(`BEGIN EXCLUSIVE; CREATE TABLE other(n)`); err != nil {
		t.Fatal(err)
	}
	if r := find(t, ix, "olive", Options{}); len(r.Hits) == 0 {
		t.Errorf("%+v", r)
	}
}

// A search asks how far the index is, has it caught up and looks into it: each of
// them meets the lock, and only one waits for it.
func TestALockedIndexIsWaitedForOnce(t *testing.T) {
	home, s := indexedHome(t)
	other, err := sql.Open("sqlite", dsn(filepath.Join(home, fileName), 100, 0)+"&_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // nothing is kept of it
	if _, err := other.Exec(`BEGIN EXCLUSIVE; CREATE TABLE other(n)`); err != nil {
		t.Fatal(err)
	}
	ix := open(t, home, s)
	ix.scanTime = scanTime
	if wait, of := ix.Behind(); wait != 40 || of != 40 {
		t.Errorf("%d of %d wait", wait, of)
	}
	met := ix.locked
	if met.IsZero() {
		t.Fatal("the lock was not met")
	}
	short, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := ix.CatchUp(short); !errors.Is(err, errLocked) {
		t.Errorf("caught up: %v", err)
	}
	if r := find(t, ix, "olive", Options{}); len(r.Hits) == 0 || r.Wait != 40 {
		t.Errorf("%+v", r)
	}
	ix.locked = time.Now().Add(-lockedFor)
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	catchUp(t, ix)
	if r := find(t, ix, "olive", Options{}); r.Total != 40 || r.Wait != 0 {
		t.Errorf("after the lock: %d, %d wait", r.Total, r.Wait)
	}
}

func TestAnIndexThatAnotherMadeAnewIsTakenUp(t *testing.T) {
	home, s := indexedHome(t)
	ix := open(t, home, s)
	find(t, ix, "olive", Options{})
	if err := removeDatabase(ix.path); err != nil {
		t.Fatal(err)
	}
	other := open(t, home, s)
	s.put(Chat{ID: "late"}, "a late olive")
	catchUp(t, other)
	if r := find(t, ix, "olive", Options{}); r.Total != 41 || r.Wait != 0 {
		t.Errorf("total %d, %d wait", r.Total, r.Wait)
	}
}
