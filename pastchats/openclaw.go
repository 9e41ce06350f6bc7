package pastchats

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// OpenClaw keeps one SQLite database for each agent (schema 4 to 23, read up to
// 2026.9.6), moves old transcripts of it to squeezed archives, and kept files
// before. It carries the chats of a whole household of channels, routines and
// helpers: only what a person said to it, and heard from it, is taken.

const (
	openClawRow   = 4 << 20 // bytes of one event
	openClawIndex = 16 << 20
)

// openClawAgent is the form of an agent's name.
var openClawAgent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })

type openClaw struct {
	home  *Home
	roots []string
	words *marks
	ids   idHash

	dbs     map[string]*database
	known   map[string]bool           // windows of the databases, also those that are left out
	windows map[string]openClawWindow // by session id
	files   map[string]*openClawFiles // by session id
}

// openClawWindow is one transcript of a database.
type openClawWindow struct {
	path             string
	cold             string // the folder of its agent's archives
	root             string
	title, model     string
	started, updated int64
}

// newOpenClaw reads OpenClaw.
func newOpenClaw(h *Home) finder {
	o := &openClaw{
		home: h, words: newMarks(commonMarks()...), ids: newIDHash(),
		dbs: map[string]*database{}, known: map[string]bool{}, windows: map[string]openClawWindow{}, files: map[string]*openClawFiles{},
	}
	at := func(path string) string {
		if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
			return filepath.Join(h.Dir, rest)
		}
		return path
	}
	if state := h.getenv("OPENCLAW_STATE_DIR"); state != "" {
		o.roots = []string{at(state)}
		return o
	}
	base := cmp.Or(at(h.getenv("OPENCLAW_HOME")), h.Dir)
	if profile := h.getenv("OPENCLAW_PROFILE"); profile != "default" && openClawAgent().MatchString(profile) {
		o.roots = append(o.roots, filepath.Join(base, ".openclaw-"+profile))
	}
	for _, name := range []string{".openclaw", ".clawdbot", ".moltbot"} { // the program's name, and those that it had
		o.roots = append(o.roots, filepath.Join(base, name))
	}
	return o
}

func (o *openClaw) find(ctx context.Context) (found, error) {
	var f found
	var loose []openClawFile
	for _, root := range o.roots {
		var dbs []string
		left, err := o.home.walk(ctx, root, func(e entry) bool {
			p := strings.Split(e.rel, "/")
			if p[0] != "agents" || len(p) > 1 && !openClawAgent().MatchString(p[1]) {
				return false
			}
			switch {
			case e.dir:
				return len(p) < 3 || len(p) == 3 && (p[2] == "agent" || p[2] == "sessions")
			case len(p) == 4 && p[2] == "agent" && p[3] == "openclaw-agent.sqlite":
				dbs = append(dbs, e.path)
			case len(p) == 4 && p[2] == "sessions":
				loose = append(loose, openClawFile{root: root, entry: e})
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
		for _, path := range dbs {
			if o.dbs[path] != nil {
				continue
			}
			db, err := o.home.database(ctx, root, path)
			if err != nil {
				continue
			}
			o.dbs[path] = db
			if db.Old {
				f.old = append(f.old, path)
			}
			f.files = append(f.files, o.list(ctx, db, root, path)...)
		}
	}
	f.files = append(f.files, o.findFiles(loose)...)
	return f, ctx.Err()
}

// list gives the windows of one database that are a person's chats.
func (o *openClaw) list(ctx context.Context, db *database, root, path string) []chatFile {
	window, node, name, entries := "session_windows", have(db.columns(ctx, "session_nodes")), "session_windows", "session_nodes"
	w := have(db.columns(ctx, window))
	if !w["session_id"] { // schema 4 to 13
		name, entries = "sessions", "session_entries"
		w, node = have(db.columns(ctx, name)), have(db.columns(ctx, entries))
	}
	if !w["session_id"] {
		return nil
	}
	q := "SELECT w.session_id, " + w.short("w", "session_key", "session_scope", "chat_type", "spawned_by", "hook_external_content_source", "model", "display_name") + ", " +
		w.cols("w", "acp_owned", "created_at", "updated_at", "started_at")
	from := " FROM " + name + " w"
	if node["session_key"] && w["session_key"] {
		from += " LEFT JOIN " + entries + " n ON n.session_key = w.session_key"
	} else {
		node = nil
	}
	q += ", " + node.short("n", "created_via", "created_actor_type", "spawned_by", "label", "display_name") + ", " + upTo(node.col("n", "entry_json"), 1<<20)
	header, newest := "NULL", "NULL"
	var events map[string]tally
	if e := have(db.columns(ctx, "transcript_events")); e["session_id"] && e["seq"] {
		header = "(SELECT " + upTo(e.col("x", "event_json"), 16<<10) + " FROM transcript_events x WHERE x.session_id = w.session_id ORDER BY seq LIMIT 1)"
		events = tallies(ctx, db, "transcript_events", "NULL", "0")
		newest = "(SELECT " + e.col("x", "created_at") + " FROM transcript_events x WHERE x.session_id = w.session_id ORDER BY seq DESC LIMIT 1)"
	}
	q += ", " + newest
	if a := have(db.columns(ctx, "session_transcript_cold_archives")); a["session_id"] {
		q += ", " + a.cols("a", "event_count", "archived_at")
		from += " LEFT JOIN session_transcript_cold_archives a ON a.session_id = w.session_id"
	} else {
		q += ", 0, 0"
	}
	q += ", " + header
	var files []chatFile
	known := map[string]bool{}
	_ = again(func() error { // what was listed before an error stays
		files = nil
		clear(known)
		return db.each(ctx, q+from, nil, func(c []any) error {
			id := asText(c[0])
			if id == "" || o.known[id] || known[id] {
				return nil
			}
			known[id] = true
			entry := parse(bytesOf(c[17]))
			x := openClawOwner{
				key: asText(c[1]), scope: asText(c[2]), chat: asText(c[3]), via: asText(c[12]), actor: asText(c[13]),
				spawned: asText(c[4]) + asText(c[14]) + entry.get("spawnedBy").text(), hook: asText(c[5]), acp: asInt(c[8]) == 1,
			}
			if !x.person() || (openClawOwner{chat: entry.get("chatType").text()}).grouped() {
				return nil
			}
			win := openClawWindow{
				path: path, root: root, cold: filepath.Join(filepath.Dir(filepath.Dir(path)), "sessions", "cold"), model: asText(c[6]),
				title:   cmp.Or(asText(c[15]), asText(c[16]), asText(c[7]), entry.get("label").text(), entry.get("displayName").text()),
				started: cmp.Or(millis(asInt(c[11])), millis(asInt(c[9]))), updated: millis(asInt(c[10])),
			}
			o.windows[id] = win
			files = append(files, chatFile{
				Source: "openclaw", Key: id, Path: path, Count: events[id].rows + int(min(max(asInt(c[19]), 0), 1<<31)),
				MTime:   nanos(max(win.started, win.updated, millis(asInt(c[18])), millis(asInt(c[20])))),
				Project: projectOf(parse(bytesOf(c[21])).get("cwd").text()),
			})
			return nil
		})
	})
	for id := range known {
		o.known[id] = true
	}
	return files
}

// openClawOwner is what tells whose chat it is. The columns alone do not: those
// of a group's, a routine's and a helper's chat are often as empty as a person's.
type openClawOwner struct {
	key, scope, chat, via, actor, spawned, hook string
	acp                                         bool
}

func (x openClawOwner) grouped() bool {
	return x.scope == "group" || x.scope == "channel" || x.chat == "group" || x.chat == "channel" || x.chat == "room"
}

// person reports that it is a person's own chat.
func (x openClawOwner) person() bool {
	if x.grouped() || x.spawned != "" || x.hook != "" || x.acp ||
		slices.Contains([]string{"spawn", "cron", "internal", "plugin"}, x.via) || x.actor == "agent" || x.actor == "system" {
		return false
	}
	parts := strings.Split(x.key, ":")
	if parts[0] == "agent" && len(parts) > 2 {
		parts = parts[2:]
	}
	for i, p := range parts {
		switch p {
		case "group", "channel", "room", "cron", "hook", "subagent", "acp", "heartbeat":
			return false
		case "explicit":
			if i+1 < len(parts) && strings.HasPrefix(parts[i+1], "model-run-") {
				return false
			}
		}
	}
	return true
}

func (o *openClaw) read(ctx context.Context, f chatFile, c *talk) error {
	w, ok := o.windows[f.Key]
	if !ok {
		return o.readFiles(ctx, f.Key, c)
	}
	return again(func() error {
		*c = talk{Title: w.title, Started: w.started, Updated: w.updated, Model: w.model}
		return o.readWindow(ctx, w, f.Key, c)
	})
}

// readWindow reads a window's events: those that were moved to an archive, and
// those that came after.
func (o *openClaw) readWindow(ctx context.Context, w openClawWindow, id string, c *talk) error {
	t := newOpenClawTree(o.ids)
	err := o.readArchive(ctx, w, id, t)
	if err == nil {
		err = o.readEvents(ctx, o.dbs[w.path], id, t)
	}
	t.give(c, o.words)
	return err
}

func (o *openClaw) readEvents(ctx context.Context, db *database, id string, t *openClawTree) error {
	e := have(db.columns(ctx, "transcript_events"))
	if !e["session_id"] || !e["seq"] {
		return nil
	}
	q := "SELECT " + upTo(e.col("transcript_events", "event_json"), openClawRow) + ", " + upTo(e.col("transcript_events", "event_zstd"), openClawRow) +
		" FROM transcript_events WHERE session_id = ? ORDER BY seq"
	unpacked := 0
	return db.each(ctx, q, []any{id}, func(c []any) error {
		event := bytesOf(c[0])
		if len(event) == 0 {
			var err error
			if unpacked < openClawUnpacked {
				event, err = unsqueezeRow(bytesOf(c[1]))
			}
			unpacked += len(event) + 4<<10 // also an attempt costs time
			if err != nil || len(event) == 0 {
				t.damaged = true
				return nil
			}
		}
		t.event(parse(event))
		return nil
	})
}

func (o *openClaw) close() error {
	var err error
	for _, db := range o.dbs {
		if cerr := db.close(); err == nil {
			err = cerr
		}
	}
	o.dbs = map[string]*database{}
	return err
}
