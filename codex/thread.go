package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"conch/engine"
	"conch/program"
)

// thread is a Codex thread that is open in a process.
type thread struct {
	p      *process
	id     string
	path   string // of its rollout, in the run home
	cwd    string
	digest string // of Conch's tools, which a thread keeps from its start
	may    string // its permission profile
	stands string // the resume id that it stands in for; "" for none
	lost   bool   // that one could not be carried on
	begun  bool   // it has had a turn
	// replaced is the thread that this one takes the place of, to be removed when
	// this one was kept; "" for none.
	replaced string

	mu     sync.Mutex // may be taken with a turn's own held, not the other way round
	turn   *turn      // takes what arrives; nil: what arrives is history
	told   string     // digest of the instructions that it was told
	unsaid string     // of an answer that was stopped: Codex keeps nothing of it
	turns  int        // that it has had, by our count
	ended  int        // of them, those that are in the kept rollout
	model  string
	effort string
	usage  tokenUsage
}

// resumeID is what carries the thread on.
func (th *thread) resumeID() string { return resumeID(th.id, th.digest) }

func (th *thread) session() engine.Session {
	s := engine.Session{ResumeID: th.resumeID(), Model: th.modelNow()}
	if th.lost && !th.begun {
		s.Restarted = engine.Lost
	}
	return s
}

func (th *thread) modelNow() string {
	th.mu.Lock()
	defer th.mu.Unlock()
	return th.model
}

func (th *thread) effortNow() string {
	th.mu.Lock()
	defer th.mu.Unlock()
	return th.effort
}

func (th *thread) running() *turn {
	th.mu.Lock()
	defer th.mu.Unlock()
	return th.turn
}

// ready gives the thread in which a message is to go: the warm one, or one that is
// opened now, in a process that is started when there is none.
func (c chat) ready(ctx context.Context, in engine.TurnInput) (*thread, error) {
	digest := toolsDigest(variant, in.Tools)
	if th := c.warm(in, digest); th != nil {
		return th, nil
	}
	p := c.Process()
	if p == nil || !p.Alive() || !p.home.covers(in.ProtectedPaths) || p.holds(in.ResumeID, digest) {
		c.Drop(ctx)
		var err error
		p, err = c.e.start(ctx, in.Cwd, in.ProtectedPaths)
		if p != nil {
			c.Keep(p)
		}
		if err != nil {
			return nil, c.broken(ctx, p, err)
		}
	}
	th, err := p.open(ctx, in, digest)
	if err != nil {
		return nil, c.broken(ctx, p, err)
	}
	p.mu.Lock()
	p.thread = th
	p.mu.Unlock()
	return th, nil
}

// variant names the way in which Conch sets a thread up. Another one is another
// set of tools.
const variant = "conch-1"

// warm is the open thread, if it is the one that the message belongs to.
func (c chat) warm(in engine.TurnInput, digest string) *thread {
	p := c.Process()
	if p == nil || !p.Alive() || !p.home.covers(in.ProtectedPaths) {
		return nil
	}
	th := p.opened()
	if th == nil || th.cwd != in.Cwd || th.digest != digest || th.may != profileOf(in) {
		return nil
	}
	if th.resumeID() == in.ResumeID || !th.begun && th.stands == in.ResumeID {
		return th
	}
	return nil
}

// holds reports that the thread that a message belongs to is open in the process, in
// another folder or with other permissions than it wants. What an open thread has it
// may keep, whatever a resume says: a new process opens it.
func (p *process) holds(resume, digest string) bool {
	th := p.opened()
	return th != nil && th.digest == digest && th.resumeID() == resume
}

// profileOf is the permission profile of a turn.
func profileOf(in engine.TurnInput) string {
	if in.ReadOnly {
		return readingProfile
	}
	return profile
}

// opened is what thread/start and thread/resume answer.
type opened struct {
	Thread struct {
		ID    string            `json:"id"`
		Path  string            `json:"path"`
		Model string            `json:"model"`
		Turns []json.RawMessage `json:"turns"`
	} `json:"thread"`
	Model   string `json:"model"`
	Effort  string `json:"reasoningEffort"`
	Profile struct {
		ID string `json:"id"`
	} `json:"activePermissionProfile"`
}

// unsealed is that Codex did not take up the permission profile: without it
// nothing may be sent.
type unsealed struct{ has string }

func (u unsealed) Error() string {
	return fmt.Sprintf("it took up the permissions %q instead of Conch's", u.has)
}

// wrongThread is that Codex opened something else than what was asked for.
type wrongThread struct{ why string }

func (w wrongThread) Error() string { return w.why }

// open resumes the thread that the message belongs to, or starts one in its stead.
func (p *process) open(ctx context.Context, in engine.TurnInput, digest string) (*thread, error) {
	if in.ResumeID == "" {
		return p.fresh(ctx, in, digest, false, "")
	}
	id, had, ok := parseResume(in.ResumeID)
	switch {
	case !ok:
		return p.fresh(ctx, in, digest, true, "")
	case had != digest:
		return p.fresh(ctx, in, digest, false, id)
	}
	th, err := p.resume(ctx, in, id, digest)
	var seal unsealed
	switch {
	case err == nil:
		return th, nil
	case ctx.Err() != nil, errors.As(err, &seal), errors.Is(err, program.ErrGone):
		return nil, err
	}
	p.e.program.Logf("healed", "thread not carried on: %v", err)
	return p.fresh(ctx, in, digest, true, id)
}

// params are those of start and resume: none of them but the approval policy
// outlives the process, so all are said each time.
func (p *process) params(in engine.TurnInput) map[string]any {
	params := map[string]any{
		"cwd": in.Cwd, "approvalPolicy": "untrusted", "permissions": profileOf(in),
		"config": map[string]any{"projects": map[string]any{in.Cwd: map[string]any{"trust_level": "untrusted"}}},
	}
	if model := cmp.Or(in.Options.Model, p.e.agent.Model); model != "" {
		params["model"] = model
	}
	return params
}

func (p *process) fresh(ctx context.Context, in engine.TurnInput, digest string, lost bool, replaced string) (*thread, error) {
	params := p.params(in)
	if in.SystemAppend != "" {
		params["developerInstructions"] = in.SystemAppend
	}
	if len(in.Tools) > 0 {
		var tools []any
		for _, t := range in.Tools {
			tools = append(tools, map[string]any{"type": "function", "name": wireName(t.Name()), "description": t.Description(), "inputSchema": t.Schema()})
		}
		params["dynamicTools"] = tools
	}
	answer, err := p.conn.call(ctx, "thread/start", params, p.e.times.Thread, "it did not start a thread")
	if err != nil {
		return nil, err
	}
	var o opened
	lenient(answer, &o)
	if !validThread(o.Thread.ID) {
		return nil, wrongThread{"it started a thread without a name"}
	}
	if o.Profile.ID != profileOf(in) {
		return nil, unsealed{o.Profile.ID}
	}
	return &thread{
		p: p, id: o.Thread.ID, path: o.Thread.Path, cwd: in.Cwd, digest: digest, may: profileOf(in), stands: in.ResumeID, lost: lost, replaced: replaced,
		told: digestOf(in.SystemAppend), model: cmp.Or(o.Model, o.Thread.Model), effort: o.Effort,
	}, nil
}

func (p *process) resume(ctx context.Context, in engine.TurnInput, id, digest string) (*thread, error) {
	kept, err := p.home.place(id)
	if err != nil {
		return nil, err
	}
	params := p.params(in)
	params["threadId"] = id
	answer, err := p.conn.call(ctx, "thread/resume", params, p.e.times.Thread, "it did not resume the thread")
	if err != nil {
		return nil, err
	}
	var o opened
	lenient(answer, &o)
	switch {
	case o.Thread.ID != id:
		return nil, wrongThread{"another thread came back"}
	case o.Profile.ID != profileOf(in):
		return nil, unsealed{o.Profile.ID}
	case len(o.Thread.Turns) < kept.turns:
		return nil, wrongThread{fmt.Sprintf("only %d of %d turns came back", len(o.Thread.Turns), kept.turns)}
	}
	return &thread{
		p: p, id: id, path: cmp.Or(o.Thread.Path, kept.path), cwd: in.Cwd, digest: digest, may: profileOf(in), begun: true,
		told: kept.instructions, unsaid: kept.unsaid, turns: len(o.Thread.Turns), ended: len(o.Thread.Turns),
		model: cmp.Or(o.Model, o.Thread.Model), effort: o.Effort,
	}, nil
}

// keep copies the thread out of the run home when it has had a turn since.
func (th *thread) keep() {
	th.mu.Lock()
	side := sidecar{Instructions: th.told, Turns: th.turns, Unsaid: th.unsaid}
	due := th.turns > th.ended
	path, replaced := th.path, th.replaced
	th.mu.Unlock()
	if !due || path == "" {
		return
	}
	rel, err := filepath.Rel(th.p.home.dir(), path)
	if err == nil {
		err = th.p.home.keep(th.id, filepath.ToSlash(rel), side)
	}
	if err != nil {
		th.p.e.program.Logf("codex-keep", "thread %s is not kept: %v", th.id, err)
		return
	}
	th.mu.Lock()
	th.ended = side.Turns
	th.replaced = ""
	th.mu.Unlock()
	if replaced != "" && replaced != th.id {
		if err := th.p.e.stores.forget(replaced); err != nil {
			th.p.e.program.Logf("codex-keep", "%v", err)
		}
	}
}
