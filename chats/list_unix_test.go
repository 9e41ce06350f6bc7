//go:build unix

package chats

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAPipeOrALinkInPlaceOfTheListIsAsGoodAsNone(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a pipe": func(path string) error { return unix.Mkfifo(path, 0o600) },
		"a link": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			s, err := Open(home, nil)
			if err != nil {
				t.Fatal(err)
			}
			l := s.Create("/shop", "")
			if _, err := l.Append("t", UserMessage{MessageID: "m", Text: "hello"}); err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(s.listPath()); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if err := put(s.listPath()); err != nil {
				t.Fatal(err)
			}
			again, err := Open(home, nil)
			if err != nil {
				t.Fatal(err)
			}
			list, err := again.List()
			if err != nil || len(list) != 1 || list[0].Title != "hello" {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}
