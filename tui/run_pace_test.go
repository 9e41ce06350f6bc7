package tui

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/bubbletea/v2"

	"conch/allchat"
)

// R-217-49, checklist 16: what happens in a run reaches the screen thirty times a second
// at most, and the last of it always.
func TestARunsNewsAreGatheredThirtyTimesASecondAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := newCrew(ctx)
		var mu sync.Mutex
		var heard []string
		c.toSend = func(msg tea.Msg) {
			mu.Lock()
			heard = append(heard, msg.(runNewsMsg).snap.Participants[0].Partial)
			mu.Unlock()
		}
		close(c.ready)
		s := newScript(t)
		w := &runWorker{crew: c, of: &running{}}
		var gathering sync.WaitGroup
		gathering.Go(func() { w.gather(ctx, s) })
		for i := range 1000 {
			s.now(func(snap *allchat.Snapshot) { snap.Participants[0].Partial = strings.Repeat("x", i+1) })
			time.Sleep(time.Millisecond)
		}
		time.Sleep(frame)
		cancel()
		gathering.Wait()
		if n := len(heard); n < 20 || n > 31 {
			t.Errorf("drawn %d times in a second", n)
		}
		if last := heard[len(heard)-1]; len(last) != 1000 {
			t.Errorf("the last that was heard is update %d", len(last))
		}
	})
}

// BenchmarkKeyInARun is the time from a key to the screen that shows it, while a run has
// 1,000 updates a second.
func BenchmarkKeyInARun(b *testing.B) {
	s := newScript(b)
	s.work()
	s.now(func(snap *allchat.Snapshot) { snap.Participants[0].Working = true })
	tt := inScript(b, 120, 40, s)
	tt.sees("coordinator")
	stop := make(chan struct{})
	var flood sync.WaitGroup
	flood.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				s.now(func(snap *allchat.Snapshot) { snap.Participants[0].Partial = strings.Repeat("word ", i%500) })
			}
		}
	})
	var slowest time.Duration
	b.ResetTimer()
	for i := range b.N {
		key := string(rune('a' + i%26))
		began := time.Now()
		tt.types(key)
		for limit := time.Now().Add(10 * time.Second); tt.promptLine() != "▌ "+key; time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				b.Fatalf("the key does not come:\n%s", tt.shown())
			}
		}
		slowest = max(slowest, time.Since(began))
		b.StopTimer()
		tt.press("backspace")
		for tt.promptLine() == "▌ "+key {
			time.Sleep(time.Millisecond)
		}
		b.StartTimer()
	}
	b.StopTimer()
	close(stop)
	flood.Wait()
	b.ReportMetric(float64(slowest.Microseconds())/1000, "slowest-ms")
}
