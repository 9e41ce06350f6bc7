package codex

// config reads the person's choice anew: it may have changed. A config that cannot
// be read counts as none, and is told of once for each state of it.
func (e *Engine) config() person {
	p := e.stores.choice()
	if e.stores.news(p.problem) {
		e.program.Logf("codex-config", "%s", p.problem)
	}
	return p
}
