package allchat

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"conch/allchat/record"
	"conch/engine"
)

// openAll opens the sessions of all participants, side by side, and says so in the
// record. again are the members as they were, whose sessions are loaded where their
// program can; nil: there were none.
func (r *Run) openAll(ctx context.Context, again []record.Member) error {
	ctx, cancel := context.WithTimeout(ctx, record.InitializeWithin+record.SessionWithin)
	defer cancel()
	ready := make([]record.SessionReady, len(r.parts))
	errs := make([]error, len(r.parts))
	var all sync.WaitGroup
	for i, p := range r.parts {
		var had *record.SessionReady
		for _, m := range again {
			if m.ID == p.id && m.Since > 0 {
				had = &m.Session
			}
		}
		all.Go(func() { ready[i], errs[i] = p.open(ctx, had) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	entries := make([]record.Entry, len(ready))
	for i := range ready {
		entries[i] = record.Entry{By: record.Conch, Body: ready[i]}
	}
	_, err := r.commit(entries...)
	return err
}

// open opens a participant's session: that of before where it can be loaded and did not
// break, else a new one.
func (p *participant) open(ctx context.Context, had *record.SessionReady) (record.SessionReady, error) {
	r := p.r
	resume := ""
	r.mu.Lock()
	if had != nil && had.Capabilities.Load && p.out == "" && had.Session != p.conversation() {
		resume = had.Session
	}
	p.resume = resume
	r.mu.Unlock()
	heard := &hearing{}
	if o, ok := p.engine.(engine.Opener); ok {
		in := p.input(r.now().Gen(), p.tools)
		in.FreshPrompt = func() string { return "" }
		if err := o.Open(ctx, in, heard); err != nil {
			return record.SessionReady{}, p.notReady(ctx, err)
		}
	}
	health := p.engine.Health(ctx)
	heard.mu.Lock()
	defer heard.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	p.connection = newConnection()
	p.session = sessionOf(heard.session.ResumeID, p.conversation())
	p.out, p.problem, p.next, p.signIn = "", "", "", false
	loaded := resume != "" && heard.session.ResumeID == resume && heard.session.Restarted == ""
	p.resume = heard.session.ResumeID
	p.carried, p.owed = CarriedNot, false
	switch {
	case loaded:
		p.carried = CarriedLoaded
	case had != nil:
		p.carried, p.owed = CarriedTold, true
	}
	p.answers = heard.session.Model
	if heard.offers.Model != "" {
		p.answers = heard.offers.Model
	}
	p.can = health.Capabilities
	name := r.cleaner.Line(p.name, 100)
	if name.Len() == 0 {
		name = r.cleaner.Line(p.engine.Info().ID, 100)
	}
	return record.SessionReady{
		Participant: p.id, Session: p.session, Connection: p.connection,
		Adapter: record.Adapter{Name: name, Version: r.cleaner.Line(health.Version, 100)},
		Capabilities: record.Capabilities{
			Load: slices.ContainsFunc(health.Capabilities, carriesOn), Image: slices.Contains(health.Capabilities, engine.TakesImages),
			HTTP: slices.Contains(health.Capabilities, "MCP over HTTP"), Modes: len(heard.offers.Modes) > 0, Models: len(heard.offers.Models) > 0,
		},
	}, nil
}

// carriesOn tells a capability that means that a session of before can be opened again,
// as the engines word it.
func carriesOn(word string) bool {
	return word == "loads sessions" || word == "resumes sessions" || word == "carries a chat on"
}

// notReady says why a participant can't take part.
func (p *participant) notReady(ctx context.Context, err error) error {
	if ctx.Err() != nil && context.Cause(ctx) == context.Canceled {
		return ctx.Err()
	}
	says := &NotReady{Provider: p.engine.Info().ID, Name: p.name, State: engine.Broken, Problem: p.r.cleaner.Line(err.Error(), maxNotice).String()}
	if h := p.engine.Health(context.WithoutCancel(ctx)); h.State != engine.Ready && h.State != engine.Unknown {
		says.State, says.Next = h.State, h.Next
		_, says.SignIn = p.engine.(engine.SignIner)
		says.SignIn = says.SignIn && h.State == engine.NeedSignIn
	}
	return says
}

// sessionOf is a session's id as the record has it: what the engine carries it on by,
// or for an engine that has none yet the name of its conversation.
func sessionOf(resume, conversation string) string {
	control := func(s string) bool {
		for _, c := range s {
			if unicode.IsControl(c) {
				return true
			}
		}
		return false
	}
	switch {
	case resume == "":
		return conversation
	case len(resume) > record.MaxSession || !utf8.ValidString(resume) || control(resume):
		return record.Digest([]byte(resume))
	}
	return resume
}

func newConnection() string {
	b := make([]byte, 16)
	rand.Read(b) //nolint:errcheck // it never fails
	return hex.EncodeToString(b)
}

// hearing takes what an engine says while it opens a session. Words are history then,
// and a request is declined.
type hearing struct {
	mu      sync.Mutex
	session engine.Session
	offers  engine.Offers
}

func (h *hearing) Emit(e engine.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e := e.(type) {
	case engine.Session:
		h.session = e
	case engine.Offers:
		h.offers = e
	}
}

func (h *hearing) Ask(context.Context, engine.Permission) engine.Decision {
	return cancelled("no message was sent yet")
}

func (h *hearing) Question(context.Context, engine.Question) engine.Answer {
	return engine.Answer{Cancelled: true}
}

// Renew opens the sessions anew: a participant that is out takes part again. Refused
// while a turn or a task runs.
func (r *Run) Renew(ctx context.Context) error {
	if err := r.usable(); err != nil {
		return err
	}
	r.mu.Lock()
	busy := r.renewing
	for _, p := range r.parts {
		busy = busy || p.turn != nil || p.serving
	}
	r.renewing = r.renewing || !busy
	r.mu.Unlock()
	if busy || r.now().TurnOpen {
		if !busy {
			r.renewed()
		}
		return &record.Error{Code: record.StateInvalid, What: "somebody is at work"}
	}
	defer r.renewed()
	members := slices.Clone(r.now().Participants)
	if !r.now().Interrupted {
		if _, err := r.commit(record.Entry{By: record.Conch, Body: record.RunInterrupted{}}); err != nil {
			return err
		}
	}
	for _, p := range r.parts {
		p.engine.Release(p.conversation())
	}
	return r.openAll(ctx, members)
}

func (r *Run) renewed() {
	r.mu.Lock()
	r.renewing = false
	r.mu.Unlock()
	r.wake()
}
