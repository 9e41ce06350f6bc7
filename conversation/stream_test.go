package conversation

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
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
