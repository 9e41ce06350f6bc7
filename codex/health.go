package codex

import (
	"context"
	"fmt"
	"path/filepath"

	"conch/child"
	"conch/engine"
	"conch/program"
)

// Health says whether Codex can be used. It asks for its version once; that nobody
// is signed in shows without a start where the person's Codex home has no sign-in.
func (e *Engine) Health(ctx context.Context) engine.Health {
	return e.program.Health(ctx, func(h *engine.Health) {
		h.Capabilities = []string{engine.TakesImages, "carries a chat on", "takes Conch's tools"}
		if n := e.listed.Load(); n > 0 {
			h.Capabilities = append(h.Capabilities, fmt.Sprintf("%d models", n))
		}
		person := e.config()
		switch {
		case h.State == engine.Unknown && e.stores.signedOut(person):
			r := e.noSignIn()
			h.State, h.Problem, h.Next = engine.NeedSignIn, r.Error, r.Next
			if !r.SignIn {
				h.State = engine.Broken
			}
		case h.State == engine.Unknown && person.problem != "":
			// It can be used, but not as the person set it up.
			h.Problem = program.Sentence(program.OneLine(person.problem, 2*maxErrorLine) + "; its usual model answers")
			h.Next = "mend " + filepath.Join(e.own, configFile)
		}
	})
}

// SignIn is Codex's own sign-in in the terminal, into the person's Codex home.
func (e *Engine) SignIn(context.Context) (engine.Command, bool) {
	if !e.agent.AskVersion {
		return engine.Command{}, false // of a wrapper it is not known
	}
	return engine.Command{Args: []string{e.agent.Command, "login"}, Env: child.Environ(e.opts.Environ, append([]string{"CODEX_HOME"}, e.agent.PassEnv...), nil, e.agent.Env)}, true
}
