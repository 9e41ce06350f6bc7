package search

import (
	"slices"
	"testing"
	"time"
)

func TestWordsPhrasesAndBeginningsAreFound(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "old", Updated: monday.AddDate(0, -2, 0)}, "where is the migration of the orders table", "in db/migrations/0042_orders.sql")
	s.put(Chat{ID: "new", Updated: monday}, "the table of contents is wrong", "I mended the contents of my_var in getUserName")
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	tests := []struct {
		typed string
		want  []string // newest first
	}{
		{"table", []string{"new.0", "old.0"}},
		{"TABLE orders", []string{"old.0"}},
		{"order", []string{"old.1", "old.0"}},
		{"ord tab", []string{"old.0"}},
		{`"table of contents"`, []string{"new.0"}},
		{`"of the contents"`, nil},
		{"my_var", []string{"new.1"}},
		{"0042_orders.sql", []string{"old.1"}},
		{"getusername", []string{"new.1"}},
		{"user", []string{"new.1"}},
		{"nothing-like-this-at-all", nil},
	}
	for _, tt := range tests {
		if got := messages(find(t, ix, tt.typed, Options{Newest: true})); !slices.Equal(got, tt.want) {
			t.Errorf("%s: found %v, want %v", tt.typed, got, tt.want)
		}
		if got := messages(find(t, ix, tt.typed, Options{})); len(got) != len(tt.want) {
			t.Errorf("%s, best first: found %v, want %v", tt.typed, got, tt.want)
		}
	}
	_ = time.Now
}
