package pastchats

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// claudeCode reads Claude Code, as 1.0.60 to 2.1.331 write it: one file for a
// session, projects/<folder>/<session>.jsonl, one JSON object a line in the order
// of the talk.
type claudeCode struct {
	h     *Home
	roots []string
	marks *marks
}

// newClaudeCode reads Claude Code.
func newClaudeCode(h *Home) finder {
	c := &claudeCode{h: h, marks: newMarks(append(commonMarks(),
		"bash-input", "bash-stdout", "bash-stderr", "task-notification", "user-memory-input", "ide_diagnostics")...)}
	if dir := h.getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		c.roots = []string{dir}
	} else {
		// The second is where older versions kept it on some systems.
		c.roots = []string{filepath.Join(h.Dir, ".claude"), filepath.Join(h.Dir, ".config", "claude")}
	}
	return c
}

func (c *claudeCode) close() error { return nil }

// find takes the files directly in a project's folder. What lies deeper is not
// entered: helpers' transcripts and tools' results.
func (c *claudeCode) find(ctx context.Context) (found, error) {
	var all found
	at := map[string]int{} // of a key in all.files
	for _, root := range c.roots {
		var folder string
		first := len(all.files) // of the folder's files
		left, err := c.h.walk(ctx, filepath.Join(root, "projects"), func(e entry) bool {
			in, name, deep := strings.Cut(e.rel, "/")
			if e.dir {
				return !deep
			}
			key, ok := strings.CutSuffix(name, ".jsonl")
			if !deep || !ok || key == "" || strings.Contains(name, "/") || strings.HasPrefix(name, "agent-") || !utf8.ValidString(key) {
				return false
			}
			if in != folder {
				c.nameProject(root, folder, all.files[first:])
				folder, first = in, len(all.files)
			}
			f := chatFile{Source: "claude-code", Key: key, Path: e.path, Size: e.size, MTime: e.mtime}
			if i, twice := at[key]; twice {
				all.files[i] = sameChat(all.files[i], f)
				return true
			}
			at[key] = len(all.files)
			all.files = append(all.files, f)
			return true
		})
		if err != nil {
			return found{}, err
		}
		c.nameProject(root, folder, all.files[first:])
		all.left += left
	}
	return all, nil
}

// sameChat joins two files of one session, as one that was carried on from
// another folder leaves them: the larger is read.
func sameChat(a, b chatFile) chatFile {
	if b.Size > a.Size {
		a.Path, b.Path = b.Path, a.Path
	}
	a.Also = append(a.Also, b.Path)
	a.Size += b.Size
	a.MTime = max(a.MTime, b.MTime)
	return a
}

const (
	headBytes = 16 << 10 // bytes of a file's beginning that are looked at for its folder
	headTries = 4        // files of one folder that are looked at
)

// nameProject gives the files of one folder their project. The folder's name is
// that of the working folder with all but letters and digits made "-", which
// cannot be turned back; but the files' lines name the working folder, and one
// that fits stands for all.
func (c *claudeCode) nameProject(root, folder string, files []chatFile) {
	for i := range files[:min(len(files), headTries)] {
		cwd := c.firstCwd(root, files[i].Path)
		if cwd == "" {
			continue
		}
		if claudeFolder(cwd) != folder {
			files[i].Project = projectOf(cwd)
			continue
		}
		for j := range files {
			files[j].Project = projectOf(cwd)
		}
		return
	}
}

// firstCwd is the first working folder in the beginning of a file.
func (c *claudeCode) firstCwd(root, path string) (cwd string) {
	head, err := c.h.head(filepath.Join(root, "projects"), path, headBytes)
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(head) {
		// The last line may be cut off: what stands before the cut is good enough here.
		parse(bytes.TrimPrefix(line, []byte("\ufeff"))).members(func(key []byte, val value) bool {
			if string(key) == "cwd" {
				cwd = val.text()
			}
			return cwd == ""
		})
		if cwd != "" {
			return cwd
		}
	}
	return ""
}

// claudeFolder is the name of a working folder's folder.
func claudeFolder(cwd string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, cwd)
}

func (c *claudeCode) rootOf(path string) string {
	for _, root := range c.roots {
		if within(path, root) {
			return filepath.Join(root, "projects")
		}
	}
	return filepath.Join(c.roots[0], "projects") // by a linked folder: in the home
}

// read takes the words line by line. What needs the lines that it passes over
// (whose beginning a rewound prompt was, whether a summary is this file's) is
// looked up in a second reading, and only then.
func (c *claudeCode) read(ctx context.Context, f chatFile, chat *talk) error {
	r := newClaudeReader(chat, f.Key, c.marks)
	root := c.rootOf(f.Path)
	long, err := c.h.lines(ctx, root, f.Path, maxLine, r.line)
	chat.Damaged = chat.Damaged || long > 0
	if err != nil {
		return err
	}
	r.endReplies()
	summaries := r.unsureSummaries()
	if len(r.rewound) > 0 || len(summaries) > 0 {
		tree := claudeTree{short: r.short, parents: map[uint64]uint64{}, all: len(r.rewound) > 0, leaves: summaries}
		if _, err := c.h.lines(ctx, root, f.Path, maxLine, tree.line); err != nil {
			return err
		}
		if tree.all {
			gone := tree.below(r.rewound)
			chat.words = slices.DeleteFunc(chat.words, func(m message) bool { return gone[m.id] })
		}
		for leaf := range tree.parents {
			r.lines[leaf] = struct{}{}
		}
	}
	chat.Title = r.title()
	return nil
}
