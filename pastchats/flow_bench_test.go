package pastchats

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// benchChats are n chats with the given bytes of words each, as developers talk.
func benchChats(n, bytes int) []talk {
	words := strings.Fields("the test fails because `cart.total()` is called with a token of 12 items, so look at src/cart.ts:41 first and run npm test again; it's the password field that isn't set when key = value")
	chats := make([]talk, n)
	at := 0
	for i := range chats {
		for size := 0; size < bytes; {
			var b strings.Builder
			for range 100 + at%200 {
				b.WriteString(words[(at*7+b.Len())%len(words)])
				b.WriteByte(" \n"[at%40/39])
				at++
			}
			role := User
			if len(chats[i].words)%2 == 1 {
				role = Assistant
			}
			chats[i].say(role, b.String(), 1_790_000_000_000+int64(at))
			size += b.Len()
		}
	}
	return chats
}

// BenchmarkStore makes 12 MB of words ready, redacts them and writes their logs.
func BenchmarkStore(b *testing.B) {
	chats := benchChats(100, 120_000)
	size := int64(0)
	for i := range chats {
		size += int64(chats[i].bytes)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	var room []byte
	for b.Loop() {
		store, err := OpenStore(b.TempDir(), nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := store.makeDir(); err != nil {
			b.Fatal(err)
		}
		for i := range chats {
			c := chats[i]
			c.words = append([]message(nil), c.words...)
			done := finish(chatFile{}, &c)
			room = encodeLog(room[:0], "codex", &done)
			if _, err := store.writeLog(pastID("codex", fmt.Sprint(i)), room); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// benchList is a list of n chats.
func benchList(n int) *list {
	l := newList()
	for i := range n {
		key := fmt.Sprintf("019e9154-c304-70f0-adde-%012d", i)
		l.put(Entry{ID: pastID("codex", key), Source: "codex", Label: "Codex", Key: key, File: "/home/dev/.codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-" + key + ".jsonl",
			Title: "Fix the total of the cart when a line is taken out " + fmt.Sprint(i), Project: fmt.Sprint("shop", i%12), Model: "gpt-5.2-codex",
			Created: time.UnixMilli(1_790_000_000_000), Updated: time.UnixMilli(1_790_000_000_000 + int64(i)), Messages: 40, UserMessages: 12,
			Size: 57_000, MTime: 1_790_000_000_123_456_789})
	}
	return l
}

// BenchmarkList opens and writes a list of 5,000 chats.
func BenchmarkList(b *testing.B) {
	l := benchList(5000)
	data, err := l.encode()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if got := decodeList(data); len(got.entries) != 5000 || got.damaged {
				b.Fatal("not whole")
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := l.encode(); err != nil {
				b.Fatal(err)
			}
		}
	})
	store, err := OpenStore(b.TempDir(), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := store.makeDir(); err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			if err := store.write(l, false); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			if _, err := store.List(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkNothingNew is a run over 5,000 chats of which none changed, apart
// from the walk over the app's folder.
func BenchmarkNothingNew(b *testing.B) {
	w := newWorld(b, "codex")
	for i := range 5000 {
		w.apps[0].say(fmt.Sprint("s", i), "one", "two")
	}
	w.bringIn()
	b.ReportAllocs()
	for b.Loop() {
		r, err := w.again().BringIn(context.Background(), nil, nil)
		if err != nil || r.Read != 0 {
			b.Fatal(r, err)
		}
	}
}

// BenchmarkMessages reads a chat's messages back, as the index does.
func BenchmarkMessages(b *testing.B) {
	w := newWorld(b, "codex")
	chat := benchChats(1, 1_000_000)[0]
	w.apps[0].say("s", "x").chat = chat
	w.bringIn()
	b.SetBytes(int64(chat.bytes))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Store().Messages(pastID("codex", "s"), func(Message) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}
