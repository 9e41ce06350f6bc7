package transcript

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"conch/chats"
)

// chat is a chat of so many messages of about 1.5 KB, with steps between.
func chat(messages int) *script {
	body := strings.Repeat("The total panics because `c.Items[0]` is read before the length is checked, **see** the list:\n\n- one\n- two\n\n```go\nfunc f() {}\n```\n\n", 10)
	s := &script{}
	for i := range messages / 2 {
		s.says(fmt.Sprintf("question %d: why?", i))
		id := fmt.Sprintf("s%d", i)
		s.starts(id, "Bash", "execute", "go test ./...").ends(id, "success", 1500, strings.Repeat("ok  cart 0.1s\n", 20), resultView("20 lines"))
		s.answer(fmt.Sprintf("Answer %d\n\n", i) + body + body)
		s.done()
	}
	return s
}

func live(s *script, delta string) []chats.Event {
	return []chats.Event{{Seq: -1, Turn: s.turn, Body: chats.AssistantDelta{MessageID: "stream", Channel: chats.ChannelText, Delta: delta}}}
}

// A frame while a reply streams in: the cost must not depend on the chat.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{0, 100, 1000, 4000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			s := chat(n)
			s.says("go")
			tr := screen(s.events, 100, 40)
			tr.Apply(live(s, strings.Repeat("a settled paragraph of the reply\n\n", 100)))
			tr.Lines()
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				d := "word "
				if i++; i%20 == 0 {
					d = "\n\n"
				}
				tr.Apply(live(s, d))
				tr.Lines()
				tr.Unseen()
				tr.NeedsOlder()
			}
		})
	}
}

func BenchmarkScroll(b *testing.B) {
	for _, n := range []int{100, 4000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			tr := screen(chat(n).events, 100, 40)
			b.ReportAllocs()
			dir := -3
			for b.Loop() {
				tr.Scroll(dir)
				tr.Lines()
				if tr.Following() || tr.top == (place{}) {
					dir = -dir
				}
			}
		})
	}
}

func BenchmarkResize(b *testing.B) {
	for _, n := range []int{100, 4000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			tr := screen(chat(n).events, 100, 40)
			b.ReportAllocs()
			w := 100
			for b.Loop() {
				w = 180 - w
				tr.SetSize(w, 40)
				tr.Lines()
			}
		})
	}
}

// Opening: all events of a long chat are taken in and the end is drawn.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{100, 4000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			events := chat(n).events
			b.ReportAllocs()
			for b.Loop() {
				screen(events, 100, 40).Lines()
			}
		})
	}
}

// Memory of a list of 4,000 messages after someone paged through all of it.
func BenchmarkMemory(b *testing.B) {
	events := chat(4000).events
	source := 0
	for _, e := range events {
		switch v := e.Body.(type) {
		case chats.AssistantDelta:
			source += len(v.Delta)
		case chats.ToolFinished:
			source += len(v.Output)
		}
	}
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	var opened, paged float64
	for b.Loop() {
		before := heap()
		tr := screen(events, 100, 40)
		tr.Lines()
		opened = heap() - before
		for tr.ToEnd(); tr.top != (place{}) || tr.Following(); {
			tr.Page(-1)
			tr.Lines()
		}
		paged = heap() - before
		runtime.KeepAlive(tr)
	}
	b.ReportMetric(float64(source)/1e6, "MB-source")
	b.ReportMetric(opened/1e6, "MB-opened")
	b.ReportMetric(paged/1e6, "MB-paged")
}

// Words that only the oldest message has, in 4,000 messages.
func BenchmarkFind(b *testing.B) {
	tr := screen(chat(4000).events, 100, 40)
	tr.Lines()
	for b.Loop() {
		tr.ToEnd()
		if !tr.Find("question 0: why") {
			b.Fatal("not found")
		}
	}
}

// The side pane of a turn of 300 steps.
func BenchmarkSteps(b *testing.B) {
	s := (&script{}).says("go")
	for i := range 300 {
		id := fmt.Sprintf("s%d", i)
		s.starts(id, "Edit", "edit", "cart/service.go").ends(id, "success", 10, "", checkoutView())
	}
	tr := screen(s.events, 120, 40)
	tr.Lines()
	b.ReportAllocs()
	for b.Loop() {
		tr.Steps()
	}
}
