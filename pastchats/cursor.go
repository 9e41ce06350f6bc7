package pastchats

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Cursor is closed; what is read here is what several public readers agree on up
// to Cursor 3.16: composers in one large database, the older panel in one of each
// workspace, and the transcripts of cursor-agent. The same databases hold sign-ins:
// values are only asked for by the keys that are named here.

const (
	cursorRow   = 64 << 20 // bytes of a composer with all it says inside, or of a panel
	cursorSmall = 8 << 20  // bytes of one message, or of a composer in the list
)

// cursorWorkspace is how many bytes the file that names a workspace's folder may have.
const cursorWorkspace = 64 << 10

type cursor struct {
	home        *Home
	user, agent string // the user folder, and that of cursor-agent
	words       *marks

	dbs   map[string]*database
	chats map[string]cursorChat
	known map[string]bool // composers, also those that are left out
}

// cursorChat is a chat that was found.
type cursorChat struct {
	path             string
	kind             cursorKind
	title, cwd       string
	started, updated int64
}

type cursorKind int

const (
	cursorComposer cursorKind = iota
	cursorTab
	cursorTranscript
)

// newCursor reads Cursor.
func newCursor(h *Home) finder {
	base := ""
	switch h.OS {
	case "windows":
		base = cmp.Or(h.getenv("APPDATA"), filepath.Join(h.Dir, "AppData", "Roaming"))
	case "darwin":
		base = filepath.Join(h.Dir, "Library", "Application Support")
	default:
		if base = h.getenv("XDG_CONFIG_HOME"); !filepath.IsAbs(base) {
			base = filepath.Join(h.Dir, ".config")
		}
	}
	return &cursor{
		home: h, user: filepath.Join(base, "Cursor", "User"), agent: filepath.Join(h.Dir, ".cursor"), words: newMarks(commonMarks()...),
		dbs: map[string]*database{}, chats: map[string]cursorChat{}, known: map[string]bool{},
	}
}

func (c *cursor) find(ctx context.Context) (found, error) {
	var f found
	global := ""
	var workspaces []string // their databases
	left, err := c.home.walk(ctx, c.user, func(e entry) bool {
		p := strings.Split(e.rel, "/")
		switch {
		case e.dir:
			return len(p) == 1 && (p[0] == "globalStorage" || p[0] == "workspaceStorage") || len(p) == 2 && p[0] == "workspaceStorage"
		case e.rel == "globalStorage/state.vscdb":
			global = e.path
		case len(p) == 3 && p[0] == "workspaceStorage" && p[2] == "state.vscdb":
			workspaces = append(workspaces, e.path)
		}
		return false
	})
	f.left = left
	if err != nil && ctx.Err() != nil {
		return f, ctx.Err()
	}
	folders := map[string]string{} // by composer
	var tabs []chatFile
	for _, path := range workspaces {
		tabs = append(tabs, c.workspace(ctx, path, folders)...)
	}
	if global != "" {
		f.files = append(f.files, c.composers(ctx, global, folders)...)
		if db := c.dbs[global]; db != nil && db.Old {
			f.old = append(f.old, global)
		}
	}
	for _, t := range tabs {
		if !c.known[t.Key] {
			f.files = append(f.files, t)
		}
	}
	files, left, aerr := c.transcripts(ctx)
	f.files, f.left = append(f.files, files...), f.left+left
	if ctx.Err() != nil {
		return f, ctx.Err()
	}
	return f, cmp.Or(err, aerr)
}

// composers lists the chats of the one large database.
func (c *cursor) composers(ctx context.Context, path string, folders map[string]string) []chatFile {
	db, err := c.home.database(ctx, c.user, path)
	if err != nil {
		return nil
	}
	c.dbs[path] = db
	heads := c.heads(ctx, db)
	if kv := have(db.columns(ctx, "cursorDiskKV")); !kv["key"] || !kv["value"] {
		return nil
	}
	var files []chatFile
	helpers := map[string]bool{} // named as another's
	// A range of keys: the table may have millions of rows of other kinds.
	q := "SELECT key, " + upTo("value", cursorSmall) + ", " + tooLong("value", cursorSmall) + " FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
	_ = again(func() error { // what was listed before an error stays
		files = nil
		clear(helpers)
		return db.each(ctx, q, nil, func(col []any) error {
			id := strings.TrimPrefix(asText(col[0]), "composerData:")
			if id == "" {
				return nil
			}
			c.known[id] = true
			chat := cursorChat{path: path, kind: cursorComposer, title: heads[id].title, cwd: cmp.Or(folders[id], heads[id].cwd)}
			f := chatFile{Source: "cursor", Key: id, Path: path}
			if asInt(col[2]) != 1 {
				data := cursorDataOf(parse(bytesOf(col[1])))
				for _, other := range data.helpers {
					helpers[other] = true
				}
				if data.out || data.count == 0 && !data.damaged {
					return nil
				}
				chat.title, chat.cwd = cmp.Or(data.title, chat.title), cmp.Or(chat.cwd, data.cwd)
				chat.started, chat.updated = data.started, cmp.Or(data.updated, data.started)
				f.Count = data.count
			}
			f.MTime, f.Project = nanos(max(chat.started, chat.updated)), projectOf(chat.cwd)
			c.chats[id] = chat
			files = append(files, f)
			return nil
		})
	})
	return slices.DeleteFunc(files, func(f chatFile) bool { return helpers[f.Key] })
}

// cursorHead is what the index says of a composer.
type cursorHead struct{ title, cwd string }

// heads reads the index of composers, where there is one.
func (c *cursor) heads(ctx context.Context, db *database) map[string]cursorHead {
	heads := map[string]cursorHead{}
	for _, v := range c.items(ctx, db, "composer.composerHeaders") {
		v.get("allComposers").items(func(h value) bool {
			if id := h.get("composerId").text(); id != "" {
				heads[id] = cursorHead{h.get("name").text(), cursorFolder(h.get("workspaceIdentifier", "uri"))}
			}
			return true
		})
	}
	return heads
}

// items gives values of ItemTable by their keys, never any other.
func (c *cursor) items(ctx context.Context, db *database, keys ...string) map[string]value {
	out := map[string]value{}
	if t := have(db.columns(ctx, "ItemTable")); !t["key"] || !t["value"] {
		return out
	}
	for _, key := range keys {
		_ = again(func() error {
			return db.each(ctx, "SELECT "+upTo("value", cursorRow)+" FROM ItemTable WHERE key = ?", []any{key}, func(col []any) error {
				out[key] = slices.Clone(parse(bytesOf(col[0])))
				return nil
			})
		})
	}
	return out
}

const (
	cursorIndexKey = "composer.composerData"
	cursorPanelKey = "workbench.panel.aichat.view.aichat.chatdata"
)

// workspace lists the chats of the older panel in a workspace's database, and
// notes which composers are the workspace's.
func (c *cursor) workspace(ctx context.Context, path string, folders map[string]string) []chatFile {
	db, err := c.home.database(ctx, c.user, path)
	if err != nil {
		return nil
	}
	folder := ""
	if b, err := c.home.whole(c.user, filepath.Join(filepath.Dir(path), "workspace.json"), cursorWorkspace); err == nil {
		folder = cursorFolder(parse(b).get("folder"))
	}
	items := c.items(ctx, db, cursorIndexKey, cursorPanelKey)
	items[cursorIndexKey].get("allComposers").items(func(h value) bool {
		if id := h.get("composerId").text(); id != "" && folder != "" {
			folders[id] = folder
		}
		return true
	})
	var files []chatFile
	cursorTabs(items[cursorPanelKey], func(id string, tab value) {
		if _, twice := c.chats[id]; twice {
			return
		}
		at := when(tab.get("lastSendTime"))
		c.chats[id] = cursorChat{path: path, kind: cursorTab, title: tab.get("chatTitle").text(), cwd: folder, started: at, updated: at}
		f := chatFile{Source: "cursor", Key: id, Path: path, MTime: nanos(at), Project: projectOf(folder)}
		tab.get("bubbles").items(func(value) bool { f.Count++; return true })
		files = append(files, f)
	})
	if len(files) == 0 {
		_ = db.close() // read only, and not needed any more
		return nil
	}
	c.dbs[path] = db
	return files
}

// cursorTabs calls each for every chat of the older panel.
func cursorTabs(panel value, each func(id string, tab value)) {
	panel.get("tabs").items(func(tab value) bool {
		if id := tab.get("tabId").text(); id != "" {
			each(id, tab)
		}
		return true
	})
}

// cursorFolder is the folder that an address or an identifier of one names. Of a
// folder on another machine it is the path there.
func cursorFolder(uri value) string {
	if uri.isObject() {
		return cmp.Or(uri.get("fsPath").text(), uri.get("path").text())
	}
	_, rest, ok := strings.Cut(uri.text(), "://")
	if i := strings.IndexByte(rest, '/'); ok && i >= 0 {
		rest = rest[i:] // what stands before is a machine
	} else {
		return ""
	}
	path, err := url.PathUnescape(rest)
	if err != nil || path == "/" {
		return ""
	}
	if cursorDrive().MatchString(path) {
		path = path[1:]
	}
	return valid(path)
}

var cursorDrive = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[A-Za-z]:`) })

// transcripts lists the chats of cursor-agent that no database has.
func (c *cursor) transcripts(ctx context.Context) ([]chatFile, int, error) {
	var files []chatFile
	left, err := c.home.walk(ctx, c.agent, func(e entry) bool {
		p := strings.Split(e.rel, "/")
		if p[0] != "projects" || len(p) > 2 && p[2] != "agent-transcripts" {
			return false
		}
		if e.dir {
			return len(p) < 5 // not that of helpers below a chat
		}
		if len(p) == 5 && p[4] == p[3]+".jsonl" && !c.known[p[3]] {
			id := p[3]
			c.known[id] = true
			c.chats[id] = cursorChat{path: e.path, kind: cursorTranscript}
			files = append(files, chatFile{Source: "cursor", Key: id, Path: e.path, Size: e.size, MTime: e.mtime})
		}
		return false
	})
	return files, left, err
}

func (c *cursor) read(ctx context.Context, f chatFile, out *talk) error {
	chat, ok := c.chats[f.Key]
	if !ok {
		return nil
	}
	return again(func() error {
		*out = talk{Title: chat.title, Cwd: chat.cwd, Started: chat.started, Updated: chat.updated}
		switch chat.kind {
		case cursorTab:
			return c.readTab(ctx, c.dbs[chat.path], f.Key, out)
		case cursorTranscript:
			return c.readTranscript(ctx, chat.path, out)
		}
		return c.readComposer(ctx, c.dbs[chat.path], f.Key, out)
	})
}

func (c *cursor) close() error {
	var err error
	for _, path := range slices.Sorted(maps.Keys(c.dbs)) {
		err = cmp.Or(err, c.dbs[path].close())
	}
	c.dbs = map[string]*database{}
	return err
}
