package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"conch/chats"
	"conch/engine"
	"conch/handoff"
)

// counting answers each message with its number.
func counting(id string) *scripted {
	e := &scripted{id: id, is: engine.Ready}
	e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		e.mu.Lock()
		n := len(e.got)
		e.mu.Unlock()
		s.Emit(engine.Session{ResumeID: id + "-session", Model: id + "-model"})
		s.Emit(engine.Thought{MessageID: "t", Delta: "secret thinking"})
		s.Emit(engine.Text{MessageID: "m", Delta: fmt.Sprintf("answer %d of %s", n, id)})
		s.Emit(engine.MessageDone{MessageID: "m"})
		s.Emit(engine.ToolStart{ToolUseID: "1", Name: "Read", Kind: engine.KindRead, Subject: id + ".go"})
		s.Emit(engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess, Output: "12 lines"})
		return engine.Result{Outcome: engine.Success, Accepted: true}
	}
	return e
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

func lacks(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(text, p) {
			t.Errorf("%q is in:\n%s", p, text)
		}
	}
}

func TestTwoProvidersFourMessages(t *testing.T) { // R-69-4, R-69-5, R-69-8, R-69-9, R-69-10, checklist 1 and 2
	a, b := counting("a"), counting("b")
	r := newRoom(t)
	d := r.deps(a, b)
	d.DefaultProvider, d.DefaultModel = "a", "big"
	m := r.with(d)

	say(t, m, "first")
	must(t, m.SetProvider("b"))
	if got := m.Missed("b"); got != (Missed{Everything: true, Messages: 2, Steps: 1}) {
		t.Errorf("b missed %+v", got)
	}
	if got := m.Missed("a"); got != (Missed{}) {
		t.Errorf("a missed %+v", got)
	}
	say(t, m, "second")
	must(t, m.SetProvider("a"))
	if got := m.Missed("a"); got != (Missed{Messages: 2, Steps: 1}) {
		t.Errorf("a missed %+v", got)
	}
	say(t, m, "third")
	say(t, m, "fourth")

	if in := a.input(t, 0); in.Prompt != "first" || in.ResumeID != "" || in.Options.Model != "big" {
		t.Errorf("a first: %+v", in)
	}
	in := b.input(t, 0)
	contains(t, in.Prompt, handoff.IntroJoined, "User: first", "Assistant: answer 1 of a", "- Read a.go")
	lacks(t, in.Prompt, "secret thinking", "User: second")
	if !strings.HasSuffix(in.Prompt, handoff.Close+"\n\nsecond") || in.ResumeID != "" || in.Options.Model != "" {
		t.Errorf("b: %+v", in)
	}
	in = a.input(t, 1)
	contains(t, in.Prompt, handoff.IntroWentOn, "User: second", "Assistant: answer 1 of b", "- Read b.go")
	lacks(t, in.Prompt, "User: first", "answer 1 of a", "User: third", "secret thinking")
	if !strings.HasSuffix(in.Prompt, "\n\nthird") || in.ResumeID != "a-session" || in.Options.Model != "big" {
		t.Errorf("a second: %+v", in)
	}
	if in := a.input(t, 2); in.Prompt != "fourth" || in.ResumeID != "a-session" {
		t.Errorf("a third: %+v", in)
	}

	var who []string
	for _, end := range all[chats.TurnCompleted](logged(t, m)) {
		who = append(who, end.Engine+" "+end.Model)
	}
	if want := []string{"a a-model", "b b-model", "a a-model", "a a-model"}; !slices.Equal(who, want) {
		t.Errorf("the log names %v", who)
	}
	said := all[chats.Handoff](logged(t, m))
	if len(said) != 2 || said[0].Engine != "b" || said[0].Messages != 2 || said[0].Steps != 1 || said[1].Engine != "a" || !strings.HasPrefix(said[1].Block, handoff.Open) {
		t.Errorf("the log says %+v", said)
	}
	if p, block := m.LastHandoff(); p != "a" || block != said[1].Block {
		t.Errorf("handed to %s: %s", p, block)
	}

	// Carried on in another process: nothing is lost of all that.
	must(t, m.Close())
	m = r.again(m.ID(), d)
	if s := m.Status(); s.Provider != "a" || s.Model != "big" {
		t.Errorf("%+v", s)
	}
	if p, _ := m.LastHandoff(); p != "a" {
		t.Errorf("handed to %q", p)
	}
	say(t, m, "fifth")
	if in := a.input(t, 3); in.Prompt != "fifth" || in.ResumeID != "a-session" {
		t.Errorf("a fourth: %+v", in)
	}
	must(t, m.SetProvider("b"))
	say(t, m, "sixth")
	in = b.input(t, 1)
	contains(t, in.Prompt, handoff.IntroWentOn, "User: third", "User: fourth", "User: fifth")
	lacks(t, in.Prompt, "User: second", "answer 1 of b", "User: sixth")
	if in.ResumeID != "b-session" {
		t.Errorf("b resumes %q", in.ResumeID)
	}
}

func TestWhatWasNotTakenInIsHandedOverAgain(t *testing.T) { // R-69-7
	a, b := counting("a"), &scripted{id: "b"}
	results := []engine.Result{
		{Outcome: engine.Failed, Error: "can't start"},
		{Outcome: engine.Interrupted},
		{Outcome: engine.Interrupted, Accepted: true},
		{Outcome: engine.Success},
	}
	b.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Session{ResumeID: "b-session"})
		b.mu.Lock()
		defer b.mu.Unlock()
		return results[len(b.got)-1]
	}
	m := newRoom(t).chat(a, b)
	must(t, m.SetProvider("a"))
	say(t, m, "first")
	must(t, m.SetProvider("b"))
	say(t, m, "second")
	say(t, m, "third")
	say(t, m, "fourth")
	say(t, m, "fifth")
	contains(t, b.input(t, 0).Prompt, handoff.IntroJoined, "User: first")
	contains(t, b.input(t, 1).Prompt, handoff.IntroJoined, "User: first", "User: second")
	contains(t, b.input(t, 2).Prompt, handoff.IntroJoined, "User: first", "User: second", "User: third")
	if got := b.input(t, 3).Prompt; got != "fifth" {
		t.Errorf("what was taken in is told again: %s", got)
	}
	for n, want := range []string{"", "b-session", "b-session", "b-session"} {
		if got := b.input(t, n).ResumeID; got != want {
			t.Errorf("message %d resumes %q, not %q", n, got, want)
		}
	}
	if got := len(all[chats.Handoff](logged(t, m))); got != 1 {
		t.Errorf("%d handoffs in the log; what was not taken in was not handed over", got)
	}
}

func TestALostSessionIsToldTheWholeChatInOneQuietLine(t *testing.T) { // R-69-6
	a, b := counting("a"), counting("b")
	m := newRoom(t).chat(a, b)
	must(t, m.SetProvider("a"))
	say(t, m, "first")
	must(t, m.SetProvider("b"))
	say(t, m, "second")
	must(t, m.SetProvider("a"))

	var fresh, again string
	a.play = func(_ context.Context, in engine.TurnInput, s engine.Sink) engine.Result {
		fresh, again = in.FreshPrompt(), in.FreshPrompt()
		s.Emit(engine.Session{ResumeID: "a-new", Restarted: engine.Lost})
		s.Emit(engine.Notice{Code: "healed", Message: "the engine says it too"})
		s.Emit(engine.Text{MessageID: "m", Delta: "back"})
		return good
	}
	say(t, m, "third")
	contains(t, fresh, handoff.IntroRestart, "User: first", "answer 1 of a", "User: second", "answer 1 of b")
	lacks(t, fresh, "User: third")
	if !strings.HasSuffix(fresh, "\n\nthird") || again != fresh {
		t.Error("the fresh prompt does not end with the message, or changes")
	}
	const says = "a's session was gone; it was told the whole chat again"
	if n := one[chats.Notice](t, logged(t, m)); n.Code != "healed" || n.Message != says {
		t.Errorf("%+v", n)
	}
	if h := m.Healed(); len(h) != 1 || h[0].Provider != "a" || h[0].Message != says {
		t.Errorf("%+v", h)
	}
	sessions := all[chats.Session](logged(t, m))
	if last := sessions[len(sessions)-1]; last.ResumeID != "a-new" || last.Restarted != engine.Lost {
		t.Errorf("%+v", last)
	}
	if _, block := m.LastHandoff(); !strings.Contains(block, handoff.IntroRestart) {
		t.Error("the screen cannot show what was told")
	}
	a.play = answering("a", "ok").play
	say(t, m, "fourth")
	n := len(a.got) - 1
	if in := a.input(t, n); in.Prompt != "fourth" || in.ResumeID != "a-new" {
		t.Errorf("%+v", in)
	}
}

func TestASessionThatWasReplacedOnPurposeIsNoHealing(t *testing.T) {
	a := counting("a")
	m := newRoom(t).chat(a)
	say(t, m, "first")
	a.play = func(_ context.Context, in engine.TurnInput, s engine.Sink) engine.Result {
		in.FreshPrompt()
		s.Emit(engine.Session{ResumeID: "a-new"})
		return good
	}
	say(t, m, "second")
	if n := all[chats.Notice](logged(t, m)); len(n) != 0 || len(m.Healed()) != 0 {
		t.Errorf("%+v", n)
	}
}

func TestSwitchingWhileATurnRunsHoldsForTheNextMessage(t *testing.T) { // R-69-12
	h, b := newHold("a"), counting("b")
	r := newRoom(t)
	m := r.chat(h, b)
	must(t, m.SetProvider("a"))
	must(t, m.Send(Message{Text: "one"}))
	s := <-h.begun
	must(t, m.SetProvider("b"))
	must(t, m.SetModel("b-large"))
	st := m.Status()
	if st.Answering != "a" || st.Provider != "b" || st.Pending != "from the next message on b answers" || !st.Running {
		t.Errorf("%+v", st)
	}
	s.Emit(engine.Text{MessageID: "1", Delta: "still a"})
	h.end <- good
	wait(t, m)
	must(t, m.Close())
	m = r.again(m.ID(), r.deps(h, b)) // the choice outlives the program
	if st := m.Status(); st.Provider != "b" || st.Model != "b-large" {
		t.Errorf("%+v", st)
	}
	say(t, m, "two")
	in := b.input(t, 0)
	contains(t, in.Prompt, "User: one", "still a")
	if in.Options.Model != "b-large" {
		t.Errorf("%+v", in.Options)
	}
}

func TestAModelIsSentToTheProviderThatItWasChosenForAlone(t *testing.T) { // R-69-9
	a, b := counting("a"), counting("b")
	r := newRoom(t)
	d := r.deps(a, b)
	d.DefaultProvider, d.DefaultModel = "a", "a-default"
	m := r.with(d)
	must(t, m.SetModel("a-chosen"))
	must(t, m.SetEffort("high"))
	say(t, m, "1")
	must(t, m.SetProvider("b"))
	say(t, m, "2")
	must(t, m.SetModel("b-chosen"))
	say(t, m, "3")
	must(t, m.SetProvider("a"))
	say(t, m, "4")
	must(t, m.SetModel(""))
	say(t, m, "5")
	check := func(e *scripted, n int, model, effort string) {
		t.Helper()
		if o := e.input(t, n).Options; o.Model != model || o.Effort != effort {
			t.Errorf("%s, message %d: %+v", e.id, n, o)
		}
	}
	check(a, 0, "a-chosen", "high")
	check(b, 0, "", "")
	check(b, 1, "b-chosen", "")
	check(a, 1, "a-chosen", "high")
	check(a, 2, "", "high")
	for _, bad := range []string{" x", "x\ny", "\x1b[31m", strings.Repeat("m", 301)} {
		if m.SetModel(bad) == nil {
			t.Errorf("%q is a model", bad)
		}
	}
	if err := m.SetProvider("c"); err == nil || !strings.Contains(err.Error(), "a, b") {
		t.Error(err)
	}
}

func TestMissedCountsWithoutReadingAllAgain(t *testing.T) {
	a, b := counting("a"), counting("b")
	m := newRoom(t).chat(a, b)
	must(t, m.SetProvider("a"))
	for n := 1; n <= 4; n++ {
		say(t, m, fmt.Sprint("message ", n))
		for range 2 {
			if got := m.Missed("b"); got != (Missed{Everything: true, Messages: 2 * n, Steps: n}) {
				t.Errorf("after %d: %+v", n, got)
			}
		}
	}
	m.record("", chats.ContextCleared{})
	if got := m.Missed("b"); got.Messages != 0 || got.Steps != 0 {
		t.Errorf("after a clear: %+v", got)
	}
	say(t, m, "on")
	if got := m.Missed("b"); got.Messages != 2 || got.Steps != 1 {
		t.Errorf("after a clear and a message: %+v", got)
	}
}
