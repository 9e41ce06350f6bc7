package pastchats

import (
	"cmp"
	"hash/maphash"
)

// idHash makes short numbers of ids: a transcript may have a million entries, of
// which only those with words are kept.
type idHash struct{ seed maphash.Seed }

func newIDHash() idHash { return idHash{maphash.MakeSeed()} }

func (h idHash) of(id string) uint64 { return maphash.String(h.seed, id) }

// openClawTree is a transcript as pi and OpenClaw keep it: entries that name their
// parent. Going back leaves the other branch where it is; what was said in the end
// is the way from the last entry to the root.
type openClawTree struct {
	hash    idHash
	nodes   []openClawNode
	byID    map[uint64]int32
	words   []message
	models  map[int32]string // of answers, by their place in words
	leaf    int32            // a node, -1 none
	name    string
	cwd     string
	started int64
	last    int64 // the newest time
	damaged bool
}

// openClawNode is an entry: its parent, and its words if it has some.
type openClawNode struct{ parent, words int32 }

func newOpenClawTree(hash idHash) *openClawTree {
	return &openClawTree{hash: hash, byID: map[uint64]int32{}, models: map[int32]string{}, leaf: -1}
}

// event adds one entry, or the header.
func (t *openClawTree) event(v value) {
	var kind, id, parent, target, stamp, msg, name, cwd, mode value
	if !v.fields(func(key string, val value) {
		switch key {
		case "type":
			kind = val
		case "id":
			id = val
		case "parentId":
			parent = val
		case "targetId":
			target = val
		case "timestamp":
			stamp = val
		case "message":
			msg = val
		case "name":
			name = val
		case "cwd":
			cwd = val
		case "appendMode":
			mode = val
		}
	}) {
		t.damaged = true
		return
	}
	at := when(stamp)
	if kind.is("session") {
		t.cwd = cmp.Or(t.cwd, cwd.text())
		t.started = cmp.Or(t.started, at)
		t.last = max(t.last, at)
		return
	}
	if at == 0 {
		at = when(msg.get("timestamp"))
	}
	t.last = max(t.last, at)
	key := t.hash.of(id.text())
	if id.text() != "" {
		if _, twice := t.byID[key]; twice {
			return
		}
	}
	// An entry without an id follows the one before; so does one whose parent is
	// not there, that what came before is not lost.
	from := t.leaf
	if id.text() != "" && len(parent) > 0 && !kind.is("reset") {
		if parent.isString() {
			if i, ok := t.byID[t.hash.of(parent.text())]; ok {
				from = i
			}
		} else if string(parent) == "null" {
			from = -1
		}
	}
	if kind.is("leaf") {
		// No entry of its own: who names it goes on from its target.
		if i, ok := t.byID[t.hash.of(target.text())]; ok && target.isString() {
			t.leaf = i
		}
		if id.text() != "" {
			t.byID[key] = t.leaf
		}
		return
	}
	node := openClawNode{parent: from, words: -1}
	switch {
	case kind.is("message"):
		node.words = t.message(msg, at)
	case kind.is("session_info"):
		t.name = name.text()
	}
	here := int32(len(t.nodes))
	t.nodes = append(t.nodes, node)
	if id.text() != "" {
		t.byID[key] = here
	}
	if !mode.is("side") {
		t.leaf = here
	}
}

// message keeps what a message says, and gives its place in words; -1 for one
// that says nothing here.
func (t *openClawTree) message(msg value, at int64) int32 {
	m := message{role: Role(msg.get("role").text()), at: at}
	switch m.role {
	case User:
		if p := msg.get("provenance", "kind"); p.is("inter_session") || p.is("internal_system") {
			return -1
		}
	case Assistant:
	default:
		return -1
	}
	if m.text = textParts(msg.get("content")); m.text == "" {
		return -1
	}
	place := int32(len(t.words))
	t.words = append(t.words, m)
	if model := msg.get("model").text(); model != "" && m.role == Assistant {
		t.models[place] = model
	}
	return place
}

// give puts the words of the active branch into c.
func (t *openClawTree) give(c *talk, person *marks) {
	var way []int32
	for i := t.leaf; i >= 0; i = t.nodes[i].parent { // a parent always stands before
		if w := t.nodes[i].words; w >= 0 {
			way = append(way, w)
		}
	}
	for i := len(way) - 1; i >= 0; i-- {
		m := t.words[way[i]]
		if m.role == User {
			m.text = openClawPerson(person.strip(m.text))
		} else {
			m.text = openClawAnswer(m.text)
		}
		if m.text == "" {
			continue
		}
		c.say(m.role, m.text, m.at)
		c.Model = cmp.Or(t.models[way[i]], c.Model)
	}
	c.Title = cmp.Or(c.Title, t.name)
	c.Cwd = cmp.Or(c.Cwd, t.cwd)
	c.Damaged = c.Damaged || t.damaged
}
