package acp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"conch/engine"
	"conch/program"
)

// ready gives the session in which a message is to go: the warm one, or one
// that is opened now, in a process that is started when there is none.
func (c chat) ready(ctx context.Context, in engine.TurnInput) (*session, error) {
	if s := c.warm(in); s != nil {
		err := s.settle(ctx, in.Options)
		switch {
		case err == nil:
			return s, nil
		case isRefusal(err), ctx.Err() != nil:
			return nil, c.broken(ctx, s.p, err)
		}
		// The process is gone or stuck: a new one opens the session again.
		c.Drop(ctx)
	}
	model := cmp.Or(in.Options.Model, c.e.agent.Model)
	if p := c.Process(); p != nil && (!p.fits(model) || p.keepsServers(in)) {
		c.Drop(ctx)
	}
	p, err := c.started(ctx, in.Cwd, model)
	if err != nil {
		return nil, err
	}
	s, err := c.open(ctx, p, in, model)
	if err != nil {
		return nil, err
	}
	if s.way != nil {
		s.way.settle(ctx, c.e.times.Tools)
		if told, ok := s.way.told(); ok && (!s.begun || c.e.agent.Quirks.RereadsDoor || c.e.agent.Quirks.ReadsDoorAtOpening) {
			s.digest = told
		}
	}
	if err := s.settle(ctx, in.Options); err != nil {
		return nil, c.broken(ctx, s.p, err)
	}
	return s, nil
}

// warm is the open session, if it is the one that the message belongs to.
func (c chat) warm(in engine.TurnInput) *session {
	p := c.Process()
	if p == nil || !p.Alive() || !p.fits(cmp.Or(in.Options.Model, c.e.agent.Model)) {
		return nil
	}
	s := p.session()
	if s == nil || s.cwd != in.Cwd || !s.fitsTools(in) {
		return nil
	}
	if s.begun {
		if _, id, ok := parseResume(in.ResumeID); ok && id == s.id {
			return s
		}
		return nil
	}
	// Opened ahead and not used yet: it is the one, or stands in for it.
	if _, id, _ := parseResume(in.ResumeID); in.ResumeID == s.stands || id == s.id {
		return s
	}
	return nil
}

// fitsTools reports that the session was opened with the tools of the turn. A
// program learns of others only when it is opened again.
func (s *session) fitsTools(in engine.TurnInput) bool {
	if s.way == nil {
		return !s.p.wantsDoor(in)
	}
	if s.begun && s.p.e.agent.Quirks.RereadsDoor && s.digest != digestOf(in.SystemAppend) && (s.p.caps.load || s.p.caps.resume) {
		return false
	}
	return s.way.tools == toolsDigest(in.Tools)
}

// keepsServers reports that only a new process can open the session with the tools
// of the turn.
func (p *process) keepsServers(in engine.TurnInput) bool {
	s := p.session()
	return p.e.agent.Quirks.KeepsServers && s != nil && s.begun && !s.fitsTools(in)
}

// fits reports that the process runs with a model, or can be told of it.
func (p *process) fits(model string) bool {
	if p.e.agent.ModelEnv == "" || model == "" || p.model == model {
		return true
	}
	s := p.session()
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.settings.model.list) > 0
}

func (p *process) session() *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sess
}

// started gives the chat's process, starting it if need be.
func (c chat) started(ctx context.Context, cwd, model string) (*process, error) {
	if p := c.Process(); p != nil && p.Alive() {
		return p, nil
	}
	c.Drop(ctx)
	p, err := c.e.start(ctx, cwd, model)
	if p != nil {
		c.Keep(p)
	}
	if err != nil {
		return nil, c.broken(ctx, p, err)
	}
	return p, nil
}

// open opens the session that the message belongs to, or a new one in its stead.
func (c chat) open(ctx context.Context, p *process, in engine.TurnInput, model string) (*session, error) {
	onPurpose := false // the session is replaced because the turn has other tools
	if old := p.session(); old != nil {
		_, id, _ := parseResume(in.ResumeID)
		switch {
		case id != old.id:
		case !old.begun:
			in.ResumeID = old.stands // opened ahead and never used: there is nothing to carry on
		default:
			onPurpose = c.e.agent.Quirks.LoadsOnce && p.loads > 0 && old.cwd == in.Cwd && !old.fitsTools(in)
		}
		p.close(ctx, old)
	}
	if in.ResumeID == "" {
		return c.fresh(ctx, p, in, false)
	}
	told, id, ok := parseResume(in.ResumeID)
	if !ok {
		return c.fresh(ctx, p, in, true)
	}
	s, err := p.reopen(ctx, id, told, in)
	switch {
	case err == nil:
		return s, nil
	case ctx.Err() != nil:
		return nil, c.broken(ctx, p, err)
	case errors.Is(err, errCannot):
		return c.fresh(ctx, p, in, false)
	case isSignIn(err):
		return nil, c.broken(ctx, p, err)
	}
	if onPurpose {
		return c.fresh(ctx, p, in, false)
	}
	c.e.program.Logf("healed", "session not carried on: %v", err)
	if !isRefusal(err) {
		// It did not say no, it broke: a new process for the new session.
		c.Drop(ctx)
		if p, err = c.started(ctx, in.Cwd, model); err != nil {
			return nil, err
		}
	}
	return c.fresh(ctx, p, in, true)
}

// errCannot is that the program offers no way to open a session again.
var errCannot = errors.New("the program cannot carry on a session")

// reopen opens a session again: by resume, which replays nothing, else by load.
// told is the digest of the instructions that it was told.
func (p *process) reopen(ctx context.Context, id, told string, in engine.TurnInput) (*session, error) {
	method, what := "session/load", "it did not load the session"
	switch {
	case p.caps.resume:
		method, what = "session/resume", "it did not resume the session"
	case !p.caps.load:
		return nil, errCannot
	case p.e.agent.Quirks.LoadsOnce && p.loads > 0:
		return nil, &refused{code: jsonrpc2.CodeInternalError, message: "a second load in one process loses the session"}
	}
	s := &session{p: p, id: id, cwd: in.Cwd, digest: told, begun: true, last: time.Now(), way: p.openDoor(in)}
	p.adopt(s)
	p.loads++
	answer, err := p.call(ctx, method, p.sessionParams(in, id, s.way), p.e.times.Session, what)
	if err != nil {
		p.adopt(nil)
		p.abandon(s.way)
		return nil, err
	}
	s.mu.Lock()
	s.settings.read(answer, p.e.agent.OpenModes)
	s.news.settings = true
	s.mu.Unlock()
	if method == "session/load" && !p.e.agent.Quirks.ReplaysFirst {
		return s, s.quieten(ctx)
	}
	return s, nil
}

// quieten waits until a replay that comes after the answer has ended.
func (s *session) quieten(ctx context.Context) error {
	for {
		left := s.p.e.times.Quiet - s.quietFor()
		if left <= 0 {
			return nil
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
			return ctx.Err()
		case <-s.p.gone:
			return program.ErrGone
		}
	}
}

// adopt makes a session the one whose updates are taken.
func (p *process) adopt(s *session) {
	p.mu.Lock()
	p.sess = s
	early := p.early
	p.early, p.earlyN = nil, 0
	p.mu.Unlock()
	if s == nil {
		return
	}
	for _, each := range early {
		if each.session == s.id {
			s.update(each.update)
		}
	}
}

// fresh opens a new session. instead says that it stands in for one that could
// not be carried on.
func (c chat) fresh(ctx context.Context, p *process, in engine.TurnInput, lost bool) (*session, error) {
	p.adopt(nil)
	way := p.openDoor(in)
	params := p.sessionParams(in, "", way)
	answer, err := p.call(ctx, "session/new", params, c.e.times.Session, "it did not open a session")
	if isSignIn(err) && p.signInByKey(ctx) {
		answer, err = p.call(ctx, "session/new", params, c.e.times.Session, "it did not open a session")
	}
	if err != nil {
		p.abandon(way)
		return nil, c.broken(ctx, p, err)
	}
	id := answer.text("sessionId")
	if id == "" {
		p.abandon(way)
		return nil, c.broken(ctx, p, &refused{message: "it opened a session without a name"})
	}
	told := digestOf("") // it was told no instructions
	if params["_meta"] != nil {
		told = digestOf(in.SystemAppend)
	}
	s := &session{
		p: p, id: id, cwd: in.Cwd, digest: told, way: way,
		stands: in.ResumeID, lost: lost, last: time.Now(),
	}
	s.settings.read(answer, c.e.agent.OpenModes)
	s.news.settings = len(s.settings.mode.list)+len(s.settings.model.list)+len(s.settings.effort.list) > 0
	p.adopt(s)
	return s, nil
}

// sessionParams are those of new, load and resume. Here the door and the
// instructions of a session find their place.
func (p *process) sessionParams(in engine.TurnInput, id string, way *passage) map[string]any {
	params := map[string]any{"cwd": in.Cwd, "mcpServers": way.servers(p)}
	if meta := p.e.agent.meta(in.SystemAppend); meta != nil {
		params["_meta"] = meta
	}
	if id != "" {
		params["sessionId"] = id
	}
	return params
}

// signInByKey uses a sign-in that needs no person: one that reads a key which
// the person has put into the environment.
func (p *process) signInByKey(ctx context.Context) bool {
	for _, method := range p.caps.methods {
		vars := slices.Clone(method.vars)
		for name, id := range p.e.agent.Quirks.KeyMethods {
			if id == method.id {
				vars = append(vars, name)
			}
		}
		if len(vars) == 0 || slices.ContainsFunc(vars, func(name string) bool { return p.e.variable(name) == "" }) {
			continue
		}
		_, err := p.call(ctx, "authenticate", map[string]any{"methodId": method.id}, p.e.times.Setting, "it did not sign in")
		if err == nil {
			return true
		}
	}
	return false
}

// variable is what the program gets for a variable.
func (e *Engine) variable(name string) string {
	value := ""
	for _, entry := range e.program.Env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// close lets the program free a session that is not needed any more. Nothing comes
// through its door from now on.
func (p *process) close(ctx context.Context, s *session) {
	p.adopt(nil)
	if s.way != nil {
		s.way.opened()
	}
	if !p.caps.closes {
		return
	}
	_, _ = p.call(ctx, "session/close", map[string]any{"sessionId": s.id}, p.e.times.Close, "it did not close the session")
}

// settle puts the session into the mode, model and effort of a turn.
func (s *session) settle(ctx context.Context, o engine.Options) error {
	if err := s.setMode(ctx, o); err != nil {
		return err
	}
	model := cmp.Or(o.Model, s.p.e.agent.Model)
	if err := s.set(ctx, "model", model); err != nil {
		return err
	}
	if err := s.set(ctx, "effort", o.Effort); err != nil && !isRefusal(err) {
		return err
	}
	return nil
}

// modeRefused is that a program could not be brought to ask before it acts.
type modeRefused struct{ err error }

func (m modeRefused) Error() string { return m.err.Error() }
func (m modeRefused) Unwrap() error { return m.err }

// setMode sets the mode after every opening, and when another is wanted. A mode
// that the program was moved to by its person's own "always" stays.
func (s *session) setMode(ctx context.Context, o engine.Options) error {
	s.mu.Lock()
	wanted := s.settings.wanted(s.p.e.agent, o)
	known := s.settings.mode.offers(wanted)
	done := wanted == "" || wanted == s.asks
	s.mu.Unlock()
	if done {
		return nil
	}
	err := s.set(ctx, "mode", wanted)
	if err != nil && isRefusal(err) {
		s.mu.Lock()
		same, open := s.settings.mode.current == wanted, s.settings.open()
		s.mu.Unlock()
		if (known || open) && !same {
			return modeRefused{err}
		}
		err = nil
	}
	if err == nil {
		s.mu.Lock()
		s.asks = wanted
		s.mu.Unlock()
	}
	return err
}

// set sets one of mode, model and effort.
func (s *session) set(ctx context.Context, what, value string) error {
	if value == "" {
		return nil
	}
	s.mu.Lock()
	var setting *choiceSetting
	method, key := "", ""
	switch what {
	case "mode":
		setting, method, key = &s.settings.mode, "session/set_mode", "modeId"
	case "model":
		setting, method, key = &s.settings.model, "session/set_model", "modelId"
	case "effort":
		setting = &s.settings.effort
	}
	option, current, offered := setting.option, setting.current, len(setting.list) > 0
	s.mu.Unlock()
	params := map[string]any{"sessionId": s.id}
	switch {
	case what != "mode" && (!offered || current == value):
		return nil
	case option != "":
		method = "session/set_config_option"
		params["configId"], params["value"] = option, value
	default:
		params[key] = value
	}
	answer, err := s.p.call(ctx, method, params, s.p.e.times.Setting, "it did not set the "+what)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	setting.current = value
	s.settings.read(answer, s.p.e.agent.OpenModes)
	s.news.settings = true
	return nil
}
