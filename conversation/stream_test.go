package conversation

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/chats"
	"conch/engine"
)

// view is a screen that keeps to what Take promises.
type view struct {
	t      *testing.T
	last   int64
	events []chats.Event // written, live words and progress apart
	live   map[piece]string
	gave   map[string]string // what a running step gave
}

func newView(t *testing.T) *view {
	return &view{t: t, last: -1, live: map[piece]string{}, gave: map[string]string{}}
}

func (v *view) apply(events []chats.Event) {
	v.t.Helper()
	seen := map[piece]bool{}
	for _, e := range events {
		if !e.Live() {
			if e.Seq <= v.last {
				continue
			}
			v.last = e.Seq
			clear(seen)
		}
		switch b := e.Body.(type) {
		case chats.AssistantDelta:
			p := piece{b.MessageID, b.Channel}
			if e.Live() {
				if seen[p] {
					v.t.Errorf("two live pieces of %v in one Take", p)
				}
				seen[p] = true
				v.live[p] += b.Delta
				continue
			}
			if !strings.HasPrefix(b.Delta, v.live[p]) {
				v.t.Errorf("%q was shown, and %q written", v.live[p], b.Delta)
			}
			delete(v.live, p)
		case chats.AssistantDone:
			if b.Retracted {
				delete(v.live, piece{b.MessageID, chats.ChannelText})
				delete(v.live, piece{b.MessageID, chats.ChannelThought})
			}
		case chats.ToolProgress:
			if e.Live() {
				v.gave[b.ToolUseID] = b.Output
				continue
			}
		case chats.Usage:
			continue
		}
		v.events = append(v.events, e)
	}
}

// said is all that the view shows of messages that were not taken back.
func said(events []chats.Event, live map[piece]string) map[piece]string {
	out := map[piece]string{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case chats.AssistantDelta:
			out[piece{b.MessageID, b.Channel}] += b.Delta
		case chats.AssistantDone:
			if b.Retracted {
				delete(out, piece{b.MessageID, chats.ChannelText})
				delete(out, piece{b.MessageID, chats.ChannelThought})
			}
		}
	}
	for p, w := range live {
		out[p] += w
	}
	return out
}

// play emits n random events.
func play(rnd *rand.Rand, s engine.Sink, n int, between func()) {
	id := func(of int) string { return fmt.Sprint(rnd.Intn(of)) }
	for range n {
		switch rnd.Intn(14) {
		case 0, 1, 2, 3, 4, 5:
			s.Emit(engine.Text{MessageID: id(3), Delta: fmt.Sprintf("w%d é🎉 ", rnd.Intn(100))})
		case 6, 7:
			s.Emit(engine.Thought{MessageID: id(3), Delta: "hm "})
		case 8:
			s.Emit(engine.MessageDone{MessageID: id(3)})
		case 9:
			if rnd.Intn(3) == 0 {
				s.Emit(engine.Retract{MessageID: id(3)})
			}
		case 10:
			s.Emit(engine.ToolStart{ToolUseID: id(4), Name: "Bash", Subject: id(9)})
		case 11:
			s.Emit(engine.ToolUpdate{ToolUseID: id(4), Output: strings.Repeat("o", rnd.Intn(30)), Subject: id(3)})
		case 12:
			s.Emit(engine.ToolEnd{ToolUseID: id(4), Status: engine.ToolSuccess, Output: "out"})
		case 13:
			n := int64(rnd.Intn(1000))
			s.Emit(engine.Usage{OutputTokens: &n})
		}
		between()
	}
}

func TestWhatTheScreenIsGivenEqualsWhatTheLogTells(t *testing.T) {
	for seed := range int64(40) {
		rnd := rand.New(rand.NewSource(seed))
		h := newHold("codex")
		m := newRoom(t).chat(h)
		whole, late := newView(t), newView(t)
		must(t, m.Send(Message{Text: "go"}))
		s := <-h.begun
		joined := rnd.Intn(300)
		n := 0
		play(rnd, s, 300, func() {
			if n++; n == joined { // another screen comes in the middle
				events, _, err := m.Snapshot(1 << 20)
				must(t, err)
				whole = newView(t)
				whole.apply(events)
				late.apply(events)
			}
			if rnd.Intn(8) == 0 {
				m.checkpoint()
			}
			if rnd.Intn(4) == 0 {
				events, _ := m.Take()
				whole.apply(events)
				if n >= joined {
					late.apply(events)
				}
			}
		})
		h.end <- []engine.Result{good, {Outcome: engine.Failed, Error: "x"}, {Outcome: engine.Interrupted}}[rnd.Intn(3)]
		wait(t, m)
		events, _ := m.Take()
		whole.apply(events)
		if len(whole.live) != 0 {
			t.Errorf("seed %d: shown and never written: %v", seed, whole.live)
		}
		log := logged(t, m)
		if got, want := told(whole.events), told(log); !slices.Equal(got, want) {
			t.Errorf("seed %d:\nthe screen tells %q\nthe log tells    %q", seed, got, want)
		}
		must(t, m.Close())
	}
}

func TestScreenAndLogAgreeWhileAllGoesOnAtOnce(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	over := make(chan struct{})
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		for {
			select {
			case <-over:
				return
			default:
				m.checkpoint()
			}
		}
	}()
	played := make(chan struct{})
	go func() {
		defer close(played)
		play(rand.New(rand.NewSource(1)), s, 3000, func() {})
		h.end <- good
	}()
	screen := newView(t)
	for going := true; going; {
		select {
		case <-played:
			going = false
		case <-m.Changed():
		}
		events, _ := m.Take()
		screen.apply(events)
	}
	wait(t, m)
	close(over)
	<-checked
	events, _ := m.Take()
	screen.apply(events)
	if got, want := told(screen.events), told(logged(t, m)); !slices.Equal(got, want) || len(screen.live) != 0 {
		t.Errorf("the screen tells %d lines, the log %d; %d pieces were never written", len(got), len(want), len(screen.live))
	}
}

func TestWhatWaitsForTheScreenIsBounded(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	m.Take()
	s.Emit(engine.ToolStart{ToolUseID: "1", Name: "Bash"})
	for range 20_000 {
		s.Emit(engine.Text{MessageID: "1", Delta: "x"})
		s.Emit(engine.Thought{MessageID: "2", Delta: "y"})
		s.Emit(engine.ToolUpdate{ToolUseID: "1", Output: "z"})
	}
	m.writing.Lock() // no checkpoint now
	events, _ := m.Take()
	m.writing.Unlock()
	// Session, tool start, and after each checkpoint (one a second) a few.
	if len(events) > 100 {
		t.Errorf("%d events wait", len(events))
	}
	h.end <- good
	wait(t, m)
}

func TestTheReaderNeverWaitsForTheScreen(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 2000 { // nobody takes
			s.Emit(engine.Text{MessageID: fmt.Sprint(i), Delta: "x"})
			s.Emit(engine.MessageDone{MessageID: fmt.Sprint(i)})
		}
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatal("Emit waits")
	}
	h.end <- good
	wait(t, m)
}

// copied is the chat as kill -9 would leave it now, opened again.
func copied(t *testing.T, r *room, id string) *chats.Log {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.home, "chats", id+".jsonl"))
	must(t, err)
	home := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(home, "chats"), 0o700))
	must(t, os.WriteFile(filepath.Join(home, "chats", id+".jsonl"), b, 0o600))
	store, err := chats.Open(home, nil)
	must(t, err)
	log, err := store.OpenLog(id)
	must(t, err)
	t.Cleanup(func() { must(t, log.Close()) })
	return log
}

// Acceptance 22 and complaint 17.
func TestAfterACrashNothingIsLostThatWasShownForTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHold("codex")
		r := newRoom(t)
		m := r.chat(h)
		must(t, m.Send(Message{Text: "go"}))
		s := <-h.begun
		rnd := rand.New(rand.NewSource(7))
		type shot struct {
			at   time.Time
			text map[piece]string
		}
		var shots []shot
		screen := newView(t)
		for range 60 {
			play(rnd, s, 5, func() {})
			events, _ := m.Take()
			screen.apply(events)
			shots = append(shots, shot{time.Now(), said(screen.events, screen.live)})
			time.Sleep(time.Duration(rnd.Intn(900)) * time.Millisecond)
			synctest.Wait()

			log := copied(t, r, m.ID())
			kept, err := log.Since(-1)
			must(t, err)
			has := map[int64]bool{}
			for _, e := range kept {
				has[e.Seq] = true
			}
			for _, e := range screen.events { // steps, cards and finished messages at once
				if !has[e.Seq] {
					t.Fatalf("shown, and not kept: %+v", e)
				}
			}
			var old map[piece]string
			for _, shot := range shots {
				if time.Since(shot.at) > 2*time.Second {
					old = shot.text
				}
			}
			text := said(kept, nil)
			for p, was := range old {
				if !strings.HasPrefix(text[p], was) && !takenBack(kept, p) {
					t.Fatalf("%q was shown for 2 s; %q is kept", was, text[p])
				}
			}
			end := one[chats.TurnCompleted](t, kept)
			if end.Outcome != "interrupted" || end.Engine != "codex" {
				t.Fatalf("it reads as %+v", end)
			}
		}
		h.end <- good
		must(t, m.Wait(context.Background()))
		must(t, m.Close())
	})
}

func takenBack(events []chats.Event, p piece) bool {
	return slices.ContainsFunc(all[chats.AssistantDone](events), func(d chats.AssistantDone) bool { return d.Retracted && d.MessageID == p.id })
}

func TestAfterACrashTheProviderIsNotToldItsOwnWordsAgain(t *testing.T) {
	h := newHold("codex")
	r := newRoom(t)
	m := r.chat(h)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	s.Emit(engine.Text{MessageID: "1", Delta: "half an"})
	m.checkpoint()
	log := copied(t, r, m.ID())
	h.end <- good
	wait(t, m)
	a := counting("codex")
	again, err := New(log, r.deps(a))
	must(t, err)
	say(t, again, "go on")
	if in := a.input(t, 0); in.Prompt != "go on" || in.ResumeID != "codex-session" {
		t.Errorf("%+v", in)
	}
	must(t, again.Close())
}

func TestARetractedMessageIsTakenBackAndSaidAgain(t *testing.T) {
	h := newHold("claude-code")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	s.Emit(engine.Text{MessageID: "1", Delta: "the first ha"})
	m.checkpoint()
	s.Emit(engine.Text{MessageID: "1", Delta: "lf"})
	s.Emit(engine.Retract{MessageID: "1"})
	s.Emit(engine.Retract{MessageID: "never"})
	s.Emit(engine.Text{MessageID: "1", Delta: "the whole"}) // under the same id
	s.Emit(engine.MessageDone{MessageID: "1"})
	s.Emit(engine.MessageDone{MessageID: "1"})
	h.end <- good
	wait(t, m)
	want := []string{"you: go", "text: the first ha", "taken back", "text: the whole", "end: success"}
	if got := told(logged(t, m)); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if got := m.Status().Dropped; got != 1 {
		t.Errorf("%d counted", got)
	}
	ids := map[string]bool{}
	for _, d := range all[chats.AssistantDone](logged(t, m)) {
		ids[d.MessageID] = true
	}
	if len(ids) != 2 {
		t.Error("the second telling has the id of the first")
	}
}

func TestStepRows(t *testing.T) {
	one1, diff := 1, []engine.Diff{{Path: "a.go"}}
	for name, test := range map[string]struct {
		emit []engine.Event
		want []string
	}{
		"a step": {
			[]engine.Event{engine.ToolStart{ToolUseID: "1", Name: "Read", Subject: "a.go"}, engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess, Output: "x"}},
			[]string{"Read a.go = success x "},
		},
		"output that came before the end stays": {
			[]engine.Event{engine.ToolStart{ToolUseID: "1", Name: "Bash"}, engine.ToolUpdate{ToolUseID: "1", Output: "so far", View: engine.View{ExitCode: &one1, Diffs: diff}}, engine.ToolEnd{ToolUseID: "1", Status: engine.ToolError}},
			[]string{"Bash  = error so far "},
		},
		"an update without a start": {
			[]engine.Event{engine.ToolUpdate{ToolUseID: "1", Name: "Grep", Subject: "x"}, engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess}},
			[]string{"Grep x = success  "},
		},
		"an end without a start": {
			[]engine.Event{engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess, Output: "x"}},
			[]string{"Tool  = success x "},
		},
		"an end that comes twice": {
			[]engine.Event{engine.ToolStart{ToolUseID: "1", Name: "Bash"}, engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess}, engine.ToolEnd{ToolUseID: "1", Status: engine.ToolError}, engine.ToolUpdate{ToolUseID: "1", Output: "late"}},
			[]string{"Bash  = success  "},
		},
		"a start that comes twice": {
			[]engine.Event{engine.ToolStart{ToolUseID: "1", Name: "Bash"}, engine.ToolStart{ToolUseID: "1", Name: "Bash", Subject: "ls"}, engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess}},
			[]string{"Bash  = success  "},
		},
		"an id that is used again": {
			[]engine.Event{engine.ToolStart{ToolUseID: "1", Name: "Read"}, engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess}, engine.ToolStart{ToolUseID: "1", Name: "Bash"}, engine.ToolEnd{ToolUseID: "1", Status: engine.ToolError}},
			[]string{"Read  = success  ", "Bash  = error  "},
		},
		"a status that nobody knows": {
			[]engine.Event{engine.ToolStart{ToolUseID: "1", Name: "Bash"}, engine.ToolEnd{ToolUseID: "1", Status: "fine"}},
			[]string{"Bash  = unknown  "},
		},
		"a row that stays open": { // R-69-52
			[]engine.Event{engine.ToolStart{ToolUseID: "1", Name: "Bash", Subject: "x"}},
			[]string{"Bash x = unknown  the turn ended before this step said how it went"},
		},
		"no name": {
			[]engine.Event{engine.ToolStart{ToolUseID: "1", Name: " \x1b[2J "}, engine.ToolEnd{ToolUseID: "1", Status: engine.ToolNotRun, Reason: "you said no"}},
			[]string{"Tool  = not-run  you said no"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHold("codex")
			m := newRoom(t).chat(h)
			must(t, m.Send(Message{Text: "go"}))
			s := <-h.begun
			for _, e := range test.emit {
				s.Emit(e)
			}
			h.end <- good
			wait(t, m)
			got := told(logged(t, m))
			if got = got[1 : len(got)-1]; !slices.Equal(got, test.want) {
				t.Errorf("%q, not %q", got, test.want)
			}
			starts := map[string]bool{}
			for _, b := range all[chats.ToolStarted](logged(t, m)) {
				if starts[b.ToolUseID] {
					t.Error("two rows share an id")
				}
				starts[b.ToolUseID] = true
			}
		})
	}
}

func TestTwoTurnsNeverShareARow(t *testing.T) { // R-69-50
	e := &scripted{id: "codex"}
	e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Text{MessageID: "1", Delta: "x"})
		s.Emit(engine.ToolStart{ToolUseID: "call_0", Name: "Bash"})
		s.Emit(engine.ToolEnd{ToolUseID: "call_0", Status: engine.ToolSuccess})
		return good
	}
	m := newRoom(t).chat(e)
	say(t, m, "1")
	say(t, m, "2")
	starts, words := all[chats.ToolStarted](logged(t, m)), all[chats.AssistantDelta](logged(t, m))
	if starts[0].ToolUseID == starts[1].ToolUseID || words[0].MessageID == words[1].MessageID {
		t.Errorf("%+v %+v", starts, words)
	}
}

func TestWhatIsKeptOfAStepIsBounded(t *testing.T) {
	huge := strings.Repeat("é", 3*maxOutput)
	big := strings.Repeat("x", maxView)
	e := &scripted{id: "codex"}
	e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.ToolStart{ToolUseID: "1", Name: huge, Subject: huge, Input: raw(strings.Repeat("i", maxInput+1)), View: engine.View{Diffs: []engine.Diff{{Path: "a", Old: &big, New: &big}}}})
		s.Emit(engine.ToolUpdate{ToolUseID: "1", Output: huge + "tail"})
		s.Emit(engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess, Output: huge + "end", Reason: huge})
		s.Emit(engine.ToolStart{ToolUseID: "2", Name: "Bash", Input: []byte(`{"torn`)})
		s.Emit(engine.Notice{Code: "../etc", Message: huge})
		return good
	}
	m := newRoom(t).chat(e)
	say(t, m, "go")
	start, end := all[chats.ToolStarted](logged(t, m))[0], all[chats.ToolFinished](logged(t, m))[0]
	runes := func(s string) int { return len([]rune(s)) }
	if runes(start.Name) > 201 || runes(start.Subject) > maxSubject || start.Input != nil || len(start.View) > 200 {
		t.Errorf("name %d, subject %d, input %d, view %d", runes(start.Name), runes(start.Subject), len(start.Input), len(start.View))
	}
	if runes(end.Output) != maxOutput || !strings.HasSuffix(end.Output, "end") || runes(end.Reason) > 301 {
		t.Errorf("output %d, reason %d", runes(end.Output), runes(end.Reason))
	}
	if n := one[chats.Notice](t, logged(t, m)); n.Code != "provider" || runes(n.Message) > 501 {
		t.Errorf("%s, %d", n.Code, runes(n.Message))
	}
	if second := all[chats.ToolStarted](logged(t, m))[1]; second.Input != nil {
		t.Errorf("torn input is kept: %s", second.Input)
	}
}

func TestAStepsTimeIsMeasuredHere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{id: "codex"}
		e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
			s.Emit(engine.ToolStart{ToolUseID: "1", Name: "Bash"})
			time.Sleep(4100 * time.Millisecond)
			s.Emit(engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess})
			return good
		}
		m := newRoom(t).chat(e)
		must(t, m.Send(Message{Text: "go"}))
		must(t, m.Wait(context.Background()))
		if got := one[chats.ToolFinished](t, logged(t, m)).DurationMs; got != 4100 {
			t.Errorf("%d ms", got)
		}
		must(t, m.Close())
	})
}

func TestAPlanIsKeptWholeAndOnlyWhenItChanged(t *testing.T) { // R-69-53
	e := &scripted{id: "codex"}
	e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		p := engine.Plan{Steps: []engine.PlanStep{{Title: "find", Status: "done"}, {Title: "odd", Status: "floating"}, {Title: "fix\nit", Status: "active"}}}
		s.Emit(p)
		s.Emit(p)
		s.Emit(engine.Plan{Steps: []engine.PlanStep{{Title: "x", Status: "floating"}}})
		s.Emit(engine.Plan{})
		return good
	}
	m := newRoom(t).chat(e)
	say(t, m, "go")
	got := all[chats.Plan](logged(t, m))
	if len(got) != 2 || !slices.Equal(got[0].Steps, []chats.PlanStep{{Title: "find", Status: "done"}, {Title: "fix it", Status: "active"}}) || len(got[1].Steps) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestOnlyFiguresThatWereReportedAreShown(t *testing.T) { // complaint 29
	n := func(i int64) *int64 { return &i }
	a := &scripted{id: "a"}
	a.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Session{ResumeID: "1"})
		s.Emit(engine.Usage{ContextUsed: n(10), ContextSize: n(100)})
		s.Emit(engine.Usage{OutputTokens: n(5)})
		return engine.Result{Outcome: engine.Success, Usage: engine.Usage{OutputTokens: n(7)}}
	}
	r := newRoom(t)
	b := answering("b", "x")
	m := r.chat(a, b)
	must(t, m.SetProvider("a"))
	say(t, m, "go")
	check := func(m *Manager) {
		t.Helper()
		u := m.Status().Usage
		if u.OutputTokens == nil || *u.OutputTokens != 7 || *u.ContextUsed != 10 || u.InputTokens != nil || u.Cost != nil || m.Status().UsageAt.IsZero() {
			t.Errorf("%+v at %v", u, m.Status().UsageAt)
		}
	}
	check(m)
	events, _ := m.Take()
	live := all[chats.Usage](events)
	if len(live) == 0 || len(all[chats.Usage](logged(t, m))) != 0 {
		t.Error("usage is not live only")
	}
	must(t, m.SetProvider("b"))
	if u := m.Status().Usage; u != (engine.Usage{}) {
		t.Errorf("another provider's figures: %+v", u)
	}
	say(t, m, "go")
	if end := all[chats.TurnCompleted](logged(t, m))[1]; end.Usage != nil {
		t.Errorf("figures that nobody reported: %s", end.Usage)
	}
	must(t, m.SetProvider("a"))
	check(m)
	must(t, m.Close())
	m = r.again(m.ID(), r.deps(a, b))
	check(m)
}

func TestTitles(t *testing.T) {
	e := &scripted{id: "codex"}
	title := "The provider's title"
	e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Title{Text: title})
		s.Emit(engine.Title{Text: title})
		return good
	}
	r := newRoom(t)
	m := r.chat(e)
	must(t, m.Send(Message{Text: "the first words of it"}))
	wait(t, m)
	if got := m.Status().Title; got != title {
		t.Errorf("%q", got)
	}
	if got := len(all[chats.Title](logged(t, m))); got != 1 {
		t.Errorf("%d titles in the log", got)
	}
	must(t, m.SetTitle("mine"))
	title = "another of the provider's"
	say(t, m, "more")
	if got := m.Status().Title; got != "mine" {
		t.Errorf("%q", got)
	}
	if m.SetTitle(" \n") == nil {
		t.Error("an empty title was taken")
	}
	must(t, m.Close())
	if got := r.again(m.ID(), r.deps(e)).Status().Title; got != "mine" {
		t.Errorf("%q", got)
	}

	e.play = answering("codex", "x").play
	m = r.chat(e)
	must(t, m.SetTitle("named before the first message"))
	say(t, m, "hello")
	if got := m.Status().Title; got != "named before the first message" {
		t.Errorf("%q", got)
	}
	must(t, m.Close())
	if got := r.again(m.ID(), r.deps(e)).Status().Title; got != "named before the first message" {
		t.Errorf("%q", got)
	}
}

func TestNewsAreCountedUntilTheyAreSeen(t *testing.T) {
	m := newRoom(t).chat(answering("codex", "x"))
	say(t, m, "go")
	if got := m.Status().News; got != 2 { // the message and the end
		t.Errorf("%d", got)
	}
	m.Seen()
	if got := m.Status().News; got != 0 {
		t.Errorf("%d", got)
	}
}

func TestAttachmentsAreKeptByNameNeverByContents(t *testing.T) {
	a := answering("codex", "x")
	m := newRoom(t).chat(a)
	files := []engine.Attachment{{Name: "shot.png", MIME: "image/png", Data: []byte("pixels")}, {Name: "a.go", Path: "/x/a.go"}, {Name: "n.txt", MIME: "text/plain", Data: []byte("hi")}}
	must(t, m.Send(Message{Attachments: files}))
	wait(t, m)
	got := one[chats.UserMessage](t, logged(t, m)).Attachments
	want := []chats.Attachment{{Name: "shot.png", Kind: "image", Bytes: 6}, {Name: "a.go", Kind: "link"}, {Name: "n.txt", Kind: "text", Bytes: 2}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if len(a.input(t, 0).Attachments) != 3 {
		t.Error("the engine did not get them")
	}
}

func BenchmarkEmitText(b *testing.B) {
	dir := b.TempDir()
	store, err := chats.Open(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	h := newHold("codex")
	m, err := New(store.Create(dir, ""), Deps{Engines: []engine.Engine{h}, Home: dir})
	if err != nil {
		b.Fatal(err)
	}
	if err := m.Send(Message{Text: "go"}); err != nil {
		b.Fatal(err)
	}
	s := <-h.begun
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Emit(engine.Text{MessageID: "1", Delta: "a few words "})
		if i%200 == 0 {
			m.Take()
		}
	}
	h.end <- good
	if err := m.Close(); err != nil {
		b.Fatal(err)
	}
}
