package apps

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine"
)

// link is the way to one app in one turn: the connection that is held now, and the
// one that is being opened, which all that need it share.
type link struct {
	b    *Bridge
	app  App
	w    wishes
	slot string // by which the next turn of the chat finds what is still ending

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	heard atomic.Int64 // when the app last gave a sign of life, in nanoseconds
	asked atomic.Int64 // how long the person was asked, in nanoseconds
	cards atomic.Int32 // open questions

	mu     sync.Mutex
	held   *opened  // nil: none was open yet
	next   *opening // nil: none is being opened
	closed bool
}

// opening is a connection on its way.
type opening struct {
	done chan struct{} // closed when o and err are set
	o    *opened
	err  error
}

func (b *Bridge) link(ctx context.Context, a App, slot string, w wishes) *link {
	l := &link{b: b, app: a, slot: slot}
	l.ctx, l.cancel = context.WithCancel(ctx)
	if ask := w.ask; ask != nil {
		w.ask = func(ctx context.Context, q engine.Question) engine.Answer {
			return l.question(ctx, ask, q)
		}
	}
	w.alive = l.sign
	w.changed = l.relist
	l.w = w
	return l
}

// question asks the person. What they take does not count as the app's time.
func (l *link) question(ctx context.Context, ask func(context.Context, engine.Question) engine.Answer, q engine.Question) engine.Answer {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	began := time.Now()
	l.cards.Add(1)
	defer func() {
		l.asked.Add(int64(time.Since(began)))
		l.cards.Add(-1)
	}()
	return ask(ctx, q)
}

func (l *link) sign() { l.heard.Store(time.Now().UnixNano()) }

// begin opens the connection ahead of the first call.
func (l *link) begin() *opening {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.start(nil)
}

// start begins to open a connection in the place of old, or gives the one that is on
// its way. mu is held.
func (l *link) start(old *opened) *opening {
	if l.next != nil {
		return l.next
	}
	n := &opening{done: make(chan struct{})}
	l.next = n
	if l.closed {
		n.err = context.Canceled
		l.next = nil
		close(n.done)
		return n
	}
	l.work.Go(func() {
		if old != nil {
			old.close()
		} else {
			l.b.awaitEnd(l.ctx, l.slot)
		}
		n.o, n.err = l.b.patiently(l.ctx, l.app, l.w)
		if n.err == nil {
			l.b.learn(l.app, n.o.list)
		}
		l.mu.Lock()
		l.next = nil
		if n.err == nil {
			l.held = n.o
		}
		l.mu.Unlock()
		close(n.done)
	})
	return n
}

// get gives an open connection, another one than not. It is opened when there is
// none; one opening at a time, which all share.
func (l *link) get(ctx context.Context, not *opened) (*opened, error) {
	l.mu.Lock()
	if o := l.held; o != nil && o != not && !o.dropped() {
		l.mu.Unlock()
		return o, nil
	}
	n := l.start(l.held)
	l.mu.Unlock()
	select {
	case <-n.done:
		return n.o, n.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// relist reads the list anew when the app says that it has changed: what it offers
// then holds from the next turn on.
func (l *link) relist() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.held == nil {
		return // it is being read, or will be
	}
	o := l.held
	l.work.Go(func() {
		ctx, cancel := context.WithTimeout(l.ctx, l.b.limits.connect)
		defer cancel()
		if list, err := list(ctx, o.conn, l.app); err == nil {
			l.b.learn(l.app, list)
		}
	})
}

// close ends the connection. It waits for the calls, which are told, and leaves the
// program's own end to the Bridge.
func (l *link) close() {
	l.cancel()
	l.mu.Lock()
	l.closed = true
	held := l.held
	l.mu.Unlock()
	l.b.leave(l.slot, func() {
		l.work.Wait()
		l.mu.Lock()
		late := l.held
		l.mu.Unlock()
		if held != nil {
			held.close()
		}
		if late != nil && late != held {
			late.close()
		}
	})
}
