package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"charm.land/bubbletea/v2"
)

// crew owns every goroutine of the screen. Each runs under one guard: a panic
// ends the screen in order, with the terminal whole and the chats kept. wait
// blocks until all have ended.
type crew struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	closed bool
	crash  *Crash

	ready  chan struct{} // closed when toSend and toQuit are set
	toSend func(tea.Msg)
	toQuit func()
}

func newCrew(ctx context.Context) *crew {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	return &crew{ctx: ctx, cancel: cancel, ready: make(chan struct{})}
}

// begin says how the program is reached. What was sent before waits until then.
func (c *crew) begin(send func(tea.Msg), quit func()) {
	c.toSend, c.toQuit = send, quit
	close(c.ready)
}

// send hands a message to the program; it blocks until the program took it or
// is over.
func (c *crew) send(msg tea.Msg) {
	select {
	case <-c.ready:
		c.toSend(msg)
	case <-c.ctx.Done():
	}
}

// quit ends the program; it blocks until that is heard.
func (c *crew) quit() {
	select {
	case <-c.ready:
		c.toQuit()
	case <-c.ctx.Done():
	}
}

// enter counts one more goroutine; false once the crew is closed.
func (c *crew) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.wg.Add(1)
	return true
}

// run starts a goroutine. name is for the report of a crash.
func (c *crew) run(name string, f func(ctx context.Context)) {
	if !c.enter() {
		return
	}
	go func() {
		defer c.wg.Done()
		defer c.guard(name)
		f(c.ctx)
	}()
}

// cmd makes a command of work whose result is a message.
func (c *crew) cmd(name string, f func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		if !c.enter() {
			return nil
		}
		defer c.wg.Done()
		defer c.guard(name)
		return f(c.ctx)
	}
}

// after makes a command that gives a message once some time has passed.
func (c *crew) after(d time.Duration, msg tea.Msg) tea.Cmd {
	return c.cmd("timer", func(ctx context.Context) tea.Msg {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			return msg
		}
	})
}

// guard catches a panic of the goroutine that it is deferred in.
func (c *crew) guard(name string) {
	if r := recover(); r != nil {
		c.caught(name, r, debug.Stack())
		c.quit()
	}
}

// caught keeps the first crash.
func (c *crew) caught(where string, r any, stack []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.crash == nil {
		c.crash = &Crash{Where: where, Value: fmt.Sprint(r), Stack: stack}
	}
}

// crashed is the first panic, nil when there was none.
func (c *crew) crashed() *Crash {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.crash
}

// close lets no new goroutine begin and asks those that run to end.
func (c *crew) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
}

// wait blocks until every goroutine has ended.
func (c *crew) wait() { c.wg.Wait() }
