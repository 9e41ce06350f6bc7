package codex

import (
	"context"
	"errors"
	"sync"
	"time"

	"conch/engine"
)

// chat is what an engine keeps for a conversation: one process, warm between
// turns. One turn or opening at a time runs in it.
type chat struct {
	e   *Engine
	id  string
	sem chan struct{} // holds one while a turn or an opening runs

	mu      sync.Mutex
	proc    *process
	stop    context.CancelFunc // of what runs
	turn    *turn              // that runs, for Steer
	idle    *time.Timer
	idleGen int
	over    bool // released or closed: nothing starts any more
}

// errClosed is that the engine or the chat was let go.
var errClosed = errors.New("the provider was let go")

// enter waits for its turn in a conversation. leave must be called.
func (e *Engine) enter(ctx context.Context, id string) (*chat, context.Context, func(), error) {
	for {
		e.mu.Lock()
		if e.closed {
			e.mu.Unlock()
			return nil, ctx, nil, errClosed
		}
		c := e.chats[id]
		if c == nil {
			c = &chat{e: e, id: id, sem: make(chan struct{}, 1)}
			e.chats[id] = c
		}
		e.mu.Unlock()
		select {
		case c.sem <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx, nil, ctx.Err()
		}
		c.mu.Lock()
		if c.over {
			c.mu.Unlock()
			<-c.sem
			continue // released while we waited: another one takes its place
		}
		inner, cancel := context.WithCancel(ctx)
		c.stop = cancel
		c.idleGen++
		if c.idle != nil {
			c.idle.Stop()
			c.idle = nil
		}
		c.mu.Unlock()
		return c, inner, func() {
			cancel()
			c.rest()
			<-c.sem
		}, nil
	}
}

// rest starts the clock after which an unused process is let go.
func (c *chat) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop = nil
	if c.proc == nil || c.over {
		return
	}
	gen := c.idleGen
	c.idle = time.AfterFunc(c.e.times.Idle, func() { c.letGo(gen) })
}

// letGo ends an idle process, unless it was used meanwhile.
func (c *chat) letGo(gen int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idleGen != gen || c.over {
		return
	}
	p := c.proc
	c.proc, c.idle = nil, nil
	c.retire(p)
}

// retire ends a process beside everything else. c.mu is held, so that Release
// cannot miss it.
func (c *chat) retire(p *process) {
	if p == nil {
		return
	}
	c.e.ends.Add(1)
	go func() {
		defer c.e.ends.Done()
		p.end(context.Background())
	}()
}

func (c *chat) process() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.proc
}

func (c *chat) setProcess(p *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proc = p
}

// drop ends the chat's process and waits until it is gone. When ctx is done all
// is killed at once.
func (c *chat) drop(ctx context.Context) {
	c.mu.Lock()
	p := c.proc
	c.proc = nil
	c.mu.Unlock()
	if p != nil {
		p.end(ctx)
	}
}

func (c *chat) setTurn(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn = t
}

// Release lets go of a conversation's process and waits until it is gone.
func (e *Engine) Release(conversationID string) {
	e.mu.Lock()
	c := e.chats[conversationID]
	delete(e.chats, conversationID)
	e.mu.Unlock()
	if c != nil {
		c.release()
	}
}

func (c *chat) release() {
	c.mu.Lock()
	c.over = true
	if c.stop != nil {
		c.stop()
	}
	if c.idle != nil {
		c.idle.Stop()
		c.idle = nil
	}
	c.mu.Unlock()
	c.sem <- struct{}{}
	c.drop(context.Background())
	<-c.sem
}

// Close ends everything that the engine started and waits until it is gone.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	all := e.chats
	e.chats = map[string]*chat{}
	e.mu.Unlock()
	var wait sync.WaitGroup
	for _, c := range all {
		wait.Go(c.release)
	}
	wait.Wait()
	e.ends.Wait()
	return nil
}

// Steer puts words into the running turn of a conversation.
func (e *Engine) Steer(ctx context.Context, conversationID, text string) bool {
	e.mu.Lock()
	c := e.chats[conversationID]
	e.mu.Unlock()
	if c == nil {
		return false
	}
	c.mu.Lock()
	t := c.turn
	c.mu.Unlock()
	return t != nil && t.steer(ctx, text)
}

// Open opens a conversation's thread ahead of its first message.
func (e *Engine) Open(ctx context.Context, in engine.TurnInput, sink engine.Sink) error {
	c, ctx, leave, err := e.enter(ctx, in.ConversationID)
	if err != nil {
		return err
	}
	defer leave()
	th, err := c.ready(ctx, in)
	if err != nil {
		r := e.explain(err)
		c.learn(r)
		return &Failed{Result: r}
	}
	sink.Emit(th.session())
	sink.Emit(th.p.offers(th))
	return nil
}

// Failed is the error of Open: the end that a turn would have had.
type Failed struct{ Result engine.Result }

func (f *Failed) Error() string { return orElse(f.Result.Error, "stopped") }
