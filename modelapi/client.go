package modelapi

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

var errRedirect = errors.New("it sends on to another host, which is not followed")

// newClient talks to one host alone. What is on this machine is reached without a
// proxy, and no redirect carries the key elsewhere.
func newClient(at address, times Timings) *http.Client {
	dial := &net.Dialer{Timeout: times.Connect, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: func(r *http.Request) (*url.URL, error) {
				if at.loopback() {
					return nil, nil
				}
				return http.ProxyFromEnvironment(r)
			},
			DialContext:            dial.DialContext,
			TLSHandshakeTimeout:    times.Connect,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: 256 << 10,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 3 || r.URL.Host != at.base.Host || r.URL.Scheme != at.base.Scheme {
				return errRedirect
			}
			return nil
		},
	}
}

// do sends a request with what every one of them has. body is JSON, nil for none.
func (e *Engine) do(ctx context.Context, method, to string, body []byte) (*http.Response, error) {
	key, err := e.key()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "conch/"+e.opts.ClientVersion)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "text/event-stream, application/json")
	}
	e.dialect.head(r.Header, key)
	return e.http.Do(r)
}
