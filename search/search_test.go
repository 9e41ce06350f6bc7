package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestWordsPhrasesAndBeginningsAreFound(t *testing.T) { // R-111-49
	s := newShelf()
	s.put(Chat{ID: "old", Updated: monday.AddDate(0, -2, 0)}, "where is the migration of the orders table", "in db/migrations/0042_orders.sql")
	s.put(Chat{ID: "new", Updated: monday}, "the table of contents is wrong", "I mended the contents of my_var in getUserName")
	s.put(Chat{ID: "far", Updated: monday.AddDate(0, -1, 0)}, "日本語の検索を作る", "das Datenbanksystem der Straße, ünïcode")
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
		{`“table of contents” wrong`, []string{"new.0"}},
		{"my_var", []string{"new.1"}},
		{"0042_orders.sql", []string{"old.1"}},
		{"migrations/0042", []string{"old.1"}},
		{"getusername", []string{"new.1"}},
		{"user", []string{"new.1"}},             // a part with its own hump
		{"sernam", []string{"new.1"}},           // any part
		{"igratio", []string{"old.1", "old.0"}}, // of several words
		{"bank system", []string{"far.1"}},
		{"検索", []string{"far.0"}},
		{"語の検", []string{"far.0"}},
		{"索検", nil},
		{"unicode", []string{"far.1"}},
		{"nothing-like-this-at-all", nil},
		{"zz", nil},
	}
	for _, indexed := range []bool{true, false} {
		ix := open(t, t.TempDir(), s)
		if indexed {
			catchUp(t, ix)
		}
		for _, tt := range tests {
			r := find(t, ix, tt.typed, Options{Newest: true})
			if got := messages(r); !slices.Equal(got, tt.want) {
				t.Errorf("indexed %v: %s: found %v, want %v", indexed, tt.typed, got, tt.want)
			}
			if r.Total != len(tt.want) || r.More || len(r.Close) > 0 {
				t.Errorf("indexed %v: %s: total %d, more %v, close %v", indexed, tt.typed, r.Total, r.More, r.Close)
			}
			got := messages(find(t, ix, tt.typed, Options{}))
			slices.Sort(got)
			if want := slices.Sorted(slices.Values(tt.want)); !slices.Equal(got, want) {
				t.Errorf("indexed %v: %s, best first: found %v, want %v", indexed, tt.typed, got, want)
			}
		}
	}
}

func TestWhatIsBeingTypedIsFoundHoweverManyWordsBeginSo(t *testing.T) {
	s := newShelf()
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprintf("the word check%cab%c of message %d", 'a'+rune(i%26), 'a'+rune(i/26), i))
	}
	s.put(Chat{ID: "many", Updated: monday}, many...)
	s.put(Chat{ID: "old", Updated: monday.AddDate(0, -3, 0)}, "the checkout of old", "checks")
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	r := find(t, ix, "chec", Options{Newest: true})
	if len(r.Hits) != 20 || !r.More {
		t.Errorf("%d hits, more %v: of 302 messages with such a word", len(r.Hits), r.More)
	}
	for i, h := range r.Hits[1:] {
		if before := r.Hits[i]; h.Chat.ID == before.Chat.ID && h.N > before.N || h.Chat.Updated.After(before.Chat.Updated) {
			t.Errorf("%s.%d stands behind %s.%d", h.Chat.ID, h.N, before.Chat.ID, before.N)
		}
	}
	r = find(t, ix, "chec", Options{Newest: true, Limit: 1000})
	if len(r.Hits) != 302 || r.Total != 302 || r.More {
		t.Errorf("%d hits, total %d, more %v: there is room for all 302", len(r.Hits), r.Total, r.More)
	}
	// By relevance: just what is typed before longer words, which are by time.
	s.put(Chat{ID: "just", Updated: monday.AddDate(-1, 0, 0)}, "a chec of a year ago", "and so many more words that nobody asked for, chec", "no check at all")
	catchUp(t, ix)
	r = find(t, ix, "chec", Options{})
	if got := messages(r); len(got) != 20 || got[0] != "just.0" || got[1] != "just.1" || !r.More {
		t.Errorf("by relevance: %v, more %v", got, r.More)
	}
	r = find(t, ix, "chec", Options{Limit: 1000})
	if len(r.Hits) != 305 || r.Total != 305 || r.More {
		t.Errorf("by relevance: %d hits, total %d, more %v: there is room for all 305", len(r.Hits), r.Total, r.More)
	}
	if got := messages(find(t, ix, "old checko", Options{Newest: true})); !slices.Equal(got, []string{"old.0"}) {
		t.Errorf("behind another word: %v", got)
	}
}

func TestFiltersLeaveTheChatsAndMessagesThatFit(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a", App: "claude-code", From: "Claude Code, in shop", Project: "shop", Updated: monday}, "the bug", "a bug it is")
	s.put(Chat{ID: "b", App: "copilot", From: "Copilot in VS Code, in shop-api", Project: "shop-api", Updated: monday.AddDate(0, 0, -1)}, "bug too", "a bug")
	s.put(Chat{ID: "c", App: "copilot-cli", From: "Copilot CLI", Updated: monday.AddDate(0, -3, 0)}, "bug three", "bug")
	s.put(Chat{ID: "d", App: "gemini-cli", Project: "Blog", Updated: monday.AddDate(-1, 0, 0)}, "bug four", "bug")
	tests := []struct{ typed, want string }{
		{"bug app:claude", "a.1 a.0"},
		{`bug app:"Claude Code"`, "a.1 a.0"},
		{"bug app:claude-code", "a.1 a.0"},
		{"bug app:copilot", "b.1 b.0"},
		{"bug app:copilot-cli", "c.1 c.0"},
		{"bug app:copi", "b.1 b.0 c.1 c.0"},
		{"bug app:gemini app:claude", "a.1 a.0 d.1 d.0"},
		{"bug app:conch", "d.1 d.0"}, // without a from it is Conch's own
		{"bug app:nobody", ""},
		{"bug project:shop", "a.1 a.0"},
		{"bug project:sho", "a.1 a.0 b.1 b.0"},
		{"bug project:BLOG", "d.1 d.0"},
		{"bug project:shop app:copilot", ""},
		{"bug from:me", "a.0 b.0 c.0 d.0"},
		{"bug since:2026-11-29", "a.1 a.0 b.1 b.0"},
		{"bug since:yesterday", "a.1 a.0 b.1 b.0"},
		{"bug since:today", "a.1 a.0"},
		{"bug until:2026-08", "c.1 c.0 d.1 d.0"},
		{"bug until:2025", "d.1 d.0"},
		{"bug since:2026-11-29 until:2026-11-29", "b.1 b.0"},
		{"bug since:4m until:1m from:me", "c.0"},
		{"bug since:soon", ""}, // no date: a word
		{"app:claude", "a.0"},
		{"project:shop", "a.0"},
		{"from:me since:yesterday", "a.0 b.0"},
		{"since:2025", "a.0 b.0 c.0 d.0"},
		{"until:2025", "d.0"},
	}
	for _, indexed := range []bool{true, false} {
		ix := open(t, t.TempDir(), s)
		if indexed {
			catchUp(t, ix)
		}
		for _, tt := range tests {
			r := find(t, ix, tt.typed, Options{Newest: true})
			if got := strings.Join(messages(r), " "); got != tt.want || r.Total != len(r.Hits) {
				t.Errorf("indexed %v: %s: found %s, want %s; total %d", indexed, tt.typed, got, tt.want, r.Total)
			}
		}
	}
}

func TestATimeFilterPartsOneChat(t *testing.T) {
	s := newShelf()
	c := Chat{ID: "long", Updated: monday}
	s.put(c, "apple one", "apple two", "apple three", "apple four")
	for i := range s.words["long"] {
		s.words["long"][i].At = monday.AddDate(0, 0, i-3)
	}
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	r := find(t, ix, "apple since:2026-11-28 until:2026-11-29", Options{Newest: true})
	if got := messages(r); !slices.Equal(got, []string{"long.2", "long.1"}) || r.Total != 2 || r.Chats != 1 {
		t.Errorf("found %v, total %d in %d chats", got, r.Total, r.Chats)
	}
}

func TestManyFiltersAndManyPiecesGiveTheSame(t *testing.T) {
	s := newShelf()
	for i := range 300 {
		s.put(Chat{ID: fmt.Sprintf("c%03d", i), Project: []string{"even", "odd"}[i%2], Updated: monday.Add(-time.Duration(i) * time.Hour)}, "kiwi here", "and there")
	}
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	r := find(t, ix, "kiwi project:odd", Options{Newest: true, Limit: 200})
	if r.Total != 150 || r.Chats != 150 || len(r.Hits) != 150 || r.Hits[0].Chat.ID != "c001" || r.Hits[149].Chat.ID != "c299" {
		t.Errorf("total %d in %d chats, %d hits", r.Total, r.Chats, len(r.Hits))
	}
	r = find(t, ix, "kiwi project:odd", Options{Limit: 200})
	if r.Total != 150 || len(r.Hits) != 150 {
		t.Errorf("best: total %d, %d hits", r.Total, len(r.Hits))
	}
	if r := find(t, ix, "kiwi", Options{Newest: true}); r.Total != 300 || len(r.Hits) != 20 {
		t.Errorf("total %d, %d hits", r.Total, len(r.Hits))
	}
}

func TestOneChatIsLeftOutAndOthersGiveOnlySoMuch(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a", Updated: monday}, "plum", "plum", "plum", "plum")
	s.put(Chat{ID: "b", Updated: monday.Add(-time.Hour)}, "plum", "plum", "plum")
	for _, indexed := range []bool{true, false} {
		ix := open(t, t.TempDir(), s)
		if indexed {
			catchUp(t, ix)
		}
		if r := find(t, ix, "plum", Options{Newest: true, Except: "a"}); strings.Join(messages(r), " ") != "b.2 b.1 b.0" || r.Total != 3 {
			t.Errorf("indexed %v: without a: %v, total %d", indexed, messages(r), r.Total)
		}
		if r := find(t, ix, "plum", Options{Newest: true, PerChat: 2}); strings.Join(messages(r), " ") != "a.3 a.2 b.2 b.1" || r.Total != 7 || r.Chats != 2 {
			t.Errorf("indexed %v: two of each: %v, total %d in %d", indexed, messages(r), r.Total, r.Chats)
		}
		if r := find(t, ix, "plum", Options{PerChat: 1}); len(r.Hits) != 2 {
			t.Errorf("indexed %v: one of each: %v", indexed, messages(r))
		}
		if r := find(t, ix, "from:me", Options{Except: "a"}); strings.Join(messages(r), " ") != "b.0" {
			t.Errorf("indexed %v: filter without a: %v", indexed, messages(r))
		}
	}
}

func TestCloseSpellingsAreTriedWhenNothingMatches(t *testing.T) { // R-111-49
	s := newShelf()
	s.put(Chat{ID: "a"}, "the migration of the database", "a schedule for postgres")
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	for typed, want := range map[string]string{
		"migartion": "migration", "migraton": "migration", "databse": "database", "shedule": "schedule", "postgers": "postgres",
		"migrration databaes": "database migration", "datbas": "database",
	} {
		r := find(t, ix, typed, Options{})
		got := slices.Sorted(slices.Values(r.Close))
		if len(r.Hits) != 1 || strings.Join(got, " ") != want || len(r.Hits[0].Marks) == 0 {
			t.Errorf("%s: hits %v, close %v", typed, messages(r), r.Close)
		}
	}
	for _, typed := range []string{"migration", "igration", "xylophone", "the"} {
		if r := find(t, ix, typed, Options{}); len(r.Close) > 0 {
			t.Errorf("%s: close %v", typed, r.Close)
		}
	}
}

func TestRelevanceAndRecencyOrderWhatIsBest(t *testing.T) {
	s := newShelf()
	filler := strings.Repeat("so many other words are in this one ", 20)
	s.put(Chat{ID: "dense", Updated: time.Now().AddDate(-2, 0, 0)}, "quince quince quince jam")
	s.put(Chat{ID: "thin", Updated: time.Now().AddDate(-2, 0, 0)}, filler+"quince jam "+filler)
	s.put(Chat{ID: "new", Updated: time.Now()}, filler+"quince jam "+filler)
	for i := range 20 {
		s.put(Chat{ID: fmt.Sprint("other", i)}, filler)
	}
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	if got := messages(find(t, ix, "quince jam", Options{})); !slices.Equal(got, []string{"dense.0", "new.0", "thin.0"}) {
		t.Errorf("best: %v", got)
	}
	if got := messages(find(t, ix, "quince jam", Options{Newest: true})); got[0] != "new.0" {
		t.Errorf("newest: %v", got)
	}
}

func TestASearchThatIsGivenUpEndsAtOnce(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a"}, "words")
	for _, indexed := range []bool{true, false} {
		ix := open(t, t.TempDir(), s)
		if indexed {
			catchUp(t, ix)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := ix.Search(ctx, Parse("words", monday), Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("indexed %v: %v", indexed, err)
		}
		if err := ix.CatchUp(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("catch up: %v", err)
		}
	}
}

func FuzzSearch(f *testing.F) {
	s := newShelf()
	s.put(Chat{ID: "a", From: "Claude Code, in shop", Project: "shop"}, "see POL-358 and getUserName in path/to/file.go", "日本語の検索 ünïcode \x1b[31m red")
	home := f.TempDir()
	ix := open(f, home, s)
	catchUp(f, ix)
	bare := open(f, f.TempDir(), s)
	for _, q := range []string{"pol-358", `"a b`, "NEAR(a b)", "app:x since:3d", "検索*", "a:b:c", "\x00", "col:val -x ^y {z}", `"" ""`, "from:me"} {
		f.Add(q, true)
	}
	f.Fuzz(func(t *testing.T, typed string, newest bool) {
		for _, ix := range []*Index{ix, bare} {
			r := find(t, ix, typed, Options{Newest: newest})
			if len(r.Hits) > r.Total {
				t.Fatalf("%q: %d hits of %d", typed, len(r.Hits), r.Total)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, q := range []string{`a "b c" app:x`, `app:"b c" d`, "since:3d until:2026-10", `"`, "a:b", "until:99999y"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		q := Parse(typed, monday)
		if q.Typed != typed {
			t.Fatal("what was typed is lost")
		}
		if q.Empty() && strings.TrimFunc(typed, func(r rune) bool { return blank(r) || strings.ContainsRune(`"“”„«»`, r) }) != "" {
			t.Fatalf("%q: nothing is asked for", typed)
		}
	})
}
