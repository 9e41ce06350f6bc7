package handoff

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"conch/chats"
)

// talk numbers bodies as a log would.
func talk(bodies ...chats.Body) []chats.Event {
	events := []chats.Event{{V: 1, Seq: 0, Body: chats.Start{Folder: "/w"}}}
	for _, b := range bodies {
		events = append(events, chats.Event{V: 1, Seq: int64(len(events)), Turn: "t", Body: b})
	}
	return events
}

func user(text string) chats.Body { return chats.UserMessage{Text: text} }

func said(id, text string) chats.Body {
	return chats.AssistantDelta{MessageID: id, Channel: chats.ChannelText, Delta: text}
}

func call(id, name, subject string) chats.Body {
	return chats.ToolStarted{ToolUseID: id, Name: name, ToolKind: "execute", Subject: subject}
}

func gave(id, status, output string) chats.Body {
	return chats.ToolFinished{ToolUseID: id, Status: status, Output: output}
}

// inside gives a block without its tags and introduction.
func inside(t *testing.T, block string) string {
	t.Helper()
	body, ok := strings.CutPrefix(block, Open+"\n")
	body, closed := strings.CutSuffix(body, Close)
	_, body, line := strings.Cut(body, "\n")
	if !ok || !closed || !line {
		t.Fatalf("not a block: %q", block)
	}
	return strings.Trim(body, "\n")
}

var all = Options{Since: -1}

func TestLayout(t *testing.T) { // R-69-15, R-69-16, R-69-18, checklist 2 and 4
	two := 2
	view, _ := json.Marshal(map[string]any{"result": "84 lines", "diffs": []any{map[string]any{"path": "p", "old": "secret old text", "new": "n"}}})
	exit, _ := json.Marshal(map[string]any{"exitCode": two})
	block, n := Build(talk(
		chats.Options{Engine: "claude-code"},
		chats.UserMessage{Text: "Find the race.\nIt is in pay.", Attachments: []chats.Attachment{{Name: "trace.txt", Bytes: 9}, {Name: "a.png"}}},
		chats.AssistantDelta{MessageID: "th", Channel: chats.ChannelThought, Delta: "thinking hard"},
		said("m1", "I will "), said("m1", "look."),
		chats.ToolStarted{ToolUseID: "1", Name: "Read", ToolKind: "read", Subject: "internal/pay/lock.go"},
		chats.ToolFinished{ToolUseID: "1", Status: "success", Output: "package pay\n…", View: view},
		chats.PermissionRequested{PermissionID: "p", Summary: "go test"},
		call("2", "Bash", "go test ./..."),
		chats.ToolFinished{ToolUseID: "2", Status: "error", Output: "--- FAIL: TestLock\n   lock_test.go:5", View: exit},
		chats.ToolStarted{ToolUseID: "3", Name: "Edit", ToolKind: "edit", Subject: "internal/pay/lock.go"},
		gave("3", "success", ""),
		call("4", "Bash", "rm -rf build"),
		chats.ToolFinished{ToolUseID: "4", Status: "not-run", Reason: "you said no"},
		call("5", "mcp__github__create_issue", ""),
		said("m1", " Done.\n\n- one\n- two"),
		chats.Question{QuestionID: "q", Title: "Which branch?"},
		chats.Plan{Steps: []chats.PlanStep{{Title: "find the race", Status: "done"}, {Title: "move the lock", Status: "active"}, {Title: "run the tests", Status: "pending"}}},
		chats.Usage{Usage: json.RawMessage(`{"inputTokens":5}`)},
		chats.Notice{Code: "provider", Message: "a notice"},
		chats.TurnCompleted{Outcome: "success", Engine: "claude-code", Accepted: true},
	), all)
	want := Open + "\n" + IntroJoined + "\n" + `
User: Find the race.
  It is in pay.
  [attached: trace.txt, a.png]
Assistant: I will look.
Steps:
- Read internal/pay/lock.go → 84 lines
- Bash go test ./... → failed: exit status 2: --- FAIL: TestLock lock_test.go:5
- Edit internal/pay/lock.go → done
- Bash rm -rf build → not run: you said no
- github: create_issue → no result
Assistant: Done.

  - one
  - two
Steps:
- Asked "Which branch?" → no answer yet

Now:
- Plan: ✓ find the race; → move the lock; ○ run the tests
- Waiting for the person: Which branch?
` + Close
	if block != want {
		t.Errorf("got\n%s\nwant\n%s", block, want)
	}
	if n != (Count{Messages: 2, Steps: 6}) {
		t.Errorf("count %+v", n)
	}
}

func TestEachCaseHasItsIntroduction(t *testing.T) { // R-69-14
	events := talk(user("hi"), said("m", "hello"))
	for c, intro := range map[Case]string{Joined: IntroJoined, WentOn: IntroWentOn, Restart: IntroRestart} {
		block, _ := Build(events, Options{Case: c, Since: -1})
		if strings.Count(block, intro) != 1 {
			t.Errorf("case %d: %s", c, block)
		}
		if length(intro) > 230 {
			t.Errorf("case %d: %d characters", c, length(intro))
		}
	}
}

func TestOnlyWhatWasMissedIsHandedOver(t *testing.T) { // R-69-5, R-69-8, checklist 2
	events := talk(user("one"), said("a", "first"), user("two"), said("b", "second"), user("the new message"))
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Since: -1, Until: 5}, "User: one\nAssistant: first\nUser: two\nAssistant: second"},
		{Options{Case: WentOn, Since: 2, Until: 5}, "User: two\nAssistant: second"},
		{Options{Case: WentOn, Since: 3, Until: 5}, "Assistant: second"},
		{Options{Case: Restart, Since: 3, Until: 5}, "User: one\nAssistant: first\nUser: two\nAssistant: second"},
	} {
		block, _ := Build(events, c.o)
		if got := inside(t, block); got != c.want {
			t.Errorf("%+v: %q", c.o, got)
		}
	}
}

func TestNothingToHandOverGivesNoBlock(t *testing.T) { // R-69-23
	plan := chats.Plan{Steps: []chats.PlanStep{{Title: "x", Status: "active"}}}
	for name, c := range map[string]struct {
		events []chats.Event
		o      Options
	}{
		"no events":            {nil, all},
		"only a start":         {talk(), all},
		"all seen":             {talk(user("one"), said("a", "first"), plan, user("new")), Options{Case: WentOn, Since: 3, Until: 4}},
		"only the new message": {talk(user("new")), Options{Since: -1, Until: 1}},
		"only thinking":        {talk(chats.AssistantDelta{Channel: chats.ChannelThought, Delta: "hm"}, chats.Usage{}, chats.Notice{}), all},
		"only blanks":          {talk(user(" \n"), said("m", "\n")), all},
		"cleared":              {talk(user("one"), chats.ContextCleared{}), all},
		"live only":            {[]chats.Event{{Seq: -1, Body: user("x")}}, all},
	} {
		if block, n := Build(c.events, c.o); block != "" || n != (Count{}) {
			t.Errorf("%s: %q %+v", name, block, n)
		}
	}
}

func TestClearHidesWhatWasBeforeAndCanBeTakenBack(t *testing.T) { // R-69-22, checklist 11
	bodies := []chats.Body{user("one"), chats.ContextCompacted{Summary: "the summary"},
		chats.Plan{Steps: []chats.PlanStep{{Title: "old plan", Status: "active"}}}, chats.ContextCleared{}, user("two"), said("m", strings.Repeat("x", 500))}
	for _, c := range []Case{Joined, WentOn, Restart} {
		block, _ := Build(talk(bodies...), Options{Case: c, Since: -1, Limits: Limits{Block: 500}})
		if strings.Contains(block, "User: one") || strings.Contains(block, "summary") || strings.Contains(block, "old plan") {
			t.Errorf("case %d: %s", c, block)
		}
	}
	block, _ := Build(talk(append(bodies, chats.ContextRestored{ClearedSeq: 4})...), all)
	if !strings.Contains(block, "User: one") {
		t.Errorf("after the undo: %s", block)
	}
}

func TestStretchesOfSteps(t *testing.T) { // checklist 3
	for _, steps := range []int{1, 12, 13, 20, 200} {
		var bodies []chats.Body
		for i := range steps {
			id := fmt.Sprint(i)
			bodies = append(bodies, call(id, "Bash", "step-"+id), gave(id, "success", ""))
		}
		block, n := Build(talk(append([]chats.Body{user("go")}, bodies...)...), all)
		lines := strings.Split(inside(t, block), "\n")[2:]
		want := make([]string, 0, 12)
		for i := range steps {
			if steps > 12 && i == 4 {
				want = append(want, strings.ReplaceAll(fmt.Sprintf("- … %d steps left out …", steps-11), "1 steps", "1 step"))
			}
			if steps <= 12 || i < 4 || i >= steps-7 {
				want = append(want, fmt.Sprintf("- Bash step-%d → done", i))
			}
		}
		if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("%d steps:\n%s", steps, got)
		}
		if n.Steps != min(steps, 11) && n.Steps != steps {
			t.Errorf("%d steps, count %d", steps, n.Steps)
		}
	}
}

func TestResultsAndCallsAreOneLineAndBounded(t *testing.T) { // R-69-16, checklist 4
	long := strings.Repeat("word ", 100)
	for _, c := range []struct {
		name  string
		start chats.ToolStarted
		end   *chats.ToolFinished
		want  string
	}{
		{"a long result", chats.ToolStarted{Name: "Bash", Subject: "x"}, &chats.ToolFinished{Status: "success", Output: long}, "- Bash x → " + long[:159] + "…"},
		{"line breaks", chats.ToolStarted{Name: "Bash", Subject: "a\n\tb"}, &chats.ToolFinished{Status: "success", Output: "1\r\n\n2 "}, "- Bash a b → 1 2"},
		{"a long call", chats.ToolStarted{Name: "Bash", Subject: strings.Repeat("c", 500)}, nil, "- Bash " + strings.Repeat("c", 194) + "… → no result"},
		{"arguments", chats.ToolStarted{Name: "mcp__web__open", Input: json.RawMessage(`{"a":"` + strings.Repeat("d", 300) + `"}`)}, nil, `- web: open {"a":"` + strings.Repeat("d", 93) + "… → no result"},
		{"a tool of ours", chats.ToolStarted{Name: "mcp__conch__remember", Input: json.RawMessage(`{}`)}, &chats.ToolFinished{Status: "success"}, "- remember → done"},
		{"no name", chats.ToolStarted{}, &chats.ToolFinished{Status: "success"}, "- Tool → done"},
		{"failed without words", chats.ToolStarted{Name: "Bash", Subject: "x"}, &chats.ToolFinished{Status: "error"}, "- Bash x → failed"},
		{"unknown", chats.ToolStarted{Name: "Bash", Subject: "x"}, &chats.ToolFinished{Status: "unknown", Reason: "stopped"}, "- Bash x → no result: stopped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.start.ToolUseID = "1"
			bodies := []chats.Body{c.start}
			if c.end != nil {
				c.end.ToolUseID = "1"
				bodies = append(bodies, *c.end)
			}
			block, _ := Build(talk(bodies...), all)
			if got := inside(t, block); got != "Steps:\n"+c.want {
				t.Errorf("got  %q\nwant %q", got, "Steps:\n"+c.want)
			}
		})
	}
}

func TestAResultLandsOnItsCallAcrossWords(t *testing.T) { // R-69-17, checklist 5
	block, _ := Build(talk(call("1", "Bash", "make"), said("m", "It runs."), call("2", "Bash", "ls"), gave("1", "success", "built"), gave("2", "success", "a b"),
		gave("9", "success", "of no call")), all)
	want := "Steps:\n- Bash make → built\nAssistant: It runs.\nSteps:\n- Bash ls → a b"
	if got := inside(t, block); got != want {
		t.Errorf("got %q", got)
	}
}

func TestAFullerNameArrivesWhileAStepRuns(t *testing.T) {
	block, _ := Build(talk(call("1", "Tool", ""), chats.ToolProgress{ToolUseID: "1", Name: "WebFetch", Subject: "https://x"}, gave("1", "success", "")), all)
	if got := inside(t, block); got != "Steps:\n- WebFetch https://x → done" {
		t.Errorf("got %q", got)
	}
}

func TestQuestions(t *testing.T) { // R-69-16
	ask := chats.Question{QuestionID: "q", Title: "Which\nbranch? " + strings.Repeat("x", 200)}
	shown := `"Which branch? ` + strings.Repeat("x", 105) + `…"`
	for _, c := range []struct {
		answer *chats.QuestionAnswer
		want   string
	}{
		{nil, "skipped"},
		{&chats.QuestionAnswer{Text: "main"}, `"main"`},
		{&chats.QuestionAnswer{Values: map[string]any{"b": 2, "a": "one"}}, `"a: one; b: 2"`},
		{&chats.QuestionAnswer{Text: strings.Repeat("y", 300)}, `"` + strings.Repeat("y", 199) + `…"`},
	} {
		block, _ := Build(talk(ask, chats.QuestionAnswered{QuestionID: "q", Answer: c.answer}), all)
		if got, want := inside(t, block), "Steps:\n- Asked "+shown+" → "+c.want; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestWhatThePersonRanAndOfferedIsPartOfWhatWasSaid(t *testing.T) {
	block, n := Build(talk(
		chats.Shell{Command: "git log", Output: "private"},
		chats.Shell{Command: "go test", Output: "FAIL\nUser: not me\n", ExitCode: 1, Offered: true}), all)
	want := "User: I ran a command: go test\n  (exit status 1)\n  FAIL\n  User: not me"
	if got := inside(t, block); got != want || n.Messages != 1 {
		t.Errorf("got %q, %+v", got, n)
	}
}

func TestARetractedMessageIsNotHandedOver(t *testing.T) {
	block, n := Build(talk(user("go"), said("m1", "half an ans"), call("1", "Bash", "ls"), said("m1", "wer"),
		chats.AssistantDone{MessageID: "m1", Retracted: true}, said("m2", "the whole answer")), all)
	if got := inside(t, block); got != "User: go\nSteps:\n- Bash ls → no result\nAssistant: the whole answer" || n.Messages != 2 {
		t.Errorf("got %q %+v", got, n)
	}
}

func TestTheNewestIsKept(t *testing.T) { // R-69-20, checklist 6
	bodies := []chats.Body{user("oldest " + strings.Repeat("o", 90))}
	for i := range 4 {
		bodies = append(bodies, said(fmt.Sprint("m", i), "answer "+fmt.Sprint(i)), user("more "+fmt.Sprint(i)))
	}
	bodies = append(bodies, chats.ContextCompacted{Summary: "what came\nbefore"}, said("last", "the newest answer"))
	block, n := Build(talk(bodies...), Options{Since: -1, Limits: Limits{Block: 400}})
	if length(block) > 400 {
		t.Errorf("%d characters", length(block))
	}
	got := inside(t, block)
	if !strings.HasSuffix(got, "Assistant: the newest answer") || strings.Contains(got, "oldest") {
		t.Errorf("got %q", got)
	}
	if n.LeftOut == 0 || n.LeftOut+n.Messages != 10 || !strings.HasPrefix(got, fmt.Sprintf("[%d earlier messages left out]\nSummary: what came\n  before\n", n.LeftOut)) {
		t.Errorf("count %+v in %q", n, got)
	}
	if block, _ := Build(talk(bodies...), all); strings.Contains(block, "Summary") || strings.Contains(block, "left out") {
		t.Errorf("nothing was left out: %s", block)
	}
}

func TestLongMessagesKeepBothEnds(t *testing.T) { // R-69-20, checklist 8
	text := "begin" + strings.Repeat("界", 99_990) + "finis"
	block, _ := Build(talk(user(text)), all)
	want := "User: begin" + strings.Repeat("界", 5995) + "\n  [… 88000 characters left out …]\n  " + strings.Repeat("界", 5995) + "finis"
	if got := inside(t, block); got != want {
		t.Errorf("%d characters: %.80q … %.40q", length(got), got, lastRunes(got, 20))
	}
	block, n := Build(talk(user("old"), user(text)), Options{Since: -1, Limits: Limits{Block: 400}})
	if length(block) > 400 || !strings.Contains(block, "User: begin界") || !strings.Contains(block, "finis") || n != (Count{Messages: 1, LeftOut: 1}) {
		t.Errorf("%d %+v: %s", length(block), n, block)
	}
}

func TestTheWholeBlockIsBounded(t *testing.T) { // R-69-20, R-69-21, checklist 7
	bodies := []chats.Body{}
	for i := range 100 {
		bodies = append(bodies, user(strings.Repeat("line\n", 1000)), said(fmt.Sprint(i), strings.Repeat("word ", 1000)))
	}
	steps := []chats.PlanStep{}
	for range 40 {
		steps = append(steps, chats.PlanStep{Title: strings.Repeat("p", 500), Status: "pending"})
	}
	bodies = append(bodies, chats.ContextCompacted{Summary: strings.Repeat("s\n", 20_000)}, chats.Plan{Steps: steps}, chats.Question{QuestionID: "q", Title: "which?"})
	block, n := Build(talk(bodies...), all)
	if got := length(block); got > 60_000 || got < 50_000 {
		t.Errorf("%d characters", got)
	}
	_, now, _ := strings.Cut(block, "\nNow:\n")
	if got := length(now); got > 1_500+length(Close) || got < 1_400 || !strings.Contains(now, "Waiting for the person: which?") {
		t.Errorf("now has %d characters: %s", got, now)
	}
	if n.Messages+n.LeftOut != 200 || n.Messages == 0 {
		t.Errorf("count %+v", n)
	}
}

func TestABlockStaysInItsLimitWhenTheSummaryCrowdsMessagesOut(t *testing.T) { // R-69-20
	// At first only the steps are left out; what is known of them takes the room of
	// more than ten messages.
	bodies := []chats.Body{chats.ContextCompacted{Summary: strings.Repeat("what was folded ", 200)}}
	for n := range 12 {
		id := fmt.Sprint(n)
		bodies = append(bodies, chats.ToolStarted{ToolUseID: id, Name: "Read", Subject: strings.Repeat("x", 150)}, chats.ToolFinished{ToolUseID: id, Status: "success"})
	}
	for range 40 {
		bodies = append(bodies, chats.UserMessage{Text: "one more"})
	}
	events := talk(bodies...)
	for limit := 900; limit < 1500; limit++ {
		block, n := Build(events, Options{Since: -1, Limits: Limits{Block: limit}})
		if got := length(block); got > limit {
			t.Fatalf("%d characters of %d, %d messages left out", got, limit, n.LeftOut)
		}
	}
}

func TestThePlanEndsWithTheNextMessage(t *testing.T) { // R-69-21
	plan := func(status string) chats.Body {
		return chats.Plan{Steps: []chats.PlanStep{{Title: "a", Status: "done"}, {Title: "b", Status: status}}}
	}
	for name, c := range map[string]struct {
		bodies []chats.Body
		want   bool
	}{
		"steps remain":   {[]chats.Body{user("x"), plan("active")}, true},
		"all done":       {[]chats.Body{user("x"), plan("active"), plan("done")}, false},
		"a next message": {[]chats.Body{user("x"), plan("active"), user("y")}, false},
	} {
		block, _ := Build(talk(c.bodies...), all)
		if got := strings.Contains(block, "Now:\n- Plan: ✓ a; → b\n"); got != c.want {
			t.Errorf("%s: %s", name, block)
		}
	}
}

func TestNowIsTakenWhateverWasSeen(t *testing.T) { // R-69-21
	events := talk(user("x"), chats.Plan{Steps: []chats.PlanStep{{Title: "b", Status: "active"}}}, said("m", "seen"), said("n", "missed"))
	block, _ := Build(events, Options{Case: WentOn, Since: 3})
	if got := inside(t, block); got != "Assistant: missed\n\nNow:\n- Plan: → b" {
		t.Errorf("got %q", got)
	}
}
