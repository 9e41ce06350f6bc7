package program

import (
	"context"
	"sync"
	"time"
)

// Ended is a process as a chat keeps it; its zero is none.
type Ended interface {
	comparable
	// End ends the process and all that it started, and waits until it is gone.
	// When ctx is done nothing is waited for any more: all of it is killed.
	End(ctx context.Context)
}

// Chats are the processes of an engine, by conversation.
type Chats[P Ended] struct {
	Idle time.Duration // an unused process is let go; set before the first Enter

	mu     sync.Mutex
	byID   map[string]*Chat[P]
	closed bool
	ends   sync.WaitGroup // processes on their way out
}

// Chat is what an engine keeps for a conversation: one process, warm between turns.
// One turn or opening at a time runs in it.
type Chat[P Ended] struct {
	of  *Chats[P]
	sem chan struct{} // holds one while a turn or an opening runs

	mu      sync.Mutex
	proc    P
	stop    context.CancelFunc // of what runs
	idle    *time.Timer
	idleGen int
	over    bool // released or closed: nothing starts any more
}

// Enter waits for its turn in a conversation. The context that it gives ends with ctx,
// Release and Close. leave must be called.
func (cs *Chats[P]) Enter(ctx context.Context, id string) (c *Chat[P], inner context.Context, leave func(), err error) {
	for {
		if c, err = cs.chat(id); err != nil {
			return nil, ctx, nil, err
		}
		select {
		case c.sem <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx, nil, ctx.Err()
		}
		inner, cancel, ok := c.begin(ctx)
		if !ok {
			<-c.sem
			continue // released while we waited: another one takes its place
		}
		return c, inner, func() {
			cancel()
			c.rest()
			<-c.sem
		}, nil
	}
}

func (cs *Chats[P]) chat(id string) (*Chat[P], error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.closed {
		return nil, ErrLetGo
	}
	c := cs.byID[id]
	if c == nil {
		if cs.byID == nil {
			cs.byID = map[string]*Chat[P]{}
		}
		c = &Chat[P]{of: cs, sem: make(chan struct{}, 1)}
		cs.byID[id] = c
	}
	return c, nil
}

// Process is the process of a conversation, the zero for none.
func (cs *Chats[P]) Process(id string) (p P) {
	cs.mu.Lock()
	c := cs.byID[id]
	cs.mu.Unlock()
	if c == nil {
		return p
	}
	return c.Process()
}

// Release lets go of a conversation's process and waits until it is gone.
func (cs *Chats[P]) Release(id string) {
	cs.mu.Lock()
	c := cs.byID[id]
	delete(cs.byID, id)
	cs.mu.Unlock()
	if c != nil {
		c.release()
	}
}

// Close ends every process, waits until they are gone, and lets none start any more.
func (cs *Chats[P]) Close() {
	cs.mu.Lock()
	cs.closed = true
	all := cs.byID
	cs.byID = nil
	cs.mu.Unlock()
	var wait sync.WaitGroup
	for _, c := range all {
		wait.Go(c.release)
	}
	wait.Wait()
	cs.ends.Wait()
}

// begin begins what is to run; false when the chat was released.
func (c *Chat[P]) begin(ctx context.Context) (context.Context, context.CancelFunc, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, nil, false
	}
	inner, cancel := context.WithCancel(ctx)
	c.stop = cancel
	c.idleGen++
	c.unwind()
	return inner, cancel, true
}

// unwind stops the clock of an unused process. c.mu is held.
func (c *Chat[P]) unwind() {
	if c.idle != nil {
		c.idle.Stop()
		c.idle = nil
	}
}

// rest starts the clock after which an unused process is let go.
func (c *Chat[P]) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop = nil
	var none P
	if c.proc == none || c.over {
		return
	}
	gen := c.idleGen
	c.idle = time.AfterFunc(c.of.Idle, func() { c.letGo(gen) })
}

// letGo ends an idle process, unless it was used meanwhile.
func (c *Chat[P]) letGo(gen int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idleGen != gen || c.over {
		return
	}
	c.idle = nil
	c.retire()
}

// Retire ends the chat's process beside everything else; Close waits for it.
func (c *Chat[P]) Retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retire()
}

// retire is Retire. c.mu is held, so that release cannot miss the process.
func (c *Chat[P]) retire() {
	var none P
	p := c.proc
	c.proc = none
	if p != none {
		c.of.ends.Go(func() { p.End(context.Background()) })
	}
}

// Process is the chat's process, the zero for none.
func (c *Chat[P]) Process() P {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.proc
}

// Keep makes a process the chat's.
func (c *Chat[P]) Keep(p P) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proc = p
}

// Drop ends the chat's process and waits until it is gone. When ctx is done all of it
// is killed at once.
func (c *Chat[P]) Drop(ctx context.Context) {
	var none P
	c.mu.Lock()
	p := c.proc
	c.proc = none
	c.mu.Unlock()
	if p != none {
		p.End(ctx)
	}
}

// Kill is Drop for a process that does not stop: it has half a second.
func (c *Chat[P]) Kill() {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	c.Drop(ctx)
}

func (c *Chat[P]) release() {
	c.mu.Lock()
	c.over = true
	if c.stop != nil {
		c.stop()
	}
	c.unwind()
	c.mu.Unlock()
	c.sem <- struct{}{}
	c.Drop(context.Background())
	<-c.sem
}
