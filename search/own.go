package search

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"conch/chats"
	"conch/redact"
)

// Own makes Conch's own chats a source.
func Own(store *chats.Store) Source { return own{store} }

type own struct{ store *chats.Store }

func (o own) Stamp() (string, error) { return o.store.Stamp() }

func (o own) Chats() ([]Chat, error) {
	stamps, err := o.store.Stamps() // before the list, so that what comes meanwhile is noticed
	if err != nil {
		return nil, err
	}
	list, err := o.store.List()
	if err != nil {
		return nil, err
	}
	all := make([]Chat, 0, len(list))
	for _, s := range list {
		title, _ := redact.Redact(s.Title)
		c := Chat{ID: s.ID, App: s.Provider, Title: title, Project: lastPart(s.Folder), Updated: s.Updated, Stamp: stamps[s.ID]}
		if len(s.Sessions) > 1 {
			c.App = "conch"
		}
		if s.Interrupted { // its last words count now
			c.Stamp += "-"
		}
		all = append(all, c)
	}
	return all, nil
}

// lastPart is a folder's name, of a path of either kind.
func lastPart(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// Words gives what was said and is done: pieces of an answer are put together,
// an answer that was taken back is left out, and so is one that is not at its end
// while somebody writes the chat.
func (o own) Words(id string, each func(Word) bool) error {
	t := talk{each: each}
	free, err := o.store.Each(id, spoken, t.add)
	if err != nil {
		return fmt.Errorf("read the words of a chat: %w", err)
	}
	if free {
		t.settle()
	}
	t.flush()
	return nil
}

func spoken(kind string) bool {
	switch kind {
	case "user.message", "assistant.delta", "assistant.done", "turn.completed":
		return true
	}
	return false
}

// talk puts messages together.
type talk struct {
	each func(Word) bool
	said []*saying // in order; none before the first that is not done
	over bool      // each wants no more
}

// saying is a message that is being put together.
type saying struct {
	word Word
	text strings.Builder
	done bool
}

func (t *talk) add(e chats.Event) bool {
	switch b := e.Body.(type) {
	case chats.UserMessage:
		if b.By != "" {
			return true // nobody said it
		}
		s := &saying{word: Word{ID: cmp.Or(b.MessageID, e.ID), Role: "user", At: time.UnixMilli(e.At)}, done: true}
		s.text.WriteString(b.Text)
		t.said = append(t.said, s)
	case chats.AssistantDelta:
		if b.Channel == chats.ChannelThought {
			return true
		}
		s := t.open(b.MessageID)
		if s == nil {
			s = &saying{word: Word{ID: b.MessageID, Role: "assistant", At: time.UnixMilli(e.At)}}
			t.said = append(t.said, s)
		}
		s.text.WriteString(b.Delta)
		return true
	case chats.AssistantDone:
		if s := t.open(b.MessageID); s != nil {
			s.done = true
			if b.Retracted {
				s.text.Reset()
			}
		}
	case chats.TurnCompleted:
		t.settle()
	}
	t.flush()
	return !t.over
}

// open is the message of an id that is not done.
func (t *talk) open(id string) *saying {
	for i := len(t.said) - 1; i >= 0; i-- {
		if s := t.said[i]; s.word.ID == id && !s.done {
			return s
		}
	}
	return nil
}

func (t *talk) settle() {
	for _, s := range t.said {
		s.done = true
	}
}

// flush hands on what is done and has nothing open before it.
func (t *talk) flush() {
	for len(t.said) > 0 && t.said[0].done {
		s := t.said[0]
		t.said = t.said[1:]
		if t.over || strings.TrimSpace(s.text.String()) == "" {
			continue
		}
		s.word.Text, _ = redact.Redact(s.text.String())
		t.over = !t.each(s.word)
	}
}
