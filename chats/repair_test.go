package chats

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// appendRaw puts bytes at the end of a chat's file, as a crash leaves them.
func appendRaw(t *testing.T, s *Store, id, raw string) {
	t.Helper()
	f, err := os.OpenFile(s.path(id), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(raw); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestATornLastLineIsCutOffKeptAsideAndNoted(t *testing.T) { // R-69-1
	done := TurnCompleted{Outcome: "success", Engine: "codex"}
	for name, torn := range map[string]string{
		"half a line":          `{"v":1,"seq":3,"id":"01`,
		"zeros of a lost disk": strings.Repeat("\x00", 5000),
		"half a huge line":     `{"v":1,"seq":3,"kind":"tool.finished","output":"` + strings.Repeat("x", 300_000),
		"half a character":     "{\"text\":\"\xe6\x97",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			id := write(t, s, "t", UserMessage{Text: "hi"}, done)
			appendRaw(t, s, id, torn)
			reader, err := s.OpenReader(id)
			if err != nil {
				t.Fatal(err)
			}
			if got := kinds(all(t, reader)); got != "start user.message turn.completed" {
				t.Errorf("read before the repair: %s", got)
			}
			if err := reader.Close(); err != nil {
				t.Fatal(err)
			}
			l := openLog(t, s, id)
			put(t, l, "", Title{Title: "after"})
			events := all(t, l)
			if got := kinds(events); got != "start user.message turn.completed notice title" {
				t.Errorf("read after it: %s", got)
			}
			if n, ok := events[3].Body.(Notice); !ok || n.Code != "torn" || events[3].Seq != 3 || events[4].Seq != 4 {
				t.Errorf("noted as %+v", events[3])
			}
			kept, err := os.ReadFile(filepath.Join(s.dir, id+".torn"))
			if err != nil || string(kept) != torn+"\n" {
				t.Errorf("kept aside: %.100q %v", kept, err)
			}
		})
	}
}

func TestAWholeLastLineWithoutItsLineFeedIsAnEvent(t *testing.T) {
	s := newStore(t)
	id := write(t, s, "", Notice{Code: "x"})
	appendRaw(t, s, id, `{"v":1,"seq":2,"id":"x","at":1,"turn":"","kind":"title","title":"whole"}`)
	l := openLog(t, s, id)
	put(t, l, "", Notice{Code: "next"})
	if got := kinds(all(t, l)); got != "start notice title notice" {
		t.Errorf("read %s", got)
	}
}

func TestATurnWithoutAnEndIsClosedAsInterrupted(t *testing.T) {
	user := UserMessage{MessageID: "u", Text: "do it"}
	for name, c := range map[string]struct {
		before []Body // of an earlier, finished turn
		bodies []Body
		want   []Body
	}{
		"only the message": {nil, []Body{user}, []Body{TurnCompleted{Outcome: "interrupted"}}},
		"a message to a chosen provider": {[]Body{Options{Engine: "codex", Model: "m"}}, []Body{user},
			[]Body{TurnCompleted{Outcome: "interrupted", Engine: "codex", Model: "m"}}},
		"half an answer": {nil, []Body{user, Session{Engine: "codex", ResumeID: "r", Model: "m"}, answer("a", "half an ans")},
			[]Body{TurnCompleted{Outcome: "interrupted", Engine: "codex", Model: "m", Accepted: true}}},
		"steps, a card and a question": {
			nil,
			[]Body{user, Session{Engine: "codex"}, ToolStarted{ToolUseID: "1"}, ToolFinished{ToolUseID: "1", Status: "success"}, ToolStarted{ToolUseID: "2"},
				PermissionRequested{PermissionID: "p"}, Question{QuestionID: "q"}, PermissionRequested{PermissionID: "o"}, PermissionResolved{PermissionID: "o"}},
			[]Body{ToolFinished{ToolUseID: "2", Status: "unknown", Reason: "Conch ended before this step did."},
				PermissionResolved{PermissionID: "p", Decision: "expired", By: "stop"}, QuestionAnswered{QuestionID: "q"},
				TurnCompleted{Outcome: "interrupted", Engine: "codex", Accepted: true}},
		},
		"another provider was chosen meanwhile": {[]Body{Session{Engine: "codex"}, TurnCompleted{Outcome: "success", Engine: "codex"}},
			[]Body{user, Handoff{Engine: "gemini-cli"}, answer("a", "x"), Options{Engine: "qwen"}},
			[]Body{TurnCompleted{Outcome: "interrupted", Engine: "gemini-cli", Accepted: true}}},
		"a finished turn":                       {nil, []Body{user, TurnCompleted{Outcome: "error"}}, nil},
		"a finished turn and later words of it": {nil, []Body{user, TurnCompleted{Outcome: "success"}, Title{Title: "late"}, Usage{}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			l := s.Create("/w", "")
			put(t, l, "", Notice{Code: "first"})
			for _, b := range c.before {
				turn := "early"
				if b.Kind() == "options" {
					turn = ""
				}
				put(t, l, turn, b)
			}
			for _, b := range c.bodies {
				turn := "late"
				if b.Kind() == "options" {
					turn = ""
				}
				put(t, l, turn, b)
			}
			before := all(t, l)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			check := func(how string, l *Log, live bool) {
				t.Helper()
				events, _, err := l.Tail(1 << 20)
				if err != nil {
					t.Fatal(err)
				}
				var got []Body
				for _, e := range events[len(before):] {
					got = append(got, e.Body)
					if e.Turn != "late" || e.Live() != live {
						t.Errorf("%s: %+v", how, e)
					}
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s: %s", how, d)
				}
			}
			reader, err := s.OpenReader(l.ID())
			if err != nil {
				t.Fatal(err)
			}
			check("read only", reader, true)
			sum, err := reader.Summary()
			if err != nil || sum.Interrupted != (len(c.want) > 0) {
				t.Errorf("interrupted %v, %v", sum.Interrupted, err)
			}
			if err := reader.Close(); err != nil {
				t.Fatal(err)
			}
			opened := openLog(t, s, l.ID())
			check("opened", opened, false)
			if sum, err := opened.Summary(); err != nil || sum.Interrupted {
				t.Errorf("interrupted %v after it was opened, %v", sum.Interrupted, err)
			}
		})
	}
}

func TestAnotherProcessReadsWhatOneWrites(t *testing.T) {
	home := t.TempDir()
	mine, theirs := openStore(t, home), openStore(t, home) // locks are of the open file, so two stores stand for two processes
	l := mine.Create("/w", "")
	put(t, l, "t", UserMessage{Text: "hi"})
	other := openLog(t, theirs, l.ID())
	if !other.ReadOnly() || l.ReadOnly() {
		t.Fatalf("read only: theirs %v, mine %v", other.ReadOnly(), l.ReadOnly())
	}
	if _, err := other.Append("", Notice{}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Append: %v", err)
	}
	put(t, l, "t", answer("m", "hello"))
	if events := all(t, other); kinds(events) != "start user.message assistant.delta" {
		t.Errorf("theirs: %s", kinds(events))
	}
	if other.LastSeq() != 2 {
		t.Errorf("LastSeq %d", other.LastSeq())
	}
	list, err := theirs.List()
	if err != nil || len(list) != 1 || list[0].Interrupted {
		t.Errorf("a running turn is in the list as %+v, %v", list, err)
	}
	for what, err := range map[string]error{"rename": theirs.Rename(l.ID(), "x"), "delete": theirs.Delete(l.ID())} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if list, err := theirs.List(); err != nil || len(list) != 1 || !list[0].Interrupted {
		t.Errorf("after the end of the process: %+v, %v", list, err)
	}
	again := openLog(t, theirs, l.ID())
	if again.ReadOnly() {
		t.Error("still read only after it was let go")
	}
	put(t, again, "", Notice{Code: "x"})
}

func TestOneProcessOpensAChatOnce(t *testing.T) {
	s := newStore(t)
	l := s.Create("/w", "")
	put(t, l, "", Notice{Code: "x"})
	if _, err := s.OpenLog(l.ID()); !errors.Is(err, ErrOpen) {
		t.Errorf("open again: %v", err)
	}
	if err := s.Delete(l.ID()); !errors.Is(err, ErrOpen) {
		t.Errorf("delete: %v", err)
	}
	if err := s.Rename(l.ID(), "  a\n name "); err != nil {
		t.Errorf("rename: %v", err)
	}
	if sum, err := l.Summary(); err != nil || sum.Title != "a name" {
		t.Errorf("%+v %v", sum, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l := openLog(t, s, l.ID()); l.ReadOnly() {
		t.Error("read only")
	}
}

func TestAnIDIsCheckedBeforeItBecomesAPath(t *testing.T) {
	ids, err := os.ReadFile("testdata/bad-ids.txt")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	s := openStore(t, home)
	write(t, s, "", Notice{Code: "x"})
	outside := filepath.Join(home, "x.jsonl")
	if err := os.WriteFile(outside, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := append(strings.Split(strings.TrimSpace(string(ids)), "\n"), "", "../x", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAVX",
		"81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5F/V", "01ARZ3NDEKTSV4RRFFQ69G5FAı")
	if len(bad) < 20 {
		t.Fatalf("%d ids", len(bad))
	}
	for _, id := range bad {
		_, open := s.OpenLog(id)
		_, read := s.OpenReader(id)
		for what, err := range map[string]error{"open": open, "read": read, "rename": s.Rename(id, "x"), "delete": s.Delete(id), "undelete": s.Undelete(id)} {
			if !errors.Is(err, ErrBadID) {
				t.Errorf("%s %q: %v", what, id, err)
			}
			if err != nil && strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e }) || len(err.Error()) > 400 {
				t.Errorf("%s %q: the message shows it raw: %q", what, id, err)
			}
		}
		if _, _, err := s.Find(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("find %q: %v", id, err)
		}
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "outside" {
		t.Errorf("a file outside: %q %v", data, err)
	}
	left, err := os.ReadDir(filepath.Join(home, "chats"))
	if err != nil || len(left) != 2 { // the log and the list
		t.Errorf("%v %v", left, err)
	}
}

func TestALinkInPlaceOfALogIsNone(t *testing.T) {
	s := newStore(t)
	id := write(t, s, "", Notice{Code: "x"})
	other := "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	if err := os.Symlink(s.path(id), s.path(other)); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(s.path("01ARZ3NDEKTSV4RRFFQ69G5FAW"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OpenLog(other); !errors.Is(err, ErrNotFound) {
		t.Errorf("open: %v", err)
	}
	if list, err := s.List(); err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
}

func TestAFolderThatCannotBeWrittenIsAPlainError(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("modes do not hold here")
	}
	home := t.TempDir()
	if err := os.Chmod(home, 0o500); err != nil {
		t.Fatal(err)
	}
	l := openStore(t, home).Create("/w", "")
	if _, err := l.Append("", Notice{}); !errors.Is(err, ErrUnwritable) {
		t.Errorf("%v", err)
	}
}

func TestAFullDiskIsAPlainErrorAndLosesNoOlderLine(t *testing.T) {
	s := newStore(t)
	l := s.Create("/w", "")
	t.Cleanup(func() { l.Close() })
	put(t, l, "", Notice{Code: "one"})
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	file := l.f
	l.f = full
	if _, err := l.Append("", Notice{Code: "two"}); !errors.Is(err, ErrFull) {
		t.Errorf("%v", err)
	}
	l.f = file
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, l, "", Notice{Code: "three"})
	events := all(t, l)
	if len(events) != 3 || events[2].Body.(Notice).Code != "three" || events[2].Seq != 2 {
		t.Errorf("%+v", events)
	}
}

func FuzzRead(f *testing.F) {
	s, err := Open(f.TempDir(), nil)
	if err != nil {
		f.Fatal(err)
	}
	l := s.Create("/w", "b")
	for _, b := range everyKind() {
		if _, err := l.Append("t", b); err != nil {
			f.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(l.path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte("\n\n{}\nnull\n[]\n{\"v\":1,\"seq\":0,\"kind\":\"start\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newStore(t)
		id := "01ARZ3NDEKTSV4RRFFQ69G5FAV"
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path(id), data, 0o600); err != nil {
			t.Fatal(err)
		}
		reader, err := s.OpenReader(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := reader.Summary(); err != nil {
			t.Fatal(err)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		l, err := s.OpenLog(id)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // a fuzz test
		e, err := l.Append("", Notice{Code: "after"})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{1, 100} {
			events, more, err := l.Tail(size)
			if err != nil || len(events) == 0 || events[len(events)-1].ID != e.ID {
				t.Fatalf("the newest event is not in the tail: %v %v", events, err)
			}
			for more {
				if events, more, err = l.Before(events[0].Seq, size); err != nil || len(events) == 0 {
					break
				}
			}
		}
		if _, err := l.Summary(); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Since(-1); err != nil {
			t.Fatal(err)
		}
	})
}
