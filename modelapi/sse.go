package modelapi

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Bounds of a stream, in bytes.
const (
	maxLine   = 8 << 20
	maxStream = 64 << 20
)

// events reads server-sent events. Lines are bounded, and so is all of them.
type events struct {
	lines *bufio.Reader
	left  int64
}

func newEvents(r io.Reader) *events {
	return &events{lines: bufio.NewReaderSize(r, 64<<10), left: maxStream}
}

// next gives the next event that has data. Comments, and lines of no known field,
// are left out. The error io.EOF is the end.
func (e *events) next() (name string, data []byte, err error) {
	has := false
	for {
		line, err := e.line()
		if err != nil {
			if errors.Is(err, io.EOF) && has {
				return name, data, nil // the last event lacks its blank line
			}
			return "", nil, err
		}
		if len(line) == 0 {
			if has {
				return name, data, nil
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value[:min(len(value), maxName)])
		case "data":
			if has {
				data = append(data, '\n')
			}
			data, has = append(data, value...), true
			if len(data) > maxLine {
				return "", nil, errTooMuch
			}
		}
	}
}

// line gives the next line without its end.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		part, err := e.lines.ReadSlice('\n')
		if e.left -= int64(len(part)); e.left < 0 || len(line)+len(part) > maxLine {
			return nil, errTooMuch
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}
