package redact

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// inPieces gives what a Stream makes of a text that comes in pieces of at most n
// bytes.
func inPieces(t testing.TB, text string, n int, r *rand.Rand) (string, int) {
	t.Helper()
	var out strings.Builder
	s := NewStream(&out)
	for at := 0; at < len(text); {
		end := min(len(text), at+1+r.IntN(n))
		if _, err := s.Write([]byte(text[at:end])); err != nil {
			t.Fatal(err)
		}
		at = end
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), s.Count()
}

func TestAStreamGivesWhatTheWholeTextGives(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	m := newMaker(4)
	var all []string
	for _, l := range corpus(t) {
		all = append(all, l.Text)
	}
	for _, s := range surroundings {
		all = append(all, fill(s.text, m.values()["alnum20"]))
	}
	for _, shape := range innocent {
		all = append(all, m.made(shape))
	}
	for _, key := range samples() {
		all = append(all, "the key "+key+" of cursor")
	}
	check := func(text string, n int) {
		want, count := Redact(text)
		if got, c := inPieces(t, text, n, r); got != want || c != count {
			t.Errorf("in pieces of %d: %q\ngave %q (%d)\nwant %q (%d)", n, text, got, c, want, count)
		}
	}
	for _, text := range all {
		for _, n := range []int{1, 3, 17, 200} {
			check(text, n)
		}
	}
	for range 30 {
		var long strings.Builder
		for range 40 {
			long.WriteString(all[r.IntN(len(all))] + "\n")
			if r.IntN(3) == 0 {
				long.WriteString(strings.Repeat(prose, 1+r.IntN(3)))
			}
		}
		text := long.String()
		if strings.Contains(text, "PRIVATE KEY") && !strings.Contains(text, "-----END") {
			continue
		}
		check(text, 1+r.IntN(3000))
	}
}

func TestAStreamGivesALineOutWhenItEnds(t *testing.T) {
	var out strings.Builder
	s := NewStream(&out)
	for _, line := range []string{"one line\n", "the token is not here\n", "and password resets\n", "password: aB3dE5gH7jK9\n", "next: line\n"} {
		before := out.Len()
		if _, err := s.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if out.Len() == before {
			t.Errorf("%q was held back", line)
		}
	}
	if got := out.String(); !strings.HasSuffix(got, "password: [redacted]\nnext: line\n") {
		t.Errorf("%q", got)
	}
}

func TestAStreamHoldsLittleBack(t *testing.T) {
	m := newMaker(9)
	for name, piece := range map[string]string{
		"one word": "a", "key": "a1B2c3D4e5F6g7H8", "blanks": " ", "lines": "\n", "labels": "password=", "quotes": `password="`, "begin": "-----BEGIN PRIVATE KEY-----\n", "cookie": "Cookie: ",
	} {
		var out strings.Builder
		s := NewStream(&out)
		total := 0
		if name == "key" {
			total, _ = s.Write([]byte("ghp_"))
		}
		for range 2000 {
			n, err := s.Write([]byte(strings.Repeat(piece, 20)))
			if err != nil {
				t.Fatal(err)
			}
			if total += n; len(s.text) > 2*holdBack+2*context+1024 {
				t.Fatalf("%s: %d bytes are held", name, len(s.text))
			}
		}
		if name != "key" && name != "begin" && out.Len() < total-2*holdBack {
			t.Errorf("%s: %d bytes of %d came out", name, out.Len(), total)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if name == "key" && (out.String() != Marker || s.Count() != 1) {
			t.Errorf("%s: %.80q (%d)", name, out.String(), s.Count())
		}
	}
	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat(m.from(lowers+uppers, 64)+"\n", 5000)
	var out strings.Builder
	s := NewStream(&out)
	for at := 0; at < len(key); at += 1000 {
		if _, err := s.Write([]byte(key[at:min(len(key), at+1000)])); err != nil {
			t.Fatal(err)
		}
		if len(s.text) > 2*holdBack {
			t.Fatalf("a private key is held: %d", len(s.text))
		}
	}
	if _, err := s.Write([]byte("-----END PRIVATE KEY-----\nafter\n")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || out.String() != "-----BEGIN PRIVATE KEY-----\n[redacted]\n-----END PRIVATE KEY-----\nafter\n" {
		t.Errorf("%v, %.200q", err, out.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestAStreamPassesOnTheWritersError(t *testing.T) {
	s := NewStream(broken{})
	if _, err := s.Write([]byte("a line\n")); err == nil {
		t.Error("no error")
	}
	if err := s.Close(); err == nil {
		t.Error("no error at the end")
	}
}

func FuzzStream(f *testing.F) {
	for _, l := range corpus(f) {
		f.Add(l.Text, uint64(1), 7)
	}
	m := newMaker(1)
	for _, s := range surroundings {
		f.Add(fill(s.text, m.values()["symbols"])+"\nand more\n", uint64(2), 3)
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64, n int) {
		if len(text) > holdBack/2 || n <= 0 {
			return
		}
		want, count := Redact(text)
		if got, c := inPieces(t, text, n, rand.New(rand.NewPCG(seed, 1))); got != want || c != count {
			t.Errorf("%q in pieces of %d: %q (%d), want %q (%d)", text, n, got, c, want, count)
		}
	})
}
