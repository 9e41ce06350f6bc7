package pastchats

import (
	"encoding/json"
	"hash/maphash"
	"strings"
)

// claudeLine is what matters of one line of Claude Code.
type claudeLine struct {
	kind, uuid, parent, session, cwd, at value
	message, attachment, origin, source  value
	title, summary, leaf                 value
	mine                                 bool // the program's own: never words
}

// claudeReader takes the words out of a session's lines.
type claudeReader struct {
	chat  *talk
	key   string
	marks *marks

	now       claudeLine // the line in hand
	seed      maphash.Seed
	lines     map[uint64]struct{}     // ids of lines with words, in short
	replies   map[string]*claudeReply // by message id, since the person spoke last
	asked     map[uint64]uint64       // a parent's last prompt
	rewound   map[uint64]bool         // prompts that another of the same parent took the place of, later
	custom    string
	byAI      string
	summaries []claudeSummary
	grown     int // bytes of lines that added to replies
}

// claudeReply is a reply that is written in several lines. What further lines add
// is put into its message once, when the reply can grow no more.
type claudeReply struct {
	at    int    // of its message, counted from the chat's first
	line  uint64 // the id of that message's line: words may have been dropped since
	whole []byte
	last  int             // where in whole the last part begins
	parts map[uint64]bool // the parts, in short
	grown bool            // since its message was said
}

type claudeSummary struct {
	text string
	leaf uint64
}

func newClaudeReader(chat *talk, key string, m *marks) *claudeReader {
	return &claudeReader{
		chat: chat, key: key, marks: m, seed: maphash.MakeSeed(),
		lines: map[uint64]struct{}{}, replies: map[string]*claudeReply{}, asked: map[uint64]uint64{}, rewound: map[uint64]bool{},
	}
}

// line takes one line. A line may be left early only on a sure sign that no words
// are in it; all others are parsed whole before anything is done with them.
func (r *claudeReader) line(b []byte) error {
	if r.chat.Cwd != "" && claudeSkips(b) {
		return nil
	}
	l := &r.now
	*l = claudeLine{}
	left := false
	whole := parse(b).members(func(key []byte, val value) bool {
		l.take(key, val)
		// The first line with a folder names the chat's.
		left = r.chat.Cwd != "" && (l.mine || l.wordless())
		return !left
	})
	if left {
		return nil
	}
	if !whole {
		r.chat.Damaged = r.chat.Damaged || !json.Valid(b)
		return nil
	}
	if r.chat.Cwd == "" {
		r.chat.Cwd = l.cwd.text()
	}
	if l.mine {
		return nil
	}
	switch {
	case l.kind.is("user"):
		r.user()
	case l.kind.is("assistant"):
		r.assistant()
	case l.kind.is("attachment"):
		r.queued()
	case l.kind.is("custom-title"):
		r.named(&r.custom)
	case l.kind.is("ai-title"):
		r.named(&r.byAI)
	case l.kind.is("summary"):
		if s := trim(l.summary.text()); s != "" && !isClaudeError(s) {
			r.summaries = append(r.summaries, claudeSummary{s, r.short(l.leaf)})
		}
	}
	return nil
}

func (l *claudeLine) take(key []byte, val value) {
	switch string(key) {
	case "type":
		l.kind = val
	case "uuid":
		l.uuid = val
	case "parentUuid":
		l.parent = val
	case "sessionId":
		l.session = val
	case "cwd":
		l.cwd = val
	case "timestamp":
		l.at = val
	case "message":
		l.message = val
	case "attachment":
		l.attachment = val
	case "origin":
		l.origin = val
	case "promptSource":
		l.source = val
	case "customTitle", "aiTitle":
		l.title = val
	case "summary":
		l.summary = val
	case "leafUuid":
		l.leaf = val
	case "isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage":
		l.mine = l.mine || val.bool()
	}
}

// wordless reports that a line has no words, from what is known of it so far.
func (l *claudeLine) wordless() bool {
	if l.attachment != nil && !l.attachment.first("type").is("queued_command") {
		return true
	}
	if l.kind == nil {
		return false
	}
	switch string(l.kind) {
	case `"user"`, `"assistant"`, `"attachment"`, `"custom-title"`, `"ai-title"`, `"summary"`:
		return false
	}
	return true
}

// first is the first member of a name.
func (v value) first(name string) (at value) {
	v.members(func(key []byte, val value) bool {
		if string(key) == name {
			at = val
		}
		return at == nil
	})
	return at
}

// user takes what the person said.
func (r *claudeReader) user() {
	l := &r.now
	if !ofAPerson(l.origin) || l.source.is("system") {
		return
	}
	text := r.personsWords(l.message.get("content"))
	if text == "" || r.seen() {
		return
	}
	if parent := r.short(l.parent); parent != 0 {
		if before := r.asked[parent]; before != 0 {
			r.rewound[before] = true
		}
		r.asked[parent] = r.short(l.uuid)
	}
	r.speak(text)
}

// queued takes what the person said while the model worked: it is written only
// as an attachment.
func (r *claudeReader) queued() {
	a := r.now.attachment
	if !a.get("type").is("queued_command") || !ofAPerson(a.get("origin")) || !ofAPerson(r.now.origin) {
		return
	}
	if mode := a.get("commandMode"); isThere(mode) && !mode.is("prompt") {
		return
	}
	if text := r.personsWords(a.get("prompt")); text != "" && !r.seen() {
		r.speak(text)
	}
}

func (r *claudeReader) speak(text string) {
	r.endReplies()
	r.chat.say(User, text, when(r.now.at))
	r.chat.words[len(r.chat.words)-1].id = r.short(r.now.uuid)
}

// seen reports that the line was there before: histories are written twice.
func (r *claudeReader) seen() bool {
	id := r.short(r.now.uuid)
	if id == 0 {
		return false
	}
	if _, there := r.lines[id]; there {
		return true
	}
	r.lines[id] = struct{}{}
	return false
}

// short is an id in eight bytes, 0 for none: a chat has one for each of its lines,
// and nobody who writes them can make two alike, for want of the seed.
func (r *claudeReader) short(id value) uint64 {
	text := id.text()
	if text == "" {
		return 0
	}
	return max(1, maphash.String(r.seed, text))
}

// ofAPerson reports that an origin is a person, or not given.
func ofAPerson(origin value) bool {
	return !isThere(origin) || origin.get("kind").is("human")
}

func isThere(v value) bool { return v != nil && string(v) != "null" }

// personsWords joins the text of content, a string or blocks, without what the
// program put into it.
func (r *claudeReader) personsWords(content value) string {
	var parts []string
	take := func(text string) {
		if text = r.marks.strip(text); text != "" && !isClaudeOwn(text) {
			parts = append(parts, text)
		}
	}
	textsOf(content, take)
	return strings.Join(parts, "\n\n")
}

// textsOf calls take for the text of content: a string, or blocks of which only
// those of type text count.
func textsOf(content value, take func(string)) {
	if content.isString() {
		take(content.text())
		return
	}
	content.items(func(block value) bool {
		var kind, text value
		block.members(func(key []byte, val value) bool {
			switch string(key) {
			case "type":
				kind = val
			case "text":
				text = val
			}
			return true
		})
		if kind.is("text") {
			take(text.text())
		}
		return true
	})
}

// isClaudeOwn reports that a text is one that the program writes as the person.
func isClaudeOwn(text string) bool {
	for _, beginning := range []string{
		"Caveat: The messages below were generated",
		"[Request interrupted by user",
		"This session is being continued from a previous conversation",
		"Stop hook feedback:",
	} {
		if strings.HasPrefix(text, beginning) {
			return true
		}
	}
	return false
}

// isClaudeError reports that a title is what came when the title could not be made.
func isClaudeError(title string) bool {
	for _, beginning := range []string{"API Error", "Invalid API key", "Credit balance is too low", "Claude AI usage limit", "OAuth token", "Prompt is too long", "Request timed out"} {
		if strings.HasPrefix(title, beginning) {
			return true
		}
	}
	return false
}

// assistant takes a block of a reply. Blocks of one message id are one message,
// at the place of the first, until the person speaks.
func (r *claudeReader) assistant() {
	var id, model, content value
	r.now.message.members(func(key []byte, val value) bool {
		switch string(key) {
		case "id":
			id = val
		case "model":
			model = val
		case "content":
			content = val
		}
		return true
	})
	if model.is("<synthetic>") {
		return
	}
	if m := model; m.isString() && len(m) > 2 && string(m[1:len(m)-1]) != r.chat.Model {
		r.chat.Model = m.text()
	}
	var parts []string
	textsOf(content, func(text string) {
		if text = trim(text); text != "" {
			parts = append(parts, text)
		}
	})
	if len(parts) == 0 || r.seen() {
		return
	}
	text := strings.Join(parts, "\n\n")
	if reply := r.replies[id.text()]; reply != nil {
		r.add(reply, text)
		return
	}
	r.chat.say(Assistant, text, when(r.now.at))
	last := len(r.chat.words) - 1
	r.chat.words[last].id = r.short(r.now.uuid)
	if id := id.text(); id != "" {
		r.replies[id] = &claudeReply{
			at: r.chat.gone + last, line: r.chat.words[last].id,
			whole: []byte(text), parts: map[uint64]bool{maphash.String(r.seed, text): true},
		}
	}
}

// add puts a further text into a reply: one that begins with what is there
// already takes its place, one that is there already is passed over.
func (r *claudeReader) add(reply *claudeReply, text string) {
	if len(reply.whole) > 4*maxWords || r.grown > maxGrown {
		return // more than is kept in any case
	}
	r.grown += len(text)
	sum := maphash.String(r.seed, text)
	last := reply.whole[reply.last:]
	switch {
	case beginsWith(text, reply.whole):
		reply.whole, reply.last = []byte(text), 0
		reply.parts = map[uint64]bool{sum: true}
	case beginsWith(text, last):
		delete(reply.parts, maphash.Bytes(r.seed, last))
		reply.whole = append(reply.whole[:reply.last], text...)
		reply.parts[sum] = true
	case reply.parts[sum]:
		return
	default:
		reply.whole = append(reply.whole, "\n\n"...)
		reply.last = len(reply.whole)
		reply.whole = append(reply.whole, text...)
		reply.parts[sum] = true
	}
	reply.grown = true
}

// beginsWith is strings.HasPrefix without a copy of the bytes.
func beginsWith(text string, with []byte) bool {
	return len(text) >= len(with) && text[:len(with)] == string(with)
}

// endReplies puts what replies have become into their messages: after the person
// spoke no line adds to them.
func (r *claudeReader) endReplies() {
	for _, reply := range r.replies {
		i := reply.at - r.chat.gone
		if !reply.grown || i < 0 || i >= len(r.chat.words) || r.chat.words[i].id != reply.line {
			continue
		}
		was := r.chat.words[i]
		var one talk
		one.say(was.role, string(reply.whole), was.at)
		one.words[0].id = was.id
		r.chat.words[i] = one.words[0]
	}
	clear(r.replies)
}

// maxGrown bounds, in bytes, the lines that add to replies after they were said.
const maxGrown = 64 << 20

// named keeps the last title that is not another session's.
func (r *claudeReader) named(title *string) {
	l := &r.now
	if s := l.session.text(); s != "" && s != r.key {
		return
	}
	if s := trim(l.title.text()); s != "" {
		*title = s
	}
}

// title is the person's name for the chat, else the program's, else the last
// summary of a line in this file.
func (r *claudeReader) title() string {
	if r.custom != "" {
		return r.custom
	}
	if r.byAI != "" {
		return r.byAI
	}
	for i := len(r.summaries) - 1; i >= 0; i-- {
		if r.has(r.summaries[i].leaf) {
			return r.summaries[i].text
		}
	}
	return ""
}

// unsureSummaries are the lines that decide which summary is the title and that
// are not known to be there.
func (r *claudeReader) unsureSummaries() map[uint64]bool {
	if r.custom != "" || r.byAI != "" {
		return nil
	}
	unsure := map[uint64]bool{}
	for i := len(r.summaries) - 1; i >= 0 && !r.has(r.summaries[i].leaf); i-- {
		unsure[r.summaries[i].leaf] = true
	}
	return unsure
}

func (r *claudeReader) has(line uint64) bool {
	_, there := r.lines[line]
	return there
}

// claudeTree is which line came after which.
type claudeTree struct {
	short   func(value) uint64
	parents map[uint64]uint64 // by a line's id
	all     bool              // of all lines, else only of leaves
	leaves  map[uint64]bool
}

func (t *claudeTree) line(b []byte) error {
	var uuid, parent value
	if !parse(b).members(func(key []byte, val value) bool {
		switch string(key) {
		case "uuid":
			uuid = val
		case "parentUuid":
			parent = val
		}
		return true
	}) {
		return nil
	}
	id := t.short(uuid)
	if _, known := t.parents[id]; id == 0 || known || !t.all && !t.leaves[id] {
		return nil
	}
	t.parents[id] = t.short(parent)
	return nil
}

// below gives the lines whose chain of parents leads to one of roots, with them.
func (t *claudeTree) below(roots map[uint64]bool) map[uint64]bool {
	gone := map[uint64]bool{}
	for id := range roots {
		gone[id] = true
	}
	known := map[uint64]bool{}
	var way []uint64
	for id := range t.parents {
		way = way[:0]
		for at := id; at != 0 && !known[at]; at = t.parents[at] {
			known[at] = true // also where a loop closes
			way = append(way, at)
		}
		// Backwards: a line is gone when the one before it is.
		for i := len(way) - 1; i >= 0; i-- {
			if gone[t.parents[way[i]]] {
				gone[way[i]] = true
			}
		}
	}
	return gone
}
