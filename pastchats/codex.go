package pastchats

import (
	"context"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Codex keeps a chat (a thread) in a rollout file: bare items (0.2x), wrapped
// lines (0.36 to 0.171 seen), or one JSON of the TypeScript program (to May
// 2025). Files that lay still are squeezed; archived ones lie flat.

type codex struct {
	home  *Home
	root  string
	words *codexWords

	threads map[string]codexFile // every thread, helpers' among them: forks refer to it
	titles  map[string]string    // the names that the person's threads were given
}

// codexFile is a rollout.
type codexFile struct {
	entry
	stem string // its name without what says its kind
	kind codexKind
	head codexHead
}

type codexKind int

const (
	codexNone codexKind = iota
	codexPlain
	codexSqueezed
	codexWhole // one JSON, of the TypeScript program
)

// newCodex reads Codex.
func newCodex(h *Home) finder {
	root := h.getenv("CODEX_HOME")
	if root == "" {
		root = filepath.Join(h.Dir, ".codex")
	}
	return &codex{home: h, root: root, words: newCodexWords(), threads: map[string]codexFile{}, titles: map[string]string{}}
}

func (c *codex) close() error { return nil }

// codexName takes a rollout's name apart: rollout-<time>-<uuid> and what is
// behind it.
func codexName(name string) (stem string, kind codexKind) {
	if !strings.HasPrefix(name, "rollout-") {
		return "", codexNone
	}
	for _, end := range []struct {
		ext  string
		kind codexKind
	}{{".jsonl", codexPlain}, {".jsonl.zst", codexSqueezed}, {".json", codexWhole}} {
		if stem, ok := strings.CutSuffix(name, end.ext); ok {
			return stem, end.kind
		}
	}
	return "", codexNone
}

// codexID is the thread's id in a rollout's name.
func codexID(stem string) string {
	const uuid = 36
	if n := len(stem); n > uuid && strings.Count(stem[n-uuid:], "-") == 4 && stem[n-uuid+8] == '-' {
		return stem[n-uuid:]
	}
	return strings.TrimPrefix(stem, "rollout-")
}

func (c *codex) find(ctx context.Context) (found, error) {
	names, twins, left, err := c.rollouts(ctx)
	out := found{left: left}
	if err != nil {
		return out, err
	}
	var keys []string
	also := map[string][]codexFile{} // by id
	peeker := c.home.peeker(c.root)
	defer peeker.close()
	for _, f := range names {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		f.head = c.peek(peeker, f)
		if f.head.id == "" {
			f.head.id = codexID(f.stem)
		}
		id := f.head.id
		also[id] = append(also[id], twins[f.stem]...)
		old, twice := c.threads[id]
		switch {
		case !twice:
			keys = append(keys, id)
			c.threads[id] = f
		case f.beats(old):
			also[id] = append(also[id], old)
			c.threads[id] = f
		default:
			also[id] = append(also[id], f)
		}
	}
	for _, id := range keys {
		f := c.threads[id]
		if f.head.helper {
			continue
		}
		file := chatFile{Source: "codex", Key: id, Path: f.path, Size: f.size, MTime: f.mtime, Project: projectOf(f.head.cwd)}
		for _, twin := range also[id] {
			file.Also = append(file.Also, twin.path)
			file.Size += twin.size
			file.MTime = max(file.MTime, twin.mtime)
		}
		out.files = append(out.files, file)
	}
	if len(out.files) > 0 {
		c.readTitles(ctx)
		for i := range out.files { // a chat whose name alone changed has changed too
			out.files[i].Count = codexNameMark(c.titles[out.files[i].Key])
		}
	}
	return out, nil
}

// rollouts lists the files by their names. A thread's plain and squeezed file
// have one name: only one of them is looked into, the others are its twins.
func (c *codex) rollouts(ctx context.Context) (names []codexFile, twins map[string][]codexFile, left int, err error) {
	at := map[string]int{} // of a name in names
	twins = map[string][]codexFile{}
	left, err = c.home.walk(ctx, c.root, func(e entry) bool {
		top, _, _ := strings.Cut(e.rel, "/")
		if top != "sessions" && top != "archived_sessions" {
			return false
		}
		if e.dir {
			return true
		}
		stem, kind := codexName(path.Base(e.rel))
		if kind == codexNone {
			return true
		}
		f := codexFile{entry: e, stem: stem, kind: kind}
		i, twice := at[stem]
		if !twice {
			at[stem] = len(names)
			names = append(names, f)
			return true
		}
		if f.beats(names[i]) {
			f, names[i] = names[i], f
		}
		twins[stem] = append(twins[stem], f)
		return true
	})
	return names, twins, left, err
}

// beats reports that of two files of one thread f is the one to read: the plain
// one before the squeezed one, then the newer, then the larger.
func (f codexFile) beats(old codexFile) bool {
	if (f.kind == codexSqueezed) != (old.kind == codexSqueezed) {
		return old.kind == codexSqueezed
	}
	if f.mtime != old.mtime {
		return f.mtime > old.mtime
	}
	return f.size > old.size
}

// codexNames bounds a line of the list of names.
const codexNames = 64 << 10

// readTitles reads the list of names, to which every new name is added: the last
// one that is not blank counts. Without the list there are no names.
func (c *codex) readTitles(ctx context.Context) {
	_, _ = c.home.lines(ctx, c.root, filepath.Join(c.root, "session_index.jsonl"), codexNames, func(line []byte) error {
		var id, name string
		v := parse(line)
		if v.fields(func(key string, val value) {
			switch key {
			case "id":
				id = val.text()
			case "thread_name":
				name = val.text()
			}
		}) && strings.TrimSpace(name) != "" {
			if f, ok := c.threads[id]; ok && !f.head.helper {
				c.titles[id] = name
			}
		}
		return nil
	})
}

// codexNameMark stands for a thread's name, 0 for none.
func codexNameMark(name string) int {
	if name == "" {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return int(h.Sum32()>>1) | 1
}

// open opens a rollout as plain text.
func (c *codex) open(f codexFile) (io.ReadCloser, error) {
	file, err := c.home.open(c.root, f.path)
	if err != nil {
		return nil, err
	}
	return codexText(file, f.kind)
}

// codexText gives an opened rollout as plain text.
func codexText(file *os.File, kind codexKind) (io.ReadCloser, error) {
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	// What is written meanwhile is read next time.
	r := io.LimitReader(file, info.Size())
	if kind != codexSqueezed {
		return opened{r, file}, nil
	}
	plain, err := unsqueeze(r)
	if err != nil {
		file.Close()
		return nil, err
	}
	return opened{plain, both{plain, file}}, nil
}

type opened struct {
	io.Reader
	io.Closer
}

type both [2]io.Closer

func (b both) Close() error { return errors.Join(b[0].Close(), b[1].Close()) }

// thread gives the rollout of a chatFile, which may come from another look.
func (c *codex) thread(f chatFile) (codexFile, error) {
	if t, ok := c.threads[f.Key]; ok && t.path == f.Path {
		return t, nil
	}
	_, kind := codexName(filepath.Base(f.Path))
	if kind == codexNone {
		return codexFile{}, fs.ErrNotExist
	}
	return codexFile{entry: entry{path: f.Path, size: f.Size, mtime: f.MTime}, kind: kind}, nil
}
