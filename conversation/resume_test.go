package conversation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/chats"
	"conch/engine"
)

func TestAChatGoesOnInTheStricterOfItsModeAndTheOneOfNow(t *testing.T) { // complaint 21
	for _, saved := range engine.Modes() {
		for _, now := range engine.Modes() {
			r := newRoom(t)
			a := answering("codex", "x")
			d := r.deps(a)
			d.DefaultMode = saved
			m := r.with(d)
			say(t, m, "go")
			must(t, m.Close())
			d.DefaultMode = now
			m = r.again(m.ID(), d)
			want := engine.Stricter(saved, now)
			if got := m.Status().Mode; got != want {
				t.Errorf("%s, now %s: goes on in %s", saved, now, got)
			}
			var said []string
			for _, n := range all[chats.Notice](logged(t, m)) {
				said = append(said, n.Message)
			}
			if want == saved && len(said) != 0 {
				t.Errorf("%s, now %s: nothing changed, and it says %q", saved, now, said)
			}
			if line := fmt.Sprintf("this chat was in %s; it goes on in %s, which is stricter", saved, want); want != saved && !slices.Equal(said, []string{line}) {
				t.Errorf("%s, now %s: says %q", saved, now, said)
			}
			say(t, m, "on")
			if got := a.input(t, 1).Options.Mode; got != want {
				t.Errorf("%s, now %s: the engine was given %s", saved, now, got)
			}
			must(t, m.Close())
			d.DefaultMode = engine.ModeAutoEdit
			if got := r.again(m.ID(), d).Status().Mode; got != want {
				t.Errorf("%s, then %s, then opened again: %s", saved, now, got)
			}
		}
	}
}

func TestAModeOfANewerConchIsTheStrictest(t *testing.T) {
	r := newRoom(t)
	m := r.chat(answering("codex", "x"))
	say(t, m, "go")
	m.record("", chats.Options{Engine: "codex", Mode: "auto-everything"})
	must(t, m.Close())
	if got := r.again(m.ID(), r.deps(answering("codex", "x"))).Status().Mode; got != engine.ModePlan {
		t.Errorf("%s", got)
	}
}

func TestANativeModeIsNotTakenUpAgain(t *testing.T) {
	r := newRoom(t)
	a := answering("claude-code", "x")
	m := r.chat(a)
	must(t, m.SetNativeMode("bypassPermissions"))
	if got := m.Status().Native; got != "bypassPermissions" {
		t.Errorf("%q", got)
	}
	say(t, m, "go")
	if got := a.input(t, 0).Options.NativeMode; got != "bypassPermissions" {
		t.Errorf("%q", got)
	}
	must(t, m.Close())
	m = r.again(m.ID(), r.deps(a))
	if n := one[chats.Notice](t, logged(t, m)); !strings.Contains(n.Message, "bypassPermissions isn't taken up again") {
		t.Errorf("%+v", n)
	}
	say(t, m, "go")
	if got := a.input(t, 1).Options.NativeMode; got != "" {
		t.Errorf("%q", got)
	}
	must(t, m.Close())
	m = r.again(m.ID(), r.deps(a)) // said once
	if n := all[chats.Notice](logged(t, m)); len(n) != 1 {
		t.Errorf("%+v", n)
	}

	must(t, m.SetNativeMode("yolo"))
	must(t, m.SetMode(engine.ModeAsk)) // Conch's own modes take it back
	if s := m.Status(); s.Native != "" || s.Mode != engine.ModeAsk {
		t.Errorf("%+v", s)
	}
}

func TestAProviderThatIsGoneFallsBackAndSaysSo(t *testing.T) {
	r := newRoom(t)
	m := r.chat(answering("far", "x"))
	say(t, m, "go")
	must(t, m.Close())
	b := answering("b", "x")
	m = r.again(m.ID(), r.deps(answering("a", "x"), b))
	if s := m.Status(); s.Provider != "a" {
		t.Errorf("%+v", s)
	}
	if n := one[chats.Notice](t, logged(t, m)); n.Message != "far, which this chat was with, isn't set up here: a answers from here" {
		t.Errorf("%q", n.Message)
	}
	d := r.deps(answering("a", "x"), b)
	d.DefaultProvider = "b"
	must(t, m.Close())
	m = r.again(m.ID(), d)
	if s := m.Status(); s.Provider != "b" {
		t.Errorf("%+v", s)
	}
	say(t, m, "on")
	contains(t, b.input(t, 0).Prompt, "User: go")
}

func TestAChatGoesOnWithItsLastProvider(t *testing.T) {
	r := newRoom(t)
	a, b := answering("a", "x"), answering("b", "x")
	d := r.deps(a, b)
	d.DefaultProvider = "a"
	m := r.with(d)
	must(t, m.SetProvider("b"))
	say(t, m, "go")
	must(t, m.Close())
	if s := r.again(m.ID(), d).Status(); s.Provider != "b" || s.Running || s.LastEnd == nil || s.LastEnd.Outcome != "success" {
		t.Errorf("%+v", s)
	}
}

func TestAnEmptyChatLeavesNothingBehind(t *testing.T) {
	r := newRoom(t)
	m := r.chat(answering("a", "x"), answering("b", "x"))
	must(t, m.SetProvider("b"))
	must(t, m.SetMode(engine.ModePlan))
	must(t, m.SetModel("m"))
	must(t, m.SetTitle("t"))
	m.Open()
	must(t, m.Close())
	found, err := os.ReadDir(filepath.Join(r.home, "chats"))
	if err == nil && len(found) != 0 {
		t.Errorf("%v", found)
	}
}

func TestChoicesAreInTheLogWithTheFirstMessage(t *testing.T) {
	m := newRoom(t).chat(answering("a", "x"), answering("b", "x"))
	must(t, m.SetProvider("b"))
	must(t, m.SetModel("m"))
	must(t, m.SetMode(engine.ModeAsk))
	say(t, m, "go")
	if got := one[chats.Options](t, logged(t, m)); got != (chats.Options{Engine: "b", Model: "m", Mode: "ask"}) {
		t.Errorf("%+v", got)
	}
	must(t, m.SetMode(engine.ModeAsk)) // nothing new
	must(t, m.SetMode(engine.ModePlan))
	if got := all[chats.Options](logged(t, m)); len(got) != 2 || got[1].Mode != "plan" {
		t.Errorf("%+v", got)
	}
	for _, bad := range []engine.Mode{"", "yolo", "AUTO-EDIT"} {
		if m.SetMode(bad) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestWithoutAProviderNothingIsSent(t *testing.T) {
	m := newRoom(t).chat()
	if err := m.Send(Message{Text: "x"}); err == nil {
		t.Error("sent")
	}
	m.Open()
	if s := m.Status(); s.Running || s.Provider != "" || s.LastSeq != -1 {
		t.Errorf("%+v", s)
	}
}

func TestAMessageThatCannotBeKeptIsNotSentAndTheChatGoesOnAfterwards(t *testing.T) {
	r := newRoom(t)
	a := answering("a", "x")
	m := r.chat(a)
	in := filepath.Join(r.home, "chats")
	must(t, os.WriteFile(in, []byte("in the way"), 0o600))
	err := m.Send(Message{Text: "hello"})
	if err == nil || !strings.Contains(err.Error(), "your message can't be kept, so it wasn't sent") {
		t.Fatal(err)
	}
	if s := m.Status(); s.Running || len(a.got) != 0 {
		t.Errorf("%+v", s)
	}
	if err := m.AddShell(chats.Shell{Command: "ls", Output: "x"}); err == nil {
		t.Error("the output was kept")
	}
	must(t, os.Remove(in))
	say(t, m, "hello")
	if got := told(logged(t, m)); !slices.Equal(got, []string{"you: hello", "text: x", "end: success"}) {
		t.Errorf("%q", got)
	}
	if o := one[chats.Options](t, logged(t, m)); o.Engine != "a" {
		t.Errorf("%+v", o)
	}
}

// filling is a log on a disk that can be full.
type filling struct {
	journal
	full bool
}

func (f *filling) Append(turn string, body chats.Body) (chats.Event, error) {
	if f.full {
		return chats.Event{}, fmt.Errorf("write chat x: %w", chats.ErrFull)
	}
	return f.journal.Append(turn, body)
}

func TestATurnOutlivesADiskThatFills(t *testing.T) {
	h := newHold("codex")
	m := newRoom(t).chat(h)
	disk := &filling{journal: m.log}
	m.log = disk
	fill := func(full bool) {
		m.writing.Lock()
		defer m.writing.Unlock()
		disk.full = full
	}
	screen, newcomer := newView(t), newView(t)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	s.Emit(engine.Text{MessageID: "1", Delta: "before, "})
	s.Emit(engine.ToolStart{ToolUseID: "1", Name: "Read"})
	fill(true)
	s.Emit(engine.Text{MessageID: "1", Delta: "while"})
	s.Emit(engine.ToolEnd{ToolUseID: "1", Status: engine.ToolSuccess})
	events, st := m.Take()
	screen.apply(events)
	if st.Trouble != "what is said here can't be kept: the disk is full" {
		t.Errorf("trouble: %q", st.Trouble)
	}
	s.Emit(engine.Text{MessageID: "1", Delta: " it was full"})
	m.checkpoint()
	events, _ = m.Take()
	screen.apply(events)
	events, _, err := m.Snapshot(1 << 20) // for another screen that comes now
	must(t, err)
	newcomer.apply(events)
	fill(false)
	s.Emit(engine.ToolStart{ToolUseID: "2", Name: "Bash"})
	if st := m.Status(); st.Trouble != "" {
		t.Errorf("trouble stays: %q", st.Trouble)
	}
	h.end <- good
	wait(t, m)
	events, _ = m.Take()
	screen.apply(events)
	newcomer.apply(events)
	want := []string{"you: go", "text: before, while it was full", "Read  = success  ", "Bash  = unknown  the turn ended before this step said how it went", "end: success"}
	for who, got := range map[string][]string{"log": told(logged(t, m)), "screen": told(screen.events), "newcomer": told(newcomer.events)} {
		if !slices.Equal(got, want) {
			t.Errorf("the %s tells %q, not %q", who, got, want)
		}
	}
}

func TestACloseThatLosesSomethingSaysSo(t *testing.T) {
	h := newHold("codex")
	r := newRoom(t)
	log := r.store.Create(r.folder, "")
	m, err := New(log, r.deps(h))
	must(t, err)
	disk := &filling{journal: m.log}
	m.log = disk
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	m.writing.Lock()
	disk.full = true
	m.writing.Unlock()
	s.Emit(engine.Text{MessageID: "1", Delta: "lost"})
	if err := m.Close(); err == nil || !strings.Contains(err.Error(), "could not be written") {
		t.Error(err)
	}
}

func TestErrorsAreSentences(t *testing.T) {
	for _, err := range []error{ErrReadOnly, ErrClosed, ErrNothing, errNoCard, errQueue} {
		if err.Error() == "" || errors.Is(err, chats.ErrReadOnly) && err != ErrReadOnly {
			t.Error(err)
		}
	}
}
