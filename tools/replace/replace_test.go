package replace

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestATextCantGrowWithoutBound(t *testing.T) {
	text, long := strings.Repeat("a", 10_000), strings.Repeat("b", 1<<20)
	if _, _, err := In(text, "a", long, true, 1<<20); err == nil || !strings.HasPrefix(err.Error(), "new would make the file larger") {
		t.Errorf("%v", err)
	}
	if got, n, err := In("a b a", "a", "cc", true, 7); err != nil || n != 2 || got != "cc b cc" {
		t.Errorf("%q %d %v", got, n, err)
	}
}

func FuzzReplacingChangesNothingElse(f *testing.F) {
	f.Add("one\r\ntwo\r\n", "two", "2", false)
	f.Add("a a a", "a", "", true)
	f.Add("x\r\ny\n", "y\n", "z\r\n", false)
	f.Add("     1\tx", "     1\tx\n", "y", false)
	f.Fuzz(func(t *testing.T, text, old, now string, all bool) {
		if old == "" || len(text) > 10_000 {
			return
		}
		got, n, err := In(text, old, now, all, 1<<20)
		if err != nil {
			if err.Error() == "" || utf8.RuneCountInString(err.Error()) > 3000 {
				t.Errorf("says %q", err)
			}
			return
		}
		if n < 1 || n > 1 && !all {
			t.Errorf("%d places", n)
		}
		if !strings.Contains(text, "\r") && !strings.Contains(old, "\r") && !strings.Contains(now, "\r") {
			if want := strings.ReplaceAll(text, old, now); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}
