package acp

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/engine"
)

func input(t *testing.T, prompt string) engine.TurnInput {
	return engine.TurnInput{ConversationID: "chat", Prompt: prompt, Cwd: t.TempDir()}
}

// said joins the words of the answer, without what was taken back.
func said(s *tape) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := map[string]bool{}
	for _, ev := range s.events {
		if r, ok := ev.(engine.Retract); ok {
			gone[r.MessageID] = true
		}
	}
	var b strings.Builder
	for _, ev := range s.events {
		if text, ok := ev.(engine.Text); ok && !gone[text.MessageID] {
			b.WriteString(text.Delta)
		}
	}
	return b.String()
}

func TestWordsOnStdoutAreNoise(t *testing.T) {
	e, _ := scriptEngine(t, "../testdata/cases/013-words-on-stdout/wire.jsonl", quick())
	s := newTape()
	r := e.Turn(context.Background(), input(t, "hi"), s)
	if r.Outcome != engine.Success || said(s) != "Hello world" {
		t.Errorf("%+v, said %q", r, said(s))
	}
	for _, ev := range s.events {
		if n, ok := ev.(engine.Notice); ok {
			t.Errorf("noise was shown: %v", n)
		}
	}
	if n := e.Health(context.Background()).Unheard["noise"]; n < 4 {
		t.Errorf("%d lines of noise were counted", n)
	}
}

func TestNoiseAloneIsNoSignOfLife(t *testing.T) {
	path := script(t, `{"repeat":200,"send":"just words"}`, `{"hang":true}`)
	times := quick()
	times.Start = 300 * time.Millisecond
	e, _ := scriptEngine(t, path, times)
	s := newTape()
	r := e.Turn(context.Background(), input(t, "hi"), s)
	if r.Outcome != engine.Failed || r.Problem != engine.Unavailable || !strings.Contains(r.Error, "did not answer its start within 300 ms") || r.Next == "" {
		t.Errorf("%+v", r)
	}
}

func TestLateChunksBelongToTheirTurn(t *testing.T) { // R-69-37
	e, _ := scriptEngine(t, "../testdata/cases/014-late-chunks/wire.jsonl", Timings{})
	first, second := newTape(), newTape()
	in := input(t, "one")
	r := e.Turn(context.Background(), in, first)
	if r.Outcome != engine.Success || said(first) != "one two three four" {
		t.Errorf("first: %+v, said %q", r, said(first))
	}
	in.ResumeID, in.Prompt = first.sessions[0].ResumeID, "two"
	r = e.Turn(context.Background(), in, second)
	if r.Outcome != engine.Success || said(second) != "second reply" {
		t.Errorf("second: %+v, said %q", r, said(second))
	}
	if !strings.Contains(second.text(), "late words of turn one") {
		t.Errorf("the late words are lost:\n%s", second.text())
	}
}

func TestAQuickAnswerAfterALateOneIsKept(t *testing.T) {
	slow := strings.Replace(says("later"), `{"send"`, `{"sleep_ms":60,"send"`, 1)
	e, _ := scriptEngine(t, script(t, hello, opened,
		asked, says("one "), done, says("two"),
		asked, says("three "), says("four"), done, says(" five"),
		asked, says("six "), updates(`{"sessionUpdate":"tool_call","toolCallId":"a","kind":"execute","status":"completed","rawInput":{"command":"x"}}`), done, says("seven"),
		asked, says("late of the one before"), slow, done,
	), quick())
	in := input(t, "hi")
	for i, want := range []string{"one two", "three four five", "six seven", "later"} {
		s, r := turnWith(t, e, in)
		if r.Outcome != engine.Success || said(s) != want {
			t.Errorf("turn %d: %+v, said %q, want %q", i, r, said(s), want)
		}
		in.ResumeID = resumeOf(s)
	}
}

func TestHurryEndsTheWaitForLatePieces(t *testing.T) {
	times := quick()
	times.Grace = time.Minute
	e, _ := scriptEngine(t, script(t, hello, opened, asked, says("yes"), done), times)
	in := input(t, "hi")
	hurry := make(chan struct{})
	in.Hurry = hurry
	s := newTape()
	go func() {
		s.wait(t, "the answer", func(events []engine.Event) bool {
			for _, ev := range events {
				if _, ok := ev.(engine.Text); ok {
					return true
				}
			}
			return false
		})
		close(hurry)
	}()
	start := time.Now()
	if r := e.Turn(context.Background(), in, s); r.Outcome != engine.Success || time.Since(start) > 30*time.Second {
		t.Errorf("%+v after %s", r, time.Since(start))
	}
}

func TestStopAnswersAnOpenQuestion(t *testing.T) { // R-69-35, R-69-58
	e, signals := scriptEngine(t, "../testdata/cases/015-cancel-with-open-question/wire.jsonl", quick())
	ctx, cancel := context.WithCancel(context.Background())
	s := newTape()
	stopped := make(chan time.Time, 1)
	s.ask = func(ctx context.Context, p engine.Permission) engine.Decision {
		stopped <- time.Now()
		cancel()
		<-ctx.Done()
		return engine.Decision{Verdict: engine.Cancelled}
	}
	in := input(t, "clean the build")
	r := e.Turn(ctx, in, s)
	if r.Outcome != engine.Interrupted || !r.Accepted {
		t.Errorf("%+v", r)
	}
	if took := time.Since(<-stopped); took > 2*time.Second {
		t.Errorf("it took %s to stop", took)
	}
	if len(s.cards) != 1 {
		t.Errorf("%d cards were shown", len(s.cards))
	}
	if !strings.Contains(s.text(), "⊘ t1 not-run") {
		t.Errorf("the row is not closed as not run:\n%s", s.text())
	}
	in.Prompt, in.ResumeID = "hello", s.sessions[0].ResumeID
	s = newTape()
	if r := e.Turn(context.Background(), in, s); r.Outcome != engine.Success || said(s) != "back again" {
		t.Errorf("%+v, said %q", r, said(s))
	}
	answers := 0
	cancels := 0
	for _, m := range heard(t, signals) {
		if m.Method == "session/cancel" {
			cancels++
		}
		if id := string(m.ID); m.isAnswer() && (id == "900" || id == "901") {
			answers++
			if parse(m.Result).object("outcome").text("outcome") != "cancelled" {
				t.Errorf("%s was answered %s", id, m.Result)
			}
		}
	}
	if answers != 2 || cancels != 1 {
		t.Errorf("%d answers, %d cancels", answers, cancels)
	}
}

func TestAReplayIsHistory(t *testing.T) { // R-69-37, checklist 12
	e, signals := scriptEngine(t, "../testdata/cases/016-replay-while-loading/wire.jsonl", Timings{})
	s := newTape()
	in := input(t, "new question")
	in.ResumeID = digestOf("") + ":sess-1"
	in.FreshPrompt = func() string { return "everything again" }
	r := e.Turn(context.Background(), in, s)
	if r.Outcome != engine.Success || said(s) != "new answer" {
		t.Errorf("%+v, said %q", r, said(s))
	}
	if len(s.cards) != 0 || strings.Contains(s.text(), "a.go") || strings.Contains(s.text(), "old") {
		t.Errorf("history was shown:\n%s", s.text())
	}
	for _, m := range heard(t, signals) {
		if m.isAnswer() && string(m.ID) == "77" && parse(m.Result).object("outcome").text("optionId") != "r1" {
			t.Errorf("the old question was answered %s", m.Result)
		}
		if m.Method == "session/prompt" && !strings.Contains(string(m.Params), "new question") {
			t.Errorf("sent %s", m.Params)
		}
	}
}

func TestAFloodOnStderrHoldsNothingUp(t *testing.T) {
	e, _ := scriptEngine(t, "../testdata/cases/018-stderr-flood/wire.jsonl", quick())
	s := newTape()
	in := input(t, "hi")
	if r := e.Turn(context.Background(), in, s); r.Outcome != engine.Success || said(s) != "alive" {
		t.Fatalf("%+v, said %q", r, said(s))
	}
	in.ResumeID = s.sessions[0].ResumeID
	r := e.Turn(context.Background(), in, newTape())
	if r.Outcome != engine.Failed || r.Problem != engine.Unavailable || r.Next == "" {
		t.Errorf("%+v", r)
	}
	for _, what := range []string{r.Error, r.Detail} {
		if !strings.Contains(what, "was refused") || strings.Contains(what, "hbvtskg6f9Fcbfrs4") || strings.ContainsAny(what, "\r\x1b") {
			t.Errorf("shown: %q", what)
		}
	}
	if !strings.Contains(r.Error, "exit 3") {
		t.Errorf("the exit status is not in %q", r.Error)
	}
}

func TestNothingThatAProgramStartedIsLeft(t *testing.T) { // R-69-30, checklist 17
	if runtime.GOOS == "windows" {
		t.Skip("the launcher is a shell script")
	}
	e, signals := scriptEngine(t, "../testdata/cases/019-launcher-leaves-orphans/wire.jsonl", quick())
	self := e.agent.Command
	// As npx does: the program is a child of what was started.
	e.agent.Command, e.agent.Args = "sh", []string{"-c", `exec 3<&0; "$@" <&3 & wait`, "launcher", self}
	s := newTape()
	if r := e.Turn(context.Background(), input(t, "hi"), s); r.Outcome != engine.Success {
		t.Fatalf("%+v", r)
	}
	raw, err := os.ReadFile(filepath.Join(signals, "spawned"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	e.Release("chat")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if !gone(pid) {
		t.Errorf("the helper %d is still there", pid)
	}
}

func TestEscapeSequencesDoNotPassInRows(t *testing.T) {
	e, _ := scriptEngine(t, "../testdata/cases/026-escape-sequences-from-outside/wire.jsonl", quick())
	s := newTape()
	s.ask = func(_ context.Context, p engine.Permission) engine.Decision {
		return engine.Decision{Verdict: engine.Allow, OptionID: p.Options[0].ID}
	}
	r := e.Turn(context.Background(), input(t, "hi"), s)
	if r.Outcome != engine.Success {
		t.Fatalf("%+v", r)
	}
	rows := 0
	for _, ev := range s.events {
		var shown []string
		switch ev := ev.(type) {
		case engine.ToolStart:
			shown = []string{ev.Name, ev.Subject}
			rows++
		case engine.ToolUpdate:
			shown = []string{ev.Name, ev.Subject, ev.Output}
		case engine.ToolEnd:
			shown = []string{ev.Output, ev.Reason}
		case engine.Notice:
			shown = []string{ev.Message}
		case engine.Title:
			shown = []string{ev.Text}
		}
		for _, text := range shown {
			if strings.ContainsAny(text, "\x1b\a\b\x00\x7f") {
				t.Errorf("%T holds %q", ev, text)
			}
		}
	}
	if rows == 0 || !strings.Contains(said(s), "over") {
		t.Errorf("rows %d, said %q", rows, said(s))
	}
}
