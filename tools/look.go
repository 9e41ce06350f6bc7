package tools

import (
	"cmp"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"conch/chats"
	"conch/engine"
	"conch/plain"
)

// TaintChat is the kind of a taint that came from reading another chat.
const TaintChat = "chat"

// Limits of what is said of a chat.
const (
	maxID    = 100
	maxTitle = 120
	maxFrom  = 120
	maxLabel = 120 // of a taint
)

// bound is a Kit bound to a turn.
type bound struct {
	kit   *Kit
	turn  Turn
	clean cleaner
	group string // of the turn's edits
}

// For gives the tools of a turn, always in the same order, so that what a provider
// is told stays the same from turn to turn.
func (k *Kit) For(t Turn) []engine.Tool {
	b := &bound{kit: k, turn: t, clean: cleaner{k.Keys}, group: ulid.Make().String()}
	var list []engine.Tool
	if k.Search != nil && k.Chats != nil {
		list = append(list, b.searchChats(), b.readChat())
	}
	list = append(list, b.ask(), b.plan(), b.waitFor())
	if k.Memory != nil {
		list = append(list, b.remember(), b.forget())
	}
	if t.Handless() {
		list = append(list, b.readFile(), b.list(), b.searchFiles(), b.editFile(), b.writeFile(), b.runCommand(), b.webRead())
	}
	return list
}

func (b *bound) now() time.Time {
	if b.kit.Now != nil {
		return b.kit.Now()
	}
	return time.Now()
}

func (b *bound) title(title string) string {
	return cmp.Or(b.clean.line(title, maxTitle), "untitled")
}

// from says where a chat's words are from: "Claude Code, in shop".
func (b *bound) from(from, project string) string {
	if from == "" {
		from = "Conch"
		if project != "" {
			from += ", in " + project
		}
	}
	return b.clean.line(from, maxFrom)
}

// tainted reports that a chat of Conch's own has read words from outside: they may
// stand in its answers, so it is no more trusted than they are. A chat of which
// that is not known is not trusted either.
func (b *bound) tainted(id string) bool {
	log, err := b.kit.Chats.OpenReader(id)
	if err != nil {
		return true
	}
	sum, err := log.Summary()
	if closeErr := log.Close(); err != nil || closeErr != nil {
		return true
	}
	return len(sum.Taints) > 0
}

// looked taints the asking chat with each untrusted chat that it is about to be
// given words of, and then notes in its log what was looked at. It is done before
// the words are given.
func (b *bound) looked(query string, list []chats.LookedChat) {
	known := b.turn.Taints()
	for _, c := range list {
		if !c.Untrusted || c.ID == b.turn.Chat() {
			continue
		}
		label := taintLabel(c)
		if slices.Contains(known, label) {
			continue
		}
		b.turn.Taint("", chats.TaintSource{Kind: TaintChat, Label: label})
		known = append(known, label)
	}
	if query == "" && len(list) == 1 && list[0].ID == b.turn.Chat() {
		return // its own words: nothing of another chat
	}
	b.turn.Record(chats.ChatsLooked{Query: query, Chats: list})
}

// taintLabel names a chat as the source of outside words, by its title: “Cart
// totals” (Claude Code, in shop).
func taintLabel(c chats.LookedChat) string {
	from := plain.Line(c.From, 50)
	return plain.Line("“"+plain.Line(c.Title, maxLabel-len("“” ()")-50)+"” ("+from+")", maxLabel)
}
