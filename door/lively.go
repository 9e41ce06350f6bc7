package door

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

// lively is an answer that shows signs of life while it is being made: a stream of
// events gets a comment now and then. Without one Node's HTTP client gives up
// after five minutes, and a question to the person may stay open for longer.
type lively struct {
	http.ResponseWriter
	mu sync.Mutex
}

func (l *lively) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ResponseWriter.Write(p)
}

func (l *lively) WriteHeader(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ResponseWriter.WriteHeader(status)
}

// Flush is for the server's streams.
func (l *lively) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
}

func (l *lively) flush() { _ = http.NewResponseController(l.ResponseWriter).Flush() } // the next write tells of a connection that is gone

// keepAlive writes the comments until ctx is done; then the channel is closed. It is
// begun when the answer's headers are set.
func (l *lively) keepAlive(ctx context.Context, every time.Duration) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				l.comment()
			}
		}
	}()
	return done
}

// comment goes between two whole events, each of which is one write.
func (l *lively) comment() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !strings.HasPrefix(l.Header().Get("Content-Type"), "text/event-stream") {
		return
	}
	if _, err := l.ResponseWriter.Write([]byte(": it goes on\n\n")); err == nil {
		l.flush()
	}
}
