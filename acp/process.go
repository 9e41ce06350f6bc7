package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"conch/child"
	"conch/door"
	"conch/engine"
	"conch/plain"
	"conch/redact"
)

// process is one life of a program: started, initialized, and ended once.
type process struct {
	e     *Engine
	child *child.Process
	conn  *jsonrpc2.Conn
	caps  capabilities
	begun bool   // it was initialized
	model string // the model it was started with, where that is how one is picked

	notes chan struct{} // holds one: descendants are to be noted
	gone  chan struct{} // closed when the connection is closed
	over  sync.WaitGroup

	mu     sync.Mutex
	nextID uint64
	calls  map[uint64]context.CancelCauseFunc
	noises int
	loads  int // sessions loaded in this life
	sess   *session
	early  []earlyUpdate // of a session whose id is not known yet
	asked  map[jsonrpc2.ID]func()
	doors  []*door.Door // of its sessions
}

type earlyUpdate struct {
	session string
	update  object
}

const (
	maxNoises = 20
	maxEarly  = 64
	// Bytes of the end of stderr.
	keptStderr = 16 << 10
	// Conch's own code for an answer that could not be read.
	codeUnreadable = -39001
	codeSignIn     = -32000
)

// errGone is that the program has ended.
var errGone = errors.New("the program has ended")

// tooBig is an answer that was over the limit.
type tooBig struct{ size int64 }

func (t tooBig) Error() string {
	return fmt.Sprintf("its answer was too large to take in (%d MB)", t.size>>20)
}

// late is an answer that did not come in time.
type late struct {
	what  string // "did not start", "did not open the session"
	limit time.Duration
}

func (l late) Error() string { return fmt.Sprintf("%s within %s", l.what, span(l.limit)) }

// noFolder is a working folder that is not there.
type noFolder struct{ path string }

func (n noFolder) Error() string { return n.path + " is no folder" }

// span is a duration as a person says it.
func span(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	}
	return fmt.Sprintf("%d ms", int(d/time.Millisecond))
}

// start starts the program and initializes it.
func (e *Engine) start(ctx context.Context, cwd, model string) (*process, error) {
	env := e.env
	if e.agent.ModelEnv != "" && model != "" {
		env = append(append([]string(nil), env...), e.agent.ModelEnv+"="+model)
	} else {
		model = ""
	}
	if info, err := os.Stat(orElse(cwd, ".")); err != nil || !info.IsDir() {
		return nil, noFolder{cwd}
	}
	c, err := child.Start(ctx, child.Spec{
		Args:  append([]string{e.agent.Command}, e.agent.Args...),
		Dir:   cwd,
		Env:   env,
		Guard: e.opts.Guard,

		StderrBytes: keptStderr,
	})
	if err != nil {
		return nil, err
	}
	p := &process{
		e:     e,
		child: c,
		model: model,
		notes: make(chan struct{}, 1),
		gone:  make(chan struct{}),
		calls: map[uint64]context.CancelCauseFunc{},
		asked: map[jsonrpc2.ID]func(){},
	}
	s := newStream(c.Stdout, c.Stdin, p.noise, p.tooLong)
	p.conn = jsonrpc2.NewConn(context.Background(), s, p, jsonrpc2.SetLogger(quiet{}), jsonrpc2.OnRecv(p.received))
	p.over.Go(func() {
		<-s.read // what it said last is still taken in
		<-s.written
	})
	p.over.Go(func() {
		<-p.conn.DisconnectNotify()
		close(p.gone)
	})
	p.over.Go(func() {
		<-p.gone
		p.shutDoors()
	})
	p.over.Go(p.noteDescendants)
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

// noteDescendants remembers what the program starts while its steps run.
func (p *process) noteDescendants() {
	for {
		select {
		case <-p.notes:
			p.child.Note()
		case <-p.gone:
			return
		}
	}
}

func (p *process) note() {
	select {
	case p.notes <- struct{}{}:
	default:
	}
}

// noise is called by the reader for a line that is no message.
func (p *process) noise(line []byte) {
	p.mu.Lock()
	p.noises++
	n := p.noises
	p.mu.Unlock()
	p.e.known.count("noise")
	if n <= maxNoises {
		p.e.log("noise", p.e.agent.ID+": "+string(line))
	}
}

// tooLong is called by the reader for a message over the limit: it fails the
// request that it answers, and nothing else. A turn in which something was left
// out says so.
func (p *process) tooLong(head []byte, size int64) {
	p.e.known.count("too-long")
	p.e.log("too-long", fmt.Sprintf("%s: skipped a message of %d bytes", p.e.agent.ID, size))
	id, hasID, isCall := glance(head)
	if isCall {
		p.leftOut(size)
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
		cancel(tooBig{size})
	}
}

func (p *process) leftOut(size int64) {
	s := p.session()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.turn; t != nil {
		t.tell(engine.Notice{
			Code:    "left-out",
			Message: fmt.Sprintf("%s said something too large to take in (%d MB); it is left out.", p.e.agent.Name, size>>20),
		})
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
		timer := time.AfterFunc(limit, func() { a.cancel(late{what, limit}) })
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
	return errGone
}

// tell sends a notification; a program that is gone hears nothing.
func (p *process) tell(method string, params any) {
	_ = p.conn.Notify(context.Background(), method, params)
}

// stderr is the end of what the program said on stderr, cleaned and redacted.
func (p *process) stderr() string { return wholeLines(p.child.Stderr(), keptStderr) }

// wholeLines cleans and redacts the kept end of a text. Where the text was longer,
// the line that was cut goes, or of a single one the word: the rest of a secret is
// not known for what it is.
func wholeLines(text string, kept int) string {
	if len(text) >= kept {
		if _, rest, _ := strings.Cut(text, "\n"); strings.TrimSpace(rest) != "" {
			text = rest
		} else if _, rest, ok := strings.Cut(text, " "); ok {
			text = rest
		}
	}
	clean, _ := redact.Redact(plain.Text(text))
	return clean
}

// ended says how the program ended, once it has; it waits a moment for the news.
func (p *process) ended() (words string, ok bool) {
	select {
	case <-p.child.Done():
		words, _ = p.child.Exit()
		return words, true
	case <-time.After(500 * time.Millisecond):
		return "", false
	}
}

// alive reports that the program can still be asked.
func (p *process) alive() bool {
	select {
	case <-p.gone:
		return false
	case <-p.child.Done():
		return false
	default:
		return true
	}
}

// end ends the program and all that it started, and waits until it is gone.
// When ctx is done nothing is waited for any more: all of it is killed.
func (p *process) end(ctx context.Context) {
	p.child.End(ctx)
	p.conn.Close()
	p.over.Wait()
}
