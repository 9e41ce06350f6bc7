//go:build !windows

package chats

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

func TestAChatThatCouldNotBeBegunLeavesNoFileAndCanBeBegunLater(t *testing.T) {
	s := newStore(t)
	l := s.Create("/w", "")
	t.Cleanup(func() { l.Close() })

	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	none := usual
	none.Cur = 10 // half a line
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &none); err != nil {
		t.Skip(err)
	}
	_, err := l.Append("", Notice{Code: "one"})
	if back := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual); back != nil {
		t.Fatal(back)
	}
	if err == nil {
		t.Fatal("more was written than the system allows")
	}
	if found, err := os.ReadDir(s.dir); err != nil || len(found) != 0 {
		t.Errorf("it left %v, %v", found, err)
	}

	put(t, l, "", Notice{Code: "one"})
	if events := all(t, l); len(events) != 2 || events[0].Body.(Start).Folder != "/w" || events[1].Seq != 1 {
		t.Errorf("%+v", events)
	}
}
