package codex

import (
	"context"
	"sync"
)

// lane runs what waits for a person or for a tool, one after the other, on a
// goroutine of its own, so that the reader never waits. Each task is run or
// refused, once.
type lane struct {
	ctx  context.Context
	stop context.CancelFunc
	wake chan struct{} // holds one
	done chan struct{}

	mu    sync.Mutex
	queue []task
	busy  bool
	over  bool
}

type task struct {
	run    func(ctx context.Context)
	refuse func()
}

// maxTasks bounds what waits at a time.
const maxTasks = 100

func newLane(ctx context.Context) *lane {
	l := &lane{wake: make(chan struct{}, 1), done: make(chan struct{})}
	l.ctx, l.stop = context.WithCancel(ctx)
	go l.loop()
	return l
}

func (l *lane) loop() {
	defer close(l.done)
	for {
		l.mu.Lock()
		var next *task
		if len(l.queue) > 0 {
			next = &l.queue[0]
			l.queue = l.queue[1:]
		}
		l.busy = next != nil
		over := l.over
		l.mu.Unlock()
		switch {
		case next != nil && over:
			next.refuse()
		case next != nil:
			next.run(l.ctx)
		case over:
			return
		default:
			<-l.wake
		}
	}
}

// add queues a task; when the turn is stopping, or too many wait, it is refused.
func (l *lane) add(t task) {
	l.mu.Lock()
	full := l.over || len(l.queue) >= maxTasks
	if !full {
		l.queue = append(l.queue, t)
	}
	l.mu.Unlock()
	if full {
		t.refuse()
		return
	}
	l.signal()
}

func (l *lane) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// cancel ends what runs and refuses what waits.
func (l *lane) cancel() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.stop()
	l.signal()
}

// wait cancels and waits until nothing runs.
func (l *lane) wait() {
	l.cancel()
	<-l.done
}

func (l *lane) open() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.busy || len(l.queue) > 0
}
