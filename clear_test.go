//go:build !windows

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/chats"
)

// TestAClearedChatBeginsAnewWithTheProgram drives the demo as a person does: a
// clear that is taken back carries the program's session on, one that stands begins
// another, and nothing of it reads as a loss.
func TestAClearedChatBeginsAnewWithTheProgram(t *testing.T) {
	p := newPlace(t)
	s := open(t, p, 100, 40, p.environ(), "--provider", "demo")
	s.waitFor(prompt)
	turns := 0
	say := func(words string) {
		turns++
		s.say(words)
		s.until("the end of the turn", func() bool { return kinds(t, p, "turn.completed") == turns })
	}
	clears := 0
	clear := func() {
		clears++
		var last time.Time
		s.until("the clear", func() bool { // refused until the screen knows of the turn's end
			if time.Since(last) > time.Second {
				last = time.Now()
				s.say("/clear")
			}
			return kinds(t, p, "context.cleared") == clears
		})
	}
	say("hello there")
	clear()
	s.waitFor("/undo takes it back")
	s.say("/undo")
	s.until("its undoing", func() bool { return kinds(t, p, "context.restored") == 1 })
	say("once more")
	clear()
	say("anew")

	var sessions, handed []string
	for _, e := range logOf(t, p) {
		switch b := e.Body.(type) {
		case chats.Session:
			_, id, _ := strings.Cut(b.ResumeID, ":") // behind the digest
			if b.Restarted != "" {
				t.Errorf("a session reads as %s", b.Restarted)
			}
			if !slices.Contains(sessions, id) {
				sessions = append(sessions, id)
			}
		case chats.Handoff:
			handed = append(handed, b.Block)
		case chats.Notice:
			if b.Code == "healed" {
				t.Errorf("it says %q", b.Message)
			}
		}
	}
	if len(sessions) != 2 || len(handed) != 0 {
		t.Errorf("sessions %q, handed over %q", sessions, handed)
	}
}

func logOf(t *testing.T, p place) []chats.Event {
	t.Helper()
	store, err := chats.Open(filepath.Join(p.home, ".conch"), nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := store.OpenReader(newestChat(t, p))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // it was only read
	events, err := log.Since(-1)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// kinds counts the events of a kind in the chat's log.
func kinds(t *testing.T, p place, kind string) int {
	t.Helper()
	if logs, err := filepath.Glob(filepath.Join(p.home, ".conch", "chats", "*.jsonl")); err != nil || len(logs) == 0 {
		return 0 // nothing was sent yet
	}
	return len(slices.DeleteFunc(logOf(t, p), func(e chats.Event) bool { return e.Body.Kind() != kind }))
}
