package pastchats

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"
)

// Gemini CLI keeps a session in tmp/<project>/chats: as one JSON file (from
// August 2025), since April 2026 as a log of changes. Read from 0.15.4 to 0.61.0.
// No file names its folder, and one session may have several files.

type geminiCLI struct {
	home  *Home
	root  string
	words *geminiWords

	listed  bool
	short   map[string]string // folders by their short names
	hashed  map[string]string // folders by the sha256 of their paths
	folders map[string]string // folders by the names below tmp, as far as known
	cwds    map[string]string // folders by the chats' keys
}

// newGeminiCLI reads Gemini CLI.
func newGeminiCLI(h *Home) finder {
	home := h.getenv("GEMINI_CLI_HOME")
	if home == "" {
		home = h.Dir
	}
	return &geminiCLI{
		home: h, root: filepath.Join(home, ".gemini"), words: newGeminiWords(),
		folders: map[string]string{}, cwds: map[string]string{},
	}
}

func (g *geminiCLI) close() error { return nil }

const (
	geminiPeek     = 16 << 10 // bytes of a file that a look reads
	geminiProjects = 4 << 20  // bytes of projects.json
	geminiFolder   = 4 << 10  // bytes of .project_root
	geminiWhole    = 64 << 20 // bytes of a chat that is one JSON
)

// geminiFile is one file of a session.
type geminiFile struct {
	entry
	project string // the folder below tmp
	stem    string
	log     bool
}

func (g *geminiCLI) find(ctx context.Context) (found, error) {
	var out found
	var files []geminiFile
	left, err := g.home.walk(ctx, g.root, func(e entry) bool {
		parts := strings.Split(e.rel, "/")
		if parts[0] != "tmp" || len(parts) == 3 && parts[2] != "chats" {
			return false
		}
		if e.dir {
			return len(parts) <= 3
		}
		if len(parts) == 4 && strings.HasPrefix(parts[3], "session-") {
			if stem, ok := strings.CutSuffix(parts[3], ".jsonl"); ok {
				files = append(files, geminiFile{e, parts[1], stem, true})
			} else if stem, ok := strings.CutSuffix(parts[3], ".json"); ok {
				files = append(files, geminiFile{e, parts[1], stem, false})
			}
		}
		return true
	})
	out.left = left
	if err != nil {
		return out, err
	}
	sessions := map[string][]geminiFile{}
	hashes := map[string]string{}
	peeker := g.home.peeker(g.root)
	defer peeker.close()
	var keys []string
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		b, _ := peeker.head(f.entry, geminiPeek) // what cannot be read is counted when it is
		head := geminiPeeked(b, f.log)
		if head.kind == "subagent" {
			continue
		}
		key := head.id
		if key == "" {
			key = path.Join(f.project, path.Base(f.rel))
		}
		if sessions[key] == nil {
			keys = append(keys, key)
		}
		sessions[key] = append(sessions[key], f)
		if hashes[key] == "" {
			hashes[key] = head.hash
		}
	}
	for _, key := range keys {
		out.files = append(out.files, g.join(key, sessions[key], hashes[key]))
	}
	return out, nil
}

// join makes one chat of a session's files. Which of them has the words only
// reading tells; the largest is named, but no JSON that has a log beside it.
func (g *geminiCLI) join(key string, files []geminiFile, hash string) chatFile {
	logs := map[string]bool{}
	for _, f := range files {
		if f.log {
			logs[f.project+"/"+f.stem] = true
		}
	}
	best, most := 0, int64(-1)
	for i, f := range files {
		size := f.size
		if !f.log && logs[f.project+"/"+f.stem] {
			size = 0
		}
		if size > most {
			best, most = i, size
		}
	}
	g.cwds[key] = g.folder(files[best].project, hash)
	file := chatFile{Source: "gemini-cli", Key: key, Path: files[best].path, Project: projectOf(g.cwds[key])}
	for i, f := range files {
		file.Size += f.size
		file.MTime = max(file.MTime, f.mtime)
		if i != best {
			file.Also = append(file.Also, f.path)
		}
	}
	return file
}

// geminiHead is what a file's beginning says.
type geminiHead struct{ id, hash, kind string }

func (h *geminiHead) take(key []byte, val value) {
	switch string(key) {
	case "sessionId":
		if id := val.text(); id != "" && len(id) <= 256 {
			h.id = id
		}
	case "projectHash":
		h.hash = val.text()
	case "kind":
		h.kind = val.text()
	}
}

// geminiPeeked reads the header in a file's beginning.
func geminiPeeked(b []byte, log bool) geminiHead {
	b = trimStart(b)
	for len(b) > 0 {
		var head geminiHead
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		if !log {
			line, rest = b, nil
		}
		value(bytes.TrimLeft(line, " \t\r\x00")).partial(func(key []byte, val value, whole bool) bool {
			if whole {
				head.take(key, val)
			}
			return true
		})
		if head.id != "" {
			return head
		}
		b = rest
	}
	return geminiHead{}
}

// folder is the folder of a project below tmp, "" when nothing tells it.
func (g *geminiCLI) folder(project, hash string) string {
	folder, known := g.folders[project]
	if !known {
		b, err := g.home.head(g.root, filepath.Join(g.root, "tmp", project, ".project_root"), geminiFolder)
		if err == nil {
			line, _, _ := strings.Cut(valid(string(trimStart(b))), "\n")
			folder = strings.TrimSpace(line)
		}
		if folder == "" {
			g.list()
			folder = g.short[project]
		}
		g.folders[project] = folder
	}
	if folder != "" {
		return folder
	}
	g.list()
	if folder = g.hashed[project]; folder == "" {
		folder = g.hashed[hash]
	}
	return folder
}

// list reads the list of projects, once. It can be torn: what stands before the
// tear holds.
func (g *geminiCLI) list() {
	if g.listed {
		return
	}
	g.listed = true
	g.short, g.hashed = map[string]string{}, map[string]string{}
	b, err := g.home.whole(g.root, filepath.Join(g.root, "projects.json"), geminiProjects)
	if err != nil {
		return
	}
	value(trimStart(b)).partial(func(key []byte, val value, _ bool) bool {
		if string(key) == "projects" {
			val.partial(func(key []byte, val value, whole bool) bool {
				if !whole || len(key) == 0 {
					return whole
				}
				folder := value(append(append([]byte{'"'}, key...), '"')).text()
				g.short[val.text()] = folder
				sum := sha256.Sum256([]byte(folder))
				g.hashed[hex.EncodeToString(sum[:])] = folder
				return true
			})
		}
		return true
	})
	delete(g.short, "")
}

func (g *geminiCLI) read(ctx context.Context, f chatFile, c *talk) error {
	var (
		best  *geminiTalk
		wins  geminiTalk
		part  error // reading the one that wins ended early
		err   error
		wrong bool // of what is not taken something could not be read
	)
	for _, p := range append([]string{f.Path}, f.Also...) {
		talk, rerr := g.readFile(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if rerr != nil && err == nil {
			err = rerr
		}
		if talk.kind == "subagent" {
			continue
		}
		if !talk.said() {
			wrong = wrong || talk.damaged
			continue
		}
		if best == nil || talk.beats(best) {
			wins = talk
			best, part = &wins, rerr
		}
	}
	if best == nil {
		c.Damaged = wrong
		return err
	}
	best.tell(c)
	if c.Cwd = g.cwds[f.Key]; c.Cwd == "" {
		c.Cwd = best.folder
	}
	return part
}

// readFile reads one file of a session.
func (g *geminiCLI) readFile(ctx context.Context, p string) (geminiTalk, error) {
	talk := newGeminiTalk(g.words)
	if strings.HasSuffix(p, ".json") {
		b, err := g.home.whole(g.root, p, geminiWhole)
		if err != nil {
			return talk, err
		}
		if !talk.whole(trimStart(b)) {
			talk = newGeminiTalk(g.words)
			talk.damaged = true
		}
		return talk, nil
	}
	talk.log = true
	long, err := g.home.lines(ctx, g.root, p, maxLine, func(line []byte) error {
		if !talk.line(line) {
			talk.damaged = true
		}
		return nil
	})
	if long > 0 {
		talk.damaged = true
	}
	return talk, err
}
