package sheet

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"conch/tui/theme"
)

var now = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC) // a Monday

func someRows() []Row {
	at := func(days, hour int) time.Time {
		return time.Date(2026, 11, 30, hour, 41, 0, 0, time.UTC).AddDate(0, 0, -days)
	}
	return []Row{
		{ID: "old", Provider: "gemini-cli", Folder: "/home/dev/notes", Title: "Launch list", Updated: at(400, 9), Past: true},
		{ID: "shop", Provider: "codex", Folder: "/home/dev/shop", Branch: "fix/empty-cart", Title: "why checkout fails on empty carts", LastWords: "The guard is in place and the tests pass.", Updated: at(0, 9), Messages: 14, State: Running},
		{ID: "novel", Provider: "claude-code", Folder: "/home/dev/novel", Title: "chapter nine", LastWords: "He closes the checkout window.", Updated: at(0, 8), State: Waiting},
		{ID: "retry", Provider: "codex", Folder: "/home/dev/shop", Title: "Checkout retries", Updated: at(3, 12), State: News},
		{ID: "rounding", Provider: "claude-code", Folder: "/home/dev/shop", Title: "Cart rounding", Updated: at(58, 12), Past: true},
	}
}

// desk is a sheet over /home/dev/shop.
type desk struct {
	*Sheet
	t *testing.T
	w int
}

func newDesk(t *testing.T, rows ...Row) *desk {
	t.Helper()
	s := New(theme.New(false, false, theme.Unicode()), "/home/dev/shop")
	s.SetRows(rows)
	d := &desk{s, t, 50}
	d.screen()
	return d
}

func (d *desk) screen() string {
	return ansi.Strip(strings.Join(d.Lines(d.w, 16, now), "\n"))
}

var named = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "delete": {Code: tea.KeyDelete}, "backspace": {Code: tea.KeyBackspace}, "f6": {Code: tea.KeyF6}, "home": {Code: tea.KeyHome},
}

func (d *desk) press(names ...string) Action {
	d.t.Helper()
	var a Action
	for _, n := range names {
		k, ok := named[n]
		if rest, alt := strings.CutPrefix(n, "alt+"); alt {
			k, ok = tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModAlt}, true
		}
		if !ok {
			k = tea.KeyPressMsg{Code: []rune(n)[0], Text: n}
		}
		var taken bool
		if a, taken = d.Key(k); !taken {
			d.t.Fatalf("%s was not taken", n)
		}
		d.screen()
	}
	return a
}

func (d *desk) typing(words string) {
	d.t.Helper()
	for _, r := range words {
		d.press(string(r))
	}
}

func (d *desk) ids() []string {
	var ids []string
	for _, i := range d.order {
		ids = append(ids, d.at(i).ID)
	}
	return ids
}

func (d *desk) shows(part string) {
	d.t.Helper()
	if s := d.screen(); !strings.Contains(s, part) {
		d.t.Errorf("%q is not on the sheet:\n%s", part, s)
	}
}

func TestThisFolderFirstAndOneKeyForAll(t *testing.T) {
	d := newDesk(t, someRows()...)
	if diff := cmp.Diff([]string{"shop", "retry", "novel", "rounding", "old"}, d.ids()); diff != "" {
		t.Error(diff)
	}
	d.shows("this folder")
	d.shows("other folders")
	d.shows("from other apps")
	d.press("down", "down", "down", "alt+a")
	if diff := cmp.Diff([]string{"shop", "novel", "retry", "rounding", "old"}, d.ids()); diff != "" {
		t.Errorf("all as one, newest first:\n%s", diff)
	}
	if row, _ := d.Selected(); row.ID != "rounding" {
		t.Errorf("the selection went to %s", row.ID)
	}
	if strings.Contains(d.screen(), "other folders") {
		t.Error("headings are left")
	}
}

func TestFilterFindsWordsAnywhereInARow(t *testing.T) {
	for words, want := range map[string][]string{
		"checkout":        {"shop", "retry", "novel"},
		"CHECKOUT empty":  {"shop"},
		"empty-cart":      {"shop"},
		"tests pass":      {"shop"},
		"gemini":          {"old"},
		"app:codex":       {"shop", "retry"},
		"in:notes":        {"old"},
		"app:claude cart": {"rounding"},
		"app:":            {"shop", "retry", "novel", "rounding", "old"},
		"zzz":             nil,
	} {
		d := newDesk(t, someRows()...)
		d.typing(words)
		if diff := cmp.Diff(want, d.ids()); diff != "" {
			t.Errorf("%q:\n%s", words, diff)
		}
	}
	d := newDesk(t, someRows()...)
	d.typing("zzz")
	d.shows("No chat has these words.")
	if a := d.press("enter"); a.Kind != None {
		t.Errorf("enter on nothing gave %#v", a)
	}
	d.press("delete", "down", "up", "tab", "f6", "pgdown")
	if !d.Cancel() || d.Filter() != "" || len(d.ids()) != 5 {
		t.Error("cancel takes the filter away")
	}
	if d.Cancel() {
		t.Error("there is nothing left to cancel")
	}
	d.Paste("app:codex\nretries")
	if diff := cmp.Diff([]string{"retry"}, d.ids()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatTheKeysAskFor(t *testing.T) {
	d := newDesk(t, someRows()...)
	if a := d.press("down", "enter"); a.Kind != Open || a.Row.ID != "retry" {
		t.Errorf("enter: %#v", a)
	}
	if a := d.press("alt+e"); a.Kind != Export || a.Row.ID != "retry" {
		t.Errorf("alt+e: %#v", a)
	}
	if a := d.press("alt+c"); a.Kind != Open {
		t.Errorf("alt+c on a chat of Conch's own: %#v", a)
	}
	if a := d.press("alt+i"); a.Kind != Import {
		t.Errorf("alt+i: %#v", a)
	}
	if a := d.press("down", "down", "alt+c"); a.Kind != Carry || a.Row.ID != "rounding" {
		t.Errorf("alt+c on a past chat: %#v", a)
	}
	for _, k := range []string{"f6", "delete"} {
		if a := d.press(k); a.Kind != None {
			t.Errorf("%s on another app's chat: %#v", k, a)
		}
		d.shows("nothing is changed there")
	}
	if _, ok := d.Key(named["esc"]); ok {
		t.Error("esc is the screen's")
	}
}

func TestDeleteAsksAndCanBeUndone(t *testing.T) {
	d := newDesk(t, someRows()...)
	d.press("down", "delete")
	d.shows("delete “Checkout retries”?")
	if a := d.press("enter"); a.Kind != None {
		t.Fatalf("enter deleted: %#v", a)
	}
	d.shows("kept")
	d.press("delete")
	if !d.Cancel() {
		t.Error("esc closes the question")
	}
	a := d.press("delete", "y")
	if a.Kind != Delete || a.Row.ID != "retry" {
		t.Fatalf("y: %#v", a)
	}
	d.Deleted(a.Row)
	d.SetRows(someRows()[:3])
	d.shows("deleted “Checkout retries” · alt+z brings it back")
	if a := d.press("alt+z"); a.Kind != Undo || a.Row.ID != "retry" {
		t.Errorf("alt+z: %#v", a)
	}
	if a := d.press("alt+z"); a.Kind != None {
		t.Errorf("a second alt+z: %#v", a)
	}
	d.choose(0)
	if a := d.press("delete"); a.Kind != None || d.ask != nothing {
		t.Errorf("a chat that runs can be deleted: %#v", a)
	}
	d.shows("stop it first")
}

func TestRename(t *testing.T) {
	d := newDesk(t, someRows()...)
	d.press("f6", "backspace", "!")
	d.shows("new title: why checkout fails on empty cart!")
	if x, y := d.Cursor(); y != 15 || x == 0 {
		t.Errorf("the cursor is at %d, %d", x, y)
	}
	d.typing(" é界")
	if a := d.press("enter"); a.Kind != Rename || a.Row.ID != "shop" || a.Words != "why checkout fails on empty cart! é界" {
		t.Errorf("%#v", a)
	}
	d.press("f6", "x")
	if !d.Cancel() || d.ask != nothing {
		t.Error("esc leaves the title")
	}
	if a := d.press("f6", "enter"); a.Kind != None {
		t.Errorf("the same title: %#v", a)
	}
}

func TestThePreviewIsAskedForOnceAndScrolls(t *testing.T) {
	d := newDesk(t, someRows()...)
	d.w = 100
	d.screen()
	row, width, ok := d.Preview()
	if !ok || row.ID != "shop" || width < minPane {
		t.Fatalf("preview of %q at %d, %v", row.ID, width, ok)
	}
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	d.SetPreview(row.ID, width, lines)
	if _, _, ok := d.Preview(); ok {
		t.Error("the same preview is asked for again")
	}
	d.shows("working · 14 messages · fix/empty-cart")
	d.shows("line 39")
	d.press("tab", "pgup", "up")
	if s := d.screen(); strings.Contains(s, "line 39") {
		t.Errorf("the preview did not scroll:\n%s", s)
	}
	d.press("G")
	d.shows("line 39")
	d.press("tab", "down")
	if row, _, ok := d.Preview(); !ok || row.ID != "retry" {
		t.Error("another chat's preview is not asked for")
	}
	if strings.Contains(d.screen(), "line 39") {
		t.Error("the words of another chat are shown")
	}
	d.w = 50
	d.screen()
	if _, _, ok := d.Preview(); ok {
		t.Error("a preview without a pane is asked for")
	}
	d.press("tab")
	if _, width, ok := d.Preview(); !ok || width != 50 {
		t.Errorf("the preview of a narrow window is %d wide, %v", width, ok)
	}
}

func TestThePreviewOfAChatThatGoesOnIsAskedForAnew(t *testing.T) {
	rows := someRows()
	d := newDesk(t, rows...)
	d.w = 100
	d.screen()
	row, width, _ := d.Preview()
	d.SetPreview(row.ID, width, []string{"as it was"})
	d.SetRows(rows)
	if _, _, ok := d.Preview(); ok {
		t.Error("the words of an unchanged chat are asked for again")
	}
	for i := range rows {
		if rows[i].ID == row.ID {
			rows[i].Messages++
		}
	}
	d.SetRows(rows)
	d.shows("as it was") // until the new words are there
	if again, _, ok := d.Preview(); !ok || again.ID != row.ID {
		t.Fatal("the new words are not asked for")
	}
	d.SetPreview(row.ID, width, []string{"as it is"})
	d.shows("as it is")
	if _, _, ok := d.Preview(); ok {
		t.Error("they are asked for twice")
	}
}

func TestClickAndWheel(t *testing.T) {
	d := newDesk(t, someRows()...)
	for y, line := range strings.Split(d.screen(), "\n") {
		if strings.Contains(line, "Cart rounding") {
			if !d.Click(5, y) {
				t.Error("the row cannot be clicked")
			}
		} else if strings.Contains(line, "other folders") && d.Click(5, y) {
			t.Error("a heading can be clicked")
		}
	}
	if row, _ := d.Selected(); row.ID != "rounding" {
		t.Errorf("selected %s", row.ID)
	}
	d.Wheel(5, -9)
	if row, _ := d.Selected(); row.ID != "shop" {
		t.Errorf("selected %s", row.ID)
	}
	d.Click(-4, 99)
}

func TestTheChosenRowIsInSight(t *testing.T) {
	var rows []Row
	for i := range 300 {
		rows = append(rows, Row{ID: fmt.Sprint(i), Folder: []string{"/home/dev/shop", "/x"}[i%2], Title: fmt.Sprintf("chat number %d.", i), Updated: now.Add(-time.Duration(i) * time.Hour)})
	}
	d := newDesk(t, rows...)
	random := rand.New(rand.NewSource(3))
	for range 400 {
		d.press([]string{"down", "up", "pgdown", "pgup", "down", "alt+a"}[random.Intn(6)])
		row, _ := d.Selected()
		d.shows(row.Title)
	}
}

func TestEmptyStates(t *testing.T) {
	d := newDesk(t)
	d.shows("No chats yet.")
	d.SetLoading(true)
	d.shows("reading your chats")
	for _, k := range []string{"enter", "delete", "f6", "tab", "alt+e", "alt+c", "down", "alt+z", "alt+a"} {
		if a := d.press(k); a.Kind != None {
			t.Errorf("%s on an empty sheet: %#v", k, a)
		}
	}
}

func TestDates(t *testing.T) {
	for at, want := range map[string]string{
		"2026-11-30T09:41:00Z": "09:41", "2026-11-29T23:59:00Z": "Sun 23:59", "2026-11-24T00:00:00Z": "Tue 00:00",
		"2026-11-23T23:59:00Z": "23 Nov", "2026-10-03T12:00:00Z": "3 Oct", "2025-10-03T12:00:00Z": "Oct 2025", "2027-01-01T00:00:00Z": "1 Jan 2027",
		"2026-11-30T23:30:00Z": "23:30",
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := date(when, now); got != want {
			t.Errorf("%s is %q, want %q", at, got, want)
		}
	}
	if date(time.Time{}, now) != "" {
		t.Error("no time has a date")
	}
	east := now.In(time.FixedZone("", 10*3600))
	if got := date(now.Add(-11*time.Hour), east); got != "09:00" {
		t.Errorf("in another zone: %q", got)
	}
}

func TestRowsFillTheSheetAtEverySizeAndCarryNoSequence(t *testing.T) {
	var hostile []string
	data, err := os.ReadFile(filepath.Join("testdata", "hostile.json"))
	if err == nil {
		err = json.Unmarshal(data, &hostile)
	}
	if err != nil {
		t.Fatal(err)
	}
	wide, err := os.ReadFile(filepath.Join("testdata", "wide.txt"))
	if err != nil {
		t.Fatal(err)
	}
	texts := append(hostile, strings.Split(string(wide), "\n")...)
	var rows []Row
	for i, w := range texts {
		rows = append(rows, Row{ID: w + fmt.Sprint(i), Provider: w, Folder: "/home/dev/" + w, Branch: w, Title: w, LastWords: w, State: State(i % 4), Past: i%2 == 0, Updated: now.AddDate(0, 0, -i)})
	}
	for _, m := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		th := theme.New(true, true, theme.Unicode())
		th.Widths = m
		s := New(th, "/home/dev/"+texts[0])
		s.SetRows(rows)
		random := rand.New(rand.NewSource(5))
		for width := 1; width <= 200; width++ {
			for _, height := range []int{1, 2, 3, 4, 5, 7, 8, 9, 24, 1 + random.Intn(100)} {
				for range 2 {
					k := []string{"down", "tab", "delete", "f6", "enter", "界", "backspace", "up", "alt+a"}[random.Intn(9)]
					s.Key(func() tea.KeyPressMsg {
						if k == "alt+a" {
							return tea.KeyPressMsg{Code: 'a', Mod: tea.ModAlt}
						}
						if n, ok := named[k]; ok {
							return n
						}
						return tea.KeyPressMsg{Code: '界', Text: k}
					}())
				}
				lines := s.Lines(width, height, now)
				if len(lines) != height {
					t.Fatalf("%dx%d: %d rows", width, height, len(lines))
				}
				if row, w, ok := s.Preview(); ok {
					s.SetPreview(row.ID, w, []string{strings.Repeat("界", 40), "x"})
					lines = s.Lines(width, height, now)
				}
				for y, l := range lines {
					if got := m.StringWidth(l); got != width {
						t.Fatalf("%dx%d, row %d: %d cells: %q", width, height, y, got, l)
					}
					if strings.ContainsAny(l, "\x07\x08\x0e\x0f\u202e\u009b\u009d") || strings.Contains(l, "\x1b]") || strings.Contains(l, "\x1bP") || strings.Contains(l, "\x1b[2J") {
						t.Fatalf("a sequence from outside: %q", l)
					}
				}
				if x, y := s.Cursor(); x < 0 || x >= width || y < 0 || y >= height {
					t.Fatalf("%dx%d: the cursor is at %d, %d", width, height, x, y)
				}
				if random.Intn(20) == 0 {
					for s.Cancel() {
					}
				}
			}
		}
		for _, size := range [][2]int{{0, 0}, {-1, 5}, {5, -1}, {0, 5}, {5, 0}} {
			if lines := s.Lines(size[0], size[1], now); len(lines) != 0 {
				t.Errorf("at %v: %q", size, lines)
			}
		}
	}
}

func BenchmarkFilterTenThousand(b *testing.B) {
	var rows []Row
	for i := range 10_000 {
		rows = append(rows, Row{ID: fmt.Sprint(i), Provider: "codex", Folder: fmt.Sprintf("/home/dev/p%d", i%40), Title: fmt.Sprintf("chat about thing %d", i), LastWords: strings.Repeat("some words ", 15), Updated: now.Add(-time.Duration(i) * time.Minute)})
	}
	s := New(theme.New(false, true, theme.Unicode()), "/home/dev/p1")
	s.SetRows(rows)
	b.ResetTimer()
	for range b.N {
		s.Key(tea.KeyPressMsg{Code: 't', Text: "t"})
		s.Lines(120, 40, now)
		s.Key(named["backspace"])
		s.Lines(120, 40, now)
	}
}
