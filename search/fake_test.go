package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

var monday = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// shelf is a source in memory.
type shelf struct {
	mu     sync.Mutex
	gen    int
	chats  []Chat
	words  map[string][]Word
	asked  map[string]int // how often a chat was read
	broken map[string]bool
}

func newShelf() *shelf {
	return &shelf{words: map[string][]Word{}, asked: map[string]int{}, broken: map[string]bool{}}
}

// put sets a chat's messages: the person and the assistant take turns, a minute
// apart, the last one at c.Updated.
func (s *shelf) put(c Chat, texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gen++
	if c.Updated.IsZero() {
		c.Updated = monday
	}
	if c.App == "" {
		c.App = "claude-code"
	}
	c.Stamp = strconv.Itoa(s.gen)
	s.chats = slices.DeleteFunc(s.chats, func(o Chat) bool { return o.ID == c.ID })
	s.chats = append(s.chats, c)
	var words []Word
	for i, text := range texts {
		w := Word{ID: fmt.Sprintf("%s.%d", c.ID, i), Role: "user", Text: text, At: c.Updated.Add(time.Duration(i-len(texts)+1) * time.Minute)}
		if i%2 == 1 {
			w.Role = "assistant"
		}
		words = append(words, w)
	}
	s.words[c.ID] = words
}

func (s *shelf) drop(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gen++
	s.chats = slices.DeleteFunc(s.chats, func(o Chat) bool { return o.ID == id })
	delete(s.words, id)
}

func (s *shelf) Stamp() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strconv.Itoa(s.gen), nil
}

func (s *shelf) Chats() ([]Chat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.chats), nil
}

func (s *shelf) Words(id string, each func(Word) bool) error {
	s.mu.Lock()
	words, ok := s.words[id]
	s.asked[id]++
	broken := s.broken[id]
	s.mu.Unlock()
	if !ok {
		return errors.New("no such chat")
	}
	for _, w := range words {
		if !each(w) {
			return nil
		}
	}
	if broken {
		return errors.New("cannot be read")
	}
	return nil
}

// open opens an index for a test.
func open(t testing.TB, home string, sources ...Source) *Index {
	t.Helper()
	ix, err := Open(home, func(code, line string) { t.Logf("%s: %s", code, line) }, sources...)
	if err != nil {
		t.Fatal(err)
	}
	ix.scanTime = time.Minute // a busy machine is no failure
	t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
	})
	return ix
}

func catchUp(t testing.TB, ix *Index) {
	t.Helper()
	if err := ix.CatchUp(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func find(t testing.TB, ix *Index, typed string, o Options) Results {
	t.Helper()
	r, err := ix.Search(context.Background(), Parse(typed, monday), o)
	if err != nil {
		t.Fatalf("search %q: %v", typed, err)
	}
	for _, h := range r.Hits {
		for _, m := range h.Marks {
			if m[0] < 0 || m[1] <= m[0] || m[1] > len(h.Snippet) {
				t.Fatalf("search %q: mark %v of %q", typed, m, h.Snippet)
			}
		}
	}
	return r
}

// messages are the ids of what was found.
func messages(r Results) []string {
	var ids []string
	for _, h := range r.Hits {
		ids = append(ids, h.Message)
	}
	return ids
}

// openRaw opens a database as it is.
func openRaw(path string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+filepath.ToSlash(path))
}
