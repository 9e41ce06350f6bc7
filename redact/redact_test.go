package redact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

type line struct {
	ID, Cat, Text string
	Secrets, Keep []string
}

func corpus(t testing.TB) []line {
	t.Helper()
	data, err := os.ReadFile("testdata/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var lines []line
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if len(lines) < 300 {
		t.Fatalf("only %d lines", len(lines))
	}
	return lines
}

// leaks reports that a telling part of a secret is still in the text.
func leaks(text, secret string) bool {
	n := min(12, max((len(secret)+1)/2, 6))
	for i := 0; i+n <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+n]) {
			return true
		}
	}
	return false
}

func TestCorpus(t *testing.T) {
	missed, changed := map[string]int{}, 0
	for _, l := range corpus(t) {
		got, n := Redact(l.Text)
		if (n == 0) != (got == l.Text) {
			t.Errorf("%s: %d replacements, %q", l.ID, n, got)
		}
		for _, keep := range l.Keep {
			if !strings.Contains(got, keep) {
				t.Errorf("%s (%s) lost %q: %q", l.ID, l.Cat, keep, got)
			}
		}
		if len(l.Secrets) == 0 && n > 0 {
			changed++
			t.Errorf("%s is clean and became %q", l.ID, got)
		}
		for _, secret := range l.Secrets {
			if leaks(got, secret) {
				missed[l.Cat]++
				t.Errorf("%s (%s): %q became %q", l.ID, l.Cat, l.Text, got)
			}
		}
		if again, n := Redact(got); again != got || n != 0 {
			t.Errorf("%s: again %d: %q then %q", l.ID, n, got, again)
		}
	}
	t.Logf("missed by kind: %v", missed)
}

// TestWhatStandsAfterAKey has keys that a comma, a bracket, an escape or letters
// follow, line for line with their counts.
func TestWhatStandsAfterAKey(t *testing.T) {
	type row struct {
		Text  string
		Count int
	}
	read := func(name string) (rows []row) {
		data, err := os.ReadFile("testdata/around-a-key/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			var r row
			if err := json.Unmarshal([]byte(l), &r); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, r)
		}
		return rows
	}
	in, out := read("in.jsonl"), read("out.jsonl")
	if len(in) != len(out) || len(in) == 0 {
		t.Fatalf("%d lines in, %d out", len(in), len(out))
	}
	for i := range in {
		if got, n := Redact(in[i].Text); got != out[i].Text || n != out[i].Count {
			t.Errorf("%q became %q (%d), want %q (%d)", in[i].Text, got, n, out[i].Text, out[i].Count)
		}
	}
}
