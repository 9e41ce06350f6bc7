package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// heard is all that Lines gives for an input.
type heard struct {
	Lines, Noise []string
	Long         []string // size and the length of the head
	Err          error
}

func hearAll(l *Lines) heard {
	var h heard
	l.Noise = func(line []byte) { h.Noise = append(h.Noise, string(line)) }
	l.TooLong = func(head []byte, size int64) {
		h.Long = append(h.Long, fmt.Sprintf("%d bytes, head %d", size, len(head)))
	}
	for {
		line, err := l.Next()
		if err != nil {
			if err != io.EOF {
				h.Err = err
			}
			return h
		}
		h.Lines = append(h.Lines, string(line))
	}
}

func TestLinesGivesWhatIsJSONAndNothingElse(t *testing.T) {
	long := `{"text":"` + strings.Repeat("x", 2000) + `"}`
	for _, test := range []struct {
		name, in string
		max      int
		want     heard
	}{
		{"nothing", "", 0, heard{}},
		{"two messages", "{\"a\":1}\n{\"b\":2}\n", 0, heard{Lines: []string{`{"a":1}`, `{"b":2}`}}},
		{"no line end after the last", `{"a":1}`, 0, heard{Lines: []string{`{"a":1}`}}},
		{"a last line that was cut", "{\"a\":1}\n{\"b\":", 0, heard{Lines: []string{`{"a":1}`}, Noise: []string{`{"b":`}}},
		{"CR LF", "{\"a\":1}\r\n\r\n{\"b\":2}\r\n", 0, heard{Lines: []string{`{"a":1}`, `{"b":2}`}}},
		{"a byte order mark", "\xef\xbb\xbf{\"a\":1}\n", 0, heard{Lines: []string{`{"a":1}`}}},
		{"spaces and empty lines", "\n  \n  {\"a\":1}  \n\n", 0, heard{Lines: []string{`{"a":1}`}}},
		{"banners and JSON that is no object", "Loaded cached credentials.\n[1,2,3]\n\"hi\"\n42\n{\"a\":1}\nbye", 0,
			heard{Lines: []string{`{"a":1}`}, Noise: []string{"Loaded cached credentials.", "[1,2,3]", `"hi"`, "42", "bye"}}},
		{"noise is cut", strings.Repeat("n", 1000) + "\n", 0, heard{Noise: []string{strings.Repeat("n", 200)}}},
		{"invalid UTF-8 in a string", "{\"a\":\"\xff\xfe\"}\n", 0, heard{Lines: []string{"{\"a\":\"\xff\xfe\"}"}}},
		{"NUL bytes", "{\"a\":\"\x00\"}\n{\"b\":2}\n", 0, heard{Lines: []string{`{"b":2}`}, Noise: []string{"{\"a\":\"\x00\"}"}}},
		{"a line as long as may be", long + "\n{\"b\":2}\n", len(long), heard{Lines: []string{long, `{"b":2}`}}},
		{"a line one byte longer", long + "\n{\"b\":2}\n", len(long) - 1,
			heard{Lines: []string{`{"b":2}`}, Long: []string{fmt.Sprintf("%d bytes, head %d", len(long), len(long)-1)}}},
		{"a long line at the end", "{\"b\":2}\n" + long, 100, heard{Lines: []string{`{"b":2}`}, Long: []string{"2011 bytes, head 100"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once":        strings.NewReader(test.in),
				"byte by byte":   iotest.OneByteReader(strings.NewReader(test.in)),
				"end with bytes": iotest.DataErrReader(strings.NewReader(test.in)),
			} {
				l := NewLines(r)
				l.Max = test.max
				if diff := cmp.Diff(test.want, hearAll(l)); diff != "" {
					t.Errorf("%s: (-want +got)\n%s", how, diff)
				}
			}
		})
	}
}

func TestLinesSkipsA40MegabyteLineWithoutHoldingIt(t *testing.T) {
	const size = 40 << 20
	in := io.MultiReader(
		strings.NewReader("{\"a\":1}\n"),
		strings.NewReader(`{"jsonrpc":"2.0","id":7,"result":"`),
		io.LimitReader(endless('x'), size),
		strings.NewReader("\"}\n{\"b\":2}\n"))
	l := NewLines(in)
	var head string
	var got int64
	l.TooLong = func(h []byte, size int64) { head, got = string(h), size }
	for _, want := range []string{`{"a":1}`, `{"b":2}`} {
		if line, err := l.Next(); string(line) != want || err != nil {
			t.Fatalf("%q, %v", line, err)
		}
	}
	if !strings.HasPrefix(head, `{"jsonrpc":"2.0","id":7,`) || len(head) != longHead || got < size {
		t.Errorf("head of %d bytes, size %d", len(head), got)
	}
	if c := cap(l.buf); c > keptBuffer {
		t.Errorf("%d bytes are still held", c)
	}
}

// An endless line must not fill the memory: the buffer stops at the bound.
func TestLinesHoldsNoMoreThanTheBound(t *testing.T) {
	l := NewLines(io.LimitReader(endless('x'), 64<<20))
	l.Max = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := l.Next(); err != io.EOF {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes were made for a line bound of %d", grown, l.Max)
	}
}

func TestLinesHandsOnAReadError(t *testing.T) {
	broken := errors.New("broken")
	l := NewLines(io.MultiReader(strings.NewReader("{\"a\":1}\n{\"b\""), iotest.ErrReader(broken)))
	h := hearAll(l)
	if !errors.Is(h.Err, broken) || len(h.Lines) != 1 {
		t.Errorf("%+v", h)
	}
}

type endless byte

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e)
	}
	return len(b), nil
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"a\":1}\nnoise\r\n{\"b\":\"\xff\"}"), uint8(0))
	f.Add([]byte("{\"a\":1}\n\n{"), uint8(4))
	f.Add(bytes.Repeat([]byte("{}\n"), 50), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, max uint8) {
		whole, single := NewLines(bytes.NewReader(in)), NewLines(iotest.OneByteReader(bytes.NewReader(in)))
		whole.Max, single.Max = int(max), int(max)
		a, b := hearAll(whole), hearAll(single)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("how the bytes come matters:\n%s", diff)
		}
		for _, line := range a.Lines {
			if line[0] != '{' || strings.Contains(line, "\n") || max > 0 && len(line) > int(max) {
				t.Errorf("gave %q", line)
			}
		}
		if a.Err != nil {
			t.Error(a.Err)
		}
	})
}

func BenchmarkLines(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"text":"` + strings.Repeat("word ", 20) + `"}}}` + "\n")
	in := bytes.Repeat(line, 6000)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		l := NewLines(bytes.NewReader(in))
		for {
			if _, err := l.Next(); err != nil {
				break
			}
		}
	}
}
