package pastchats

import (
	"bytes"
	"context"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// Copilot's chats in VS Code lie in the editor's user folder, beside each
// workspace's storage: as one JSON (before 1.109), then as a log of changes.
// Shapes of VS Code up to 1.134.

type copilotChat struct {
	home  *Home
	roots []string // the user folder of each edition
	words *marks
	chats map[string]copilotPlace // by key
}

// copilotPlace is where a chat was found.
type copilotPlace struct {
	root string
	cwd  string
}

// newCopilotChat reads Copilot in VS Code.
func newCopilotChat(h *Home) finder {
	c := &copilotChat{home: h, words: newMarks(commonMarks()...), chats: map[string]copilotPlace{}}
	base := copilotSettings(h)
	for _, edition := range []string{"Code", "Code - Insiders", "VSCodium", "Code - OSS"} {
		c.roots = append(c.roots, filepath.Join(base, edition, "User"))
	}
	return c
}

// copilotSettings is the folder in which programs keep a person's settings.
func copilotSettings(h *Home) string {
	switch h.OS {
	case "darwin":
		return filepath.Join(h.Dir, "Library", "Application Support")
	case "windows":
		if data := h.getenv("APPDATA"); data != "" {
			return data
		}
		return filepath.Join(h.Dir, "AppData", "Roaming")
	}
	if config := h.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		return config
	}
	return filepath.Join(h.Dir, ".config")
}

func (c *copilotChat) close() error { return nil }

const (
	copilotPeek      = 16 << 10 // bytes of a file that a look reads
	copilotWorkspace = 64 << 10 // bytes of workspace.json
	copilotWhole     = 64 << 20 // bytes of a chat that is one JSON, and of a log's line
)

// copilotFile is a chat in one folder: its log, or its JSON, or both.
type copilotFile struct {
	root      string
	workspace string // the folder below workspaceStorage, "" for none
	name      string
	log       *entry
	whole     *entry
}

func (c *copilotChat) find(ctx context.Context) (found, error) {
	var out found
	var first error
	files := map[string]chatFile{}
	ranks := map[string]int{}
	var keys []string
	cwds := map[string]string{}
	for _, root := range c.roots {
		list, left, err := c.look(ctx, root)
		peeker := c.home.peeker(root)
		out.left += left
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil && first == nil {
			first = err
		}
		for _, f := range list {
			key, file, rank := c.chat(peeker, f)
			old, twice := files[key]
			if twice && (rank < ranks[key] || rank == ranks[key] && (file.MTime < old.MTime || file.MTime == old.MTime && file.Size <= old.Size)) {
				continue
			}
			if !twice {
				keys = append(keys, key)
			}
			place := copilotPlace{root: root}
			if f.workspace != "" {
				at := filepath.Join(root, "workspaceStorage", f.workspace, "workspace.json")
				cwd, known := cwds[at]
				if !known {
					cwd = c.folder(root, at)
					cwds[at] = cwd
				}
				place.cwd = cwd
			}
			file.Project = projectOf(place.cwd)
			files[key], ranks[key], c.chats[key] = file, rank, place
		}
		peeker.close()
	}
	for _, key := range keys {
		out.files = append(out.files, files[key])
	}
	if len(out.files) > 0 {
		first = nil // the other editions' chats are there
	}
	return out, first
}

// look lists the chats below one user folder.
func (c *copilotChat) look(ctx context.Context, root string) (list []*copilotFile, left int, err error) {
	byName := map[string]*copilotFile{}
	left, err = c.home.walk(ctx, root, func(e entry) bool {
		parts := strings.Split(e.rel, "/")
		var workspace string
		switch {
		case parts[0] == "workspaceStorage" && (len(parts) < 3 || parts[2] == "chatSessions"):
			if len(parts) != 4 {
				return len(parts) < 4
			}
			workspace = parts[1]
		case parts[0] == "globalStorage" && (len(parts) < 2 || parts[1] == "emptyWindowChatSessions"):
			if len(parts) != 3 {
				return len(parts) < 3
			}
		default:
			return false
		}
		if e.dir {
			return false
		}
		name, log := strings.CutSuffix(parts[len(parts)-1], ".jsonl")
		if !log {
			var whole bool
			if name, whole = strings.CutSuffix(name, ".json"); !whole {
				return true
			}
		}
		if workspace == "no-workspace" {
			workspace = ""
		}
		at := path.Join(path.Dir(e.rel), name)
		f := byName[at]
		if f == nil {
			f = &copilotFile{root: root, workspace: workspace, name: name}
			byName[at] = f
			list = append(list, f)
		}
		if log {
			f.log = &e
		} else {
			f.whole = &e
		}
		return true
	})
	return list, left, err
}

// chat makes one chat of a folder's files of one name. The log wins; the JSON
// before it is only read when the log says nothing. rank orders those of one id:
// what belongs to a workspace was copied there and went on there.
func (c *copilotChat) chat(p *peeker, f *copilotFile) (key string, file chatFile, rank int) {
	e := f.log
	if e == nil {
		e = f.whole
	}
	file = chatFile{Source: "copilot", Path: e.path, Size: e.size, MTime: e.mtime}
	if f.log != nil && f.whole != nil {
		file.Also = []string{f.whole.path}
		file.Size += f.whole.size
		file.MTime = max(file.MTime, f.whole.mtime)
	}
	b, _ := p.head(*e, copilotPeek) // what cannot be read is counted when it is
	if key = copilotID(b, f.log != nil); key == "" {
		key = f.name
	}
	file.Key = key
	if f.workspace != "" {
		rank = 1
	}
	return key, file, rank
}

// copilotID looks for the session's id in a file's beginning.
func copilotID(b []byte, log bool) (id string) {
	b = trimStart(b)
	take := func(key []byte, val value, whole bool) bool {
		if whole && string(key) == "sessionId" {
			if id = val.text(); len(id) > 256 {
				id = ""
			}
		}
		return true
	}
	if !log {
		value(b).partial(take)
		return id
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	value(line).partial(func(key []byte, val value, _ bool) bool {
		if string(key) == "v" {
			val.partial(take)
		}
		return true
	})
	return id
}

// folder is the folder, or the workspace's file, that a workspace's storage is
// for.
func (c *copilotChat) folder(root, name string) string {
	b, err := c.home.whole(root, name, copilotWorkspace)
	if err != nil {
		return ""
	}
	v := parse(trimStart(b))
	if at := v.get("folder").text(); at != "" {
		return copilotPath(at)
	}
	return copilotPath(v.get("workspace").text())
}

// copilotPath is the path of an address such as file:///c%3A/Users/dev/shop.
func copilotPath(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	i := strings.IndexByte(rest, '/')
	if i < 0 {
		return ""
	}
	p := rest[i:]
	if plain, err := url.PathUnescape(p); err == nil {
		p = valid(plain)
	}
	if len(p) > 2 && isDrive(p[1:]) {
		p = p[1:]
	}
	return p
}

func (c *copilotChat) read(ctx context.Context, f chatFile, chat *talk) error {
	place, known := c.chats[f.Key]
	if !known {
		for _, root := range c.roots {
			if strings.HasPrefix(f.Path, root+string(filepath.Separator)) {
				place.root = root
			}
		}
	}
	var (
		first   error
		best    talk  // that was read in part
		part    error // what ended its reading
		damaged bool
	)
	for _, p := range append([]string{f.Path}, f.Also...) {
		one := talk{Cwd: place.cwd}
		err := c.readFile(ctx, place.root, p, &one)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(one.words) > 0 && err == nil {
			*chat = one
			return nil
		}
		if len(one.words) > len(best.words) {
			best, part = one, err
		}
		if first == nil {
			first = err
		}
		damaged = damaged || one.Damaged
	}
	if part != nil {
		*chat = best
		return part
	}
	chat.Damaged = damaged
	return first
}

func (c *copilotChat) readFile(ctx context.Context, root, p string, chat *talk) error {
	if strings.HasSuffix(p, ".json") {
		b, err := c.home.whole(root, p, copilotWhole)
		if err != nil {
			return err
		}
		v := parse(trimStart(b))
		if !v.isObject() || !v.members(func([]byte, value) bool { return true }) {
			chat.Damaged = true // cut off
			return nil
		}
		c.tell(copilotNode{raw: v}, chat)
		return nil
	}
	var log copilotLog
	long, err := c.home.lines(ctx, root, p, copilotWhole, func(line []byte) error {
		if !log.apply(line) {
			chat.Damaged = true
		}
		return nil
	})
	if long > 0 || log.full {
		chat.Damaged = true
	}
	c.tell(log.root, chat)
	return err
}
