package chats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const chunk = 64 << 10 // bytes of a log that are read at once

// wholeLines gives the offset behind the last line feed in the first size bytes.
func wholeLines(r io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 0, chunk)
	for end := size; end > 0; {
		from := max(0, end-chunk)
		buf = buf[:end-from]
		if _, err := r.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("read the end of the log: %w", err)
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		end = from
	}
	return 0, nil
}

// backward gives the lines of a log from its end on.
type backward struct {
	r    io.ReaderAt
	buf  []byte
	from int64 // where buf begins in the file
	step int64
	err  error
}

// newBackward starts before end, which is the end of a line.
func newBackward(r io.ReaderAt, end int64) *backward {
	return &backward{r: r, from: end, step: chunk}
}

// next gives a line without its line feed and where it begins; ok is false at
// the beginning of the log or after an error. The line is valid until the next
// call.
func (b *backward) next() (line []byte, at int64, ok bool) {
	for b.err == nil {
		if n := len(b.buf); n > 0 {
			if i := bytes.LastIndexByte(b.buf[:n-1], '\n'); i >= 0 || b.from == 0 {
				line, at = b.buf[i+1:n-1], b.from+int64(i)+1
				b.buf = b.buf[:i+1]
				return line, at, true
			}
		}
		if b.from == 0 {
			return nil, 0, false
		}
		n := min(b.step, b.from)
		more := make([]byte, n+int64(len(b.buf)))
		if _, err := b.r.ReadAt(more[:n], b.from-n); err != nil {
			b.err = fmt.Errorf("read the log backwards: %w", err)
			return nil, 0, false
		}
		copy(more[n:], b.buf)
		b.buf, b.from = more, b.from-n
		b.step *= 2 // a line longer than a chunk costs no more than twice itself
		if i := bytes.IndexByte(more, '\n'); i >= 0 {
			b.step = chunk
		}
	}
	return nil, 0, false
}

// forward calls do with each whole line in r from from to end, until do says no.
func forward(r io.ReaderAt, from, end int64, do func(line []byte, at int64) bool) error {
	in := bufio.NewReaderSize(io.NewSectionReader(r, from, end-from), chunk)
	var long []byte
	for at := from; ; {
		piece, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, piece...)
			continue
		case errors.Is(err, io.EOF):
			return nil // what has no line feed is not a line
		case err != nil:
			return fmt.Errorf("read the log: %w", err)
		}
		line := piece
		if len(long) > 0 {
			long = append(long, piece...)
			line = long
		}
		n := int64(len(line))
		if !do(line[:n-1], at) {
			return nil
		}
		at += n
		long = long[:0]
	}
}

// after gives where the first line with a seq above seq begins, or end.
func after(r io.ReaderAt, end, seq int64) (int64, error) {
	lo, hi := int64(0), end
	for hi-lo > chunk {
		mid := lo + (hi-lo)/2
		at, got, err := firstIn(r, mid, hi)
		switch {
		case err != nil:
			return 0, err
		case at < 0:
			hi = mid
		case got <= seq:
			lo = at
		default:
			hi = at
		}
	}
	found := end
	err := forward(r, lo, end, func(line []byte, at int64) bool {
		if h, ok := readHeader(line); ok && h.Seq > seq {
			found = at
			return false
		}
		return true
	})
	return found, err
}

// firstIn finds the first readable line that begins behind from and before end;
// at is -1 when there is none.
func firstIn(r io.ReaderAt, from, end int64) (at, seq int64, err error) {
	at = -1
	first := true
	err = forward(r, from, end, func(line []byte, start int64) bool {
		if first { // begins before from, as far as can be told
			first = false
			return true
		}
		h, ok := readHeader(line)
		if ok {
			at, seq = start, h.Seq
		}
		return !ok
	})
	return at, seq, err
}
