package door

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"log"
	"net/http"
	"strings"
	"time"
)

const (
	// maxBody is the largest request, in bytes.
	maxBody       = 4 << 20
	maxDiscarded  = 16 << 20
	headersWithin = 5 * time.Second
	bodyWithin    = 30 * time.Second
)

var errTooLarge = errors.New("the request is too large")

// guard lets through what comes from the program that the door is for. What it
// refuses, in this order: anything from a web page, another host's name, a missing
// or wrong key, another path, another method, anything while there is nothing to
// do, a body that is too large.
func (d *Door) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case len(r.Header.Values("Origin")) > 0:
			refuse(w, http.StatusForbidden, "not for web pages")
			return
		case r.Host != d.host:
			refuse(w, http.StatusForbidden, "another host was meant")
			return
		case !d.knows(r.Header.Values("Authorization")):
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "the key is missing or wrong")
			return
		case r.URL.Path != path:
			refuse(w, http.StatusNotFound, "nothing is here")
			return
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			refuse(w, http.StatusMethodNotAllowed, "only POST")
			return
		}
		p := d.enter()
		if p == nil {
			refuse(w, http.StatusServiceUnavailable, "no turn is running")
			return
		}
		defer d.requests.Done()
		body, err := readBody(w, r)
		if err != nil {
			if errors.Is(err, errTooLarge) {
				refuse(w, http.StatusRequestEntityTooLarge, "the request is too large")
			} else {
				refuse(w, http.StatusBadRequest, "the request broke off")
			}
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		out := &lively{ResponseWriter: w}
		ctx := r.Context()
		next.ServeHTTP(out, r.WithContext(context.WithValue(ctx, serverKey{}, d.serverFor(ctx, p, out))))
	})
}

// refuse answers with a status and a word; it never repeats what was sent.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Connection", "close")
	http.Error(w, why, status)
}

// knows compares in a time that does not depend on what was sent.
func (d *Door) knows(headers []string) bool {
	if len(headers) != 1 {
		return false
	}
	scheme, sent, _ := strings.Cut(headers[0], " ")
	a, b := sha256.Sum256([]byte(sent)), sha256.Sum256([]byte(d.key))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// enter gives what runs now and counts the request, which must be marked done; nil
// when nothing runs.
func (d *Door) enter() *phase {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.phase == nil {
		return nil
	}
	d.requests.Add(1)
	d.lastSeen = time.Now()
	return d.phase
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	// A server's own read time-out would also end a call that takes long.
	if err := control.SetReadDeadline(time.Now().Add(bodyWithin)); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		// The rest is let run out, for a while: a program that is still sending
		// would not read the refusal.
		_, _ = io.CopyN(io.Discard, r.Body, maxDiscarded)
		return nil, errTooLarge
	}
	return body, control.SetReadDeadline(time.Time{})
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
