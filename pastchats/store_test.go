package pastchats

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/chats"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// broughtIn is a world with five chats in its store.
func broughtIn(t *testing.T) *fakeWorld {
	w := newWorld(t, "codex", "pi")
	for i := range 4 {
		c := w.apps[0].say(fmt.Sprint("s", i), fmt.Sprint("question ", i), fmt.Sprint("answer ", i))
		c.chat.Cwd = "/code/shop"
	}
	w.apps[1].say("p", "hello", "there")
	w.apps[1].say("empty")
	w.bringIn()
	return w
}

func TestADamagedListIsMendedFromWhatIsGoodAndTheLogs(t *testing.T) {
	for name, damage := range map[string]func(string) string{
		"cut":        func(s string) string { return s[:len(s)*2/3] },
		"cut short":  func(s string) string { return s[:10] },
		"cut at end": func(s string) string { return strings.TrimRight(s, "}\n") },
		"one bad entry": func(s string) string {
			return strings.Replace(s, `{"id":"`+pastID("codex", "s2")+`"`, `{"id":"../../etc/passwd"`, 1)
		},
		"an entry of another kind": func(s string) string { return strings.Replace(s, `"messages":2`, `"messages":"two"`, 1) },
		"a list of another kind":   func(string) string { return `[1, 2, 3]` },
		"chats of another kind":    func(string) string { return `{"version":1,"chats":{"a":1}}` },
		"a number":                 func(string) string { return `17` },
		"null":                     func(string) string { return `null` },
		"empty":                    func(string) string { return "" },
		"binary":                   func(s string) string { return "\x00\xff\xfe" + strings.Repeat("\x00", 5000) },
		"written over":             func(s string) string { return s[:300] + strings.Repeat("\x00", 400) + s[700:] },
	} {
		t.Run(name, func(t *testing.T) {
			w := broughtIn(t)
			want := w.list()
			data, err := os.ReadFile(w.listFile())
			if err != nil {
				t.Fatal(err)
			}
			damaged := damage(string(data))
			if damaged == string(data) {
				t.Fatal("nothing is damaged")
			}
			if err := os.WriteFile(w.listFile(), []byte(damaged), 0o600); err != nil {
				t.Fatal(err)
			}
			w.Service = w.again()
			for range 2 {
				got := w.list()
				// Of a chat that was listed again the log does not know these.
				ignore := cmpopts.IgnoreFields(Entry{}, "Key", "File", "Size", "MTime", "Count", "Project", "Redacted")
				if d := cmp.Diff(want, got, ignore, cmpopts.IgnoreUnexported(Entry{})); d != "" {
					t.Fatal(d)
				}
				w.Service = w.again()
			}
			if d := cmp.Diff([]string{noteRebuilt}, w.notes); d != "" {
				t.Error(d)
			}
			kept, err := filepath.Glob(w.listFile() + ".*.damaged")
			if err != nil || len(kept) != 1 {
				t.Fatalf("beside it lies %v", kept)
			}
			if b, err := os.ReadFile(kept[0]); err != nil || string(b) != damaged {
				t.Error("the damaged bytes were not kept")
			}
			if r := w.bringIn(); r.Added != 0 || r.Updated != 0 || r.Chats != 5 {
				t.Errorf("the next run: %+v", r)
			}
			if d := cmp.Diff(want, w.list(), cmpopts.IgnoreUnexported(Entry{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestALostListIsMadeFromTheLogs(t *testing.T) {
	w := broughtIn(t)
	if err := os.Remove(w.listFile()); err != nil {
		t.Fatal(err)
	}
	if n := len(w.list()); n != 5 {
		t.Errorf("%d chats", n)
	}
	if r := w.bringIn(); r.Added != 0 || r.Chats != 5 {
		t.Errorf("%+v", r)
	}
}

func TestANewerListIsReadAndNotWritten(t *testing.T) {
	w := broughtIn(t)
	data, err := os.ReadFile(w.listFile())
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(data), `{"version":1,`, `{"version":2,"colour":"red",`, 1)
	if err := os.WriteFile(w.listFile(), []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	w.apps[0].say("new", "x")
	w.Service = w.again()
	if n := len(w.list()); n != 5 {
		t.Errorf("%d chats can be read, want 5", n)
	}
	w.list()
	if _, err := w.BringIn(t.Context(), nil, nil); !errors.Is(err, ErrNewer) {
		t.Error(err)
	}
	if _, err := w.Repair(t.Context()); !errors.Is(err, ErrNewer) {
		t.Error(err)
	}
	if c := w.Check(t.Context()); !strings.Contains(c.Problem, "newer") {
		t.Errorf("%+v", c)
	}
	if len(w.notes) != 1 {
		t.Errorf("%q", w.notes)
	}
	if now, err := os.ReadFile(w.listFile()); err != nil || string(now) != newer {
		t.Error("the newer list was changed")
	}
}

func TestAnIDThatHasNotTheFormIsRefusedBeforeAnyPathIsMade(t *testing.T) {
	w := broughtIn(t)
	good := pastID("codex", "s1")
	for _, id := range []string{"", "pc_", "../" + good, good + "/", good + "\x00", strings.ToUpper(good), good[:18], good + "0", "pc_..%2f..%2fetc%2fpas",
		"pc_0123456789abcdeg", "pc-0123456789abcdef", "lock", "index.json"} {
		if _, err := w.Store().Find(id); !errors.Is(err, ErrBadID) {
			t.Errorf("Find(%q): %v", id, err)
		}
		if err := w.Store().Events(id, func(chats.Event) bool { return true }); !errors.Is(err, ErrBadID) {
			t.Errorf("Events(%q): %v", id, err)
		}
		if err := w.Store().Messages(id, func(Message) bool { return true }); !errors.Is(err, ErrBadID) {
			t.Errorf("Messages(%q): %v", id, err)
		}
	}
	for _, id := range []string{"pc_0123456789abcdef", pastID("pi", "empty")} {
		if _, err := w.Store().Find(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("Find(%q): %v", id, err)
		}
		if err := w.Store().Messages(id, func(Message) bool { return true }); !errors.Is(err, ErrNotFound) {
			t.Errorf("Messages(%q): %v", id, err)
		}
	}
}

func TestFilesAreForThePersonsEyesAlone(t *testing.T) {
	w := broughtIn(t)
	err := filepath.WalkDir(w.dir(), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := map[bool]os.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestALogReadsAsEventsOfChats(t *testing.T) {
	w := newWorld(t, "codex")
	hard := "quotes \" and \\ and\ttabs\nlines </script> ünï 漢字 👩‍👧 \u0001"
	w.apps[0].say("s1", hard, hard+"!", "bye")
	w.bringIn()
	id := pastID("codex", "s1")
	clean := strings.Replace(hard, "\u0001", "␁", 1)
	want := []chats.Body{
		chats.Title{Title: "quotes \" and \\ and tabs lines </script> ünï 漢字 👩‍👧 ␁", By: "message"},
		chats.UserMessage{MessageID: "codex.1", Text: clean},
		chats.AssistantDelta{MessageID: "codex.2", Channel: chats.ChannelText, Delta: clean + "!"},
		chats.AssistantDone{MessageID: "codex.2"},
		chats.UserMessage{MessageID: "codex.3", Text: "bye"},
	}
	data, err := os.ReadFile(w.dir() + "/" + id + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var got []chats.Body
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("line %d is no JSON: %s", i, line)
		}
		e, ok := chats.Decode([]byte(line))
		if !ok || e.Seq != int64(i) || e.At == 0 {
			t.Fatalf("line %d is no event: %s", i, line)
		}
		if again, err := chats.Encode(nil, e); err != nil || string(again) != line+"\n" {
			t.Errorf("chats would write\n%swhere the log has\n%s", again, line)
		}
		got = append(got, e.Body)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = nil
	if err := w.Store().Events(id, func(e chats.Event) bool { got = append(got, e.Body); return true }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, want := w.said(id), "user: "+clean+"\nassistant: "+clean+"!\nuser: bye\n"; got != want {
		t.Errorf("%q", got)
	}
	n := 0
	if err := w.Store().Messages(id, func(Message) bool { n++; return false }); err != nil || n != 1 {
		t.Errorf("stopped after %d messages, want 1 (%v)", n, err)
	}
}

func TestALogOfAnotherHandIsReadAsFarAsItGoes(t *testing.T) {
	w := broughtIn(t)
	id := pastID("codex", "s1")
	lines := []string{
		`{"v":1,"seq":0,"id":"x","at":5,"turn":"","kind":"title","title":"T ` + key + `"}`,
		`no event`,
		`{"v": 1, "seq": 1, "id": "x", "at": 6, "turn": "t", "kind": "user.message", "text": "asks ` + key + `", "messageId": "codex.1"}`,
		`{"v":1,"seq":2,"id":"2","at":7,"turn":"","kind":"assistant.delta","messageId":"codex.2","channel":"text","delta":"ghp_Zk3vB8qLw0TnXy5"}`,
		`{"v":1,"seq":3,"id":"3","at":7,"turn":"","kind":"assistant.delta","messageId":"codex.2","channel":"thought","delta":"hm"}`,
		`{"v":1,"seq":4,"id":"4","at":8,"turn":"","kind":"assistant.delta","messageId":"codex.2","channel":"text","delta":"RdS1mJc7HfU2aGe9PoQ4i"}`,
		`{"v":1,"seq":5,"id":"5","at":8,"turn":"","kind":"assistant.done","messageId":"codex.2"}`,
		`{"v":9,"seq":6,"id":"6","at":8,"turn":"","kind":"user.message","messageId":"codex.3","text":"newer"}`,
		`{"v":1,"seq":7,"id":"7","at":9,"turn":"","kind":"assistant.delta","messageId":"codex.4","channel":"text","delta":"no end"}`,
		strings.Repeat("x", 5<<20),
		`{"v":1,"seq":8,"id":"8","at":9,"turn":"","kind":"user.message","messageId":"codex.5","text":"last"}`,
		`{"v":1,"seq":9,"id":"9","at":9,"turn":"","kind":"user.message","messageId":"codex.6","te`,
	}
	if err := os.WriteFile(w.dir()+"/"+id+".jsonl", []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "user: asks [redacted]\nassistant: [redacted]\nassistant: no end\nuser: last\n"
	if got := w.said(id); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	titles := 0
	err := w.Store().Events(id, func(e chats.Event) bool {
		if b, ok := e.Body.(chats.Title); ok {
			titles++
			if b.Title != "T [redacted]" {
				t.Error(b.Title)
			}
		}
		return true
	})
	if err != nil || titles != 1 {
		t.Errorf("%v, %d titles", err, titles)
	}
}

func TestTheListComesBackAsItWasWritten(t *testing.T) {
	w := broughtIn(t)
	l, whole, err := w.Store().read()
	if err != nil || !whole {
		t.Fatal(err, whole)
	}
	l = l.copy()
	for i, text := range []string{"", "a\"b\\c\nd", "漢字 \u2028 👩", "\x00\x1f\x7f"} {
		e := l.entries[0]
		e.ID = pastID("x", fmt.Sprint(i))
		e.Title, e.Key, e.File, e.Project, e.Model = text, text, text, text, text
		e.Size, e.MTime, e.Count = int64(i)-1, int64(i)*999_999_999_999_937, i
		e.Empty, e.skipped = i%2 == 1, i > 2
		l.put(e)
	}
	data, err := l.encode()
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(data) {
		t.Error("it is no JSON")
	}
	got := decodeList(data)
	if got.damaged {
		t.Error("it counts as damaged")
	}
	if d := cmp.Diff(l.entries, got.entries, cmp.AllowUnexported(Entry{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(l.last, got.last); d != "" {
		t.Error(d)
	}
	for cut := range data {
		if decodeList(data[:cut]).damaged == (cut >= len(data)-1) {
			t.Errorf("cut at %d of %d: damaged is wrong", cut, len(data))
		}
	}
}

func TestAStampChangesWithTheList(t *testing.T) {
	w := newWorld(t, "codex")
	stamps := []string{}
	note := func() {
		stamp, err := w.Store().Stamp()
		if err != nil {
			t.Fatal(err)
		}
		stamps = append(stamps, stamp)
	}
	note()
	w.apps[0].say("a", "one")
	w.bringIn()
	note()
	w.bringIn()
	note()
	w.apps[0].say("b", "two")
	w.bringIn()
	note()
	if stamps[0] == stamps[1] || stamps[1] != stamps[2] || stamps[2] == stamps[3] {
		t.Errorf("%q", stamps)
	}
}

func TestAListThatAnotherConchWroteIsSeen(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one")
	other := w.again()
	if n := len(w.list()); n != 0 {
		t.Error(n)
	}
	if _, err := other.BringIn(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	if n := len(w.list()); n != 1 {
		t.Errorf("%d chats, want the other conch's one", n)
	}
	list := w.list()
	list[0].Title = "changed by who asked"
	if w.list()[0].Title != "one" {
		t.Error("who asks changes the store's own list")
	}
}

func TestALinkInALogsPlaceIsNoLog(t *testing.T) {
	w := broughtIn(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := w.dir() + "/" + pastID("codex", "s1") + ".jsonl"
	if err := errors.Join(os.Remove(path), os.Symlink(secret, path)); err != nil {
		t.Skip(err)
	}
	if err := w.Store().Messages(pastID("codex", "s1"), func(Message) bool { return true }); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	w.apps[0].chats[1].chat.say(User, "more", 0)
	w.apps[0].chats[1].touch()
	w.bringIn()
	if data, err := os.ReadFile(secret); err != nil || string(data) != "{}\n" {
		t.Error("a link was written through")
	}
	if got := w.said(pastID("codex", "s1")); !strings.HasSuffix(got, "more\n") {
		t.Error(got)
	}
}

func TestIDsAreTheSameEveryTime(t *testing.T) {
	// sha256 of "codex", NUL and the session's id, worked out by another program.
	if got := pastID("codex", "019e9154-c304-70f0-adde-36efb1be1701"); got != "pc_3916c35d91998597" || !isPastID(got) {
		t.Error(got)
	}
	ids := []string{pastID("a", "b"), pastID("ab", ""), pastID("", "ab"), pastID("a", "B")}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 4 {
		t.Error("two chats have one id")
	}
}
