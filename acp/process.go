package acp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"conch/door"
	"conch/engine"
	"conch/program"
)

// process is one life of a program: started, initialized, and ended once.
type process struct {
	*program.Process
	e     *Engine
	conn  *jsonrpc2.Conn
	caps  capabilities
	model string // the model it was started with, where that is how one is picked

	gone chan struct{} // closed when the connection is closed

	mu     sync.Mutex
	nextID uint64
	calls  map[uint64]context.CancelCauseFunc
	loads  int // sessions loaded in this life
	sess   *session
	early  []earlyUpdate // of a session whose id is not known yet
	earlyN int           // bytes of them
	asked  map[jsonrpc2.ID]func()
	doors  []*door.Door // of its sessions
	breach string       // what it did against the protocol and no turn has told yet
}

type earlyUpdate struct {
	session string
	update  object
}

// size is about how many bytes it holds.
func (u earlyUpdate) size() (n int) {
	for key, value := range u.update {
		n += len(key) + len(value)
	}
	return n
}

const (
	maxEarly      = 64
	maxEarlyBytes = 8 << 20
	// Conch's own code for an answer that could not be read.
	codeUnreadable = -39001
	codeSignIn     = -32000
)

// start starts the program and initializes it.
func (e *Engine) start(ctx context.Context, cwd, model string) (*process, error) {
	env := e.program.Env
	if e.agent.ModelEnv != "" && model != "" {
		env = append(append([]string(nil), env...), e.agent.ModelEnv+"="+model)
	} else {
		model = ""
	}
	started, err := e.program.Start(ctx, cwd, env)
	if err != nil {
		return nil, err
	}
	p := &process{
		Process: started,
		e:       e,
		model:   model,
		gone:    make(chan struct{}),
		calls:   map[uint64]context.CancelCauseFunc{},
		asked:   map[jsonrpc2.ID]func(){},
	}
	p.Hear(p.gone)
	s := newStream(p.Child.Stdout, p.Child.Stdin, p.Noise, p.tooLong)
	p.conn = jsonrpc2.NewConn(context.Background(), s, p, jsonrpc2.SetLogger(quiet{}), jsonrpc2.OnRecv(p.received))
	p.Over.Go(func() {
		<-s.read // what it said last is still taken in
		<-s.Done
	})
	p.Over.Go(func() {
		<-p.conn.DisconnectNotify()
		close(p.gone)
		p.shutDoors()
	})
	if err := p.initialize(ctx); err != nil {
		return p, err
	}
	return p, nil
}

// quiet swallows the library's own log: what matters is counted by us.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// received sees every message in its order, before it is handled. After the
// prompt's answer a turn's pieces are late ones.
func (p *process) received(req *jsonrpc2.Request, answer *jsonrpc2.Response) {
	if answer == nil || req == nil || req.Method != "session/prompt" {
		return
	}
	if s := p.session(); s != nil {
		s.answered()
	}
}

// tooLong is called by the reader for a message over the limit: it fails the
// request that it answers, and nothing else. A turn in which something was left
// out says so.
func (p *process) tooLong(head []byte, size int64) {
	notice := p.TooLong(size)
	id, hasID, isCall := glance(head)
	if isCall {
		p.leftOut(notice)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !hasID && len(p.calls) == 1 {
		for only := range p.calls {
			id, hasID = int64(only), true
		}
	}
	if cancel := p.calls[uint64(id)]; hasID && cancel != nil {
		cancel(program.TooBig{Size: size})
	}
}

func (p *process) leftOut(notice engine.Notice) {
	s := p.session()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn.tell(notice)
	}
}

// call asks the program and waits for its answer, for at most limit (0: for as
// long as the program lives).
func (p *process) call(ctx context.Context, method string, params any, limit time.Duration, what string) (object, error) {
	w, err := p.ask(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return w.wait(limit, what)
}

// asking is a request on its way.
type asking struct {
	p      *process
	id     uint64
	ctx    context.Context
	cancel context.CancelCauseFunc
	waiter jsonrpc2.Waiter
}

// ask sends a request.
func (p *process) ask(ctx context.Context, method string, params any) (*asking, error) {
	a := &asking{p: p}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	p.mu.Lock()
	p.nextID++
	a.id = p.nextID
	p.calls[a.id] = a.cancel
	p.mu.Unlock()
	var err error
	a.waiter, err = p.conn.DispatchCall(a.ctx, method, params, jsonrpc2.PickID(jsonrpc2.ID{Num: a.id}))
	if err != nil {
		a.drop()
		return nil, p.wrap(err)
	}
	return a, nil
}

func (a *asking) drop() {
	a.p.mu.Lock()
	delete(a.p.calls, a.id)
	a.p.mu.Unlock()
	a.cancel(nil)
}

// wait gives the answer's result. An answer that is no object is an empty one.
func (a *asking) wait(limit time.Duration, what string) (object, error) {
	defer a.drop()
	if limit > 0 {
		timer := time.AfterFunc(limit, func() { a.cancel(program.Late{What: what, Limit: limit}) })
		defer timer.Stop()
	}
	var raw json.RawMessage
	if err := a.waiter.Wait(a.ctx, &raw); err != nil {
		if a.ctx.Err() != nil {
			return nil, context.Cause(a.ctx)
		}
		return nil, a.p.wrap(err)
	}
	if o := parse(raw); o != nil {
		return o, nil
	}
	return object{}, nil
}

// refused is an error that the program answered.
type refused struct {
	code    int64
	message string
	data    json.RawMessage
}

func (r *refused) Error() string { return r.words() }

func (p *process) wrap(err error) error {
	var answer *jsonrpc2.Error
	if errors.As(err, &answer) {
		r := &refused{code: answer.Code, message: answer.Message}
		if answer.Data != nil {
			r.data = *answer.Data
		}
		return r
	}
	return program.ErrGone
}

// tell sends a notification; a program that is gone hears nothing.
func (p *process) tell(method string, params any) {
	_ = p.conn.Notify(context.Background(), method, params)
}

// End ends the program and all that it started, and waits until it is gone.
// When ctx is done nothing is waited for any more: all of it is killed.
func (p *process) End(ctx context.Context) {
	p.Child.End(ctx)
	p.conn.Close()
	p.Over.Wait()
}
