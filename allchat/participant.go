package allchat

import (
	"conch/allchat/record"
	"conch/engine"
)

// participant is one who takes part, in this process.
type participant struct {
	r      *Run
	id     record.Who
	role   record.Role
	engine engine.Engine
	name   string // as a person reads it
	model  string // that was picked, "" for the default

	tools  []engine.Tool // of its role, bound to it
	system string        // what it is told beside the messages
	busy   chan struct{} // holds one: the turn that runs

	// Guarded by Run.mu.
	session    string // with connection what a choice is bound to
	connection string
	resume     string // what its engine carries the session on by
	carried    Carried
	owed       bool  // its session is new, and to be told what was said before
	toldUpTo   int64 // the coordinator's: the newest event that it was told of
	can        []string
	turn       *turn // nil: it does nothing
	tasks      []string
	serving    bool // tasks are taken one after the other
	out        string
	problem    string // how its last turn failed
	next       string
	signIn     bool
	answers    string        // the model that answers, as far as it is known
	late       chan struct{} // closed when a turn that was given up has ended; nil: there is none
}

// conversation is the id by which its engine knows the session.
func (p *participant) conversation() string { return "run-" + p.r.id + "-" + string(p.id) }

// label names it in what others are told.
func (p *participant) label() string {
	return string(p.id) + " (" + string(p.role) + ", " + p.name + ")"
}

// current is the turn that runs, nil for none.
func (p *participant) current() *turn {
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	return p.turn
}

// retire ends a session: what comes of it counts no more, and its program is ended. The
// participant takes no turn until the run is renewed.
func (p *participant) retire(why string) {
	p.r.mu.Lock()
	first := p.out == ""
	if first {
		p.out = why
	}
	p.r.mu.Unlock()
	if !first {
		return
	}
	p.r.notice(p.id, "session-ended", p.name+"'s session was ended: "+why)
	p.r.start(func() { p.engine.Release(p.conversation()) })
}

// input is a turn's, but for its words.
func (p *participant) input(seq int64, tools []engine.Tool) engine.TurnInput {
	r := p.r
	r.mu.Lock()
	resume := p.resume
	r.mu.Unlock()
	return engine.TurnInput{
		ConversationID: p.conversation(), Seq: seq, ResumeID: resume, SystemAppend: p.system, Cwd: r.folder, Tools: tools,
		Options: engine.Options{Model: p.model, Mode: r.mode}, ProtectedPaths: r.protected(), ReadOnly: true,
	}
}

func handless(e engine.Engine) bool {
	h, ok := e.(engine.Handless)
	return ok && h.Handless()
}

func local(e engine.Engine) bool {
	l, ok := e.(engine.Local)
	return ok && l.Local()
}
