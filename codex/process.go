package codex

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"conch/child"
	"conch/engine"
	"conch/plain"
	"conch/redact"
)

// process is one life of the program, in a Codex home of its own: started,
// initialized, and ended once.
type process struct {
	e     *Engine
	child *child.Process
	conn  *conn
	home  *home
	begun bool // it was initialized
	agent string

	account account
	models  []model

	notes chan struct{} // holds one: descendants are to be noted
	over  sync.WaitGroup
	ended sync.Once

	mu     sync.Mutex
	noises int
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

// model is an entry of model/list.
type model struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Name    string `json:"displayName"`
	Says    string `json:"description"`
	Hidden  bool   `json:"hidden"`
	Default bool   `json:"isDefault"`
	Usual   string `json:"defaultReasoningEffort"`
	Efforts []struct {
		ID   string `json:"reasoningEffort"`
		Says string `json:"description"`
	} `json:"supportedReasoningEfforts"`
}

const (
	maxNoises  = 20
	keptStderr = 16 << 10
)

// noFolder is a working folder that is not there.
type noFolder struct{ path string }

func (n noFolder) Error() string { return n.path + " is no folder" }

// signedOut is that nobody is signed in with Codex: it would send a turn all the
// same, without a key.
type signedOut struct{}

func (signedOut) Error() string { return "nobody is signed in" }

// start starts the program and initializes it. The process is returned with an
// error too when it was started: it is to be ended.
func (e *Engine) start(ctx context.Context, cwd string, protected []string) (*process, error) {
	if info, err := os.Stat(orElse(cwd, ".")); err != nil || !info.IsDir() {
		return nil, noFolder{cwd}
	}
	e.Sweep()
	h, err := e.stores.newHome(homeConfig{Protected: protected, Person: e.config()})
	if err != nil {
		return nil, err
	}
	env := child.Environ(e.opts.Environ, append(e.config().keys(), e.agent.PassEnv...), []string{"CODEX_HOME"}, append(append([]string(nil), e.agent.Env...), "CODEX_HOME="+h.dir()))
	c, err := child.Start(ctx, child.Spec{
		Args: append([]string{e.agent.Command}, e.agent.Args...), Dir: cwd, Env: env, Guard: e.opts.Guard, StderrBytes: keptStderr,
	})
	if err != nil {
		e.logEnd(h.close())
		return nil, err
	}
	p := &process{e: e, child: c, home: h, notes: make(chan struct{}, 1), limits: map[string]engine.Window{}}
	p.conn = newConn(c.Stdout, c.Stdin, p)
	p.over.Go(func() {
		<-p.conn.gone
		<-p.conn.written
	})
	p.over.Go(p.noteDescendants)
	if err := p.initialize(ctx); err != nil {
		return p, err
	}
	return p, nil
}

func (e *Engine) logEnd(err error) {
	if err != nil {
		e.log("codex-home", err.Error())
	}
}

func (p *process) initialize(ctx context.Context) error {
	answer, err := p.conn.call(ctx, "initialize", map[string]any{
		"clientInfo":   map[string]any{"name": "conch", "title": "Conch", "version": orElse(p.e.opts.ClientVersion, "0")},
		"capabilities": map[string]any{"experimentalApi": true},
	}, p.e.times.Start, "it did not start")
	if err != nil {
		return err
	}
	var said struct {
		UserAgent string `json:"userAgent"`
	}
	lenient(answer, &said)
	p.agent = versionInText.FindString(said.UserAgent)
	if err := p.conn.notify("initialized"); err != nil {
		return err
	}
	if older(p.agent, oldest) {
		return tooOld{p.agent}
	}
	p.begun = true
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
			Data []model `json:"data"`
		}
		lenient(answer, &list)
		p.models = list.Data
	}
	p.e.known.begun(p.agent, len(p.models))
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
			p.e.known.count(method)
		}
		return
	}
	p.mu.Lock()
	th := p.thread
	p.mu.Unlock()
	if th == nil || th.id != m.Thread {
		if !quietMethod(method) {
			p.e.known.count(method + " of another thread")
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
	p.mu.Lock()
	th := p.thread
	p.mu.Unlock()
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

func (p *process) tooLong(_ []byte, size int64) {
	p.e.known.count("too-long")
	p.e.log("too-long", fmt.Sprintf("%s: skipped a message of %d bytes", p.e.agent.ID, size))
	p.mu.Lock()
	th := p.thread
	p.mu.Unlock()
	if th == nil {
		return
	}
	if t := th.running(); t != nil {
		t.tell(engine.Notice{Code: "left-out", Message: fmt.Sprintf("%s said something too large to take in (%d MB); it is left out.", p.e.agent.Name, size>>20)})
	}
}

// noteDescendants remembers what the program starts while its steps run.
func (p *process) noteDescendants() {
	for {
		select {
		case <-p.notes:
			p.child.Note()
		case <-p.conn.gone:
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

func (p *process) alive() bool {
	select {
	case <-p.conn.gone:
		return false
	case <-p.child.Done():
		return false
	default:
		return true
	}
}

// exit says how the program ended, once it has; it waits a moment for the news.
func (p *process) exit() string {
	select {
	case <-p.child.Done():
		words, _ := p.child.Exit()
		return words
	case <-time.After(500 * time.Millisecond):
		return ""
	}
}

// stderr is the end of what the program said on stderr, cleaned and redacted.
func (p *process) stderr() string {
	text := p.child.Stderr()
	if len(text) >= keptStderr {
		// The line that was cut goes: the rest of a secret is not known for one.
		if _, rest, _ := strings.Cut(text, "\n"); strings.TrimSpace(rest) != "" {
			text = rest
		} else if _, rest, ok := strings.Cut(text, " "); ok {
			text = rest
		}
	}
	clean, _ := redact.Redact(plain.Text(text))
	return clean
}

// end ends the program and all that it started, keeps the thread, and takes its
// home away. It waits until all that is done.
func (p *process) end(ctx context.Context) {
	p.ended.Do(func() {
		p.child.End(ctx)
		p.over.Wait()
		p.mu.Lock()
		th := p.thread
		p.mu.Unlock()
		if th != nil {
			th.keep()
		}
		p.e.logEnd(p.home.close())
	})
}

// offers is what the person can choose with a thread.
func (p *process) offers(th *thread) engine.Offers {
	o := engine.Offers{Model: th.modelNow(), Effort: th.effortNow()}
	known := false
	for _, m := range p.models {
		id := orElse(m.Model, m.ID)
		if m.Hidden || id == "" || len(o.Models) == maxChoices {
			continue
		}
		known = known || id == o.Model
		o.Models = append(o.Models, engine.Choice{ID: id, Name: orElse(oneLine(m.Name, maxName), id), Description: oneLine(m.Says, maxName)})
		if id == o.Model {
			for _, each := range m.Efforts {
				o.Efforts = append(o.Efforts, engine.Choice{ID: each.ID, Name: oneLine(each.ID, maxName), Description: oneLine(each.Says, maxName)})
			}
			o.Effort = orElse(o.Effort, m.Usual)
		}
	}
	if !known && o.Model != "" {
		// A model of the person's own provider: the catalogue is of another one.
		o.Models = []engine.Choice{{ID: o.Model, Name: oneLine(o.Model, maxName)}}
	}
	return o
}

const maxChoices = 200
