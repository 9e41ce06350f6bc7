package pastchats

import (
	"cmp"
	"context"
	"strings"
	"time"
)

// hermesWhole is how many bytes a chat that is one JSON object may have.
const hermesWhole = 64 << 20

// hermesFile is a chat's file, from before the database: session_<id>.json or
// <id>.jsonl.
type hermesFile struct {
	id, root, project string
	entry
}

// hermesFileID is the id that a chat's file is named after, "" for other files.
func hermesFileID(name string) string {
	if id, ok := strings.CutSuffix(name, ".jsonl"); ok {
		return id
	}
	if id, ok := strings.CutSuffix(name, ".json"); ok && strings.HasPrefix(id, "session_") {
		return strings.TrimPrefix(id, "session_")
	}
	return ""
}

// findFiles lists the chats of files that no database has. A chat may be in both
// kinds of files.
func (m *hermes) findFiles(all []hermesFile) []chatFile {
	var order []string
	for _, f := range all {
		if m.known[f.id] {
			continue
		}
		if m.files[f.id] == nil {
			order = append(order, f.id)
		}
		if strings.HasSuffix(f.path, ".json") {
			if b, err := m.home.head(f.root, f.path, 16<<10); err == nil {
				cwd, platform := "", ""
				parse(b).fields(func(key string, v value) {
					switch key {
					case "cwd":
						cwd = v.text()
					case "platform":
						platform = v.text()
					}
				})
				f.project = projectOf(hermesCwd(cwd, platform))
			}
		}
		m.files[f.id] = append(m.files[f.id], f)
	}
	var files []chatFile
	for _, id := range order {
		one := chatFile{Source: "hermes", Key: id, Path: m.files[id][0].path}
		for i, f := range m.files[id] {
			if i > 0 {
				one.Also = append(one.Also, f.path)
			}
			one.Size += f.size
			one.MTime = max(one.MTime, f.mtime)
			one.Project = cmp.Or(one.Project, f.project)
		}
		files = append(files, one)
	}
	return files
}

// hermesCwd is a folder that was the person's: that of a gateway is its own.
func hermesCwd(cwd, platform string) string {
	switch platform {
	case "", "cli", "tui", "acp", "desktop":
		return cwd
	}
	return ""
}

// readFiles reads a chat of files. Of two files the one that holds more counts;
// the other fills in what the first does not say.
func (m *hermes) readFiles(ctx context.Context, id string, c *talk) error {
	var err error
	for _, f := range m.files[id] {
		var one talk
		var ferr error
		if strings.HasSuffix(f.path, ".jsonl") {
			ferr = m.readLines(ctx, f.root, f.path, &one)
		} else {
			ferr = m.readWhole(f.root, f.path, &one)
		}
		err = cmp.Or(err, ferr)
		if len(one.words) > len(c.words) {
			c.words, one.words = one.words, c.words
		}
		c.Damaged = c.Damaged || one.Damaged
		c.Cwd = cmp.Or(c.Cwd, one.Cwd)
		c.Title = cmp.Or(c.Title, one.Title)
		c.Model = cmp.Or(c.Model, one.Model)
		c.Started = cmp.Or(c.Started, one.Started)
		c.Updated = max(c.Updated, one.Updated)
	}
	return err
}

func (m *hermes) readWhole(root, path string, c *talk) error {
	b, err := m.home.whole(root, path, hermesWhole)
	if err != nil {
		return err
	}
	var platform, cwd string
	var messages value
	if !parse(b).fields(func(key string, v value) {
		switch key {
		case "platform":
			platform = v.text()
		case "cwd":
			cwd = v.text()
		case "title":
			c.Title = v.text()
		case "model":
			c.Model = v.text()
		case "session_start":
			c.Started = m.when(v)
		case "last_updated":
			c.Updated = m.when(v)
		case "messages":
			messages = v
		}
	}) {
		*c = talk{Damaged: true}
		return nil
	}
	if hermesNotYours(platform) {
		return nil
	}
	c.Cwd = hermesCwd(cwd, platform)
	w := &hermesWords{person: m.words}
	if !messages.items(func(v value) bool {
		m.said(w, v)
		return true
	}) {
		c.Damaged = true
	}
	c.words, _ = w.give(true)
	return nil
}

func (m *hermes) readLines(ctx context.Context, root, path string, c *talk) error {
	w := &hermesWords{person: m.words}
	platform := ""
	long, err := m.home.lines(ctx, root, path, maxLine, func(line []byte) error {
		v := parse(line)
		if !v.fields(func(string, value) {}) {
			c.Damaged = true
			return nil
		}
		at := m.when(v.get("timestamp"))
		c.Started = cmp.Or(c.Started, at)
		c.Updated = max(c.Updated, at)
		if v.get("role").is("session_meta") {
			c.Model = cmp.Or(v.get("model").text(), c.Model)
			platform = cmp.Or(v.get("platform").text(), platform)
			c.Cwd = cmp.Or(c.Cwd, hermesCwd(v.get("cwd").text(), platform))
			return nil
		}
		m.said(w, v)
		return nil
	})
	if long > 0 {
		c.Damaged = true
	}
	if hermesNotYours(platform) {
		return err
	}
	c.words, _ = w.give(true)
	return err
}

// said adds a message of a file; that of a tool, and one without text, says
// nothing.
func (m *hermes) said(w *hermesWords, v value) {
	s := hermesSaid{id: int64(len(w.rows)), role: Role(v.get("role").text())}
	if s.role != User && s.role != Assistant {
		return
	}
	content := v.get("content")
	if s.text = textParts(content); content.isString() {
		s.text = hermesContent([]byte(content.text()))
	}
	if s.text == "" && s.role == Assistant {
		s.text = hermesItems(v.get("codex_message_items"))
	}
	if at := m.when(v.get("timestamp")); at > 0 {
		s.at, s.dated = float64(at)/1000, true
	}
	if s.text != "" {
		w.rows = append(w.rows, s)
	}
}

// when is a time of a file: without a zone it is the person's own.
func (m *hermes) when(v value) int64 {
	if s := strings.TrimSpace(v.text()); s != "" {
		for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
			if t, err := time.ParseInLocation(layout, s, m.zone); err == nil && t.Year() >= 1970 {
				return max(t.UnixMilli(), 0)
			}
		}
	}
	return when(v)
}
