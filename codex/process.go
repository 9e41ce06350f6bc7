package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"conch/child"
	"conch/engine"
	"conch/program"
)

// process is one life of the program, in a Codex home of its own: started,
// initialized, and ended once.
type process struct {
	*program.Process
	e    *Engine
	conn *conn
	home *home

	account account
	models  catalogue

	ended sync.Once

	mu     sync.Mutex
	thread *thread
	limits map[string]engine.Window
}

// account is the answer to account/read.
type account struct {
	Account *struct {
		Type string `json:"type"`
	} `json:"account"`
	Requires bool `json:"requiresOpenaiAuth"`
}

// signedOut is that nobody is signed in with Codex: it would send a turn all the
// same, without a key.
type signedOut struct{}

func (signedOut) Error() string { return "nobody is signed in" }

// start starts the program and initializes it. The process is returned with an
// error too when it was started: it is to be ended.
func (e *Engine) start(ctx context.Context, cwd string, protected []string) (*process, error) {
	e.Sweep()
	person := e.config()
	h, err := e.stores.newHome(homeConfig{Protected: protected, Person: person})
	if err != nil {
		return nil, err
	}
	started, err := e.program.Start(ctx, cwd, e.environ(person, h.dir()))
	if err != nil {
		e.logEnd(h.close())
		return nil, err
	}
	p := &process{Process: started, e: e, home: h, limits: map[string]engine.Window{}}
	p.conn = newConn(p.Child.Stdout, p.Child.Stdin, p)
	p.Hear(p.conn.gone)
	p.Over.Go(func() {
		<-p.conn.gone
		<-p.conn.out.Done
	})
	if err := p.initialize(ctx); err != nil {
		return p, err
	}
	return p, nil
}

// environ is what a Codex gets whose home is dir: the list, the variables that the
// person's model providers read their keys from, and the person's own settings.
func (e *Engine) environ(person person, dir string) []string {
	return child.Environ(e.opts.Environ, append(person.keys(), e.agent.PassEnv...), []string{"CODEX_HOME"},
		append(append([]string(nil), e.agent.Env...), "CODEX_HOME="+dir))
}

func (e *Engine) logEnd(err error) {
	if err != nil {
		e.program.Logf("codex-home", "%v", err)
	}
}

func (p *process) initialize(ctx context.Context) error {
	answer, err := p.conn.call(ctx, "initialize", map[string]any{
		"clientInfo":   map[string]any{"name": "conch", "title": "Conch", "version": cmp.Or(p.e.opts.ClientVersion, "0")},
		"capabilities": map[string]any{"experimentalApi": true},
	}, p.e.times.Start, "it did not start")
	if err != nil {
		return err
	}
	var said struct {
		UserAgent string `json:"userAgent"`
	}
	lenient(answer, &said)
	version := program.VersionIn(said.UserAgent)
	if err := p.conn.notify("initialized"); err != nil {
		return err
	}
	if program.Older(version, oldest) {
		return program.TooOld{Version: version}
	}
	p.Begun = true
	if answer, err = p.conn.call(ctx, "account/read", map[string]any{}, p.e.times.Asking, "it did not say who is signed in"); err != nil {
		return err
	}
	lenient(answer, &p.account)
	if p.account.Account == nil && p.account.Requires {
		return signedOut{}
	}
	// What can be chosen is no condition of a turn.
	if answer, err = p.conn.call(ctx, "model/list", map[string]any{}, p.e.times.Asking, "it did not list its models"); err == nil {
		var list struct {
			Data catalogue `json:"data"`
		}
		lenient(answer, &list)
		p.models = list.Data
	}
	p.e.listed.Store(int64(len(p.models)))
	p.e.program.Started(version)
	return ctx.Err()
}

// notification takes what the program says.
func (p *process) notification(method string, params json.RawMessage) {
	var m said
	lenient(params, &m)
	if method == "account/rateLimits/updated" {
		p.rateLimits(m.RateLimits)
		return
	}
	if m.Thread == "" {
		if !quietMethod(method) {
			p.e.program.Count(method)
		}
		return
	}
	th := p.opened()
	if th == nil || th.id != m.Thread {
		if !quietMethod(method) {
			p.e.program.Count(method + " of another thread")
		}
		return
	}
	th.take(method, m)
}

// quietMethod is what is of no use here.
func quietMethod(method string) bool {
	switch method {
	case "configWarning", "deprecationNotice", "remoteControl/status/changed", "thread/started", "thread/status/changed",
		"thread/readState/changed", "skills/changed", "serverRequest/resolved", "account/updated", "thread/name/updated",
		"mcpServer/startupStatus/updated", "thread/settings/updated", "turn/diff/updated", "warning", "model/rerouted":
		return true
	}
	return false
}

func (p *process) request(id json.RawMessage, method string, params json.RawMessage) {
	var m said
	lenient(params, &m)
	th := p.opened()
	var t *turn
	if th != nil && th.id == m.Thread {
		t = th.running()
	}
	p.ask(t, id, method, m)
}

// rateLimits merges what is used up of the account's limits: what is not said
// stays.
func (p *process) rateLimits(r rateLimits) {
	p.mu.Lock()
	changed := false
	for _, each := range []struct {
		key string
		at  *window
	}{{"1", r.Primary}, {"2", r.Secondary}} {
		if each.at == nil {
			continue
		}
		w := engine.Window{Name: windowName(each.at.Minutes), UsedPercent: each.at.Used, ResetsAt: each.at.Resets * 1000}
		if p.limits[each.key] != w {
			p.limits[each.key], changed = w, true
		}
	}
	th := p.thread
	p.mu.Unlock()
	if changed && th != nil {
		if t := th.running(); t != nil {
			t.tell(p.windows())
		}
	}
}

func (p *process) windows() engine.Limits {
	p.mu.Lock()
	defer p.mu.Unlock()
	var l engine.Limits
	for _, key := range []string{"1", "2"} {
		if w, ok := p.limits[key]; ok {
			l.Windows = append(l.Windows, w)
		}
	}
	return l
}

// windowName says a limit's length as a person does.
func windowName(minutes int64) string {
	switch {
	case minutes <= 0:
		return "limit"
	case minutes == 7*24*60:
		return "week"
	case minutes == 24*60:
		return "day"
	case minutes%(24*60) == 0:
		return fmt.Sprintf("%d days", minutes/(24*60))
	case minutes%60 == 0:
		return fmt.Sprintf("%d hours", minutes/60)
	}
	return fmt.Sprintf("%d minutes", minutes)
}

// opened is the thread that is open in the process; nil for none.
func (p *process) opened() *thread {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.thread
}

func (p *process) noise(line []byte) { p.Noise(line) }

func (p *process) tooLong(_ []byte, size int64) {
	notice := p.TooLong(size)
	if th := p.opened(); th != nil {
		if t := th.running(); t != nil {
			t.tell(notice)
		}
	}
}

// End ends the program and all that it started, keeps the thread, and takes its
// home away. It waits until all that is done.
func (p *process) End(ctx context.Context) {
	p.ended.Do(func() {
		p.Child.End(ctx)
		p.Over.Wait()
		if th := p.opened(); th != nil {
			th.keep()
		}
		p.e.logEnd(p.home.close())
	})
}
