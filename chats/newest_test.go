package chats

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

func TestTheNewestChatIsTheFirstOfTheList(t *testing.T) {
	home := t.TempDir()
	s := openStore(t, home)
	in := func(folder string, bodies ...Body) string {
		l := s.Create(folder, "")
		put(t, l, "1", bodies...)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return l.ID()
	}
	edit := func(id string, change func(raw string) string) {
		raw, err := os.ReadFile(s.path(id))
		if err == nil {
			err = os.WriteFile(s.path(id), []byte(change(string(raw))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	oldest := in("/shop", UserMessage{Text: "goes on later"}, TurnCompleted{Outcome: "success"})
	middle := in("/shop", UserMessage{Text: "the middle"}, TurnCompleted{Outcome: "success"})
	headless := in("/shop", UserMessage{Text: "its first line is damaged"}, TurnCompleted{Outcome: "success"})
	torn := in("/shop", UserMessage{Text: "its last line is torn"}, TurnCompleted{Outcome: "success"})
	other := in("/pay", UserMessage{Text: strings.Repeat("long ", 50_000)}, TurnCompleted{Outcome: "success"})
	in("/empty", UserMessage{Text: "nothing of it is left"})
	edit(headless, func(raw string) string { return "{" + raw })
	edit(torn, func(raw string) string { return raw + `{"v":1,"seq":99,"id":"x","at":9999999999999,"tu` })
	edit(s.newestOf(t, "/empty"), func(string) string { return "" })

	drop := func() {
		if err := os.Remove(s.listPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	check := func(state string, before func()) {
		t.Helper()
		for _, folder := range []string{"/shop", "/pay", "/empty", "", "/nowhere"} {
			for _, each := range []*Store{s, openStore(t, home)} { // one that knows the rows, one that does not
				before()
				got, err := each.Newest(func(f string) bool { return f == folder })
				if err != nil {
					t.Fatal(err)
				}
				if want := openStore(t, home).newestOf(t, folder); got != want {
					t.Errorf("%s: the newest of %q is %s, the list has %s", state, folder, got, want)
				}
			}
		}
	}
	stay := func() {}
	got, err := s.Newest(func(f string) bool { return f == "/shop" || f == "/pay" })
	if err != nil || got != other {
		t.Errorf("%s is the newest, want %s; %v", got, other, err)
	}
	check("without a list", drop)
	check("with a list", stay)
	l := openLog(t, s, oldest)
	put(t, l, "2", UserMessage{Text: "here it goes on"})
	check("after one went on", stay)
	check("after one went on, without a list", drop)
	if got, _ := s.Newest(func(f string) bool { return f == "/shop" }); got != oldest {
		t.Errorf("%s went on last, want %s (%s, %s, %s)", got, oldest, middle, headless, torn)
	}
}

// newestOf looks through the list.
func (s *Store) newestOf(t *testing.T, folder string) string {
	t.Helper()
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Folder == folder {
			return c.ID
		}
	}
	return ""
}
