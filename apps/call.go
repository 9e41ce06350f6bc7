package apps

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A call that was on its way when the connection dropped may have happened. It is
// made again, once and without asking, only when the app marked the tool as reading
// before and marks it so after; else the model is told to look first.

// call makes a call and gives the app's answer. Its errors are sentences for a model.
func (l *link) call(ctx context.Context, t Listed, args json.RawMessage) (*mcp.CallToolResult, error) {
	if err := l.over(ctx); err != nil {
		return nil, err
	}
	o, err := l.get(ctx, nil)
	if err != nil {
		if err := l.over(ctx); err != nil {
			return nil, err
		}
		return nil, errors.New(l.app.ID + " could not be connected, so the call was not run: " + l.why(err))
	}
	was, there := o.list.find(t.Tool)
	if !there {
		return nil, errors.New(l.app.ID + " no longer has the tool " + t.Tool + ", so the call was not run")
	}
	r, err := l.send(ctx, o, t, args)
	if err == nil {
		return r, nil
	}
	if err := l.final(ctx, t, o, err); err != nil {
		return nil, err
	}
	before := err
	l.b.o.Log("app-dropped", l.app.ID+": "+l.b.clean(err.Error(), 300))
	again, err := l.get(ctx, o)
	if over := l.over(ctx); over != nil {
		return nil, over
	}
	unsent := neverSent(before)
	if err != nil {
		if unsent {
			return nil, errors.New("the connection to " + l.app.ID + " is gone and can't be opened again, so the call was not run: " + l.why(err))
		}
		return nil, errors.New(l.mayHave(was) + " It can't be opened again: " + l.why(err) + ".")
	}
	now, there := again.list.find(t.Tool)
	switch {
	case !there && unsent:
		return nil, errors.New(l.app.ID + " no longer has the tool " + t.Tool + ", so the call was not run")
	case !there:
		return nil, errors.New(l.mayHave(was) + " The connection is back, but " + l.app.ID + " no longer has the tool " + t.Tool + ".")
	case !unsent && (!was.ReadOnly || !now.ReadOnly):
		return nil, errors.New(l.mayHave(Listed{}) + " The connection is back: check before you repeat it.")
	}
	r, err = l.send(ctx, again, t, args)
	if err == nil {
		return r, nil
	}
	if err := l.final(ctx, t, again, err); err != nil {
		return nil, err
	}
	if now.ReadOnly {
		return nil, errors.New("the connection to " + l.app.ID + " dropped twice during this call, so there is no answer: " + l.why(err))
	}
	return nil, errors.New(l.mayHave(now) + " It dropped again: check before you repeat it.")
}

// mayHave says what is known of a call whose connection dropped.
func (l *link) mayHave(t Listed) string {
	if t.ReadOnly {
		return "The connection to " + l.app.ID + " dropped during this call, so there is no answer."
	}
	return "The connection to " + l.app.ID + " dropped during this call, so it may or may not have happened."
}

// over is the end of the turn or of the call, nil while both go on.
func (l *link) over(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.ctx.Err()
}

// final gives the error that a call ends with, nil when its connection dropped.
func (l *link) final(ctx context.Context, t Listed, o *opened, err error) error {
	if over := l.over(ctx); over != nil {
		return over
	}
	var status *statusError
	switch {
	case errors.Is(err, errQuiet):
		return errors.New(l.app.ID + " did not answer within " + seconds(l.b.limits.call) +
			". The call may still be under way there and was not repeated: check before you do.")
	case errors.As(err, &status):
		p := l.b.problem(l.app, err)
		if passing(err) {
			return errors.New(p.Say + ". It may or may not have happened: try again in a moment, and check before where it changes something.")
		}
		return errors.New(p.Say + ", so the call was not run. " + p.Next)
	}
	if wire := ofApp(err); wire != nil && !o.dropped() {
		return &ownError{l.b.text(said(wire))}
	}
	return nil
}

// errQuiet is the end of a call of which nothing was heard for too long.
var errQuiet = errors.New("it did not answer")

// send makes one call over a connection. It returns when ctx or the link is over,
// and when the app gives no sign of life for too long; a card's time doesn't count.
func (l *link) send(ctx context.Context, o *opened, t Listed, args json.RawMessage) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.ctx, func() { cancel(context.Canceled) })()
	over := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		l.watch(over, func() { cancel(errQuiet) })
	}()
	type answer struct {
		r   *mcp.CallToolResult
		err error
	}
	answered := make(chan answer, 1)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		close(over)
		<-watching
		return nil, context.Canceled
	}
	l.work.Go(func() {
		r, err := o.call(ctx, t.Tool, args)
		answered <- answer{r, err}
	})
	l.mu.Unlock()
	var a answer
	select {
	case a = <-answered:
	case <-ctx.Done():
		a.err = ctx.Err()
	}
	close(over)
	<-watching
	if a.err != nil && errors.Is(context.Cause(ctx), errQuiet) {
		a.err = errQuiet
	}
	return a.r, a.err
}

// watch calls quiet when nothing was heard of the app for the call's limit.
func (l *link) watch(over <-chan struct{}, quiet func()) {
	limit := l.b.limits.call
	began := time.Now()
	asked := l.asked.Load()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case <-over:
			return
		case <-timer.C:
		}
		heard := began
		if at := time.Unix(0, l.heard.Load()); at.After(heard) {
			heard = at
		}
		left := limit - time.Since(heard) + time.Duration(l.asked.Load()-asked)
		if l.cards.Load() > 0 {
			left = limit
		}
		if left <= 0 {
			quiet()
			return
		}
		timer.Reset(left)
	}
}

// neverSent reports a call that did not leave this machine, or that the app did not
// take: it knows the session no more.
func neverSent(err error) bool {
	var dial *net.OpError
	return errors.Is(err, mcp.ErrSessionMissing) || errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dial) && dial.Op == "dial"
}

// why is a failure of a connection, as a model reads it.
func (l *link) why(err error) string { return l.b.problem(l.app, err).Say }
