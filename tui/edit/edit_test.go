package edit

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// wideText has one line for each kind of character that is hard to measure.
var wideText = []string{
	"日本語のファイル名.txt", "สวัสดี ดี", "👨\u200d👩\u200d👧\u200d👦 family | 👩🏽\u200d🚀 | 🏳️\u200d🌈 | 🇩🇪🇯🇵 | ☁️ ☁ | ❤️ ❤",
	"e\u0301 a\u0308 combining", "한글 中文 日本語 ABC", "①②③ ±×÷ ambiguous", "הטקסט הזה",
	strings.Repeat("界", 60), "\u200bzero\u200bwidth\ufeff", "𓀀 𝔘𝔫𝔦 🀄",
	"a\u202eb\u2066c", "tab\tand\x1b[31m\x00\x7f\u009b", "\u0301alone", "स्ते क्षत्रिय",
}

func key(s string) tea.KeyPressMsg {
	k := tea.KeyPressMsg{}
	for {
		switch {
		case strings.HasPrefix(s, "ctrl+"):
			k.Mod |= tea.ModCtrl
			s = s[5:]
			continue
		case strings.HasPrefix(s, "alt+"):
			k.Mod |= tea.ModAlt
			s = s[4:]
			continue
		}
		break
	}
	named := map[string]rune{"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete}
	if c, ok := named[s]; ok {
		k.Code = c
		return k
	}
	k.Code, _ = utf8.DecodeRuneInString(s)
	if k.Mod == 0 {
		k.Text = s
	}
	return k
}

func typed(words string) *Buffer {
	b := New(ansi.GraphemeWidth)
	for _, r := range words {
		b.Key(key(string(r)))
	}
	return b
}

func press(t *testing.T, b *Buffer, keys string) {
	t.Helper()
	for _, name := range strings.Fields(keys) {
		if !b.Key(key(name)) {
			t.Fatalf("%s was not taken", name)
		}
	}
}

func marked(b *Buffer) string { return b.Before() + "|" + b.After() }

func TestReadlineKeys(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		{"one two three", "ctrl+a", "|one two three"},
		{"one two three", "ctrl+a ctrl+e", "one two three|"},
		{"one two three", "ctrl+b ctrl+b ctrl+f", "one two thre|e"},
		{"one two three", "alt+b alt+b", "one |two three"},
		{"one two three", "ctrl+a alt+f", "one| two three"},
		{"one two three", "ctrl+a ctrl+d", "|ne two three"},
		{"one two three", "ctrl+h backspace", "one two thr|"},
		{"one two three", "ctrl+a alt+f ctrl+k", "one|"},
		{"one two three", "alt+b ctrl+u", "|three"},
		{"one two-three", "ctrl+w", "one |"},
		{"one two-three", "alt+backspace", "one two-|"},
		{"one two three", "ctrl+a alt+d", "| two three"},
		{"one two three", "ctrl+w ctrl+w ctrl+y", "one two three|"},
		{"one two three", "ctrl+a alt+d alt+d ctrl+e ctrl+y", " threeone two|"},
		{"one two", "ctrl+w ctrl+_", "one two|"},
		{"one two", "ctrl+_", "one |"},
		{"one two", "ctrl+_ ctrl+_ alt+Z", "one |"},
		{"x", "delete", "x|"},
		{"", "ctrl+w ctrl+k ctrl+u ctrl+y left right", "|"},
	} {
		b := typed(c.text)
		press(t, b, c.keys)
		if got := marked(b); got != c.want {
			t.Errorf("%q then %s: %q, want %q", c.text, c.keys, got, c.want)
		}
	}
}

func TestArrowsMoveByOneClusterThroughEveryKindOfText(t *testing.T) {
	for _, line := range wideText {
		for _, m := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
			b := New(m)
			b.SetWidth(13)
			b.Insert(line, Typed)
			var stops []int
			b.Top()
			for b.Cursor() < b.Len() {
				stops = append(stops, b.Cursor())
				before := b.Cursor()
				b.Right()
				if cluster, _ := ansi.FirstGraphemeCluster(line[before:], m); b.Cursor()-before != len(cluster) {
					t.Fatalf("%q: right went from %d to %d, not over %q", line, before, b.Cursor(), cluster)
				}
			}
			for i := len(stops) - 1; i >= 0; i-- {
				b.Left()
				if b.Cursor() != stops[i] {
					t.Fatalf("%q: left stands at %d, not at %d", line, b.Cursor(), stops[i])
				}
			}
		}
	}
}

func TestRowsAreAsWideAsTheyMeasure(t *testing.T) {
	for _, m := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		b := New(m)
		b.Insert(strings.Join(wideText, "\n"), Pasted)
		b.InsertAtom(Atom{Label: "[pasted 400 lines]"})
		b.Insert("tail", Typed)
		for width := 1; width <= 200; width++ {
			b.SetWidth(width)
			for r := range b.Rows() {
				drawn := b.Draw(r, "…", nil, nil)
				want := b.column(r, b.rows[r].end)
				if got := m.StringWidth(drawn); got != want || got > width {
					t.Fatalf("width %d, row %d %q: drawn %d cells, counted %d", width, r, drawn, got, want)
				}
			}
			checkCursor(t, b)
		}
	}
}

func TestUpAndDownKeepTheColumn(t *testing.T) {
	b := New(ansi.GraphemeWidth)
	b.Insert("a long line\nab\n日本語日本語", Typed)
	b.MoveTo(0, 8)
	b.Down()
	if r, col := b.Cell(); r != 1 || col != 2 {
		t.Fatalf("in the short line at %d, %d", r, col)
	}
	b.Down()
	if r, col := b.Cell(); r != 2 || col != 8 {
		t.Fatalf("in the wide line at %d, %d", r, col)
	}
	if b.Down() {
		t.Fatal("there is no row below the last")
	}
}

func TestALineIsBrokenAtBlanks(t *testing.T) {
	b := New(ansi.GraphemeWidth)
	b.SetWidth(10)
	b.Insert("the quick brown fox   jumps incomprehensibly\n日本語日本語日本語", Typed)
	var rows []string
	for r := range b.Rows() {
		rows = append(rows, b.Draw(r, "…", nil, nil))
	}
	want := []string{"the quick ", "brown fox ", " jumps ", "incomprehe", "nsibly", "日本語日本", "語日本語"}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}

func TestWhereTheFirstCharacterCameFrom(t *testing.T) {
	b := typed("!ls")
	if !b.Typed() {
		t.Error("a typed mark")
	}
	b.Reset()
	b.Insert("!rm -rf /\n", Pasted)
	if b.Typed() {
		t.Error("a pasted mark counts as typed")
	}
	b.Reset()
	b.Insert("x", Typed)
	b.Insert("!rm", Pasted)
	b.Top()
	press(t, b, "ctrl+d")
	if b.Typed() {
		t.Error("a pasted mark that came to the front counts as typed")
	}
	b.Reset()
	b.Insert("ls", Pasted)
	b.Top()
	b.Key(key("!"))
	if !b.Typed() {
		t.Error("a mark typed before a paste is a typed one")
	}
	press(t, b, "backspace ctrl+_")
	if !b.Typed() {
		t.Error("undo brings the mark back as it was")
	}
	b.Reset()
	b.Insert("!rm", Pasted)
	press(t, b, "ctrl+u ctrl+y")
	if b.Typed() {
		t.Error("cutting and yanking a paste makes it typed")
	}
}

func TestAtomsAreOneCharacterAndComeBackWithUndo(t *testing.T) {
	b := typed("see ")
	b.InsertAtom(Atom{Label: "[pasted 2 lines]", Text: "a\r\nb"})
	b.Insert(" now", Typed)
	if got := b.Text(); got != "see a\nb now" {
		t.Fatalf("text %q", got)
	}
	b.Top()
	for range 4 {
		b.Right()
	}
	at := b.Cursor()
	b.Right()
	if _, ok := b.AtomAt(at); !ok || b.Cursor() != at+markLen {
		t.Fatalf("right went to %d over an atom at %d", b.Cursor(), at)
	}
	press(t, b, "backspace")
	if got := b.Text(); got != "see  now" {
		t.Fatalf("after backspace %q", got)
	}
	b.Undo()
	if got := b.Text(); got != "see a\nb now" {
		t.Fatalf("after undo %q", got)
	}
	d := b.Draft()
	other := New(ansi.GraphemeWidth)
	other.SetDraft(d)
	if other.Text() != b.Text() || d.Shown() != "see [pasted 2 lines] now" {
		t.Fatalf("a draft carries %q, shown %q", other.Text(), d.Shown())
	}
	if !b.OpenAtom(func(Atom) bool { return true }) || len(b.Atoms()) != 0 || b.Text() != "see a\nb now" {
		t.Fatalf("opened: %q, %d atoms", b.Text(), len(b.Atoms()))
	}
}

func TestLineEndsAndBrokenBytesAreMadeGood(t *testing.T) {
	b := New(ansi.GraphemeWidth)
	b.Insert("a\r\nb\rc\td\xff\xfe", Pasted)
	if got, want := b.Text(), "a\nb\nc\td\uFFFD"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func checkCursor(t *testing.T, b *Buffer) {
	t.Helper()
	r, col := b.Cell()
	if r < 0 || r >= b.Rows() || col < 0 || col > b.width {
		t.Fatalf("cursor at row %d of %d, column %d of %d", r, b.Rows(), col, b.width)
	}
	if b.boundary(b.cursor) != b.cursor {
		t.Fatalf("cursor %d stands inside a cluster of %q", b.cursor, b.text)
	}
}

func fullRows(b *Buffer) []row {
	c := Buffer{text: b.text, atoms: b.atoms, method: b.method, width: b.width}
	c.layout()
	return c.rows
}

// step does one edit or move, chosen by n, to the buffer.
func step(b *Buffer, n int, words string) {
	switch n % 17 {
	case 0, 1, 2, 3:
		b.Insert(words, Typed)
	case 4:
		b.Insert(words+"\n"+words, Pasted)
	case 5:
		b.InsertAtom(Atom{Label: "[x " + strings.ToValidUTF8(strings.Map(drawable, words), "") + "]", Text: words})
	case 6:
		b.Key(key("backspace"))
	case 7:
		b.Key(key("alt+backspace"))
	case 8:
		b.Key(key("ctrl+k"))
	case 9:
		b.Undo()
	case 10:
		b.Redo()
	case 11:
		b.MoveTo(n%7, n%23)
	case 12:
		b.Left()
	case 13:
		b.Up()
	case 14:
		b.Key(key("ctrl+y"))
	case 15:
		b.SetWidth(n%40 + 1)
	case 16:
		b.Key(key("delete"))
	}
}

func drawable(r rune) rune {
	if ruleOut(r) || tag(r) || r == utf8.RuneError {
		return -1
	}
	return r
}

func TestWrappingAgainGivesWhatWrappingAllGives(t *testing.T) {
	random := rand.New(rand.NewSource(7))
	pieces := append([]string{" ", "  ", "\n", "\u0301", "\u200d", "🇩", "🇪", "word", "\t", "界", "👩", "longerword"}, wideText...)
	for round := range 300 {
		b := New(ansi.Method(round % 2))
		b.SetWidth(random.Intn(20) + 1)
		for range 60 {
			n := random.Intn(1 << 16)
			step(b, n, pieces[random.Intn(len(pieces))])
			if diff := cmp.Diff(fullRows(b), b.rows, cmp.AllowUnexported(row{})); diff != "" {
				t.Fatalf("round %d, step %d on %q at width %d:\n%s", round, n%17, b.text, b.width, diff)
			}
			checkCursor(t, b)
		}
	}
}

// FuzzEdits compares the text with a plain string that is edited alike.
func FuzzEdits(f *testing.F) {
	f.Add([]byte("\x00\x04\x06\x09\x0a\x0e\x0f"), "e\u0301 界")
	f.Add([]byte("\x05\x06\x05\x0c\x06\x09\x09"), "👩\u200d🚀\n")
	f.Add([]byte{4, 13, 8, 14, 9, 10, 15, 7}, "one two\r\nthree")
	f.Fuzz(func(t *testing.T, steps []byte, words string) {
		if len(steps) > 200 || len(words) > 200 {
			return
		}
		b := New(ansi.GraphemeWidth)
		for i, s := range steps {
			if b.Len() > 4000 {
				break
			}
			before := b.text[:b.cursor] + b.text[b.cursor:]
			left, right := b.Before(), b.After()
			step(b, int(s)+i*17, words)
			switch s % 17 {
			case 0, 1, 2, 3:
				if b.text != left+clean(words)+right {
					t.Fatalf("insert of %q between %q and %q gave %q", words, left, right, b.text)
				}
			case 6:
				if len(b.text) > len(before) || !strings.HasSuffix(b.text, right) || !strings.HasPrefix(left, b.text[:len(b.text)-len(right)]) {
					t.Fatalf("backspace in %q|%q gave %q", left, right, b.text)
				}
			case 11, 12, 13, 15:
				if b.text != before {
					t.Fatalf("a move changed %q to %q", before, b.text)
				}
			}
			checkCursor(t, b)
			for r := range b.Rows() {
				if drawn := b.Draw(r, "…", nil, nil); b.method.StringWidth(drawn) > b.width {
					t.Fatalf("row %q is wider than %d", drawn, b.width)
				}
			}
			if diff := cmp.Diff(fullRows(b), b.rows, cmp.AllowUnexported(row{})); diff != "" {
				t.Fatal(diff)
			}
		}
		for b.Undo() {
			checkCursor(t, b)
		}
		if b.text != "" {
			t.Fatalf("all undone, %q is left", b.text)
		}
	})
}

func BenchmarkKeyInAnOpenMegabyte(bench *testing.B) {
	for name, text := range map[string]string{
		"lines": strings.Repeat("a line of some forty characters of text\n", 25000),
		"line":  strings.Repeat("x", 1_000_000),
		"words": strings.Repeat("some words ", 90_000),
	} {
		bench.Run(name, func(bench *testing.B) {
			b := New(ansi.GraphemeWidth)
			b.SetWidth(77)
			b.Insert(text, Pasted)
			b.MoveTo(b.Rows()/2, 10)
			bench.ResetTimer()
			for range bench.N {
				b.Key(tea.KeyPressMsg{Code: 'e', Text: "e"})
				b.Cell()
			}
		})
	}
}

func BenchmarkInsertMegabyte(bench *testing.B) {
	text := strings.Repeat("a line of some forty characters, öäü and 日本\n", 20000)
	for range bench.N {
		b := New(ansi.GraphemeWidth)
		b.Insert(text, Pasted)
	}
}
