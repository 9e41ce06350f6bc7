package conversation

import (
	"fmt"
	"strings"
	"testing"

	"conch/chats"
	"conch/engine"
)

// long makes a chat of n messages with steps, about 1.5 KB each.
func long(b *testing.B, n int) (*chats.Store, string) {
	b.Helper()
	store, err := chats.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	log := store.Create(b.TempDir(), "")
	words := strings.Repeat("some words of an answer ", 60)
	put := func(turn string, bodies ...chats.Body) {
		for _, body := range bodies {
			if _, err := log.Append(turn, body); err != nil {
				b.Fatal(err)
			}
		}
	}
	put("", chats.Options{Engine: "a", Mode: "auto-read"})
	for i := range n / 2 {
		turn := fmt.Sprint("t", i)
		put(turn, chats.UserMessage{MessageID: turn, Text: words},
			chats.Session{Engine: "a", ResumeID: "s"},
			chats.ToolStarted{ToolUseID: turn, Name: "Read", Subject: "a.go"}, chats.ToolFinished{ToolUseID: turn, Status: "success", Output: "x"},
			chats.AssistantDelta{MessageID: turn + "a", Channel: chats.ChannelText, Delta: words}, chats.AssistantDone{MessageID: turn + "a"},
			chats.TurnCompleted{Outcome: "success", Accepted: true, Engine: "a"})
	}
	id := log.ID()
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	return store, id
}

func openBench(b *testing.B, store *chats.Store, id string) *Manager {
	b.Helper()
	log, err := store.OpenLog(id)
	if err != nil {
		b.Fatal(err)
	}
	m, err := New(log, Deps{Engines: []engine.Engine{answering("a", "x"), answering("b", "x")}})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkOpen takes a chat up again; its cost must not grow with its length.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{100, 4000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			store, id := long(b, n)
			if _, err := store.List(); err != nil { // the list is kept from here on
				b.Fatal(err)
			}
			for b.Loop() {
				if err := openBench(b, store, id).Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMissed counts what a provider missed that never took part.
func BenchmarkMissed(b *testing.B) {
	for _, each := range []string{"first", "again"} {
		b.Run(each, func(b *testing.B) {
			store, id := long(b, 4000)
			m := openBench(b, store, id)
			m.Missed("b")
			for b.Loop() {
				if each == "first" {
					m.counts = counts{}
				}
				m.Missed("b")
			}
			if err := m.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
