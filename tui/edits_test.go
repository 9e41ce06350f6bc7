package tui

import (
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWhatATurnChangedInFilesIsTakenBack(t *testing.T) {
	api := ready("codex", answers("Changed the cart."))
	d := newPlace(t).deps(t, api)
	var mu sync.Mutex
	var taken []string
	turns := 0
	d.Edits = &Edits{
		Last: func(chat string) (string, time.Time, int, error) {
			mu.Lock()
			defer mu.Unlock()
			if turns++; turns > 1 {
				return "g1", time.UnixMilli(1), 2, nil // of the turn before
			}
			return "g1", time.Now().Add(time.Hour), 2, nil
		},
		Back: func(chat, group string) ([]string, []string, error) {
			mu.Lock()
			defer mu.Unlock()
			taken = append(taken, group)
			return []string{d.Folder + "/cart.go"}, []string{"sum.go was changed since"}, nil
		},
	}
	tt := start(t, 80, 24, d)
	tt.says("change the cart")
	tt.sees("2 files were changed · /undo takes it back")
	tt.says("/undo")
	tt.sees("1 file is as before · sum.go was changed since")
	tt.says("what now?")
	tt.until("an answer", func(string) bool { n, _ := api.heard(); return n == 2 })
	if _, prompt := api.heard(); !strings.Contains(prompt, "Taken back, the files hold what they held before the last turn:\ncart.go\nLeft as it is: sum.go was changed since") {
		t.Errorf("it was not told: %s", prompt)
	}
	tt.rests()
	tt.says("/undo")
	tt.sees("nothing was deleted")
	mu.Lock()
	defer mu.Unlock()
	if len(taken) != 1 || taken[0] != "g1" {
		t.Errorf("taken back: %v", taken)
	}
}
