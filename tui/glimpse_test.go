package tui

import (
	"strings"
	"testing"

	"conch/chats"
	"conch/conversation"
)

func TestTheEndOfAChatIsShownBeforeItIsOpen(t *testing.T) {
	p := newPlace(t)
	d := p.deps(t, ready("codex", answers("Carried on.")))
	log := p.store.Create(p.folder, "main")
	for _, e := range []struct {
		turn string
		body chats.Body
	}{
		{"t1", chats.UserMessage{MessageID: "u", Text: "why does it fail?"}},
		{"t1", chats.AssistantDelta{MessageID: "a", Channel: chats.ChannelText, Delta: "Because the total is nil."}},
		{"t1", chats.AssistantDone{MessageID: "a"}},
		{"t1", chats.TurnCompleted{Outcome: "success", Engine: "codex", Accepted: true}},
		{"t2", chats.UserMessage{MessageID: "v", Text: "then mend it"}},
		{"t2", chats.AssistantDelta{MessageID: "b", Channel: chats.ChannelText, Delta: "I am at it, and"}},
	} {
		if _, err := log.Append(e.turn, e.body); err != nil {
			t.Fatal(err)
		}
	}
	d.Start.Chat = log.ID()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	open, opened := d.Open, make(chan struct{})
	d.Open = func(id string) (*conversation.Manager, error) {
		<-opened
		return open(id)
	}

	tt := start(t, 80, 24, d)
	tt.sees("why does it fail?", "Because the total is nil.", "I am at it, and")
	tt.seesNot("codex")
	tt.says("go on")
	close(opened)
	tt.sees("codex", "stopped", "Carried on.")
	for _, words := range []string{"▌ why does it fail?", "Because the total is nil.", "I am at it, and", "go on"} {
		if n := strings.Count(tt.shown(), words); n != 1 {
			t.Errorf("%q stands there %d times:\n%s", words, n, tt.shown())
		}
	}
}

func TestAChatThatCannotBeOpenedSaysSoBelowItsEnd(t *testing.T) {
	p := newPlace(t)
	d := p.deps(t, ready("codex"))
	log := p.store.Create(p.folder, "main")
	if _, err := log.Append("t1", chats.UserMessage{MessageID: "u", Text: "why does it fail?"}); err != nil {
		t.Fatal(err)
	}
	d.Start.Chat = log.ID()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	d.Open = func(string) (*conversation.Manager, error) { return nil, chats.ErrFull }
	tt := start(t, 80, 24, d)
	tt.sees("why does it fail?", "the disk is full")
}
