package pastchats

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// pi reads the coding agent pi, as its versions 1 to 3 write it (0.73.1): one file
// for a session, <folder>/<time>_<session>.jsonl, whose entries name their parent.
type pi struct {
	h     *Home
	root  string
	marks *marks
}

// newPi reads pi.
func newPi(h *Home) finder {
	agent := cmp.Or(h.getenv("PI_CODING_AGENT_DIR"), filepath.Join(h.Dir, ".pi", "agent"))
	root := cmp.Or(h.getenv("PI_CODING_AGENT_SESSION_DIR"), filepath.Join(agent, "sessions"))
	return &pi{h: h, root: root, marks: newMarks(commonMarks()...)}
}

func (p *pi) close() error { return nil }

func (p *pi) find(ctx context.Context) (found, error) {
	var all found
	at := map[string]int{} // of a session in all.files
	look := p.h.peeker(p.root)
	defer look.close()
	left, err := p.h.walk(ctx, p.root, func(e entry) bool {
		if e.dir || strings.Count(e.rel, "/") > 1 || !strings.HasSuffix(e.rel, ".jsonl") {
			return e.dir && !strings.Contains(e.rel, "/")
		}
		var header piHeader
		if head, err := look.head(e, headBytes); err == nil {
			first, _, _ := strings.Cut(strings.TrimPrefix(string(head), "\ufeff"), "\n")
			var l piLine
			if l.take([]byte(first)) {
				header.take(l)
			}
		}
		f := chatFile{Source: "pi", Key: header.session(e.path), Path: e.path, Size: e.size, MTime: e.mtime, Project: projectOf(header.cwd)}
		if f.Key == "" || !utf8.ValidString(f.Key) {
			return false
		}
		if i, twice := at[f.Key]; twice {
			all.files[i] = sameChat(all.files[i], f)
			return true
		}
		at[f.Key] = len(all.files)
		all.files = append(all.files, f)
		return true
	})
	if err != nil {
		return found{}, err
	}
	all.left = left
	return all, nil
}

// piLine is what matters of one line.
type piLine struct{ kind, id, parent, at, message, name, cwd, model value }

// take reports that a line is a whole object.
func (l *piLine) take(b []byte) bool {
	return parse(b).members(func(key []byte, val value) bool {
		switch string(key) {
		case "type":
			l.kind = val
		case "id":
			l.id = val
		case "parentId":
			l.parent = val
		case "timestamp":
			l.at = val
		case "message":
			l.message = val
		case "name":
			l.name = val
		case "cwd":
			l.cwd = val
		case "modelId":
			l.model = val
		}
		return true
	})
}

// piHeader is a session's first line.
type piHeader struct {
	id, cwd, model string
	at             int64
}

// take reports that a line is a header.
func (h *piHeader) take(l piLine) bool {
	if !l.kind.is("session") {
		return false
	}
	*h = piHeader{l.id.text(), l.cwd.text(), l.model.text(), when(l.at)}
	return true
}

// session is the session's id: the header's, else the end of the file's name.
func (h *piHeader) session(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if _, id, ok := strings.Cut(name, "_"); ok {
		name = id
	}
	return cmp.Or(h.id, name)
}

// piEntry is one entry of the tree.
type piEntry struct {
	parent int // -1 at a root
	words  int // its message in said, -1 for none
}

// piTree is a session as it is written: going back leaves the other branch in the
// file. What the chat was in the end is the way from the last entry to the root.
type piTree struct {
	entries []piEntry
	at      map[string]int // by id
	said    []message
	models  []string // of said
}

func (p *pi) read(ctx context.Context, f chatFile, chat *talk) error {
	tree := piTree{at: map[string]int{}}
	var header piHeader
	long, err := p.h.lines(ctx, p.root, f.Path, maxLine, func(b []byte) error {
		var l piLine
		if !l.take(b) {
			chat.Damaged = chat.Damaged || !json.Valid(b)
			return nil
		}
		if header.take(l) {
			return nil
		}
		at := when(l.at)
		header.at = cmp.Or(header.at, at)
		chat.Updated = max(chat.Updated, at)
		if l.kind.is("session_info") {
			chat.Title = trim(l.name.text()) // an empty one takes the name away
		}
		p.grow(&tree, l, at)
		return nil
	})
	chat.Damaged = chat.Damaged || long > 0
	chat.Cwd, chat.Started = header.cwd, header.at
	chat.Updated = cmp.Or(chat.Updated, header.at)
	var way []int
	for i := len(tree.entries) - 1; i >= 0; i = tree.entries[i].parent { // a parent always stands before
		if w := tree.entries[i].words; w >= 0 {
			way = append(way, w)
		}
	}
	for i := len(way) - 1; i >= 0; i-- {
		chat.words = append(chat.words, tree.said[way[i]])
		chat.Model = cmp.Or(tree.models[way[i]], chat.Model)
	}
	chat.Model = cmp.Or(chat.Model, header.model)
	return err
}

// grow adds an entry. One without an id follows the one before it (version 1), and
// so does one whose parent is not in the file, that nothing before it is lost.
func (p *pi) grow(tree *piTree, l piLine, at int64) {
	id := l.id.text()
	if _, twice := tree.at[id]; twice {
		return
	}
	e := piEntry{parent: len(tree.entries) - 1, words: -1}
	if id != "" {
		if i, ok := tree.at[l.parent.text()]; ok && l.parent.isString() {
			e.parent = i
		} else if string(l.parent) == "null" {
			e.parent = -1
		}
		tree.at[id] = len(tree.entries)
	}
	if l.kind.is("message") {
		if text, role := p.words(l.message); text != "" {
			if at == 0 {
				at = when(l.message.get("timestamp"))
			}
			e.words = len(tree.said)
			var one talk // it cuts what is very long
			one.say(role, text, at)
			tree.said = append(tree.said, one.words[0])
			tree.models = append(tree.models, l.message.get("model").text())
		}
	}
	tree.entries = append(tree.entries, e)
}

// words gives what a message says: a person's or an answer's text.
func (p *pi) words(message value) (string, Role) {
	role := Role(message.get("role").text())
	if role != User && role != Assistant {
		return "", ""
	}
	var parts []string
	textsOf(message.get("content"), func(text string) {
		if role == User {
			text = p.marks.strip(text)
		}
		if text = trim(text); text != "" {
			parts = append(parts, text)
		}
	})
	return strings.Join(parts, "\n\n"), role
}
