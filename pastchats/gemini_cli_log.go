package pastchats

// geminiTalk is a session put together from its file. A log of changes may
// replace the model's history by a shorter one; for a reader of words nothing is
// gone by that: only a rewind removes.
type geminiTalk struct {
	words *geminiWords

	log     bool
	damaged bool
	kind    string
	title   string
	folder  string
	updated int64

	byID        map[string]int
	nodes       []geminiNode
	free        []int // of nodes, to be used again
	first, last int   // of the list, -1 for none
	bytes       int
}

// geminiNode is a message in its place.
type geminiNode struct {
	geminiMessage
	before, after int
	placed        bool
}

// What one session may hold while it is read; beyond it the oldest messages go,
// which would not be kept.
const (
	geminiMostBytes = 128 << 20
	geminiMost      = 1 << 18
)

func newGeminiTalk(w *geminiWords) geminiTalk {
	return geminiTalk{words: w, byID: map[string]int{}, first: -1, last: -1}
}

// line applies one line of a log. It reports whether the line could be read.
func (t *geminiTalk) line(b []byte) bool {
	var rewind, set, session, hash, list value
	var message geminiFields
	v := value(b)
	if !v.members(func(key []byte, val value) bool {
		message.take(key, val)
		switch string(key) {
		case "$rewindTo":
			rewind = val
		case "$set":
			set = val
		case "sessionId":
			session = val
		case "projectHash":
			hash = val
		case "messages":
			list = val
		}
		return true
	}) {
		return false
	}
	switch {
	case rewind != nil:
		t.rewind(rewind.text())
	case message.id.isString():
		t.put(t.words.read(message))
	case set.isObject():
		return t.set(set)
	case session != nil && (hash != nil || list != nil):
		return t.set(v)
	}
	return true
}

// whole reads a session that is one JSON.
func (t *geminiTalk) whole(b []byte) bool {
	v := parse(b)
	return v.isObject() && t.set(v)
}

// set merges values of the session. Messages come last, whatever their place: a
// list that is cut off is not begun.
func (t *geminiTalk) set(v value) bool {
	var list value
	whole := v.members(func(key []byte, val value) bool {
		switch string(key) {
		case "lastUpdated":
			if at := when(val); at != 0 {
				t.updated = at
			}
		case "summary":
			if title := trim(val.text()); title != "" {
				t.title = title
			}
		case "kind":
			t.kind = val.text()
		case "messages":
			list = val
		}
		return true
	})
	if whole && list != nil {
		t.merge(list)
	}
	return whole
}

// put takes a message that was written on its own: at the end, or in the place
// of the one with its id.
func (t *geminiTalk) put(m geminiMessage) {
	if m.id == "" {
		return
	}
	if i, known := t.byID[m.id]; known {
		t.replace(i, m)
		return
	}
	t.insert(t.add(m), t.last)
	t.shrink()
}

// merge takes a list that replaces the model's history. Known messages keep
// their places and times, and their words where the list has none of them; what
// is new follows the one before it in the list.
func (t *geminiTalk) merge(list value) {
	before := -1
	var waiting []int // new ones at the list's beginning
	list.items(func(item value) bool {
		m := t.words.message(item)
		if m.id == "" {
			return true
		}
		i, known := t.byID[m.id]
		if !known {
			i = t.add(m)
			if before < 0 {
				waiting = append(waiting, i)
				return true
			}
			t.insert(i, before)
			before = i
			return true
		}
		old := t.nodes[i]
		if old.at != 0 {
			m.at = old.at
		}
		if old.shown && !m.shown || m.text == "" {
			m.role, m.text, m.shown = old.role, old.text, old.shown
		}
		t.replace(i, m)
		if !old.placed {
			return true
		}
		for _, w := range waiting {
			t.insert(w, t.nodes[i].before)
		}
		waiting = nil
		before = i
		return true
	})
	for _, w := range waiting {
		t.insert(w, t.last)
	}
	t.shrink()
}

func (t *geminiTalk) replace(i int, m geminiMessage) {
	n := &t.nodes[i]
	t.bytes += len(m.text) - len(n.text)
	if m.at == 0 {
		m.at = n.at
	}
	if m.model == "" {
		m.model = n.model
	}
	if m.folder != "" && t.folder == "" {
		t.folder = m.folder
	}
	m.id = n.id
	n.geminiMessage = m
}

// add makes room for a message; it has no place yet.
func (t *geminiTalk) add(m geminiMessage) int {
	if m.folder != "" && t.folder == "" {
		t.folder = m.folder
	}
	n := geminiNode{geminiMessage: m, before: -1, after: -1}
	i := len(t.nodes)
	if k := len(t.free); k > 0 {
		i, t.free = t.free[k-1], t.free[:k-1]
		t.nodes[i] = n
	} else {
		t.nodes = append(t.nodes, n)
	}
	t.byID[m.id] = i
	t.bytes += len(m.text)
	return i
}

// insert places a message behind another, -1 for the list's beginning.
func (t *geminiTalk) insert(i, before int) {
	n := &t.nodes[i]
	n.placed, n.before = true, before
	if before < 0 {
		n.after, t.first = t.first, i
	} else {
		n.after, t.nodes[before].after = t.nodes[before].after, i
	}
	if n.after < 0 {
		t.last = i
	} else {
		t.nodes[n.after].before = i
	}
}

// rewind takes a message away, and all that come after it.
func (t *geminiTalk) rewind(id string) {
	i, known := t.byID[id]
	if !known || !t.nodes[i].placed {
		return
	}
	t.last = t.nodes[i].before
	if t.last < 0 {
		t.first = -1
	} else {
		t.nodes[t.last].after = -1
	}
	for i >= 0 {
		after := t.nodes[i].after
		t.forget(i)
		i = after
	}
}

func (t *geminiTalk) forget(i int) {
	t.bytes -= len(t.nodes[i].text)
	delete(t.byID, t.nodes[i].id)
	t.nodes[i] = geminiNode{before: -1, after: -1}
	t.free = append(t.free, i)
}

// shrink lets the oldest messages go where there are more than any session has.
func (t *geminiTalk) shrink() {
	for (t.bytes > geminiMostBytes || len(t.byID) > geminiMost) && t.first >= 0 && t.first != t.last {
		i := t.first
		t.first = t.nodes[i].after
		t.nodes[t.first].before = -1
		t.forget(i)
		t.damaged = true
	}
}

// said reports that the session has words.
func (t *geminiTalk) said() bool {
	for i := t.first; i >= 0; i = t.nodes[i].after {
		if t.nodes[i].role != "" && t.nodes[i].text != "" {
			return true
		}
	}
	return false
}

// beats reports that of two files of a session, both with words, this one is the
// session's.
func (t *geminiTalk) beats(other *geminiTalk) bool {
	if t.updated != other.updated {
		return t.updated > other.updated
	}
	return t.log && !other.log
}

// tell puts the session into a chat.
func (t *geminiTalk) tell(c *talk) {
	c.Title, c.Damaged = t.title, t.damaged
	for i := t.first; i >= 0; i = t.nodes[i].after {
		n := &t.nodes[i]
		if n.role == Assistant && n.model != "" {
			c.Model = n.model
		}
		if n.role != "" && n.text != "" {
			c.say(n.role, n.text, n.at)
		}
	}
}
