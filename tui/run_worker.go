package tui

import (
	"context"
	"sync"
	"time"
)

// runWorker is the goroutine of one open run. It opens the run, does what the screen
// asks of it in that order, and closes it; a second goroutine gathers what happens, at
// most once a frame. Update never waits for either.
type runWorker struct {
	crew *crew
	of   *running

	mu     sync.Mutex
	work   []func(run)
	ending bool
	wake   chan struct{} // holds one
	stop   context.CancelFunc
}

func newRunWorker(c *crew, of *running, open func(context.Context) (run, error)) *runWorker {
	w := &runWorker{crew: c, of: of, wake: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(c.ctx)
	w.stop = cancel
	c.run("run", func(context.Context) {
		defer cancel()
		w.run(ctx, open)
	})
	return w
}

// do gives the worker something to do with the run. What is asked for when the run
// could not be opened is not done.
func (w *runWorker) do(f func(run)) {
	w.mu.Lock()
	w.work = append(w.work, f)
	w.mu.Unlock()
	w.nudge()
}

// end closes the run after what was asked for before; one that is only being opened is
// given up.
func (w *runWorker) end() {
	w.mu.Lock()
	w.ending = true
	w.mu.Unlock()
	if !w.of.opened {
		w.stop()
	}
	w.nudge()
}

func (w *runWorker) nudge() {
	select {
	case w.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

func (w *runWorker) next() (f func(run), over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.work) == 0 {
		return nil, w.ending
	}
	f = w.work[0]
	w.work = w.work[1:]
	return f, false
}

func (w *runWorker) run(ctx context.Context, open func(context.Context) (run, error)) {
	r, err := open(ctx)
	if err != nil {
		w.crew.send(runOpenedMsg{run: w.of, err: err})
		return
	}
	// Closing comes last whatever happens: no program of the run outlives the screen.
	defer func() {
		if err := r.Close(); err != nil {
			w.crew.send(runTroubleMsg{run: w.of, doing: "close the run", err: err})
		}
	}()
	w.crew.send(runOpenedMsg{run: w.of, id: r.ID(), snap: r.Snapshot()})

	gathering, stop := context.WithCancel(ctx)
	var gathered sync.WaitGroup
	defer gathered.Wait()
	defer stop()
	gathered.Go(func() {
		defer w.crew.guard("run reader")
		w.gather(gathering, r)
	})
	for {
		f, over := w.next()
		switch {
		case f != nil:
			f(r)
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

// gather hands on how the run stands, at most once a frame.
func (w *runWorker) gather(ctx context.Context, r run) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.Changed():
		}
		w.crew.send(runNewsMsg{run: w.of, snap: r.Snapshot()})
		pause := time.NewTimer(frame)
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
	}
}
