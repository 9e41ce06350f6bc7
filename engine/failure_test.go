package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// R-102-12, R-102-13, checklist 5.
func TestAModelReadsAnErrorsOwnWords(t *testing.T) {
	var args struct {
		Query string `json:"query"`
	}
	wrongType := json.Unmarshal([]byte(`{"query":3}`), &args)
	home := t.TempDir()
	_, gone := os.Open(filepath.Join(home, "chats", "memory.md"))
	moved := os.Rename(filepath.Join(home, "a.part"), filepath.Join(home, "sub", "a"))
	key := "ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"outermost first":       {fmt.Errorf("read chat: %w", errors.New("no such chat")), "read chat: no such chat"},
		"nothing said":          {errors.New(""), "It failed without saying why."},
		"no error":              {nil, "It failed without saying why."},
		"stopped":               {fmt.Errorf("search: %w", context.Canceled), "It was stopped."},
		"a stack goes":          {errors.New("it broke\ngoroutine 7 [running]:\nmain.main()"), "it broke"},
		"a key goes":            {errors.New("refused: token " + key), "refused: token [redacted]"},
		"no folder of Conch's":  {fmt.Errorf("read memory.md: %w", gone), "read memory.md: open memory.md: " + errors.Unwrap(gone).Error()},
		"no folder, joined":     {fmt.Errorf("write a: %w", errors.Join(moved, errors.New("too"))), "write a: rename a.part a: " + errors.Unwrap(moved).Error() + "\ntoo"},
		"no type's name":        {fmt.Errorf("read it: %w", wrongType), "read it: json: cannot unmarshal number here: query"},
		"no terminal's control": {errors.New("a\x1b[31mb"), "ab"},
	} {
		if got := FailureText(test.err); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if long := FailureText(errors.New(strings.Repeat("ä", 5000))); utf8.RuneCountInString(long) != 2000 || !strings.HasSuffix(long, "…") {
		t.Errorf("a long one has %d characters", utf8.RuneCountInString(long))
	}
}
