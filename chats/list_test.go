package chats

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func list(t *testing.T, s *Store) []Summary {
	t.Helper()
	rows, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func only(t *testing.T, s *Store) Summary {
	t.Helper()
	rows := list(t, s)
	if len(rows) != 1 {
		t.Fatalf("%d chats", len(rows))
	}
	return rows[0]
}

func TestARowSaysHowTheChatStands(t *testing.T) {
	s := newStore(t)
	l := s.Create("/code/shop", "fix-lock")
	put(t, l, "", Options{Engine: "codex", Model: "gpt-6", Effort: "high", Mode: "ask"})
	put(t, l, "t1", UserMessage{Text: "Why does\nthe  lock fail?"}, Session{Engine: "codex", ResumeID: "r1", Model: "gpt-6"},
		AssistantDelta{MessageID: "th", Channel: ChannelThought, Delta: "thinking"}, answer("m1", "Because "), answer("m1", "of this."), AssistantDone{MessageID: "m1"},
		TurnCompleted{Outcome: "success", Engine: "codex", Model: "gpt-6-mini", Accepted: true})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got := only(t, s)
	want := Summary{
		ID: l.ID(), Title: "Why does the lock fail?", Folder: "/code/shop", Branch: "fix-lock", Provider: "codex", Model: "gpt-6", Answered: "gpt-6-mini",
		Effort: "high", Mode: "ask", Started: got.Started, Updated: got.Updated, Messages: 2, LastWords: "Because of this.",
		Sessions: map[string]SessionRecord{"codex": {ResumeID: "r1", Seq: 8, Model: "gpt-6"}}, Held: []string{"r1"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !got.Updated.After(got.Started) || got.Started.Before(time.UnixMilli(1_790_000_000_000)) {
		t.Errorf("from %v to %v", got.Started, got.Updated)
	}
}

func TestTheTitleOfThePersonWinsThenTheProvidersThenTheFirstWords(t *testing.T) {
	first := UserMessage{Text: "first words of a message that is much longer than a title can ever be"}
	for _, c := range []struct {
		bodies []Body
		want   string
	}{
		{nil, ""},
		{[]Body{first, UserMessage{Text: "second"}}, "first words of a message that is much longer than a title…"},
		{[]Body{UserMessage{Attachments: []Attachment{{Name: "a.png"}}}}, "a.png"},
		{[]Body{first, Title{Title: "by provider", By: "provider"}, Title{Title: "message", By: "message"}}, "by provider"},
		{[]Body{Title{Title: "mine", By: "person"}, first, Title{Title: "by provider"}}, "mine"},
		{[]Body{Title{Title: "mine", By: "person"}, Title{Title: "by provider"}, Title{Title: "", By: "person"}}, "by provider"},
		{[]Body{Title{Title: "one\n\tline\x1b[2J ", By: "person"}}, "one line [2J"},
	} {
		s := newStore(t)
		write(t, s, "", append([]Body{Notice{Code: "x"}}, c.bodies...)...)
		if got := only(t, s).Title; got != c.want {
			t.Errorf("%v: %q, want %q", c.bodies, got, c.want)
		}
	}
}

func TestMessagesAndLastWords(t *testing.T) {
	long := strings.Repeat("wörd ", 100)
	for _, c := range []struct {
		name   string
		bodies []Body
		n      int
		words  string
	}{
		{"pieces", []Body{answer("a", "one"), answer("a", " two\n"), answer("a", "\nthree"), answer("a", "four")}, 1, "one two threefour"},
		{"two messages", []Body{answer("a", "one"), answer("b", "two")}, 2, "two"},
		{"long", []Body{answer("a", long), answer("a", long)}, 1, strings.TrimSpace(string([]rune(long)[:200]))},
		{"long blanks", []Body{answer("a", strings.Repeat(" ", 1000)+"x")}, 1, "x"},
		{"taken back", []Body{answer("a", "one"), answer("b", "half"), AssistantDone{MessageID: "b", Retracted: true}}, 1, "one"},
		{"taken back and said again", []Body{answer("b", "half"), AssistantDone{MessageID: "b", Retracted: true}, answer("b", "whole")}, 1, "whole"},
		{"the same id in another turn", []Body{answer("a", "one"), UserMessage{Text: "and"}, answer("a", "two")}, 3, "two"},
		{"the person's", []Body{answer("a", "one"), UserMessage{Text: "and"}}, 2, "and"},
	} {
		s := newStore(t)
		write(t, s, "", c.bodies...)
		if got := only(t, s); got.Messages != c.n || got.LastWords != c.words {
			t.Errorf("%s: %d messages, %q", c.name, got.Messages, got.LastWords)
		}
	}
}

func TestWhatAnEngineHasSeen(t *testing.T) {
	end := func(engine string, accepted bool) Body {
		return TurnCompleted{Outcome: "success", Engine: engine, Accepted: accepted}
	}
	for _, c := range []struct {
		name   string
		bodies []Body // seq from 1
		want   map[string]SessionRecord
	}{
		{"none", []Body{UserMessage{}}, nil},
		{"a turn moves it to its end", []Body{UserMessage{}, Session{Engine: "codex", ResumeID: "r"}, answer("m", "x"), end("codex", true)},
			map[string]SessionRecord{"codex": {ResumeID: "r", Seq: 4}}},
		{"a running turn to its session", []Body{UserMessage{}, Session{Engine: "codex", ResumeID: "r"}, answer("m", "x")},
			map[string]SessionRecord{"codex": {ResumeID: "r", Seq: 2}}},
		{"a turn that was not taken in leaves it", []Body{UserMessage{}, Session{Engine: "codex", ResumeID: "r"}, end("codex", true), UserMessage{}, end("codex", false)},
			map[string]SessionRecord{"codex": {ResumeID: "r", Seq: 3}}},
		{"one for each", []Body{Session{Engine: "codex", ResumeID: "r"}, end("codex", true), Session{Engine: "grok", ResumeID: "g", Model: "m"}, end("grok", true)},
			map[string]SessionRecord{"codex": {ResumeID: "r", Seq: 2}, "grok": {ResumeID: "g", Seq: 4, Model: "m"}}},
		{"a clear sets all aside", []Body{Session{Engine: "codex", ResumeID: "r"}, end("codex", true), ContextCleared{}},
			nil},
		{"an older record's one too", []Body{Options{Engine: "codex"}, Session{ResumeID: "r"}, answer("m", "x"), ContextCleared{}, UserMessage{}},
			nil},
		{"taken back, they are there", []Body{Session{Engine: "codex", ResumeID: "r"}, end("codex", true), ContextCleared{}, ContextRestored{ClearedSeq: 3}},
			map[string]SessionRecord{"codex": {ResumeID: "r", Seq: 2}}},
		{"but of one that answered meanwhile", []Body{Session{Engine: "codex", ResumeID: "r"}, end("codex", true), Session{Engine: "grok", ResumeID: "g"}, end("grok", true), ContextCleared{},
			Session{Engine: "codex", ResumeID: "s"}, end("codex", true), ContextRestored{ClearedSeq: 5}},
			map[string]SessionRecord{"codex": {Seq: -1}, "grok": {ResumeID: "g", Seq: 4}}},
		{"behind a clear begin new ones", []Body{Session{Engine: "codex", ResumeID: "r"}, ContextCleared{}, Session{Engine: "codex", ResumeID: "s"}, end("codex", true), ContextRestored{ClearedSeq: 99}},
			map[string]SessionRecord{"codex": {ResumeID: "s", Seq: 4}}},
		{"of two clears the first taken back", []Body{Session{Engine: "codex", ResumeID: "r"}, ContextCleared{}, Session{Engine: "grok", ResumeID: "g"}, ContextCleared{}, ContextRestored{ClearedSeq: 2}, ContextRestored{ClearedSeq: 4}},
			map[string]SessionRecord{"codex": {ResumeID: "r", Seq: 1}, "grok": {Seq: -1}}},
		{"an older record's one session", []Body{Options{Engine: "codex"}, Session{ResumeID: "r"}, answer("m", "x"), UserMessage{}},
			map[string]SessionRecord{"codex": {ResumeID: "r", Seq: 4}}},
		{"no session, no record", []Body{UserMessage{}, end("codex", true)}, nil},
	} {
		s := newStore(t)
		write(t, s, "t", c.bodies...)
		if d := cmp.Diff(c.want, only(t, s).Sessions); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestAnOlderRecordsSessionHasSeenAllBeforeTheNextTurn(t *testing.T) { // R-69-13
	s := newStore(t)
	l := s.Create("/w", "")
	put(t, l, "a", Options{Engine: "codex"}, UserMessage{}, Session{ResumeID: "r"}, answer("m", "x"), TurnCompleted{Outcome: "success"})
	put(t, l, "", Title{Title: "x"})
	put(t, l, "b", UserMessage{}, Session{Engine: "grok", ResumeID: "g"}, answer("n", "y"), TurnCompleted{Outcome: "success", Engine: "grok", Accepted: true})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	want := map[string]SessionRecord{"codex": {ResumeID: "r", Seq: 6}, "grok": {ResumeID: "g", Seq: 10}}
	if d := cmp.Diff(want, only(t, s).Sessions); d != "" {
		t.Error(d)
	}
}

func TestAnOlderListNamesTheSession(t *testing.T) {
	home := t.TempDir()
	s := openStore(t, home)
	id := write(t, s, "t", UserMessage{}, answer("m", "x"), TurnCompleted{Outcome: "success"})
	older := `{"v":1,"chats":[` + "\n" + `{"id":"` + id + `","engine":"gemini-cli","resumeId":"old"}` + "\n]}\n"
	if err := os.WriteFile(s.listPath(), []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	want := map[string]SessionRecord{"gemini-cli": {ResumeID: "old", Seq: 3}}
	for range 2 {
		if d := cmp.Diff(want, only(t, openStore(t, home)).Sessions); d != "" {
			t.Error(d)
		}
	}
	if sum, err := openLog(t, openStore(t, home), id).Summary(); err != nil || cmp.Diff(want, sum.Sessions) != "" {
		t.Errorf("%+v %v", sum, err)
	}
}

func TestAChoiceForTheNextMessageOutlastsTheTurnThatRuns(t *testing.T) {
	s := newStore(t)
	write(t, s, "t", Options{Engine: "codex", Model: "a"}, UserMessage{}, Options{Engine: "grok", Model: "b"},
		TurnCompleted{Outcome: "success", Engine: "codex", Model: "a"})
	if got := only(t, s); got.Provider != "grok" || got.Model != "b" || got.Answered != "" {
		t.Errorf("%+v", got)
	}
	s = newStore(t)
	write(t, s, "t", UserMessage{}, TurnCompleted{Outcome: "success", Engine: "codex", Model: "a"})
	if got := only(t, s); got.Provider != "codex" || got.Model != "" || got.Answered != "a" {
		t.Errorf("%+v", got)
	}
}

func TestTheListIsNewestFirst(t *testing.T) {
	s := newStore(t)
	a, b, c := write(t, s, "", Notice{}), write(t, s, "", Notice{}), write(t, s, "", Notice{})
	if err := s.Rename(a, "first, and newest"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range list(t, s) {
		got = append(got, row.ID)
	}
	if !slices.Equal(got, []string{a, c, b}) {
		t.Errorf("%v", got)
	}
}

func TestTheKeptListSaysTheSameAsTheLogs(t *testing.T) {
	home := t.TempDir()
	s := openStore(t, home)
	var ids []string
	for i := range 20 {
		ids = append(ids, write(t, s, "t", UserMessage{Text: fmt.Sprint("chat ", i)}, answer("m", "half "), Session{Engine: "codex", ResumeID: "r"}))
	}
	want := list(t, s)
	for name, change := range map[string]func() error{
		"as it is":   func() error { return nil },
		"gone":       func() error { return os.RemoveAll(s.listPath()) },
		"damaged":    func() error { return os.WriteFile(s.listPath(), []byte(`{"v":1,"chats":[{"id`), 0o600) },
		"a newer":    func() error { return os.WriteFile(s.listPath(), []byte(`{"v":7,"chats":{}}`), 0o600) },
		"nonsense":   func() error { return os.WriteFile(s.listPath(), []byte("\x00\xff"), 0o600) },
		"a stranger": func() error { return os.WriteFile(s.listPath(), []byte(`{"v":1,"chats":[{"id":"../x"}]}`), 0o600) },
		"folder":     func() error { return errors.Join(os.RemoveAll(s.listPath()), os.Mkdir(s.listPath(), 0o700)) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, list(t, openStore(t, home))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if info, err := os.Stat(s.listPath()); err == nil && info.IsDir() {
			if err := os.RemoveAll(s.listPath()); err != nil {
				t.Fatal(err)
			}
		}
	}

	// What came since the list was kept is read on from there.
	l := openLog(t, s, ids[3])
	put(t, l, "u", UserMessage{Text: "more"}, answer("n", "said"), TurnCompleted{Outcome: "success"})
	fresh := openStore(t, t.TempDir())
	fresh.dir = s.dir
	if err := os.RemoveAll(s.listPath()); err != nil {
		t.Fatal(err)
	}
	want = list(t, fresh)
	if d := cmp.Diff(want, list(t, s)); d != "" {
		t.Errorf("read on: %s", d)
	}
	if sum, err := l.Summary(); err != nil || cmp.Diff(want[0], sum) != "" {
		t.Errorf("the log's own: %v %s", err, cmp.Diff(want[0], sum))
	}
}

func TestALogThatWasReplacedIsReadAnew(t *testing.T) {
	s := newStore(t)
	id := write(t, s, "t", UserMessage{Text: "one"}, TurnCompleted{Outcome: "success"})
	list(t, s)
	other := write(t, newStore(t), "t", UserMessage{Text: "another and longer chat"}, answer("m", "yes"), TurnCompleted{Outcome: "success"})
	data, err := os.ReadFile(filepath.Join(filepath.Dir(s.path(id)), id+".jsonl"))
	if err != nil || other == "" {
		t.Fatal(err)
	}
	changed := strings.Replace(string(data), `"text":"one"`, `"text":"edited by hand, which is longer"`, 1)
	if err := os.WriteFile(s.path(id), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := only(t, s); got.Title != "edited by hand, which is longer" || got.Messages != 1 {
		t.Errorf("%+v", got)
	}
}

func TestFind(t *testing.T) {
	s := newStore(t)
	ids := map[string]string{}
	for _, title := range []string{"Fix the lock in pay", "Fix the lock in shop", "Write the README", "Lock"} {
		ids[title] = write(t, s, "t", UserMessage{Text: title})
	}
	for _, c := range []struct {
		words, want string
		close       int
	}{
		{ids["Lock"], "Lock", 0},
		{strings.ToLower(ids["Lock"]), "Lock", 0},
		{ids["Lock"][:24] + "!!", "", 1},
		{"readme", "Write the README", 0},
		{"  shop fix ", "Fix the lock in shop", 0},
		{"LOCK", "Lock", 0}, // a whole title before words of one
		{"fix lock", "", 2},
		{"the", "", 3},
		{"01", "", 4},
		{"fxi the lock", "", 4},
		{"raedme write", "", 1},
		{"wrt redme", "", 1},
		{"nothing like it", "", 0},
		{"", "", 4},
		{strings.Repeat("x", 100_000), "", 0},
	} {
		found, close, err := s.Find(c.words)
		if c.want != "" && (err != nil || found.Title != c.want) || c.want == "" && (!errors.Is(err, ErrNotFound) || found.ID != "") {
			t.Errorf("%.40q: %q, %v", c.words, found.Title, err)
		}
		if len(close) != c.close {
			t.Errorf("%.40q: %d come close: %+v", c.words, len(close), close)
		}
	}
}

func TestAWholeIdIsFoundWithoutReadingTheOtherChats(t *testing.T) {
	s := newStore(t)
	write(t, s, "t", UserMessage{Text: "another"})
	id := write(t, s, "t", UserMessage{Text: "this one"})
	if found, _, err := s.Find(" " + strings.ToLower(id)); err != nil || found.Title != "this one" {
		t.Errorf("found %+v, %v", found, err)
	}
	if _, err := os.Stat(s.listPath()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the list was made: %v", err)
	}
	for _, words := range []string{strings.ToLower(id) + "\n", id[:25]} {
		if got, ok := s.Known(words); !ok || got != id {
			t.Errorf("%q is known as %q, %v", words, got, ok)
		}
	}
	for _, words := range []string{"", id[:2], "this one", "../" + id, id + ".jsonl", "01JZZZZZZZZZZZZZZZZZZZZZZZ"} {
		if got, ok := s.Known(words); ok {
			t.Errorf("%q is known as %q", words, got)
		}
	}
}

func TestFindTakesWholeWordsBeforePartsOfThem(t *testing.T) {
	s := newStore(t)
	for _, title := range []string{"edit 7", "edit 77", "re: edit 77 again"} {
		write(t, s, "t", UserMessage{Text: title})
	}
	for words, want := range map[string]string{"7 edit": "edit 7", "again 7": "re: edit 77 again", "77 edit": ""} {
		if found, _, _ := s.Find(words); found.Title != want {
			t.Errorf("%q is %q, want %q", words, found.Title, want)
		}
	}
}

func TestDeleteCanBeUndoneUntilPurge(t *testing.T) {
	s := newStore(t)
	id := write(t, s, "t", UserMessage{Text: "keep me"}, TurnCompleted{Outcome: "success"})
	kept := write(t, s, "t", UserMessage{Text: "another"})
	appendRaw(t, s, id, "half")
	if err := openLog(t, s, id).Close(); err != nil {
		t.Fatal(err)
	}
	before := list(t, s)

	if err := s.Delete(id); err != nil {
		t.Fatal(err)
	}
	if rows := list(t, s); len(rows) != 1 || rows[0].ID != kept {
		t.Errorf("%+v", rows)
	}
	if _, err := s.OpenLog(id); !errors.Is(err, ErrNotFound) {
		t.Errorf("open: %v", err)
	}
	if err := s.Delete(id); !errors.Is(err, ErrNotFound) {
		t.Errorf("delete again: %v", err)
	}
	if err := s.Purge(time.Hour, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Undelete(id); err != nil {
		t.Fatal(err)
	}
	if err := s.Undelete(id); !errors.Is(err, ErrNotFound) {
		t.Errorf("undelete again: %v", err)
	}
	if d := cmp.Diff(before, list(t, s)); d != "" {
		t.Error(d)
	}
	if _, err := os.Stat(s.tornPath(id)); err != nil {
		t.Error(err)
	}

	if err := s.Delete(id); err != nil {
		t.Fatal(err)
	}
	gone, err := s.Deleted(0)
	if err != nil || len(gone) != 1 || gone[0].ID != id || gone[0].Title != "keep me" {
		t.Errorf("%+v %v", gone, err)
	}
	if err := s.Purge(0, func(each string) bool { return each == id }); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(s.deletedPath("")); err != nil || len(left) != 2 {
		t.Errorf("a chat that is kept, and its torn lines: %v %v", left, err)
	}
	if err := s.Purge(0, nil); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(s.deletedPath("")); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
	if err := s.Undelete(id); !errors.Is(err, ErrNotFound) {
		t.Errorf("undelete after purge: %v", err)
	}
}

func TestPurgeCountsFromTheDeletion(t *testing.T) {
	home := t.TempDir()
	at := time.Now()
	s, err := Open(home, func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	id := write(t, s, "", Notice{})
	old := at.Add(-1000 * time.Hour)
	if err := os.Chtimes(s.path(id), old, old); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(id); err != nil {
		t.Fatal(err)
	}
	at = at.Add(29 * 24 * time.Hour)
	if gone, err := s.Deleted(30 * 24 * time.Hour); err != nil || len(gone) != 0 {
		t.Errorf("%v %v", gone, err)
	}
	if err := s.Purge(30*24*time.Hour, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Undelete(id); err != nil {
		t.Errorf("gone too early: %v", err)
	}
}

func TestATimeOfALogIsOneThatCanBeWritten(t *testing.T) {
	for _, ms := range []int64{math.MinInt64, -1, 0, 1764500000000, math.MaxInt64} {
		if _, err := moment(ms).UTC().MarshalJSON(); err != nil {
			t.Errorf("%d: %v", ms, err)
		}
	}
}
