package apps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/plain"
	"conch/redact"
)

const (
	maxBody      = 32 << 20 // bytes of an answer, or of one event of a stream
	maxSaid      = 200      // characters that are kept of the body of a failure
	maxRedirects = 5
	dialWithin   = 10 * time.Second
	// hangUpWithin is how long an app may take to hear that a session is over.
	hangUpWithin = time.Second
)

// errElsewhere is a redirect that would take credentials to another host.
var errElsewhere = errors.New("it sends on to another host")

// street carries MCP over streamable HTTP.
type street struct {
	mcp.StreamableClientTransport
	trips *http.Transport
}

var _ carrier = (*street)(nil)

// headers gives the headers of an app with their values.
func (b *Bridge) headers(a App) (http.Header, error) {
	h, err := b.environment(a)
	if err != nil {
		return nil, err
	}
	for header, entry := range a.HeadersKeyring {
		if b.o.Secret == nil {
			return nil, &setupError{"there is no keyring here for its header " + header, "headers_env takes it from the environment"}
		}
		value, err := b.o.Secret(entry)
		if err != nil || value == "" {
			why := "it is empty"
			if err != nil {
				why = err.Error()
			}
			return nil, &setupError{
				fmt.Sprintf("the entry %q of the keyring, for its header %s, can't be read: %s", entry, header, why),
				"put it there, or take the value from the environment with headers_env",
			}
		}
		h.Set(header, value)
	}
	for header := range h {
		b.keep(h.Get(header))
		if strings.ContainsAny(h.Get(header), "\r\n\x00") {
			return nil, &setupError{"the value of its header " + header + " has a line break", "take it out"}
		}
	}
	return h, nil
}

// environment gives those of the headers that the environment has.
func (b *Bridge) environment(a App) (http.Header, error) {
	h := http.Header{}
	for header, name := range a.HeadersEnv {
		value := lookup(b.o.Environ, name)
		if value == "" {
			return nil, &setupError{
				fmt.Sprintf("the environment variable %s, for its header %s, is not set", name, header),
				"set it before conch starts: export " + name + "=…",
			}
		}
		h.Set(header, value)
	}
	return h, nil
}

func (b *Bridge) overHTTP(a App, headers http.Header) *street {
	trips := &http.Transport{
		Proxy:               b.proxy,
		DialContext:         (&net.Dialer{Timeout: dialWithin}).DialContext,
		TLSHandshakeTimeout: dialWithin,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     time.Minute,
	}
	home, _ := url.Parse(a.URL) // one that can't be parsed fails when it is called
	secret := len(headers) > 0 || home != nil && home.User != nil
	return &street{
		trips: trips,
		StreamableClientTransport: mcp.StreamableClientTransport{
			Endpoint:     a.URL,
			MaxEventSize: maxBody,
			// A list that changed is read with the next turn's connection. A stream that
			// stands open for hours fails for its own reasons, and takes calls along.
			DisableStandaloneSSE: true,
			HTTPClient: &http.Client{
				Transport: &traveller{trips: trips, home: home, headers: headers},
				CheckRedirect: func(to *http.Request, via []*http.Request) error {
					if len(via) > maxRedirects {
						return errors.New("it sends on and on")
					}
					if secret && !sameHost(home, to.URL) {
						return errElsewhere
					}
					return nil
				},
			},
		},
	}
}

func (s *street) end()                  { s.trips.CloseIdleConnections() }
func (s *street) note()                 {}
func (s *street) cause(err error) error { return err }

// sameHost reports the same place, reached no less safely.
func sameHost(home, to *url.URL) bool {
	return home != nil && home.Host == to.Host && (home.Scheme == to.Scheme || to.Scheme == "https")
}

// traveller adds an app's headers to what goes to its own host, bounds what comes
// back, and tells a failure by its number.
type traveller struct {
	trips   http.RoundTripper
	home    *url.URL
	headers http.Header
}

func (t *traveller) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, stop := r.Context(), func() {}
	if r.Method == http.MethodDelete {
		ctx, stop = context.WithTimeout(ctx, hangUpWithin)
	}
	r = r.Clone(ctx)
	if sameHost(t.home, r.URL) {
		for name, values := range t.headers {
			r.Header[name] = values
		}
	}
	answer, err := t.trips.RoundTrip(r)
	if err != nil {
		stop()
		return nil, err
	}
	if failed := failure(answer); failed != nil {
		stop()
		return nil, failed
	}
	left := int64(maxBody)
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		left = -1 // an event is bounded, a stream of them is not
	}
	answer.Body = &bounded{body: answer.Body, left: left, stop: stop}
	return answer, nil
}

// failure is an answer that is none of MCP's. Others, such as the end of a session
// (404) or a refusal in JSON-RPC, are left to the SDK.
func failure(answer *http.Response) error {
	code := answer.StatusCode
	passes := code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500
	refused := code == http.StatusUnauthorized || code == http.StatusForbidden
	gone := (code == http.StatusNotFound || code == http.StatusMethodNotAllowed || code == http.StatusGone) && answer.Request.Header.Get("Mcp-Session-Id") == ""
	if !passes && !refused && !gone || answer.Request.Method == http.MethodDelete {
		return nil
	}
	defer answer.Body.Close()
	head, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10)) // what came is enough
	said, _ := redact.Redact(plain.Line(string(head), 4*maxSaid))
	if strings.HasPrefix(strings.TrimSpace(said), "<") {
		said = "" // a page
	}
	return &statusError{code: code, after: retryAfter(answer.Header.Get("Retry-After")), said: plain.Line(said, maxSaid)}
}

// retryAfter reads whole seconds; a date is not waited for.
func retryAfter(s string) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 || n > 24*60*60 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// bounded is a body that fails when it has more than left bytes; -1: any number.
type bounded struct {
	body io.ReadCloser
	left int64
	stop func()
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if b.left >= 0 {
		if b.left -= int64(n); b.left < 0 {
			b.left = 0
			return 0, errTooLarge
		}
	}
	return n, err
}

func (b *bounded) Close() error {
	defer b.stop()
	return b.body.Close()
}

// proxy is the environment's, and none for an address on this machine.
func (b *Bridge) proxy(r *http.Request) (*url.URL, error) {
	host := r.URL.Hostname()
	if loopback(r.URL.Host) || spared(lookup(b.o.Environ, "NO_PROXY"), host) || spared(lookup(b.o.Environ, "no_proxy"), host) {
		return nil, nil
	}
	names := []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"}
	if r.URL.Scheme == "http" {
		names = []string{"http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"}
	}
	for _, name := range names {
		if at := lookup(b.o.Environ, name); at != "" {
			if !strings.Contains(at, "://") {
				at = "http://" + at
			}
			return url.Parse(at)
		}
	}
	return nil, nil
}

// spared reports a host that NO_PROXY names: itself, a domain above it, or all.
func spared(list, host string) bool {
	for _, each := range strings.Split(list, ",") {
		each = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(each)), "*"), ".")
		if name, _, err := net.SplitHostPort(each); err == nil {
			each = name
		}
		host := strings.ToLower(host)
		switch {
		case each == "":
			if strings.TrimSpace(list) == "*" {
				return true
			}
		case host == each, strings.HasSuffix(host, "."+each):
			return true
		}
	}
	return false
}

// loopback reports an address on this machine.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// lookup is the value of a name in an environment; the last one counts.
func lookup(environ []string, name string) string {
	value := ""
	for _, kv := range environ {
		if n, v, ok := strings.Cut(kv, "="); ok && n == name {
			value = v
		}
	}
	return value
}
