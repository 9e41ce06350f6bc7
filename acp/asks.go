package acp

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"

	"conch/engine"
)

// asks are the requests of a turn that a person, or the mode, decides. They are
// put one after the other, in their order, on a goroutine of their own, so that
// the reader never waits; each is answered exactly once.
type asks struct {
	turn *turn
	ctx  context.Context
	stop context.CancelFunc

	mu    sync.Mutex
	queue []*ask
	now   *ask
	over  bool
	wake  chan struct{} // holds one
	done  chan struct{}
}

// ask is one such request. put asks and answers; refuse answers that nobody will.
type ask struct {
	id     jsonrpc2.ID
	ctx    context.Context
	cancel context.CancelFunc
	put    func(ctx context.Context)
	refuse func()
}

func (a *asks) start(t *turn, ctx context.Context) {
	a.turn = t
	a.ctx, a.stop = context.WithCancel(ctx)
	a.wake = make(chan struct{}, 1)
	a.done = make(chan struct{})
	go a.run()
}

// wait ends the asking and waits for it.
func (a *asks) wait() {
	a.cancelAll()
	<-a.done
}

func (a *asks) run() {
	defer close(a.done)
	for {
		a.mu.Lock()
		var next *ask
		if len(a.queue) > 0 {
			next = a.queue[0]
			a.queue = a.queue[1:]
			a.now = next
		}
		over := a.over
		a.mu.Unlock()
		switch {
		case next != nil:
			if next.ctx.Err() == nil {
				next.put(next.ctx)
			}
			next.cancel()
			a.turn.s.p.forget(next.id)
			a.mu.Lock()
			a.now = nil
			a.mu.Unlock()
		case over:
			return
		default:
			<-a.wake
		}
	}
}

// maxAsks bounds the requests that wait at a time.
const maxAsks = 100

// add queues a request; when the turn is stopping, or too many wait, it is refused
// at once.
func (a *asks) add(id jsonrpc2.ID, put func(ctx context.Context), refuse func()) {
	a.mu.Lock()
	if a.over || len(a.queue) >= maxAsks {
		a.mu.Unlock()
		refuse()
		return
	}
	each := &ask{id: id, put: put, refuse: refuse}
	each.ctx, each.cancel = context.WithCancel(a.ctx)
	a.turn.s.p.remember(id, func() { // before it can be put, which forgets it
		each.cancel()
		refuse()
	})
	a.queue = append(a.queue, each)
	a.mu.Unlock()
	a.signal()
}

func (a *asks) signal() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// cancelAll answers every open request as cancelled, at once, and all that come.
func (a *asks) cancelAll() {
	a.mu.Lock()
	if a.over {
		a.mu.Unlock()
		return
	}
	a.over = true
	open := a.queue
	a.queue = nil
	if a.now != nil {
		open = append([]*ask{a.now}, open...)
	}
	a.mu.Unlock()
	for _, each := range open {
		each.refuse()
		a.turn.s.p.forget(each.id)
	}
	a.stop()
	a.signal()
}

// open reports that someone is being asked.
func (a *asks) open() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now != nil || len(a.queue) > 0
}

// remember keeps how a request is withdrawn.
func (p *process) remember(id jsonrpc2.ID, withdraw func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[id] = withdraw
}

func (p *process) forget(id jsonrpc2.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asked, id)
}

// answerer answers a request once. It can be claimed ahead of the answer itself,
// so that what follows from it is in place before the program hears it.
type answerer struct {
	p     *process
	id    jsonrpc2.ID
	taken atomic.Bool
}

func (p *process) answerer(id jsonrpc2.ID) *answerer { return &answerer{p: p, id: id} }

// claim reports that nobody has answered yet; the caller does then.
func (a *answerer) claim() bool { return a.taken.CompareAndSwap(false, true) }

// give answers, unless someone else has.
func (a *answerer) give(result any) {
	if a.claim() {
		a.p.reply(a.id, result)
	}
}

func selected(option string) any {
	return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": option}}
}

func cancelled() any {
	return map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}
}

// declining is the option that declines once; "" when none is offered.
func declining(options []engine.PermissionOption) string {
	for _, o := range options {
		if o.Kind == engine.RejectOnce {
			return o.ID
		}
	}
	return ""
}
