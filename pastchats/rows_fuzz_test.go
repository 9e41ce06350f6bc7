package pastchats

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// fuzzHome is a home whose one database is made once and then changed for each
// input: to make one takes longer than all the rest.
func fuzzHome(f *testing.F, rel string, statements ...string) (*Home, *sql.DB) {
	f.Helper()
	h := madeHome(f)
	h.OS = "linux"
	db := written(f, filepath.Join(h.Dir, rel), append([]string{"PRAGMA synchronous = OFF", "PRAGMA journal_mode = MEMORY"}, statements...)...)
	return h, db
}

// readFuzzed reads all that an app has in a home: there is no panic, no hang, no
// words that are no text.
func readFuzzed(t *testing.T, app string, h *Home) (chats, said int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), fuzzHang)
	defer cancel()
	finder := table(t, app).open(h)
	defer finder.close()
	found, _ := finder.find(ctx)
	keys := map[string]bool{}
	for _, file := range found.files {
		if file.Key == "" || keys[file.Key] || file.Source != app || file.MTime < 0 || file.Count < 0 || file.Size < 0 {
			t.Errorf("found %+v", file)
		}
		keys[file.Key] = true
		var c talk
		_ = finder.read(ctx, file, &c)
		chats++
		said += len(c.words)
		for _, m := range c.words {
			if !utf8.ValidString(m.text) {
				t.Errorf("words that are no UTF-8: %q", m.text)
			}
			if m.role != User && m.role != Assistant || m.at < 0 || m.text == "" {
				t.Errorf("said by %q at %d: %q", m.role, m.at, m.text)
			}
		}
		for _, s := range []string{c.Title, c.Cwd, c.Project, c.Model, file.Key, file.Project} {
			if !utf8.ValidString(s) {
				t.Errorf("not UTF-8: %q", s)
			}
		}
		if c.Started < 0 || c.Updated < 0 {
			t.Errorf("times %d, %d", c.Started, c.Updated)
		}
	}
	if ctx.Err() != nil {
		t.Errorf("it took longer than %v", fuzzHang)
	}
	return chats, said
}

// set changes a row of a fuzzed database; what it refuses is no finding.
func set(db *sql.DB, query string, args ...any) { _, _ = db.Exec(query, args...) }

// damaged are the databases whose bytes are changed, and where they lie.
var damaged = []struct{ app, from string }{
	{"opencode", "home-b/.local/share/opencode/opencode-dev.db"},
	{"opencode", "../cases/009-opencode-two-stores/home/.local/share/opencode/opencode.db"},
	{"hermes", "home-b/.hermes/state.db"},
	{"hermes", "home-b/.hermes/profiles/coder/state.db"},
	{"openclaw", "home-b/.openclaw/agents/ops/agent/openclaw-agent.sqlite"},
	{"openclaw", "home-b/.openclaw/agents/main/agent/openclaw-agent.sqlite"},
	{"cursor", "home-b/.config/Cursor/User/globalStorage/state.vscdb"},
	{"cursor", "home-b/.config/Cursor/User/workspaceStorage/ffff6666ffff6666ffff6666ffff6666/state.vscdb"},
}

// FuzzDamagedDatabase changes bytes of a database that its app wrote: each four
// bytes of changes are a place, in 24 bits, and what stands there; cut is where the
// file ends.
func FuzzDamagedDatabase(f *testing.F) {
	var whole [][]byte
	for i, d := range damaged {
		b, err := os.ReadFile(filepath.Join(past, d.from))
		if err != nil {
			f.Fatal(err)
		}
		whole = append(whole, b)
		f.Add(byte(i), []byte{}, uint32(1<<31))
		f.Add(byte(i), []byte{0, 0, 100, 0x0d, 0, 0, 103, 0xff}, uint32(1<<31))
		f.Add(byte(i), []byte{0, 0x10, 0, 0x05, 0, 0x10, 8, 0, 0, 0x10, 9, 0, 0, 0x10, 10, 0, 0, 0x10, 11, 2}, uint32(1<<31))
		f.Add(byte(i), []byte{0, 0, 28, 0xff, 0, 0, 56, 9}, uint32(6000))
	}
	places := readersOfDatabases()
	places["cursor"] = cursorPlace
	f.Fuzz(func(t *testing.T, which byte, changes []byte, cut uint32) {
		i := int(which) % len(damaged)
		b := append([]byte(nil), whole[i]...)
		for c := changes; len(c) >= 4; c = c[4:] {
			b[(int(c[0])<<16|int(c[1])<<8|int(c[2]))%len(b)] = c[3]
		}
		b = b[:min(len(b), int(cut))]
		h := madeHome(t)
		h.OS = "linux"
		place := places[damaged[i].app]
		if i == len(damaged)-1 {
			place = cursorSpace + "x/state.vscdb"
		}
		put(t, filepath.Join(h.Dir, place), string(b))
		bounded(t, func() { readFuzzed(t, damaged[i].app, h) })
	})
}
