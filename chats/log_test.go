package chats

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if home := os.Getenv("CHATS_TEST_WRITER"); home != "" {
		writeUntilKilled(home)
		return
	}
	goleak.VerifyTestMain(m)
}

// clock is a time that goes on by a second with each look.
type clock struct{ at time.Time }

func (c *clock) now() time.Time {
	c.at = c.at.Add(time.Second)
	return c.at
}

func newStore(t *testing.T) *Store {
	t.Helper()
	return openStore(t, t.TempDir())
}

func openStore(t *testing.T, home string) *Store {
	t.Helper()
	c := &clock{time.UnixMilli(1_790_000_000_000)}
	s, err := Open(home, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// write makes a chat of the bodies, all in one turn, and closes it.
func write(t *testing.T, s *Store, turn string, bodies ...Body) string {
	t.Helper()
	l := s.Create("/code/shop", "main")
	put(t, l, turn, bodies...)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.ID()
}

func put(t *testing.T, l *Log, turn string, bodies ...Body) {
	t.Helper()
	for _, b := range bodies {
		if _, err := l.Append(turn, b); err != nil {
			t.Fatal(err)
		}
	}
}

func openLog(t *testing.T, s *Store, id string) *Log {
	t.Helper()
	l, err := s.OpenLog(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func all(t *testing.T, l *Log) []Event {
	t.Helper()
	events, err := l.Since(-1)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func kinds(events []Event) string {
	var k []string
	for _, e := range events {
		k = append(k, e.Body.Kind())
	}
	return strings.Join(k, " ")
}

func answer(id, text string) Body {
	return AssistantDelta{MessageID: id, Channel: ChannelText, Delta: text}
}

// everyKind has one body of each kind, with all its fields.
func everyKind() []Body {
	raw := json.RawMessage(`{"a":[1,null,"<b>"]}`)
	return []Body{
		Start{Chat: "c", Folder: "/w", Branch: "b"},
		UserMessage{MessageID: "m", Text: "hi <you> & \"me\"\n日本", Attachments: []Attachment{{"a.png", "image", 3}}},
		AssistantDelta{MessageID: "m", Channel: ChannelText, Delta: "x"},
		AssistantDone{MessageID: "m", Retracted: true},
		ToolStarted{ToolUseID: "t", Name: "Bash", ToolKind: "execute", Subject: "ls", Input: raw, View: raw},
		ToolProgress{ToolUseID: "t", Name: "Bash", Subject: "ls", Output: "o", View: raw},
		ToolFinished{ToolUseID: "t", Status: "success", Output: "o", Reason: "r", DurationMs: 5, View: raw},
		PermissionRequested{PermissionID: "p", ToolUseID: "t", ToolName: "Bash", ToolKind: "execute", Input: raw, Summary: "s", Why: "w",
			Options: []PermissionOption{{"i", "n", "k"}}, View: raw, Taint: "t", Once: true},
		PermissionResolved{PermissionID: "p", Decision: "allow", OptionID: "i", By: "person", Why: "w"},
		Plan{Steps: []PlanStep{{"t", "active"}}},
		Question{QuestionID: "q", Title: "t", Fields: raw, URL: "u"},
		QuestionAnswered{QuestionID: "q", Answer: &QuestionAnswer{Text: "t", Values: map[string]any{"a": "b"}}},
		QuestionAnswered{QuestionID: "q"},
		Session{Engine: "codex", ResumeID: "r", Model: "m", Restarted: "lost"},
		Title{Title: "t", By: "person"},
		Options{Engine: "codex", Model: "m", Effort: "e", Mode: "ask"},
		Notice{Code: "c", Message: "m"},
		Handoff{Engine: "codex", Messages: 1, Steps: 2, Block: "b"},
		Shell{Command: "ls", Output: "o", ExitCode: 1, DurationMs: 2, Offered: true},
		Queue{Messages: []QueuedMessage{{"t", []string{"a.png"}}}},
		ContextCompacted{Summary: "s", Before: 1, Turns: 2, Engine: "e", Model: "m"},
		ContextCleared{},
		ContextRestored{ClearedSeq: 4},
		Usage{Usage: raw},
		TurnCompleted{Outcome: "success", Usage: raw, Error: "e", Detail: "d", Problem: "p", Next: "n", Paused: true, Accepted: true, Engine: "codex", Model: "m"},
		Taint{Source: TaintSource{"web", "example.com"}, ToolUseID: "t"},
		ChatsLooked{Query: "q", Chats: []LookedChat{{ID: "pc_1", Title: "t", From: "Codex, in shop", Messages: 3, Untrusted: true}}},
		MemorySaved{MemoryID: "m1", Text: "t", Sources: []string{"Codex, in shop"}},
		Task{TaskID: "t", Title: "Check the invoices", State: TaskRunning, By: "worker-1"},
		MemoryForgotten{MemoryID: "m1", Text: "t"},
	}
}

func TestEveryKindReadsBackAsItWasWritten(t *testing.T) {
	s := newStore(t)
	bodies := everyKind()
	if got := len(readers); got != len(bodies)-1 { // one of them stands twice
		t.Errorf("%d kinds can be read, %d are tested", got, len(bodies)-1)
	}
	l := openLog(t, s, write(t, s, "turn-1", bodies...))
	events := all(t, l)
	if len(events) != len(bodies)+1 {
		t.Fatalf("%d events, want %d: %s", len(events), len(bodies)+1, kinds(events))
	}
	for i, e := range events {
		want := Body(Start{Chat: l.ID(), Folder: "/code/shop", Branch: "main"})
		turn := ""
		if i > 0 {
			want, turn = bodies[i-1], "turn-1"
		}
		if d := cmp.Diff(want, e.Body); d != "" {
			t.Errorf("event %d (%s): %s", i, want.Kind(), d)
		}
		if e.Seq != int64(i) || e.Turn != turn || e.V != Version || e.ID == "" || e.At < 1_790_000_000_000 {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	if !slices.IsSortedFunc(events, func(a, b Event) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("ids do not sort in the order of the events")
	}
}

func TestNothingIsWrittenBeforeTheFirstEvent(t *testing.T) {
	home := t.TempDir()
	s := openStore(t, home)
	l := s.Create("/code", "")
	if events, more, err := l.Tail(1000); len(events) > 0 || more || err != nil {
		t.Errorf("Tail of nothing: %v %v %v", events, more, err)
	}
	if l.LastSeq() != -1 {
		t.Errorf("LastSeq %d", l.LastSeq())
	}
	if sum, err := l.Summary(); err != nil || sum.Folder != "/code" || sum.ID != l.ID() {
		t.Errorf("Summary %+v %v", sum, err)
	}
	if list, err := s.List(); len(list) > 0 || err != nil {
		t.Errorf("List %v %v", list, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFilesAreForThePersonAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes on Windows")
	}
	home := t.TempDir()
	s := openStore(t, home)
	id := write(t, s, "", Notice{Code: "x"})
	if _, err := s.List(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{"": 0o700, id + ".jsonl": 0o600, "list.json": 0o600} {
		info, err := os.Stat(filepath.Join(home, "chats", path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v %v, want %v", path, info.Mode(), err, want)
		}
	}
}

func TestWhatThisVersionDoesNotKnowIsSkippedAndNeverRewritten(t *testing.T) { // R-69-1
	s := newStore(t)
	id := write(t, s, "t", UserMessage{Text: "one"}, TurnCompleted{Outcome: "success", Engine: "codex"})
	strange := `{"v":1,"seq":3,"id":"x","at":5,"turn":"","kind":"files.changed","files":[]}
{"v":99,"seq":4,"id":"x","at":5,"turn":"","kind":"title","title":"newer"}
not json at all
{"v":1,"seq":"five"}
{"v":1,"seq":5,"id":"x","at":5,"turn":"","kind":"plan","steps":"no list"}
{"kind":"title","title":"in another order","at":5,"seq":6,"v":1,"id":"x","turn":""}
{"v":1,"seq":2,"id":"x","at":5,"turn":"","kind":"title","title":"again"}
`
	path := s.path(id)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(strange); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	l := openLog(t, s, id)
	put(t, l, "", Notice{Code: "after"})
	if got, want := kinds(all(t, l)), "start user.message turn.completed title notice"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), strange) {
		t.Errorf("strange lines were rewritten: %s", data)
	}
}

func TestNonsenseFromAProgramCostsNoEvent(t *testing.T) {
	s := newStore(t)
	bad := json.RawMessage(`{"half":`)
	id := write(t, s, "t",
		ToolStarted{ToolUseID: "1", Input: bad, View: bad}, ToolProgress{ToolUseID: "1", View: bad}, ToolFinished{ToolUseID: "1", View: bad},
		PermissionRequested{PermissionID: "1", Input: bad, View: bad}, Question{QuestionID: "1", Fields: bad}, Usage{Usage: bad},
		UserMessage{Text: "cut \xff off"}, TurnCompleted{Usage: bad})
	events := all(t, openLog(t, s, id))
	if len(events) != 9 {
		t.Fatalf("%s", kinds(events))
	}
	if got := string(events[1].Body.(ToolStarted).Input); got != `"{\"half\":"` {
		t.Errorf("input %s", got)
	}
	if got := events[7].Body.(UserMessage).Text; got != "cut \ufffd off" {
		t.Errorf("text %q", got)
	}
}

func TestPagesBeginWhereTurnsBeginAndJoinToTheWhole(t *testing.T) {
	s := newStore(t)
	l := s.Create("/w", "")
	t.Cleanup(func() { l.Close() })
	for i := range 400 {
		turn := string(rune('a'+i%26)) + "-turn"
		put(t, l, turn, UserMessage{Text: strings.Repeat("word ", i)}, ToolStarted{ToolUseID: "t"},
			ToolFinished{ToolUseID: "t", Output: strings.Repeat("x", i*7)}, answer("m", "yes"), TurnCompleted{Outcome: "success"})
	}
	want := all(t, l)
	got, more, err := l.Tail(10_000)
	if err != nil || !more {
		t.Fatal(more, err)
	}
	if len(got) == len(want) {
		t.Fatal("the tail is the whole")
	}
	for more {
		if k := got[0].Body.Kind(); k != "user.message" {
			t.Fatalf("a page begins with %s", k)
		}
		var page []Event
		if page, more, err = l.Before(got[0].Seq, 10_000); err != nil || len(page) == 0 {
			t.Fatal(len(page), err)
		}
		got = append(page, got...)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, seq := range []int64{-1, 0, 1, 77, 1000, 1999, 2000, 2001, 9999} {
		since, err := l.Since(seq)
		if err != nil || len(since) != max(0, len(want)-int(seq)-1) || len(since) > 0 && since[0].Seq != seq+1 {
			t.Errorf("Since(%d): %d events, %v", seq, len(since), err)
		}
	}
}

func TestTheTailHoldsTheLastTurnWhole(t *testing.T) {
	s := newStore(t)
	l := s.Create("/w", "")
	t.Cleanup(func() { l.Close() })
	put(t, l, "1", UserMessage{Text: "old"}, TurnCompleted{Outcome: "success"})
	put(t, l, "2", UserMessage{Text: "new"})
	for range 50 {
		put(t, l, "2", ToolFinished{ToolUseID: "t", Output: strings.Repeat("x", 8000)})
	}
	events, more, err := l.Tail(100)
	if err != nil || !more || len(events) != 51 {
		t.Errorf("%d events, more %v, %v", len(events), more, err)
	}
	if l.LastSeq() != 53 {
		t.Errorf("LastSeq %d", l.LastSeq())
	}
}

func TestAPeekReadsTheTailAndEndsNothing(t *testing.T) {
	s := newStore(t)
	id := write(t, s, "1", UserMessage{Text: "old"}, TurnCompleted{Outcome: "success"})
	l := openLog(t, s, id)
	put(t, l, "2", UserMessage{Text: "new"}, answer("m", "half an"))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	events, more, err := s.Peek(id, 1<<20)
	if got := kinds(events); err != nil || more || got != "start user.message turn.completed user.message assistant.delta" {
		t.Errorf("%s, more %v, %v", got, more, err)
	}
	// The end of the turn comes when the chat is opened, behind what was seen.
	events = all(t, openLog(t, s, id))
	if last := events[len(events)-1]; last.Seq != 5 || last.Body.Kind() != "turn.completed" {
		t.Errorf("the last event is %+v", last)
	}
	if _, _, err := s.Peek("01JZZZZZZZZZZZZZZZZZZZZZZZ", 1); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such chat: %v", err)
	}
}

func TestOneAppendsWhileOthersRead(t *testing.T) { // R-69-2
	s := newStore(t)
	l := s.Create("/w", "")
	t.Cleanup(func() { l.Close() })
	put(t, l, "1", UserMessage{Text: "go"})
	done := make(chan error)
	go func() {
		for range 300 {
			if _, err := l.Append("1", answer("m", "word ")); err != nil {
				done <- err
				return
			}
		}
		done <- l.Sync()
	}()
	reader, err := s.OpenReader(l.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close() //nolint:errcheck // read only
	seen := int64(-1)
	for seen < 301 {
		for _, from := range []*Log{l, reader} {
			events, err := from.Since(seen)
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range events {
				if e.Seq != seen+1+int64(i) {
					t.Fatalf("event %d after %d", e.Seq, seen)
				}
			}
			if from == reader && len(events) > 0 {
				seen = events[len(events)-1].Seq
			}
		}
		if _, err := l.Summary(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestAfterCloseNothingIsWritten(t *testing.T) {
	s := newStore(t)
	l := s.Create("/w", "")
	put(t, l, "", Notice{Code: "x"})
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Append("", Notice{}); err == nil {
		t.Error("Append after Close went through")
	}
	if _, _, err := l.Tail(10); err == nil {
		t.Error("Tail after Close went through")
	}
}
