package conversation

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/tools"
)

// BenchmarkOverhead is what a message waits for in here: from Send until the
// provider has its prompt, warm and behind another provider's turn that is handed
// over, and from the first piece of the answer until Take gives it. The 95th
// percentile is to be under 5 ms each.
func BenchmarkOverhead(b *testing.B) {
	for _, each := range []string{"warm", "switching"} {
		b.Run(each, func(b *testing.B) {
			store, id := long(b, 4000)
			log, err := store.OpenLog(id)
			if err != nil {
				b.Fatal(err)
			}
			var asked, said time.Time
			var prompt, delta []time.Duration
			play := func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
				prompt = append(prompt, time.Since(asked))
				s.Emit(engine.Session{ResumeID: "s"})
				said = time.Now()
				s.Emit(engine.Text{MessageID: "m", Delta: "word"})
				return engine.Result{Outcome: engine.Success, Accepted: true}
			}
			kit := &tools.Kit{Chats: store, Memory: tools.OpenMemory(filepath.Join(b.TempDir(), "memory.md"))}
			m, err := New(log, Deps{
				Engines: []engine.Engine{&scripted{id: "a", is: engine.Ready, play: play}, &scripted{id: "b", is: engine.Ready, play: play}},
				Tools:   kit.For, Instructions: func() Instructions { return Instructions{Person: "Use tabs."} },
			})
			if err != nil {
				b.Fatal(err)
			}
			// The answer is taken as a screen does it: whenever there is something.
			taken, over := make(chan time.Time, 1), make(chan struct{})
			go func() {
				defer close(taken)
				for {
					select {
					case <-over:
						return
					case <-m.Changed():
					}
					events, _ := m.Take()
					if slices.ContainsFunc(events, func(e chats.Event) bool { _, words := e.Body.(chats.AssistantDelta); return words }) {
						select {
						case taken <- time.Now():
						default: // the same words, written
						}
					}
				}
			}()
			turn := func(n int) {
				if each == "switching" {
					if err := m.SetProvider([]string{"b", "a"}[n%2]); err != nil {
						b.Fatal(err)
					}
				}
				asked = time.Now()
				if err := m.Send(Message{Text: "go on"}); err != nil {
					b.Fatal(err)
				}
				at := <-taken
				if err := m.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
				delta = append(delta, at.Sub(said))
				select {
				case <-taken: // what was written at the end of the turn
				default:
				}
			}
			for n := range 4 { // both took part
				turn(n)
			}
			prompt, delta = nil, nil
			n := 0
			for b.Loop() {
				turn(n)
				n++
			}
			close(over)
			for range taken {
			}
			if err := m.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(p95(prompt), "ms-to-prompt-p95")
			b.ReportMetric(p95(delta), "ms-to-screen-p95")
		})
	}
}

func p95(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)*95/100]) / float64(time.Millisecond)
}
