package acp

// What a program did that the protocol has no room for. A chat goes on all the same;
// whoever needs to rely on the program is told with the turn's end.
const (
	breachForeign = "it spoke of another session"
	breachBetween = "it went on behind the end of its turn"
	breachLeft    = "it ended its turn while its request waited"
)

// breached notes such a thing, the first one since the last turn's end.
func (p *process) breached(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.breach == "" {
		p.breach = what
	}
}

// takeBreach gives what was noted, once.
func (p *process) takeBreach() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	what := p.breach
	p.breach = ""
	return what
}

// askedBetween notes a request that comes when no turn runs, in a session that had one.
func (p *process) askedBetween(s *session) {
	s.mu.Lock()
	turned := s.turned
	s.mu.Unlock()
	if turned {
		p.breached(breachBetween)
	}
}
