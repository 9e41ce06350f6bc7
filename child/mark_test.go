package child

import "testing"

func TestAMarkIsFoundWholeOnly(t *testing.T) {
	for block, want := range map[string]bool{
		"":                                   false,
		"CONCH_CHILD=abc":                    true,
		"CONCH_CHILD=abc\x00":                true,
		"A=1\x00CONCH_CHILD=abc\x00B=2\x00":  true,
		"A=1\x00\x00\x00CONCH_CHILD=abc\x00": true,
		"CONCH_CHILD=abcd\x00":               false,
		"XCONCH_CHILD=abc\x00":               false,
		"A=CONCH_CHILD=abc\x00":              false,
	} {
		if got := hasMark([]byte(block), "abc"); got != want {
			t.Errorf("%q: %v", block, got)
		}
	}
}

func FuzzHear(f *testing.F) {
	f.Add("watch a")
	f.Add("add a 5 6")
	f.Add("note a -1 0")
	f.Fuzz(func(t *testing.T, line string) {
		trees := map[string]*tree{"a": newTree("a", ident{})}
		hear(trees, line)
		for _, tr := range trees {
			for id := range tr.noted {
				if id.pid <= 1 {
					t.Errorf("%q: notes %v", line, id)
				}
			}
		}
	})
}
