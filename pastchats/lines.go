package pastchats

import (
	"bytes"
	"errors"
	"io"
)

const (
	maxLine  = 4 << 20 // bytes; a longer line is passed over
	maxWords = 24_000  // characters of one message
	maxKept  = 4_000   // messages of one chat
)

// errStop ends a walk over lines early, without an error.
var errStop = errors.New("stop")

// lineReader gives the lines of a file with bounded memory. It is made once for
// each worker and used for all its files.
type lineReader struct {
	buf []byte
}

// each calls line for every line of r that has at most limit bytes, without its
// line end, a BOM at the file's start and NULs around it. Only \n ends a line. The last line
// counts also without one. long is how many lines were longer; they are never
// collected. line may return errStop. The bytes are valid until it returns.
func (lr *lineReader) each(r io.Reader, limit int, line func([]byte) error) (long int, err error) {
	if cap(lr.buf) < limit+4096 {
		lr.buf = make([]byte, limit+4096)
	}
	buf := lr.buf[:cap(lr.buf)]
	n, first, over := 0, true, false
	give := func(b []byte) error {
		if first {
			b, first = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), false
		}
		b = bytes.Trim(b, "\x00\r \t")
		if len(b) == 0 {
			return nil
		}
		return line(b)
	}
	for {
		m, rerr := r.Read(buf[n:])
		n += m
		at := 0
		for {
			i := bytes.IndexByte(buf[at:n], '\n')
			if i < 0 {
				break
			}
			b := buf[at : at+i]
			at += i + 1
			switch {
			case over, len(b) > limit:
				long, over, first = long+1, false, false
			default:
				if err := give(b); err != nil {
					if errors.Is(err, errStop) {
						return long, nil
					}
					return long, err
				}
			}
		}
		n = copy(buf, buf[at:n])
		if n > limit {
			over, n = true, 0
		}
		if rerr != nil {
			switch {
			case over:
				long++
			case n > 0:
				if err := give(buf[:n]); err != nil && !errors.Is(err, errStop) {
					return long, err
				}
			}
			if errors.Is(rerr, io.EOF) {
				rerr = nil
			}
			return long, rerr
		}
	}
}
