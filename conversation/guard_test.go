package conversation

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
)

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 9, 14, 8, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

var roomy = budget{steps: 1000, tokens: 1 << 40, time: 1000 * time.Hour}

// called makes a call of Conch's own that answers, and gives what the model reads.
func called(g *guard, tool, args, answer string, failed bool) (note string, run bool) {
	early, pause := g.before("", tool, json.RawMessage(args))
	if pause != nil {
		return "", false
	}
	return strings.TrimSpace(early + " " + g.after(tool, answer, failed)), true
}

func TestTheThirdIdenticalCallIsNotedAndTheFifthIsNotRun(t *testing.T) { // checklist 6
	g := newGuard(roomy, false, newClock().now)
	spellings := []string{`{"a":1,"b":[2,{"c":3,"d":4}]}`, `{"b":[2,{"d":4,"c":3}],"a":1}`, `{ "a": 1, "b": [2, {"c": 3, "d": 4}] }`}
	var notes []string
	for i := range 4 {
		note, run := called(g, "find", spellings[i%3], "ok", false)
		if !run {
			t.Fatalf("call %d was not run", i+1)
		}
		notes = append(notes, note)
	}
	if notes[0] != "" || notes[1] != "" || !strings.Contains(notes[2], "3 times") || notes[3] != "" {
		t.Errorf("the notes: %q", notes)
	}
	if _, run := called(g, "find", spellings[0], "ok", false); run {
		t.Error("the fifth was run")
	}
	if p := g.paused(); p == nil || p.Reason != "loop" || !strings.Contains(p.Message, "find") {
		t.Errorf("paused: %+v", p)
	}
	if _, run := called(g, "another", `{}`, "ok", false); run {
		t.Error("a call behind the pause was run") // R-102-21
	}
}

func TestIdenticalCallsFarApartAreNone(t *testing.T) {
	g := newGuard(roomy, false, newClock().now)
	for i := range 200 {
		args := fmt.Sprintf(`{"n":%d}`, i)
		if i%6 == 0 {
			args = `{"n":"again"}` // at most two of twelve
		}
		if note, run := called(g, "find", args, "ok", false); note != "" || !run {
			t.Fatalf("call %d: run %v, %q", i, run, note)
		}
	}
}

func TestAPauseComesOnlyBehindANote(t *testing.T) {
	g := newGuard(roomy, false, newClock().now)
	for i := range 4 { // made side by side: no answer was read between them
		if _, pause := g.before(fmt.Sprint(i), "find", json.RawMessage(`{}`)); pause != nil {
			t.Fatalf("call %d: %+v", i, pause)
		}
	}
	if _, pause := g.before("5", "find", json.RawMessage(`{}`)); pause == nil {
		t.Error("the fifth was run")
	}
}

func TestFailuresInARow(t *testing.T) { // checklist 7
	g := newGuard(roomy, false, newClock().now)
	n := 0
	fail := func() string {
		n++
		note, _ := called(g, "find", fmt.Sprintf(`{"n":%d}`, n), "no such thing", true)
		return note
	}
	for i := 1; i <= 3; i++ {
		if note := fail(); note != "" {
			t.Errorf("failure %d: %q", i, note)
		}
	}
	called(g, "find", `{"n":"other"}`, "found", false) // a success in between
	for i := 1; i <= 7; i++ {
		note := fail()
		if (i == 4) != strings.Contains(note, "4 failures in a row") || i != 4 && note != "" {
			t.Errorf("failure %d after a success: %q", i, note)
		}
		if g.paused() != nil {
			t.Fatalf("failure %d pauses", i)
		}
	}
	fail()
	if p := g.paused(); p == nil || p.Reason != "loop" || p.Message != "8 failures in a row" {
		t.Errorf("after the eighth: %+v", p)
	}
}

func TestTheSameLongAnswer(t *testing.T) { // checklist 8
	long := strings.Repeat("ä", 200)
	g := newGuard(roomy, false, newClock().now)
	for i := 1; i <= 7; i++ {
		note, run := called(g, "find", fmt.Sprintf(`{"n":%d}`, i), long, false)
		if !run || (i == 4) != strings.Contains(note, "same answer 4 times") || i != 4 && note != "" {
			t.Errorf("answer %d: run %v, %q", i, run, note)
		}
		if (g.paused() != nil) != (i == 7) {
			t.Errorf("answer %d: paused %+v", i, g.paused())
		}
	}
	g = newGuard(roomy, false, newClock().now)
	for i := range 100 {
		if note, run := called(g, "find", fmt.Sprintf(`{"n":%d}`, i), long[:len(long)-2], false); note != "" || !run {
			t.Fatalf("short answer %d: run %v, %q", i, run, note)
		}
	}
	g = newGuard(roomy, false, newClock().now)
	for i := range 100 {
		if note, run := called(g, fmt.Sprint("tool", i%2), fmt.Sprintf(`{"n":%d}`, i), long, false); note != "" || !run {
			t.Fatalf("from two tools by turns, %d: run %v, %q", i, run, note)
		}
	}
}

// ran is a step of a program's own, from outside.
func ran(g *guard, id, command, output string) {
	g.saw(engine.ToolStart{ToolUseID: id, Name: "Bash", Kind: engine.KindExecute, Subject: command})
	g.saw(engine.ToolEnd{ToolUseID: id, Status: engine.ToolSuccess, Output: output})
}

func TestAProgramsOwnCalls(t *testing.T) { // checklist 9
	g := newGuard(roomy, true, newClock().now)
	for i := 1; i <= 10; i++ {
		ran(g, fmt.Sprint(i), "go test ./...", "FAIL shop")
		if (g.paused() != nil) != (i == 10) {
			t.Errorf("call %d: %+v", i, g.paused())
		}
	}
	if p := g.paused(); p.Reason != "loop" {
		t.Errorf("paused by %s", p.Reason)
	}

	g = newGuard(roomy, true, newClock().now)
	for i := range 30 {
		ran(g, fmt.Sprint(i), fmt.Sprint("go test ./", i), "FAIL")
	}
	for i := range 30 {
		ran(g, fmt.Sprint("b", i), "go test ./...", fmt.Sprintf("FAIL after %d", i)) // polling: the answer changes
	}
	for i := range 40 {
		ran(g, fmt.Sprint("c", i), []string{"go build", "go test"}[i%2], "FAIL") // a change between two tries
	}
	if g.paused() != nil {
		t.Errorf("varied work pauses: %+v", g.paused()) // R-102-19
	}

	g = newGuard(budget{steps: 10}, true, newClock().now)
	for i := 1; i <= 21; i++ {
		ran(g, fmt.Sprint(i), fmt.Sprint("ls ", i), "")
		if (g.paused() != nil) != (i == 21) {
			t.Errorf("step %d of 10: %+v", i, g.paused())
		}
	}
	if p := g.paused(); p.Reason != "steps" {
		t.Errorf("paused by %s", p.Reason)
	}
}

func TestConchsOwnCallsAreNotTakenForTheProgramsOwn(t *testing.T) {
	g := newGuard(roomy, true, newClock().now)
	for i := range 11 {
		row := fmt.Sprint("door.", i)
		g.saw(engine.ToolStart{ToolUseID: row, Name: "plan", Input: json.RawMessage(`{}`)})
		g.before(row, "plan", json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)))
		g.after("plan", "shown", false)
		g.saw(engine.ToolEnd{ToolUseID: row, Status: engine.ToolSuccess, Output: "shown"})
	}
	if g.paused() != nil {
		t.Errorf("paused: %+v", g.paused())
	}
}

func count(n int64) *int64 { return &n }

func TestABudgetIsNotedBeforeItIsUsedUp(t *testing.T) {
	for name, use := range map[string]struct {
		limit  budget
		use    func(g *guard, c *clock, percent int)
		reason string
	}{
		"tokens": {budget{tokens: 1000}, func(g *guard, _ *clock, p int) {
			g.saw(engine.Usage{InputTokens: count(int64(p)*10 + 5000), CachedTokens: count(5000)})
		}, "tokens"},
		"time":  {budget{time: 100 * time.Minute}, func(_ *guard, c *clock, _ int) { c.pass(time.Minute) }, "time"},
		"steps": {budget{steps: 100}, func(g *guard, _ *clock, p int) { g.saw(engine.ToolStart{ToolUseID: fmt.Sprint(p)}) }, "steps"},
	} {
		c := newClock()
		g := newGuard(use.limit, false, c.now)
		notes := map[int]string{}
		at := 0
		for p := 1; p <= 101 && g.paused() == nil; p++ {
			at = p
			use.use(g, c, p)
			if note := g.after("find", fmt.Sprint(p), false); note != "" {
				notes[p] = note
			}
		}
		if len(notes) != 1 || !strings.Contains(notes[85], "nearly all") {
			t.Errorf("%s: the notes %v, not one at 85 %%", name, notes)
		}
		want := 100
		if name == "steps" {
			want = 101 // the hundredth is still one of them
		}
		if p := g.paused(); p == nil || p.Reason != use.reason || at != want {
			t.Errorf("%s: at %d %%: %+v", name, at, p)
		}
	}
}

func TestTheClockStandsStillWhileThePersonIsAsked(t *testing.T) { // R-102-22, checklist 10
	c := newClock()
	g := newGuard(budget{time: 30 * time.Minute}, true, c.now)
	c.pass(20 * time.Minute)
	first, second := g.waits(), g.waits() // two cards at a time
	c.pass(5 * time.Hour)
	if g.paused() != nil {
		t.Fatal("paused behind a card")
	}
	first()
	c.pass(time.Hour)
	second()
	c.pass(9 * time.Minute)
	if g.paused() != nil {
		t.Fatal("the time with a card counts")
	}
	c.pass(time.Minute)
	if p := g.paused(); p == nil || p.Reason != "time" {
		t.Errorf("after 30 minutes of its own: %+v", p)
	}
}

func TestTheBudgetOfATurn(t *testing.T) {
	for name, test := range map[string]struct {
		unattended, local, spent bool
		want                     budget
	}{
		"somebody there":            {want: budget{100, 2_000_000, 30 * time.Minute}},
		"nobody there":              {unattended: true, want: budget{200, 4_000_000, time.Hour}},
		"a local model":             {local: true, want: budget{100, 0, 45 * time.Minute}},
		"the month is used up":      {spent: true, want: budget{100, 1_000_000, 30 * time.Minute}},
		"a local one, nobody there": {unattended: true, local: true, spent: true, want: budget{200, 0, 90 * time.Minute}},
	} {
		if got := budgetOf(test.unattended, test.local, test.spent); got != test.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestCallsAtOnceAreCountedExactly(t *testing.T) { // R-102-23, checklist 14
	g := newGuard(roomy, false, newClock().now)
	var all sync.WaitGroup
	var mu sync.Mutex
	notes := 0
	for i := range 50 {
		all.Go(func() {
			row := fmt.Sprint(i)
			g.saw(engine.ToolStart{ToolUseID: row, Name: "find"})
			g.before(row, "find", json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)))
			note := g.after("find", "no", true)
			g.saw(engine.ToolEnd{ToolUseID: row, Status: engine.ToolError})
			mu.Lock()
			defer mu.Unlock()
			if note != "" {
				notes++
			}
		})
	}
	all.Wait()
	if g.calls != 50 || g.fails != 50 || notes != 1 {
		t.Errorf("%d calls, %d failures, %d notes", g.calls, g.fails, notes)
	}
	if p := g.paused(); p == nil || *p != (chats.Pause{Reason: "loop", Message: "8 failures in a row"}) {
		t.Errorf("paused: %+v", p)
	}
}
