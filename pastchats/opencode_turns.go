package pastchats

import (
	"cmp"
	"slices"
	"strings"
)

// openCodeTurns gathers a session's messages and parts as they are met, and then
// gives the words in their order: by time, then by id.
type openCodeTurns struct {
	all     []openCodeMessage
	byID    map[string]int
	parts   map[[2]string]bool // by message and part
	undone  string             // the message from which on all was undone
	part1   string             // the part of that message, "" for all of it
	damaged bool
}

type openCodeMessage struct {
	id, role, model, root string
	at                    int64
	parts                 []openCodePart
}

type openCodePart struct {
	id, text string
	at       int64
}

// undoFrom takes a session's revert: OpenCode deletes what was undone only at
// the next prompt.
func (t *openCodeTurns) undoFrom(revert value) {
	if revert.isObject() && revert.fields(func(string, value) {}) {
		t.undone, t.part1 = revert.get("messageID").text(), revert.get("partID").text()
	} else if len(revert) > 0 && string(revert) != "null" {
		t.damaged = true
	}
}

// message adds one. A message that cannot be read has no words, and keeps its
// place.
func (t *openCodeTurns) message(id string, at int64, data value) {
	if t.byID == nil {
		t.byID = map[string]int{}
	}
	if _, twice := t.byID[id]; twice || id == "" {
		return
	}
	m := openCodeMessage{id: id, at: at}
	whole := data.fields(func(key string, v value) {
		switch key {
		case "role":
			m.role = v.text()
		case "modelID":
			m.model = v.text()
		case "path":
			m.root = v.get("root").text()
		case "time":
			if m.at == 0 {
				m.at = when(v.get("created"))
			}
		}
	})
	if !whole {
		t.damaged = true
		m.role, m.model, m.root = "", "", ""
	}
	if m.role == "assistant" && data.get("summary").bool() {
		m.role = "" // a compaction
	}
	t.byID[id] = len(t.all)
	t.all = append(t.all, m)
}

// part adds one to its message.
func (t *openCodeTurns) part(id, message string, at int64, data value) {
	i, ok := t.byID[message]
	if !ok || t.all[i].role != "user" && t.all[i].role != "assistant" {
		return
	}
	if key := [2]string{message, id}; id != "" {
		if t.parts[key] {
			return // pages of a damaged database may be met again and again
		}
		if t.parts == nil {
			t.parts = map[[2]string]bool{}
		}
		t.parts[key] = true
	}
	var text value
	said, whole := false, false
	whole = data.fields(func(key string, v value) {
		switch key {
		case "type":
			said = v.is("text")
		case "text":
			text = v
		}
	})
	said = said && whole && !data.get("synthetic").bool() && !data.get("ignored").bool()
	t.damaged = t.damaged || !whole
	if words := text.text(); said && strings.TrimSpace(words) != "" {
		t.all[i].parts = append(t.all[i].parts, openCodePart{id, words, at})
	} else if id == t.part1 && id != "" {
		t.all[i].parts = append(t.all[i].parts, openCodePart{id: id, at: at})
	}
}

// give puts the words into c.
func (t *openCodeTurns) give(c *talk, person *marks) {
	c.Damaged = c.Damaged || t.damaged
	slices.SortFunc(t.all, func(a, b openCodeMessage) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
	})
	root := ""
	for _, m := range t.all {
		last := t.undone != "" && m.id == t.undone
		if last && t.part1 == "" {
			break
		}
		slices.SortFunc(m.parts, func(a, b openCodePart) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
		})
		var said []string
		for _, p := range m.parts {
			if last && p.id == t.part1 {
				break
			}
			if p.text != "" {
				said = append(said, strings.TrimSpace(p.text))
			}
		}
		text := strings.Join(said, "\n\n")
		if m.role == "user" {
			text = person.strip(text)
		}
		if root = folderOr(root, m.root); text != "" {
			c.say(Role(m.role), text, m.at)
			if m.role == "assistant" && m.model != "" {
				c.Model = m.model
			}
		}
		if last {
			break
		}
	}
	c.Cwd = folderOr(c.Cwd, root)
}
