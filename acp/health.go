package acp

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"conch/child"
	"conch/engine"
)

// Health says whether the program can be used. It asks the program for its
// version once; whether it is signed in only a session shows.
func (e *Engine) Health(ctx context.Context) engine.Health {
	e.known.mu.Lock()
	h, at := e.known.health, e.known.healthAt
	e.known.mu.Unlock()
	if at.IsZero() || e.opts.Now().Sub(at) >= e.times.Remembered {
		h = e.look(ctx)
		if ctx.Err() == nil {
			e.known.mu.Lock()
			e.known.health, e.known.healthAt = h, e.opts.Now()
			e.known.mu.Unlock()
		}
	}
	h.Unheard = e.known.heard()
	return h
}

func (e *Engine) look(ctx context.Context) engine.Health {
	path, ok := child.Look(e.agent.Command, e.env)
	if !ok {
		h := engine.Health{State: engine.NotFound, Problem: e.agent.Name + " is not installed.", Next: e.agent.Install}
		if h.Next == "" { // of one's own: what it is called is in the config
			h.Problem = fmt.Sprintf("%s can't be started: there is no program %s.", e.agent.Name, oneLine(e.agent.Command, maxErrorLine))
			h.Next = "check its command in config.toml"
		}
		return h
	}
	h := engine.Health{State: engine.Unknown, Found: path}
	h.Version = e.askVersion(ctx, path)
	e.known.mu.Lock()
	defer e.known.mu.Unlock()
	if e.known.caps != nil {
		h.Capabilities = e.known.caps.words()
		h.Version = orElse(h.Version, oneLine(e.known.caps.version, maxKindName))
	}
	if e.agent.Oldest != "" && older(h.Version, e.agent.Oldest) {
		h.State = engine.TooOld
		h.Problem = fmt.Sprintf("%s %s is too old: Conch needs %s or newer.", e.agent.Name, h.Version, e.agent.Oldest)
		h.Next = orElse(e.agent.Install, "update it")
		return h
	}
	if e.known.state != "" {
		h.State, h.Problem, h.Next = e.known.state, e.known.problem, e.known.next
	}
	return h
}

var versionInText = regexp.MustCompile(`\d+\.\d+(?:\.\d+)?(?:[-+.][0-9A-Za-z.-]+)?`)

// askVersion asks a program file for its version, once for as long as the file
// stays the same, however many want to know it at the same time.
func (e *Engine) askVersion(ctx context.Context, path string) string {
	if e.agent.VersionArgs == nil {
		return ""
	}
	select {
	case e.known.asking <- struct{}{}:
		defer func() { <-e.known.asking }()
	case <-ctx.Done():
		return ""
	}
	of := path
	if info, err := os.Stat(path); err == nil {
		of = fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
	}
	e.known.mu.Lock()
	version, known := e.known.version, e.known.versionOf == of
	e.known.mu.Unlock()
	if known {
		return version
	}
	out, err := child.Run(ctx, child.Spec{
		Args:  append([]string{path}, e.agent.VersionArgs...),
		Env:   e.env,
		Guard: e.opts.Guard,
	}, e.times.Version)
	if ctx.Err() != nil {
		return ""
	}
	if err != nil {
		e.log("version", e.agent.ID+": "+err.Error())
	}
	version = oneLine(versionInText.FindString(out), maxKindName)
	e.known.mu.Lock()
	defer e.known.mu.Unlock()
	e.known.version, e.known.versionOf = version, of
	return version
}

// older compares two versions by their numbers. One that cannot be read is not
// older.
func older(version, oldest string) bool {
	a, ok := numbers(version)
	b, sure := numbers(oldest)
	if !ok || !sure {
		return false
	}
	for i := range b {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func numbers(version string) (n [3]int, ok bool) {
	core, _, _ := strings.Cut(version, "-")
	core, _, _ = strings.Cut(core, "+")
	for i, part := range strings.SplitN(core, ".", 3) {
		v, err := strconv.Atoi(part)
		if err != nil {
			return n, i > 1
		}
		n[i] = v
	}
	return n, version != ""
}

// SignIn is the sign-in in the terminal, as the program offers it. A program that
// says it only when it was started is started for the question.
func (e *Engine) SignIn(ctx context.Context) (engine.Command, bool) {
	methods := e.known.methods()
	if methods == nil {
		p, err := e.start(ctx, "", "")
		if p != nil {
			p.end(ctx)
		}
		if err == nil {
			methods = p.caps.methods
		}
	}
	return e.signInBy(methods)
}

// signInBy is the sign-in in the terminal by one of the methods that the program
// offered, or the one that is known of it.
func (e *Engine) signInBy(methods []authMethod) (engine.Command, bool) {
	configured := append([]string{e.agent.Command}, e.agent.Args...)
	for _, m := range methods {
		if m.terminal && m.command == "" {
			return e.signIn(append(configured, m.args...), m.env), true
		}
	}
	if e.agent.SignInArgs != nil {
		return e.signIn(append([]string{e.agent.Command}, e.agent.SignInArgs...), nil), true
	}
	for _, m := range methods {
		if m.terminal {
			return e.signIn(append([]string{m.command}, m.args...), m.env), true
		}
	}
	return engine.Command{}, false
}

func (e *Engine) signIn(args, env []string) engine.Command {
	return engine.Command{Args: slices.Clone(args), Env: append(slices.Clone(e.env), env...)}
}

// Methods are the ways to sign in that the program offered when it was last
// started, in a person's words.
func (e *Engine) Methods() []string {
	var list []string
	for _, m := range e.known.methods() {
		line := oneLine(orElse(m.name, m.id), maxName)
		if d := oneLine(m.description, maxSentence); d != "" && d != line {
			line += ": " + d
		}
		list = append(list, line)
	}
	return list
}

// Listed is a session that the program itself keeps.
type Listed struct {
	ID      string
	Cwd     string
	Title   string
	Updated string // as the program writes it, most often RFC 3339
}

// What of a program's own list is read.
const (
	maxListed = 5000
	maxPages  = 100
)

// Sessions lists the sessions that the program keeps, of one folder or (with "")
// of all. ok is false when it offers no list. It starts the program for that.
func (e *Engine) Sessions(ctx context.Context, cwd string) (list []Listed, ok bool, err error) {
	p, err := e.start(ctx, "", "")
	if p != nil {
		defer p.end(ctx)
	}
	if err != nil {
		return nil, false, err
	}
	if !p.caps.list {
		return nil, false, nil
	}
	params := map[string]any{}
	if cwd != "" {
		params["cwd"] = cwd
	}
	for range maxPages {
		answer, err := p.call(ctx, "session/list", params, e.times.Session, "it did not list its sessions")
		if err != nil {
			return list, true, err
		}
		sessions, _ := answer.objects("sessions")
		for _, s := range sessions {
			if id := s.text("sessionId"); validSession(id) && len(list) < maxListed {
				list = append(list, Listed{
					ID: id, Cwd: s.text("cwd"),
					Title: oneLine(s.text("title"), maxName), Updated: oneLine(s.text("updatedAt"), maxKindName),
				})
			}
		}
		next := answer.text("nextCursor")
		if next == "" || next == params["cursor"] {
			break
		}
		params["cursor"] = next
	}
	return list, true, nil
}
