package apps

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/child"
)

const (
	// quick is how soon a failure must come to be tried again.
	quick = 10 * time.Second
	// pause is what lies between the two tries, unless the app says how long, up to
	// maxPause.
	pause    = 750 * time.Millisecond
	maxPause = 5 * time.Second
)

// patiently opens a connection, and once more when it failed soon and for a reason
// that may pass by itself.
func (b *Bridge) patiently(ctx context.Context, a App, w wishes) (*opened, error) {
	began := b.o.Now()
	o, err := b.once(ctx, a, w)
	if err == nil || ctx.Err() != nil || !passing(err) || b.o.Now().Sub(began) >= quick {
		return o, err
	}
	wait := pause
	if after := askedFor(err); after > 0 && after <= maxPause {
		wait = after
	}
	if b.o.Sleep(ctx, wait) != nil {
		return nil, err
	}
	return b.once(ctx, a, w)
}

// once opens a connection and reads the app's list.
func (b *Bridge) once(ctx context.Context, a App, w wishes) (*opened, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, b.limits.connect, errSlow)
	defer cancel()
	c, err := b.dial(ctx, a, w)
	if err != nil {
		return nil, slow(ctx, err)
	}
	l, err := list(ctx, c, a)
	if err != nil {
		err = slow(ctx, err)
		c.close()
		return nil, err
	}
	return &opened{conn: c, list: l, at: b.o.Now()}, nil
}

// errSlow is the end of an app's time.
var errSlow = errors.New("it did not answer in time")

func slow(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSlow) {
		return errSlow
	}
	return err
}

// statusError is an answer over HTTP that tells of a failure.
type statusError struct {
	code  int
	after time.Duration // Retry-After; 0: it was not said
	said  string        // the beginning of the body, cleaned
}

func (e *statusError) Error() string {
	text := http.StatusText(e.code)
	if e.said != "" {
		text += ": " + e.said
	}
	return text
}

// exitError is a program that ended while it was being spoken to.
type exitError struct {
	words string // "exit 1"
	code  int
	last  string // of its stderr, raw
}

func (e *exitError) Error() string { return "the program ended (" + e.words + ")" }

// A shell's words for a program that is not there or can't be run.
const (
	exitNotRun   = 126
	exitNotFound = 127
)

// passing reports a failure that may be over by itself in a moment.
func passing(err error) bool {
	var status *statusError
	var exit *exitError
	var dns *net.DNSError
	switch {
	case err == nil, errors.Is(err, child.ErrNotFound), errors.Is(err, errSetup):
		return false
	case errors.As(err, &status):
		return status.code == http.StatusRequestTimeout || status.code == http.StatusTooManyRequests || status.code >= 500
	case errors.As(err, &exit):
		return exit.code != exitNotRun && exit.code != exitNotFound
	case untrusted(err):
		return false
	case errors.As(err, &dns):
		return dns.IsTemporary || dns.IsTimeout
	case errors.Is(err, errSlow), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return true
	}
	for _, each := range []error{
		syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.ETIMEDOUT, syscall.EPIPE,
		io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, os.ErrClosed, mcp.ErrConnectionClosed, mcp.ErrSessionMissing,
	} {
		if errors.Is(err, each) {
			return true
		}
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return true
	}
	// The SDK keeps some of its errors' words alone.
	text := strings.ToLower(err.Error())
	for _, words := range []string{
		"connection reset", "connection refused", "broken pipe", "timed out", "connection closed", "closing", "without response", "unexpected eof", "try again",
	} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// askedFor is the pause that the app asked for, 0 for none.
func askedFor(err error) time.Duration {
	var status *statusError
	if errors.As(err, &status) {
		return status.after
	}
	return 0
}
