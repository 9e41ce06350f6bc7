//go:build !windows

package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// The benchmarks of this file measure the real program on a pty. What depends on
// the machine is told as a ratio as well: to a bare Bubble Tea program that is
// started in turn with it, or to an empty chat. CONCH_BENCH_BIN measures another
// binary than that of this tree.

const (
	starts     = 15 // of each program, after one that fills the caches
	restSettle = 3 * time.Second
	restTime   = 10 * time.Second
	keyRounds  = 3
	keysTyped  = 50 // in each
)

// BenchmarkFirstPaint is the time from the start to the first screen.
func BenchmarkFirstPaint(b *testing.B) {
	b.Run("empty-home", func(b *testing.B) { againstBare(b, newPlace(b), nil) })
	b.Run("1000-chats", func(b *testing.B) {
		p := newPlace(b)
		manyChats(b, p, 1000)
		againstBare(b, p, nil)
	})
	b.Run("1000-chats-without-list", func(b *testing.B) {
		p := newPlace(b)
		manyChats(b, p, 1000)
		againstBare(b, p, func() { dropList(b, p) })
	})
}

// BenchmarkLongChat is the time from the start to the end of a chat of 4,000
// messages, 6 MB, on the screen.
func BenchmarkLongChat(b *testing.B) {
	b.Run("resume", func(b *testing.B) {
		p := newPlace(b)
		againstBare(b, p, nil, "--resume", longChat(b, p))
	})
	b.Run("resume-without-list", func(b *testing.B) {
		p := newPlace(b)
		againstBare(b, p, func() { dropList(b, p) }, "--resume", longChat(b, p))
	})
	b.Run("continue", func(b *testing.B) {
		p := newPlace(b)
		longChat(b, p)
		againstBare(b, p, nil, "--continue")
	})
	b.Run("continue-without-list", func(b *testing.B) {
		p := newPlace(b)
		longChat(b, p)
		againstBare(b, p, func() { dropList(b, p) }, "--continue")
	})
}

// againstBare starts a bare program and Conch in turn. With args Conch is there
// when the last words of the long chat are.
func againstBare(b *testing.B, p place, before func(), args ...string) {
	bare, conch := barePath(b), conchPath(b)
	there := painted
	if len(args) > 0 {
		there = func(s *terminal) bool { return strings.Contains(s.screen(), lastWords) }
	}
	took := func(there func(*terminal) bool, program string, args ...string) float64 {
		s := begin(b, p, program, args...)
		at := s.when("the first screen", func() bool { return there(s) }, nil)
		s.close()
		return millis(at.Sub(s.started))
	}
	var floor, ours []float64
	for b.Loop() {
		for n := range starts + 1 {
			bareTook := took(painted, bare)
			if before != nil {
				before()
			}
			conchTook := took(there, conch, args...)
			if n > 0 {
				floor, ours = append(floor, bareTook), append(ours, conchTook)
			}
		}
	}
	b.ReportMetric(median(floor), "ms-bare")
	b.ReportMetric(median(ours), "ms-conch")
	b.ReportMetric(median(ours)/median(floor), "x-bare")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkAtRest is what Conch costs with the long chat open while nothing
// happens.
func BenchmarkAtRest(b *testing.B) {
	p := newPlace(b)
	id := longChat(b, p)
	var memory, cpu, bytes []float64
	for b.Loop() {
		s := begin(b, p, conchPath(b), "--resume", id)
		s.when("the end of the chat", func() bool { return strings.Contains(s.screen(), lastWords) }, nil)
		time.Sleep(restSettle)
		pid := s.cmd.Process.Pid
		used, wrote, since := processorTime(b, pid), len(s.written()), time.Now()
		time.Sleep(restTime)
		span := time.Since(since)
		cpu = append(cpu, 100*float64(processorTime(b, pid)-used)/float64(span))
		bytes = append(bytes, float64(len(s.written())-wrote)/span.Seconds())
		memory = append(memory, residentMiB(b, pid))
		s.close()
	}
	b.ReportMetric(median(memory), "MiB-resident")
	b.ReportMetric(median(cpu), "%core")
	b.ReportMetric(median(bytes), "bytes/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkKeyToScreen is the time from a key to its letter on the screen, in an
// empty chat, in the long one, and while an answer of 6,000 updates a second
// streams in.
func BenchmarkKeyToScreen(b *testing.B) {
	p := newPlace(b)
	id := longChat(b, p)
	conch := conchPath(b)
	var empty, long, flood, rate []float64
	for b.Loop() {
		for range keyRounds {
			s := begin(b, newPlace(b), conch)
			s.waitFor(prompt)
			time.Sleep(restSettle)
			empty = append(empty, typing(s)...)
			s.close()

			s = begin(b, p, conch, "--resume", id)
			s.waitFor(lastWords)
			time.Sleep(restSettle)
			long = append(long, typing(s)...)
			s.close()

			s = begin(b, newPlace(b), conch, "--provider", "demo")
			s.waitFor(prompt)
			s.say("/test flood 6000 10")
			begun := s.when("the flood", func() bool { return strings.Contains(s.screen(), "w10") }, nil)
			flood = append(flood, typing(s)...)
			ended := s.when("the flood's end", func() bool { return strings.Contains(s.screen(), "flood over") }, nil)
			rate = append(rate, 60_000/ended.Sub(begun).Seconds())
			s.close()
		}
	}
	b.ReportMetric(median(empty), "ms-empty")
	b.ReportMetric(median(long), "ms-long")
	b.ReportMetric(median(flood), "ms-flood")
	b.ReportMetric(median(long)/median(empty), "x-long")
	b.ReportMetric(median(flood)/median(empty), "x-flood")
	b.ReportMetric(median(rate), "updates/s")
	b.ReportMetric(0, "ns/op")
}

// typing types letters at uneven times and gives how long each took.
func typing(s *terminal) []float64 {
	s.t.Helper()
	var took []float64
	typed := ""
	for n := range keysTyped {
		time.Sleep(60*time.Millisecond + rand.N(60*time.Millisecond))
		letter := string("zqxj"[n%4])
		typed += letter
		var sent time.Time
		at := s.when(typed, func() bool { return strings.Contains(s.screen(), typed) }, func() {
			sent = time.Now()
			s.typed(letter)
		})
		took = append(took, millis(at.Sub(sent)))
	}
	return took
}
