package apps

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/child"
)

// Checklist 11, R-102-25, R-102-26.
func TestAConnectionThatFailedForAPassingReasonIsTriedOnceMore(t *testing.T) {
	tls := errors.New("remote error: tls: handshake failure")
	for _, each := range []struct {
		name  string
		err   error
		takes time.Duration
		tries int
		slept time.Duration
		says  string // in Missing
	}{
		{"reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, time.Second, 2, 750 * time.Millisecond, "connection reset"},
		{"refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, 0, 2, 750 * time.Millisecond, "nothing listens"},
		{"timed out", &net.OpError{Op: "dial", Err: syscall.ETIMEDOUT}, 0, 2, 750 * time.Millisecond, "timed out"},
		{"broken pipe", fmt.Errorf("write a message: %w", syscall.EPIPE), 0, 2, 750 * time.Millisecond, "broken pipe"},
		{"a look-up that asks to try again", &net.DNSError{Name: "apps.example", Err: "server misbehaving", IsTemporary: true}, 0, 2, 750 * time.Millisecond, "can't be looked up now"},
		{"closed", fmt.Errorf("%w: calling initialize", mcp.ErrConnectionClosed), 0, 2, 750 * time.Millisecond, "closed the connection"},
		{"end of file", io.EOF, 0, 2, 750 * time.Millisecond, "closed the connection"},
		{"HTTP 408", &statusError{code: 408}, 0, 2, 750 * time.Millisecond, "HTTP 408"},
		{"HTTP 429", &statusError{code: 429}, 0, 2, 750 * time.Millisecond, "HTTP 429"},
		{"HTTP 500", &statusError{code: 500}, 0, 2, 750 * time.Millisecond, "HTTP 500"},
		{"HTTP 503", &statusError{code: 503}, 0, 2, 750 * time.Millisecond, "HTTP 503"},
		{"HTTP 503 that says when", &statusError{code: 503, after: 3 * time.Second}, 0, 2, 3 * time.Second, "HTTP 503"},
		{"HTTP 503 that says five seconds", &statusError{code: 503, after: 5 * time.Second}, 0, 2, 5 * time.Second, "HTTP 503"},
		{"HTTP 503 that says much later", &statusError{code: 503, after: time.Minute}, 0, 2, 750 * time.Millisecond, "HTTP 503"},
		{"a program that ended", &exitError{words: "exit 1", code: 1}, 0, 2, 750 * time.Millisecond, "the program ended at once (exit 1)"},
		{"just below ten seconds", io.EOF, 10*time.Second - 1, 2, 750 * time.Millisecond, "closed"},

		{"slow, over ten seconds", io.EOF, 10 * time.Second, 1, 0, "closed"},
		{"a missing program", fmt.Errorf("start ledger: %w", child.ErrNotFound), 0, 1, 0, "is not there, or can't be run"},
		{"a shell that finds no program", &exitError{words: "exit 127", code: 127}, 0, 1, 0, "exit 127"},
		{"a file that is not executable", &exitError{words: "exit 126", code: 126}, 0, 1, 0, "exit 126"},
		{"HTTP 401", &statusError{code: 401}, 0, 1, 0, "HTTP 401"},
		{"HTTP 403", &statusError{code: 403}, 0, 1, 0, "HTTP 403"},
		{"HTTP 404", &statusError{code: 404}, 0, 1, 0, "HTTP 404"},
		{"HTTP 400", &statusError{code: 400}, 0, 1, 0, "HTTP 400"},
		{"a name that nobody knows", &net.DNSError{Name: "apps.example", Err: "no such host", IsNotFound: true}, 0, 1, 0, "nobody knows the name apps.example"},
		{"a bad address", errors.New("parse \"http://[\": missing ']' in host"), 0, 1, 0, "missing"},
		{"TLS", tls, 0, 1, 0, "can't be trusted"},
		{"a variable that is not set", &setupError{"the environment variable X is not set", "set it"}, 0, 1, 0, "X is not set"},
	} {
		t.Run(each.name, func(t *testing.T) {
			p := &pretend{fail: func(int) error { return each.err }, takes: each.takes}
			b := playing(t, p)
			set := connected(t, b, &turn{})
			var want []time.Duration
			if each.slept > 0 {
				want = []time.Duration{each.slept}
			}
			if d := cmp.Diff(want, p.clock.slept); p.tried() != each.tries || d != "" {
				t.Errorf("%d tries, want %d; pauses: %s", p.tried(), each.tries, d)
			}
			if len(set.Tools) != 0 || len(set.Missing) != 1 || !strings.HasPrefix(set.Missing[0], "the app ledger is not there: ") || !strings.Contains(set.Missing[0], each.says) {
				t.Errorf("it is told: %q", set.Missing)
			}
		})
	}
}

// Checklist 11: reset, then fine.
func TestASecondTryThatWorksIsAllThatIsSeen(t *testing.T) {
	p := &pretend{fail: func(try int) error {
		if try == 1 {
			return &net.OpError{Op: "read", Err: syscall.ECONNRESET}
		}
		return nil
	}}
	set := connected(t, playing(t, p), &turn{})
	if p.tried() != 2 || len(set.Missing) != 0 || names(set.Tools) != "mcp__ledger__look mcp__ledger__send" {
		t.Errorf("%d tries, %q, missing %q", p.tried(), names(set.Tools), set.Missing)
	}
}

func TestRetryAfterIsReadInSeconds(t *testing.T) {
	for s, want := range map[string]time.Duration{"": 0, "2": 2 * time.Second, " 5 ": 5 * time.Second, "-1": 0, "soon": 0, "99999999": 0} {
		if got := retryAfter(s); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}
