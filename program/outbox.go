package program

import (
	"errors"
	"io"
	"sync"
)

// Outbox is what waits to be written to a program. Who writes never waits for the
// program, so that one that has stopped reading holds up nobody.
type Outbox struct {
	// Done is closed when nothing is written any more.
	Done <-chan struct{}

	to   io.WriteCloser
	wake chan struct{} // holds one: queue or closed has changed

	mu     sync.Mutex
	queue  [][]byte
	queued int // bytes in queue
	closed bool
	failed error
}

// What may wait to be written, in bytes and in messages. Prompts with pictures are
// the largest ones, answers to a flood of requests the most.
const (
	maxQueued   = 256 << 20
	maxMessages = 16384
)

var errStalled = errors.New("the program does not read what it is sent")

// NewOutbox begins to write. Close must follow.
func NewOutbox(to io.WriteCloser) *Outbox {
	done := make(chan struct{})
	o := &Outbox{Done: done, to: to, wake: make(chan struct{}, 1)}
	go func() {
		defer close(done)
		o.run()
	}()
	return o
}

// Send queues a message, whole and with its end.
func (o *Outbox) Send(message []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.failed != nil:
		return o.failed
	case o.closed:
		return io.ErrClosedPipe
	case o.queued+len(message) > maxQueued, len(o.queue) >= maxMessages:
		return errStalled
	}
	o.queue = append(o.queue, message)
	o.queued += len(message)
	o.signal()
	return nil
}

func (o *Outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *Outbox) run() {
	for range o.wake {
		for {
			message, closed := o.next()
			if closed {
				return
			}
			if message == nil {
				break
			}
			if _, err := o.to.Write(message); err != nil {
				o.mu.Lock()
				o.failed = err
				o.queue, o.queued = nil, 0
				o.mu.Unlock()
				return
			}
		}
	}
}

// next takes what is to be written next; nil for nothing.
func (o *Outbox) next() (message []byte, closed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || len(o.queue) == 0 {
		return nil, o.closed
	}
	message = o.queue[0]
	o.queue = o.queue[1:]
	o.queued -= len(message)
	return message, false
}

// Close ends the program's input. What was not written yet is dropped.
func (o *Outbox) Close() error {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil
	}
	o.closed = true
	o.signal()
	o.mu.Unlock()
	return o.to.Close()
}
