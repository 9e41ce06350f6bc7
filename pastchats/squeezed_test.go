package pastchats

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func squeeze(t testing.TB, texts ...string) []byte {
	t.Helper()
	var all []byte
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		all = w.EncodeAll([]byte(text), all)
	}
	return all
}

func unsqueezeAll(t testing.TB, b []byte) (string, error) {
	t.Helper()
	r, err := unsqueeze(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	_, err = io.Copy(&out, r)
	return out.String(), err
}

// lettersText is text that does not squeeze to nothing.
func lettersText(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(r.IntN(26))
	}
	return string(b)
}

func TestFramesOneAfterAnotherAreOneText(t *testing.T) {
	got, err := unsqueezeAll(t, squeeze(t, "one\n", "two\n"))
	if err != nil || got != "one\ntwo\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestACutOffFrameKeepsWhatCameBefore(t *testing.T) {
	text := lettersText(1 << 20)
	whole := squeeze(t, "first\n", text)
	got, err := unsqueezeAll(t, whole[:len(whole)*3/4])
	if err == nil || len(got) < 1<<18 || !strings.HasPrefix("first\n"+text, got) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, b := range [][]byte{nil, []byte("no zstd"), whole[:3]} {
		if got, err := unsqueezeAll(t, b); got != "" || err == nil && len(b) > 0 {
			t.Errorf("%q gives %q, %v", b, got, err)
		}
	}
}

// A frame that asks for more than 128 MiB is refused before memory is taken.
func TestAWindowThatIsTooLargeIsRefused(t *testing.T) {
	// A frame's header: magic, no single segment, a window of 2^(10+20) bytes.
	frame := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3}, make([]byte, 100)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := unsqueezeAll(t, frame)
	runtime.ReadMemStats(&after)
	if got != "" || !errors.Is(err, zstd.ErrWindowSizeExceeded) {
		t.Errorf("%q, %v", got, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

func TestOneFileBecomesAtMostItsBound(t *testing.T) {
	r, err := unsqueeze(bytes.NewReader(squeeze(t, strings.Repeat("x", 1000))))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.(*unsqueezed).left = 300
	got, err := io.ReadAll(r)
	if len(got) != 300 || !errors.Is(err, errTooBig) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	r2, err := unsqueeze(bytes.NewReader(squeeze(t, strings.Repeat("x", 300))))
	if err != nil {
		t.Fatal(err)
	}
	defer r2.Close()
	r2.(*unsqueezed).left = 300
	if got, err := io.ReadAll(r2); len(got) != 300 || err != nil {
		t.Errorf("what fits exactly: %d bytes, %v", len(got), err)
	}
}

func TestASqueezedRowIsWholeOrNothing(t *testing.T) {
	if got, err := unsqueezeRow(squeeze(t, "one", "two")); string(got) != "onetwo" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := unsqueezeRow(squeeze(t, strings.Repeat("x", maxRow))); len(got) != maxRow || err != nil {
		t.Errorf("one at the limit: %d bytes, %v", len(got), err)
	}
	whole := squeeze(t, lettersText(100_000))
	for name, b := range map[string][]byte{
		"over the limit":           squeeze(t, strings.Repeat("x", maxRow+1)),
		"over the limit in frames": squeeze(t, strings.Repeat("x", maxRow), "x"),
		"cut off":                  whole[:len(whole)/2],
		"not zstd":                 []byte(`{"a":1}`),
	} {
		if got, err := unsqueezeRow(b); got != nil || err == nil {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

func FuzzUnsqueezeRow(f *testing.F) {
	f.Add(squeeze(f, "one", "two"))
	f.Add(squeeze(f, strings.Repeat("x", maxRow+1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := unsqueezeRow(b); len(got) > maxRow || err != nil && got != nil {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
}

func BenchmarkUnsqueezeRow(b *testing.B) {
	row := squeeze(b, strings.Repeat(`{"type":"message","text":"The menu is cut off."}`, 20))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := unsqueezeRow(row); err != nil {
			b.Fatal(err)
		}
	}
}
