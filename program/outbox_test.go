package program

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
)

// sunk is an input of a program that can be held up.
type sunk struct {
	mu   sync.Mutex
	got  bytes.Buffer
	stop chan struct{} // nil: it reads; else it does when that is closed
	err  error
	shut int
}

func (s *sunk) Write(b []byte) (int, error) {
	if s.stop != nil {
		<-s.stop
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got.Write(b)
	return len(b), s.err
}

func (s *sunk) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut++
	return nil
}

func (s *sunk) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got.String()
}

func TestMessagesGoOutInTheirOrder(t *testing.T) {
	to := new(sunk)
	o := NewOutbox(to)
	for _, m := range []string{"one\n", "two\n", "three\n"} {
		if err := o.Send([]byte(m)); err != nil {
			t.Error(err)
		}
	}
	waitUntil(t, "what was sent", func() bool { return to.text() == "one\ntwo\nthree\n" })
	if err := errors.Join(o.Close(), o.Close()); err != nil || to.shut != 1 {
		t.Errorf("%v, closed %d times", err, to.shut)
	}
	<-o.Done
	if err := o.Send([]byte("late\n")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("after its end: %v", err)
	}
}

func TestAProgramThatDoesNotReadHoldsNobodyUp(t *testing.T) {
	to := &sunk{stop: make(chan struct{})}
	o := NewOutbox(to)
	sent := 0
	for o.Send([]byte("x\n")) == nil {
		sent++
	}
	if sent < maxMessages || sent > maxMessages+1 {
		t.Errorf("%d messages wait", sent)
	}
	if err := closing(t, to).Send(make([]byte, maxQueued+1)); !errors.Is(err, errStalled) {
		t.Errorf("a message over the limit: %v", err)
	}
	o.Close()
	close(to.stop)
	<-o.Done
	if got := to.text(); got != "x\n" {
		t.Errorf("behind its end %d bytes were written", len(got))
	}
}

// closing is an Outbox, closed when the test ends.
func closing(t *testing.T, to io.WriteCloser) *Outbox {
	o := NewOutbox(to)
	t.Cleanup(func() { o.Close(); <-o.Done })
	return o
}

func TestAnInputThatBrokeIsSaidToTheNextSender(t *testing.T) {
	broken := errors.New("broken pipe")
	o := NewOutbox(&sunk{err: broken})
	if err := o.Send([]byte("x\n")); err != nil {
		t.Error(err)
	}
	<-o.Done
	if err := o.Send([]byte("y\n")); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	o.Close()
}
