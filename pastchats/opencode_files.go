package pastchats

import (
	"context"
	"path"
	"path/filepath"
	"strings"
)

// openCodeInfo is how many bytes a session's or a project's file may have.
const openCodeInfo = 1 << 20

// openCodeFiles are the files of one session:
//
//	storage/session/<project>/<session>.json   storage/message/<session>/<message>.json   storage/part/<message>/<part>.json
//	project/<folder>/storage/session/          info/<session>.json, message/<session>/<message>.json, part/<session>/<message>/<part>.json
type openCodeFiles struct {
	info     entry
	project  string // the project's id, where it has one
	messages []openCodeFile
	parts    []openCodeFile
	size     int64
	mtime    int64
}

// openCodeFile is a message or a part; many of them share a folder's name.
type openCodeFile struct{ dir, name string }

// id is what the file is named after.
func (f openCodeFile) id() string { return strings.TrimSuffix(f.name, ".json") }

func (s *openCodeFiles) add(e entry) {
	s.size += e.size
	s.mtime = max(s.mtime, e.mtime)
}

// findFiles lists the sessions that are only in files.
func (o *openCode) findFiles(ctx context.Context) ([]chatFile, int, error) {
	var order []string                       // of the sessions, as they are met
	sessions := map[string]*openCodeFiles{}  // by generation and session
	ofMessage := map[string]*openCodeFiles{} // by message, of the newer generation
	folders := map[string]string{}           // one copy of each folder's name
	session := func(key string) *openCodeFiles {
		s := sessions[key]
		if s == nil {
			s = &openCodeFiles{}
			sessions[key] = s
			order = append(order, key)
		}
		return s
	}
	here := func(e entry) openCodeFile {
		dir := filepath.Dir(e.path)
		if d, ok := folders[dir]; ok {
			dir = d
		} else {
			folders[dir] = dir
		}
		return openCodeFile{dir, strings.Clone(filepath.Base(e.path))}
	}
	parts := false // a message must be known before its parts are looked at
	visit := func(e entry) bool {
		p := strings.Split(e.rel, "/")
		if e.dir {
			return o.enter(p, parts, ofMessage)
		}
		if !strings.HasSuffix(e.rel, ".json") {
			return false
		}
		id := strings.TrimSuffix(path.Base(e.rel), ".json")
		generation, p := openCodeGeneration(p)
		switch {
		case generation == "storage" && len(p) == 3 && p[0] == "session":
			s := session("storage/" + id)
			s.info, s.project = e, p[1]
			s.add(e)
		case generation == "storage" && len(p) == 3 && p[0] == "message":
			s := session("storage/" + p[1])
			s.messages = append(s.messages, here(e))
			s.add(e)
			ofMessage[id] = s
		case generation == "storage" && len(p) == 3 && p[0] == "part":
			if s := ofMessage[p[1]]; s != nil {
				s.parts = append(s.parts, here(e))
				s.add(e)
			}
		case generation == "storage" && len(p) == 2 && p[0] == "project":
			o.project(id, e)
		case generation != "" && len(p) == 2 && p[0] == "info":
			s := session(generation + "/" + id)
			s.info = e
			s.add(e)
		case generation != "" && len(p) == 3 && p[0] == "message":
			s := session(generation + "/" + p[1])
			s.messages = append(s.messages, here(e))
			s.add(e)
		case generation != "" && len(p) == 4 && p[0] == "part":
			s := session(generation + "/" + p[1])
			s.parts = append(s.parts, here(e))
			s.add(e)
		}
		return false
	}
	left, err := o.home.walk(ctx, o.root, visit)
	if parts = true; err == nil && len(ofMessage) > 0 {
		_, err = o.home.walk(ctx, o.root, visit)
	}
	var files []chatFile
	for _, first := range []bool{true, false} { // the newer generation wins
		for _, key := range order {
			s := sessions[key]
			if strings.HasPrefix(key, "storage/") != first || s.info.path == "" {
				continue // messages of a session that was deleted
			}
			id := path.Base(key)
			if _, there := o.rows[id]; there || o.old[id] != nil {
				continue
			}
			o.old[id] = s
			if f, ok := o.fileOf(id, s); ok {
				files = append(files, f)
			}
		}
	}
	return files, left, err
}

// openCodeGeneration tells the two layouts apart, and gives what stands below.
func openCodeGeneration(p []string) (string, []string) {
	switch {
	case len(p) > 1 && p[0] == "storage":
		return "storage", p[1:]
	case len(p) > 4 && p[0] == "project" && p[2] == "storage" && p[3] == "session":
		return "project/" + p[1], p[4:]
	}
	return "", nil
}

// enter tells which folders can hold chats that no database has; parts is set for
// the walk over the newer generation's parts alone.
func (o *openCode) enter(p []string, parts bool, ofMessage map[string]*openCodeFiles) bool {
	inDatabase := func(id string) bool { _, ok := o.rows[id]; return ok }
	switch p[0] {
	case "storage":
		switch {
		case len(p) == 1:
			return true
		case parts != (p[1] == "part"):
			return false
		case p[1] == "session", p[1] == "project":
			return len(p) < 4
		case p[1] == "message":
			return len(p) == 2 || len(p) == 3 && !inDatabase(p[2])
		case p[1] == "part":
			return len(p) == 2 || len(p) == 3 && ofMessage[p[2]] != nil
		}
	case "project":
		switch {
		case parts:
			return false
		case len(p) < 3:
			return true
		case p[2] != "storage", len(p) > 3 && p[3] != "session":
			return false
		case len(p) < 5:
			return true
		case p[4] == "info", p[4] == "message", p[4] == "part":
			return len(p) == 5 || len(p) < 8 && !inDatabase(p[5])
		}
	}
	return false
}

// project keeps a project's folder.
func (o *openCode) project(id string, e entry) {
	b, err := o.home.whole(o.root, e.path, openCodeInfo)
	if err == nil {
		if tree := folderOr(parse(b).get("worktree").text()); tree != "" {
			o.worktrees[id] = tree
		}
	}
}

// fileOf is a session as it is listed; not those of helpers.
func (o *openCode) fileOf(id string, s *openCodeFiles) (chatFile, bool) {
	f := chatFile{
		Source: "opencode", Key: id, Path: s.info.path,
		Size: s.size, MTime: s.mtime, Count: len(s.messages) + len(s.parts),
	}
	b, err := o.home.head(o.root, s.info.path, 16<<10)
	if err != nil {
		return f, true // counted as one that cannot be read
	}
	child, cwd := false, ""
	parse(b).fields(func(key string, v value) {
		switch key {
		case "parentID":
			child = v.text() != ""
		case "projectID":
			s.project = v.text()
		case "directory":
			cwd = v.text()
		}
	})
	f.Project = projectOf(folderOr(cwd, o.worktrees[s.project]))
	return f, !child
}

func (o *openCode) readFiles(ctx context.Context, id string, c *talk) error {
	s := o.old[id]
	if s == nil {
		return nil
	}
	b, err := o.home.whole(o.root, s.info.path, openCodeInfo)
	if err != nil {
		return err
	}
	info := parse(b)
	if !info.fields(func(string, value) {}) {
		c.Damaged = true // nobody knows whether it is a helper's
		return nil
	}
	if info.get("parentID").text() != "" {
		return nil
	}
	t := &openCodeTurns{}
	t.undoFrom(info.get("revert"))
	c.Title = openCodeTitle(info.get("title").text())
	c.Cwd = folderOr(info.get("directory").text(), o.worktrees[s.project])
	c.Started, c.Updated = when(info.get("time", "created")), when(info.get("time", "updated"))
	for _, f := range s.messages {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.message(f.id(), 0, o.json(f))
	}
	for _, f := range s.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.part(f.id(), filepath.Base(f.dir), 0, o.json(f))
	}
	t.give(c, o.words)
	return nil
}

// json is a message's or a part's file, nothing when it cannot be read.
func (o *openCode) json(f openCodeFile) value {
	b, err := o.home.whole(o.root, filepath.Join(f.dir, f.name), openCodeRow)
	if err != nil {
		return nil
	}
	return parse(b)
}
