package pastchats

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// openCodeTables are OpenCode's, as far as they matter, in the shape of 1.18.
var openCodeTables = []string{
	"PRAGMA synchronous = OFF",
	"CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL)",
	"CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text, revert text, time_created integer, time_updated integer)",
	"CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text)",
	"CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text)",
	"CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id)",
	"CREATE INDEX part_message_id_id_idx ON part (message_id, id)",
	"CREATE INDEX part_session_idx ON part (session_id)",
}

const openCodePlace = ".local/share/opencode/opencode.db"

func openCodeDB(t testing.TB, h *Home, rel string) *sql.DB {
	t.Helper()
	h.OS = "linux"
	return written(t, filepath.Join(h.Dir, rel), openCodeTables...)
}

const openCodeAt = int64(1774173600000)

func openCodeSessionRow(id string) row {
	return row{"session", []any{id, "p", nil, "/home/dev/docs", "A title", nil, openCodeAt, openCodeAt + 5000}}
}

func openCodeMessageRow(session, id string, at int64, data string) row {
	return row{"message", []any{id, session, openCodeAt + at, openCodeAt + at, data}}
}

func openCodePartRow(session, message, id string, at int64, data string) row {
	return row{"part", []any{id, message, session, openCodeAt + at, openCodeAt + at, data}}
}

// openCodeTalk is a question and an answer.
func openCodeTalk(session, ask, answer string) []row {
	return []row{
		openCodeMessageRow(session, session+"_a", 1, `{"role":"user"}`),
		openCodeMessageRow(session, session+"_b", 2, `{"role":"assistant","modelID":"m1","path":{"root":"/home/dev/root"}}`),
		openCodePartRow(session, session+"_a", session+"_p", 1, fmt.Sprintf(`{"type":"text","text":%q}`, ask)),
		openCodePartRow(session, session+"_b", session+"_q", 2, fmt.Sprintf(`{"type":"text","text":%q}`, answer)),
	}
}

func TestOpenCodeTakesWhatWasSaid(t *testing.T) {
	user, assistant := `{"role":"user"}`, `{"role":"assistant"}`
	text := func(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }
	message := func(id string, at int64, data string) row { return openCodeMessageRow("s", id, at, data) }
	part := func(message, id string, at int64, data string) row {
		return openCodePartRow("s", message, id, at, data)
	}
	tests := []struct {
		name    string
		revert  any
		rows    []row
		want    []string
		damaged bool
	}{
		{name: "words the program put into a turn stay out", rows: []row{
			message("a", 1, user), part("a", "1", 1, text("Look at @x.ts")),
			part("a", "2", 2, `{"type":"text","text":"Called the Read tool","synthetic":true}`),
			part("a", "3", 3, `{"type":"text","text":"a note","ignored":true}`),
			part("a", "4", 4, `{"synthetic":false,"ignored":false,"type":"text","text":"and say why"}`),
			part("a", "5", 5, text("<system-reminder>plan mode</system-reminder>")),
		}, want: []string{"> Look at @x.ts\n\nand say why"}},
		{name: "only text is words", rows: []row{
			message("a", 1, assistant), part("a", "1", 1, `{"type":"reasoning","text":"hidden"}`), part("a", "2", 2, `{"type":"tool","tool":"read","state":{"output":"x"}}`),
			part("a", "3", 3, `{"type":"step-start"}`), part("a", "4", 4, text("Said.")), part("a", "5", 5, `{"type":"patch","text":"no"}`), part("a", "6", 6, `{"type":"file","url":"file:///x"}`),
			part("a", "7", 7, `{"type":"subtask","prompt":"a brief"}`), part("a", "8", 8, `{"type":"agent","name":"general"}`), part("a", "9", 9, `{"type":"retry"}`),
		}, want: []string{"< Said."}},
		{name: "a compaction was said by nobody", rows: []row{
			message("a", 1, user), part("a", "1", 1, `{"type":"compaction","auto":true}`),
			message("b", 2, `{"role":"assistant","summary":true}`), part("b", "2", 2, text("## Summary")),
			message("c", 3, `{"role":"user","summary":{"diffs":[]}}`), part("c", "3", 3, text("Go on.")),
		}, want: []string{"> Go on."}},
		{name: "order is by time, then by id, not by rows", rows: []row{
			message("c", 2, assistant), message("b", 2, user), message("a", 9, user),
			part("c", "z", 7, text("second")), part("c", "y", 7, text("first")), part("a", "x", 1, text("last")), part("b", "w", 1, text("before")),
		}, want: []string{"> before", "< first\n\nsecond", "> last"}},
		{name: "all from the undone message on is out", revert: `{"messageID":"b","snapshot":"x"}`, rows: []row{
			message("a", 1, user), part("a", "1", 1, text("one")), message("b", 2, user), part("b", "2", 2, text("two")), message("c", 3, assistant), part("c", "3", 3, text("three")),
		}, want: []string{"> one"}},
		{name: "from a part on", revert: `{"messageID":"b","partID":"3"}`, rows: []row{
			message("a", 1, user), part("a", "1", 1, text("one")), message("b", 2, assistant), part("b", "2", 2, text("kept")), part("b", "3", 3, text("undone")), part("b", "4", 4, text("too")),
			message("c", 3, user), part("c", "5", 5, text("after")),
		}, want: []string{"> one", "< kept"}},
		{name: "from a part on that is no text", revert: `{"messageID":"b","partID":"3"}`, rows: []row{
			message("b", 2, assistant), part("b", "2", 2, text("kept")), part("b", "3", 3, `{"type":"tool"}`), part("b", "4", 4, text("undone")),
		}, want: []string{"< kept"}},
		{name: "an undone message that is gone undoes nothing", revert: `{"messageID":"zz"}`, rows: []row{
			message("a", 1, user), part("a", "1", 1, text("one")),
		}, want: []string{"> one"}},
		{name: "an undone message that is damaged still is the place", revert: `{"messageID":"b"}`, rows: []row{
			message("a", 1, user), part("a", "1", 1, text("one")), message("b", 2, `{"role":"us`), message("c", 3, user), part("c", "3", 3, text("three")),
		}, want: []string{"> one"}, damaged: true},
		{name: "no undo", revert: `null`, rows: []row{message("a", 1, user), part("a", "1", 1, text("one"))}, want: []string{"> one"}},
		{name: "a row that is cut off is passed over", rows: []row{
			message("a", 1, user), part("a", "1", 1, text("one")), part("a", "2", 2, `{"type":"te`), message("b", 2, `{"role":"assist`), part("b", "3", 3, text("lost")),
		}, want: []string{"> one"}, damaged: true},
		{name: "another role is not the person's", rows: []row{
			message("a", 1, `{"role":"system"}`), part("a", "1", 1, text("no")), message("b", 2, `{}`), part("b", "2", 2, text("no")), message("c", 3, user), part("c", "3", 3, text("yes")),
		}, want: []string{"> yes"}},
		{name: "a part without text, of another message, of no message", rows: []row{
			message("a", 1, user), part("a", "1", 1, `{"type":"text"}`), part("a", "2", 2, `{"type":"text","text":7}`), part("gone", "3", 3, text("no")), part("a", "4", 4, text("yes")),
		}, want: []string{"> yes"}},
		{name: "blobs are read as text", rows: []row{
			{"message", []any{"a", "s", openCodeAt, openCodeAt, []byte(user)}}, {"part", []any{"1", "a", "s", openCodeAt, openCodeAt, []byte(text("blob"))}},
		}, want: []string{"> blob"}},
		{name: "NULL, numbers and lists where objects should be", rows: []row{
			message("a", 1, user), part("a", "1", 1, text("yes")), {"part", []any{"2", "a", "s", nil, nil, nil}}, {"part", []any{"3", "a", "s", "x", 1.5, 7}}, part("a", "4", 1, `["text"]`),
		}, want: []string{"> yes"}, damaged: true},
		{name: "quotation marks that the program adds are kept", rows: []row{
			message("a", 1, user), part("a", "1", 1, text(`"two words"`)),
		}, want: []string{`> "two words"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := madeHome(t)
			db := openCodeDB(t, h, openCodePlace)
			s := openCodeSessionRow("s")
			s.cols[5] = test.revert
			fill(t, db, append([]row{s}, test.rows...)...)
			db.Close()
			c := chatsByKey(t, "opencode", h)["s"]
			sayExactly(t, c, test.want...)
			if c.damaged != test.damaged {
				t.Errorf("damaged %t, want %t", c.damaged, test.damaged)
			}
		})
	}
}

func TestOpenCodeTitleThatIsNone(t *testing.T) {
	for title, want := range map[string]string{
		"New session - 2026-03-22T10:00:00.000Z":   "",
		"Child session - 2026-03-22T10:00:00.000Z": "",
		"New session - yesterday":                  "New session - yesterday",
		"Cart (fork #1)":                           "Cart (fork #1)",
		"A session - 2026-03-22T10:00:00.000Z":     "A session - 2026-03-22T10:00:00.000Z",
		"":                                         "",
	} {
		if got := openCodeTitle(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

// A worktree that several folders share must not win over the session's own.
func TestOpenCodeFolder(t *testing.T) {
	for _, test := range []struct{ directory, worktree, root, want string }{
		{"/home/dev/own", "/home/dev/tree", "/home/dev/root", "own"},
		{"/", "/home/dev/tree", "/home/dev/root", "tree"},
		{"", "/", "/home/dev/root", "root"},
		{"/", "/", "/", ""},
	} {
		h := madeHome(t)
		db := openCodeDB(t, h, openCodePlace)
		s := openCodeSessionRow("s")
		s.cols[3] = test.directory
		fill(t, db, row{"project", []any{"p", test.worktree}}, s,
			openCodeMessageRow("s", "a", 1, fmt.Sprintf(`{"role":"assistant","path":{"root":%q}}`, test.root)), openCodePartRow("s", "a", "1", 1, `{"type":"text","text":"hi"}`))
		db.Close()
		if got := chatsByKey(t, "opencode", h)["s"].project; got != test.want {
			t.Errorf("%+v: project %q", test, got)
		}
	}
}

func TestOpenCodeModelIsThatOfTheLastAnswerWithWords(t *testing.T) {
	h := madeHome(t)
	db := openCodeDB(t, h, openCodePlace)
	fill(t, db, openCodeSessionRow("s"))
	fill(t, db, openCodeTalk("s", "hi", "hello")...)
	fill(t, db, openCodeMessageRow("s", "z", 9, `{"role":"assistant","modelID":"m2"}`), openCodePartRow("s", "z", "z1", 9, `{"type":"tool"}`))
	db.Close()
	if got := chatsByKey(t, "opencode", h)["s"].model; got != "m1" {
		t.Errorf("model %q", got)
	}
}

func TestOpenCodeHelpersStayOutAndForksAndArchivedComeIn(t *testing.T) {
	h := madeHome(t)
	db := openCodeDB(t, h, openCodePlace)
	run(t, db, "ALTER TABLE session ADD COLUMN time_archived integer")
	fill(t, db,
		row{"session", []any{"helper", "p", "fork", "/home/dev/docs", "Look", nil, openCodeAt, openCodeAt, nil}},
		row{"session", []any{"fork", "p", nil, "/home/dev/docs", "Cart (fork #1)", nil, openCodeAt, openCodeAt, nil}},
		row{"session", []any{"archived", "p", nil, "/home/dev/docs", "Old", nil, openCodeAt, openCodeAt, openCodeAt}})
	for _, id := range []string{"helper", "fork", "archived"} {
		fill(t, db, openCodeTalk(id, "hi from "+id, "hello")...)
	}
	db.Close()
	got := chatsByKey(t, "opencode", h)
	if len(got) != 2 || got["fork"].title != "Cart (fork #1)" || got["archived"].title != "Old" {
		t.Errorf("got %v", got)
	}
}

// Which database and which of the older files is read: R-111-3.
func TestOpenCodePlaces(t *testing.T) {
	talk := func(t *testing.T, path, id, ask string) {
		db := written(t, path, openCodeTables...)
		fill(t, db, openCodeSessionRow(id))
		fill(t, db, openCodeTalk(id, ask, "yes")...)
		db.Close()
	}
	elsewhere := t.TempDir()
	for _, test := range []struct {
		name    string
		env     map[string]string
		pretend bool
		want    string // the words of the chat "s"
		count   int
	}{
		{name: "the usual folder", want: "usual", count: 3},
		{name: "XDG_DATA_HOME", env: map[string]string{"XDG_DATA_HOME": elsewhere}, want: "xdg", count: 1},
		{name: "XDG_DATA_HOME that is no path", env: map[string]string{"XDG_DATA_HOME": "data"}, want: "usual", count: 3},
		{name: "OPENCODE_DB, a name", env: map[string]string{"OPENCODE_DB": "opencode-dev.db"}, want: "dev", count: 3},
		{name: "OPENCODE_DB, another name", env: map[string]string{"OPENCODE_DB": "mine.sqlite"}, want: "mine", count: 3},
		{name: "OPENCODE_DB, a path", env: map[string]string{"OPENCODE_DB": filepath.Join(elsewhere, "far.db")}, want: "far", count: 3},
		{name: "OPENCODE_DB, in memory", env: map[string]string{"OPENCODE_DB": ":memory:"}, want: "usual", count: 3},
		{name: "OPENCODE_DB, not there", env: map[string]string{"OPENCODE_DB": "gone.db"}, want: "usual", count: 3},
		{name: "no variable in a pretend home", env: map[string]string{"XDG_DATA_HOME": elsewhere, "OPENCODE_DB": filepath.Join(elsewhere, "far.db")}, pretend: true, want: "usual", count: 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := withEnv(t, test.env)
			if test.pretend {
				h = NewHome("/nowhere", h.Dir, func(name string) string { return test.env[name] }, t.TempDir())
			}
			root := filepath.Join(h.Dir, ".local/share/opencode")
			talk(t, filepath.Join(root, "opencode.db"), "s", "usual")
			talk(t, filepath.Join(root, "opencode-dev.db"), "s", "dev")
			talk(t, filepath.Join(root, "opencode-a.db"), "other", "other channel")
			talk(t, filepath.Join(root, "mine.sqlite"), "s", "mine")
			put(t, filepath.Join(root, "storage/session/p/old.json"), `{"id":"old","title":"Old"}`)
			put(t, filepath.Join(root, "storage/message/old/m.json"), `{"role":"user"}`)
			put(t, filepath.Join(root, "storage/part/m/p.json"), `{"type":"text","text":"from files"}`)
			for name, ask := range map[string]string{"far.db": "far", "opencode/opencode.db": "xdg"} {
				if _, err := os.Stat(filepath.Join(elsewhere, name)); err != nil {
					talk(t, filepath.Join(elsewhere, name), "s", ask)
				}
			}
			got := chatsByKey(t, "opencode", h)
			sayExactly(t, got["s"], "> "+test.want, "< yes")
			if len(got) != test.count {
				t.Errorf("%d chats, want %d: %v", len(got), test.count, got)
			}
		})
	}
}

// The first shapes, and family members, have fewer columns and tables.
func TestOpenCodeTablesAndColumnsThatAreMissing(t *testing.T) {
	for name, test := range map[string]struct {
		change []string
		want   []string
	}{
		"no directory, no revert, no parent": {[]string{"ALTER TABLE session DROP COLUMN directory", "ALTER TABLE session DROP COLUMN revert", "ALTER TABLE session DROP COLUMN parent_id"}, []string{"> hi", "< hello"}},
		"no project table":                   {[]string{"DROP TABLE project"}, []string{"> hi", "< hello"}},
		"no times": {[]string{"ALTER TABLE session DROP COLUMN time_updated", "ALTER TABLE message DROP COLUMN time_updated", "ALTER TABLE part DROP COLUMN time_updated",
			"DROP INDEX message_session_time_created_id_idx", "ALTER TABLE message DROP COLUMN time_created", "ALTER TABLE part DROP COLUMN time_created"}, []string{"> hi", "< hello"}},
		"no indexes":         {[]string{"DROP INDEX part_session_idx", "DROP INDEX part_message_id_id_idx", "DROP INDEX message_session_time_created_id_idx"}, []string{"> hi", "< hello"}},
		"parts of a message": {[]string{"DROP INDEX part_session_idx", "ALTER TABLE part DROP COLUMN session_id"}, []string{"> hi", "< hello"}},
		"no part table":      {[]string{"DROP TABLE part"}, nil},
		"no message table":   {[]string{"DROP TABLE message"}, nil},
		"no data":            {[]string{"ALTER TABLE message DROP COLUMN data"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			db := openCodeDB(t, h, openCodePlace)
			fill(t, db, openCodeSessionRow("s"))
			fill(t, db, openCodeTalk("s", "hi", "hello")...)
			run(t, db, test.change...)
			db.Close()
			c := chatsByKey(t, "opencode", h)["s"]
			sayExactly(t, c, test.want...)
			if c.title != "A title" {
				t.Errorf("title %q", c.title)
			}
		})
	}
}

func TestOpenCodeHugeRowIsPassedOver(t *testing.T) {
	h := madeHome(t)
	db := openCodeDB(t, h, openCodePlace)
	fill(t, db, openCodeSessionRow("s"))
	fill(t, db, openCodeTalk("s", "hi", "hello")...)
	fill(t, db, openCodePartRow("s", "s_b", "s_z", 3, `{"type":"text","text":"`+strings.Repeat("x", openCodeRow)+`"}`))
	db.Close()
	c := chatsByKey(t, "opencode", h)["s"]
	sayExactly(t, c, "> hi", "< hello")
	if !c.damaged {
		t.Error("what was passed over is not told")
	}
}

// The session's own time lags behind that of its parts.
func TestOpenCodeChatIsFreshWhenAnythingOfItIsNew(t *testing.T) {
	h := madeHome(t)
	db := openCodeDB(t, h, openCodePlace)
	fill(t, db, openCodeSessionRow("s"), openCodeSessionRow("other"))
	fill(t, db, openCodeTalk("s", "hi", "hello")...)
	last := lookFor(t, "opencode", h, "s")
	if last.Size != 0 || last.Count != 4 || last.MTime != (openCodeAt+5000)*1e6 || last.Project != "docs" {
		t.Errorf("file %+v", last)
	}
	for _, change := range []string{
		"INSERT INTO part VALUES ('s_r', 's_b', 's', 1, 1, '{}')",
		"INSERT INTO message VALUES ('s_c', 's', 1774173609000, 1, '{}')",
		"INSERT INTO part VALUES ('s_t', 's_c', 's', 1774173609000, 1774173609001, '{}')",
		"UPDATE part SET time_updated = 1774173619001 WHERE id = 's_t'",
		"UPDATE session SET time_updated = 1774173629001 WHERE id = 's'",
		"DELETE FROM part WHERE id = 's_q'",
	} {
		run(t, db, change)
		now := lookFor(t, "opencode", h, "s")
		if now.MTime == last.MTime && now.Count == last.Count {
			t.Errorf("%s: not seen", change)
		}
		if other := lookFor(t, "opencode", h, "other"); other.Count != 0 || other.MTime != (openCodeAt+5000)*1e6 {
			t.Errorf("%s: another chat is changed: %+v", change, other)
		}
		last = now
	}
}

// Case 009: after the move to SQLite the older files stay behind.
func TestOpenCodeTwoStores(t *testing.T) {
	h := NewHome("", copyHome(t, "../testdata/cases/009-opencode-two-stores/home"), nil, t.TempDir())
	got := chatsByKey(t, "opencode", h)
	sayExactly(t, got["ses_1"], "> how does checkout work?", "< In three steps.")
	sayExactly(t, got["ses_0"], "> from before the move")
	if len(got) != 2 {
		t.Errorf("%d chats: %v", len(got), got)
	}
}

func TestOpenCodeFiles(t *testing.T) {
	const root = ".local/share/opencode/"
	for name, test := range map[string]struct {
		files   map[string]string
		want    []string
		damaged bool
	}{
		"the newer of two generations counts": {map[string]string{
			"storage/session/p/s.json": `{"id":"s"}`, "storage/message/s/m.json": `{"role":"user"}`, "storage/part/m/1.json": `{"type":"text","text":"newer"}`,
			"project/f/storage/session/info/s.json": `{"id":"s"}`, "project/f/storage/session/message/s/m.json": `{"role":"user"}`, "project/f/storage/session/part/s/m/1.json": `{"type":"text","text":"older"}`,
		}, []string{"> newer"}, false},
		"order is by the messages' own times": {map[string]string{
			"storage/session/p/s.json": `{"id":"s"}`, "storage/message/s/m2.json": `{"role":"assistant","time":{"created":2}}`, "storage/message/s/m1.json": `{"role":"user","time":{"created":3}}`,
			"storage/part/m1/1.json": `{"type":"text","text":"by time: second"}`, "storage/part/m2/1.json": `{"type":"text","text":"first"}`,
		}, []string{"< first", "> by time: second"}, false},
		"a message that is no JSON is passed over": {map[string]string{
			"storage/session/p/s.json": `{"id":"s"}`, "storage/message/s/m1.json": `{"role":`, "storage/message/s/m2.json": `{"role":"user"}`,
			"storage/part/m1/1.json": `{"type":"text","text":"lost"}`, "storage/part/m2/1.json": `{"type":"text","text":"kept"}`, "storage/part/m2/2.json": `{"type":"te`,
		}, []string{"> kept"}, true},
		"an undone turn": {map[string]string{
			"storage/session/p/s.json": `{"id":"s","revert":{"messageID":"m2"}}`, "storage/message/s/m1.json": `{"role":"user"}`, "storage/message/s/m2.json": `{"role":"user"}`,
			"storage/part/m1/1.json": `{"type":"text","text":"kept"}`, "storage/part/m2/1.json": `{"type":"text","text":"undone"}`,
		}, []string{"> kept"}, false},
		"a session's file that is cut off": {map[string]string{
			"storage/session/p/s.json": `{"id":"s","ti`, "storage/message/s/m.json": `{"role":"user"}`, "storage/part/m/1.json": `{"type":"text","text":"whose is it?"}`,
		}, nil, true},
		"a session's file of more than 1 MiB": {map[string]string{
			"storage/session/p/s.json": `{"id":"s","summary":"` + strings.Repeat("x", 1<<20) + `"}`, "storage/message/s/m.json": `{"role":"user"}`,
		}, nil, false},
		"a helper's session that tells it late": {map[string]string{
			"storage/session/p/s.json": `{"id":"s","summary":"` + strings.Repeat("x", 32<<10) + `","parentID":"other"}`, "storage/message/s/m.json": `{"role":"user"}`, "storage/part/m/1.json": `{"type":"text","text":"brief"}`,
		}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			h.OS = "linux"
			for rel, text := range test.files {
				put(t, filepath.Join(h.Dir, root+rel), text)
			}
			chats := readEvery(t, "opencode", h)
			if len(chats) != 1 {
				t.Fatalf("%d chats: %v", len(chats), chats)
			}
			sayExactly(t, chats[0], test.want...)
			if chats[0].damaged != test.damaged {
				t.Errorf("damaged %t, want %t", chats[0].damaged, test.damaged)
			}
		})
	}
}

func TestOpenCodeSizesOfFilesAreThoseOfAllOfAChat(t *testing.T) {
	h := madeHome(t)
	h.OS = "linux"
	root := filepath.Join(h.Dir, ".local/share/opencode/storage")
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	size := int64(0)
	for i, f := range []struct{ rel, text string }{
		{"session/p/s.json", `{"id":"s","directory":"/code/shop"}`}, {"message/s/m.json", `{"role":"user"}`}, {"part/m/1.json", `{"type":"text","text":"hi"}`},
	} {
		size += int64(len(f.text))
		path := put(t, filepath.Join(root, f.rel), f.text)
		if err := os.Chtimes(path, at, at.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(root, "message/other/m2.json"), `{"role":"user"}`)
	put(t, filepath.Join(root, "part/m2/1.json"), `{"type":"text","text":"of a session that was deleted"}`)
	if f := lookFor(t, "opencode", h, "s"); f.Size != size || f.Count != 2 || f.Project != "shop" || f.MTime != at.Add(2*time.Hour).UnixNano() {
		t.Errorf("size %d wanted; %+v", size, f)
	}
	if got := chatsByKey(t, "opencode", h); len(got) != 1 {
		t.Errorf("chats %v", got)
	}
}

// Messages in a folder that is a link into the home are met after their parts.
func TestOpenCodeLinkedFolderOfMessages(t *testing.T) {
	h := madeHome(t)
	h.OS = "linux"
	root := filepath.Join(h.Dir, ".local/share/opencode/storage")
	put(t, filepath.Join(root, "session/p/s.json"), `{"id":"s"}`)
	put(t, filepath.Join(h.Dir, "moved/s/m.json"), `{"role":"user"}`)
	put(t, filepath.Join(root, "part/m/1.json"), `{"type":"text","text":"hi"}`)
	link1(t, filepath.Join(h.Dir, "moved"), filepath.Join(root, "message"))
	sayExactly(t, chatsByKey(t, "opencode", h)["s"], "> hi")
}

// OpenCode runs while its chats are read: what it has committed comes, what it has
// not does not, and its folder stays as it was.
func TestOpenCodeWhileItWrites(t *testing.T) {
	h := madeHome(t)
	h.OS = "linux"
	db := written(t, filepath.Join(h.Dir, openCodePlace), append([]string{"PRAGMA journal_mode=WAL"}, openCodeTables...)...)
	run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	fill(t, db, openCodeSessionRow("s"))
	fill(t, db, openCodeTalk("s", "committed", "yes")...)
	run(t, db, "BEGIN IMMEDIATE")
	fill(t, db, openCodeSessionRow("not yet"), openCodeMessageRow("s", "x", 9, `{"role":"user"}`), openCodePartRow("s", "x", "x1", 9, `{"type":"text","text":"not yet"}`))
	before := tree(t, h.Dir)
	got := chatsByKey(t, "opencode", h)
	sameTree(t, h.Dir, before)
	sayExactly(t, got["s"], "> committed", "< yes")
	if len(got) != 1 {
		t.Errorf("chats: %v", got)
	}
	run(t, db, "COMMIT")
	if got := chatsByKey(t, "opencode", h); len(got) != 2 {
		t.Errorf("after the commit: %v", got)
	}
}
