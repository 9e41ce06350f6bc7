package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestAnAnswerIsKeptBesideWhatANewerVersionWrote(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, StateName)
	if err := os.WriteFile(path, []byte(`{"later":[1],"pastNotNow":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f := OpenState(home)
	if s, err := f.Load(); err != nil || !s.PastNotNow {
		t.Errorf("%+v %v", s, err)
	}
	if err := f.Change(func(s *State) { s.PastNotNow, s.PastApps = false, []string{"codex"} }); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if got := strings.Join(strings.Fields(string(data)), ""); err != nil || got != `{"later":[1],"pastApps":["codex"]}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestAStateThatIsNoObjectIsAskedForAgain(t *testing.T) {
	for _, damaged := range []string{"", "null", "[]", "7", `{"pastApps":7}`, `{"pastNotNow":tr`, "\x00\x00"} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, StateName), []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		f := OpenState(home)
		if s, err := f.Load(); err != nil || s.PastNotNow || s.PastApps != nil {
			t.Errorf("%q: %+v %v", damaged, s, err)
		}
		if err := f.Change(func(s *State) { s.PastNotNow = true }); err != nil {
			t.Errorf("%q: %v", damaged, err)
		}
		if s, err := f.Load(); err != nil || !s.PastNotNow {
			t.Errorf("%q: what was answered is not kept: %+v %v", damaged, s, err)
		}
	}
}

// Each process has a StateFile of its own.
func TestTwoConchsThatAnswerAtOnceLoseNoAnswer(t *testing.T) {
	home := t.TempDir()
	const answers = 40
	var wait sync.WaitGroup
	for who := range 2 {
		wait.Go(func() {
			f := OpenState(home)
			for n := range answers {
				if err := f.Change(func(s *State) { s.PastApps = append(s.PastApps, fmt.Sprint(who, ".", n)) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if s, err := OpenState(home).Load(); err != nil || len(s.PastApps) != 2*answers {
		t.Errorf("%d answers are kept, want %d; %v", len(s.PastApps), 2*answers, err)
	}
}
