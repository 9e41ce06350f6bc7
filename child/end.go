package child

import (
	"context"
	"time"
)

// waits are the steps of an end: how long a program may take after its input
// has ended, after it was told to terminate, and after it was killed; and how
// often is looked.
type waits struct {
	input, term, kill, tick time.Duration
}

// Together under 3 seconds.
var defaultWaits = waits{
	input: 2 * time.Second,
	term:  500 * time.Millisecond,
	kill:  400 * time.Millisecond,
	tick:  25 * time.Millisecond,
}

// End ends the program and all that it started: close stdin, wait, terminate
// the group, wait, kill the group and every noted descendant, those too that
// left the group while the program itself ended cleanly. It is over within 3
// seconds, may be called twice and from several goroutines, and returns when
// nothing is left. When ctx is done, nothing is waited for: all is killed at
// once. A caller cancels a running turn first: that is what ends a program's
// own commands best.
func (p *Process) End(ctx context.Context) {
	p.ended.Do(func() { p.end(ctx) })
}

func (p *Process) end(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tree.walk(true)
	p.Stdin.Close()
	finish(ctx, p.waits, []*tree{p.tree}, p.group, func() bool {
		select {
		case <-p.exited:
			return true
		default:
			return false
		}
	})
	p.guard.gone(p.tree.mark)
	select {
	case <-p.exited:
	default:
		// Nothing was found in the process table, as when there is no /proc. The
		// program itself was not waited for, so its number is still its own.
		p.group.killAll(p.Pid())
	}
	select {
	case <-p.done:
	case <-time.After(p.waits.kill):
		// Even a killed process can hang in the system (a dead network disk).
		// It is the system's then.
	}
	p.group.release()
	p.stderr.Close()
	<-p.drained
}

// finish takes trees through the steps. over says that the programs themselves
// have ended; what they left behind gets no share of the first wait.
func finish(ctx context.Context, w waits, trees []*tree, g *group, over func() bool) {
	all := func(deep bool, each func(t *tree, alive []ident, inGroup bool)) (left int) {
		for _, t := range trees {
			alive, inGroup := t.walk(deep)
			left += len(alive)
			if each != nil && len(alive) > 0 {
				each(t, alive, inGroup)
			}
		}
		return left
	}
	rounds := 0
	until(ctx, w.input, w.tick, func() bool {
		// The table is read at every eighth look only: a program that starts
		// helpers while it ends is rare.
		if rounds++; rounds%8 == 0 {
			all(false, nil)
		}
		return over()
	})
	left := all(true, func(t *tree, alive []ident, inGroup bool) {
		terminate(g, t, alive, inGroup)
	})
	if left == 0 {
		return
	}
	until(ctx, w.term, w.tick, func() bool { return all(false, nil) == 0 })
	until(context.WithoutCancel(ctx), w.kill, w.tick, func() bool {
		return all(true, func(t *tree, alive []ident, inGroup bool) {
			kill(g, t, alive, inGroup)
		}) == 0
	})
}

// until asks ok at each tick until it says yes, the time is up or ctx is done.
// It asks at least once.
func until(ctx context.Context, limit, tick time.Duration, ok func() bool) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
