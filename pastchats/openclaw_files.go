package pastchats

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What squeezed events may become, of one chat: a few bytes of zstd can become
// gigabytes, and a million lines.
const (
	openClawUnpacked = 256 << 20 // bytes
	openClawLines    = 2_000_000 // lines of an archive
	openClawEvents   = 100_000   // events of an archive
)

// fewLines reads until there were too many lines; blank ones cost time too.
type fewLines struct {
	r    io.Reader
	left int
}

func (f *fewLines) Read(p []byte) (int, error) {
	if f.left < 0 {
		return 0, errTooBig
	}
	n, err := f.r.Read(p)
	f.left -= bytes.Count(p[:n], []byte("\n"))
	return n, err
}

// openClawArchive is the form of an archive's name, before it becomes a path.
var openClawArchive = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}\.jsonl\.zst$`) })

// openClawFile is a file in the folder sessions of an agent.
type openClawFile struct {
	root string
	entry
}

// openClawFiles are the files of one session: what resets rotated away, by time,
// and the last.
type openClawFiles struct {
	files   []openClawFile
	title   string
	updated int64
	out     bool
}

// openClawID is the session that a file is named after, "" for other files. What a
// reset rotated away is still the person's; what was deleted is not.
func openClawID(name string) string {
	id, rest, ok := strings.Cut(name, ".")
	if ok && (rest == "jsonl" || strings.HasPrefix(rest, "jsonl.reset.")) {
		return id
	}
	return ""
}

// findFiles lists the sessions that no database has.
func (o *openClaw) findFiles(loose []openClawFile) []chatFile {
	var order []string
	for _, f := range loose {
		id := openClawID(filepath.Base(f.path))
		if id == "" || o.known[id] {
			continue
		}
		s := o.files[id]
		if s == nil {
			s = &openClawFiles{}
			o.files[id] = s
			order = append(order, id)
		}
		if n := len(s.files); n > 0 && filepath.Dir(s.files[0].path) != filepath.Dir(f.path) {
			continue // the same session in an older folder
		}
		s.files = append(s.files, f)
	}
	for _, f := range loose {
		if filepath.Base(f.path) == "sessions.json" {
			o.index(f)
		}
	}
	var files []chatFile
	for _, id := range order {
		s := o.files[id]
		if s.out {
			continue
		}
		// <id>.jsonl comes last: resets were before
		slices.SortFunc(s.files, func(a, b openClawFile) int {
			if last := strings.HasSuffix(a.path, ".jsonl"); last != strings.HasSuffix(b.path, ".jsonl") {
				if last {
					return 1
				}
				return -1
			}
			return cmp.Compare(a.path, b.path)
		})
		newest := s.files[len(s.files)-1]
		f := chatFile{Source: "openclaw", Key: id, Path: newest.path}
		for _, x := range s.files {
			if x.path != newest.path {
				f.Also = append(f.Also, x.path)
			}
			f.Size += x.size
			f.MTime = max(f.MTime, x.mtime)
		}
		if b, err := o.home.head(newest.root, newest.path, 16<<10); err == nil {
			line, _, _ := bytes.Cut(b, []byte("\n"))
			f.Project = projectOf(parse(line).get("cwd").text())
		}
		files = append(files, f)
	}
	return files
}

// index reads an agent's sessions.json: whose the sessions are, and their names.
func (o *openClaw) index(f openClawFile) {
	b, err := o.home.whole(f.root, f.path, openClawIndex)
	if err != nil {
		return
	}
	parse(b).fields(func(key string, v value) {
		s := o.files[v.get("sessionId").text()]
		if s == nil || filepath.Dir(s.files[0].path) != filepath.Dir(f.path) {
			return
		}
		x := openClawOwner{key: key, chat: v.get("chatType").text(), spawned: v.get("spawnedBy").text()}
		s.out = s.out || !x.person()
		s.title = cmp.Or(s.title, v.get("label").text(), v.get("displayName").text())
		s.updated = max(s.updated, when(v.get("updatedAt")))
	})
}

func (o *openClaw) readFiles(ctx context.Context, id string, c *talk) error {
	s := o.files[id]
	if s == nil {
		return nil
	}
	c.Title = s.title
	for _, f := range s.files {
		t := newOpenClawTree(o.ids)
		err := o.readFile(ctx, f, t)
		var one talk
		t.give(&one, o.words)
		c.words = append(c.words, one.words[repeated(c.words, one.words):]...)
		c.Title = cmp.Or(c.Title, one.Title)
		c.Cwd = cmp.Or(one.Cwd, c.Cwd)
		c.Model = cmp.Or(one.Model, c.Model)
		c.Started = cmp.Or(c.Started, t.started)
		c.Updated = max(c.Updated, t.last)
		c.Damaged = c.Damaged || one.Damaged
		if err != nil {
			return err
		}
	}
	c.Updated = max(c.Updated, s.updated)
	return nil
}

func (o *openClaw) readFile(ctx context.Context, f openClawFile, t *openClawTree) error {
	long, err := o.home.lines(ctx, f.root, f.path, maxLine, func(line []byte) error {
		t.event(parse(line))
		return nil
	})
	t.damaged = t.damaged || long > 0
	return err
}

// readArchive reads the events that were moved out of a database: to a file, or to
// a row.
func (o *openClaw) readArchive(ctx context.Context, w openClawWindow, id string, t *openClawTree) error {
	db := o.dbs[w.path]
	a := have(db.columns(ctx, "session_transcript_cold_archives"))
	if !a["session_id"] || !a["archive_name"] {
		return nil
	}
	name, blob, stored := "", []byte(nil), false
	q := "SELECT " + a.short("a", "archive_name", "storage") + ", " + upTo(a.col("a", "archive_blob"), maxLine*8) +
		" FROM session_transcript_cold_archives a WHERE session_id = ?"
	if err := db.each(ctx, q, []any{id}, func(c []any) error {
		name, stored = asText(c[0]), asText(c[1]) == "sqlite"
		blob = bytes.Clone(bytesOf(c[2]))
		return nil
	}); err != nil || name == "" {
		return err
	}
	var from io.Reader = bytes.NewReader(blob)
	if !stored {
		if !openClawArchive().MatchString(name) {
			t.damaged = true
			return nil
		}
		file, err := o.home.open(w.root, filepath.Join(w.cold, name))
		if err != nil {
			t.damaged = true // the rest of the chat may still be there
			return nil
		}
		defer file.Close()
		from = file
	}
	in, err := unsqueeze(from)
	if err != nil {
		t.damaged = true
		return nil
	}
	defer in.Close()
	bounded := &io.LimitedReader{R: reading{ctx, in}, N: openClawUnpacked}
	lr := o.home.borrow()
	defer o.home.giveBack(lr)
	events := 0
	long, err := lr.each(&fewLines{bounded, openClawLines}, maxLine, func(line []byte) error {
		v := parse(line)
		if !v.fields(func(string, value) {}) {
			t.damaged = true
		} else if v.get("kind").is("event") {
			if events++; events > openClawEvents {
				return errTooBig
			}
			t.event(parse([]byte(v.get("row", "event_json").text())))
		}
		return nil
	})
	t.damaged = t.damaged || err != nil || long > 0 || bounded.N == 0
	return ctx.Err() // what came before a cut or a bound stays
}
