package tui

import (
	"context"
	"maps"
	"sync"
	"time"

	"conch/pastchats"
)

// mailbox keeps the newest figures of a run until they are fetched, so that
// whoever brings chats in never waits for the screen.
type mailbox struct {
	mu     sync.Mutex
	newest pastchats.Progress
	full   chan struct{} // holds one
	over   chan struct{}
}

func newMailbox() *mailbox {
	return &mailbox{full: make(chan struct{}, 1), over: make(chan struct{})}
}

func (b *mailbox) put(p pastchats.Progress) {
	p.Counts = maps.Clone(p.Counts)
	b.mu.Lock()
	b.newest = p
	b.mu.Unlock()
	select {
	case b.full <- struct{}{}:
	default: // what was there is older
	}
}

func (b *mailbox) close() { close(b.over) }

// deliver hands the newest figures on until the box is closed, at most once in
// progressTime.
func (b *mailbox) deliver(ctx context.Context, send func(pastchats.Progress)) {
	for {
		select {
		case <-b.over:
			return
		case <-ctx.Done():
			return
		case <-b.full:
		}
		b.mu.Lock()
		p := b.newest
		b.mu.Unlock()
		send(p)
		pause := time.NewTimer(progressTime)
		select {
		case <-b.over:
			pause.Stop()
			return
		case <-pause.C:
		}
	}
}
