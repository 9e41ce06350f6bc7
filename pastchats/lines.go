package pastchats

import (
	"bytes"
	"context"
	"errors"
	"io"
)

const (
	maxLine  = 4 << 20 // bytes; a longer line is passed over
	maxWords = 24_000  // characters of one message
	maxKept  = 4_000   // messages of one chat

	readAtOnce = 128 << 10 // bytes of one read: what is split next is still in the processor's cache
	fewBytes   = 32 << 10  // of a line in hand that are cheaper moved than left
)

// errStop ends a walk over lines early, without an error.
var errStop = errors.New("stop")

// lineReader gives the lines of a file with bounded memory. It is made once for
// each worker and used for all its files; Home.borrow gives one.
type lineReader struct {
	buf []byte
}

// borrow gives a line reader, giveBack takes it for the next file.
func (h *Home) borrow() *lineReader {
	if lr, ok := h.readers.Get().(*lineReader); ok {
		return lr
	}
	return new(lineReader)
}

func (h *Home) giveBack(lr *lineReader) {
	if cap(lr.buf) <= maxLine+2*readAtOnce { // a change log's one line is not kept
		h.readers.Put(lr)
	}
}

// lines opens a file below root and calls line as lineReader.each does, for what
// the file holds at this moment: what is written meanwhile is read next time.
func (h *Home) lines(ctx context.Context, root, path string, limit int, line func([]byte) error) (long int, err error) {
	f, err := h.open(root, path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	lr := h.borrow()
	defer h.giveBack(lr)
	r := io.LimitReader(reading{ctx, f}, info.Size())
	if h.failing != nil {
		r = h.failing(path, r)
	}
	return lr.each(r, limit, line)
}

// reading ends a file's reading when the run is stopped.
type reading struct {
	ctx context.Context
	r   io.Reader
}

func (r reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// each calls line for every line of r that has at most limit bytes, without its
// line end, a BOM at the file's start and NULs around it. Only \n ends a line. The last line
// counts also without one. long is how many lines were longer; they are never
// collected. line may return errStop. The bytes are valid until it returns. What
// came before an error of r is given, then the error.
func (lr *lineReader) each(r io.Reader, limit int, line func([]byte) error) (long int, err error) {
	var (
		buf    = lr.buf
		first  = true  // nothing was given yet
		over   = false // the line in hand is too long: what is left of it is dropped
		start  = 0     // of the line in hand
		looked = 0     // no line end before it
		end    = 0     // of what was read
		empty  = 0     // reads in a row that gave nothing
	)
	defer func() { lr.buf = buf }()
	give := func(b []byte) error {
		if first {
			b, first = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), false
		}
		if b = bytes.Trim(b, "\x00\r \t"); len(b) == 0 {
			return nil
		}
		return line(b)
	}
	for {
		if len(buf)-end < readAtOnce {
			if start > 0 {
				end = copy(buf, buf[start:end])
				looked -= start
				start = 0
			}
			if len(buf)-end < readAtOnce {
				more := make([]byte, min(max(2*len(buf), 2*readAtOnce), limit+2*readAtOnce))
				copy(more, buf[:end])
				buf = more
			}
		}
		n, rerr := r.Read(buf[end:min(len(buf), end+readAtOnce)])
		end += n
		for {
			i := bytes.IndexByte(buf[looked:end], '\n')
			if i < 0 {
				looked = end
				break
			}
			b := buf[start : looked+i]
			looked += i + 1
			start = looked
			if over || len(b) > limit {
				long, over, first = long+1, false, false
				continue
			}
			if err := give(b); err != nil {
				if errors.Is(err, errStop) {
					err = nil
				}
				return long, err
			}
		}
		if end-start > limit {
			over = true
		}
		if over {
			start, looked, end = 0, 0, 0
		}
		if start > 0 && end-start <= fewBytes {
			// Reading into the same place again keeps it in the processor's cache.
			end = copy(buf, buf[start:end])
			start, looked = 0, end
		}
		if n > 0 {
			empty = 0
		} else if empty++; empty > 100 && rerr == nil {
			rerr = io.ErrNoProgress
		}
		if rerr == nil {
			continue
		}
		if over {
			long++
		} else if end > start {
			if err := give(buf[start:end]); err != nil && !errors.Is(err, errStop) {
				return long, err
			}
		}
		if errors.Is(rerr, io.EOF) {
			rerr = nil
		}
		return long, rerr
	}
}
