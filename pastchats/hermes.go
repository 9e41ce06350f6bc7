package pastchats

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Hermes keeps its chats in a SQLite database, one for each profile (read in the
// shapes of schema 1 to 30), and kept them before in files. A chat that went on
// after a compression is several sessions there and one chat here.

// hermesRow is how many bytes one message may have.
const hermesRow = 8 << 20

type hermes struct {
	home  *Home
	roots []string // folders of profiles, the main one first
	zone  *time.Location
	words *marks

	dbs   map[string]*database
	known map[string]bool // sessions of the databases, also those that are left out
	chats map[string]hermesChat
	files map[string][]hermesFile // chats of files by id
}

// hermesChat is a chat of a database.
type hermesChat struct {
	path     string
	sessions []*hermesSession // from the root to the last
}

// hermesSession is a row of sessions.
type hermesSession struct {
	id, parent, title, cwd, model string
	started, updated, newest      int64 // milliseconds
	count                         int
	byID                          bool // some time is unusable: order by id
	compressed                    bool // ended by a compression
	own                           bool // a branch or a reset by the person
	out                           bool // not the person's
	next                          []*hermesSession
}

// newHermes reads Hermes.
func newHermes(h *Home) finder {
	m := &hermes{
		home: h, zone: time.Local, words: newMarks(commonMarks()...),
		dbs: map[string]*database{}, known: map[string]bool{}, chats: map[string]hermesChat{}, files: map[string][]hermesFile{},
	}
	root := h.getenv("HERMES_HOME")
	switch {
	case root != "" && filepath.Base(filepath.Dir(root)) == "profiles":
		m.roots = []string{root, filepath.Dir(filepath.Dir(root))}
	case root != "":
		m.roots = []string{root}
	case h.OS == "windows":
		local := h.getenv("LOCALAPPDATA")
		if local == "" {
			local = filepath.Join(h.Dir, "AppData", "Local")
		}
		m.roots = []string{filepath.Join(local, "hermes")}
	default:
		m.roots = []string{filepath.Join(h.Dir, ".hermes")}
	}
	return m
}

func (m *hermes) find(ctx context.Context) (found, error) {
	var f found
	var files []hermesFile
	seen := map[string]bool{}
	for _, root := range m.roots {
		var dbs []string
		left, err := m.home.walk(ctx, root, func(e entry) bool {
			p := strings.Split(e.rel, "/")
			if len(p) > 2 && p[0] == "profiles" {
				p = p[2:]
			} else if e.dir && p[0] == "profiles" {
				return true
			}
			switch {
			case e.dir:
				return len(p) == 1 && p[0] == "sessions"
			case seen[e.path]:
			case len(p) == 1 && p[0] == "state.db":
				dbs, seen[e.path] = append(dbs, e.path), true
			case len(p) == 2 && p[0] == "sessions":
				if id := hermesFileID(p[1]); id != "" {
					files, seen[e.path] = append(files, hermesFile{id: id, root: root, entry: e}), true
				}
			}
			return false
		})
		if err != nil {
			if ctx.Err() != nil {
				return f, ctx.Err()
			}
			continue
		}
		f.left += left
		// the profile of the folder itself comes before those below it
		slices.SortStableFunc(dbs, func(a, b string) int { return cmp.Compare(len(filepath.Dir(a)), len(filepath.Dir(b))) })
		for _, path := range dbs {
			db, err := m.home.database(ctx, root, path)
			if err != nil {
				continue
			}
			m.dbs[path] = db
			if db.Old {
				f.old = append(f.old, path)
			}
			f.files = append(f.files, m.sessions(ctx, db, path)...)
		}
	}
	f.files = append(f.files, m.findFiles(files)...)
	return f, ctx.Err()
}

// hermesUsable is a timestamp that can be one: seconds, some are garbage or text.
const hermesUsable = `typeof(timestamp) IN ('integer', 'real') AND timestamp BETWEEN 0 AND 4e9`

// sessions lists the chats of one database.
func (m *hermes) sessions(ctx context.Context, db *database, path string) []chatFile {
	s, msg := have(db.columns(ctx, "sessions")), have(db.columns(ctx, "messages"))
	if !s["id"] {
		return nil
	}
	q := "SELECT s.id, " + s.short("s", "source", "model", "parent_session_id", "title", "cwd", "chat_type", "end_reason") + ", " +
		upTo(s.col("s", "model_config"), 1<<20) + ", " + s.cols("s", "started_at", "ended_at", "last_activity_at", "hidden")
	q += " FROM sessions s"
	var messages map[string]tally
	if msg["session_id"] && msg["timestamp"] {
		messages = tallies(ctx, db, "messages", "CASE WHEN "+hermesUsable+" THEN timestamp END", "NOT coalesce("+hermesUsable+", 0)")
	}
	var all []*hermesSession
	byID := map[string]*hermesSession{}
	_ = again(func() error { // what was listed before an error stays
		all = nil
		clear(byID)
		return db.each(ctx, q, nil, func(c []any) error {
			if x := hermesRowOf(c, messages); x.id != "" && !m.known[x.id] && byID[x.id] == nil {
				all, byID[x.id] = append(all, x), x
			}
			return nil
		})
	})
	for _, x := range all {
		m.known[x.id] = true
	}
	slices.SortStableFunc(all, func(a, b *hermesSession) int {
		return cmp.Or(cmp.Compare(a.started, b.started), cmp.Compare(a.id, b.id))
	})
	var roots []*hermesSession
	for _, x := range all {
		switch parent := byID[x.parent]; {
		case x.out:
		case x.parent == "" || x.own:
			roots = append(roots, x)
		case parent != nil && parent.compressed:
			parent.next = append(parent.next, x)
		}
	}
	var files []chatFile
	for _, x := range roots {
		chat := hermesChat{path: path, sessions: x.chain()}
		f := chatFile{Source: "hermes", Key: x.id, Path: path}
		for _, x := range chat.sessions {
			f.Count += x.count
			f.MTime = max(f.MTime, nanos(max(x.started, x.updated, x.newest)))
			f.Project = cmp.Or(f.Project, projectOf(x.cwd))
		}
		m.chats[x.id] = chat
		files = append(files, f)
	}
	return files
}

func hermesRowOf(c []any, messages map[string]tally) *hermesSession {
	source, chat, config := asText(c[1]), asText(c[6]), parse(bytesOf(c[8]))
	mark := func(name string) bool { v := config.get(name); return len(v) > 0 && string(v) != "null" && !v.is("") }
	x := &hermesSession{
		id: asText(c[0]), model: asText(c[2]), parent: asText(c[3]), title: asText(c[4]),
		compressed: asText(c[7]) == "compression", own: mark("_branched_from") || mark("_reset_from"),
		started: hermesTime(c[9]),
	}
	rows := messages[x.id]
	x.count, x.newest, x.byID = rows.rows, hermesTime(rows.newest), rows.odd > 0
	x.out = hermesNotYours(source) || chat == "group" || chat == "channel" || chat == "thread" || asInt(c[12]) == 1 || mark("_delegate_from")
	x.updated = cmp.Or(hermesTime(c[10]), hermesTime(c[11]), x.newest, x.started)
	switch source {
	case "cli", "tui", "acp", "desktop": // the folder of a gateway is its own
		x.cwd = asText(c[5])
	}
	return x
}

// hermesNotYours tells the sources that no person speaks through.
func hermesNotYours(source string) bool {
	switch source {
	case "cron", "subagent", "kanban", "batch", "tool", "webhook":
		return true
	}
	return false
}

// hermesTime is a time in seconds as milliseconds, 0 for what is none.
func hermesTime(col any) int64 {
	s, ok := hermesSeconds(col)
	if !ok {
		return 0
	}
	return int64(math.Round(s * 1000))
}

func hermesSeconds(col any) (float64, bool) {
	var s float64
	switch c := col.(type) {
	case int64:
		s = float64(c)
	case float64:
		s = c
	default:
		return 0, false
	}
	return s, s >= 0 && s <= 4e9
}

// chain gives a session and those that went on after it.
func (x *hermesSession) chain() (out []*hermesSession) {
	todo, seen := []*hermesSession{x}, map[*hermesSession]bool{}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[x] {
			continue
		}
		seen[x] = true
		out = append(out, x)
		for _, next := range slices.Backward(x.next) {
			todo = append(todo, next)
		}
	}
	return out
}

// read gives a chat's words; those of a session that went on come after those of
// the one before it.
func (m *hermes) read(ctx context.Context, f chatFile, c *talk) error {
	chat, ok := m.chats[f.Key]
	if !ok {
		return m.readFiles(ctx, f.Key, c)
	}
	return again(func() error {
		*c = talk{}
		return m.readChat(ctx, m.dbs[chat.path], chat, c)
	})
}

func (m *hermes) readChat(ctx context.Context, db *database, chat hermesChat, c *talk) error {
	for _, x := range chat.sessions {
		c.Started = cmp.Or(c.Started, x.started)
		c.Title = cmp.Or(c.Title, x.title)
		c.Cwd = cmp.Or(c.Cwd, x.cwd)
		c.Model = cmp.Or(x.model, c.Model)
		c.Updated = cmp.Or(x.updated, c.Updated)
	}
	for sessions := range slices.Chunk(chat.sessions, hermesAtOnce) {
		words, err := m.readRows(ctx, db, sessions, c)
		for _, x := range sessions {
			w := words[x.id]
			if w == nil {
				continue
			}
			said, routine := w.give(x.byID)
			if routine {
				c.words = nil
				return nil
			}
			c.words = append(c.words, said[repeated(c.words, said):]...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hermesAtOnce is how many sessions of a chat are asked for at once.
const hermesAtOnce = 200

// readRows gives the messages of sessions, by their ids.
func (m *hermes) readRows(ctx context.Context, db *database, sessions []*hermesSession, c *talk) (map[string]*hermesWords, error) {
	words := map[string]*hermesWords{}
	cols := have(db.columns(ctx, "messages"))
	if !cols["session_id"] || !cols["role"] {
		return words, nil
	}
	ids := make([]any, len(sessions))
	for i, x := range sessions {
		ids[i] = x.id
	}
	q := "SELECT " + cols.cols("messages", "id", "role", "timestamp", "active", "compacted", "_compressed_summary") + ", " + cols.short("messages", "display_kind") + ", " +
		upTo(cols.col("messages", "content"), hermesRow) + ", " + tooLong(cols.col("messages", "content"), hermesRow)
	items := cols.col("messages", "codex_message_items")
	if cols["content"] && cols["codex_message_items"] {
		// most rows have both: the items are only needed where there is no content
		items = "CASE WHEN octet_length(coalesce(content, '')) <= 1024 THEN " + items + " END"
	}
	q += ", " + upTo(items, hermesRow)
	q += ", session_id FROM messages WHERE session_id IN (?" + strings.Repeat(", ?", len(ids)-1) + ") AND role IN ('user', 'assistant')"
	err := db.each(ctx, q, ids, func(col []any) error {
		active, compacted := 1, int64(0)
		if cols["active"] && col[3] != nil && asInt(col[3]) == 0 {
			active = 0
		}
		if compacted = asInt(col[4]); active == 0 && compacted != 1 {
			return nil // rewound
		}
		kind, role := asText(col[6]), asText(col[1])
		if asInt(col[5]) == 1 || kind == "hidden" || role == "user" && kind != "" {
			return nil
		}
		if asInt(col[8]) == 1 {
			c.Damaged = true
			return nil
		}
		text := hermesContent(bytesOf(col[7]))
		if role == "assistant" && text == "" {
			text = hermesItems(parse(bytesOf(col[9])))
		}
		if text == "" {
			return nil
		}
		session, id := asText(col[10]), asInt(col[0])
		w := words[session]
		if w == nil {
			w = &hermesWords{person: m.words, met: map[int64]bool{}}
			words[session] = w
		}
		if w.met[id] {
			return nil // pages of a damaged database may be met again and again
		}
		w.met[id] = cols["id"]
		at, ok := hermesSeconds(col[2])
		w.rows = append(w.rows, hermesSaid{id: id, role: Role(role), text: text, at: at, dated: ok})
		return nil
	})
	return words, err
}

// repeated is the length of the longest run that is both the end of what was said
// and the beginning of what is said next: a session that goes on after a
// compression repeats the last words of the one before it.
func repeated(before, next []message) int {
	same := func(a, b message) bool { return a.role == b.role && a.text == b.text }
	if len(before) > len(next) {
		before = before[len(before)-len(next):]
	}
	// border[i]: the longest border of next[:i+1], as Knuth, Morris and Pratt have it
	border, k := make([]int, len(next)), 0
	for i := 1; i < len(next); i++ {
		for k > 0 && !same(next[i], next[k]) {
			k = border[k-1]
		}
		if same(next[i], next[k]) {
			k++
		}
		border[i] = k
	}
	k = 0
	for _, m := range before {
		for k > 0 && (k == len(next) || !same(m, next[k])) {
			k = border[k-1]
		}
		if k < len(next) && same(m, next[k]) {
			k++
		}
	}
	return k
}

func (m *hermes) close() error {
	var err error
	for _, db := range m.dbs {
		if cerr := db.close(); err == nil {
			err = cerr
		}
	}
	m.dbs = map[string]*database{}
	return err
}
