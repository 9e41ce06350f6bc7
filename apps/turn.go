package apps

import (
	"context"
	"errors"
	"sync"
	"time"

	"conch/engine"
	"conch/tools"
)

// ahead is said by a turn that is none yet: tools are told of, and nothing is called.
type ahead interface{ Ahead() bool }

// errStarting is an app that is not there yet.
var errStarting = errors.New("it is still starting")

func (b *Bridge) connect(ctx context.Context, t tools.Turn) *Set {
	set := &Set{}
	first := make([]*opening, len(b.o.Apps))
	before := make([]Listing, len(b.o.Apps))
	early := false
	if a, ok := t.(ahead); ok {
		early = a.Ahead()
	}
	for i, a := range b.o.Apps {
		w := wishes{folder: t.Folder()}
		if !t.Unattended() && !early {
			w.ask = t.Question
		}
		l := b.link(ctx, a, t.Chat()+"\x00"+a.ID, w)
		set.links = append(set.links, l)
		listed, known := b.listing(a)
		before[i] = listed
		if !known || !early {
			first[i] = l.begin()
		}
		if known {
			first[i] = nil // nothing is waited for
		}
	}
	errs := b.await(ctx, t, first)
	for i, a := range b.o.Apps {
		listed := before[i]
		if first[i] != nil {
			if errs[i] != nil {
				set.Missing = append(set.Missing, b.missing(a, errs[i]))
				continue
			}
			listed = first[i].o.list
		}
		for _, each := range listed.Tools {
			set.Tools = append(set.Tools, &tool{listed: each, app: a, link: set.links[i], turn: t})
		}
	}
	return set
}

// await waits for the apps that were never listed, all side by side.
func (b *Bridge) await(ctx context.Context, t tools.Turn, first []*opening) []error {
	errs := make([]error, len(first))
	var wait sync.WaitGroup
	waits := false
	limit, cancel := context.WithTimeout(ctx, b.limits.start)
	defer cancel()
	for i, n := range first {
		if n == nil {
			continue
		}
		waits = true
		wait.Go(func() {
			select {
			case <-n.done:
				errs[i] = n.err
			case <-limit.Done():
				errs[i] = errStarting
				if err := ctx.Err(); err != nil {
					errs[i] = err
				}
			}
		})
	}
	if !waits {
		return errs
	}
	t.Emit(engine.Waiting{Text: "your apps start"})
	wait.Wait()
	t.Emit(engine.Waiting{})
	return errs
}

// missing says that an app is not there in a turn, and why.
func (b *Bridge) missing(a App, err error) string {
	if errors.Is(err, errStarting) {
		return "the app " + a.ID + " is not there: it is still starting after " + seconds(b.limits.start) + "; once it is up, its tools are there in the next turn"
	}
	b.o.Log("app-missing", a.ID+": "+b.clean(err.Error(), 300))
	return "the app " + a.ID + " is not there: " + b.problem(a, err).Say
}

// listing is what an app offered when it was last listed.
func (b *Bridge) listing(a App) (Listing, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, ok := b.known[a.key()]
	return l, ok
}

func (b *Bridge) learn(a App, l Listing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[a.key()] = l
}

// leave ends something in the background; the next turn of the chat waits for it
// before it starts the same program again.
func (b *Bridge) leave(slot string, end func()) {
	done := make(chan struct{})
	b.mu.Lock()
	before := b.ending[slot]
	b.ending[slot] = done
	b.mu.Unlock()
	b.work.Go(func() {
		end()
		if before != nil {
			<-before
		}
		b.mu.Lock()
		if b.ending[slot] == done {
			delete(b.ending, slot)
		}
		b.mu.Unlock()
		close(done)
	})
}

// awaitEnd waits for the program that an earlier turn of the chat had.
func (b *Bridge) awaitEnd(ctx context.Context, slot string) {
	b.mu.Lock()
	before := b.ending[slot]
	b.mu.Unlock()
	if before == nil {
		return
	}
	limit := time.NewTimer(5 * time.Second) // an end takes three at most
	defer limit.Stop()
	select {
	case <-before:
	case <-limit.C:
	case <-ctx.Done():
	}
}
