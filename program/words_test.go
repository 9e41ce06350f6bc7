package program

import (
	"strings"
	"testing"
	"time"

	"conch/redact"
)

func TestNoHalfOfASecretIsLeftWhereStderrWasCut(t *testing.T) {
	key := "sk-ant-api03-" + strings.Repeat("aB3dE6gH9", 6)
	said := "the key is " + key + "\nit is wrong\n"
	for cut := range said {
		if got := wholeLines(said[cut:], len(said)-cut); strings.Contains(got, "gH9") {
			t.Fatalf("cut at %d: %q", cut, got)
		}
	}
	if got := wholeLines(said, len(said)+1); got != "the key is "+redact.Marker+"\nit is wrong\n" {
		t.Errorf("not cut: %q", got)
	}
}

func TestForeignWordsAreOneHarmlessLine(t *testing.T) {
	for _, c := range []struct{ from, want string }{
		{"two\nlines\x1b[31m red", "two lines red"},
		{"", ""},
		{"the key is sk-ant-api03-" + strings.Repeat("aB3dE6gH9", 6), "the key is " + redact.Marker},
	} {
		if got := OneLine(c.from, 80); got != c.want {
			t.Errorf("%q: %q, want %q", c.from, got, c.want)
		}
	}
	if got := OneLine(strings.Repeat("a", 500), 20); len([]rune(got)) > 20 {
		t.Errorf("%d characters of at most 20", len([]rune(got)))
	}
}

func TestSentencesEndOnce(t *testing.T) {
	for from, want := range map[string]string{"it broke": "it broke.", "it broke. ": "it broke.", "so…": "so.", "why:": "why."} {
		if got := Sentence(from); got != want {
			t.Errorf("%q: %q", from, got)
		}
	}
}

func TestTheLastLineIsTheEndOfIt(t *testing.T) {
	for from, want := range map[string]string{"": "", "one": "one", "one\ntwo\n \n": "two", "one\n\n": "one"} {
		if got := lastLine(from); got != want {
			t.Errorf("%q: %q, want %q", from, got, want)
		}
	}
	long := lastLine(strings.Repeat("x", 1000) + "end")
	if !strings.HasPrefix(long, "…x") || !strings.HasSuffix(long, "end") || len([]rune(long)) != maxWords {
		t.Errorf("of a long line: %q", long)
	}
}

func TestTimesAreSaidAsAPersonDoes(t *testing.T) {
	for d, want := range map[time.Duration]string{300 * time.Millisecond: "300 ms", time.Second: "1 s", 89600 * time.Millisecond: "90 s"} {
		if got := span(d); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}
