package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal reports that a stream is one.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printer writes to stdout and remembers the first failure: a reader that went
// away ends the work.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
