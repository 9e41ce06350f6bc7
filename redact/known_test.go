package redact

import "testing"

func TestKnownKeysGoHoweverTheyLook(t *testing.T) {
	r := New("plainwords", "a b/c&d\"e", "short", " ", "redacted", "ghp_Pshb9sfKSJRymkSyodobZQJihFzD8HKrL3ud")
	for _, c := range []struct {
		in, want string
		n        int
	}{
		{"say plainwords, and plainwordsplainwords", "say [redacted], and [redacted][redacted]", 3},
		{`{"x":"a b/c&d\"e"}`, `{"x":"[redacted]"}`, 1},
		{`{"x":"a b/c\u0026d\"e"}`, `{"x":"[redacted]"}`, 1},
		{"?q=a+b%2Fc%26d%22e&x", "?q=[redacted]&x", 1},
		{"short and redacted stay", "short and redacted stay", 0},
		{"token: ghp_Pshb9sfKSJRymkSyodobZQJihFzD8HKrL3ud", "token: [redacted]", 1},
		{"password=xyplainwords99!", "password=[redacted]", 1},
		{"a\x00plainwords\r\n", "a\x00[redacted]\r\n", 1},
		{"nothing", "nothing", 0},
	} {
		got, n := r.Redact(c.in)
		if got != c.want || n != c.n {
			t.Errorf("%q became %q (%d), want %q (%d)", c.in, got, n, c.want, c.n)
		}
		if again, n := r.Redact(got); again != got || n != 0 {
			t.Errorf("%q again became %q (%d)", got, again, n)
		}
	}
	var none Redactor
	if got, n := none.Redact("password=aB3dE5fG7"); got != "password=[redacted]" || n != 1 {
		t.Errorf("the zero value: %q (%d)", got, n)
	}
}

func TestAStreamKnowsKeysToo(t *testing.T) {
	var out testWriter
	s := New("plain words of mine").Stream(&out)
	for _, part := range []string{"it is pla", "in wor", "ds of ", "mine, ", "plain words of yours"} {
		if _, err := s.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil || string(out) != "it is [redacted], plain words of yours" || s.Count() != 1 {
		t.Errorf("%q, %d, %v", out, s.Count(), err)
	}
}

type testWriter []byte

func (w *testWriter) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }
