package search

import (
	"strings"
	"testing"
)

func TestWhatIsCleanedAwayStandsInNoSnippet(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a", Title: "secret", Updated: monday}, "plum and secret plum", "nothing", "secret")
	clean := func(text string) string { return strings.ReplaceAll(text, "secret", "[gone]") }
	for _, indexed := range []bool{true, false} {
		ix := open(t, t.TempDir(), Cleaned(s, clean))
		if indexed {
			catchUp(t, ix)
		}
		for _, typed := range []string{"plum", "secr", "secret", "nothing"} {
			for _, h := range find(t, ix, typed, Options{}).Hits {
				if strings.Contains(h.Snippet+h.Chat.Title, "secret") {
					t.Errorf("indexed %v, %s: %q in %q", indexed, typed, h.Snippet, h.Chat.Title)
				}
			}
		}
		if r := find(t, ix, "gone", Options{}); r.Total != 2 {
			t.Errorf("indexed %v: %d messages have what stands in its place", indexed, r.Total)
		}
	}
	if s.chats[0].Title != "secret" {
		t.Error("the source's own list was changed")
	}
}
