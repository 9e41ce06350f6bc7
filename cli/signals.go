package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signals is what was heard from the system.
type signals struct {
	mu    sync.Mutex
	heard os.Signal // the first that asks for the end
}

// listen gives a context that ends with the first signal that asks for it. The
// work then stops by itself: turns are stopped, children ended, the terminal
// given back. A second signal ends the process at once; the guard takes care of
// the children then.
func (a *app) listen(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	got := make(chan os.Signal, 4)
	signal.Notify(got, endSignals()...)
	over := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case s := <-got:
				if s == brokenPipe {
					continue // the write that caused it fails, and that is enough
				}
				a.signals.mu.Lock()
				again := a.signals.heard != nil
				if !again {
					a.signals.heard = s
				}
				a.signals.mu.Unlock()
				if again {
					a.host.Exit(statusOf(s))
				}
				cancel()
			case <-over:
				return
			}
		}
	})
	return ctx, func() {
		signal.Stop(got)
		close(over)
		wait.Wait()
		cancel()
	}
}

// signalled gives the status of a program that a signal ended.
func (a *app) signalled() (int, bool) {
	a.signals.mu.Lock()
	defer a.signals.mu.Unlock()
	if a.signals.heard == nil {
		return 0, false
	}
	return statusOf(a.signals.heard), true
}

func statusOf(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok && s != os.Interrupt {
		return 128 + int(n)
	}
	return statusInterrupted
}
