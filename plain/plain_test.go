package plain

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTextTakesWholeSequencesAndKeepsWhatStandsAround(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colour", "\x1b[31mred\x1b[0m", "red"},
		{"cursor and erase", "a\x1b[10A\x1b[2Kover", "aover"},
		{"private mode", "\x1b[?1049l\x1b[?25lmodes", "modes"},
		{"colour with colons", "\x1b[38:2::1:2:3mx", "x"},
		{"OSC ended by BEL", "\x1b]0;pwned\atitle", "title"},
		{"OSC ended by ST", "\x1b]0;pwned\x1b\\title", "title"},
		{"link", "\x1b]8;;https://evil.example.com\alink\x1b]8;;\a", "link"},
		{"clipboard", "\x1b]52;c;ZWNobyBvd25lZAo=\aclipboard", "clipboard"},
		{"question", "\x1b[6n\x1b[c\x1b]11;?\aasked", "asked"},
		{"DCS", "\x1bP+q544e\x1b\\dcs", "dcs"},
		{"APC", "\x1b_Gf=24;AAAA\x1b\\apc", "apc"},
		{"PM and SOS", "\x1b^x\x1b\\pm \x1bXx\x1b\\sos", "pm sos"},
		{"reset", "\x1bcfull reset", "full reset"},
		{"character set", "\x1b(0lines\x1b(B", "lines"},
		{"C1 CSI", "\u009b2Jeight bit", "eight bit"},
		{"C1 OSC and ST", "\u009d0;c1\u009ctitle", "title"},
		{"OSC that never began", "\x1b]unterminated osc swallows", "␛]unterminated osc swallows"},
		{"OSC that never ends", "\x1b]0;title and all that follows", "␛]0;title and all that follows"},
		{"OSC broken by a line end", "\x1b]0;title\nnext\a", "␛]0;title\nnext␇"},
		{"OSC broken by another", "\x1b]0;one\x1b]0;two\arest", "␛]0;onerest"},
		{"DCS that never ends", "\x1bPtext stays", "␛Ptext stays"},
		{"CSI at the end", "text\x1b[31", "text␛[31"},
		{"CSI that is none", "\x1b[日本", "␛[日本"},
		{"CSI without end", "\x1b[" + strings.Repeat("1;", 100) + "mtail", "␛[" + strings.Repeat("1;", 100) + "mtail"},
		{"ESC at the end", "tail\x1b", "tail␛"},
		{"ESC before a line end", "a\x1b\nb", "a␛\nb"},
		{"two ESC", "\x1b\x1b[31mx", "␛x"},
		{"ESC from an unfinished and a made one", "\x1b\u200b[31mx", "␛[31mx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestTextMakesControlCharactersVisible(t *testing.T) {
	for in, want := range map[string]string{
		"bell\a\a":             "bell␇␇",
		"back\b\bspace":        "back␈␈space",
		"\x0e\x0fshift":        "␎␏shift",
		"\x00nul":              "␀nul",
		"\x7fdel":              "␡del",
		"one\r\ntwo":           "one\ntwo",
		"10%\r20%":             "10%\n20%",
		"a\vb\fc\u0085d\u2028": "a\nb\nc\nd\n",
		"tab\tstays":           "tab\tstays",
		"\u0081c1":             "\ufffdc1",
		"raw \x9b2J":           "raw \ufffd2J",
		"cut \xe2\x82":         "cut \ufffd\ufffd",
		"none \ufffe":          "none \ufffd",
		"real \ufffd":          "real \ufffd",
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTextDropsInvisibleTricks(t *testing.T) {
	for in, want := range map[string]string{
		"pay\u202etxt.exe":           "paytxt.exe",
		"\u2066iso\u2069lated":       "isolated",
		"a\u200eb\u200fc\u061cd":     "abcd",
		"zero\u200bwidth\ufeff":      "zerowidth",
		"soft\u00adhyphen":           "softhyphen",
		"word\u2060joiner\u2063":     "wordjoiner",
		"tag\U000e0041\U000e007fged": "tagged",
		"filler\u3164\uffa0x":        "fillerx",
		"la\u200dtin\u200c":          "latin",
		"vs\ufe0fon letters":         "vson letters",
		"many ☁\ufe0f\ufe0f\ufe0f":   "many ☁\ufe0f",
		"hid\U000e0100den":           "hidden",
		"🚀\u200bx":                   "🚀x",
		"🚀\u200d":                    "🚀",
		"🚀\u200d\u200d🚀":             "🚀\u200d🚀",
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTextKeepsRealWriting(t *testing.T) {
	wide, err := os.ReadFile("testdata/wide.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("\u200b", "", "\ufeff", "").Replace(string(wide))
	for _, s := range append(strings.Split(text, "\n"),
		"می\u200cخواهم", "क्\u200dष", "ශ්\u200dරී", "പ\u200dന", "\u1820\u180e\u1820",
		"1️⃣ #️⃣", "❤️‍🔥", "👩🏽‍❤️‍💋‍👨🏿", "辻\U000e0100", "Zürich naïve Ωμέγα", "  ", "private  use",
	) {
		if got := Text(s); got != s {
			t.Errorf("Text(%q) = %q", s, got)
		}
	}
}

func TestTextBoundsWhatOneCharacterCanBecome(t *testing.T) {
	if got, want := Text("a"+strings.Repeat("\u0301", 1000)+"b"), "a"+strings.Repeat("\u0301", maxMarks)+"b"; got != want {
		t.Errorf("marks: %d runes", utf8.RuneCountInString(got))
	}
	got := Text(strings.Repeat("👩🏽\u200d", 100) + "👩")
	if n := strings.Count(got, "\u200d"); n > 100*maxJoins/(maxJoins+1)+1 {
		t.Errorf("%d joiners in a row of 100", n)
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"one\r\n two\t\tthree \n", 0, "one two three"},
		{"  ends go  ", 0, "ends go"},
		{"title\nsecond line", 200, "title second line"},
		{"\x1b]0;pwned\atitle", 200, "title"},
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcde…"},
		{"abcd  efg", 6, "abcd…"},
		{"ab👨‍👩‍👧‍👦cd", 8, "ab…"},
		{"ab👨‍👩‍👧‍👦cd", 10, "ab👨‍👩‍👧‍👦…"},
		{"e\u0301e\u0301", 3, "e\u0301…"},
		{"界界界", 2, "界…"},
		{"👨‍👩‍👧‍👦x", 3, "…"},
		{"no\u00a0break\u3000wide", 0, "no break wide"},
		{"", 5, ""},
		{" \n ", 5, ""},
		{"abc   ", 3, "abc"},
		{"x", 1, "x"},
		{"xy", 1, "…"},
	} {
		if got := Line(c.in, c.max); got != c.want {
			t.Errorf("Line(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

func TestHostileStrings(t *testing.T) {
	data, err := os.ReadFile("testdata/hostile.json")
	if err != nil {
		t.Fatal(err)
	}
	var hostile []string
	if err := json.Unmarshal(data, &hostile); err != nil {
		t.Fatal(err)
	}
	if len(hostile) < 20 {
		t.Fatalf("only %d strings", len(hostile))
	}
	words := []string{"clipboard", "title", "link", "dcs", "apc", "over", "cleared", "asked", "full reset", "eight bit",
		"title", "unterminated osc swallows", "bell", "space", "modes", "window", "shift", "red is fine to lose", "nul", "del"}
	for i, s := range append(hostile, strings.Join(hostile, "")) {
		got := Text(s)
		check(t, s, got)
		if i < len(words) && !strings.Contains(got, words[i]) {
			t.Errorf("Text(%q) = %q lost %q", s, got, words[i])
		}
		if strings.Contains(got, "evil") || strings.Contains(got, "pwned") {
			t.Errorf("Text(%q) = %q keeps what a sequence carried", s, got)
		}
	}
}

func TestCleanTextCostsNoAllocation(t *testing.T) {
	text := strings.Repeat("func main() { // 日本語 é 👨‍👩‍👧‍👦 ☁️ می\u200cخواهم\n\t", 100)
	line := "Read internal/pay/lock.go 日本語 👩🏽‍🚀"
	if n := testing.AllocsPerRun(20, func() { Text(text); Line(line, 200) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// check holds got, the cleaned s, against what plain promises of any text.
func check(t *testing.T, s, got string) {
	t.Helper()
	if !utf8.ValidString(got) {
		t.Errorf("Text(%q) = %q: not UTF-8", s, got)
	}
	for _, r := range got {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || isInvisible(r) && r != zwnj && r != zwj && !(r >= 0xe0100 && r <= 0xe01ef) || r == 0x2028 || r == 0x2029 {
			t.Errorf("Text(%q) = %q holds %U", s, got, r)
		}
		if r > 0x7f && unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("Text(%q) = %q holds a bidi control", s, got)
		}
	}
	if again := Text(got); again != got {
		t.Errorf("Text(%q) = %q, and again %q", s, got, again)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31mred", "\x1b]0;t\ax", "\u009b2J", "👩🏽‍🚀\u200b", "a\u0301\u200d\ufe0f", "می\u200cخ", "\x1b\x1b]1;\x1b\\", "\xff\xc2\x9c"} {
		f.Add(s, 5)
	}
	f.Fuzz(func(t *testing.T, s string, max int) {
		check(t, s, Text(s))
		line := Line(s, max)
		check(t, s, line)
		if strings.ContainsAny(line, "\n\t") || strings.Contains(line, "  ") {
			t.Errorf("Line(%q, %d) = %q", s, max, line)
		}
		if max > 0 && utf8.RuneCountInString(line) > max {
			t.Errorf("Line(%q, %d) = %q: too long", s, max, line)
		}
		if again := Line(line, max); again != line {
			t.Errorf("Line(%q, %d) = %q, and again %q", s, max, line, again)
		}
		if max <= 0 && strings.Join(strings.Fields(Text(s)), " ") != line {
			t.Errorf("Line(%q) = %q, differs from Text's words", s, line)
		}
	})
}

// FuzzWords holds that text after the start of a sequence is never lost: a word
// in letters and blanks between two lines survives whatever is around it.
func FuzzWords(f *testing.F) {
	f.Add("\x1b]0;", "\a")
	f.Add("\x1bP", "\x1b\\")
	f.Fuzz(func(t *testing.T, before, after string) {
		if got := Text(before + "\nwords that stand on a line\n" + after); !strings.Contains(got, "\nwords that stand on a line\n") {
			t.Errorf("%q %q: %q", before, after, got)
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":  strings.Repeat("the quick brown fox jumps over the lazy dog\n", 100),
		"cjk":    strings.Repeat("日本語のファイル名 한글 中文\n", 100),
		"ansi":   strings.Repeat("\x1b[32mok\x1b[0m  package/name  0.01s\n", 100),
		"esc":    strings.Repeat("\x1b]0;", 1000),
		"binary": strings.Repeat("\x00\x01\xff\xfe", 1000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Text(s)
			}
		})
	}
}

func TestMarksShortcutAgreesWithUnicode(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		tone := r >= 0x1f3fb && r <= 0x1f3ff
		if want := tone || unicode.In(r, unicode.Mn, unicode.Me); isMark(r) != want {
			t.Fatalf("isMark(%U) = %v", r, !want)
		}
	}
}
