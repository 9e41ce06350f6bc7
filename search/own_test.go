package search

import (
	"slices"
	"strings"
	"testing"
	"time"

	"conch/chats"
)

// ownChat writes a chat of Conch's own.
func ownChat(t *testing.T, store *chats.Store, end bool, bodies ...chats.Body) (id string, l *chats.Log) {
	t.Helper()
	l = store.Create("/code/shop", "main")
	for _, b := range bodies {
		if _, err := l.Append("t1", b); err != nil {
			t.Fatal(err)
		}
	}
	if end {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return l.ID(), l
}

func TestConchsOwnChatsAreASource(t *testing.T) {
	home := t.TempDir()
	store, err := chats.Open(home, func() time.Time { return monday })
	if err != nil {
		t.Fatal(err)
	}
	id, l := ownChat(t, store, false,
		chats.Options{Engine: "codex"},
		chats.UserMessage{MessageID: "u1", Text: "where is the walnut, key sk-ant-api03-" + strings.Repeat("Zq9x", 24)},
		chats.AssistantDelta{MessageID: "m0", Channel: chats.ChannelThought, Delta: "a secret pistachio"},
		chats.AssistantDelta{MessageID: "m1", Channel: chats.ChannelText, Delta: "broken hazel"},
		chats.AssistantDone{MessageID: "m1", Retracted: true},
		chats.AssistantDelta{MessageID: "m1", Channel: chats.ChannelText, Delta: "the wal"},
		chats.ToolStarted{ToolUseID: "x", Name: "Read", Subject: "pistachio.txt"},
		chats.ToolFinished{ToolUseID: "x", Status: "success", Output: "pistachio"},
		chats.AssistantDelta{MessageID: "m1", Channel: chats.ChannelText, Delta: "nut is here"},
		chats.AssistantDone{MessageID: "m1"},
		chats.ContextCleared{},
		chats.UserMessage{MessageID: "u2", Text: "and the pecan?"},
		chats.AssistantDelta{MessageID: "m2", Channel: chats.ChannelText, Delta: "the pecan is"},
	)
	ix := open(t, home, Own(store))
	catchUp(t, ix)
	tests := []struct {
		typed string
		want  []string
	}{
		{"walnut", []string{"m1", "u1"}},
		{`"the walnut is here"`, []string{"m1"}},
		{"pecan", []string{"u2"}}, // the answer is still coming
		{"pistachio", nil},
		{"hazel", nil},
		{"Zq9xZq9xZq9x", nil},
		{"walnut from:me app:codex project:shop", []string{"u1"}},
	}
	for _, tt := range tests {
		if got := messages(find(t, ix, tt.typed, Options{Newest: true})); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.typed, got, tt.want)
		}
	}
	r := find(t, ix, "walnut here", Options{})
	want := Chat{ID: id, App: "codex", Title: r.Hits[0].Chat.Title, Project: "shop", Stamp: r.Hits[0].Chat.Stamp, Updated: r.Hits[0].Chat.Updated}
	if h := r.Hits[0]; h.Chat != want || h.N != 1 || h.Role != "assistant" || h.At.UnixMilli() != monday.UnixMilli() || h.Chat.Updated.UnixMilli() != monday.UnixMilli() {
		t.Errorf("hit %+v", h)
	}

	// The answer comes to its end; then the chat is taken away.
	for _, b := range []chats.Body{
		chats.AssistantDelta{MessageID: "m2", Channel: chats.ChannelText, Delta: " there"},
		chats.TurnCompleted{Outcome: "success", Engine: "codex"},
	} {
		if _, err := l.Append("t1", b); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ix.Changed()
	for range 2 {
		if got := messages(find(t, ix, "pecan", Options{Newest: true})); len(got) != 2 || !slices.Contains(got, "m2") {
			t.Errorf("pecan: %v", got)
		}
		catchUp(t, ix)
	}
	if err := store.Delete(id); err != nil {
		t.Fatal(err)
	}
	catchUp(t, ix)
	if r := find(t, ix, "walnut", Options{}); r.Total != 0 {
		t.Errorf("a deleted chat is found: %v", messages(r))
	}
	if err := store.Undelete(id); err != nil {
		t.Fatal(err)
	}
	catchUp(t, ix)
	if r := find(t, ix, "walnut", Options{}); r.Total != 2 {
		t.Errorf("a chat that came back is not found: %v", messages(r))
	}
}

func TestConchsOwnChatsAndPastOnesAreFoundTogether(t *testing.T) { // R-111-49, R-111-50
	home := t.TempDir()
	store, err := chats.Open(home, func() time.Time { return monday })
	if err != nil {
		t.Fatal(err)
	}
	id, _ := ownChat(t, store, true, chats.Options{Engine: "codex"}, chats.UserMessage{MessageID: "u1", Text: "a lychee"})
	past := newShelf()
	past.put(Chat{ID: "pc_1", From: "Claude Code, in shop", Untrusted: true, Updated: monday.Add(-time.Hour)}, "a lychee tree")
	ix := open(t, home, Own(store), past)
	for _, indexed := range []bool{false, true} {
		if indexed {
			catchUp(t, ix)
		}
		r := find(t, ix, "lychee", Options{Newest: true})
		if len(r.Hits) != 2 || r.Chats != 2 {
			t.Fatalf("indexed %v: %+v", indexed, r)
		}
		if own := r.Hits[0].Chat; own.ID != id || own.Untrusted || own.From != "" {
			t.Errorf("indexed %v: Conch's own: %+v", indexed, own)
		}
		if other := r.Hits[1].Chat; other.ID != "pc_1" || !other.Untrusted || other.From != "Claude Code, in shop" {
			t.Errorf("indexed %v: the past one: %+v", indexed, other)
		}
	}
}

func TestWhatACrashLeftOfAnAnswerIsFound(t *testing.T) {
	home := t.TempDir()
	store, err := chats.Open(home, func() time.Time { return monday })
	if err != nil {
		t.Fatal(err)
	}
	ownChat(t, store, true,
		chats.UserMessage{MessageID: "u1", Text: "tell me of the almond"},
		chats.AssistantDelta{MessageID: "m1", Channel: chats.ChannelText, Delta: "an almond is a"})
	ix := open(t, home, Own(store))
	catchUp(t, ix)
	if got := messages(find(t, ix, "almond", Options{Newest: true})); !slices.Equal(got, []string{"m1", "u1"}) {
		t.Errorf("found %v", got)
	}
}

func TestAChatOfSeveralProvidersIsConchs(t *testing.T) {
	home := t.TempDir()
	store, err := chats.Open(home, func() time.Time { return monday })
	if err != nil {
		t.Fatal(err)
	}
	ownChat(t, store, true,
		chats.UserMessage{MessageID: "u1", Text: "a chestnut"},
		chats.Session{Engine: "codex", ResumeID: "r1"}, chats.Session{Engine: "claude-code", ResumeID: "r2"})
	ix := open(t, home, Own(store))
	catchUp(t, ix)
	if r := find(t, ix, "chestnut app:conch", Options{}); len(r.Hits) != 1 || r.Hits[0].Chat.App != "conch" || r.Hits[0].Chat.Untrusted {
		t.Errorf("hits %+v", r.Hits)
	}
}
