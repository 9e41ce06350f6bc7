package pastchats

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"conch/redact"

	"github.com/google/go-cmp/cmp"
)

// key is a made-up key of a shape that is always taken out.
const key = "ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"

func TestWordsAreCleanedAndWhatIsEmptyOrSaidTwiceGoes(t *testing.T) {
	var c talk
	c.say(User, "  hello \u202eworld\x1b[31m red\x1b[0m\r\nnext\tline \n", 5000)
	c.say(User, "hello world red\nnext\tline", 6000) // the same when it is clean
	c.say(Assistant, "hello world red\nnext\tline", 7000)
	c.say(User, " \u200b\n ", 8000)
	c.say(Assistant, "hello world red\nnext\tline", 9000)
	c.say(User, "bye", 0)
	f := finish(chatFile{MTime: 99e9}, &c)
	var got []string
	for _, m := range f.messages {
		got = append(got, fmt.Sprintf("%s %q %d", m.role, m.text, m.at))
	}
	want := []string{
		`user "hello world red\nnext\tline" 5000`,
		`assistant "hello world red\nnext\tline" 7000`,
		`user "bye" 7000`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if f.created != 5000 || f.updated != 7000 || f.users != 2 || f.title != "hello world red next line" {
		t.Errorf("%+v", f)
	}
}

func TestOfManyMessagesTheLastAreKeptUnderTheirOwnNumbers(t *testing.T) {
	var c talk
	for i := range 4500 {
		c.say(User, fmt.Sprint("message ", i), int64(i+1))
	}
	f := finish(chatFile{}, &c)
	if len(f.messages) != 4000 || f.first != 501 || f.messages[0].text != "message 500" || f.title != "message 0" {
		t.Errorf("%d messages, the first is number %d: %q; title %q", len(f.messages), f.first, f.messages[0].text, f.title)
	}
}

func TestALongMessageIsCutBetweenGraphemes(t *testing.T) {
	for name, tt := range map[string]struct{ text, end string }{
		"letters":        {strings.Repeat("a", 30_000), "aaa…"},
		"exactly":        {strings.Repeat("a", 24_000), "aaaa"},
		"one more":       {strings.Repeat("a", 24_001), "aaa…"},
		"four bytes":     {strings.Repeat("𝄞", 30_000), "𝄞𝄞𝄞…"},
		"on a family":    {strings.Repeat("a", 23_997) + "👨‍👩‍👧" + strings.Repeat("b", 6_000), "aaa…"},
		"on an accent":   {strings.Repeat("a", 23_998) + "e\u0301" + strings.Repeat("b", 6_000), "aaa…"},
		"after a family": {strings.Repeat("a", 23_994) + "👨‍👩‍👧" + strings.Repeat("b", 6_000), "👨‍👩‍👧…"},
		"no plain text":  {strings.Repeat("漢", 24_000) + "字", "漢漢漢…"},
	} {
		var c talk
		c.say(User, tt.text, 0)
		got := finish(chatFile{}, &c).messages[0].text
		if n := utf8.RuneCountInString(got); n > maxWords || n < maxWords-8 {
			t.Errorf("%s: %d characters", name, n)
		}
		if !strings.HasSuffix(got, tt.end) {
			t.Errorf("%s: ends in %q, want %q", name, got[len(got)-30:], tt.end)
		}
	}
}

func TestAKeyOnTheCutIsTakenOutWholeAndCountedOnce(t *testing.T) {
	for _, size := range []int{30_000, 300_000} { // the longer is made ready while it is read
		for before := 23_950; before <= 24_000; before += 5 {
			var c talk
			c.say(User, strings.Repeat("x", before-1)+" "+key+" "+strings.Repeat("y", size), 0)
			f := finish(chatFile{}, &c)
			if f.redacted != 1 {
				t.Errorf("%d before it: counted %d times", before, f.redacted)
			}
			if hasPiece(f.messages[0].text, key) {
				t.Errorf("%d before it: a piece of the key stays: …%s", before, f.messages[0].text[before-5:])
			}
		}
	}
}

// hasPiece reports that ten characters in a row of a key are in a text.
func hasPiece(text, key string) bool {
	for i := 0; i+10 <= len(key); i++ {
		if strings.Contains(text, key[i:i+10]) {
			return true
		}
	}
	return false
}

func TestATitleIsTheAppsElseTheFirstWords(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for _, tt := range []struct {
		title, words string
		want         string
		redacted     int
	}{
		{"Its own", "hello", "Its own", 0},
		{" two\nlines\x1b[31m ", "hello", "two lines", 0},
		{"", "first\nwords", "first words", 0},
		{"", long, strings.TrimRight(long[:119], " ") + "…", 0},
		{long, "hello", strings.TrimRight(long[:119], " ") + "…", 0},
		{"", "", untitled, 0},
		{"use " + key, "hello", "use [redacted]", 1},
		{"", "use " + key, "use [redacted]", 1},
		{"use " + key, "use " + key + " now", "use [redacted]", 1}, // the app's title is the first words
		{strings.Repeat("a", 100) + " " + key, "hello", strings.Repeat("a", 100) + " [redacted]", 1},
	} {
		c := talk{Title: tt.title}
		c.say(User, tt.words, 0)
		c.say(Assistant, "yes", 0)
		f := finish(chatFile{}, &c)
		if f.title != tt.want || f.redacted != tt.redacted {
			t.Errorf("%.20q with %.20q: %q and %d keys, want %q and %d", tt.title, tt.words, f.title, f.redacted, tt.want, tt.redacted)
		}
		if n := utf8.RuneCountInString(f.title); n > maxTitle {
			t.Errorf("%d characters", n)
		}
	}
}

func TestMemoryIsBoundedWhileAChatIsRead(t *testing.T) {
	var c talk
	text := strings.Repeat("long words ", 9_000) // 99,000 bytes
	for i := range 6_000 {
		c.say(User, fmt.Sprint(i, " ", text), int64(i+1))
	}
	if c.bytes > mostWords+maxKept/8*maxWords || len(c.words) > maxKept+maxKept/8 {
		t.Errorf("%d bytes of %d messages are held", c.bytes, len(c.words))
	}
	f := finish(chatFile{}, &c)
	if len(f.messages) != maxKept || f.first != 6_000-maxKept+1 || !strings.HasPrefix(f.messages[0].text, "2000 ") {
		t.Errorf("%d kept from %d: %.20q", len(f.messages), f.first, f.messages[0].text)
	}
}

func TestTwoLongMessagesThatDifferBehindTheCutAreTwo(t *testing.T) {
	var c talk
	long := strings.Repeat("x", 200_000)
	c.say(User, long+"1", 1)
	c.say(User, long+"2", 2)
	c.say(User, long+"2", 3)
	if n := len(finish(chatFile{}, &c).messages); n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
}

// No name is cut, or made shorter by what nobody sees, before keys were taken
// out of it.
func TestAKeyOnTheCutOfANameIsTakenOutWhole(t *testing.T) {
	for name, before := range map[string]string{
		"the cut of the stored name": strings.Repeat("a", maxName-12) + " ",
		"what nobody sees":           strings.Repeat("\u200b", beginningBytes/3-4),
		"both":                       strings.Repeat("\u200b", 2000) + strings.Repeat("a", maxName-12) + " ",
	} {
		c := talk{Title: before + key, Cwd: "/code/" + before + key, Model: before + key}
		c.say(User, "a", 0)
		f := finish(chatFile{}, &c)
		for _, got := range []string{f.title, f.project, f.model} {
			if strings.Contains(got, key[:8]) || !strings.Contains(got, "[redacted]") && !strings.HasSuffix(got, "…") {
				t.Errorf("%s: %q", name, got)
			}
			if n := utf8.RuneCountInString(got); n > maxName {
				t.Errorf("%s: %d characters", name, n)
			}
		}
	}
}

func TestTimesOfNoUseFallBack(t *testing.T) {
	c := talk{Started: -5, Updated: 1 << 52}
	c.say(User, "a", 0)
	c.say(Assistant, "b", 1<<60)
	f := finish(chatFile{MTime: 77e9}, &c)
	if f.created != 77_000 || f.updated != 77_000 || f.messages[0].at != 77_000 || f.messages[1].at != 77_000 {
		t.Errorf("%+v", f)
	}
}

func TestAKeyThatConchWasGivenGoesWhateverItLooksLike(t *testing.T) {
	const given = "correct horse battery"
	c := talk{Title: "about " + given, keys: redact.New(given)}
	c.say(User, "it is "+given+", and a long text", 5000)
	c.say(Assistant, strings.Repeat("words ", 20_000)+given, 6000)
	c.say(User, given+strings.Repeat(" words", 20_000), 7000)
	f := finish(chatFile{Project: given}, &c)
	all := f.title + f.project
	for _, m := range f.messages {
		all += m.text
	}
	if strings.Contains(all, given) || f.title != "about [redacted]" || f.redacted != 3 {
		t.Errorf("%d taken out, title %q", f.redacted, f.title)
	}
}
