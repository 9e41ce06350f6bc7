package tui

import (
	"context"
	"sync"
	"testing"
	"time"

	"conch/engine"
)

// tellable is a provider that takes words into its turn.
type tellable struct {
	*scripted
	mu    sync.Mutex
	takes bool
	told  []string
}

func (s *tellable) Steer(_ context.Context, _, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.takes {
		s.told = append(s.told, text)
	}
	return s.takes
}

func (s *tellable) heardNow() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told
}

func TestWordsAreSaidIntoARunningTurn(t *testing.T) {
	who := &tellable{scripted: ready("codex", stays("looking at it")), takes: true}
	tt := start(t, 100, 24, newPlace(t).deps(t, who))
	tt.says("fix the cart")
	tt.sees("looking at it")
	tt.types("use the other branch")
	tt.sees("alt+t say it now")
	tt.press("alt+t")
	tt.sees("codex was told now", "use the other branch")
	if told := who.heardNow(); len(told) != 1 || told[0] != "use the other branch" {
		t.Errorf("it was told %q", told)
	}
	tt.says("/steer and be quick")
	tt.until("the second words said", func(string) bool { return len(who.heardNow()) == 2 })
	tt.sees("▌ and be quick")
	tt.golden("steer-100x24")
}

func TestWordsThatAreNotTakenIntoATurnAreQueued(t *testing.T) {
	who := &tellable{scripted: ready("codex", stays("looking at it"))}
	tt := start(t, 100, 24, newPlace(t).deps(t, who))
	tt.says("fix the cart")
	tt.sees("looking at it")
	tt.types("use the other branch")
	tt.press("alt+t")
	tt.sees("it goes as a message of its own", "queued")
	if n, _ := who.heard(); n != 1 {
		t.Errorf("%d turns", n)
	}

	tt = start(t, 100, 24, newPlace(t).deps(t, ready("codex", stays("looking at it"))))
	tt.says("fix the cart")
	tt.sees("looking at it")
	tt.types("use the other branch")
	tt.seesNot("say it now")
	tt.press("alt+t")
	tt.sees("codex takes nothing into a running turn here: it is queued")
}

func TestTheProvidersLimitsAreShown(t *testing.T) {
	reset := time.Date(2026, 11, 30, 13, 5, 0, 0, time.Local)
	turn := func(used float64) turn {
		return func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
			sink.Emit(engine.Limits{Windows: []engine.Window{{Name: "5 hours", UsedPercent: used, ResetsAt: reset.UnixMilli()}, {Name: "week", UsedPercent: 12.4, ResetsAt: reset.AddDate(0, 0, 3).UnixMilli()}}})
			return answers("The guard is in place.")(ctx, in, sink)
		}
	}
	tt := start(t, 120, 40, newPlace(t).deps(t, ready("codex", turn(41.6), turn(93))))
	tt.says("fix the cart")
	tt.sees("5 hours  42 % until 13:05", "week  12 % until Thu 13:05", "as codex said at")
	tt.golden("limits-120x40")
	tt.says("and the tests")
	tt.sees("auto-read  5 hours 93 %")
}
