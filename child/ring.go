package child

import "sync"

// ring keeps the last bytes that were written to it.
type ring struct {
	mu   sync.Mutex
	buf  []byte
	next int
	full bool
}

func newRing(size int) *ring { return &ring{buf: make([]byte, size)} }

// Write never fails and never waits for a reader.
func (r *ring) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(b)
	if len(b) >= len(r.buf) {
		copy(r.buf, b[len(b)-len(r.buf):])
		r.next, r.full = 0, true
		return n, nil
	}
	first := copy(r.buf[r.next:], b)
	copy(r.buf, b[first:])
	if r.next+len(b) >= len(r.buf) {
		r.full = true
	}
	r.next = (r.next + len(b)) % len(r.buf)
	return n, nil
}

func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.full {
		return string(r.buf[:r.next])
	}
	return string(r.buf[r.next:]) + string(r.buf[:r.next])
}
