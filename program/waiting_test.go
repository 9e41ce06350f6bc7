package program

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"conch/engine"
)

func TestASilentTurnSaysWhatItWaitsForAndTakesItBack(t *testing.T) {
	var got []string
	s := NewSilence(10*time.Second, func(ev engine.Event) { got = append(got, ev.(engine.Waiting).Text) })
	ago := func(d time.Duration) { s.since = time.Now().Add(-d) }
	s.Tick("Agent") // too early
	ago(11 * time.Second)
	s.Tick("Agent")
	s.Tick("Agent") // the same: said once
	ago(21 * time.Second)
	s.Retries = "it tries again"
	s.Tick("make test")
	s.Stir()
	s.Stir()
	s.Tick("Agent")
	want := []string{"waiting for Agent, 10 s without a word", "waiting for make test, 20 s without a word: it tries again", ""}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestTheEndOfATurnIsWaitedFor(t *testing.T) {
	stops, looks := 0, make(chan struct{}, 1)
	w := Wait{Stop: func() { stops++ }, Limit: 20 * time.Millisecond, Every: time.Millisecond, Look: func() {
		select {
		case looks <- struct{}{}:
		default:
		}
	}}
	end := make(chan int, 1)
	go func() { <-looks; end <- 7 }()
	if got, err := Await(t.Context(), end, w); got != 7 || err != nil || stops != 0 {
		t.Errorf("%d %v, stopped %d times", got, err, stops)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Await(ctx, end, w); !errors.Is(err, ErrDidNotStop) || stops != 1 {
		t.Errorf("%v, stopped %d times", err, stops)
	}
	// Stopped, and then it ends by itself.
	w.Stop = func() { end <- 8 }
	w.Limit = time.Hour
	if got, err := Await(ctx, end, w); got != 8 || err != nil {
		t.Errorf("%d %v", got, err)
	}
	gone := make(chan struct{})
	close(gone)
	w.Gone = gone
	if _, err := Await(t.Context(), end, w); !errors.Is(err, ErrGone) {
		t.Errorf("gone: %v", err)
	}
	for range 50 { // what came before it was gone counts
		end <- 9
		if got, err := Await(t.Context(), end, w); got != 9 || err != nil {
			t.Fatalf("%d %v", got, err)
		}
	}
}
