package child

import (
	"errors"
	"io"
	"os"
	"time"
)

// pipes are both ends of a child's three streams.
type pipes struct {
	inRead, inWrite, outRead, outWrite, errRead, errWrite *os.File
}

func (p *pipes) open() (err error) {
	if p.inRead, p.inWrite, err = os.Pipe(); err != nil {
		return err
	}
	if p.outRead, p.outWrite, err = os.Pipe(); err != nil {
		return err
	}
	p.errRead, p.errWrite, err = os.Pipe()
	return err
}

// closeTheirs closes the ends that the child has now.
func (p *pipes) closeTheirs() {
	p.inRead.Close()
	p.outWrite.Close()
	p.errWrite.Close()
}

func (p *pipes) closeAll() {
	for _, f := range []*os.File{p.inRead, p.inWrite, p.outRead, p.outWrite, p.errRead, p.errWrite} {
		if f != nil {
			f.Close()
		}
	}
}

// output is a child's stdout. It ends with the pipe, or when the program is gone
// and nobody who still holds the pipe says anything.
type output struct {
	file *os.File
	done <-chan struct{}
}

func (o *output) Read(b []byte) (int, error) {
	select {
	case <-o.done:
		o.file.SetReadDeadline(time.Now().Add(lingering)) //nolint:errcheck // not on every system
	default:
	}
	n, err := o.file.Read(b)
	if err != nil && (errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed)) {
		err = io.EOF
	}
	if err == io.EOF {
		o.file.Close()
	}
	return n, err
}
