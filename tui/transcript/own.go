package transcript

import (
	"strings"

	"conch/chats"
	"conch/engine"
	"conch/plain"
)

// The tools of Conch's own whose rows say more than their arguments: a chat's title
// in the place of its id, the chats that were found, the words of a memory. What
// they did comes as an event of its own, before their end.
const (
	doorName    = "mcp__conch__"
	searchChats = "search_chats"
	readChat    = "read_chat"
	remember    = "remember"
	forget      = "forget"
)

// maxLooked is how many found chats a row keeps.
const maxLooked = 50

// ownName is a tool's name as a row has it: the bare one for a tool of Conch's, "app
// tool" for one of an app's, whoever connected it.
func ownName(name string) string {
	bare := strings.TrimPrefix(name, doorName)
	if app, tool, ok := engine.AppTool(bare); ok {
		return app + " " + tool
	}
	if bare != "" {
		return bare
	}
	return name
}

// looked says on its row what a search or a reading of other chats gave.
func (t *Transcript) looked(e chats.Event, b chats.ChatsLooked) {
	if b.Query != "" {
		it := t.running(e.Turn, searchChats, b.Query)
		if it == nil {
			return
		}
		s := it.body.(*step)
		s.chats = nil
		for _, c := range b.Chats[:min(len(b.Chats), maxLooked)] {
			s.chats = append(s.chats, titled(c))
		}
		t.update(it)
		return
	}
	for _, c := range b.Chats {
		if it := t.running(e.Turn, readChat, c.ID); it != nil {
			it.body.(*step).subject = titled(c)
			t.update(it)
		}
	}
}

// titled is a chat's title and where it is from.
func titled(c chats.LookedChat) string {
	title := plain.Line(c.Title, 120)
	if title == "" {
		title = "a chat without a title"
	}
	if from := plain.Line(c.From, 60); from != "" {
		title += " · " + from
	}
	return title
}

// remembered puts the words of a memory on its row, and where the chat's outside
// words are from that may have wanted it.
func (t *Transcript) remembered(e chats.Event, tool, words string, sources []string) {
	it := t.running(e.Turn, tool, "")
	if it == nil {
		return
	}
	s := it.body.(*step)
	s.subject = words
	if n := len(sources); n > 0 {
		s.allowed = "you allowed it, in a chat that has read " + plain.Line(sources[n-1], 100)
	}
	t.update(it)
}

// running is the newest row of a tool in a turn that has not ended, with that
// subject if there is one.
func (t *Transcript) running(turn, name, subject string) *item {
	var found *item
	for i := len(t.items) - 1; i >= 0 && t.items[i].turn == turn; i-- {
		s, ok := t.items[i].body.(*step)
		if !ok || s.name != name || s.state != Running {
			continue
		}
		if subject == "" || s.subject == plain.Line(subject, len(s.subject)+1) {
			return t.items[i]
		}
		if found == nil {
			found = t.items[i]
		}
	}
	return found
}
