package home

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"
)

// writer writes one chat and counts what is in it.
type writer struct {
	plot
	*tally
	dir     string
	stuff   *material
	rng     *rand.Rand
	now     time.Time
	project string
	cwd     string
	file    *file
	line    []byte // the line under construction, kept for its memory
}

// file is one file of lines.
type file struct {
	path  string
	os    *os.File
	out   *bufio.Writer
	zip   *zstd.Encoder
	tally *tally
	n     int64 // bytes before any squeezing
	err   error
}

// create begins a file that tally counts. parts are the path from the home on.
func (w *writer) create(t *tally, parts ...string) (*file, error) {
	t.path = filepath.Join(parts...)
	t.source, t.is = w.app, w.kind
	path := filepath.Join(w.dir, t.path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	made := &file{path: path, os: f, tally: t}
	if w.zipped {
		if made.zip, err = zstd.NewWriter(f, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest)); err != nil {
			return nil, err
		}
		made.out = bufio.NewWriterSize(made.zip, 64<<10)
	} else {
		made.out = bufio.NewWriterSize(f, 256<<10)
	}
	return made, nil
}

// put writes a line; an error stays until close.
func (f *file) put(line []byte) {
	f.torn(line)
	if f.err == nil {
		f.err = f.out.WriteByte('\n')
	}
	f.n++
	f.tally.lines++
	if n := len(line); n > 1<<20 {
		f.tally.over1++
		if n > 4<<20 {
			f.tally.over4++
		}
	}
}

// torn writes a line that breaks off.
func (f *file) torn(part []byte) {
	if f.err == nil {
		_, f.err = f.out.Write(part)
	}
	f.n += int64(len(part))
}

// close ends the file and gives it the time of its last words.
func (f *file) close(at time.Time) error {
	err := f.err
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	keep(f.out.Flush())
	if f.zip != nil {
		keep(f.zip.Close())
		f.tally.unpacked = f.n
	}
	end, serr := f.os.Seek(0, io.SeekCurrent)
	keep(serr)
	f.tally.bytes = end
	keep(f.os.Close())
	keep(os.Chtimes(f.path, at, at))
	return err
}

// put makes a line from a pattern and writes it.
func (w *writer) put(pattern string, args ...any) {
	w.line = fmt.Appendf(w.line[:0], pattern, args...)
	w.file.put(w.line)
	if cap(w.line) > 1<<20 {
		w.line = nil
	}
}

// at lets some time pass and gives it as these programs write it.
func (w *writer) at() string {
	w.now = w.now.Add(time.Duration(120+w.rng.IntN(9000)) * time.Millisecond)
	return w.now.UTC().Format("2006-01-02T15:04:05.000Z")
}

func (w *writer) hex(n int) string {
	const hexDigits = "0123456789abcdef"
	b := make([]byte, n)
	for i := 0; i < n; {
		x := w.rng.Uint64()
		for k := 0; k < 16 && i < n; k++ {
			b[i] = hexDigits[x&15]
			x >>= 4
			i++
		}
	}
	return string(b)
}

func (w *writer) uuid() string {
	h := w.hex(32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}

func (w *writer) mark(before string) string {
	const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz123456789"
	return before + from(w.rng, alphabet, 22)
}

func (w *writer) one(of ...string) string { return of[w.rng.IntN(len(of))] }

// chance is true so many times in a thousand.
func (w *writer) chance(inThousand int) bool { return w.rng.IntN(1000) < inThousand }

func (w *writer) blob(n int) []byte { return w.stuff.blob(make([]byte, 0, n), w.rng, n) }
