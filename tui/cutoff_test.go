package tui

import (
	"testing"

	"conch/chats"
)

// leftRunning writes a chat whose turn has no end, as a kill leaves it.
func leftRunning(t *testing.T, p place, folder, words string) {
	t.Helper()
	log := p.store.Create(folder, "main")
	for _, b := range []chats.Body{
		chats.UserMessage{MessageID: "u", Text: words},
		chats.AssistantDelta{MessageID: "a", Channel: chats.ChannelText, Delta: "I had begun"},
	} {
		if _, err := log.Append("t1", b); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAChatThatWasCutOffIsOfferedAtTheNextStart(t *testing.T) {
	p := newPlace(t)
	leftRunning(t, p, p.folder, "mend the cart")
	tt := start(t, 80, 24, p.deps(t, ready("codex")))
	tt.sees("mend the cart” was cut off in the middle of an answer", "Press enter to carry it on")
	tt.types("x")
	tt.press("backspace")
	tt.sees("enter carries it on")
	tt.enter()
	tt.sees("I had begun", "stopped")
	tt.press("alt+n")
	tt.sees("A new chat in")
	tt.seesNot("cut off")
}

func TestAChatThatWasCutOffElsewhereIsNotOffered(t *testing.T) {
	p := newPlace(t)
	leftRunning(t, p, t.TempDir(), "mend the cart")
	tt := start(t, 80, 24, p.deps(t, ready("codex")))
	tt.sees("opens the chat that you have")
	tt.seesNot("cut off")
}
