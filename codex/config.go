package codex

import (
	"path/filepath"

	"conch/engine"
	"conch/program"
)

// config reads the person's choice anew: it may have changed. A config that cannot
// be read counts as none, and is told of once for each state of it.
func (e *Engine) config() person {
	p := e.stores.choice()
	if e.stores.news(p.problem) {
		e.program.Logf("codex-config", "%s; its usual model answers", p.problem)
	}
	return p
}

// noSignIn is the end of a turn for which nobody is signed in. Where the person's
// config can't be read it may be that which is missing: it can name a provider that
// needs no sign-in.
func (e *Engine) noSignIn() engine.Result {
	p := e.config()
	if p.problem == "" {
		return e.notSignedIn("")
	}
	return engine.Result{
		Outcome: engine.Failed, Next: "mend " + filepath.Join(e.own, configFile),
		Error: program.Sentence(e.agent.Name + " has no sign-in to use. " + program.OneLine(p.problem, 2*maxErrorLine)),
	}
}
