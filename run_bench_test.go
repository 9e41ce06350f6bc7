//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/acp"
	"conch/allchat"
	"conch/allchat/record"
	"conch/child"
	"conch/engine"
	"conch/tui/runpane"
	"conch/tui/theme"
)

// splitAt parts the boss's message into the tasks of the others.
const splitAt = " ||| "

// boss is a coordinator in this process: it gives its message as a task to each of the
// others, talks as fast as it was asked to meanwhile, and collects.
type boss struct {
	rate  int // updates a second
	lasts time.Duration
}

func (boss) Info() engine.Info                           { return engine.Info{ID: "boss", Name: "Boss"} }
func (boss) Health(context.Context) engine.Health        { return engine.Health{State: engine.Ready} }
func (boss) Release(string)                              {}
func (boss) ForgetSession(context.Context, string) error { return nil }
func (boss) Close() error                                { return nil }
func (boss) Open(_ context.Context, _ engine.TurnInput, s engine.Sink) error {
	s.Emit(engine.Session{ResumeID: "boss-1"})
	return nil
}

func (b boss) Turn(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
	sink.Emit(engine.Session{ResumeID: "boss-1"})
	call := func(name string, args any) {
		i := slices.IndexFunc(in.Tools, func(t engine.Tool) bool { return t.Name() == name })
		if i < 0 {
			return
		}
		raw, err := json.Marshal(args)
		if err == nil {
			_, err = in.Tools[i].Call(ctx, raw)
		}
		if err != nil {
			sink.Emit(engine.Notice{Code: "boss", Message: err.Error()})
		}
	}
	briefs := strings.Split(in.Prompt[strings.LastIndex(in.Prompt, "\n")+1:], splitAt)
	for i, who := range []string{"worker-1", "worker-2"} {
		call("delegate", map[string]any{"to": who, "task": "for-" + who, "brief": briefs[min(i, len(briefs)-1)]})
	}
	if b.rate > 0 {
		tick := time.NewTicker(time.Second / time.Duration(b.rate))
		defer tick.Stop()
		for until := time.Now().Add(b.lasts); time.Now().Before(until) && ctx.Err() == nil; {
			<-tick.C
			sink.Emit(engine.Text{MessageID: "m", Delta: "word "})
		}
	}
	call("collect", map[string]any{"wait": 60})
	if ctx.Err() != nil {
		return engine.Result{Outcome: engine.Interrupted}
	}
	sink.Emit(engine.Text{MessageID: "m", Delta: "done"})
	sink.Emit(engine.MessageDone{MessageID: "m"})
	return engine.Result{Outcome: engine.Success, Accepted: true}
}

// runsOf are the runs of a place with the real demo agent, and a boss.
func runsOf(t testing.TB, p place, b boss) *allchat.Runs {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	environ := p.environ("CONCH_DEMO_FAST=1")
	guard := child.NewGuard([]string{bin, "child-guard"}, environ)
	t.Cleanup(guard.Close)
	home := filepath.Join(p.home, ".conch")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	table := acp.Agents(bin)
	demo := table[slices.IndexFunc(table, func(a acp.Agent) bool { return a.ID == demoID })]
	runs, err := allchat.Open(home, allchat.Deps{
		Engine: func(id string) (engine.Engine, error) {
			switch id {
			case "boss":
				return b, nil
			case demoID:
				return acp.New(demo, acp.Options{Environ: environ, Guard: guard, Self: bin}), nil
			}
			return nil, fmt.Errorf("no provider is called %q", id)
		},
		Protected: []string{home},
	})
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func beginRun(t testing.TB, runs *allchat.Runs, p place, coordinator string) *allchat.Run {
	t.Helper()
	run, err := runs.Start(context.Background(), allchat.Plan{
		Folder: p.project, Coordinator: allchat.Pick{Provider: coordinator, Role: record.RoleCoordinator},
		Others: []allchat.Pick{{Provider: demoID, Role: record.RoleWorker}, {Provider: demoID, Role: record.RoleReviewer}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// waits waits for a run to be as it is wanted.
func waits(t testing.TB, run *allchat.Run, what string, ok func(allchat.Snapshot) bool) allchat.Snapshot {
	t.Helper()
	late := time.After(patience)
	for {
		if s := run.Snapshot(); ok(s) {
			return s
		}
		select {
		case <-run.Changed():
		case <-late:
			t.Fatalf("%s did not come: %+v", what, run.Snapshot())
		}
	}
}

func idle(s allchat.Snapshot) bool {
	return s.State.Phase() != record.PhaseRunning && !slices.ContainsFunc(s.Participants, func(p allchat.Participant) bool { return p.Working })
}

// Checklist 16, R-217-34: three agents at full speed side by side, under the race
// detector; what each said is whole in the record.
func TestThreeAgentsAtFullSpeed(t *testing.T) {
	p := newPlace(t)
	run := beginRun(t, runsOf(t, p, boss{rate: 1000, lasts: 2 * time.Second}), p, "boss")
	var drawing sync.WaitGroup
	stop := make(chan struct{})
	pane := runpane.New(theme.New(false, false, theme.Unicode()), runpane.Options{})
	drawing.Go(func() { // as a screen does
		for {
			select {
			case <-run.Changed():
				pane.Set(runpane.Run{Snapshot: run.Snapshot()})
				pane.Body(120, 30)
			case <-stop:
				return
			}
		}
	})
	if err := run.Say(context.Background(), "/test flood 1000 2"); err != nil {
		t.Fatal(err)
	}
	late := time.Now().Add(patience)
	for !idle(run.Snapshot()) && time.Now().Before(late) {
		time.Sleep(20 * time.Millisecond)
	}
	close(stop)
	drawing.Wait()
	s := run.Snapshot()
	for _, id := range []string{"for-worker-1", "for-worker-2"} {
		if task := s.State.Task(id); task == nil || task.Status != record.TaskDone || !strings.Contains(task.Result.String(), "flood over") && !strings.Contains(task.Result.String(), "left out") {
			t.Errorf("%s: %+v", id, task)
		}
	}
	answer := ""
	for _, e := range s.State.Events {
		switch b := e.Body.(type) {
		case record.CoordinatorMessage:
			answer = b.Text.String()
		case record.Synthesis:
			answer = b.Text.String()
		}
	}
	if n := strings.Count(answer, "word "); n < 100 || !strings.HasSuffix(answer, "done") {
		t.Errorf("the answer has %d words and ends with %q", n, answer[max(0, len(answer)-20):])
	}
	if err := run.Close(); err != nil {
		t.Error(err)
	}
}

// quantiles reports the median and the 95th percentile of samples, and fails when that
// is over the bound.
func quantiles(b *testing.B, samples []time.Duration, bound time.Duration) {
	b.Helper()
	if len(samples) < 20 {
		return // a first, short round of the benchmark
	}
	slices.Sort(samples)
	p50, p95 := samples[len(samples)/2], samples[len(samples)*95/100]
	b.ReportMetric(float64(p50.Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(p95.Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(len(samples)), "samples")
	if p95 > bound {
		b.Errorf("P95 is %v, over %v", p95, bound)
	}
}

// BenchmarkRunFirstUpdate is from the person's words to the first word on its way back.
func BenchmarkRunFirstUpdate(b *testing.B) {
	p := newPlace(b)
	var samples []time.Duration
	var run *allchat.Run
	for i := 0; b.Loop(); i++ {
		if i%30 == 0 { // a run has its number of turns and tasks
			if run != nil {
				_ = run.Cancel(context.Background())
			}
			run = beginRun(b, runsOf(b, p, boss{}), p, demoID)
		}
		began := time.Now()
		if err := run.Say(context.Background(), "/test slow 30"); err != nil {
			b.Fatal(err)
		}
		waits(b, run, "a word", func(s allchat.Snapshot) bool { return s.Participants[0].Partial != "" || idle(s) })
		samples = append(samples, time.Since(began))
		waits(b, run, "the end", idle)
	}
	if err := run.Close(); err != nil {
		b.Fatal(err)
	}
	quantiles(b, samples, time.Second)
}

// BenchmarkRunCancel is from esc to the end of the turn, of an agent that does not stop.
func BenchmarkRunCancel(b *testing.B) {
	p := newPlace(b)
	var samples []time.Duration
	for b.Loop() {
		run := beginRun(b, runsOf(b, p, boss{}), p, demoID)
		if err := run.Say(context.Background(), "/test ignore-cancel 30"); err != nil {
			b.Fatal(err)
		}
		waits(b, run, "a word", func(s allchat.Snapshot) bool { return s.Participants[0].Partial != "" })
		began := time.Now()
		if err := run.CancelTurn(record.Coordinator); err != nil {
			b.Fatal(err)
		}
		waits(b, run, "the end of the turn", idle)
		samples = append(samples, time.Since(began))
		if err := run.Cancel(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	quantiles(b, samples, 2500*time.Millisecond)
}

// BenchmarkRunGroupEnd is from the end of a run to that of every program, with one that
// has a grandchild and does not stop.
func BenchmarkRunGroupEnd(b *testing.B) {
	p := newPlace(b)
	var samples []time.Duration
	for b.Loop() {
		run := beginRun(b, runsOf(b, p, boss{}), p, demoID)
		if err := run.Say(context.Background(), "/test ignore-cancel 30"); err != nil {
			b.Fatal(err)
		}
		waits(b, run, "a word", func(s allchat.Snapshot) bool { return s.Participants[0].Partial != "" })
		began := time.Now()
		if err := run.Cancel(context.Background()); err != nil {
			b.Fatal(err)
		}
		samples = append(samples, time.Since(began))
	}
	quantiles(b, samples, 3*time.Second)
}

// BenchmarkRunMemory is what three agents at 1,000 updates a second add to the heap.
func BenchmarkRunMemory(b *testing.B) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	for b.Loop() {
		p := newPlace(b)
		before := heap()
		run := beginRun(b, runsOf(b, p, boss{rate: 1000, lasts: 3 * time.Second}), p, "boss")
		if err := run.Say(context.Background(), "/test flood 1000 3"); err != nil {
			b.Fatal(err)
		}
		var most uint64
		for !idle(run.Snapshot()) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			time.Sleep(50 * time.Millisecond)
		}
		if err := run.Cancel(context.Background()); err != nil {
			b.Fatal(err)
		}
		added := max(most, before) - before
		b.ReportMetric(float64(added)/(1<<20), "added-MiB")
		if added > 64<<20 {
			b.Errorf("%d MiB were added", added>>20)
		}
	}
}

// BenchmarkRunRedraw is one frame of a run of a thousand events, after something new.
func BenchmarkRunRedraw(b *testing.B) {
	p := newPlace(b)
	run := beginRun(b, runsOf(b, p, boss{}), p, demoID)
	if err := run.Say(context.Background(), "Note the cache key"); err != nil {
		b.Fatal(err)
	}
	s := waits(b, run, "the end", idle)
	if err := run.Close(); err != nil {
		b.Fatal(err)
	}
	state := *s.State
	for len(state.Events) < record.MaxEvents-record.KeptEvents {
		e := s.State.Events[len(state.Events)%int(s.State.Gen())]
		e.Seq = int64(len(state.Events) + 1)
		e.Gen = e.Seq
		state.Events = append(state.Events, e)
	}
	s.State = &state
	pane := runpane.New(theme.New(false, true, theme.Unicode()), runpane.Options{})
	var samples []time.Duration
	for i := 0; b.Loop(); i++ {
		s.Participants[0].Working, s.Participants[0].Partial = true, strings.Repeat("words ", i%200)
		began := time.Now()
		pane.Set(runpane.Run{Snapshot: s})
		pane.Head(120, began, false)
		pane.Body(120, 30)
		samples = append(samples, time.Since(began))
	}
	quantiles(b, samples, 16*time.Millisecond)
}
