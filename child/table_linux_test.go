package child

import (
	"os"
	"testing"
)

func TestAStatLineIsReadWhateverTheProgramIsCalled(t *testing.T) {
	const rest = " S 10 20 20 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1000 2000"
	for _, name := range []string{"(sh)", "(a b)", "(x) Z 1 1)", "(\n)", "(())"} {
		e, ok := parseStat(7, []byte("7 "+name+rest))
		want := entry{ident: ident{7, 4242}, parent: 10, group: 20}
		if !ok || e != want {
			t.Errorf("%q: %+v, %v", name, e, ok)
		}
	}
	for _, bad := range []string{"", "7", "7 (sh", "7 (sh) S 1", "7 (sh) S a b c d e f g h i j k l m n o p q r s"} {
		if e, ok := parseStat(7, []byte(bad)); ok {
			t.Errorf("%q: %+v", bad, e)
		}
	}
}

func TestTheProcessTableHoldsThisProcess(t *testing.T) {
	table, ok := processes()
	if !ok {
		t.Fatal("no table")
	}
	start, there := startOf(os.Getpid())
	for _, e := range table {
		if e.pid == os.Getpid() {
			if !there || e.start != start || e.parent != os.Getppid() || e.dead {
				t.Errorf("%+v; start %d, %v", e, start, there)
			}
			return
		}
	}
	t.Error("not in the table")
}

func BenchmarkNote(b *testing.B) {
	t := newTree("mark", ident{})
	for b.Loop() {
		t.walk(false)
	}
}
