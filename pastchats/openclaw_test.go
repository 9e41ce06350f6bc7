package pastchats

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// openClawTables are OpenClaw's in the shape of schema 23, as far as they matter.
var openClawTables = []string{
	"PRAGMA synchronous = OFF",
	`CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT, created_via TEXT, created_actor_type TEXT, parent_session_key TEXT, spawned_by TEXT, label TEXT, display_name TEXT)`,
	`CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, session_scope TEXT DEFAULT 'conversation', chat_type TEXT, created_at INTEGER, updated_at INTEGER, started_at INTEGER, model TEXT,
		spawned_by TEXT, hook_external_content_source TEXT, acp_owned INTEGER DEFAULT 0, display_name TEXT)`,
	`CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB, PRIMARY KEY (session_id, seq))`,
	`CREATE TABLE session_transcript_cold_archives (session_id TEXT PRIMARY KEY, archive_name TEXT, event_count INTEGER, archived_at INTEGER, storage TEXT, archive_blob BLOB)`,
}

const (
	openClawPlace = ".openclaw/agents/main/agent/openclaw-agent.sqlite"
	openClawAt    = int64(1795000000000)
)

func openClawDB(t testing.TB, h *Home, rel string) *sql.DB {
	t.Helper()
	h.OS = "linux"
	return written(t, filepath.Join(h.Dir, rel), openClawTables...)
}

// openClawChat writes a window with its node, and one question.
func openClawChat(t testing.TB, db *sql.DB, id, key string, change ...string) {
	t.Helper()
	run(t, db,
		fmt.Sprintf("INSERT INTO session_nodes (session_key, current_session_id, entry_json) VALUES ('%s', '%s', '{}')", key, id),
		fmt.Sprintf("INSERT INTO session_windows (session_id, session_key, created_at, updated_at) VALUES ('%s', '%s', %d, %d)", id, key, openClawAt, openClawAt+5000))
	openClawEvent(t, db, id, 0, fmt.Sprintf(`{"type":"session","id":%q,"timestamp":"2026-11-18T11:06:40.000Z","cwd":"/home/dev/work"}`, id))
	openClawEvent(t, db, id, 1, `{"type":"message","id":"e1","parentId":null,"message":{"role":"user","content":"hi"}}`)
	run(t, db, change...)
}

func openClawEvent(t testing.TB, db *sql.DB, id string, seq int, event string) {
	t.Helper()
	fill(t, db, row{"transcript_events", []any{id, seq, event, openClawAt + int64(seq), nil}})
}

// The columns alone do not tell: a group's, a routine's and a helper's chat made by
// the program had them all empty.
func TestOpenClawWhoseChat(t *testing.T) {
	const window, node = "UPDATE session_windows SET ", "UPDATE session_nodes SET "
	for name, test := range map[string]struct {
		key, change string
		in          bool
	}{
		"the main chat":            {key: "agent:main:main", in: true},
		"a person's by messenger":  {key: "agent:main:telegram:direct:12345", in: true},
		"of the dashboard":         {key: "agent:main:dashboard:b2", in: true},
		"one that was named":       {key: "agent:main:explicit:plans", in: true},
		"shared main":              {key: "agent:main:main", change: window + "session_scope = 'shared-main'", in: true},
		"a key of no agent":        {key: "main", in: true},
		"an agent called cron":     {key: "agent:cron:main", in: true},
		"by an operator":           {key: "agent:main:x", change: node + "created_via = 'operator', created_actor_type = 'human'", in: true},
		"a fork by the person":     {key: "agent:main:x", change: node + "parent_session_key = 'agent:main:main'", in: true},
		"a group, by its key":      {key: "agent:main:telegram:group:-1001234"},
		"a channel, by its key":    {key: "agent:main:slack:channel:c1"},
		"a room, by its key":       {key: "agent:main:discord:room:9"},
		"a routine, by its key":    {key: "agent:main:cron:nightly"},
		"a bare routine":           {key: "cron:nightly"},
		"a bare hook":              {key: "hook:3f1c"},
		"a hook, by its key":       {key: "agent:main:hook:x"},
		"a helper, by its key":     {key: "agent:main:subagent:0a1b"},
		"another program, by key":  {key: "agent:main:acp:claude:1"},
		"a heartbeat, by its key":  {key: "agent:main:main:heartbeat"},
		"a run of a model":         {key: "agent:main:explicit:model-run-3f1c"},
		"a group, by its scope":    {key: "agent:main:x", change: window + "session_scope = 'group'"},
		"a channel, by its scope":  {key: "agent:main:x", change: window + "session_scope = 'channel'"},
		"a group, by its type":     {key: "agent:main:x", change: window + "chat_type = 'group'"},
		"a room, by its entry":     {key: "agent:main:x", change: node + `entry_json = '{"chatType":"room"}'`},
		"spawned":                  {key: "agent:main:x", change: node + "created_via = 'spawn'"},
		"by a routine":             {key: "agent:main:x", change: node + "created_via = 'cron'"},
		"internal":                 {key: "agent:main:x", change: node + "created_via = 'internal'"},
		"by a plugin":              {key: "agent:main:x", change: node + "created_via = 'plugin'"},
		"by an agent":              {key: "agent:main:x", change: node + "created_actor_type = 'agent'"},
		"by the system":            {key: "agent:main:x", change: node + "created_actor_type = 'system'"},
		"spawned, in the window":   {key: "agent:main:x", change: window + "spawned_by = 'agent:main:main'"},
		"spawned, in the node":     {key: "agent:main:x", change: node + "spawned_by = 'agent:main:main'"},
		"spawned, in the entry":    {key: "agent:main:x", change: node + `entry_json = '{"spawnedBy":"agent:main:main"}'`},
		"what came by mail":        {key: "agent:main:x", change: window + "hook_external_content_source = 'gmail'"},
		"of another program":       {key: "agent:main:x", change: window + "acp_owned = 1"},
		"an entry that is damaged": {key: "agent:main:x", change: node + `entry_json = '{"spawned'`, in: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			db := openClawDB(t, h, openClawPlace)
			if test.change == "" {
				test.change = "SELECT 1"
			}
			openClawChat(t, db, "s", test.key, test.change)
			db.Close()
			if _, in := chatsByKey(t, "openclaw", h)["s"]; in != test.in {
				t.Errorf("in %t, want %t", in, test.in)
			}
		})
	}
}

func TestOpenClawTakesOutWhatTheProgramPutIn(t *testing.T) {
	const begin, end = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
	for in, want := range map[string]string{
		"plain": "plain",
		"[Telegram Dev id:12345 2026-11-18 09:06 UTC] What?\n[message_id: 77]": "What?",
		"[Fri 2026-02-13 17:26 GMT+1] Draft it.":                               "Draft it.",
		"[WebChat] Hi":                                                         "[WebChat] Hi",
		"[WebChat dev] Hi":                                                     "Hi",
		"[Google Chat dev] Hi":                                                 "Hi",
		"[2026-11-18] a day is no time":                                        "[2026-11-18] a day is no time",
		"[x] a box of a list":                                                  "[x] a box of a list",
		"[Telegramme] is a word":                                               "[Telegramme] is a word",
		"[not closed 2026-11-18 09:06":                                         "[not closed 2026-11-18 09:06",
		"[over\n2026-11-18 09:06] two lines":                                   "[over\n2026-11-18 09:06] two lines",
		"before " + begin + "\nx\n" + end + "after":                            "before after",
		begin + "a" + end + begin + "b" + end + "both":                         "both",
		begin + " is not closed":                                               begin + " is not closed",
		"Conversation info: ⟦openclaw:ctx⟧\n```json\n{}\n\n```\n\nSender: ⟦openclaw:ctx⟧\n```json\n{}\n```\n\nAnd?": "And?",
		"Note ⟦openclaw:ctx⟧\nline one\nline two\n\nAnd?":                                                           "And?",
		"Note ⟦openclaw:ctx⟧\n```json\nno end\n\nAnd?":                                                              "And?",
		"Note ⟦openclaw:ctx⟧":                                         "",
		"the mark ⟦openclaw:ctx⟧ inside a line":                       "the mark ⟦openclaw:ctx⟧ inside a line",
		"see [message_id: 7] in a line":                               "see [message_id: 7] in a line",
		"Read HEARTBEAT.md if it exists and more":                     "",
		"[Fri 2026-02-13 17:26 GMT+1] Read HEARTBEAT.md if it exists": "",
		"Pre-compaction memory flush. Store it.":                      "",
		"[Inter-session message] done":                                "",
		"What is HEARTBEAT.md? Read HEARTBEAT.md if it exists":        "What is HEARTBEAT.md? Read HEARTBEAT.md if it exists",
	} {
		if got := openClawPerson(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"NO_REPLY": "", "no_reply": "", " Heartbeat_OK\n": "", "NO_REPLY needed": "NO_REPLY needed"} {
		if got := openClawAnswer(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// treeWords gives what a transcript's active branch says.
func treeWords(lines ...string) *talk {
	t := newOpenClawTree(newIDHash())
	for _, l := range lines {
		t.event(parse([]byte(l)))
	}
	var c talk
	t.give(&c, newMarks(commonMarks()...))
	return &c
}

// openClawLine is a message of a transcript; a parent of "-" is none.
func openClawLine(id, parent, role, text string, more ...string) string {
	m := map[string]any{"type": "message", "message": map[string]any{"role": role, "content": text}}
	if id != "" {
		m["id"] = id
	}
	switch parent {
	case "":
	case "-":
		m["parentId"] = nil
	default:
		m["parentId"] = parent
	}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	b, _ := json.Marshal(m)
	return string(b)
}

func TestOpenClawActiveBranch(t *testing.T) {
	entry := func(kind, id, parent string) string {
		return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%q,"summary":"said by nobody","content":"put in"}`, kind, id, parent)
	}
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"one line": {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "a", "assistant", "2")}, "1 2"},
		"the other branch is left": {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "a", "assistant", "2"), openClawLine("c", "b", "user", "3"),
			openClawLine("d", "b", "user", "4")}, "1 2 4"},
		"the leaf is the last entry of any type": {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "a", "assistant", "2"), openClawLine("c", "b", "user", "3"),
			entry("label", "l", "b")}, "1 2"},
		"a type that is not known is a leaf too":   {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "a", "assistant", "2"), entry("hologram", "l", "a")}, "1"},
		"a parent that is not there":               {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "gone", "assistant", "2"), openClawLine("c", "b", "user", "3")}, "1 2 3"},
		"no ids: each follows the one before":      {[]string{openClawLine("", "", "user", "1"), openClawLine("", "", "assistant", "2"), openClawLine("", "", "user", "3")}, "1 2 3"},
		"an id seen twice is the first":            {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "a", "assistant", "2"), openClawLine("a", "-", "user", "no")}, "1 2"},
		"its own parent":                           {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "b", "assistant", "2")}, "1 2"},
		"a parent that comes later":                {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "c", "assistant", "2"), openClawLine("c", "b", "user", "3")}, "1 2 3"},
		"what lies before a compaction stays":      {[]string{openClawLine("a", "-", "user", "1"), entry("compaction", "k", "a"), openClawLine("b", "k", "assistant", "2")}, "1 2"},
		"what lies before a reset stays":           {[]string{openClawLine("a", "-", "user", "1"), `{"type":"reset","id":"r","parentId":null,"reason":"manual"}`, openClawLine("b", "r", "user", "2")}, "1 2"},
		"put in by an extension":                   {[]string{openClawLine("a", "-", "user", "1"), entry("custom_message", "k", "a"), openClawLine("b", "k", "assistant", "2")}, "1 2"},
		"a leaf sends the branch back":             {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "a", "assistant", "2"), `{"type":"leaf","id":"l","targetId":"a"}`, openClawLine("c", "l", "user", "3")}, "1 3"},
		"a leaf is the end":                        {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "a", "assistant", "2"), `{"type":"leaf","id":"l","targetId":"a"}`}, "1"},
		"a leaf of what is not there":              {[]string{openClawLine("a", "-", "user", "1"), `{"type":"leaf","id":"l","targetId":"z"}`, openClawLine("b", "l", "assistant", "2")}, "1 2"},
		"an entry at the side is not the leaf":     {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "a", "assistant", "2"), openClawLine("s", "a", "user", "side", "appendMode", "side")}, "1 2"},
		"a new root":                               {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "-", "user", "2")}, "2"},
		"damaged lines":                            {[]string{openClawLine("a", "-", "user", "1"), `{"type":"mess`, `[]`, ``, openClawLine("b", "a", "assistant", "2")}, "1 2"},
		"other roles":                              {[]string{openClawLine("a", "-", "user", "1"), openClawLine("b", "a", "toolResult", "no"), openClawLine("c", "b", "bashExecution", "no"), openClawLine("d", "c", "assistant", "2")}, "1 2"},
		"blocks: thinking and calls are not words": {[]string{`{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"thinking","thinking":"no","text":"no"},{"type":"text","text":"1"},{"type":"toolCall","text":"no"}]}}`}, "1"},
		"from another session":                     {[]string{`{"type":"message","id":"a","message":{"role":"user","content":"no","provenance":{"kind":"inter_session"}}}`, `{"type":"message","id":"b","message":{"role":"user","content":"no","provenance":{"kind":"internal_system"}}}`, `{"type":"message","id":"c","message":{"role":"user","content":"1","provenance":{"kind":"external_user"}}}`}, "1"},
		"nothing":                                  {nil, ""},
	} {
		var got []string
		for _, m := range treeWords(test.lines...).words {
			got = append(got, m.text)
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %q, want %q", name, s, test.want)
		}
	}
}

func TestOpenClawFactsOfATranscript(t *testing.T) {
	c := treeWords(
		`{"type":"session","id":"s","timestamp":"2026-11-18T11:06:40.000Z","cwd":"/home/dev/shop"}`,
		`{"type":"session_info","id":"n1","parentId":null,"name":"First"}`,
		`{"type":"message","id":"a","parentId":"n1","timestamp":"2026-11-18T11:06:41.000Z","message":{"role":"assistant","content":"1","model":"m1","timestamp":5}}`,
		`{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":"NO_REPLY","model":"m2","timestamp":1795000002000}}`,
		`{"type":"session_info","id":"n2","parentId":"b","name":"Last"}`)
	if c.Title != "Last" || c.Cwd != "/home/dev/shop" || c.Model != "m1" || len(c.words) != 1 || c.words[0].at != 1795000001000 {
		t.Errorf("chat %+v", c)
	}
}

func TestOpenClawTitle(t *testing.T) {
	const node, window = "UPDATE session_nodes SET ", "UPDATE session_windows SET "
	for want, changes := range map[string][]string{
		"label":          {node + `label = 'label', display_name = 'no', entry_json = '{"label":"no"}'`, window + "display_name = 'no'"},
		"node's name":    {node + `display_name = 'node''s name', entry_json = '{"label":"no"}'`, window + "display_name = 'no'"},
		"window's name":  {node + `entry_json = '{"label":"no"}'`, window + `display_name = 'window''s name'`},
		"entry's label":  {node + `entry_json = '{"label":"entry''s label","displayName":"no"}'`},
		"entry's name":   {node + `entry_json = '{"displayName":"entry''s name"}'`},
		"the transcript": nil,
	} {
		h := madeHome(t)
		db := openClawDB(t, h, openClawPlace)
		openClawChat(t, db, "s", "agent:main:main", changes...)
		openClawEvent(t, db, "s", 2, `{"type":"session_info","id":"n","parentId":"e1","name":"the transcript"}`)
		db.Close()
		if got := chatsByKey(t, "openclaw", h)["s"].title; got != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
}

func TestOpenClawSqueezedEvents(t *testing.T) {
	h := madeHome(t)
	db := openClawDB(t, h, openClawPlace)
	openClawChat(t, db, "s", "agent:main:main")
	event := func(seq int, zstd []byte) {
		fill(t, db, row{"transcript_events", []any{"s", seq, nil, openClawAt, zstd}})
	}
	event(2, squeeze(t, openClawLine("e2", "e1", "assistant", "squeezed")))
	event(3, squeeze(t, `{"type":"message","id":"e3",`, `"parentId":"e2","message":{"role":"user","content":"in two frames"}}`))
	event(4, []byte("no zstd"))
	event(5, squeeze(t, openClawLine("e5", "e3", "user", strings.Repeat("x", 5000)))[:60])
	event(6, squeeze(t, openClawLine("e6", "e3", "user", strings.Repeat("x", maxRow))))
	event(7, nil)
	event(8, squeeze(t, openClawLine("e8", "e6", "assistant", "the last")))
	db.Close()
	c := chatsByKey(t, "openclaw", h)["s"]
	sayExactly(t, c, "> hi", "< squeezed", "> in two frames", "< the last")
	if !c.damaged {
		t.Error("what was dropped is not told")
	}
}

// openClawArchived is a cold archive's lines.
func openClawArchived(events ...string) string {
	lines := []string{`{"kind":"header","version":1,"sessionId":"s"}`}
	for i, e := range events {
		b, _ := json.Marshal(map[string]any{"kind": "event", "row": map[string]any{"seq": i, "event_json": e, "created_at": openClawAt}})
		lines = append(lines, string(b))
	}
	return strings.Join(append(lines, `{"kind":"active","row":{"active_position":0,"event_seq":1}}`, `{"kind":"fts","row":{"text":"words again"}}`, ""), "\n")
}

func TestOpenClawArchives(t *testing.T) {
	name := strings.Repeat("0123456789abcdef", 4) + ".jsonl.zst"
	lines := openClawArchived(openClawLine("a1", "-", "user", "archived"), openClawLine("a2", "a1", "assistant", "yes"))
	for _, test := range []struct {
		title, name, storage string
		blob                 []byte
		file                 []byte
		want                 []string
		damaged              bool
	}{
		{"in a file", name, "file", nil, squeeze(t, lines), []string{"> archived", "< yes", "> hi"}, false},
		{"in a row", name, "sqlite", squeeze(t, lines), nil, []string{"> archived", "< yes", "> hi"}, false},
		{"in several frames", name, "sqlite", squeeze(t, lines[:100], lines[100:]), nil, []string{"> archived", "< yes", "> hi"}, false},
		{"a file that is gone", name, "file", nil, nil, []string{"> hi"}, true},
		{"a name that leads out", "../../../../../secret.jsonl.zst", "file", nil, squeeze(t, lines), []string{"> hi"}, true},
		{"a name of another form", "x.jsonl.zst", "file", nil, squeeze(t, lines), []string{"> hi"}, true},
		{"no zstd", name, "sqlite", []byte("noise"), nil, []string{"> hi"}, true},
		{"nothing", name, "sqlite", nil, nil, []string{"> hi"}, false},
		{"a line that is damaged", name, "sqlite", squeeze(t, `{"kind":"ev`+"\n"+lines), nil, []string{"> archived", "< yes", "> hi"}, true},
	} {
		t.Run(test.title, func(t *testing.T) {
			h := madeHome(t)
			db := openClawDB(t, h, openClawPlace)
			openClawChat(t, db, "s", "agent:main:main", "UPDATE transcript_events SET event_json = replace(event_json, 'null', '\"a2\"')")
			fill(t, db, row{"session_transcript_cold_archives", []any{"s", test.name, 2, openClawAt, test.storage, test.blob}})
			db.Close()
			if test.file != nil {
				put(t, filepath.Join(h.Dir, ".openclaw/agents/main/sessions/cold", filepath.Base(test.name)), string(test.file))
				put(t, filepath.Join(h.Dir, ".openclaw/secret.jsonl.zst"), string(test.file))
				put(t, filepath.Join(h.Dir, "secret.jsonl.zst"), string(test.file))
			}
			c := chatsByKey(t, "openclaw", h)["s"]
			sayExactly(t, c, test.want...)
			if c.damaged != test.damaged {
				t.Errorf("damaged %t, want %t", c.damaged, test.damaged)
			}
		})
	}
}

// R-111-12: a cut-off frame keeps what came before it.
func TestOpenClawArchiveThatIsCutOff(t *testing.T) {
	h := madeHome(t)
	db := openClawDB(t, h, openClawPlace)
	openClawChat(t, db, "s", "agent:main:main", "DELETE FROM transcript_events")
	first := openClawArchived(openClawLine("a1", "-", "user", "before the cut"))
	second := squeeze(t, openClawArchived(openClawLine("a2", "a1", "assistant", strings.Repeat("behind it ", 500))))
	blob := append(squeeze(t, first), second[:len(second)/2]...)
	fill(t, db, row{"session_transcript_cold_archives", []any{"s", strings.Repeat("0", 64) + ".jsonl.zst", 2, openClawAt, "sqlite", blob}})
	db.Close()
	c := chatsByKey(t, "openclaw", h)["s"]
	sayExactly(t, c, "> before the cut")
	if !c.damaged {
		t.Error("the cut is not told")
	}
}

func TestOpenClawWindowsOfOneKeyAreChatsOfTheirOwn(t *testing.T) {
	h := madeHome(t)
	db := openClawDB(t, h, openClawPlace)
	openClawChat(t, db, "tuesday", "agent:main:daily",
		"INSERT INTO session_windows (session_id, session_key, created_at, updated_at) VALUES ('monday', 'agent:main:daily', 1795000000000, 1795000001000)")
	openClawEvent(t, db, "monday", 0, openClawLine("a", "-", "user", "Monday?"))
	db.Close()
	got := chatsByKey(t, "openclaw", h)
	sayExactly(t, got["monday"], "> Monday?")
	sayExactly(t, got["tuesday"], "> hi")
}

func TestOpenClawFiles(t *testing.T) {
	chat := func(texts ...string) string {
		lines := []string{`{"type":"session","id":"x","timestamp":"2026-02-13T16:26:40.000Z","cwd":"/home/dev/work"}`}
		parent := "-"
		for i, text := range texts {
			id := fmt.Sprint(text, i)
			lines = append(lines, openClawLine(id, parent, "user", text, "timestamp", fmt.Sprintf("2026-02-13T16:27:0%d.000Z", i)))
			parent = id
		}
		return strings.Join(lines, "\n") + "\n"
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  map[string][]string
	}{
		"a chat": {map[string]string{"x.jsonl": chat("1", "2")}, map[string][]string{"x": {"> 1", "> 2"}}},
		"what was rotated away by resets comes first, what was deleted never": {map[string]string{
			"x.jsonl": chat("3"), "x.jsonl.reset.2026-02-13T00-00-00.000Z": chat("2"), "x.jsonl.reset.2026-02-12T00-00-00.000Z": chat("1"),
			"x.jsonl.deleted.2026-02-11T00-00-00.000Z": chat("no"), "y.jsonl.deleted.2026-02-11T00-00-00.000Z": chat("no"), "x.jsonl.full.bak": chat("no"), "x.trajectory.jsonl": chat("no"), "x.jsonl.bak": chat("no"),
		}, map[string][]string{"x": {"> 1", "> 2", "> 3"}}},
		"a reset that was copied on": {map[string]string{"x.jsonl": chat("1", "2"), "x.jsonl.reset.2026": chat("1")}, map[string][]string{"x": {"> 1", "> 2"}}},
		"the index tells whose they are": {map[string]string{
			"a.jsonl": chat("1"), "b.jsonl": chat("2"), "c.jsonl": chat("3"), "d.jsonl": chat("4"), "e.jsonl": chat("5"),
			"sessions.json": `{"agent:m:main":{"sessionId":"a","label":"Named"},"agent:m:whatsapp:group:1":{"sessionId":"b"},"agent:m:x":{"sessionId":"c","chatType":"room"},"agent:m:y":{"sessionId":"d","spawnedBy":"z"},"__proto__":{"sessionId":"e"},"agent:m:gone":{"sessionId":"gone"},"agent:m:odd":7}`,
		}, map[string][]string{"a": {"> 1"}, "e": {"> 5"}}},
		"an index that is cut off: a group it names stays out": {map[string]string{
			"a.jsonl": chat("1"), "b.jsonl": chat("2"), "sessions.json": `{"agent:m:group:1":{"sessionId":"a"},"agent:m:group:2":{"sess`,
		}, map[string][]string{"b": {"> 2"}}},
		"a torn last line": {map[string]string{"x.jsonl": chat("1") + `{"type":"message","id":"cu`}, map[string][]string{"x": {"> 1"}}},
		"no header":        {map[string]string{"x.jsonl": openClawLine("a", "-", "user", "1")}, map[string][]string{"x": {"> 1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			h.OS = "linux"
			for name, text := range test.files {
				put(t, filepath.Join(h.Dir, ".openclaw/agents/m/sessions", name), text)
			}
			got := chatsByKey(t, "openclaw", h)
			for key, want := range test.want {
				sayExactly(t, got[key], want...)
			}
			if len(got) != len(test.want) {
				t.Errorf("%d chats, want %d: %v", len(got), len(test.want), got)
			}
		})
	}
}

func TestOpenClawChatInADatabaseAndInAFileIsTheDatabases(t *testing.T) {
	h := madeHome(t)
	db := openClawDB(t, h, openClawPlace)
	openClawChat(t, db, "s", "agent:main:main")
	openClawChat(t, db, "group", "agent:main:telegram:group:1")
	db.Close()
	for _, id := range []string{"s", "group"} {
		put(t, filepath.Join(h.Dir, ".openclaw/agents/main/sessions", id+".jsonl"), openClawLine("a", "-", "user", "of a file"))
	}
	got := chatsByKey(t, "openclaw", h)
	sayExactly(t, got["s"], "> hi")
	if len(got) != 1 {
		t.Errorf("chats %v", got)
	}
}

// R-111-3, R-111-26: the state folder and the names of agents.
func TestOpenClawPlaces(t *testing.T) {
	elsewhere := t.TempDir()
	long := strings.Repeat("a", 65)
	for _, test := range []struct {
		name string
		env  map[string]string
		put  []string // folders with an agent "m" that has a chat
		want []string
	}{
		{"the usual folder", nil, []string{".openclaw"}, []string{".openclaw"}},
		{"older names", nil, []string{".clawdbot", ".moltbot"}, []string{".clawdbot", ".moltbot"}},
		{"all that are there", nil, []string{".openclaw", ".clawdbot"}, []string{".openclaw", ".clawdbot"}},
		{"OPENCLAW_STATE_DIR", map[string]string{"OPENCLAW_STATE_DIR": elsewhere + "/state"}, []string{elsewhere + "/state", ".openclaw"}, []string{elsewhere + "/state"}},
		{"OPENCLAW_STATE_DIR from the home", map[string]string{"OPENCLAW_STATE_DIR": "~/claw"}, []string{"claw", ".openclaw"}, []string{"claw"}},
		{"OPENCLAW_HOME", map[string]string{"OPENCLAW_HOME": elsewhere + "/h"}, []string{elsewhere + "/h/.openclaw", ".openclaw"}, []string{elsewhere + "/h/.openclaw"}},
		{"OPENCLAW_PROFILE", map[string]string{"OPENCLAW_PROFILE": "work"}, []string{".openclaw-work", ".openclaw-other", ".openclaw"}, []string{".openclaw-work", ".openclaw"}},
		{"OPENCLAW_PROFILE that leads out", map[string]string{"OPENCLAW_PROFILE": "../x"}, []string{".openclaw"}, []string{".openclaw"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := withEnv(t, test.env)
			at := func(p string) string {
				if filepath.IsAbs(p) {
					return p
				}
				return filepath.Join(h.Dir, p)
			}
			for i, p := range test.put {
				put(t, filepath.Join(at(p), "agents/m/sessions", fmt.Sprintf("x%d.jsonl", i)), openClawLine("a", "-", "user", "hi"))
				for _, bad := range []string{"a.b", long, "a b", "ä"} {
					put(t, filepath.Join(at(p), "agents", bad, "sessions/no.jsonl"), openClawLine("a", "-", "user", "no"))
				}
				put(t, filepath.Join(at(p), "workspace/agents/m/sessions/no.jsonl"), openClawLine("a", "-", "user", "no"))
			}
			got := map[string]bool{}
			for _, c := range readAll(t, "openclaw", h) {
				got[strings.TrimSuffix(filepath.Dir(c.file.Path), filepath.FromSlash("/agents/m/sessions"))] = true
			}
			for _, p := range test.want {
				if !got[at(p)] {
					t.Errorf("%s was not read", p)
				}
			}
			if len(got) != len(test.want) {
				t.Errorf("read %v, want %v", got, test.want)
			}
		})
	}
}

func TestOpenClawSchemasAndColumnsThatAreMissing(t *testing.T) {
	const event = `{"type":"message","id":"e","parentId":null,"message":{"role":"user","content":"hi"}}`
	for name, test := range map[string]struct {
		tables []string
		want   []string
	}{
		"schema 4": {[]string{"CREATE TABLE sessions (session_id, session_key, created_at, updated_at)", "CREATE TABLE session_entries (session_key, session_id, entry_json, updated_at)", "CREATE TABLE transcript_events (session_id, seq, event_json, created_at)",
			"INSERT INTO sessions VALUES ('s', 'agent:m:main', 1784000000000, 1784000009000)", "INSERT INTO session_entries VALUES ('agent:m:main', 's', '{\"displayName\":\"Named\"}', 1)", "INSERT INTO transcript_events VALUES ('s', 0, '" + event + "', 1)"}, []string{"> hi"}},
		"a helper of schema 4": {[]string{"CREATE TABLE sessions (session_id, session_key, spawned_by)", "CREATE TABLE transcript_events (session_id, seq, event_json)",
			"INSERT INTO sessions VALUES ('s', 'agent:m:x', 'agent:m:main')", "INSERT INTO transcript_events VALUES ('s', 0, '" + event + "')"}, nil},
		"windows without nodes": {[]string{"CREATE TABLE session_windows (session_id, session_key)", "CREATE TABLE transcript_events (session_id, seq, event_json)",
			"INSERT INTO session_windows VALUES ('s', 'agent:m:main')", "INSERT INTO transcript_events VALUES ('s', 0, '" + event + "')"}, []string{"> hi"}},
		"windows without keys": {[]string{"CREATE TABLE session_windows (session_id)", "CREATE TABLE session_nodes (session_key, label)", "CREATE TABLE transcript_events (session_id, seq, event_json)",
			"INSERT INTO session_windows VALUES ('s')", "INSERT INTO transcript_events VALUES ('s', 0, '" + event + "')"}, []string{"> hi"}},
		"windows without events": {[]string{"CREATE TABLE session_windows (session_id)", "INSERT INTO session_windows VALUES ('s')"}, nil},
		"events without texts": {[]string{"CREATE TABLE session_windows (session_id)", "CREATE TABLE transcript_events (session_id, seq)",
			"INSERT INTO session_windows VALUES ('s')", "INSERT INTO transcript_events VALUES ('s', 0)"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			h.OS = "linux"
			written(t, filepath.Join(h.Dir, openClawPlace), test.tables...).Close()
			sayExactly(t, chatsByKey(t, "openclaw", h)["s"], test.want...)
		})
	}
}

func TestOpenClawChatIsFreshWhenItHasNewEvents(t *testing.T) {
	h := madeHome(t)
	db := openClawDB(t, h, openClawPlace)
	openClawChat(t, db, "s", "agent:main:main")
	last := lookFor(t, "openclaw", h, "s")
	if last.Project != "work" || last.Count != 2 || last.Size != 0 {
		t.Errorf("file %+v", last)
	}
	for _, change := range []string{
		"INSERT INTO transcript_events VALUES ('s', 2, '{}', 1, NULL)",
		"UPDATE transcript_events SET created_at = 1799000000000 WHERE seq = 2",
		"UPDATE session_windows SET updated_at = 1799500000000",
		"INSERT INTO session_transcript_cold_archives VALUES ('s', 'x', 7, 1, 'file', NULL)",
	} {
		run(t, db, change)
		now := lookFor(t, "openclaw", h, "s")
		if now.Count == last.Count && now.MTime == last.MTime {
			t.Errorf("%s: not seen", change)
		}
		last = now
	}
}

func TestOpenClawWhileItWrites(t *testing.T) {
	h := madeHome(t)
	h.OS = "linux"
	db := written(t, filepath.Join(h.Dir, openClawPlace), append([]string{"PRAGMA journal_mode=WAL"}, openClawTables...)...)
	openClawChat(t, db, "s", "agent:main:main", "BEGIN IMMEDIATE")
	openClawEvent(t, db, "s", 2, openClawLine("e2", "e1", "assistant", "not yet"))
	before := tree(t, h.Dir)
	sayExactly(t, chatsByKey(t, "openclaw", h)["s"], "> hi")
	sameTree(t, h.Dir, before)
	run(t, db, "COMMIT")
	sayExactly(t, chatsByKey(t, "openclaw", h)["s"], "> hi", "< not yet")
}
