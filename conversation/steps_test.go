package conversation

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/chats"
	"conch/engine"
)

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
		"a row that stays open": { // R-69-52, R-102-11
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
