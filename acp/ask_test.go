package acp

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"conch/engine"
)

func asksFor(id int, call, options string) string {
	return `{"send":{"jsonrpc":"2.0","id":` + string(must(id)) + `,"method":"session/request_permission","params":{"sessionId":"sess-1","toolCall":` + call + `,"options":` + options + `}}}`
}

const yesNo = `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"Y","name":"Always","kind":"allow_always"},{"optionId":"n","name":"No","kind":"reject_once"},{"optionId":"m","name":"Maybe","kind":"maybe"}]`

// outcomes are the answers to the permissions that a scripted program asked for.
func outcomes(t *testing.T, signals string) map[string]string {
	list := map[string]string{}
	for _, m := range heard(t, signals) {
		if m.isAnswer() {
			o := parse(m.Result).object("outcome")
			list[string(m.ID)] = strings.TrimSpace(o.text("outcome") + " " + o.text("optionId"))
		}
	}
	return list
}

func TestARequestIsPutWithEverythingThatItNames(t *testing.T) {
	call := `{"toolCallId":"t1","title":"git push","kind":"execute","rawInput":{"command":"git push  origin\nmain","cwd":"/w","description":"push it"},"locations":[{"path":"/w/a"}]}`
	e, signals := scriptEngine(t, script(t, hello, opened, asked, asksFor(9, call, yesNo), `{"expect":"response:9"}`,
		`{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`), quick())
	s := newTape()
	var got engine.Permission
	s.ask = func(_ context.Context, p engine.Permission) engine.Decision {
		got = p
		return engine.Decision{Verdict: engine.Allow, OptionID: "Y"}
	}
	e.Turn(context.Background(), input(t, "push"), s)
	if got.Tool != "Bash" || got.Kind != engine.KindExecute || got.Subject != "git push  origin\nmain" {
		t.Errorf("asked %+v", got)
	}
	if !slices.Contains(got.Paths, "/w/a") || !slices.Contains(got.Paths, "/w") {
		t.Errorf("paths %v", got.Paths)
	}
	want := []engine.PermissionOption{
		{ID: "y", Name: "Yes", Kind: engine.AllowOnce}, {ID: "Y", Name: "Always", Kind: engine.AllowAlways},
		{ID: "n", Name: "No", Kind: engine.RejectOnce}, {ID: "m", Name: "Maybe", Kind: "maybe"},
	}
	if !reflect.DeepEqual(got.Options, want) {
		t.Errorf("options %+v", got.Options)
	}
	if got := outcomes(t, signals)["9"]; got != "selected Y" {
		t.Errorf("answered %q", got)
	}
}

func TestOnlyWhatWasOfferedIsAnswered(t *testing.T) { // R-69-57
	call := `{"toolCallId":"t1","title":"rm","kind":"execute","rawInput":{"command":"rm x"}}`
	for _, c := range []struct {
		decision engine.Decision
		answer   string
		row      string
	}{
		{engine.Decision{Verdict: engine.Allow, OptionID: "y"}, "selected y", "? t1 unknown"},
		{engine.Decision{Verdict: engine.Deny, OptionID: "n"}, "selected n", "⊘ t1 not-run you said no"},
		{engine.Decision{Verdict: engine.Deny, OptionID: "n", Reason: "plan mode runs nothing"}, "selected n", "⊘ t1 not-run plan mode runs nothing"},
		{engine.Decision{Verdict: engine.Deny}, "cancelled", "⊘ t1 not-run you said no"},
		{engine.Decision{Verdict: engine.Allow, OptionID: "z"}, "cancelled", "⊘ t1 not-run"},
		{engine.Decision{Verdict: engine.Allow}, "cancelled", "⊘ t1 not-run"},
		{engine.Decision{Verdict: engine.Allow, OptionID: "n"}, "selected n", "⊘ t1 not-run"},
		{engine.Decision{Verdict: engine.Cancelled, OptionID: "y"}, "cancelled", "⊘ t1 not-run"},
		{engine.Decision{}, "cancelled", "⊘ t1 not-run"},
	} {
		e, signals := scriptEngine(t, script(t, hello, opened, asked, asksFor(9, call, yesNo), `{"expect":"response:9"}`,
			`{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`), quick())
		s := newTape()
		s.ask = func(context.Context, engine.Permission) engine.Decision { return c.decision }
		e.Turn(context.Background(), input(t, "hi"), s)
		if got := outcomes(t, signals)["9"]; got != c.answer {
			t.Errorf("%+v was answered %q, want %q", c.decision, got, c.answer)
		}
		if !strings.Contains(s.text(), c.row) {
			t.Errorf("%+v: %q is not in\n%s", c.decision, c.row, s.text())
		}
	}
}

func TestADeclinedCallStaysNotRunWhateverIsSaidLater(t *testing.T) { // R-69-51, checklist 15
	call := `{"toolCallId":"t1","title":"rm","kind":"execute","rawInput":{"command":"rm x"}}`
	e, _ := scriptEngine(t, script(t, hello, opened, asked, asksFor(9, call, yesNo), `{"expect":"response:9"}`,
		updates(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`),
		updates(`{"sessionUpdate":"tool_call","toolCallId":"t1","status":"in_progress","title":"again"}`),
		says("on"), `{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`), quick())
	s := newTape()
	s.ask = func(context.Context, engine.Permission) engine.Decision {
		return engine.Decision{Verdict: engine.Deny, OptionID: "n"}
	}
	e.Turn(context.Background(), input(t, "hi"), s)
	if text := s.text(); strings.Count(text, " t1") != 2 || !strings.Contains(text, "⊘ t1 not-run") {
		t.Errorf("rows:\n%s", text)
	}
}

func TestRequestsWaitForOneAnotherAndNotForTheStream(t *testing.T) {
	calls := []string{
		`{"toolCallId":"t1","kind":"execute","rawInput":{"command":"one"}}`,
		`{"toolCallId":"t2","kind":"execute","rawInput":{"command":"two"}}`,
	}
	e, signals := scriptEngine(t, script(t, hello, opened, asked, asksFor(1, calls[0], yesNo), asksFor(2, calls[1], yesNo), says("meanwhile"),
		`{"expect":"response:1"}`, `{"expect":"response:2"}`, `{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`), quick())
	s := newTape()
	var order []string
	s.ask = func(_ context.Context, p engine.Permission) engine.Decision {
		if len(order) == 0 {
			s.wait(t, "the words behind the requests", func(events []engine.Event) bool {
				for _, ev := range events {
					if _, ok := ev.(engine.Text); ok {
						return true
					}
				}
				return false
			})
		}
		order = append(order, p.Subject)
		return engine.Decision{Verdict: engine.Allow, OptionID: "y"}
	}
	if r := e.Turn(context.Background(), input(t, "hi"), s); r.Outcome != engine.Success {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(order, []string{"one", "two"}) {
		t.Errorf("asked in the order %v", order)
	}
	if got := outcomes(t, signals); got["1"] != "selected y" || got["2"] != "selected y" {
		t.Errorf("answered %v", got)
	}
}

func TestAWithdrawnRequestIsAnsweredOnceAndItsCardGoes(t *testing.T) {
	e := demoEngine(t, "", quick())
	s := newTape()
	gone := make(chan struct{})
	s.ask = func(ctx context.Context, _ engine.Permission) engine.Decision {
		select {
		case <-ctx.Done():
			close(gone)
		case <-time.After(20 * time.Second):
		}
		return engine.Decision{Verdict: engine.Cancelled}
	}
	r := e.Turn(context.Background(), input(t, "/test withdraw 20"), s)
	select {
	case <-gone:
	default:
		t.Error("the card stayed")
	}
	if r.Outcome != engine.Success {
		t.Errorf("%+v\n%s", r, s.text())
	}
}

func TestAPermissionAfterTheTurnIsNotPut(t *testing.T) { // R-69-57
	e := demoEngine(t, "", quick())
	s, r := turnWith(t, e, input(t, "/test late-ask"))
	if r.Outcome != engine.Success {
		t.Fatalf("%+v", r)
	}
	in := input(t, "hello")
	in.ResumeID = resumeOf(s)
	next, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || len(next.cards) != 0 {
		t.Errorf("%+v, cards %d", r, len(next.cards))
	}
}

func TestAFormIsAskedAndAnswered(t *testing.T) {
	e := demoEngine(t, "", quick())
	s := newTape()
	var asked engine.Question
	s.question = func(_ context.Context, q engine.Question) engine.Answer {
		asked = q
		values := map[string]any{}
		for _, f := range q.Fields {
			switch f.Kind {
			case "text":
				values[f.Name] = "words"
			case "number", "integer":
				values[f.Name] = 3
			case "boolean":
				values[f.Name] = true
			case "choice":
				values[f.Name] = f.Options[0].ID
			case "choices":
				values[f.Name] = []string{f.Options[0].ID}
			}
		}
		return engine.Answer{Values: values}
	}
	r := e.Turn(context.Background(), input(t, "/test form"), s)
	if r.Outcome != engine.Success || asked.Title == "" || asked.ID == "" {
		t.Fatalf("%+v, asked %+v", r, asked)
	}
	kinds := map[string]bool{}
	for _, f := range asked.Fields {
		kinds[f.Kind] = true
	}
	for _, kind := range []string{"text", "integer", "boolean", "choice", "choices"} {
		if !kinds[kind] {
			t.Errorf("no field of kind %s in %+v", kind, asked.Fields)
		}
	}
	if !strings.Contains(said(s), "words") {
		t.Errorf("said %q", said(s))
	}
}

func TestQuestionsThatAreNotAnswered(t *testing.T) {
	for _, c := range []struct {
		prompt string
		answer engine.Answer
		action string
	}{
		{`"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}`, engine.Answer{Skipped: true}, "decline"},
		{`"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}`, engine.Answer{Cancelled: true}, "cancel"},
		{`"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}`, engine.Answer{Text: "this"}, "accept"},
		{`"mode":"url","message":"Sign in","url":"https://example.org","elicitationId":"e1"`, engine.Answer{}, "accept"},
		{`"mode":"url","message":"Sign in","url":"https://example.org","elicitationId":"e1"`, engine.Answer{Skipped: true}, "decline"},
	} {
		e, signals := scriptEngine(t, script(t, hello, opened, asked,
			`{"send":{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"sessionId":"sess-1",`+c.prompt+`}}}`,
			`{"expect":"response:\"q\""}`, `{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`), quick())
		s := newTape()
		s.question = func(context.Context, engine.Question) engine.Answer { return c.answer }
		e.Turn(context.Background(), input(t, "hi"), s)
		for _, m := range heard(t, signals) {
			if m.isAnswer() && string(m.ID) == `"q"` {
				got := parse(m.Result)
				if got.text("action") != c.action || c.answer.Text != "" && got.object("content").text("a") != "this" {
					t.Errorf("%+v was answered %s", c.answer, m.Result)
				}
			}
		}
	}
}

func TestAQuestionOfAKindThatIsNotKnownIsRefused(t *testing.T) {
	e, signals := scriptEngine(t, script(t, hello, opened, asked,
		`{"send":{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"sessionId":"sess-1","mode":"hologram","message":"?"}}}`,
		`{"expect":"response:4"}`, `{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`), quick())
	turnWith(t, e, input(t, "hi"))
	for _, m := range heard(t, signals) {
		if m.isAnswer() && string(m.ID) == "4" && m.Error == nil {
			t.Errorf("answered %s", m.Result)
		}
	}
}

func TestAnAddressIsPutAndItsCompletionClosesTheCard(t *testing.T) {
	e := demoEngine(t, "", quick())
	s := newTape()
	s.question = func(ctx context.Context, q engine.Question) engine.Answer {
		if q.URL == "" || len(q.Fields) != 0 {
			t.Errorf("asked %+v", q)
		}
		return engine.Answer{}
	}
	if r := e.Turn(context.Background(), input(t, "/test url"), s); r.Outcome != engine.Success {
		t.Errorf("%+v\n%s", r, s.text())
	}
}

// A row is on the screen while its command still runs, with each of the programs.
func TestACommandIsShownWhileItRuns(t *testing.T) {
	for _, path := range []string{
		"claude-agent-acp-0.101.0/tools", "gemini-cli-0.61.0/tools", "grok-1.0.41/tools", "qwen-code-0.24.4/tools",
		"opencode-1.18.33/bash-allow", "copilot-1.0.102/bash-allow",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			abs, err := filepath.Abs("../testdata/wire/" + path + ".ndjson")
			if err != nil {
				t.Fatal(err)
			}
			list, err := readRecording(abs)
			if err != nil {
				t.Fatal(err)
			}
			cwd := t.TempDir()
			e := testEngine(t, testAgent(t, agentOf(filepath.Dir(path)), "ACP_TEST_PLAY="+abs, "ACP_TEST_HOLD=execute",
				"ACP_TEST_SIGNALS="+t.TempDir(), "ACP_TEST_CWD="+cwd, "ACP_TEST_RECORDED_CWD="+recordedFolder(list)), quick())
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s := newTape()
			s.ask = func(_ context.Context, p engine.Permission) engine.Decision {
				for _, o := range p.Options {
					if o.Kind == engine.AllowOnce {
						return engine.Decision{Verdict: engine.Allow, OptionID: o.ID}
					}
				}
				return engine.Decision{Verdict: engine.Deny}
			}
			in := engine.TurnInput{ConversationID: "chat", Cwd: cwd, Prompt: "go"}
			for !strings.Contains(path, "bash") && in.ResumeID == "" {
				// In these the command comes with the second message.
				first, r := turnWith(t, e, in)
				if r.Outcome != engine.Success {
					t.Fatalf("%+v\n%s", r, first.text())
				}
				in.ResumeID = resumeOf(first)
			}
			ended := make(chan engine.Result, 1)
			go func() { ended <- e.Turn(ctx, in, s) }()
			s.wait(t, "the row", func(events []engine.Event) bool {
				for _, ev := range events {
					if start, ok := ev.(engine.ToolStart); ok && start.Name == "Bash" && start.Subject != "" {
						return true
					}
				}
				return false
			})
			if text := s.text(); strings.Contains(text, "✓") || strings.Contains(text, "✗") {
				t.Errorf("the command has ended:\n%s", text)
			}
			cancel()
			if r := <-ended; r.Outcome != engine.Interrupted {
				t.Errorf("%+v", r)
			}
			if text := s.text(); !strings.Contains(text, "✗ t1 error stopped") && !strings.Contains(text, "⊘ t1 not-run stopped before it ran") {
				t.Errorf("the row is not closed:\n%s", s.text())
			}
		})
	}
}

func TestWhatIsAskedForCountsAndNotWhatWasAnnounced(t *testing.T) {
	for name, c := range map[string]struct {
		before []string
		call   string
		want   engine.Permission
	}{
		"another command": {
			[]string{`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"ls","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`},
			`{"toolCallId":"t1","rawInput":{"command":"rm -r /w"}}`,
			engine.Permission{Kind: engine.KindExecute, Subject: "rm -r /w"},
		},
		"another file": {
			[]string{`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Read a","kind":"read","status":"pending","rawInput":{"path":"/w/a"}}`},
			`{"toolCallId":"t1","rawInput":{"path":"/etc/shadow"}}`,
			engine.Permission{Kind: engine.KindRead, Subject: "/etc/shadow", Paths: []string{"/etc/shadow", "/w/a"}},
		},
		"a folder more": {
			[]string{`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Read a","kind":"read","status":"pending","rawInput":{"path":"/w/a"}}`},
			`{"toolCallId":"t1","rawInput":{"path":"/w/a","directories":["/etc"]}}`,
			engine.Permission{Kind: engine.KindRead, Subject: "/w/a", Paths: []string{"/w/a", "/etc"}},
		},
		"another call, under the id of one that is over": {
			[]string{
				`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Read a","kind":"read","status":"completed","rawInput":{"path":"/w/a"}}`,
			},
			`{"toolCallId":"t1","title":"rm","kind":"execute","rawInput":{"command":"rm -r /w"}}`,
			engine.Permission{Kind: engine.KindExecute, Subject: "rm -r /w"},
		},
		"a command that is called a read": {
			nil, `{"toolCallId":"t1","title":"look","kind":"read","rawInput":{"command":"rm -r /w","path":"/w"}}`,
			engine.Permission{Kind: engine.KindExecute, Subject: "rm -r /w", Paths: []string{"/w"}},
		},
		"a shell that is called an edit": {
			nil, `{"toolCallId":"t1","title":"rm","kind":"edit","_meta":{"toolName":"run_shell_command"},"rawInput":{"path":"/w"}}`,
			engine.Permission{Kind: engine.KindExecute, Subject: "rm", Paths: []string{"/w"}},
		},
	} {
		steps := []string{hello, opened, asked}
		for _, u := range c.before {
			steps = append(steps, updates(u))
		}
		e, _ := scriptEngine(t, script(t, append(steps, asksFor(9, c.call, yesNo), `{"expect":"response:9"}`,
			`{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`)...), quick())
		s := newTape()
		var got engine.Permission
		s.ask = func(_ context.Context, p engine.Permission) engine.Decision {
			got = p
			return engine.Decision{Verdict: engine.Deny, OptionID: "n"}
		}
		e.Turn(context.Background(), input(t, "go"), s)
		if got.Kind != c.want.Kind || got.Subject != c.want.Subject || !slices.Equal(got.Paths, c.want.Paths) {
			t.Errorf("%s: asked %s %q %v", name, got.Kind, got.Subject, got.Paths)
		}
		if !strings.Contains(s.text(), "⊘ t1 not-run you said no") {
			t.Errorf("%s: the row of what was declined:\n%s", name, s.text())
		}
	}
}

func TestOfAFloodOfRequestsABoundedNumberWaitsAndNoneIsKept(t *testing.T) {
	p := &process{asked: map[jsonrpc2.ID]func(){}}
	turn := &turn{s: &session{p: p}}
	turn.asks.start(turn, context.Background())
	refused := make(chan int, 3*maxAsks)
	put := make(chan struct{}, 3*maxAsks)
	for i := range 3 * maxAsks {
		turn.asks.add(jsonrpc2.ID{Num: uint64(i)}, func(ctx context.Context) {
			put <- struct{}{}
			<-ctx.Done()
		}, func() { refused <- i })
	}
	if n := len(refused); n < 2*maxAsks-1 {
		t.Errorf("%d of %d were refused at once", n, 3*maxAsks)
	}
	turn.asks.wait()
	if n := len(put); n > 1 {
		t.Errorf("%d were put at a time", n)
	}
	if n := len(refused); n != 3*maxAsks {
		t.Errorf("%d of %d were answered", n, 3*maxAsks)
	}
	if n := len(p.asked); n != 0 {
		t.Errorf("%d are still kept", n)
	}
}
