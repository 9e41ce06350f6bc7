package search

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsTypedIsTakenApart(t *testing.T) {
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	tests := []struct {
		typed string
		want  Query
	}{
		{"", Query{}},
		{"two  words", Query{Words: []string{"two", "words"}}},
		{`a "quoted phrase" b`, Query{Words: []string{"a", "b"}, Phrases: []string{"quoted phrase"}}},
		{`“curly one” „low one“ «french»`, Query{Phrases: []string{"curly one", "low one", "french"}}},
		{`an "open one`, Query{Words: []string{"an", `"open`, "one"}}},
		{`""`, Query{}},
		{`it's 5" long`, Query{Words: []string{"it's", `5"`, "long"}}},
		{"app:codex app:claude x", Query{Apps: []string{"codex", "claude"}, Words: []string{"x"}}},
		{`app:"Claude Code" x`, Query{Apps: []string{"Claude Code"}, Words: []string{"x"}}},
		{`APP:codex Project:Shop From:ME`, Query{Apps: []string{"codex"}, Projects: []string{"Shop"}, FromMe: true}},
		{`project:"open`, Query{Projects: []string{"open"}}},
		{"http://x std::vector foo:bar :x x:", Query{Words: []string{"http://x", "std::vector", "foo:bar", ":x", "x:"}}},
		{"app: from:you since:soon until:", Query{Words: []string{"app:", "from:you", "since:soon", "until:"}}},
		{"since:2026 until:2026", Query{Since: day(2026, 1, 1), Until: day(2027, 1, 1)}},
		{"since:2026-10 until:2026-10", Query{Since: day(2026, 10, 1), Until: day(2026, 11, 1)}},
		{"since:2026-10-03 until:2026-10-03", Query{Since: day(2026, 10, 3), Until: day(2026, 10, 4)}},
		{"since:2026/10/3 until:3.10.2026", Query{Since: day(2026, 10, 3), Until: day(2026, 10, 4)}},
		{"since:20261003", Query{Since: day(2026, 10, 3)}},
		{"since:2026-13-40", Query{Words: []string{"since:2026-13-40"}}},
		{"since:yesterday until:today", Query{Since: day(2026, 11, 29), Until: day(2026, 12, 1)}},
		{"since:3d", Query{Since: day(2026, 11, 27)}},
		{"since:2w until:1w", Query{Since: day(2026, 11, 16), Until: day(2026, 11, 24)}},
		{"since:6m", Query{Since: day(2026, 5, 30)}},
		{"since:1y", Query{Since: day(2025, 11, 30)}},
		{"since:12h", Query{Since: monday.Add(-12 * time.Hour)}},
		{"since:2026-10-03T12:00:00Z", Query{Since: day(2026, 10, 3).Add(12 * time.Hour)}},
		{"since:-3d since:99999999999d", Query{Words: []string{"since:-3d", "since:99999999999d"}}},
		{"nul\x00parts", Query{Words: []string{"nul", "parts"}}},
		{"-dash *star* NEAR(a b) NOT c", Query{Words: []string{"-dash", "*star*", "NEAR(a", "b)", "NOT", "c"}}},
	}
	for _, tt := range tests {
		tt.want.Typed = tt.typed
		if diff := cmp.Diff(tt.want, Parse(tt.typed, monday)); diff != "" {
			t.Errorf("%q:\n%s", tt.typed, diff)
		}
	}
}

func TestADayBeginsWhereThePersonIs(t *testing.T) {
	at := time.Date(2026, 11, 30, 1, 0, 0, 0, time.FixedZone("east", 5*3600))
	if got := Parse("since:today", at).Since; !got.Equal(time.Date(2026, 11, 29, 19, 0, 0, 0, time.UTC)) {
		t.Errorf("today began at %v", got.UTC())
	}
}

func TestASnippetIsOneHarmlessLineAroundTheMatch(t *testing.T) {
	long := strings.Repeat("lorem ipsum dolor ", 40)
	tests := []struct {
		name, text, typed string
		want              string // "" is not compared
		marks             []string
	}{
		{"short", "find the needle here", "needle", "find the needle here", []string{"needle"}},
		{"a beginning", "find the needles here", "needle", "find the needles here", []string{"needle"}},
		{"lines", "find\n\n\tthe  needle\r\nhere", `"the needle"`, "find the needle here", []string{"the needle"}},
		{"controls", "a \x1b[31m needle\x1b[0m\x07 \u202egnorw\u2066 \u200bx", "needle", "a [31m needle [0m gnorw x", []string{"needle"}},
		{"bad UTF-8", "a\xffb needle", "needle", "a\ufffdb needle", []string{"needle"}},
		{"several", "hay needle hay needle hay pin", "needle pin", "hay needle hay needle hay pin", []string{"needle", "needle", "pin"}},
		{"the middle", long + "needle " + long, "needle", "", []string{"needle"}},
		{"where most stand together", "needle " + long + "a needle and a pin " + long, "needle pin", "", []string{"needle", "pin"}},
		{"without blanks", strings.Repeat("長", 300) + "検索" + strings.Repeat("文", 300), "検索", "", []string{"検索"}},
		{"marks above letters", "see u\u0308ber here", "uber", "see u\u0308ber here", []string{"u\u0308ber"}},
		{"a family", "👨‍👩‍👧 needle 👍🏽", "needle", "👨‍👩‍👧 needle 👍🏽", []string{"needle"}},
		{"a part", "the getUserName call", "user", "the getUserName call", []string{"User"}},
		{"a long word", strings.Repeat("x", 3000), strings.Repeat("x", 3000), "", nil},
	}
	for _, tt := range tests {
		m := newMatcher(want(Parse(tt.typed, monday)), begin)
		found, ok := m.match(tt.text)
		if !ok {
			t.Errorf("%s: no match", tt.name)
			continue
		}
		line, marks := snippet(tt.text, found)
		if tt.want != "" && line != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, line, tt.want)
		}
		if n := len([]rune(line)); n > snippetLength+12 {
			t.Errorf("%s: %d characters", tt.name, n)
		}
		var got []string
		for _, mark := range marks {
			got = append(got, line[mark[0]:mark[1]])
		}
		if tt.marks != nil && !slices.Equal(got, tt.marks) {
			t.Errorf("%s: marks %q, want %q in %q", tt.name, got, tt.marks, line)
		}
	}
}

func TestAKeyInAMessageIsInNoSnippetAndNoFile(t *testing.T) {
	s := newShelf()
	key := "sk-ant-api03-" + strings.Repeat("Zq9x", 24)
	s.put(Chat{ID: "a"}, "the needle is "+key+" and no more")
	ix := open(t, t.TempDir(), s)
	r := find(t, ix, "needle", Options{})
	if len(r.Hits) != 1 || strings.Contains(r.Hits[0].Snippet, "Zq9xZq9x") {
		t.Errorf("hits %+v", r.Hits)
	}
}
