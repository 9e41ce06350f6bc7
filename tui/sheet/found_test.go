package sheet

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"conch/tui/theme"
)

// finds is a sheet that searches, after some words.
func finds(t *testing.T, words string, f *Found) *desk {
	t.Helper()
	d := newDesk(t, someRows()...)
	d.SetFinds(true)
	d.typing(words)
	d.Searching(false)
	d.SetFound(f)
	d.screen()
	return d
}

func hit(id, snippet string, marks ...[2]int) Hit {
	return Hit{Row: Row{ID: id, Title: "title of " + id}, Message: "m-" + id, Snippet: snippet, Marks: marks}
}

func TestWhatIsFoundStandsNewestFirstWithTheLineThatMatches(t *testing.T) {
	d := finds(t, "empty", &Found{Chats: 3, Hits: []Hit{
		hit("old", "an empty list", [2]int{3, 8}),
		hit("rounding", "the cart is empty", [2]int{12, 17}),
		{Row: Row{ID: "elsewhere", Title: "not listed yet", Provider: "hermes", Past: true, Updated: now.Add(-time.Hour)}, Mine: true, Snippet: "so empty"},
	}})
	// A title that has the words is one of them.
	if diff := cmp.Diff([]string{"shop", "elsewhere", "rounding", "old"}, d.ids()); diff != "" {
		// shop was last said something at 09:41, an hour before now is 09:00
		t.Error(diff)
	}
	d.shows("the cart is empty")
	d.shows("you: so empty")
	d.shows("hermes · not listed yet")
	d.shows("4 of 6")
	if strings.Contains(d.screen(), "other folders") {
		t.Error("what is found has headings")
	}
	d.press("down", "down")
	if h, ok := d.Match(); !ok || h.Message != "m-rounding" {
		t.Errorf("the match is %+v, %v", h, ok)
	}
	d.press("up", "up")
	if _, ok := d.Match(); ok {
		t.Error("a chat that matches by its title has no message")
	}
}

func TestWhatWasFoundStaysWhileMoreIsTyped(t *testing.T) {
	d := finds(t, "empt", &Found{Chats: 1, Hits: []Hit{hit("rounding", "the cart is empty", [2]int{12, 16})}})
	d.typing("y")
	d.Searching(false)
	d.shows("the cart is empty")
	d.Searching(true)
	d.shows("searching")
	d.SetFound(&Found{})
	if diff := cmp.Diff([]string{"shop"}, d.ids()); diff != "" {
		t.Error(diff)
	}
	d.SetFound(nil)
	if s := d.screen(); strings.Contains(s, "the cart is empty") || strings.Contains(s, "searching") {
		t.Errorf("what was found is left:\n%s", s)
	}
}

func TestTheChosenRowStaysWhenTheRestIsFound(t *testing.T) {
	d := finds(t, "checkout", &Found{Hits: []Hit{hit("old", "checkout page", [2]int{0, 8})}})
	d.press("down", "down")
	was, _ := d.Selected()
	d.SetFound(&Found{Hits: []Hit{hit("old", "checkout page", [2]int{0, 8}), hit("rounding", "checkout", [2]int{0, 8})}})
	if row, _ := d.Selected(); row.ID != was.ID {
		t.Errorf("the selection went from %s to %s", was.ID, row.ID)
	}
	d.typing("s") // other words: the first row again
	if d.chosen != 0 {
		t.Error("other words begin at the first row")
	}
}

func TestEnterWaitsForWhatIsLookedFor(t *testing.T) {
	d := finds(t, "rou", &Found{})
	d.typing("n")
	d.Searching(false)
	if a := d.press("enter"); a.Kind != None {
		t.Fatalf("enter opened what was never looked at: %#v", a)
	}
	if a := d.SetFound(&Found{Hits: []Hit{hit("old", "round")}}); a.Kind != Open || a.Row.ID != "rounding" {
		t.Errorf("found: %#v", a)
	}
	if a := d.SetFound(&Found{}); a.Kind != None {
		t.Errorf("it is opened twice: %#v", a)
	}
	d.Searching(false)
	d.press("enter")
	if a := d.press("enter"); a.Kind != Open {
		t.Errorf("a second enter: %#v", a)
	}
	d.SetFound(&Found{})
	d.Searching(false)
	d.press("enter", "d")
	if a := d.SetFound(&Found{Hits: []Hit{hit("old", "round")}}); a.Kind != None {
		t.Errorf("typed on, and it is opened: %#v", a)
	}
}

func TestWhatIsCloseIsSaidToBe(t *testing.T) {
	d := finds(t, "chekout", &Found{Chats: 2, Close: []string{"checkout"}, Hits: []Hit{hit("old", "the checkout", [2]int{4, 12})}})
	d.shows("Nothing has it as typed; close to it: checkout")
	d.SetFound(&Found{Hint: "Two letters find whole words only."})
	d.shows("Two letters find whole words only.")
	d.shows("No chat has these words.")
}

func TestMoreIsWantedAtTheEnd(t *testing.T) {
	f := &Found{Chats: 300, More: true}
	for i := range 30 {
		f.Hits = append(f.Hits, Hit{Row: Row{ID: fmt.Sprint("f", i), Title: "x", Past: true, Updated: now.Add(-time.Duration(i) * time.Hour)}, Snippet: "zzz"})
	}
	d := finds(t, "zzz", f)
	d.shows("300+ of 300")
	if d.WantsMore() {
		t.Error("at the first row")
	}
	for range 27 {
		d.press("down")
	}
	if !d.WantsMore() {
		t.Error("not at the end")
	}
}

func TestACommandIsNoFilter(t *testing.T) {
	d := newDesk(t, someRows()...)
	d.press("down")
	d.typing("/rename a new name")
	if len(d.ids()) != 5 {
		t.Errorf("it filters: %v", d.ids())
	}
	d.shows("does it")
	a := d.press("enter")
	if a.Kind != Command || a.Words != "/rename a new name" || a.Row.ID != "retry" || d.Filter() != "" {
		t.Errorf("%#v, %q is left", a, d.Filter())
	}
}

func TestTheLineThatMatchesIsCutAroundItsMark(t *testing.T) {
	long := strings.Repeat("words before it ", 12) + "then **empty** and `more` " + strings.Repeat("after ", 20)
	at := strings.Index(long, "empty")
	d := finds(t, "empty", &Found{Hits: []Hit{hit("rounding", long, [2]int{at, at + 5})}})
	d.shows("then empty and more")
	h := d.hits["rounding"]
	if got := h.Snippet[h.Marks[0][0]:h.Marks[0][1]]; got != "empty" {
		t.Errorf("the mark is on %q", got)
	}
	for _, bad := range [][2]int{{-1, 3}, {5, 2}, {0, 4000}} {
		d := finds(t, "empty", &Found{Hits: []Hit{hit("rounding", "short", bad)}})
		d.shows("short")
	}
}

func TestLinesOfHitsFillTheSheetAtEverySizeAndCarryNoSequence(t *testing.T) {
	evil := "a\x1b[2J\x1b]0;owned\x07 界界 \u202egnol e\u0301 👨\u200d👩\u200d👧 b"
	var f Found
	var rows []Row
	for i := range 40 {
		r := Row{ID: fmt.Sprint("r", i), Title: evil, Project: evil, Provider: evil, Past: i%2 == 0, Updated: now.AddDate(0, 0, -i)}
		if i%3 > 0 {
			rows = append(rows, r)
		}
		f.Hits = append(f.Hits, Hit{Row: r, Mine: i%5 == 0, Snippet: strings.Repeat(evil, 1+i%4), Marks: [][2]int{{1, 3}, {i, i + 9}}})
	}
	for _, clean := range []string{"界界 mit **einem** `Wort` e\u0301 👨\u200d👩\u200d👧 und mehr davon, viel mehr", "x"} {
		f.Hits = append(f.Hits, Hit{Row: Row{ID: clean, Title: clean}, Snippet: clean, Marks: [][2]int{{0, 3}, {1, len(clean)}}})
	}
	for _, m := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		th := theme.New(false, true, theme.Unicode())
		th.Widths = m
		s := New(th, "/home/dev/shop")
		s.SetRows(rows)
		s.SetFinds(true)
		s.SetFilter("und")
		s.SetGoing(evil)
		random := rand.New(rand.NewSource(7))
		for width := 1; width <= 160; width += 1 + random.Intn(9) {
			for _, height := range []int{1, 2, 3, 4, 5, 8, 24, 1 + random.Intn(60)} {
				again := f
				again.Hits = append([]Hit(nil), f.Hits...)
				s.Searching(random.Intn(2) == 0)
				s.SetFound(&again)
				for range random.Intn(5) {
					s.Key(named[[]string{"down", "up", "pgdown", "pgup"}[random.Intn(4)]])
					s.Lines(width, height, now)
				}
				lines := s.Lines(width, height, now)
				if len(lines) != height {
					t.Fatalf("%dx%d: %d rows", width, height, len(lines))
				}
				for y, l := range lines {
					if got := m.StringWidth(l); got != width {
						t.Fatalf("%dx%d, row %d: %d cells: %q", width, height, y, got, l)
					}
					if strings.ContainsAny(l, "\x07\u202e") || strings.Contains(l, "\x1b]") || strings.Contains(l, "\x1b[2J") {
						t.Fatalf("a sequence from outside: %q", l)
					}
				}
				if row, ok := s.Selected(); ok && height >= 8 && width >= 40 && !strings.Contains(strings.Join(lines, ""), th.Signs.Bar) {
					t.Fatalf("%dx%d: the chosen row %q is out of sight", width, height, row.ID)
				}
			}
		}
	}
}

func BenchmarkFoundInTenThousand(b *testing.B) {
	var own, past []Row
	for i := range 10_000 {
		r := Row{ID: fmt.Sprint(i), Provider: "codex", Project: "shop", Title: fmt.Sprintf("chat about thing %d", i), Updated: now.Add(-time.Duration(i) * time.Minute), Past: i%10 > 0}
		if r.Past {
			past = append(past, r)
		} else {
			own = append(own, r)
		}
	}
	s := New(theme.New(false, true, theme.Unicode()), "/home/dev/p1")
	s.SetLists(Ready(own), Ready(past))
	f := Found{Chats: 200, More: true}
	for i := range 200 {
		f.Hits = append(f.Hits, Hit{Row: past[i*7], Message: "m", Snippet: "the thing is empty", Marks: [][2]int{{4, 9}}})
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Key(named["backspace"])
		s.SetFilter("thing 77")
		s.SetFound(&f)
		s.Lines(120, 40, now)
	}
}
