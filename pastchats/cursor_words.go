package pastchats

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// cursorData is what a composer says of itself.
type cursorData struct {
	title, cwd       string
	started, updated int64
	heads            []cursorBubble // its messages in their order
	inside           value          // its messages themselves, in the shape before
	count            int
	helpers          []string
	out, damaged     bool
}

// cursorBubble names a message.
type cursorBubble struct {
	id   string
	role Role
}

// cursorDataOf reads a composer. Its id is in the key; its text is what was not
// sent.
func cursorDataOf(v value) (d cursorData) {
	if len(v) == 0 || v[0] != '{' {
		return d // deleted, or of no kind that is known
	}
	var heads, inside value
	whole := v.fields(func(key string, val value) {
		switch key {
		case "name":
			d.title = val.text()
		case "createdAt":
			d.started = when(val)
		case "lastUpdatedAt":
			d.updated = when(val)
		case "workspaceIdentifier":
			d.cwd = cursorFolder(val.get("uri"))
		case "fullConversationHeadersOnly":
			heads = val
		case "conversation":
			inside = val
		case "subagentInfo", "isBestOfNSubcomposer", "isDraft":
			d.out = d.out || cursorSays(val)
		case "subComposerIds", "subagentComposerIds":
			val.items(func(id value) bool {
				if s := id.text(); s != "" {
					d.helpers = append(d.helpers, s)
				}
				return true
			})
		}
	})
	if !whole {
		return cursorData{damaged: true}
	}
	heads.items(func(h value) bool {
		if id := h.get("bubbleId").text(); id != "" {
			d.heads = append(d.heads, cursorBubble{id, cursorRole(h.get("type"))})
		}
		return true
	})
	if d.count = len(d.heads); d.count == 0 {
		d.inside = inside
		inside.items(func(value) bool { d.count++; return true })
	}
	return d
}

// cursorSays reports that a field is there and not empty.
func cursorSays(v value) bool {
	switch string(v) {
	case "", "null", "false", "{}", `""`:
		return false
	}
	return true
}

// cursorRole is who said a message of a type.
func cursorRole(kind value) Role {
	switch {
	case kind.is("user"), kind.int() == 1:
		return User
	case kind.is("ai"), kind.int() == 2:
		return Assistant
	}
	return ""
}

// bubble says what one message says; steps and thinking say nothing.
func (c *cursor) bubble(v value, role Role, out *talk) {
	var kind, text, raw, rich, at, model value
	step := false // of a tool, or of thinking
	if !v.fields(func(key string, val value) {
		switch key {
		case "type":
			kind = val
		case "text":
			text = val
		case "rawText":
			raw = val
		case "richText":
			rich = val
		case "createdAt":
			at = val
		case "modelType":
			if len(model) == 0 {
				model = val
			}
		case "modelInfo":
			if name := val.get("modelName"); name.text() != "" {
				model = name
			}
		case "toolFormerData", "isThought", "thinking":
			step = step || cursorSays(val)
		case "capabilityType":
			step = step || val.int() == 15 || val.int() == 30
		}
	}) {
		out.Damaged = true
		return
	}
	if r := cursorRole(kind); r != "" {
		role = r
	}
	if step || role == "" {
		return
	}
	said := cmp.Or(strings.TrimSpace(text.text()), strings.TrimSpace(raw.text()))
	if said == "" {
		said = cursorRich(rich)
	}
	if role == User {
		said = c.words.strip(said)
	}
	if said == "" {
		return
	}
	out.say(role, said, when(at))
	if m := model.text(); role == Assistant && m != "" {
		out.Model = m
	}
}

// cursorRich is the text of the editor's tree: each child of the root is a line.
func cursorRich(rich value) string {
	tree := rich
	if rich.isString() {
		tree = parse([]byte(rich.text()))
	}
	var lines []string
	tree.get("root", "children").items(func(child value) bool {
		var line strings.Builder
		cursorLeaves(child, &line, 0)
		lines = append(lines, line.String())
		return true
	})
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// cursorDepth is how deep texts of the editor's tree are looked for: each step
// down reads what is below once more.
const cursorDepth = 16

func cursorLeaves(v value, out *strings.Builder, depth int) {
	if depth > cursorDepth {
		return
	}
	var children value
	v.members(func(key []byte, val value) bool {
		switch string(key) {
		case "text":
			out.WriteString(val.text())
		case "children":
			children = val
		}
		return true
	})
	children.items(func(child value) bool {
		cursorLeaves(child, out, depth+1)
		return true
	})
}

// cursorAtOnce is how many messages are asked for at once.
const cursorAtOnce = 500

func (c *cursor) readComposer(ctx context.Context, db *database, id string, out *talk) error {
	var data cursorData
	err := db.each(ctx, "SELECT "+upTo("value", cursorRow)+", "+tooLong("value", cursorRow)+" FROM cursorDiskKV WHERE key = ?", []any{"composerData:" + id}, func(col []any) error {
		data = cursorDataOf(parse(bytesOf(col[0])))
		data.damaged = data.damaged || asInt(col[1]) == 1
		data.inside.items(func(b value) bool {
			if !data.out {
				c.bubble(b, "", out)
			}
			return true
		})
		return nil
	})
	out.Damaged = out.Damaged || data.damaged
	if err != nil || data.out {
		return err
	}
	out.Title = cmp.Or(data.title, out.Title)
	out.Cwd = cmp.Or(out.Cwd, data.cwd)
	out.Started, out.Updated = data.started, cmp.Or(data.updated, data.started)
	named := map[string]bool{}
	heads := slices.DeleteFunc(data.heads, func(h cursorBubble) bool { // named twice, said once
		twice := named[h.id]
		named[h.id] = true
		return twice
	})
	for len(heads) > 0 {
		some := heads[:min(len(heads), cursorAtOnce)]
		heads = heads[len(some):]
		if err := c.readBubbles(ctx, db, id, some, out); err != nil {
			return err
		}
	}
	return nil
}

// readBubbles reads messages by their keys, in the order of the heads: rows move
// when a message is edited.
func (c *cursor) readBubbles(ctx context.Context, db *database, id string, heads []cursorBubble, out *talk) error {
	prefix := "bubbleId:" + id + ":"
	args := make([]any, len(heads))
	for i, h := range heads {
		args[i] = prefix + h.id
	}
	said := map[string]talk{}
	q := "SELECT key, " + upTo("value", cursorSmall) + ", " + tooLong("value", cursorSmall) + " FROM cursorDiskKV WHERE key IN (?" + strings.Repeat(", ?", len(args)-1) + ")"
	roles := map[string]Role{}
	for _, h := range heads {
		roles[h.id] = h.role
	}
	err := db.each(ctx, q, args, func(col []any) error {
		key := strings.TrimPrefix(asText(col[0]), prefix)
		one := talk{Damaged: asInt(col[2]) == 1}
		if b := bytesOf(col[1]); len(b) > 0 { // else it was deleted
			c.bubble(parse(b), roles[key], &one)
		}
		said[key] = one
		return nil
	})
	for _, h := range heads {
		one := said[h.id]
		out.words = append(out.words, one.words...)
		out.Model = cmp.Or(one.Model, out.Model)
		out.Damaged = out.Damaged || one.Damaged
	}
	return err
}

func (c *cursor) readTab(ctx context.Context, db *database, id string, out *talk) error {
	return db.each(ctx, "SELECT "+upTo("value", cursorRow)+" FROM ItemTable WHERE key = ?", []any{cursorPanelKey}, func(col []any) error {
		cursorTabs(parse(bytesOf(col[0])), func(tab string, v value) {
			if tab == id {
				v.get("bubbles").items(func(b value) bool {
					c.bubble(b, "", out)
					return true
				})
			}
		})
		return nil
	})
}

// readTranscript reads a chat of cursor-agent: words without times.
func (c *cursor) readTranscript(ctx context.Context, path string, out *talk) error {
	long, err := c.home.lines(ctx, c.agent, path, maxLine, func(line []byte) error {
		v := parse(line)
		if !v.fields(func(string, value) {}) {
			out.Damaged = true
			return nil
		}
		text := textParts(v.get("message", "content"))
		switch role := Role(v.get("role").text()); role {
		case User:
			if text = c.words.strip(cursorQuery(text)); text != "" {
				out.say(role, text, 0)
			}
		case Assistant:
			if text != "" {
				out.say(role, text, 0)
			}
		}
		return nil
	})
	out.Damaged = out.Damaged || long > 0
	return err
}

// cursorQuery is what the person asked, which stands between marks; all of a text
// without marks.
func cursorQuery(text string) string {
	const from, to = "<user_query>", "</user_query>"
	var asked []string
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, from)
		if !ok {
			break
		}
		inside, after, ok := strings.Cut(after, to)
		if !ok {
			break
		}
		if q := strings.TrimSpace(inside); q != "" {
			asked = append(asked, q)
		}
		rest = after
	}
	if len(asked) == 0 {
		return text
	}
	return strings.Join(asked, "\n\n")
}
