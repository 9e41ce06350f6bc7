package pastchats

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

const hostileInput = 1 << 20

// hostileGrowth is how much more memory reading a hostile input may take.
const hostileGrowth = 64 << 20

// hostileTime is far above what reading takes, which is less than a second: a
// machine that is busy is no hang. go test -v tells what it took.
const hostileTime = time.Minute

// long skips what takes long, and what is about memory where another holds some.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() || raceDetector {
		t.Skip("long")
	}
}

// resident is the memory that this process has now, of SQLite too; 0 where it
// cannot be told.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	pages, _ := strconv.ParseInt(f[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// growth gives how much the memory grew at most while what runs.
func growth(what func()) int64 {
	runtime.GC()
	debug.FreeOSMemory()
	before := resident()
	most := before
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				most = max(most, resident())
			}
		}
	}()
	what()
	close(stop)
	<-done
	return most - before
}

// hostileValues are inputs of about 1 MiB that are made to cost time or memory.
func hostileValues() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, hostileInput/len(s)) }
	return map[string]string{
		"brackets":                   fill("["),
		"objects in objects":         fill(`{"a":`),
		"open children":              fill(`{"children":[`),
		"closed children":            strings.Repeat(`{"children":[`, hostileInput/15) + strings.Repeat(`]}`, hostileInput/15),
		"backslashes":                `"` + fill(`\`),
		"escapes":                    `{"type":"text","text":"` + fill(`\ud83d`) + `"}`,
		"names that are there twice": `{` + fill(`"type":"text",`) + `"text":"x"}`,
		"open blocks":                `{"type":"text","role":"user","text":"` + fill(`<system-reminder>`) + `"}`,
		"open blocks with words":     `{"type":"text","role":"user","text":"` + fill(`<command-name a`) + `"}`,
		"marks of context":           `{"type":"text","text":"` + fill(`⟦openclaw:ctx⟧\n`+"```"+`\n`) + `"}`,
		"open contexts":              `{"type":"text","text":"` + fill(`<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>`) + `"}`,
		"skills":                     `{"type":"text","text":"[IMPORTANT: The user has invoked the \"` + fill(`The user has provided the following instruction alongside the skill invocation: `) + `"}`,
		"queries":                    `{"role":"user","message":{"content":"` + fill(`<user_query>`) + `"}}`,
		"digits":                     `{"time":{"created":` + fill("9") + `}}`,
		"lines":                      fill("\n"),
		"short lines":                fill("{}\n"),
		"zeros":                      fill("\x00"),
		"blocks of text":             `{"type":"message","message":{"role":"user","content":[` + fill(`{"text":"x"},`) + `0]}}`,
		"bubbles":                    `{"fullConversationHeadersOnly":[` + fill(`{"bubbleId":1,"type":2},{"bubbleId":"b"},`) + `0]}`,
	}
}

// readsSoon fails when reading takes too long or too much memory.
func readsSoon(t *testing.T, app string, h *Home) {
	t.Helper()
	var took time.Duration
	grew := growth(func() {
		start := time.Now()
		finder := table(t, app).open(h)
		defer finder.close()
		found, _ := finder.find(context.Background())
		took = time.Since(start)
		for i, f := range found.files {
			if i == 20 {
				break // each is as hostile
			}
			var c talk
			start := time.Now()
			_ = finder.read(context.Background(), f, &c)
			took = max(took, time.Since(start))
		}
	})
	t.Logf("longest step %v, memory %.1f MiB", took.Round(time.Millisecond), float64(grew)/(1<<20))
	if took > hostileTime {
		t.Errorf("it took %v", took)
	}
	if grew > hostileGrowth {
		t.Errorf("it took %d MiB", grew>>20)
	}
}

func TestHostileValuesAreReadInBoundedTimeAndMemory(t *testing.T) {
	long(t)
	for name, text := range hostileValues() {
		for app, make := range map[string]func(*Home){
			"opencode": func(h *Home) {
				db := openCodeDB(t, h, openCodePlace)
				defer db.Close()
				fill(t, db, openCodeSessionRow("s"))
				fill(t, db, openCodeTalk("s", "hi", "hello")...)
				run1(t, db, "UPDATE part SET data = ?", text)
				root := filepath.Join(h.Dir, ".local/share/opencode/storage")
				put(t, filepath.Join(root, "session/p/f.json"), `{"id":"f"}`)
				put(t, filepath.Join(root, "session/p/g.json"), text[:min(len(text), openCodeInfo)])
				put(t, filepath.Join(root, "message/f/m.json"), text)
				put(t, filepath.Join(root, "message/f/n.json"), `{"role":"user"}`)
				put(t, filepath.Join(root, "part/n/p.json"), text)
			},
			"hermes": func(h *Home) {
				db := hermesDB(t, h, hermesPlace)
				defer db.Close()
				fill(t, db, hermesS{id: "s", config: text}.row(), hermesM{id: 1, role: "user", content: text}.row(), hermesM{id: 2, role: "assistant", content: "", items: text}.row(),
					hermesM{id: 3, role: "user", content: "\x00json:" + text}.row())
				put(t, filepath.Join(h.Dir, ".hermes/sessions/session_f.json"), text)
				put(t, filepath.Join(h.Dir, ".hermes/sessions/l.jsonl"), text)
			},
			"openclaw": func(h *Home) {
				db := openClawDB(t, h, openClawPlace)
				defer db.Close()
				openClawChat(t, db, "s", "agent:main:main")
				openClawEvent(t, db, "s", 2, text)
				openClawEvent(t, db, "s", 3, openClawLine("x", "e1", "user", text))
				fill(t, db, row{"session_transcript_cold_archives", []any{"s", "x", 1, openClawAt, "sqlite", squeeze(t, text)}})
				run1(t, db, "UPDATE session_nodes SET entry_json = ?", text)
				put(t, filepath.Join(h.Dir, ".openclaw/agents/main/sessions/f.jsonl"), text)
				put(t, filepath.Join(h.Dir, ".openclaw/agents/main/sessions/sessions.json"), text)
			},
			"cursor": func(h *Home) {
				db := cursorDB(t, h, cursorPlace)
				defer db.Close()
				fill(t, db, kv("composerData:f", text), cursorComposerOf("s", "a1 b2"), bubbleOf("s", "a", text), bubbleOf("s", "b", map[string]any{"type": 2, "richText": text}),
					row{"ItemTable", []any{"composer.composerHeaders", text}}, row{"ItemTable", []any{cursorPanelKey, text}})
				put(t, filepath.Join(h.Dir, ".cursor/projects/p/agent-transcripts/y/y.jsonl"), text)
			},
		} {
			t.Run(app+"/"+name, func(t *testing.T) {
				h := madeHome(t)
				make(h)
				readsSoon(t, app, h)
			})
		}
	}
}

func run1(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// Very many small things in 1 MiB.
func TestVeryManyRowsAreReadInBoundedTimeAndMemory(t *testing.T) {
	long(t)
	many := func(n int, statement string) string {
		return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < %d) %s", n, statement)
	}
	heads := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"bubbleId":"%d","type":%d},`, i, i%2+1)
		}
		return `{"fullConversationHeadersOnly":[` + b.String() + `0]}`
	}
	for name, test := range map[string]struct {
		app, rel string
		tables   []string
		rows     []string
	}{
		"opencode, sessions": {"opencode", openCodePlace, openCodeTables, []string{many(12000, "INSERT INTO session SELECT 's' || i, 'p', NULL, '/x', 't', NULL, i, i FROM n")}},
		"opencode, parts": {"opencode", openCodePlace, openCodeTables, []string{"INSERT INTO session VALUES ('s', 'p', NULL, '/x', 't', NULL, 1, 1)", "INSERT INTO message VALUES ('m', 's', 1, 1, '{\"role\":\"user\"}')",
			many(10000, "INSERT INTO part SELECT 'p' || i, 'm', 's', 1, 1, '{\"type\":\"text\",\"text\":\"x\"}' FROM n")}},
		"opencode, no indexes": {"opencode", openCodePlace, openCodeTables, []string{"DROP INDEX part_session_idx", "DROP INDEX part_message_id_id_idx", "DROP INDEX message_session_time_created_id_idx",
			many(4000, "INSERT INTO session SELECT 's' || i, 'p', NULL, '/x', 't', NULL, i, i FROM n"), many(8000, "INSERT INTO part SELECT 'p' || i, 'm' || i, 's' || (i % 4000), 1, 1, '{}' FROM n")}},
		"hermes, a chain":         {"hermes", hermesPlace, hermesTables, []string{many(6000, "INSERT INTO sessions SELECT 's' || i, 'cli', 'm', NULL, CASE WHEN i > 1 THEN 's' || (i - 1) END, 1780000000 + i, NULL, 'compression', 't', '/x', NULL, NULL, 0 FROM n")}},
		"hermes, children of one": {"hermes", hermesPlace, hermesTables, []string{many(6000, "INSERT INTO sessions SELECT 's' || i, 'cli', 'm', NULL, CASE WHEN i > 1 THEN 's1' END, 1780000000 + i, NULL, 'compression', 't', '/x', NULL, NULL, 0 FROM n")}},
		"hermes, the same words": {"hermes", hermesPlace, hermesTables, []string{many(2, "INSERT INTO sessions SELECT 's' || i, 'cli', 'm', NULL, CASE WHEN i > 1 THEN 's1' END, 1780000000 + i, NULL, 'compression', 't', '/x', NULL, NULL, 0 FROM n"),
			many(16000, "INSERT INTO messages SELECT i, 's' || (1 + (i > 8000)), 'user', 'x', 1780000000 + i, 1, 0, 0, NULL, NULL FROM n")}},
		"openclaw, events": {"openclaw", openClawPlace, openClawTables, []string{"INSERT INTO session_windows (session_id, session_key) VALUES ('s', 'main')",
			many(12000, "INSERT INTO transcript_events SELECT 's', i, '{\"id\":\"' || i || '\",\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}', 1, NULL FROM n")}},
		"cursor, heads":     {"cursor", cursorPlace, cursorTables, []string{"INSERT INTO cursorDiskKV VALUES ('composerData:s', '" + heads(36000) + "')"}},
		"cursor, composers": {"cursor", cursorPlace, cursorTables, []string{many(12000, "INSERT INTO cursorDiskKV SELECT 'composerData:' || i, '{\"conversation\":[{}]}' FROM n")}},
		"cursor, tabs":      {"cursor", cursorSpace + "x/state.vscdb", cursorTables, []string{"INSERT INTO ItemTable VALUES ('" + cursorPanelKey + "', '{\"tabs\":[" + strings.Repeat(`{"tabId":"a"},`, 70000) + "0]}')"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			h.OS = "linux"
			db := written(t, filepath.Join(h.Dir, test.rel), append(append([]string{}, test.tables...), "BEGIN")...)
			run(t, db, test.rows...)
			run(t, db, "COMMIT")
			db.Close()
			readsSoon(t, test.app, h)
		})
	}
}

// A few bytes of zstd that become very many.
func TestSqueezedEventsThatBecomeVeryManyBytes(t *testing.T) {
	long(t)
	for name, fillDB := range map[string]func(db *sql.DB){
		"rows": func(db *sql.DB) {
			bomb := squeeze(t, `{"type":"message","message":{"role":"user","content":"x"},"a":"`+strings.Repeat("x", maxRow-100)+`"}`)
			run(t, db, "BEGIN")
			for i := range hostileInput / len(bomb) {
				fill(t, db, row{"transcript_events", []any{"s", 10 + i, nil, openClawAt, bomb}})
			}
			run(t, db, "COMMIT")
		},
		"an archive of one line":    func(db *sql.DB) { archive(t, db, strings.Repeat("x", 8<<20), 128) },
		"an archive of empty lines": func(db *sql.DB) { archive(t, db, strings.Repeat("\n", 8<<20), 128) },
		"an archive of short lines": func(db *sql.DB) { archive(t, db, strings.Repeat("{}\n", 3<<20), 128) },
		"an archive of small events": func(db *sql.DB) {
			archive(t, db, strings.Repeat(`{"kind":"event","row":{"event_json":"{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}"}}`+"\n", 80000), 100)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			db := openClawDB(t, h, openClawPlace)
			openClawChat(t, db, "s", "agent:main:main")
			fillDB(db)
			db.Close()
			readsSoon(t, "openclaw", h)
		})
	}
}

// archive writes an archive of n frames that each become text.
func archive(t *testing.T, db *sql.DB, text string, n int) {
	t.Helper()
	frame := squeeze(t, text)
	var blob []byte
	for range min(n, 2*hostileInput/len(frame)) {
		blob = append(blob, frame...)
	}
	fill(t, db, row{"session_transcript_cold_archives", []any{"s", "x", 1, openClawAt, "sqlite", blob}})
}

// Pages of a table that name the next page again and again: a walk over them would
// not end.
func TestPagesThatAreNamedAgainAndAgain(t *testing.T) {
	long(t)
	for _, test := range []struct{ app, rel, what, first string }{
		{"opencode", openCodePlace, "part", "DROP INDEX part_session_idx"}, {"opencode", openCodePlace, "message", "DROP INDEX message_session_time_created_id_idx"},
		{"hermes", hermesPlace, "messages", "DROP INDEX idx_messages_session"}, {"opencode", openCodePlace, "session", ""}, {"opencode", openCodePlace, "part_session_idx", ""}, {"opencode", openCodePlace, "message", ""}, {"opencode", openCodePlace, "part", ""},
		{"hermes", hermesPlace, "sessions", ""}, {"hermes", hermesPlace, "messages", ""}, {"openclaw", openClawPlace, "session_windows", ""}, {"openclaw", openClawPlace, "transcript_events", ""},
		{"openclaw", openClawPlace, "sqlite_autoindex_transcript_events_1", ""}, {"cursor", cursorPlace, "cursorDiskKV", ""}, {"cursor", cursorPlace, "sqlite_autoindex_cursorDiskKV_1", ""},
	} {
		t.Run(strings.TrimSuffix(test.app+"/"+test.what+"/"+test.first, "/"), func(t *testing.T) {
			h := madeHome(t)
			h.OS = "linux"
			path := filepath.Join(h.Dir, test.rel)
			var db *sql.DB
			switch test.app {
			case "opencode":
				db = openCodeDB(t, h, test.rel)
				fill(t, db, openCodeSessionRow("s"))
				fill(t, db, openCodeTalk("s", "hi", "hello")...)
			case "hermes":
				db = hermesDB(t, h, test.rel)
				fill(t, db, hermesS{id: "s"}.row(), hermesM{id: 1, role: "user", content: "hi"}.row())
			case "openclaw":
				db = openClawDB(t, h, test.rel)
				openClawChat(t, db, "s", "agent:main:main")
			case "cursor":
				db = cursorDB(t, h, test.rel)
				fill(t, db, cursorComposerOf("s", "a1"), bubbleOf("s", "a", map[string]any{"type": 1, "text": "hi"}))
			}
			if test.first != "" {
				run(t, db, test.first)
			}
			var root int
			if err := db.QueryRow("SELECT rootpage FROM sqlite_master WHERE name = ?", test.what).Scan(&root); err != nil {
				t.Fatal(err)
			}
			db.Close()
			nameAgainAndAgain(t, path, root)
			readsSoon(t, test.app, h)
		})
	}
}

// nameAgainAndAgain puts five levels of pages, each of which names the next one
// hundreds of times, above a table's or an index's only page.
func nameAgainAndAgain(t *testing.T, path string, root int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const size = 4096
	page := func(n int) []byte { return b[(n-1)*size : n*size] }
	leaf := append([]byte(nil), page(root)...)
	isTable := leaf[0] == 0x0d
	last := len(b)/size + 1
	b = append(b, leaf...)
	interior := func(child int) []byte {
		p := make([]byte, size)
		var cell []byte
		if p[0] = 0x05; isTable {
			cell = append(binary.BigEndian.AppendUint32(nil, uint32(child)), 1) // the page and a row's number
		} else {
			p[0] = 0x02
			cell = append(binary.BigEndian.AppendUint32(nil, uint32(child)), 4, 3, 0, 0, 0) // and a key of two NULLs
		}
		n := (size - 12) / (len(cell) + 2)
		start := size - n*len(cell)
		binary.BigEndian.PutUint16(p[3:], uint16(n))
		binary.BigEndian.PutUint16(p[5:], uint16(start))
		binary.BigEndian.PutUint32(p[8:], uint32(child))
		for i := range n {
			at := start + i*len(cell)
			copy(p[at:], cell)
			binary.BigEndian.PutUint16(p[12+2*i:], uint16(at))
		}
		return p
	}
	for range 5 {
		b = append(b, interior(last)...)
		last++
	}
	copy(page(root), interior(last))
	binary.BigEndian.PutUint32(b[28:], uint32(len(b)/size))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
