package pastchats

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The fixtures' times without a zone are read as UTC on every machine.
func init() { time.Local = time.UTC }

// hermesTables are Hermes' in the shape of schema 30, as far as they matter.
var hermesTables = []string{
	"PRAGMA synchronous = OFF",
	`CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, model_config TEXT, parent_session_id TEXT, started_at REAL, ended_at REAL, end_reason TEXT,
		title TEXT, cwd TEXT, chat_type TEXT, last_activity_at REAL, hidden INTEGER)`,
	`CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0,
		_compressed_summary INTEGER DEFAULT 0, display_kind TEXT, codex_message_items TEXT)`,
	`CREATE INDEX idx_messages_session ON messages (session_id, timestamp)`,
}

const (
	hermesPlace = ".hermes/state.db"
	hermesAt    = 1780000000.0
)

func hermesDB(t testing.TB, h *Home, rel string) *sql.DB {
	t.Helper()
	h.OS = "linux"
	return written(t, filepath.Join(h.Dir, rel), hermesTables...)
}

// hermesS is a session to be written.
type hermesS struct {
	id, source, config, parent, endReason, title, cwd, chatType, model string
	started, ended                                                     float64
	hidden                                                             int
}

func (s hermesS) row() row {
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	var ended any
	if s.ended != 0 {
		ended = s.ended
	}
	if s.source == "" {
		s.source = "cli"
	}
	return row{"sessions", []any{s.id, s.source, null(s.model), null(s.config), null(s.parent), hermesAt + s.started, ended, null(s.endReason),
		null(s.title), null(s.cwd), null(s.chatType), nil, s.hidden}}
}

// hermesM is a message to be written; its defaults are a live message of now.
type hermesM struct {
	id              int
	session, role   string
	content, at     any
	active, summary int // 0: the usual
	compacted       int
	kind, items     any
}

func (m hermesM) row() row {
	active := 1
	if m.active < 0 {
		active = 0
	}
	if m.session == "" {
		m.session = "s"
	}
	if m.at == nil {
		m.at = hermesAt + float64(m.id)
	}
	return row{"messages", []any{m.id, m.session, m.role, m.content, m.at, active, m.compacted, m.summary, m.kind, m.items}}
}

func TestHermesTakesWhatWasSaid(t *testing.T) {
	user := func(id int, text string) hermesM { return hermesM{id: id, role: "user", content: text} }
	answer := func(id int, text string) hermesM { return hermesM{id: id, role: "assistant", content: text} }
	items := func(s string) string { return s }
	for _, test := range []struct {
		name     string
		messages []hermesM
		want     []string
		damaged  bool
	}{
		{name: "rewound is out, archived by a compaction is in", messages: []hermesM{
			{id: 1, role: "user", content: "one", active: -1, compacted: 1}, {id: 2, role: "user", content: "rewound", active: -1}, user(3, "two"),
		}, want: []string{"> one", "> two"}},
		{name: "order is by time, then by id", messages: []hermesM{
			{id: 1, role: "user", content: "last", at: hermesAt + 9}, {id: 2, role: "user", content: "first", at: hermesAt}, {id: 3, role: "assistant", content: "second", at: hermesAt},
		}, want: []string{"> first", "< second", "> last"}},
		{name: "order is by id when a time is unusable", messages: []hermesM{
			{id: 1, role: "user", content: "one", at: 5e246}, {id: 2, role: "assistant", content: "two", at: hermesAt}, {id: 3, role: "user", content: "three", at: hermesAt - 50},
		}, want: []string{"> one", "< two", "> three"}},
		{name: "order is by id when a time is text, of a tool", messages: []hermesM{
			{id: 1, role: "user", content: "one", at: hermesAt + 9}, {id: 2, role: "tool", content: "out", at: "yesterday"}, {id: 3, role: "user", content: "two", at: hermesAt},
		}, want: []string{"> one", "> two"}},
		{name: "a copy is the same words of the same time; the same words later are said again", messages: []hermesM{
			{id: 1, role: "user", content: "go on", at: hermesAt}, {id: 2, role: "assistant", content: "yes", at: hermesAt + 1},
			{id: 3, role: "user", content: "go on", at: hermesAt}, {id: 4, role: "assistant", content: "yes", at: hermesAt + 1}, {id: 5, role: "user", content: "go on", at: hermesAt + 2},
		}, want: []string{"> go on", "< yes", "> go on"}},
		{name: "other roles and what is hidden stay out", messages: []hermesM{
			user(1, "one"), {id: 2, role: "tool", content: "out"}, {id: 3, role: "system", content: "no"}, {id: 4, role: "session_meta", content: "no"},
			{id: 5, role: "user", content: "hidden", kind: "hidden"}, {id: 6, role: "assistant", content: "hidden", kind: "hidden"}, {id: 7, role: "user", content: "now m2", kind: "model_switch"},
			{id: 8, role: "assistant", content: "shown", kind: "async_delegation_complete"}, {id: 9, role: "assistant", content: "a summary", summary: 1},
		}, want: []string{"> one", "< shown"}},
		{name: "text after a NUL is a list of parts", messages: []hermesM{
			{id: 1, role: "user", content: "\x00json:" + `[{"type":"text","text":"What is on"},{"type":"image_url","image_url":{"url":"data:"}},{"type":"text","text":"this?"}]`},
			{id: 2, role: "assistant", content: "A\x00receipt."}, {id: 3, role: "user", content: "\x00json:[{\"type\":\"te"},
		}, want: []string{"> What is on\n\nthis?", "< A\x00receipt."}},
		{name: "an answer that is only in its items, without thinking aloud", messages: []hermesM{
			{id: 1, role: "assistant", content: " ", items: items(`[{"type":"reasoning","content":[{"type":"text","text":"no"}]},{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"Looking."}]},{"type":"message","phase":"analysis","content":[{"type":"output_text","text":"Hm."}]},{"type":"message","phase":"final","content":[{"type":"output_text","text":"It is"}]},{"type":"message","content":[{"type":"output_text","text":"done."}]}]`)},
			{id: 2, role: "assistant", content: nil, items: items(`[{"type":"message","phase":"final_answer","content":[{"type":"output_text","text":"Yes."}]}]`)},
			{id: 3, role: "assistant", content: "The content counts.", items: items(`[{"type":"message","content":[{"type":"output_text","text":"not this"}]}]`)},
			{id: 4, role: "user", content: "", items: items(`[{"type":"message","content":[{"type":"output_text","text":"not the person's"}]}]`)},
		}, want: []string{"< It is\n\ndone.", "< Yes.", "< The content counts."}},
		{name: "what the program says in the person's name", messages: []hermesM{
			user(1, "[CONTEXT COMPACTION — REFERENCE ONLY] x"), answer(2, "[CONTEXT SUMMARY]: x"), answer(3, "[PRIOR CONTEXT x"),
			user(4, "[IMPORTANT: Background process p exited]"), user(5, "[ASYNC DELEGATION x"), user(6, "[System note: x]"), user(7, "[SYSTEM: x]"),
			user(8, "[Your active task list was preserved x"), user(9, "[Continuing toward your standing goal] x"), user(10, "[a bracket of the person's] stays"),
			user(11, "[OUT-OF-BAND USER MESSAGE] stays too"),
		}, want: []string{"> [a bracket of the person's] stays", "> [OUT-OF-BAND USER MESSAGE] stays too"}},
		{name: "the person's part of a skill", messages: []hermesM{
			user(1, "[IMPORTANT: The user has invoked the \"invoice\" skill]\n\ntext\n\nThe user has provided the following instruction alongside the skill invocation: Read the amounts.\n\n[Runtime note: x]"),
			user(2, "[SYSTEM: The user has invoked the \"x\" skill]\n\nThe user has provided the following instruction alongside the skill invocation: And add them.\nAll."),
			user(3, "[IMPORTANT: The user has invoked the \"quiet\" skill]\n\ntext"),
		}, want: []string{"> Read the amounts.", "> And add them.\nAll."}},
		{name: "a review of its own, and the answer right after it", messages: []hermesM{
			user(1, "one"), answer(2, "two"), user(3, "Review the conversation above and consider saving to memory."), answer(4, "Saved."), answer(5, "Still here."),
			user(6, "Review the conversation above and update the skill library."), user(7, "three"), answer(8, "four"),
		}, want: []string{"> one", "< two", "< Still here.", "> three", "< four"}},
		{name: "a routine's run is nobody's chat", messages: []hermesM{
			user(1, "[IMPORTANT: You are running as a scheduled cron job. Report.]"), answer(2, "report"),
		}},
		{name: "blocks of the program", messages: []hermesM{user(1, "<system-reminder>x</system-reminder>yes"), user(2, "<environment_context>x</environment_context>")}, want: []string{"> yes"}},
		{name: "a huge message is passed over", messages: []hermesM{user(1, "one"), user(2, strings.Repeat("x", hermesRow+1)), user(3, "three")}, want: []string{"> one", "> three"}, damaged: true},
		{name: "blank, NULL and numbers", messages: []hermesM{{id: 1, role: "user"}, user(2, "  \n "), {id: 3, role: "user", content: 7}, {id: 4, role: "user", content: []byte("blob")}}, want: []string{"> 7", "> blob"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := madeHome(t)
			db := hermesDB(t, h, hermesPlace)
			fill(t, db, hermesS{id: "s"}.row())
			for _, m := range test.messages {
				fill(t, db, m.row())
			}
			db.Close()
			c := chatsByKey(t, "hermes", h)["s"]
			sayExactly(t, c, test.want...)
			if c.damaged != test.damaged {
				t.Errorf("damaged %t, want %t", c.damaged, test.damaged)
			}
		})
	}
}

func TestHermesWhoseChat(t *testing.T) {
	parent := hermesS{id: "parent", endReason: "exit"}
	for name, test := range map[string]struct {
		s  hermesS
		in bool
	}{
		"a terminal's":                   {hermesS{source: "tui"}, true},
		"a messenger's":                  {hermesS{source: "telegram", chatType: "dm"}, true},
		"of a source that is not known":  {hermesS{source: "hologram"}, true},
		"a routine's":                    {hermesS{source: "cron"}, false},
		"a helper's":                     {hermesS{source: "subagent"}, false},
		"a board's":                      {hermesS{source: "kanban"}, false},
		"a batch's":                      {hermesS{source: "batch"}, false},
		"a tool's":                       {hermesS{source: "tool"}, false},
		"a webhook's":                    {hermesS{source: "webhook"}, false},
		"a group's":                      {hermesS{source: "telegram", chatType: "group"}, false},
		"a channel's":                    {hermesS{source: "discord", chatType: "channel"}, false},
		"a thread's":                     {hermesS{source: "slack", chatType: "thread"}, false},
		"hidden":                         {hermesS{hidden: 1}, false},
		"delegated":                      {hermesS{config: `{"_delegate_from":"parent"}`}, false},
		"a child":                        {hermesS{parent: "parent"}, false},
		"a child of one that is gone":    {hermesS{parent: "gone"}, false},
		"a branch":                       {hermesS{parent: "parent", config: `{"_branched_from":"parent"}`}, true},
		"a reset":                        {hermesS{parent: "parent", config: `{"_reset_from":"parent"}`}, true},
		"a branch of a helper":           {hermesS{source: "subagent", parent: "parent", config: `{"_branched_from":"parent"}`}, false},
		"with settings that are damaged": {hermesS{config: `{"_delegate_from":`}, true},
		"with a mark that is null":       {hermesS{config: `{"_delegate_from":null}`}, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			db := hermesDB(t, h, hermesPlace)
			test.s.id = "s"
			fill(t, db, parent.row(), test.s.row(), hermesM{id: 1, role: "user", content: "hi"}.row())
			db.Close()
			if _, in := chatsByKey(t, "hermes", h)["s"]; in != test.in {
				t.Errorf("in %t, want %t", in, test.in)
			}
		})
	}
}

// A chat that goes on after a compression is one chat: id, start and first title
// of the root, model and end of the last.
func TestHermesChatThatGoesOnIsOne(t *testing.T) {
	h := madeHome(t)
	db := hermesDB(t, h, hermesPlace)
	fill(t, db,
		hermesS{id: "root", endReason: "compression", model: "m1", cwd: "/home/dev/shop", ended: hermesAt + 10}.row(),
		hermesS{id: "second", parent: "root", endReason: "compression", title: "Checkout", model: "m2", started: 10, ended: hermesAt + 20}.row(),
		hermesS{id: "third", parent: "second", title: "Checkout #2", started: 20, ended: hermesAt + 30}.row(),
		hermesS{id: "branch", parent: "root", config: `{"_branched_from":"root"}`, title: "Aside", started: 11}.row(),
		hermesS{id: "helper", parent: "root", source: "subagent", started: 12}.row(),
		hermesS{id: "delegated", parent: "second", config: `{"_delegate_from":"second"}`, started: 12}.row())
	n := 0
	say := func(session, role, text string) {
		n++
		fill(t, db, hermesM{id: n, session: session, role: role, content: text}.row())
	}
	say("root", "user", "one")
	say("root", "assistant", "two")
	say("second", "user", "[CONTEXT COMPACTION — REFERENCE ONLY] x")
	say("second", "user", "one")
	say("second", "assistant", "two")
	say("second", "user", "three")
	say("third", "user", "three")
	say("third", "assistant", "four")
	for _, other := range []string{"branch", "helper", "delegated"} {
		say(other, "user", "said in "+other)
	}
	db.Close()
	got := chatsByKey(t, "hermes", h)
	c := got["root"]
	sayExactly(t, c, "> one", "< two", "> three", "< four")
	sayExactly(t, got["branch"], "> said in branch")
	if len(got) != 2 {
		t.Errorf("%d chats: %v", len(got), got)
	}
	if c.title != "Checkout" || c.model != "m2" || c.project != "shop" || c.started != int64(hermesAt)*1000 || c.updated != int64(hermesAt+30)*1000 {
		t.Errorf("the chat: %+v", c)
	}
	if f := lookFor(t, "hermes", h, "root"); f.Count != 8 || f.MTime != int64(hermesAt+30)*1e9 {
		t.Errorf("the file: %+v", f)
	}
}

func TestHermesRepeatedWordsOfAContinuation(t *testing.T) {
	said := func(words string) (out []message) {
		for _, w := range strings.Fields(words) {
			out = append(out, message{role: User, text: w})
		}
		return out
	}
	for _, test := range []struct {
		before, next string
		want         int
	}{
		{"a b c", "b c d", 2}, {"a b c", "c d", 1}, {"a b c", "a b c d", 3}, {"a b c", "d e", 0}, {"", "a", 0}, {"a", "", 0},
		{"a a a", "a a b", 2}, {"a b a b", "a b a b a", 4}, {"b c", "a b c", 0}, {"a b c", "c", 1}, {"a a a a", "a a", 2}, {"x a b a c", "a b a c a b", 4}, {"a b", "a b", 2},
	} {
		if got := repeated(said(test.before), said(test.next)); got != test.want {
			t.Errorf("%q then %q: %d, want %d", test.before, test.next, got, test.want)
		}
	}
	if got := repeated([]message{{role: User, text: "a"}}, []message{{role: Assistant, text: "a"}}); got != 0 {
		t.Error("the same words of another are not the same")
	}
}

func TestHermesChainsThatTurnInCircles(t *testing.T) {
	h := madeHome(t)
	db := hermesDB(t, h, hermesPlace)
	fill(t, db, hermesS{id: "a", parent: "b", endReason: "compression"}.row(), hermesS{id: "b", parent: "a", endReason: "compression"}.row(),
		hermesS{id: "c", parent: "c", endReason: "compression"}.row(), hermesS{id: "ok"}.row(),
		hermesM{id: 1, session: "ok", role: "user", content: "hi"}.row())
	db.Close()
	if got := chatsByKey(t, "hermes", h); len(got) != 1 {
		t.Errorf("chats %v", got)
	}
}

// A folder counts only where the person chose it: that of a gateway is its own.
func TestHermesFolder(t *testing.T) {
	for source, want := range map[string]string{"cli": "shop", "tui": "shop", "acp": "shop", "desktop": "shop", "telegram": "", "discord": ""} {
		h := madeHome(t)
		db := hermesDB(t, h, hermesPlace)
		fill(t, db, hermesS{id: "s", source: source, cwd: "/home/dev/shop"}.row(), hermesM{id: 1, role: "user", content: "hi"}.row())
		db.Close()
		if got := chatsByKey(t, "hermes", h)["s"].project; got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

func TestHermesTimes(t *testing.T) {
	for _, test := range []struct {
		name                string
		ended, active, last any
		want                int64
	}{
		{"ended", hermesAt + 50, hermesAt + 40, hermesAt + 30, int64(hermesAt+50) * 1000},
		{"not ended", nil, hermesAt + 40, hermesAt + 30, int64(hermesAt+40) * 1000},
		{"nothing but messages", nil, nil, hermesAt + 30.25, int64(hermesAt)*1000 + 30250},
		{"garbage", 5e246, "yesterday", -1e9, int64(hermesAt) * 1000},
	} {
		h := madeHome(t)
		db := hermesDB(t, h, hermesPlace)
		s := hermesS{id: "s"}.row()
		s.cols[6], s.cols[11] = test.ended, test.active
		fill(t, db, s, hermesM{id: 1, role: "user", content: "hi", at: test.last}.row())
		db.Close()
		if got := chatsByKey(t, "hermes", h)["s"]; got.updated != test.want || got.started != int64(hermesAt)*1000 {
			t.Errorf("%s: updated %d, want %d; started %d", test.name, got.updated, test.want, got.started)
		}
	}
}

// R-111-3: where its databases lie.
func TestHermesPlaces(t *testing.T) {
	elsewhere := t.TempDir()
	for _, test := range []struct {
		name, os string
		env      map[string]string
		put      []string // below the home, or a path
		want     []string // which of them are read
	}{
		{"the usual folder and its profiles", "linux", nil, []string{".hermes/state.db", ".hermes/profiles/coder/state.db", ".hermes/profiles/x/y/state.db", ".hermes/other/state.db"}, []string{".hermes/state.db", ".hermes/profiles/coder/state.db"}},
		{"Windows", "windows", nil, []string{"AppData/Local/hermes/state.db", ".hermes/state.db"}, []string{"AppData/Local/hermes/state.db"}},
		{"Windows, LOCALAPPDATA", "windows", map[string]string{"LOCALAPPDATA": elsewhere}, []string{elsewhere + "/hermes/state.db", "AppData/Local/hermes/state.db"}, []string{elsewhere + "/hermes/state.db"}},
		{"HERMES_HOME", "linux", map[string]string{"HERMES_HOME": elsewhere + "/h"}, []string{elsewhere + "/h/state.db", elsewhere + "/h/profiles/p/state.db", ".hermes/state.db"}, []string{elsewhere + "/h/state.db", elsewhere + "/h/profiles/p/state.db"}},
		{"HERMES_HOME is one of several profiles", "linux", map[string]string{"HERMES_HOME": elsewhere + "/r/profiles/one"},
			[]string{elsewhere + "/r/state.db", elsewhere + "/r/profiles/one/state.db", elsewhere + "/r/profiles/two/state.db"}, []string{elsewhere + "/r/state.db", elsewhere + "/r/profiles/one/state.db", elsewhere + "/r/profiles/two/state.db"}},
		{"a profile that is not there", "linux", map[string]string{"HERMES_HOME": elsewhere + "/none"}, []string{".hermes/state.db"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := withEnv(t, test.env)
			h.OS = test.os
			at := func(p string) string {
				if filepath.IsAbs(p) {
					return p
				}
				return filepath.Join(h.Dir, p)
			}
			for i, p := range test.put {
				id := fmt.Sprint("s", i)
				db := written(t, at(p), hermesTables...)
				fill(t, db, hermesS{id: id}.row(), hermesM{id: 1, session: id, role: "user", content: "hi"}.row())
				db.Close()
			}
			got := map[string]bool{}
			for _, c := range readAll(t, "hermes", h) {
				got[c.file.Path] = true
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

func TestHermesColumnsAndTablesThatAreMissing(t *testing.T) {
	for name, test := range map[string]struct {
		tables []string
		want   []string
	}{
		"schema 1":         {[]string{"CREATE TABLE sessions (id, source, started_at)", "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content, timestamp)"}, []string{"> hi", "< hello"}},
		"no time":          {[]string{"CREATE TABLE sessions (id, source, started_at)", "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content, x)"}, []string{"> hi", "< hello"}},
		"no content":       {[]string{"CREATE TABLE sessions (id, source, started_at)", "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, words, timestamp)"}, nil},
		"no messages":      {[]string{"CREATE TABLE sessions (id, source, started_at)", "CREATE TABLE other (id INTEGER PRIMARY KEY, session_id, role, words, timestamp)"}, nil},
		"no session's ids": {[]string{"CREATE TABLE sessions (id, source, started_at)", "CREATE TABLE messages (id INTEGER PRIMARY KEY, chat, role, words, timestamp)"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			h.OS = "linux"
			db := written(t, filepath.Join(h.Dir, hermesPlace), test.tables...)
			fill(t, db, row{"sessions", []any{"s", "cli", hermesAt}})
			table := "messages"
			if name == "no messages" {
				table = "other"
			}
			fill(t, db, row{table, []any{1, "s", "user", "hi", hermesAt}}, row{table, []any{2, "s", "assistant", "hello", hermesAt + 1}})
			db.Close()
			sayExactly(t, chatsByKey(t, "hermes", h)["s"], test.want...)
		})
	}
}

func TestHermesChatIsFreshWhenItHasNewRows(t *testing.T) {
	h := madeHome(t)
	db := hermesDB(t, h, hermesPlace)
	fill(t, db, hermesS{id: "s", ended: hermesAt + 5}.row(), hermesM{id: 1, role: "user", content: "hi"}.row())
	last := lookFor(t, "hermes", h, "s")
	for _, change := range []string{
		"INSERT INTO messages (id, session_id, role, timestamp) VALUES (2, 's', 'user', 1)",
		"UPDATE messages SET timestamp = 1790000000 WHERE id = 2",
		"UPDATE sessions SET ended_at = 1791000000",
		"DELETE FROM messages WHERE id = 2",
	} {
		run(t, db, change)
		now := lookFor(t, "hermes", h, "s")
		if now.Count == last.Count && now.MTime == last.MTime {
			t.Errorf("%s: not seen", change)
		}
		last = now
	}
}

func TestHermesFiles(t *testing.T) {
	whole := func(m map[string]any) string { b, _ := json.Marshal(m); return string(b) }
	said := func(role, text string) map[string]any { return map[string]any{"role": role, "content": text} }
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"one object": {map[string]string{"session_x.json": whole(map[string]any{"session_id": "x", "messages": []any{said("system", "no"), said("user", "one"), said("assistant", "two"), said("user", "one")}})}, []string{"> one", "< two", "> one"}},
		"lines, the last one torn": {map[string]string{"x.jsonl": `{"role":"session_meta"}` + "\n" + `{"role":"user","content":[{"type":"text","text":"one"}]}` + "\n\nnoise\n" + `{"role":"assistant","content":"two"}` + "\n" + `{"role":"user","con`},
			[]string{"> one", "< two"}},
		"both: the one that holds more": {map[string]string{
			"session_x.json": whole(map[string]any{"session_id": "x", "messages": []any{said("user", "kept")}}),
			"x.jsonl":        `{"role":"user","content":"one"}` + "\n" + `{"role":"assistant","content":"two"}`,
		}, []string{"> one", "< two"}},
		"a routine's":                 {map[string]string{"session_x.json": whole(map[string]any{"platform": "cron", "messages": []any{said("user", "no")}})}, nil},
		"a routine's lines":           {map[string]string{"x.jsonl": `{"role":"session_meta","platform":"subagent"}` + "\n" + `{"role":"user","content":"no"}`}, nil},
		"cut off":                     {map[string]string{"session_x.json": `{"session_id":"x","messages":[{"role":"user","content":"no`}, nil},
		"messages that are no list":   {map[string]string{"session_x.json": `{"session_id":"x","messages":{"role":"user"}}`}, nil},
		"a list of other things":      {map[string]string{"session_x.json": `{"messages":[1,"two",null,{"role":"user"},{"content":"x"},{"role":"user","content":"yes"}]}`}, []string{"> yes"}},
		"content after a NUL":         {map[string]string{"session_x.json": whole(map[string]any{"messages": []any{said("user", "\x00json:[{\"type\":\"text\",\"text\":\"one\"}]")}})}, []string{"> one"}},
		"copies with the same time":   {map[string]string{"x.jsonl": strings.Repeat(`{"role":"user","content":"one","timestamp":"2026-01-11T10:10:11"}`+"\n"+`{"role":"assistant","content":"two","timestamp":"2026-01-11T10:10:12"}`+"\n", 3)}, []string{"> one", "< two"}},
		"an answer only in its items": {map[string]string{"x.jsonl": `{"role":"assistant","content":"","codex_message_items":[{"type":"message","content":[{"type":"output_text","text":"yes"}]}]}`}, []string{"< yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			h.OS = "linux"
			for name, text := range test.files {
				put(t, filepath.Join(h.Dir, ".hermes/sessions", name), text)
			}
			put(t, filepath.Join(h.Dir, ".hermes/sessions/request_dump_1.json"), `{"messages":[{"role":"user","content":"no"}]}`)
			put(t, filepath.Join(h.Dir, ".hermes/sessions/sessions.json"), `{"messages":[{"role":"user","content":"no"}]}`)
			got := chatsByKey(t, "hermes", h)
			sayExactly(t, got["x"], test.want...)
			if len(got) != 1 {
				t.Errorf("%d chats: %v", len(got), got)
			}
		})
	}
}

func TestHermesFileOfAChatInADatabaseStaysOut(t *testing.T) {
	h := madeHome(t)
	db := hermesDB(t, h, hermesPlace)
	fill(t, db, hermesS{id: "s"}.row(), hermesM{id: 1, role: "user", content: "of the database"}.row(), hermesS{id: "helper", source: "subagent"}.row())
	db.Close()
	for _, id := range []string{"s", "helper"} {
		put(t, filepath.Join(h.Dir, ".hermes/sessions/session_"+id+".json"), `{"messages":[{"role":"user","content":"of a file"}]}`)
	}
	got := chatsByKey(t, "hermes", h)
	sayExactly(t, got["s"], "> of the database")
	if len(got) != 1 {
		t.Errorf("chats %v", got)
	}
}

// Times in the files have no zone: they are the person's own.
func TestHermesTimesOfFilesAreLocal(t *testing.T) {
	m := &hermes{zone: time.FixedZone("there", 2*60*60)}
	for in, want := range map[string]string{
		`"2026-01-10T10:12:00.500000"`: "2026-01-10T08:12:00.5Z",
		`"2026-01-10T10:12:00+00:00"`:  "2026-01-10T10:12:00Z",
		`"2026-01-10T10:12:00Z"`:       "2026-01-10T10:12:00Z",
		`1768039920`:                   "2026-01-10T10:12:00Z",
		`"0001-01-01T00:00:00"`:        "1970-01-01T00:00:00Z",
		`"soon"`:                       "1970-01-01T00:00:00Z",
		`{"a":1}`:                      "1970-01-01T00:00:00Z",
	} {
		if got := time.UnixMilli(m.when(value(in))).UTC().Format(time.RFC3339Nano); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestHermesWhileItWrites(t *testing.T) {
	h := madeHome(t)
	h.OS = "linux"
	db := written(t, filepath.Join(h.Dir, hermesPlace), append([]string{"PRAGMA journal_mode=WAL"}, hermesTables...)...)
	fill(t, db, hermesS{id: "s"}.row(), hermesM{id: 1, role: "user", content: "committed"}.row())
	run(t, db, "BEGIN IMMEDIATE")
	fill(t, db, hermesM{id: 2, role: "assistant", content: "not yet"}.row())
	before := tree(t, h.Dir)
	sayExactly(t, chatsByKey(t, "hermes", h)["s"], "> committed")
	sameTree(t, h.Dir, before)
	run(t, db, "COMMIT")
	sayExactly(t, chatsByKey(t, "hermes", h)["s"], "> committed", "< not yet")
}
