package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/tools"
)

// stub is a tool of Conch's that answers as a test says.
type stub struct {
	name string
	call func(ctx context.Context, args json.RawMessage) (engine.ToolResult, error)
}

func (s stub) Name() string            { return s.name }
func (s stub) Description() string     { return "for a test" }
func (s stub) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (s stub) Call(ctx context.Context, args json.RawMessage) (engine.ToolResult, error) {
	return s.call(ctx, args)
}

// withTools is a room's chat whose providers may call the tools.
func withTools(r *room, list []engine.Tool, engines ...engine.Engine) Deps {
	d := r.deps(engines...)
	d.Tools = func(tools.Turn) []engine.Tool { return list }
	return d
}

func failing(name string, err error) stub {
	return stub{name, func(context.Context, json.RawMessage) (engine.ToolResult, error) { return engine.ToolResult{}, err }}
}

func TestANoteStandsBehindTheErrorsOwnWords(t *testing.T) { // R-102-16, R-102-17, checklist 7
	var read []string
	e := calling(func(_ context.Context, call func(name, args string) string, _ engine.Sink) {
		for i := range 4 {
			read = append(read, call("find", fmt.Sprintf(`{"n":%d}`, i)))
		}
	})
	r := newRoom(t)
	var logged []string
	d := withTools(r, []engine.Tool{failing("find", fmt.Errorf("find invoices: %w", errors.New("no customer is called ACME Corp")))}, e)
	d.Log = func(format string, args ...any) { logged = append(logged, fmt.Sprintf(format, args...)) }
	m := r.with(d)
	say(t, m, "what does ACME Corp owe?")
	own := "find invoices: no customer is called ACME Corp"
	if read[0] != "failed: "+own || read[2] != "failed: "+own {
		t.Errorf("the first reads %q", read[0])
	}
	if !strings.HasPrefix(read[3], own+"\n\n<from-conch>\nThat is 4 failures in a row.") || !strings.HasSuffix(read[3], "\n</from-conch>") {
		t.Errorf("the fourth reads %q", read[3])
	}
	if !strings.Contains(strings.Join(logged, "\n"), "find: "+own) {
		t.Errorf("the error is not in the log: %q", logged)
	}
}

func TestANoteTakesNothingFromAnAnswer(t *testing.T) { // R-102-16
	var read []string
	e := calling(func(_ context.Context, call func(name, args string) string, _ engine.Sink) {
		for range 4 {
			read = append(read, call("find", `{}`))
		}
	})
	r := newRoom(t)
	m := r.with(withTools(r, []engine.Tool{stub{"find", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
		return engine.ToolResult{Text: "nothing found"}, nil
	}}}, e))
	say(t, m, "find it")
	if read[0] != "nothing found" || read[1] != "nothing found" || read[3] != "nothing found" {
		t.Errorf("without a note: %q", read)
	}
	if !strings.HasPrefix(read[2], "nothing found\n\n<from-conch>\nThis very call was made 3 times now") {
		t.Errorf("with one: %q", read[2])
	}
}

func TestAToolThatFailsWithoutAWordIsNamed(t *testing.T) { // R-102-12, checklist 5
	var read []string
	e := calling(func(_ context.Context, call func(name, args string) string, _ engine.Sink) {
		for i := range 4 {
			read = append(read, call("find", fmt.Sprintf(`{"n":%d}`, i)))
		}
	})
	r := newRoom(t)
	m := r.with(withTools(r, []engine.Tool{failing("find", errors.New(" "))}, e))
	say(t, m, "find it")
	if read[0] != "failed: find failed without saying why" || !strings.HasPrefix(read[3], "find failed without saying why\n\n<from-conch>\n") {
		t.Errorf("it read %q", read)
	}
}

func TestALoopPausesTheTurnAndCanBeCarriedOn(t *testing.T) { // R-102-20, R-102-21, checklist 6
	var read []string
	runs := 0
	e := calling(func(ctx context.Context, call func(name, args string) string, s engine.Sink) {
		if runs++; runs > 1 {
			s.Emit(engine.Text{MessageID: "m2", Delta: "I looked elsewhere."})
			return
		}
		s.Emit(engine.Text{MessageID: "m1", Delta: "Looking."})
		for range 6 {
			read = append(read, call("find", `{}`))
		}
		<-ctx.Done()
	})
	ran := 0
	r := newRoom(t)
	m := r.with(withTools(r, []engine.Tool{stub{"find", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
		ran++
		return engine.ToolResult{Text: "nothing found"}, nil
	}}}, e))
	say(t, m, "find it")
	if ran != 4 || !strings.Contains(read[4], "it was not run") || !strings.Contains(read[5], "it was not run") {
		t.Errorf("run %d times; it read %q", ran, read)
	}
	end := one[chats.TurnCompleted](t, logged(t, m))
	if end.Outcome != "success" || !end.Paused || end.Pause == nil || end.Pause.Reason != "loop" || end.Error != "" {
		t.Errorf("the end: %+v %+v", end, end.Pause)
	}
	st := m.Status()
	if !st.Paused || st.PausedBy == nil || !strings.Contains(st.PausedBy.Message, "the very same call of find") {
		t.Errorf("the chat stands so: %v %+v", st.Paused, st.PausedBy)
	}
	must(t, m.Continue())
	wait(t, m)
	if got := e.input(t, 1).Prompt; got != carryOn || m.Status().Paused {
		t.Errorf("it went on with %q, paused %v", got, m.Status().Paused)
	}
}

func TestStopStaysAStopBesideAPause(t *testing.T) { // R-102-20, checklist 10
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	m.Stop()
	for i := range 10 { // what comes in late would pause it
		s.Emit(engine.ToolStart{ToolUseID: fmt.Sprint(i), Name: "Bash", Subject: "ls"})
		s.Emit(engine.ToolEnd{ToolUseID: fmt.Sprint(i), Status: engine.ToolSuccess, Output: "same"})
	}
	wait(t, m)
	end := one[chats.TurnCompleted](t, logged(t, m))
	if end.Outcome != "interrupted" || end.Paused || end.Pause != nil {
		t.Errorf("the end: %+v", end)
	}
}

// The program takes its time to end, and the person stops it meanwhile.
func TestAStopBehindAPauseIsAStop(t *testing.T) { // R-102-20, checklist 10
	begun, ended := make(chan engine.Sink), make(chan struct{})
	e := &scripted{id: "codex", is: engine.Ready, play: func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Session{ResumeID: "s"})
		begun <- s
		<-ctx.Done()
		<-ended
		return engine.Result{Outcome: engine.Interrupted, Accepted: true}
	}}
	m := newRoom(t).chat(e)
	must(t, m.Send(Message{Text: "go"}))
	s := <-begun
	for i := range 10 {
		s.Emit(engine.ToolStart{ToolUseID: fmt.Sprint(i), Name: "Bash", Subject: "ls"})
		s.Emit(engine.ToolEnd{ToolUseID: fmt.Sprint(i), Status: engine.ToolSuccess, Output: "same"})
	}
	until(t, m, "the pause", func(Status) bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.turn.pausing
	})
	m.Stop()
	close(ended)
	wait(t, m)
	end := one[chats.TurnCompleted](t, logged(t, m))
	if end.Outcome != "interrupted" || end.Paused || end.Pause != nil {
		t.Errorf("the end: %+v", end)
	}
}

func TestAProgramInALoopOfItsOwnIsPaused(t *testing.T) { // checklist 9
	h := newHold("codex")
	m := newRoom(t).chat(h)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	for i := range 10 {
		s.Emit(engine.ToolStart{ToolUseID: fmt.Sprint(i), Name: "Bash", Subject: "go test ./..."})
		s.Emit(engine.ToolEnd{ToolUseID: fmt.Sprint(i), Status: engine.ToolSuccess, Output: "FAIL"})
	}
	wait(t, m)
	end := one[chats.TurnCompleted](t, logged(t, m))
	if end.Outcome != "success" || !end.Paused || end.Pause.Reason != "loop" {
		t.Errorf("the end: %+v %+v", end, end.Pause)
	}
}

func TestAQuietProgramPastItsTimeIsPaused(t *testing.T) { // R-102-18, checklist 10
	h := newHold("codex")
	c := newClock()
	r := newRoom(t)
	d := r.deps(h)
	d.Now = c.now
	m := r.with(d)
	must(t, m.Send(Message{Text: "go"}))
	<-h.begun
	c.pass(31 * time.Minute)
	wait(t, m)
	end := one[chats.TurnCompleted](t, logged(t, m))
	if !end.Paused || end.Pause == nil || *end.Pause != (chats.Pause{Reason: "time", Message: "30 minutes in one turn"}) {
		t.Errorf("the end: %+v %+v", end, end.Pause)
	}
}

func TestACardStopsTheClockOfATurn(t *testing.T) { // R-102-22, checklist 10
	c := newClock()
	e := &scripted{id: "codex", is: engine.Ready, play: func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Session{ResumeID: "s"})
		s.Question(ctx, engine.Question{Title: "which?"})
		return good
	}}
	r := newRoom(t)
	d := r.deps(e)
	d.Now = c.now
	m := r.with(d)
	must(t, m.Send(Message{Text: "go"}))
	st := until(t, m, "a card", func(s Status) bool { return len(s.Cards) == 1 })
	c.pass(24 * time.Hour)
	must(t, m.AnswerQuestion(st.Cards[0].ID, engine.Answer{Text: "this"}))
	wait(t, m)
	if end := one[chats.TurnCompleted](t, logged(t, m)); end.Paused || end.Outcome != "success" {
		t.Errorf("the end: %+v", end)
	}
}

func TestAMonthThatIsUsedUpHalvesATurn(t *testing.T) {
	var spent []int64
	e := &scripted{id: "codex", is: engine.Ready, play: func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Session{ResumeID: "s"})
		s.Emit(engine.Usage{InputTokens: count(1_500_000), CachedTokens: count(400_000), OutputTokens: count(1)})
		select {
		case <-ctx.Done():
			return engine.Result{Outcome: engine.Interrupted, Accepted: true}
		default:
			return good
		}
	}}
	for over, want := range map[bool]string{false: "", true: "tokens"} {
		r := newRoom(t)
		d := r.deps(e)
		d.OverMonth = func() bool { return over }
		d.Spent = func(n int64) { spent = append(spent, n) }
		m := r.with(d)
		say(t, m, "go")
		end := one[chats.TurnCompleted](t, logged(t, m))
		if got := end.Pause; (got == nil) != (want == "") || got != nil && got.Reason != want {
			t.Errorf("over %v: %+v", over, got)
		}
	}
	if len(spent) != 2 || spent[0] != 1_100_001 || spent[1] != 1_100_001 {
		t.Errorf("the month was told of %v", spent)
	}
}
