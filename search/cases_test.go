package search

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// case024 reads the chat of testdata/cases/024 as it would come from its app.
func case024(t *testing.T) (words []string, queries []string) {
	t.Helper()
	dir := filepath.Join("..", "testdata", "cases", "024-search-words-are-words")
	logs, err := filepath.Glob(filepath.Join(dir, "home", ".claude", "projects", "*", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs %v: %v", logs, err)
	}
	for _, line := range lines(t, logs[0]) {
		var l struct {
			Message struct{ Content any }
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		switch c := l.Message.Content.(type) {
		case string:
			words = append(words, c)
		case []any:
			words = append(words, c[0].(map[string]any)["text"].(string))
		}
	}
	return words, lines(t, filepath.Join(dir, "queries.txt"))
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	var list []string
	in := bufio.NewScanner(f)
	for in.Scan() {
		list = append(list, in.Text())
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSearchWordsAreWords(t *testing.T) {
	words, queries := case024(t)
	if len(words) != 2 || len(queries) < 20 {
		t.Fatalf("%d messages and %d queries", len(words), len(queries))
	}
	s := newShelf()
	s.put(Chat{ID: "case", Title: "words"}, words...)
	for _, indexed := range []bool{true, false} {
		ix := open(t, t.TempDir(), s)
		if indexed {
			catchUp(t, ix)
		}
		for _, q := range queries {
			for _, newest := range []bool{true, false} {
				r := find(t, ix, q, Options{Newest: newest})
				if r.Total != 1 || len(r.Hits) != 1 || r.Hits[0].Message != "case.0" || len(r.Close) > 0 || r.Hint != "" {
					t.Errorf("indexed %v: %s: total %d, hits %v, close %v, hint %q", indexed, q, r.Total, messages(r), r.Close, r.Hint)
					continue
				}
				if len(r.Hits[0].Marks) == 0 {
					t.Errorf("indexed %v: %s: nothing is marked in %q", indexed, q, r.Hits[0].Snippet)
				}
			}
		}
	}
}

func TestAQueryOfNoWordsIsAHintAndNoError(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a"}, "some words")
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	for _, q := range []string{"", "  ", `"`, `""`, "?!", "-", "*", "()", "\x00", "\x00\x00 -", "::", "…", "\"\"\"", "<>"} {
		r := find(t, ix, q, Options{})
		if len(r.Hits) != 0 || r.Hint == "" {
			t.Errorf("%q: hits %v, hint %q", q, messages(r), r.Hint)
		}
	}
}

func TestAQueryTooShortForAPartOfAWordSaysSo(t *testing.T) { // R-111-49
	s := newShelf()
	s.put(Chat{ID: "a"}, "some words")
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	if r := find(t, ix, "rd", Options{}); len(r.Hits) != 0 || !strings.Contains(r.Hint, "from 3 letters on") {
		t.Errorf("hits %v, hint %q", messages(r), r.Hint)
	}
	if r := find(t, ix, "ord", Options{}); len(r.Hits) != 1 || r.Hint != "" {
		t.Errorf("hits %v, hint %q", messages(r), r.Hint)
	}
}

func TestAVeryLongQueryIsSearchedAsFarAsItGoes(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a"}, "some words\x00more "+strings.Repeat("many words ", 300))
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	for _, q := range []string{strings.Repeat("x", 10_000), strings.Repeat("so ", 3_000), strings.Repeat("(", 10_000), `"` + strings.Repeat("many words ", 900) + `"`, "some\x00words", strings.Repeat("\"", 9_999)} {
		find(t, ix, q, Options{})
	}
	if r := find(t, ix, `"`+strings.Repeat("many words ", 900)+`"`, Options{}); len(r.Hits) != 1 || r.Hint == "" {
		t.Errorf("hits %v, hint %q", messages(r), r.Hint)
	}
	if r := find(t, ix, "some\x00words", Options{}); len(r.Hits) != 1 {
		t.Errorf("hits %v", messages(r))
	}
}
