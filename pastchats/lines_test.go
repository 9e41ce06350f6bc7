package pastchats

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// split reads all lines of r.
func split(t testing.TB, r io.Reader, limit int) (lines []string, long int, err error) {
	t.Helper()
	long, err = new(lineReader).each(r, limit, func(b []byte) error {
		lines = append(lines, string(b))
		return nil
	})
	return lines, long, err
}

func TestLines(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		long       int
	}{
		{"none", "", nil, 0},
		{"line ends of two kinds", "one\r\ntwo\nthree\n", []string{"one", "two", "three"}, 0},
		{"the last without an end", "one\ntwo", []string{"one", "two"}, 0},
		{"blank ones", "\n\none\n \t\n\r\ntwo\n\n", []string{"one", "two"}, 0},
		{"a BOM at the start only", "\ufeffone\n\ufefftwo", []string{"one", "\ufefftwo"}, 0},
		{"a BOM and no more", "\ufeff", nil, 0},
		{"NULs around and between", "\x00\x00one\x00\x00\n\x00\x00\x00\ntwo\n\x00\x00", []string{"one", "two"}, 0},
		{"U+2028 is text", "a\u2028b\u2029c\nd\u0085e\x0bf\n", []string{"a\u2028b\u2029c", "d\u0085e\x0bf"}, 0},
		{"one at the limit", "0123456789\n", []string{"0123456789"}, 0},
		{"one over the limit", "a\n0123456789x\nb\n", []string{"a", "b"}, 1},
		{"the first over the limit", "0123456789x\nb\n", []string{"b"}, 1},
		{"the last over the limit", "a\n0123456789x", []string{"a"}, 1},
		{"far over the limit", "a\n" + strings.Repeat("x", 3<<20) + "\nb\n" + strings.Repeat("y", 2<<20) + "\nc", []string{"a", "b", "c"}, 2},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"at once":                 func(r io.Reader) io.Reader { return r },
		"bytes":                   iotest.OneByteReader,
		"halves":                  iotest.HalfReader,
		"end with the last bytes": iotest.DataErrReader,
	}
	for _, test := range tests {
		for how, reader := range readers {
			lines, long, err := split(t, reader(strings.NewReader(test.text)), 10)
			if err != nil || long != test.long || !slices.Equal(lines, test.want) {
				t.Errorf("%s, %s: %.80q, %d long, %v; want %q, %d", test.name, how, lines, long, err, test.want, test.long)
			}
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("\ufeffone\r\ntwo\n\x00\x00three"), uint8(3), uint16(5))
	f.Fuzz(func(t *testing.T, text []byte, limit uint8, chunk uint16) {
		var want []string
		wantLong := 0
		for i, b := range bytes.Split(text, []byte("\n")) {
			if len(b) > int(limit) {
				wantLong++
				continue
			}
			if i == 0 {
				b = bytes.TrimPrefix(b, []byte("\ufeff"))
			}
			if b = bytes.Trim(b, "\x00\r \t"); len(b) > 0 {
				want = append(want, string(b))
			}
		}
		lines, long, err := split(t, &chunks{text, int(chunk)%977 + 1}, int(limit))
		if err != nil || long != wantLong || !slices.Equal(lines, want) {
			t.Errorf("%q, %d long, %v; want %q, %d", lines, long, err, want, wantLong)
		}
	})
}

// chunks is a reader that gives at most n bytes at once.
type chunks struct {
	left []byte
	n    int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.left[:min(c.n, len(c.left))])
	c.left = c.left[n:]
	return n, nil
}

func TestWhatCameBeforeAnErrorIsGiven(t *testing.T) {
	broken := errors.New("broken")
	lines, _, err := split(t, io.MultiReader(strings.NewReader("one\ntwo\nthr"), iotest.ErrReader(broken)), maxLine)
	if !errors.Is(err, broken) || !slices.Equal(lines, []string{"one", "two", "thr"}) {
		t.Errorf("%q, %v", lines, err)
	}
}

func TestAWalkOverLinesCanBeEnded(t *testing.T) {
	n := 0
	_, err := new(lineReader).each(strings.NewReader("1\n2\n3\n"), maxLine, func([]byte) error {
		if n++; n == 2 {
			return errStop
		}
		return nil
	})
	if err != nil || n != 2 {
		t.Errorf("%d lines, %v", n, err)
	}
}

// R-111-10: a line of 1 GiB is never collected.
func TestALineOfAGibibyteStaysUnderTheBound(t *testing.T) {
	var lr lineReader
	var before, after runtime.MemStats
	var lines []string
	xs := bytes.Repeat([]byte("x"), 1<<20)
	huge := io.MultiReader(strings.NewReader("one\n"), io.LimitReader(repeating(xs), 1<<30), strings.NewReader("\ntwo\n"))
	runtime.ReadMemStats(&before)
	long, err := lr.each(huge, maxLine, func(b []byte) error { lines = append(lines, string(b)); return nil })
	runtime.ReadMemStats(&after)
	if err != nil || long != 1 || !slices.Equal(lines, []string{"one", "two"}) {
		t.Errorf("%.80q, %d long, %v", lines, long, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d bytes were taken for it", got)
	}
}

type repeating []byte

func (r repeating) Read(p []byte) (int, error) { return copy(p, r), nil }

// What is written while a file is read is for the next time.
func TestAFileIsReadToTheSizeThatItHad(t *testing.T) {
	h := madeHome(t)
	path := put(t, filepath.Join(h.Dir, "app/chat"), "one\ntwo\n")
	var lines []string
	_, err := h.lines(context.Background(), filepath.Dir(path), path, maxLine, func(b []byte) error {
		put(t, path, "one\ntwo\n"+strings.Repeat("more\n", 100_000))
		lines = append(lines, string(b))
		return nil
	})
	if err != nil || !slices.Equal(lines, []string{"one", "two"}) {
		t.Errorf("%.80q, %v", lines, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.lines(ctx, filepath.Dir(path), path, maxLine, func([]byte) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was stopped: %v", err)
	}
}
