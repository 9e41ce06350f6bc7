package child

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// Lines reads newline-delimited JSON from a program. What is no JSON object is
// skipped and handed to Noise (cut to 200 bytes); a line over Max is skipped
// without being held in memory and handed to TooLong with its first 4 KiB.
// Empty lines are skipped in silence; a line may end in CR LF; the last one
// needs no end. Both functions are called from Next and must not keep the bytes.
type Lines struct {
	Max     int // bytes; 0 is 32 MiB
	Noise   func(line []byte)
	TooLong func(head []byte, size int64)

	r     *bufio.Reader
	buf   []byte
	first bool // the next line is the first: it may begin with a byte order mark
}

const (
	maxLine   = 32 << 20
	noiseHead = 200
	longHead  = 4 << 10
	// A buffer that one huge line made larger than this is given back.
	keptBuffer = 1 << 20
)

// NewLines reads from r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, 64<<10), first: true}
}

// Next gives the next line that is a JSON object, valid until the next call.
// io.EOF is the end; any other error is r's.
func (l *Lines) Next() ([]byte, error) {
	for {
		line, size, err := l.read()
		if err != nil && (!errors.Is(err, io.EOF) || size == 0) {
			return nil, err
		}
		if l.first {
			l.first = false
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if size > int64(len(l.buf)) { // more came than was kept
			if l.TooLong != nil {
				l.TooLong(line[:min(len(line), longHead)], size)
			}
			continue
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case line[0] == '{' && json.Valid(line):
			return line, nil
		case l.Noise != nil:
			l.Noise(line[:min(len(line), noiseHead)])
		}
	}
}

// read fills buf with the next line without its end, or with the first 4 KiB of
// one that is too long. size is that of the whole line.
func (l *Lines) read() (line []byte, size int64, err error) {
	limit := l.Max
	if limit <= 0 {
		limit = maxLine
	}
	if cap(l.buf) > keptBuffer {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	dropping := false
	for {
		var part []byte
		part, err = l.r.ReadSlice('\n')
		size += int64(len(part))
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
			size--
		}
		if !dropping {
			if len(l.buf)+len(part) > limit {
				dropping = true
				room := max(min(limit, longHead)-len(l.buf), 0)
				l.buf = append(l.buf, part[:min(room, len(part))]...)
				head := min(len(l.buf), longHead)
				l.buf = append([]byte(nil), l.buf[:head]...)
			} else {
				if need := len(l.buf) + len(part); need > cap(l.buf) {
					// Twice as much each time: append by itself grows a large one by a
					// quarter, and a line of 50 MB would cost five times as much.
					l.buf = slices.Grow(l.buf, max(need, min(2*cap(l.buf), limit))-len(l.buf))
				}
				l.buf = append(l.buf, part...)
			}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.buf, size, err
		}
	}
}
