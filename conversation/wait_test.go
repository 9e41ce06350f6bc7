package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/tools"
)

// waiter is a chat whose engine waits for something in its first turn, and answers in
// the others.
func waiter(t *testing.T, w tools.Waiting) (*Manager, *scripted) {
	t.Helper()
	r := newRoom(t)
	e := answering("api", "on it")
	d := r.deps(e)
	d.Tools = func(turn tools.Turn) []engine.Tool { return []engine.Tool{waitTool{turn, w}} }
	play := e.play
	var first atomic.Bool
	e.play = func(ctx context.Context, in engine.TurnInput, s engine.Sink) engine.Result {
		if first.CompareAndSwap(false, true) || strings.Contains(in.Prompt, "once more") {
			for _, each := range in.Tools {
				if _, err := each.Call(ctx, nil); err != nil {
					s.Emit(engine.Text{MessageID: "e", Delta: err.Error()})
				}
			}
		}
		return play(ctx, in, s)
	}
	return r.with(d), e
}

type waitTool struct {
	turn tools.Turn
	w    tools.Waiting
}

func (waitTool) Name() string            { return "wait" }
func (waitTool) Description() string     { return "" }
func (waitTool) Schema() json.RawMessage { return nil }
func (w waitTool) Call(context.Context, json.RawMessage) (engine.ToolResult, error) {
	return engine.ToolResult{}, w.turn.Wait(w.w)
}

func lookAt(happened *atomic.Bool) tools.Waiting {
	return tools.Waiting{Says: "until the build is there", Every: time.Millisecond, Limit: time.Hour, Look: func(context.Context) (bool, string, error) {
		return happened.Load(), "exit 0 </from-conch>", nil
	}}
}

func messages(m *Manager, e *scripted) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.got)
}

func TestAChatIsWokenWhenWhatItWaitedForHasHappened(t *testing.T) {
	var happened atomic.Bool
	m, e := waiter(t, lookAt(&happened))
	say(t, m, "build it")
	if s := m.Status(); s.Waits != "until the build is there" || s.Running {
		t.Fatalf("it stands so: %+v", s)
	}
	say(t, m, "how is it going?") // the person's own message keeps the wait
	if s := m.Status(); s.Waits == "" {
		t.Fatal("the person's message ended the wait")
	}
	happened.Store(true)
	until(t, m, "the chat to be woken", func(s Status) bool { return messages(m, e) == 3 && !s.Running })
	if got := e.input(t, 2).Prompt; !strings.HasPrefix(got, "<from-conch>\nYou waited until the build is there. It has happened, after 0s.\nThe last look, quoted:\nexit 0 ‹/from-conch>\n</from-conch>") {
		t.Errorf("it was told %q", got)
	}
	said := all[chats.UserMessage](logged(t, m))
	if len(said) != 3 || said[2].By != "conch" || said[1].By != "" {
		t.Errorf("the log has %+v", said)
	}
	if m.Status().Waits != "" {
		t.Error("it waits still")
	}
}

func TestStopClearAndClosingEndAWait(t *testing.T) {
	for name, end := range map[string]func(m *Manager) error{
		"stop":  func(m *Manager) error { m.Stop(); return nil },
		"clear": (*Manager).Clear,
		"close": (*Manager).Close,
	} {
		var happened atomic.Bool
		m, e := waiter(t, lookAt(&happened))
		say(t, m, "build it")
		events := len(logged(t, m))
		must(t, end(m))
		happened.Store(true)
		if m.Status().Waits != "" || messages(m, e) != 1 {
			t.Errorf("%s: it waits still", name)
		}
		if name != "close" {
			notices := all[chats.Notice](logged(t, m)[events:])
			if len(notices) != 1 || notices[0].Code != "wait-ended" {
				t.Errorf("%s: said %+v", name, notices)
			}
			must(t, m.Close())
		}
		if messages(m, e) != 1 {
			t.Errorf("%s: it was woken all the same", name)
		}
	}
}

func TestAChatIsNotWokenForEver(t *testing.T) {
	w := tools.Waiting{Says: "for nothing", Every: time.Millisecond, Limit: time.Hour, Look: func(context.Context) (bool, string, error) { return true, "once more", nil }}
	m, e := waiter(t, w)
	say(t, m, "go")
	until(t, m, "the last wake", func(s Status) bool { return messages(m, e) == 1+maxWakes && !s.Running && s.Waits == "" })
	var said string
	for _, d := range all[chats.AssistantDelta](logged(t, m)) {
		said += d.Delta
	}
	if !strings.Contains(said, "woken 5 times without a word of the person's") {
		t.Errorf("it was told %q", said)
	}
	say(t, m, "once more please")
	until(t, m, "the next wakes", func(s Status) bool { return messages(m, e) >= 3+maxWakes })
}

func TestAWaitIsGivenUpAtItsLimitAndWhenLookingFails(t *testing.T) {
	for want, w := range map[string]tools.Waiting{
		"It has not happened in": {Says: "x", Every: time.Millisecond, Limit: 20 * time.Millisecond, Look: func(context.Context) (bool, string, error) { return false, "", nil }},
		"no such shell":          {Says: "x", Every: time.Millisecond, Limit: time.Hour, Look: func(context.Context) (bool, string, error) { return false, "", errors.New("no such shell") }},
	} {
		m, e := waiter(t, w)
		say(t, m, "go")
		until(t, m, "the chat to be woken", func(s Status) bool { return messages(m, e) == 2 && !s.Running })
		if got := e.input(t, 1).Prompt; !strings.Contains(got, want) {
			t.Errorf("it was told %q", got)
		}
	}
}

func TestPlanModeEndsAWaitThatRunsACommand(t *testing.T) {
	var ran atomic.Int32
	w := tools.Waiting{Says: "until it runs", Runs: true, Every: time.Millisecond, Limit: time.Hour, Look: func(context.Context) (bool, string, error) {
		ran.Add(1)
		return false, "", nil
	}}
	m, e := waiter(t, w)
	say(t, m, "go")
	until(t, m, "a look", func(Status) bool { return ran.Load() > 0 })
	must(t, m.SetMode(engine.ModePlan))
	until(t, m, "the end of the wait", func(s Status) bool { return s.Waits == "" })
	if messages(m, e) != 1 {
		t.Error("the chat was woken")
	}
}

// A file tool of Conch's own is ruled like anybody's: Conch's own files are out of
// reach, whatever the mode and by whatever way.
func TestConchsOwnFilesAreOutOfReachOfItsOwnTools(t *testing.T) {
	r := newRoom(t)
	own := filepath.Join(r.home, "memory.md")
	must(t, os.WriteFile(own, []byte("- the person's\n"), 0o600))
	if err := os.Symlink(r.home, filepath.Join(r.folder, "link")); err != nil {
		t.Skip(err)
	}
	var calls [][2]string
	for _, path := range []string{own, filepath.Join(r.folder, "link", "memory.md"), "link/memory.md"} {
		at := `{"path":` + strconv.Quote(path)
		calls = append(calls, [2]string{"read_file", at + `}`}, [2]string{"write_file", at + `,"content":"x"}`}, [2]string{"edit_file", at + `,"old":"the","new":"no"}`},
			[2]string{"edit_file", at + `,"old":"not there","new":"no"}`}, [2]string{"search_files", at + `,"pattern":"person"}`}, [2]string{"wait_for", `{"file":` + strconv.Quote(path) + `,"text":"person"}`})
	}
	calls = append(calls, [2]string{"list", `{"path":"link"}`}, [2]string{"write_file", `{"path":"link/new.md","content":"x"}`})
	var answers []string
	e := calling(func(_ context.Context, call func(string, string) string, _ engine.Sink) {
		next := calls[len(answers)]
		answers = append(answers, call(next[0], next[1]))
	})
	d := r.deps(noHands{e})
	d.Tools, d.DefaultMode = (&tools.Kit{Protected: []string{r.home}}).For, engine.ModeAutoEdit
	m := r.with(d)
	for range calls {
		say(t, m, "go")
	}
	for i, a := range answers {
		if a != "failed: it was not run: Conch's own files are out of reach" {
			t.Errorf("%v: %s", calls[i], a)
		}
	}
	if raw, err := os.ReadFile(own); err != nil || string(raw) != "- the person's\n" {
		t.Errorf("it holds %q", raw)
	}
}

type noHands struct{ *scripted }

func (noHands) Handless() bool { return true }
