package pastchats

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// OpenCode keeps its chats in a SQLite database (since about 1.1; read up to
// 1.18.33) and kept them before in two generations of JSON files, which it leaves
// where they are. A chat that is in several counts once: the database's, then
// storage/, then project/.

// openCodeRow is how many bytes a message or a part may have.
const openCodeRow = 8 << 20

type openCode struct {
	home *Home
	root string // the folder opencode
	dbs  map[string]*database
	rows map[string]openCodeSession // sessions of databases
	old  map[string]*openCodeFiles  // sessions of files

	worktrees map[string]string // of projects that are files
	words     *marks
}

// openCodeSession is a session's row.
type openCodeSession struct {
	path             string
	child            bool
	title, cwd       string
	revert           string // JSON: what was undone
	started, updated int64
}

// newOpenCode reads OpenCode.
func newOpenCode(h *Home) finder {
	data := h.getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		data = filepath.Join(h.Dir, ".local", "share")
	}
	return &openCode{
		home: h, root: filepath.Join(data, "opencode"), words: newMarks(commonMarks()...),
		dbs: map[string]*database{}, rows: map[string]openCodeSession{}, old: map[string]*openCodeFiles{}, worktrees: map[string]string{},
	}
}

func (o *openCode) find(ctx context.Context) (found, error) {
	var f found
	for _, path := range o.databases(ctx) {
		db, err := o.home.database(ctx, o.rootOf(path), path)
		if err != nil {
			continue // no database, or none that can be opened: nothing
		}
		o.dbs[path] = db
		if db.Old {
			f.old = append(f.old, path)
		}
		f.files = append(f.files, o.sessions(ctx, db, path)...)
	}
	files, left, err := o.findFiles(ctx)
	f.files, f.left = append(f.files, files...), left
	if ctx.Err() != nil {
		return f, ctx.Err()
	}
	return f, err
}

// databases are the databases' paths in the order in which they win: the one
// that OPENCODE_DB names, the one of the usual channels, those of others.
func (o *openCode) databases(ctx context.Context) []string {
	var paths []string
	if named := o.home.getenv("OPENCODE_DB"); named != "" && named != ":memory:" {
		if !filepath.IsAbs(named) {
			named = filepath.Join(o.root, named)
		}
		paths = append(paths, named)
	}
	usual := filepath.Join(o.root, "opencode.db")
	paths = append(paths, usual)
	_, _ = o.home.walk(ctx, o.root, func(e entry) bool { // its error comes again with the files
		if !e.dir && strings.HasPrefix(e.rel, "opencode-") && strings.HasSuffix(e.rel, ".db") {
			paths = append(paths, e.path)
		}
		return false
	})
	slices.Sort(paths[slices.Index(paths, usual)+1:])
	seen := map[string]bool{}
	return slices.DeleteFunc(paths, func(p string) bool {
		was := seen[p]
		seen[p] = true
		return was
	})
}

// rootOf is the folder that a database belongs to: OPENCODE_DB may name one
// anywhere.
func (o *openCode) rootOf(path string) string {
	if strings.HasPrefix(path, o.root+string(filepath.Separator)) {
		return o.root
	}
	return filepath.Dir(path)
}

// sessions lists one database's sessions.
func (o *openCode) sessions(ctx context.Context, db *database, path string) []chatFile {
	s, m, p, pr := have(db.columns(ctx, "session")), have(db.columns(ctx, "message")), have(db.columns(ctx, "part")), have(db.columns(ctx, "project"))
	if !s["id"] {
		return nil
	}
	q := "SELECT s.id, " + s.short("s", "parent_id", "title", "directory") + ", " + s.cols("s", "time_created", "time_updated")
	from := " FROM session s"
	if pr["id"] && pr["worktree"] && s["project_id"] {
		q += ", " + pr.short("w", "worktree")
		from += " LEFT JOIN project w ON w.id = s.project_id"
	} else {
		q += ", NULL"
	}
	q += ", " + upTo(s.col("s", "revert"), openCodeRow)
	// updated times of sessions lag behind those of their parts
	var messages, parts map[string]tally
	if m["id"] && m["session_id"] {
		messages = tallies(ctx, db, "message", m.col("message", "time_created"), "0")
	}
	newest := "NULL"
	switch {
	case !p["session_id"]:
	case p["message_id"] && m["id"] && m["session_id"] && m["time_created"] && indexed(ctx, db, "part", "message_id") && indexed(ctx, db, "part", "session_id"):
		// The indexes answer without a look at the parts themselves, which are most
		// of a database of gigabytes; of those only the newest message's are asked.
		parts = tallies(ctx, db, "part", "NULL", "0")
		newest = "(SELECT max(" + p.col("x", "time_updated") + ") FROM part x WHERE x.message_id = " +
			"(SELECT id FROM message y WHERE y.session_id = s.id ORDER BY y.time_created DESC, y.id DESC LIMIT 1))"
	default:
		parts = tallies(ctx, db, "part", p.col("part", "time_updated"), "0")
	}
	q += ", " + newest
	var files []chatFile
	row := func(c []any) error {
		id := asText(c[0])
		if _, twice := o.rows[id]; id == "" || twice {
			return nil
		}
		s := openCodeSession{
			path: path, child: asText(c[1]) != "", title: openCodeTitle(asText(c[2])),
			revert: asText(c[7]), started: millis(asInt(c[4])), updated: millis(asInt(c[5])),
		}
		if s.cwd = folderOr(asText(c[3]), asText(c[6])); s.child {
			s.title, s.cwd, s.revert = "", "", ""
		}
		o.rows[id] = s
		if !s.child {
			m, p := messages[id], parts[id]
			newest := max(s.started, s.updated, millis(int64(m.newest)), millis(int64(p.newest)), millis(asInt(c[8])))
			files = append(files, chatFile{
				Source: "opencode", Key: id, Path: path, MTime: nanos(newest),
				Count: m.rows + p.rows, Project: projectOf(s.cwd),
			})
		}
		return nil
	}
	_ = again(func() error { // what was listed before an error stays: a database may be damaged further on
		for _, f := range files {
			delete(o.rows, f.Key)
		}
		files = nil
		return db.each(ctx, q+from, nil, row)
	})
	return files
}

// openCodeTitle is a title that someone gave; "New session - <time>" is none.
func openCodeTitle(title string) string {
	if _, at, ok := strings.Cut(title, " session - "); ok && (strings.HasPrefix(title, "New ") || strings.HasPrefix(title, "Child ")) {
		if _, err := time.Parse(time.RFC3339Nano, at); err == nil {
			return ""
		}
	}
	return title
}

// folderOr is the first of the folders that is one; "/" stands for none.
func folderOr(folders ...string) string {
	for _, f := range folders {
		if f != "" && f != "/" {
			return f
		}
	}
	return ""
}

func (o *openCode) read(ctx context.Context, f chatFile, c *talk) error {
	row, ok := o.rows[f.Key]
	if !ok {
		return o.readFiles(ctx, f.Key, c)
	}
	return again(func() error {
		*c = talk{}
		return o.readSession(ctx, o.dbs[row.path], f.Key, row, c)
	})
}

func (o *openCode) readSession(ctx context.Context, db *database, id string, row openCodeSession, c *talk) error {
	t := &openCodeTurns{}
	c.Title, c.Cwd, c.Started, c.Updated = row.title, row.cwd, row.started, row.updated
	t.undoFrom(parse([]byte(row.revert)))
	err := o.readRows(ctx, db, id, t)
	t.give(c, o.words)
	return err
}

// readRows reads a session's messages and parts. They are put in order
// afterwards: rows lie in any order, and to sort them here would carry every
// tool's output along.
func (o *openCode) readRows(ctx context.Context, db *database, id string, t *openCodeTurns) error {
	m, p := have(db.columns(ctx, "message")), have(db.columns(ctx, "part"))
	if !m["id"] || !m["session_id"] || !m["data"] {
		return nil
	}
	q := "SELECT id, " + m.cols("message", "time_created") + ", " + upTo("data", openCodeRow) + " FROM message WHERE session_id = ?"
	err := db.each(ctx, q, []any{id}, func(c []any) error {
		t.message(asText(c[0]), millis(asInt(c[1])), parse(bytesOf(c[2])))
		return nil
	})
	if err != nil || !p["message_id"] || !p["data"] {
		return err
	}
	q = "SELECT " + p.cols("part", "id", "message_id", "time_created") + ", " + upTo("data", openCodeRow) + " FROM part WHERE "
	if p["session_id"] {
		q += "session_id = ?"
	} else {
		q += "message_id IN (SELECT id FROM message WHERE session_id = ?)"
	}
	return db.each(ctx, q, []any{id}, func(c []any) error {
		t.part(asText(c[0]), asText(c[1]), millis(asInt(c[2])), parse(bytesOf(c[3])))
		return nil
	})
}

func (o *openCode) close() error {
	var err error
	for _, db := range o.dbs {
		if cerr := db.close(); err == nil {
			err = cerr
		}
	}
	o.dbs = map[string]*database{}
	return err
}
