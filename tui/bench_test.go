package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"charm.land/bubbletea/v2"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/pastchats"
)

// longChat is a chat of n messages as its log has them.
func longChat(n int) []chats.Event {
	var events []chats.Event
	add := func(turn string, b chats.Body) {
		events = append(events, chats.Event{V: 1, Seq: int64(len(events)), ID: fmt.Sprint(len(events)), Turn: turn, Body: b})
	}
	for i := range n / 2 {
		turn, id := fmt.Sprintf("t%d", i), fmt.Sprintf("m%d", i)
		add(turn, chats.UserMessage{MessageID: "u" + id, Text: fmt.Sprintf("question %d: why does it fail?", i)})
		add(turn, chats.AssistantDelta{MessageID: id, Channel: chats.ChannelText, Delta: "# Answer\n\nThe cart **adds up** the items and rounds half to even.\n\n- one\n- two\n\n```go\nfunc main() {}\n```\n\nAnd so it goes on for a while, until it is said.\n"})
		add(turn, chats.AssistantDone{MessageID: id})
		add(turn, chats.TurnCompleted{Outcome: "success", Engine: "codex", Accepted: true})
	}
	return events
}

func benchModel(b *testing.B, messages, w, h int) *model {
	p := newPlace(b)
	d := p.deps(b, ready("codex")).filled()
	d.Open = func(string) (*conversation.Manager, error) { return nil, context.Canceled }
	d.Start.Chat = "x"
	c := newCrew(context.Background())
	b.Cleanup(func() { c.close(); c.wait() })
	m := newModel(d, c)
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(openedMsg{room: m.room, events: longChat(messages), status: conversation.Status{Chat: "x", Provider: "codex", Mode: engine.ModeAutoRead, Folder: p.folder, Running: true, Turn: "now", Since: p.now()}})
	m.View()
	return m
}

// BenchmarkFrame is the cost of one frame while an answer streams in: its news
// taken in and the whole screen drawn. It must not grow with the chat.
func BenchmarkFrame(b *testing.B) {
	var short float64 // nanoseconds, of the shorter chat
	for _, n := range []int{100, 4000} {
		b.Run(fmt.Sprintf("%d messages", n), func(b *testing.B) {
			m := benchModel(b, n, 120, 40)
			st := m.room.status
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				m.Update(newsMsg{room: m.room, status: st, events: []chats.Event{{Seq: -1, Turn: "now", Body: chats.AssistantDelta{MessageID: fmt.Sprintf("live%d", i/500), Channel: chats.ChannelText, Delta: "and one more piece of it "}}}})
				m.View()
			}
			each := float64(b.Elapsed()) / float64(b.N)
			if n == 100 {
				short = each
			}
			if short > 0 {
				b.ReportMetric(each/short, "x-100-messages")
			}
		})
	}
}

// BenchmarkKey is the cost of a key typed into the prompt.
func BenchmarkKey(b *testing.B) {
	for _, n := range []int{100, 4000} {
		b.Run(fmt.Sprintf("%d messages", n), func(b *testing.B) {
			m := benchModel(b, n, 120, 40)
			b.ReportAllocs()
			for b.Loop() {
				m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
				m.View()
				m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
				m.View()
			}
		})
	}
}

// BenchmarkResize is the cost of another width.
func BenchmarkResize(b *testing.B) {
	for _, n := range []int{100, 4000} {
		b.Run(fmt.Sprintf("%d messages", n), func(b *testing.B) {
			m := benchModel(b, n, 120, 40)
			i := 0
			for b.Loop() {
				i++
				m.Update(tea.WindowSizeMsg{Width: 100 + i%2, Height: 40})
				m.View()
			}
		})
	}
}

// BenchmarkKeyToScreen is the time from a key to the screen that shows it, in an
// empty chat at rest and in a long one while 6,000 updates a second stream in.
func BenchmarkKeyToScreen(b *testing.B) {
	flood := func(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		tick := time.NewTicker(time.Second / 200)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return engine.Result{Outcome: engine.Interrupted, Accepted: true}
			case <-tick.C:
			}
			for range 30 {
				sink.Emit(engine.Text{MessageID: fmt.Sprint(i / 400), Delta: "word "})
			}
			if i%20 == 0 {
				sink.Emit(engine.Text{MessageID: fmt.Sprint(i / 400), Delta: "\n\n"})
			}
		}
	}
	for _, c := range []struct {
		name     string
		messages int
		turns    []turn
	}{{"empty and at rest", 0, nil}, {"4000 messages and a flood", 4000, []turn{flood}}} {
		b.Run(c.name, func(b *testing.B) {
			p := newPlace(b)
			d := p.deps(b, ready("codex", c.turns...))
			if c.messages > 0 {
				log := p.store.Create(p.folder, "main")
				for _, e := range longChat(c.messages) {
					if _, err := log.Append(e.Turn, e.Body); err != nil {
						b.Fatal(err)
					}
				}
				d.Start.Chat = log.ID()
				if err := log.Close(); err != nil {
					b.Fatal(err)
				}
			}
			tt := start(b, 120, 40, d)
			if c.turns != nil {
				tt.sees("until it is said")
				tt.says("go")
				tt.sees("word word")
			}
			b.ResetTimer()
			for i := range b.N {
				key := string(rune('a' + i%26))
				tt.types(key)
				for limit := time.Now().Add(10 * time.Second); tt.promptLine() != "▌ "+key; time.Sleep(time.Millisecond) {
					if time.Now().After(limit) {
						b.Fatalf("the key does not come:\n%s", tt.shown())
					}
				}
				b.StopTimer()
				tt.press("backspace")
				for tt.promptLine() == "▌ "+key {
					time.Sleep(time.Millisecond)
				}
				b.StartTimer()
			}
		})
	}
}

// promptLine is the prompt's first line, the last but one of the screen.
func (tt *terminal) promptLine() string {
	tt.out.mu.Lock()
	defer tt.out.mu.Unlock()
	y, line := tt.emu.Height()-2, ""
	for x := range 6 {
		if c := tt.emu.CellAt(x, y); c != nil {
			line += c.Content
		}
	}
	return strings.TrimRight(line, " ")
}

// BenchmarkOpenPastChat is a past chat of 4,000 messages from its store to the first
// frame that shows it, without what the store takes to read it.
func BenchmarkOpenPastChat(b *testing.B) {
	p := newPasts()
	said := make([]string, 4000)
	for i := range said {
		said[i] = fmt.Sprintf("# Answer %d\n\nThe cart **adds up** the items and rounds half to even.\n\n- one\n- two\n\n```go\nfunc main() {}\n```\n\nAnd so it goes on for a while, until it is said.\n", i)
	}
	p.add(pastchats.Entry{ID: "pc_0000000000000001", Source: "codex", Title: "long"}, said...)
	m := benchModel(b, 0, 120, 40)
	m.past = p.others()
	b.ReportAllocs()
	for b.Loop() {
		m.openReader("pc_0000000000000001", "codex.2000", []string{"Answer 2000"})
		for _, cmd := range m.cmds {
			m.Update(cmd())
		}
		m.cmds = nil
		if v := m.View(); !strings.Contains(v.Content, "Answer 2000") {
			b.Fatal("it is not in view")
		}
	}
}

// BenchmarkReaderKey is a key and the frame that it gives in that chat.
func BenchmarkReaderKey(b *testing.B) {
	p := newPasts()
	said := make([]string, 4000)
	for i := range said {
		said[i] = "The cart **adds up** the items.\n\n- one\n- two\n\n```go\nfunc main() {}\n```\n"
	}
	p.add(pastchats.Entry{ID: "pc_0000000000000001", Source: "codex", Title: "long"}, said...)
	m := benchModel(b, 0, 120, 40)
	m.past = p.others()
	m.openReader("pc_0000000000000001", "", nil)
	for _, cmd := range m.cmds {
		m.Update(cmd())
	}
	m.View()
	b.ReportAllocs()
	for b.Loop() {
		m.Update(tea.KeyPressMsg{Code: 'k', Text: "k"})
		m.View()
	}
}
