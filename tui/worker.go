package tui

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
)

// How often a chat's news reach the screen at most: of the one that is looked
// at, and of the others. With the seconds that are shown it is written 30 times a
// second at most, apart from what keys do.
const (
	frame     = 35 * time.Millisecond
	slowFrame = 250 * time.Millisecond
)

// firstPage is how much of a log's end is read to show a chat, in bytes; page
// how much of what is older each time.
const (
	firstPage = 256 << 10
	page      = 512 << 10
)

// talk is a chat that is carried on: *conversation.Manager.
type talk interface {
	ID() string
	Changed() <-chan struct{}
	Take() ([]chats.Event, conversation.Status)
	Status() conversation.Status
	Send(conversation.Message) error
	Stop()
	Unqueue() (conversation.Message, bool)
	Release() error
	Continue() error
	Seen()
	SetProvider(id string) error
	SetModel(id string) error
	SetEffort(id string) error
	SetMode(engine.Mode) error
	SetNativeMode(id string) error
	Answer(card, option string) error
	AnswerQuestion(card string, a engine.Answer) error
	SetTitle(title string) error
	AddShell(chats.Shell) error
	Open()
	Missed(provider string) conversation.Missed
	LastHandoff() (provider, block string)
	Snapshot(maxBytes int64) ([]chats.Event, bool, error)
	Before(seq, maxBytes int64) ([]chats.Event, bool, error)
	Close() error
}

var _ talk = (*conversation.Manager)(nil)

// worker is the goroutine of one open chat. It opens the chat, does what the
// screen asks of it in that order, and closes it; a second goroutine of its own
// gathers what happens. Update never waits for either.
type worker struct {
	crew  *crew
	of    *room
	front atomic.Bool // the chat is the one on the screen

	mu     sync.Mutex
	work   []job
	ending bool
	wake   chan struct{} // holds one
	done   chan struct{} // closed when the chat is
}

// glimpse reads the end of a chat as it stands in its log.
type glimpse func() (events []chats.Event, more bool, err error)

// newWorker opens a chat. With a glimpse its end is on the screen before: to open
// a chat may take its whole log.
func newWorker(c *crew, of *room, first glimpse, open func() (talk, error), panicAt string) *worker {
	w := &worker{crew: c, of: of, wake: make(chan struct{}, 1), done: make(chan struct{})}
	c.run("chat", func(ctx context.Context) {
		defer close(w.done)
		if first != nil {
			// What can't be read now is said when the chat is opened.
			if events, more, err := first(); err == nil {
				c.send(glimpseMsg{room: of, events: events, more: more})
			}
		}
		w.run(ctx, open, panicAt)
	})
	return w
}

// job is something to do with the chat. lost, if any, is called instead when the
// chat could not be opened.
type job struct {
	do   func(talk)
	lost func(error)
}

// do gives the worker something to do with the chat. What is asked for after
// end is not done.
func (w *worker) do(f func(talk)) { w.add(job{do: f}) }

func (w *worker) add(j job) {
	w.mu.Lock()
	w.work = append(w.work, j)
	w.mu.Unlock()
	w.nudge()
}

// end closes the chat after what was asked for before.
func (w *worker) end() {
	w.mu.Lock()
	w.ending = true
	w.mu.Unlock()
	w.nudge()
}

func (w *worker) nudge() {
	select {
	case w.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

// next takes the oldest work. over: there is none and none comes.
func (w *worker) next() (j job, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.work) == 0 {
		return job{}, w.ending
	}
	j = w.work[0]
	w.work = w.work[1:]
	return j, false
}

func (w *worker) run(ctx context.Context, open func() (talk, error), panicAt string) {
	t, err := open()
	if err != nil {
		w.crew.send(openedMsg{room: w.of, err: err})
		w.drain(ctx, nil, err)
		return
	}
	// Closing comes last whatever happens: no chat is left open by a crash.
	defer func() {
		if err := t.Close(); err != nil {
			w.crew.send(troubleMsg{room: w.of, doing: "close the chat", err: err})
		}
	}()
	events, more, err := t.Snapshot(firstPage)
	w.crew.send(openedMsg{room: w.of, talk: t, events: events, more: more, status: t.Status(), readErr: err})

	gathering, stop := context.WithCancel(ctx)
	defer stop()
	var gathered sync.WaitGroup
	defer gathered.Wait()
	defer stop()
	gathered.Go(func() {
		defer w.crew.guard("reader")
		w.gather(gathering, t, panicAt)
	})
	w.drain(ctx, t, nil)
}

// drain does the work until the end. The crew's end is one too, but what was
// asked for before it is still done: a message that was sent is never lost.
func (w *worker) drain(ctx context.Context, t talk, failed error) {
	for {
		j, over := w.next()
		switch {
		case j.do != nil && t != nil:
			j.do(t)
			continue
		case j.do != nil:
			if j.lost != nil {
				j.lost(failed)
			}
			continue
		case over || ctx.Err() != nil:
			return
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
		}
	}
}

// gather hands on what happened, at most once a frame.
func (w *worker) gather(ctx context.Context, t talk, panicAt string) {
	var test <-chan time.Time
	if panicAt == "reader" {
		test = time.After(2 * loadTime)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-test:
			panic("CONCH_TEST_PANIC: reader")
		case <-t.Changed():
		}
		events, status := t.Take()
		if panicAt == "turn" && status.LastEnd != nil {
			panic("CONCH_TEST_PANIC: turn")
		}
		w.crew.send(newsMsg{room: w.of, events: events, status: status})
		wait := slowFrame
		if w.front.Load() {
			wait = frame
		}
		pause := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
	}
}
