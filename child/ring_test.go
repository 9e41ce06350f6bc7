package child

import (
	"io"
	"strings"
	"testing"
)

func TestTheRingKeepsTheLastBytes(t *testing.T) {
	for size := 1; size < 12; size++ {
		r := newRing(size)
		all := ""
		for i := range 60 {
			part := strings.Repeat(string(rune('a'+i%26)), i%(size+3))
			if n, err := io.WriteString(r, part); n != len(part) || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
			all += part
			if want := all[max(0, len(all)-size):]; r.String() != want {
				t.Fatalf("size %d, after %d bytes: %q, not %q", size, len(all), r, want)
			}
		}
	}
}
