package acp

import (
	"cmp"
	"context"
	"slices"

	"conch/engine"
	"conch/program"
)

// Health says whether the program can be used. It asks the program for its
// version once; whether it is signed in only a session shows.
func (e *Engine) Health(ctx context.Context) engine.Health {
	return e.program.Health(ctx, func(h *engine.Health) {
		if caps := e.caps.Load(); caps != nil {
			h.Capabilities = caps.words()
		}
	})
}

// SignIn is the sign-in in the terminal, as the program offers it. A program that
// says it only when it was started is started for the question.
func (e *Engine) SignIn(ctx context.Context) (engine.Command, bool) {
	methods := e.methods()
	if methods == nil {
		p, err := e.start(ctx, "", "")
		if p != nil {
			p.End(ctx)
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
	return engine.Command{Args: slices.Clone(args), Env: append(slices.Clone(e.program.Env), env...)}
}

// methods are the ways to sign in that the program offered when it was last started;
// nil when it was not.
func (e *Engine) methods() []authMethod {
	if caps := e.caps.Load(); caps != nil {
		return caps.methods
	}
	return nil
}

// Methods are the ways to sign in that the program offered when it was last
// started, in a person's words.
func (e *Engine) Methods() []string {
	var list []string
	for _, m := range e.methods() {
		line := program.OneLine(cmp.Or(m.name, m.id), maxName)
		if d := program.OneLine(m.description, maxSentence); d != "" && d != line {
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
	maxDate   = 80
)

// Sessions lists the sessions that the program keeps, of one folder or (with "")
// of all. ok is false when it offers no list. It starts the program for that.
func (e *Engine) Sessions(ctx context.Context, cwd string) (list []Listed, ok bool, err error) {
	p, err := e.start(ctx, "", "")
	if p != nil {
		defer p.End(ctx)
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
					Title: program.OneLine(s.text("title"), maxName), Updated: program.OneLine(s.text("updatedAt"), maxDate),
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
