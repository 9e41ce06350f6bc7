// Package door offers Conch's own tools to a program as an MCP server on the
// loopback address: one door for each session that is open in a program.
//
// A door has an address and a key of its own, which only that program is told.
// It answers while its session is being opened and while a turn runs, and
// refuses everything else (docs/door.md). It draws the row of each call that
// comes through it. It knows no tool by name and reads no file.
//
// Shim is the other half for programs that speak MCP only over stdin and stdout:
// it relays lines to a door.
package door

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Name is the server's name, as programs make it part of the tools' names.
const Name = "conch"

// path is the only one that is answered.
const path = "/mcp"

// Options is what a door is given of the world around it.
type Options struct {
	Version string // of Conch, told to the program
	// Log takes a line for Conch's own log; it holds no key and no words of a chat.
	Log func(code, line string)
	// Alive is how often a program that waits for a call hears that it goes on; 0
	// is 15 s. Programs give up on a connection that is silent for minutes.
	Alive time.Duration
}

// Door is one session's server. Its methods may be called from several goroutines.
type Door struct {
	opts   Options
	key    string
	host   string // 127.0.0.1:port
	server *http.Server

	requests sync.WaitGroup // being answered
	calls    sync.WaitGroup // of tools
	serving  sync.WaitGroup

	mu       sync.Mutex
	phase    *phase // nil: neither an opening nor a turn
	closed   bool
	listed   chan struct{}
	hasList  bool
	greeted  bool
	told     string // the instructions that the last greeting gave
	lastSeen time.Time
	nextCall int
}

// Open listens on a port of the system's choosing. Close must be called.
func Open(o Options) (*Door, error) {
	if o.Alive <= 0 {
		o.Alive = 15 * time.Second
	}
	if o.Log == nil {
		o.Log = func(string, string) {}
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, fmt.Errorf("make the door's key: %w", err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the door: %w", err)
	}
	d := &Door{
		opts:   o,
		key:    base64.RawURLEncoding.EncodeToString(secret),
		host:   "127.0.0.1:" + strconv.Itoa(l.Addr().(*net.TCPAddr).Port),
		listed: make(chan struct{}),
	}
	// No write time-out: a question may stay open for as long as the person likes.
	d.server = &http.Server{
		Handler:           d.guard(d.mcp()),
		ReadHeaderTimeout: headersWithin,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          quietLog(),
	}
	d.serving.Go(func() {
		if err := d.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			o.Log("door", "the door stopped listening")
		}
	})
	return d, nil
}

// URL is the door's address.
func (d *Door) URL() string { return "http://" + d.host + path }

// Key is what a program must show, as "Authorization: Bearer <key>". It is never
// logged and stands in no error.
func (d *Door) Key() string { return d.key }

// Listed is closed when the program has been told the tools for the first time.
func (d *Door) Listed() <-chan struct{} { return d.listed }

// Greeted gives the instructions that the program was told in its last greeting;
// ok is false when there was none yet.
func (d *Door) Greeted() (instructions string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.told, d.greeted
}

// Quiet waits until the program has been told the tools and then asked nothing for
// a moment, or until ctx is done. ok says that it was told them.
func (d *Door) Quiet(ctx context.Context, moment time.Duration) (ok bool) {
	select {
	case <-d.listed:
	case <-ctx.Done():
		return false
	}
	for {
		d.mu.Lock()
		left := moment - time.Since(d.lastSeen)
		d.mu.Unlock()
		if left <= 0 {
			return true
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return true
		}
	}
}

// Close ends all connections and calls, and waits until they are gone.
func (d *Door) Close() error {
	d.mu.Lock()
	d.closed = true
	p := d.phase
	d.phase = nil
	d.mu.Unlock()
	if p != nil {
		p.end()
	}
	err := d.server.Close()
	d.serving.Wait()
	d.requests.Wait()
	d.calls.Wait()
	if err != nil {
		return fmt.Errorf("close the door: %w", err)
	}
	return nil
}
