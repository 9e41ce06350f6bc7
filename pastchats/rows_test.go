package pastchats

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// row is one row to be written: a table and its columns' values in order.
type row struct {
	table string
	cols  []any
}

// fill writes rows into a database of a test.
func fill(t testing.TB, db *sql.DB, rows ...row) {
	t.Helper()
	for _, r := range rows {
		q := "INSERT INTO " + r.table + " VALUES (?" + strings.Repeat(", ?", len(r.cols)-1) + ")"
		if _, err := db.Exec(q, r.cols...); err != nil {
			t.Fatalf("%s %.200q: %v", q, r.cols, err)
		}
	}
}

// chatsByKey gives what an app's finder makes of a home, also chats without words.
func chatsByKey(t testing.TB, app string, h *Home) map[string]gotChat {
	t.Helper()
	chats := map[string]gotChat{}
	for _, c := range readEvery(t, app, h) {
		if c.err != nil {
			t.Errorf("read %s: %v", c.file.Key, c.err)
		}
		chats[c.file.Key] = c
	}
	return chats
}

// voices are a chat's words in short: "> " is the person, "< " the answer.
func voices(c gotChat) []string {
	var out []string
	for _, m := range c.said {
		sign := "< "
		if m.Role == "user" {
			sign = "> "
		}
		out = append(out, sign+m.Text)
	}
	return out
}

// sayExactly fails when a chat's words are others.
func sayExactly(t testing.TB, c gotChat, want ...string) {
	t.Helper()
	if got := voices(c); !slices.Equal(got, want) {
		t.Errorf("words of %s:\n got %q\nwant %q", c.file.Key, got, want)
	}
}

// fileOf finds one chat's File in a look of its own.
func lookFor(t testing.TB, app string, h *Home, key string) chatFile {
	t.Helper()
	f := table(t, app).open(h)
	defer f.close()
	found, err := f.find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found.files, func(f chatFile) bool { return f.Key == key })
	if i < 0 {
		t.Fatalf("%s was not found", key)
	}
	return found.files[i]
}

// withEnv is a home in which variables move apps' folders.
func withEnv(t testing.TB, env map[string]string) *Home {
	t.Helper()
	h := NewHome(t.TempDir(), "", func(name string) string { return env[name] }, t.TempDir())
	h.OS = "linux"
	return h
}

func TestOnlyColumnsThatAreThereAreAskedFor(t *testing.T) {
	h := have{"id": true, "a b": true}
	if got, want := h.cols("t", "id", "a b", "gone"), `t."id", t."a b", NULL`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := upTo("NULL", 5); got != "NULL" {
		t.Errorf("a column that is not there: %s", got)
	}
}

func TestATimeOfADatabase(t *testing.T) {
	for in, want := range map[int64]int64{
		1780000000: 1780000000000, 1780000000123: 1780000000123, 1: 1000,
		0: 0, -5: 0, 1 << 62: 0, 9_000_000_000_001: 0, 99_999_999_999: 0,
	} {
		if got := millis(in); got != want {
			t.Errorf("millis(%d) = %d, want %d", in, got, want)
		}
	}
}

func TestATimeOfAFileDoesNotOverflow(t *testing.T) {
	for in, want := range map[int64]int64{1780000000123: 1780000000123000000, 0: 0, -1: 0, 17780000000000: 0, 1 << 53: 0, latest: latest * 1e6} {
		if got := nanos(in); got != want {
			t.Errorf("nanos(%d) = %d, want %d", in, got, want)
		}
	}
}

func TestWhatTheAppChangedIsReadAgain(t *testing.T) {
	tries := 0
	if err := again(func() error {
		if tries++; tries < 3 {
			return errMoved
		}
		return nil
	}); err != nil || tries != 3 {
		t.Errorf("%d tries, %v", tries, err)
	}
	tries = 0
	if err := again(func() error { tries++; return errMoved }); !errors.Is(err, errMoved) || tries != 3 {
		t.Errorf("one that never rests: %d tries, %v", tries, err)
	}
	broken := errors.New("broken")
	tries = 0
	if err := again(func() error { tries++; return broken }); !errors.Is(err, broken) || tries != 1 {
		t.Errorf("another error: %d tries, %v", tries, err)
	}
}

// R-111-16: words only.
func TestTextParts(t *testing.T) {
	for in, want := range map[string]string{
		`"  plain  "`: "plain",
		`[{"type":"text","text":"one"},{"type":"image","text":"no"},{"type":"input_text","text":"two"},{"type":"output_text","text":" "},{"text":"three"}]`: "one\n\ntwo\n\nthree",
		`[{"type":"thinking","text":"no"},{"type":"tool_result","content":[{"type":"text","text":"no"}]}]`:                                                  "",
		`[{"type":null,"text":"no kind that is known"},"loose",7,null]`:                                                                                     "",
		`{"type":"text","text":"no list"}`: "",
		`[{"type":"text","text":"cut`:      "",
		``:                                 "",
	} {
		if got := textParts(value(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// readersOfDatabases are the apps whose chats lie in databases, with where.
func readersOfDatabases() map[string]string {
	return map[string]string{
		"opencode": ".local/share/opencode/opencode.db", "hermes": ".hermes/state.db",
		"openclaw": ".openclaw/agents/main/agent/openclaw-agent.sqlite", "cursor": ".config/Cursor/User/globalStorage/state.vscdb",
	}
}

// A database that is none, or of another program, is nothing: the app's other
// chats come.
func TestADatabaseOfAnotherKindIsNothing(t *testing.T) {
	for app, rel := range readersOfDatabases() {
		for name, make := range map[string]func(path string){
			"text":          func(path string) { put(t, path, "this is no database, and it has more than sixteen bytes") },
			"only a header": func(path string) { put(t, path, "SQLite format 3\x00") },
			"zeros":         func(path string) { put(t, path, strings.Repeat("\x00", 8192)) },
			"other tables":  func(path string) { written(t, path, "CREATE TABLE bookmarks (id, url)").Close() },
			"no tables":     func(path string) { written(t, path, "PRAGMA user_version = 3").Close() },
			"tables as views": func(path string) {
				written(t, path, "CREATE TABLE x (id)", "CREATE VIEW session AS SELECT * FROM x", "CREATE VIEW sessions AS SELECT * FROM x", "CREATE VIEW session_windows AS SELECT * FROM x", "CREATE VIEW cursorDiskKV AS SELECT * FROM x").Close()
			},
			"tables of ids": func(path string) {
				written(t, path, "CREATE TABLE session (id)", "CREATE TABLE sessions (id, session_id)", "CREATE TABLE session_windows (session_id)", "CREATE TABLE cursorDiskKV (key)", "CREATE TABLE ItemTable (key)").Close()
			},
			"one row of an id": func(path string) {
				written(t, path, "CREATE TABLE session (id)", "INSERT INTO session VALUES ('a')", "CREATE TABLE sessions (id, session_id)", "INSERT INTO sessions VALUES ('a', 'a')").Close()
			},
		} {
			t.Run(app+"/"+name, func(t *testing.T) {
				h := madeHome(t)
				h.OS = "linux"
				make(filepath.Join(h.Dir, rel))
				before := tree(t, h.Dir)
				if got := readAll(t, app, h); len(got) != 0 {
					t.Errorf("chats: %v", got)
				}
				sameTree(t, h.Dir, before)
			})
		}
	}
}
