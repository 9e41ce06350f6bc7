package chats

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// fold is what the list keeps of a chat: its row, and what is needed to go on
// from there when the log has grown.
type fold struct {
	Seq        int64                    `json:"seq"` // the newest event that is in
	Folder     string                   `json:"folder,omitempty"`
	Branch     string                   `json:"branch,omitempty"`
	ByPerson   string                   `json:"byPerson,omitempty"` // titles, by who gave them
	ByProvider string                   `json:"byProvider,omitempty"`
	ByMessage  string                   `json:"byMessage,omitempty"`
	Provider   string                   `json:"provider,omitempty"`
	Model      string                   `json:"model,omitempty"`
	Answered   string                   `json:"answered,omitempty"`
	Effort     string                   `json:"effort,omitempty"`
	Mode       string                   `json:"mode,omitempty"`
	Chosen     bool                     `json:"chosen,omitempty"` // Provider is one that was chosen
	Started    int64                    `json:"started"`
	Updated    int64                    `json:"updated"`
	Messages   int                      `json:"messages"`
	Words      string                   `json:"words,omitempty"`   // of the newest message
	Before     string                   `json:"before,omitempty"`  // of the one before, while the newest may be taken back
	Message    string                   `json:"message,omitempty"` // id of the assistant's message that Words are from
	Gap        bool                     `json:"gap,omitempty"`     // its last piece ended in white space
	Turn       string                   `json:"turn,omitempty"`    // a turn without an end
	TurnAt     int64                    `json:"turnAt,omitempty"`  // where that turn began
	Ran        int64                    `json:"ran,omitempty"`     // the first command of the person's in that turn
	Done       string                   `json:"done,omitempty"`    // the last turn with one
	Older      string                   `json:"older,omitempty"`   // the engine of an older record's one session, as long as nothing newer says more
	Sessions   map[string]SessionRecord `json:"sessions,omitempty"`
	Cleared    []setAside               `json:"cleared,omitempty"` // clears that were not taken back, oldest first
	Held       []string                 `json:"held,omitempty"`    // every resume id that it ever had
	Taints     []TaintSource            `json:"taints,omitempty"`  // where outside words came from
}

const (
	maxWords = 200  // characters of Summary.LastWords
	maxTitle = 60   // characters of a title made of a message's first words
	maxHeld  = 2000 // resume ids that are remembered of a chat, the newest: an older session shows as a past chat of its app
	maxTaint = 20   // sources of outside words, too
	maxClear = 50   // clears that can be taken back
)

// setAside is a clear, with the sessions that hold the words before it.
type setAside struct {
	Seq      int64                    `json:"seq"`
	Sessions map[string]SessionRecord `json:"sessions,omitempty"`
}

// folded reports that events of the kind say something to a fold.
func folded(kind string) bool {
	switch kind {
	case "start", "user.message", "assistant.delta", "assistant.done", "title", "options", "session", "shell", "turn.completed", "taint", "context.cleared", "context.restored":
		return true
	}
	return false
}

// pass takes in what every event says by its header alone.
func (f *fold) pass(h header) {
	if f.Started == 0 {
		f.Started = h.At
	}
	f.Seq, f.Updated = h.Seq, h.At
	if h.Turn != "" && h.Turn != f.Done && h.Turn != f.Turn {
		f.Turn, f.TurnAt = h.Turn, h.Seq
	}
}

func (f *fold) add(e Event) {
	f.pass(header{Seq: e.Seq, At: e.At, Turn: e.Turn})
	switch b := e.Body.(type) {
	case Start:
		f.Folder, f.Branch = b.Folder, b.Branch
	case UserMessage:
		f.Messages++
		f.Message, f.Before = "", ""
		f.Words = firstWords("", b.Text, maxWords)
		if f.Words == "" && len(b.Attachments) > 0 {
			f.Words = firstWords("", b.Attachments[0].Name, maxWords)
		}
		if f.ByMessage == "" {
			f.ByMessage = shorten(f.Words, maxTitle)
		}
	case AssistantDelta:
		f.addDelta(b)
	case AssistantDone:
		if b.Retracted && b.MessageID == f.Message && f.Message != "" {
			f.Messages--
			f.Words, f.Before, f.Message = f.Before, "", ""
		}
	case Title:
		f.addTitle(b)
	case Options:
		f.addOptions(b)
	case Session:
		f.addSession(e.Seq, b)
	case Shell:
		if b.Offered && f.Turn != "" && f.Ran <= f.TurnAt {
			f.Ran = e.Seq
		}
	case TurnCompleted:
		f.addEnd(e, b)
	case Taint:
		f.addTaint(b.Source)
	case ContextCleared:
		f.clear(e.Seq)
	case ContextRestored:
		f.restore(b.ClearedSeq)
	}
}

func (f *fold) addDelta(b AssistantDelta) {
	if b.Channel == ChannelThought || b.Delta == "" {
		return
	}
	if b.MessageID != f.Message || f.Message == "" {
		f.Messages++
		f.Before, f.Words, f.Message, f.Gap = f.Words, "", b.MessageID, false
	}
	if utf8.RuneCountInString(f.Words) < maxWords {
		words := f.Words
		if f.Gap {
			words += " "
		}
		f.Words = firstWords(words, b.Delta, maxWords)
	}
	last, _ := utf8.DecodeLastRuneInString(b.Delta)
	f.Gap = unicode.IsSpace(last)
}

func (f *fold) addTitle(b Title) {
	title := firstWords("", b.Title, maxWords)
	switch b.By {
	case "person", "carried":
		f.ByPerson = title
	case "message":
		f.ByMessage = title
	default:
		f.ByProvider = title
	}
}

func (f *fold) addOptions(b Options) {
	if b.Engine != "" {
		if b.Engine != f.Provider {
			f.Answered = ""
		}
		f.Provider, f.Model, f.Effort, f.Chosen = b.Engine, b.Model, b.Effort, true
	}
	if b.Mode != "" {
		f.Mode = b.Mode
	}
}

// addSession also reads older logs, whose one session names no engine.
func (f *fold) addSession(seq int64, b Session) {
	if b.Engine == "" {
		f.addOlder(f.Provider, b.ResumeID)
		return
	}
	f.endOlder()
	f.use(b.Engine)
	s := SessionRecord{ResumeID: b.ResumeID, Seq: seq, Model: b.Model}
	if b.Owes != nil {
		s.Seq, s.Owes = min(*b.Owes, seq), true
	}
	f.keep(b.Engine, s)
}

// addOlder takes an older record's one session: that of the engine the record
// names, which has seen all that there was when the record was the newest.
func (f *fold) addOlder(engine, resumeID string) {
	f.Older = engine
	f.keep(engine, SessionRecord{ResumeID: resumeID, Seq: f.Seq})
}

// endOlder fixes what that engine has seen: all before the turn that names one.
func (f *fold) endOlder() {
	if f.Older == "" {
		return
	}
	s := f.Sessions[f.Older]
	s.Seq = max(s.Seq, f.TurnAt-1)
	f.keep(f.Older, s)
	f.Older = ""
}

func (f *fold) addEnd(e Event, b TurnCompleted) {
	f.Turn, f.Done = "", e.Turn
	if b.Engine != "" {
		f.endOlder()
		f.use(b.Engine)
		if b.Model != "" && b.Engine == f.Provider {
			f.Answered = b.Model
		}
	}
	s, ok := f.Sessions[b.Engine]
	switch {
	case !ok || !b.Accepted || s.Owes:
		return
	case f.Ran > f.TurnAt: // what the person ran meanwhile goes with the next message, to whomever
		s.Seq, s.Owes = f.Ran-1, true
	default:
		s.Seq = e.Seq
	}
	f.keep(b.Engine, s)
}

// clear sets the sessions aside that hold what was said so far.
func (f *fold) clear(seq int64) {
	if s, ok := f.Sessions[f.Older]; ok && f.Older != "" {
		s.Seq = seq
		f.keep(f.Older, s)
	}
	f.Older = ""
	f.Cleared = append(slices.Clip(f.Cleared), setAside{Seq: seq, Sessions: f.Sessions})
	if n := len(f.Cleared); n > maxClear {
		f.Cleared = f.Cleared[n-maxClear:]
	}
	f.Sessions = nil
}

// restore takes a clear back. An engine that answered behind it has a session for
// each part of the chat and one for none: it begins anew.
func (f *fold) restore(seq int64) {
	i := slices.IndexFunc(f.Cleared, func(c setAside) bool { return c.Seq == seq })
	if i < 0 {
		return
	}
	before, since := f.Cleared[i].Sessions, f.Sessions
	cleared := slices.Clone(f.Cleared)
	f.Cleared = slices.Delete(cleared, i, i+1)
	if i < len(f.Cleared) { // a later clear stands: its sessions are those of between the two
		since = f.Cleared[i].Sessions
	}
	merged := maps.Clone(before)
	if merged == nil {
		merged = map[string]SessionRecord{}
	}
	for engine := range since {
		merged[engine] = SessionRecord{Seq: -1}
	}
	if i < len(f.Cleared) {
		f.Cleared[i].Sessions = merged
		return
	}
	f.Sessions = merged
}

// use notes whom the chat is with, when nobody was chosen: the one that answers
// may not be the one that was chosen for the next message.
func (f *fold) use(engine string) {
	if engine != f.Provider && !f.Chosen {
		f.Provider, f.Answered = engine, ""
	}
}

// addTaint remembers where words from outside came from, each once.
func (f *fold) addTaint(from TaintSource) {
	if len(f.Taints) < maxTaint && !slices.Contains(f.Taints, from) {
		f.Taints = append(slices.Clip(f.Taints), from)
	}
}

// hold remembers a resume id, also when another takes its place.
func (f *fold) hold(resumeID string) {
	if resumeID != "" && !slices.Contains(f.Held, resumeID) {
		f.Held = append(slices.Clip(f.Held[max(0, len(f.Held)-maxHeld+1):]), resumeID)
	}
}

// keep never changes the map in place: summaries share it.
func (f *fold) keep(engine string, s SessionRecord) {
	m := maps.Clone(f.Sessions)
	if m == nil {
		m = map[string]SessionRecord{}
	}
	m[engine] = s
	f.Sessions = m
	f.hold(s.ResumeID)
}

// moment is a time of a log, kept within the years 1 to 9999: others have no form
// in RFC 3339.
func moment(ms int64) time.Time {
	return time.UnixMilli(min(max(ms, -62135596800000), 253402300799999))
}

func (f *fold) summary(id string, abandoned bool) Summary {
	s := Summary{
		ID: id, Folder: f.Folder, Branch: f.Branch, Provider: f.Provider, Model: f.Model, Answered: f.Answered,
		Effort: f.Effort, Mode: f.Mode, Started: moment(f.Started), Updated: moment(f.Updated),
		Messages: f.Messages, LastWords: f.Words, Interrupted: abandoned && f.Turn != "", Sessions: maps.Clone(f.Sessions),
		Held: slices.Clone(f.Held), Taints: slices.Clone(f.Taints),
	}
	for _, c := range f.Cleared {
		s.Cleared = append(s.Cleared, c.Seq)
	}
	for _, kept := range f.Sessions { // a row of an older list has only these
		if kept.ResumeID != "" && !slices.Contains(s.Held, kept.ResumeID) {
			s.Held = append(s.Held, kept.ResumeID)
		}
	}
	if old, ok := s.Sessions[f.Older]; ok && f.Older != "" {
		old.Seq = f.Seq
		s.Sessions[f.Older] = old
	}
	for _, title := range []string{f.ByPerson, f.ByProvider, f.ByMessage} {
		if s.Title = title; title != "" {
			break
		}
	}
	return s
}

// firstWords adds text to words as one line and cuts the line at max characters.
// It looks at no more of text than it needs.
func firstWords(words, text string, max int) string {
	b := []byte(words)
	n := utf8.RuneCountInString(words)
	space := n > 0 && words[len(words)-1] == ' '
	if space {
		b, n = b[:len(b)-1], n-1
	}
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = true
			continue
		}
		if space && n > 0 {
			b, n = append(b, ' '), n+1
		}
		space = false
		if n >= max {
			break
		}
		b, n = utf8.AppendRune(b, r), n+1
	}
	return strings.TrimSuffix(string(b), " ")
}

// shorten cuts a line to max characters, where it can between words.
func shorten(line string, max int) string {
	r := []rune(line)
	if len(r) <= max {
		return line
	}
	cut := string(r[:max-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,.;:-") + "…"
}
