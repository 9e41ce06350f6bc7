package pastchats

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

var cursorTables = []string{
	"PRAGMA synchronous = OFF",
	"CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
	"CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
}

const (
	cursorPlace = ".config/Cursor/User/globalStorage/state.vscdb"
	cursorSpace = ".config/Cursor/User/workspaceStorage/"
	cursorAt    = int64(1778000000000)
)

func cursorDB(t testing.TB, h *Home, rel string) *sql.DB {
	t.Helper()
	h.OS = "linux"
	return written(t, filepath.Join(h.Dir, rel), cursorTables...)
}

// kv is a value of Cursor's large table, a text or an object.
func kv(key string, v any) row {
	if m, ok := v.(map[string]any); ok {
		b, _ := json.Marshal(m)
		v = string(b)
	}
	return row{"cursorDiskKV", []any{key, v}}
}

// cursorComposerOf is a composer that names messages: "a1" is the person's a,
// "b2" the answer b.
func cursorComposerOf(id, heads string, more ...any) row {
	list := []any{}
	for _, h := range strings.Fields(heads) {
		list = append(list, map[string]any{"bubbleId": h[:len(h)-1], "type": int(h[len(h)-1] - '0')})
	}
	m := map[string]any{"_v": 10, "createdAt": cursorAt, "lastUpdatedAt": cursorAt + 60000, "name": "Named", "text": "a draft that was not sent", "fullConversationHeadersOnly": list}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return kv("composerData:"+id, m)
}

func bubbleOf(composer, id string, v any) row { return kv("bubbleId:"+composer+":"+id, v) }

func TestCursorTakesWhatWasSaid(t *testing.T) {
	said := func(kind int, text string, more ...any) map[string]any {
		m := map[string]any{"type": kind, "text": text}
		for i := 0; i+1 < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	rich := func(tree string) map[string]any { return map[string]any{"type": 1, "text": "", "richText": tree} }
	for _, test := range []struct {
		name    string
		rows    []row
		want    []string
		damaged bool
	}{
		{name: "order is that of the heads, never of the rows", rows: []row{
			cursorComposerOf("s", "a1 b2 c1"), bubbleOf("s", "c", said(1, "three")), bubbleOf("s", "a", said(1, "one")), bubbleOf("s", "b", said(2, "two")),
		}, want: []string{"> one", "< two", "> three"}},
		{name: "steps and thinking are not words", rows: []row{
			cursorComposerOf("s", "a1 b2 c2 d2 e2 f2 g2"), bubbleOf("s", "a", said(1, "one")), bubbleOf("s", "b", said(2, "no", "toolFormerData", map[string]any{"name": "read"})),
			bubbleOf("s", "c", said(2, "no", "isThought", true)), bubbleOf("s", "d", said(2, "no", "thinking", map[string]any{"text": "hm"})), bubbleOf("s", "e", said(2, "no", "capabilityType", 30)),
			bubbleOf("s", "f", said(2, "no", "capabilityType", 15)), bubbleOf("s", "g", said(2, "two", "isThought", false, "thinking", nil, "toolFormerData", map[string]any{}, "capabilityType", 1)),
		}, want: []string{"> one", "< two"}},
		{name: "a message that no head names is not in the chat, a head without a row is a gap", rows: []row{
			cursorComposerOf("s", "a1 b2 c1"), bubbleOf("s", "a", said(1, "one")), bubbleOf("s", "c", said(1, "three")), bubbleOf("s", "z", said(1, "no")),
		}, want: []string{"> one", "> three"}},
		{name: "NULL, empty and of another kind", rows: []row{
			cursorComposerOf("s", "a1 b2 c1 d1 e1"), bubbleOf("s", "a", nil), bubbleOf("s", "b", ""), bubbleOf("s", "c", []byte{}), bubbleOf("s", "d", []byte(`{"type":1,"text":"blob"}`)), bubbleOf("s", "e", `[1]`),
		}, want: []string{"> blob"}, damaged: true},
		{name: "cut off", rows: []row{cursorComposerOf("s", "a1 b2"), bubbleOf("s", "a", said(1, "one")), bubbleOf("s", "b", `{"type":2,"te`)}, want: []string{"> one"}, damaged: true},
		{name: "a huge message", rows: []row{cursorComposerOf("s", "a1 b2"), bubbleOf("s", "a", said(1, "one")), bubbleOf("s", "b", said(2, strings.Repeat("x", cursorSmall)))}, want: []string{"> one"}, damaged: true},
		{name: "rich text where there is no other", rows: []row{
			cursorComposerOf("s", "a1 b1 c1"), bubbleOf("s", "a", rich(`{"root":{"children":[{"children":[{"text":"Look at "},{"type":"mention","text":"@cart.ts"}]},{"children":[{"text":"Second line."}]}]}}`)),
			bubbleOf("s", "b", rich(`{"root":`)), bubbleOf("s", "c", map[string]any{"type": 1, "text": "plain wins", "richText": `{"root":{"children":[{"text":"no"}]}}`}),
		}, want: []string{"> Look at @cart.ts\nSecond line.", "> plain wins"}},
		{name: "older types and a type that only the head tells", rows: []row{
			cursorComposerOf("s", "a1 b2 c2 d7"), bubbleOf("s", "a", map[string]any{"type": "user", "text": "one"}), bubbleOf("s", "b", map[string]any{"type": "ai", "rawText": "two"}),
			bubbleOf("s", "c", map[string]any{"text": "three"}), bubbleOf("s", "d", map[string]any{"text": "no"}),
		}, want: []string{"> one", "< two", "< three"}},
		{name: "messages inside the composer", rows: []row{
			cursorComposerOf("s", "", "conversation", []any{said(1, "one"), said(2, "two"), "odd", said(2, "", "toolFormerData", map[string]any{"a": 1})}),
		}, want: []string{"> one", "< two"}, damaged: true},
		{name: "a message named twice is said once", rows: []row{cursorComposerOf("s", "a1 b2 a1"), bubbleOf("s", "a", said(1, "one")), bubbleOf("s", "b", said(2, "two"))}, want: []string{"> one", "< two"}},
		{name: "blocks of the program", rows: []row{cursorComposerOf("s", "a1"), bubbleOf("s", "a", said(1, "<system-reminder>no</system-reminder>yes"))}, want: []string{"> yes"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := madeHome(t)
			db := cursorDB(t, h, cursorPlace)
			fill(t, db, test.rows...)
			db.Close()
			c := chatsByKey(t, "cursor", h)["s"]
			sayExactly(t, c, test.want...)
			if c.damaged != test.damaged {
				t.Errorf("damaged %t, want %t", c.damaged, test.damaged)
			}
		})
	}
}

func TestCursorWhoseChat(t *testing.T) {
	for name, test := range map[string]struct {
		row  row
		also []row
		in   bool
	}{
		"the person's":               {row: cursorComposerOf("s", "a1"), in: true},
		"a helper's":                 {row: cursorComposerOf("s", "a1", "subagentInfo", map[string]any{"subagentType": "explore"})},
		"one of several tries":       {row: cursorComposerOf("s", "a1", "isBestOfNSubcomposer", true)},
		"a draft":                    {row: cursorComposerOf("s", "a1", "isDraft", true)},
		"not a draft":                {row: cursorComposerOf("s", "a1", "isDraft", false, "subagentInfo", nil), in: true},
		"listed by another":          {row: cursorComposerOf("s", "a1"), also: []row{cursorComposerOf("other", "x1", "subComposerIds", []any{"s"})}},
		"listed by one that is out":  {row: cursorComposerOf("s", "a1"), also: []row{cursorComposerOf("other", "x1", "isDraft", true, "subagentComposerIds", []any{"s"})}},
		"nothing said":               {row: cursorComposerOf("s", "")},
		"deleted":                    {row: kv("composerData:s", nil)},
		"emptied":                    {row: kv("composerData:s", "")},
		"not an object":              {row: kv("composerData:s", "[]")},
		"cut off":                    {row: kv("composerData:s", `{"composerId":`), in: true}, // and counted as one that cannot be read
		"newer, with no messages":    {row: kv("composerData:s", map[string]any{"conversationState": "~x"})},
		"with a newer list of heads": {row: kv("composerData:s", map[string]any{"fullConversationHeadersOnly": map[string]any{"a": 1}})},
	} {
		t.Run(name, func(t *testing.T) {
			h := madeHome(t)
			db := cursorDB(t, h, cursorPlace)
			fill(t, db, append(test.also, test.row, bubbleOf("s", "a", map[string]any{"type": 1, "text": "hi"}))...)
			db.Close()
			c, in := chatsByKey(t, "cursor", h)["s"]
			if in != test.in {
				t.Errorf("in %t, want %t", in, test.in)
			}
			if in && name == "cut off" && (len(c.said) != 0 || !c.damaged) {
				t.Errorf("read %+v", c)
			}
		})
	}
}

func TestCursorFacts(t *testing.T) {
	h := madeHome(t)
	db := cursorDB(t, h, cursorPlace)
	fill(t, db, cursorComposerOf("s", "a1 b2 c2"),
		bubbleOf("s", "a", map[string]any{"type": 1, "text": "hi", "createdAt": "2026-05-05T16:53:21.000Z"}),
		bubbleOf("s", "b", map[string]any{"type": 2, "text": "yes", "modelInfo": map[string]any{"modelName": "m1"}}),
		bubbleOf("s", "c", map[string]any{"type": 2, "text": "", "modelInfo": map[string]any{"modelName": "m2"}}),
		cursorComposerOf("untitled", "a1", "name", "", "lastUpdatedAt", nil), bubbleOf("untitled", "a", map[string]any{"type": 1, "text": "hi"}),
		row{"ItemTable", []any{"composer.composerHeaders", `{"allComposers":[{"composerId":"untitled","name":"From the index"},{"composerId":"s","workspaceIdentifier":{"uri":{"fsPath":"/home/dev/shop"}}},7]}`}})
	db.Close()
	got := chatsByKey(t, "cursor", h)
	c := got["s"]
	if c.title != "Named" || c.project != "shop" || c.model != "m1" || c.started != cursorAt || c.updated != cursorAt+60000 {
		t.Errorf("chat %+v", c)
	}
	if u := got["untitled"]; u.title != "From the index" || u.updated != cursorAt {
		t.Errorf("chat %+v", u)
	}
	if f := lookFor(t, "cursor", h, "s"); f.Count != 3 || f.MTime != (cursorAt+60000)*1e6 || f.Project != "shop" || f.Size != 0 {
		t.Errorf("file %+v", f)
	}
}

// The workspace that lists a chat tells its folder; it also has the oldest chats.
func TestCursorWorkspaces(t *testing.T) {
	h := madeHome(t)
	db := cursorDB(t, h, cursorPlace)
	fill(t, db, cursorComposerOf("s", "a1"), bubbleOf("s", "a", map[string]any{"type": 1, "text": "hi"}))
	db.Close()
	panel := `{"tabs":[{"tabId":"t1","chatTitle":"Panel","lastSendTime":1777999995000,"bubbles":[{"type":"user","text":"old?"},{"type":"ai","rawText":"yes","modelType":"m0"}]},{"tabId":"t2","bubbles":[]},{"chatTitle":"no id"},{"tabId":"s","bubbles":[{"type":"user","text":"the composer wins"}]},9]}`
	for i, folder := range []string{`{"folder":"file:///home/dev/b%C3%BCro"}`, `{"workspace":"file:///home/dev/x.code-workspace"}`, `{"folder`} {
		space := cursorDB(t, h, fmt.Sprintf("%s%d/state.vscdb", cursorSpace, i))
		if i == 0 {
			fill(t, space, row{"ItemTable", []any{cursorIndexKey, `{"allComposers":[{"composerId":"s"},{}]}`}}, row{"ItemTable", []any{cursorPanelKey, panel}})
		}
		space.Close()
		put(t, filepath.Join(h.Dir, fmt.Sprintf("%s%d/workspace.json", cursorSpace, i)), folder)
	}
	put(t, filepath.Join(h.Dir, cursorSpace+"9/state.vscdb"), "no database at all, but a file")
	got := chatsByKey(t, "cursor", h)
	if got["s"].project != "büro" {
		t.Errorf("project %q", got["s"].project)
	}
	sayExactly(t, got["s"], "> hi")
	sayExactly(t, got["t1"], "> old?", "< yes")
	if c := got["t1"]; c.title != "Panel" || c.model != "m0" || c.project != "büro" || c.started != 1777999995000 || c.updated != 1777999995000 {
		t.Errorf("chat %+v", c)
	}
	if len(got["t2"].said) != 0 || len(got) != 3 {
		t.Errorf("chats %v", got)
	}
}

func TestCursorFolder(t *testing.T) {
	for in, want := range map[string]string{
		`"file:///home/dev/shop"`: "/home/dev/shop", `"file:///c%3A/Users/dev/shop"`: "c:/Users/dev/shop", `"vscode-remote://ssh-remote%2Bbox/srv/app"`: "/srv/app",
		`{"fsPath":"/home/dev/shop","path":"/no"}`: "/home/dev/shop", `{"path":"/home/dev/shop"}`: "/home/dev/shop", `"file:///"`: "", `"%"`: "", `7`: "", ``: "",
	} {
		if got := cursorFolder(value(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// The transcripts of cursor-agent: words alone.
func TestCursorTranscripts(t *testing.T) {
	h := madeHome(t)
	db := cursorDB(t, h, cursorPlace)
	fill(t, db, cursorComposerOf("in-database", "a1"), bubbleOf("in-database", "a", map[string]any{"type": 1, "text": "of the database"}), cursorComposerOf("helper", "a1", "subagentInfo", map[string]any{"a": 1}))
	db.Close()
	at := func(slug, id, name string) string {
		return filepath.Join(h.Dir, ".cursor/projects", slug, "agent-transcripts", id, name)
	}
	line := func(role, text string) string {
		b, _ := json.Marshal(map[string]any{"role": role, "message": map[string]any{"content": []any{map[string]any{"type": "text", "text": text}, map[string]any{"type": "tool_use", "text": "no"}}}})
		return string(b) + "\n"
	}
	put(t, at("home-dev-shop", "x", "x.jsonl"), "\ufeff"+line("user", "<timestamp>now</timestamp>\n<user_query>\nList the files.\n</user_query> and <user_query>Count them.</user_query>")+
		"noise\n"+line("assistant", "Two.")+line("user", "no marks")+line("user", "<user_query> is not closed")+line("system", "no")+`{"type":"turn_ended"}`+"\n"+`{"role":"assistant","mess`)
	put(t, at("home-dev-shop", "x", "subagents/y.jsonl"), line("user", "brief"))
	put(t, at("home-dev-shop", "x", "y.jsonl"), line("user", "of another name"))
	put(t, at("other", "x", "x.jsonl"), line("user", "the same id in another folder"))
	put(t, filepath.Join(h.Dir, ".cursor/projects/p/elsewhere/z/z.jsonl"), line("user", "no"))
	for _, id := range []string{"in-database", "helper"} {
		put(t, at("home-dev-shop", id, id+".jsonl"), line("user", "of a file"))
	}
	got := chatsByKey(t, "cursor", h)
	sayExactly(t, got["x"], "> List the files.\n\nCount them.", "< Two.", "> no marks", "> <user_query> is not closed")
	sayExactly(t, got["in-database"], "> of the database")
	if len(got) != 2 {
		t.Errorf("chats %v", got)
	}
}

func TestCursorPlaces(t *testing.T) {
	elsewhere := t.TempDir()
	for _, test := range []struct {
		os, want string
		env      map[string]string
	}{
		{"linux", ".config/Cursor/User", nil},
		{"linux", elsewhere + "/Cursor/User", map[string]string{"XDG_CONFIG_HOME": elsewhere}},
		{"darwin", "Library/Application Support/Cursor/User", map[string]string{"XDG_CONFIG_HOME": elsewhere}},
		{"windows", "AppData/Roaming/Cursor/User", nil},
		{"windows", elsewhere + "/r/Cursor/User", map[string]string{"APPDATA": elsewhere + "/r"}},
	} {
		h := withEnv(t, test.env)
		at := test.want
		if !filepath.IsAbs(at) {
			at = filepath.Join(h.Dir, at)
		}
		db := written(t, filepath.Join(at, "globalStorage/state.vscdb"), cursorTables...)
		fill(t, db, cursorComposerOf("s", "a1"), bubbleOf("s", "a", map[string]any{"type": 1, "text": "hi"}))
		db.Close()
		h.OS = test.os
		if got := readAll(t, "cursor", h); len(got) != 1 {
			t.Errorf("%s %v: %v", test.os, test.env, got)
		}
	}
}

// A store of millions of other rows is not walked: only ranges and keys are asked
// for, and never the keys of sign-ins.
func TestCursorAsksForKeysAlone(t *testing.T) {
	h := madeHome(t)
	db := cursorDB(t, h, cursorPlace)
	fill(t, db, cursorComposerOf("s", "a1"), bubbleOf("s", "a", map[string]any{"type": 1, "text": "hi"}))
	for _, q := range []string{
		"SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'", "SELECT value FROM cursorDiskKV WHERE key IN ('a', 'b')", "SELECT value FROM ItemTable WHERE key = 'a'",
	} {
		rows, err := db.Query("EXPLAIN QUERY PLAN " + q)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var a, b, c int
			var plan string
			if err := rows.Scan(&a, &b, &c, &plan); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(plan, "SEARCH") {
				t.Errorf("%s: %s", q, plan)
			}
		}
		rows.Close()
	}
}

func TestCursorWhileItWrites(t *testing.T) {
	h := madeHome(t)
	h.OS = "linux"
	db := written(t, filepath.Join(h.Dir, cursorPlace), append([]string{"PRAGMA journal_mode=WAL"}, cursorTables...)...)
	fill(t, db, cursorComposerOf("s", "a1 b2"), bubbleOf("s", "a", map[string]any{"type": 1, "text": "committed"}))
	run(t, db, "BEGIN IMMEDIATE")
	fill(t, db, bubbleOf("s", "b", map[string]any{"type": 2, "text": "not yet"}))
	before := tree(t, h.Dir)
	sayExactly(t, chatsByKey(t, "cursor", h)["s"], "> committed")
	sameTree(t, h.Dir, before)
	run(t, db, "COMMIT")
	sayExactly(t, chatsByKey(t, "cursor", h)["s"], "> committed", "< not yet")
}
