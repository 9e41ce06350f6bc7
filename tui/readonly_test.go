package tui

import (
	"path/filepath"
	"testing"

	"conch/chats"
)

func TestAChatThatAnotherConchHeldIsCarriedOnOnceItIsFree(t *testing.T) {
	p := newPlace(t)
	other, err := chats.Open(filepath.Join(p.home, ".conch"), p.now)
	if err != nil {
		t.Fatal(err)
	}
	log := other.Create(p.folder, "main")
	say := func(words string) {
		t.Helper()
		if _, err := log.Append("t", chats.UserMessage{MessageID: "m", Text: words}); err != nil {
			t.Fatal(err)
		}
	}
	say("from the other one")
	codex := ready("codex", answers("here I am"))
	d := p.deps(t, codex)
	d.Start.Chat = log.ID()
	tt := start(t, 80, 24, d)
	tt.sees("from the other one", "read-only here")
	tt.types("my words")
	tt.press("enter")
	tt.sees("so nothing is sent from here", "my words")

	say("said meanwhile")
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	tt.press("enter")
	tt.sees("said meanwhile", "the other conch has left this chat", "my words")
	if n, _ := codex.heard(); n != 0 {
		t.Error("the words were sent before it was said that they could be")
	}
	tt.press("enter")
	tt.sees("here I am")
}

func TestPlainCarriesOnAChatThatAnotherConchHeldOnceItIsFree(t *testing.T) {
	p := newPlace(t)
	other, err := chats.Open(filepath.Join(p.home, ".conch"), p.now)
	if err != nil {
		t.Fatal(err)
	}
	log := other.Create(p.folder, "main")
	if _, err := log.Append("t", chats.UserMessage{MessageID: "m", Text: "from the other one"}); err != nil {
		t.Fatal(err)
	}
	codex := ready("codex", answers("here I am"))
	d := p.deps(t, codex)
	d.Start.Chat = log.ID()
	l := listen(t, d)
	l.hears("from the other one", "you can read it here")
	l.types("my words")
	l.hears("so nothing is sent from here")
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	l.types("")
	l.hears("the other conch has left this chat")
	if n, _ := codex.heard(); n != 0 {
		t.Error("the words were sent before it was said that they could be")
	}
	l.types("")
	l.hears("you: my words", "here I am")
}
