package modelapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"conch/engine"
)

// remembered is what a turn showed of the API since Health was asked last.
type remembered struct {
	mu     sync.Mutex
	at     time.Time
	proved engine.Health // State "" is nothing
}

// Health asks for the list of models, which costs nothing, and says what came of it.
func (e *Engine) Health(ctx context.Context) engine.Health {
	if e.problem != nil {
		r := e.unusable(e.problem)
		return engine.Health{State: engine.Broken, Problem: r.Error, Next: r.Next}
	}
	h := engine.Health{State: engine.Ready, Found: e.at.shown(), Unheard: e.Unheard()}
	if _, err := e.key(); err != nil {
		return e.sick(h, err)
	}
	s := e.look(ctx, e.times.Remembered)
	if s.err != nil {
		return e.sick(h, s.err)
	}
	if e.api.Usual != nil && s.server != e.api.Usual.Name {
		return engine.Health{State: engine.NotFound, Problem: e.name + " is not running here.", Next: e.api.Usual.Start}
	}
	h.Version = firstWord(s.version, e.api.Model)
	h.Capabilities = e.capabilities(ctx, s)
	e.health.mu.Lock()
	proved := e.health.proved
	fresh := e.opts.Now().Sub(e.health.at) < 15*e.times.Remembered
	e.health.mu.Unlock()
	if proved.State != "" && fresh {
		h.State, h.Problem, h.Next = proved.State, proved.Problem, proved.Next
	}
	if _, err := e.pick(s, ""); err != nil && h.State == engine.Ready {
		r := e.explain(err, "")
		h.State, h.Problem, h.Next = engine.Unknown, r.Error, r.Next
	}
	return h
}

func (e *Engine) capabilities(ctx context.Context, s said) []string {
	list := []string{"carries a chat on"}
	id, err := e.pick(s, "")
	if err == nil {
		m := e.factsOf(ctx, s, id)
		list = append(list, "model "+words(id))
		if m.noTools || !e.takes(id, noTools) {
			list = append(list, "words only")
		} else {
			list = append(list, "takes Conch's tools")
		}
		if !m.noPictures && e.takes(id, noPictures) {
			list = append(list, engine.TakesImages)
		}
		if n := firstNumber(e.api.Context, m.window); n > 0 {
			list = append(list, thousands(n)+" tokens")
		}
	}
	if n := len(s.models); n > 1 {
		list = append(list, fmt.Sprintf("%d models", n))
	}
	return list
}

func firstNumber(all ...int) int {
	for _, n := range all {
		if n > 0 {
			return n
		}
	}
	return 0
}

// sick is the health of an API that did not answer as it should.
func (e *Engine) sick(h engine.Health, err error) engine.Health {
	var (
		out keyless
		no  *refusal
	)
	r := e.explain(err, "")
	h.Problem, h.Next = r.Error, r.Next
	switch {
	case e.api.Usual != nil:
		return engine.Health{State: engine.NotFound, Problem: e.name + " is not running here.", Next: e.api.Usual.Start}
	case errors.As(err, &out), r.Problem == engine.SignedOut:
		h.State = engine.NeedSignIn
	case errors.As(err, &no) && no.status == http.StatusNotFound, errors.As(err, &no) && no.status == http.StatusMethodNotAllowed, errors.Is(err, errNoList):
		// Not every server lists its models; a turn shows whether it works.
		h.State, h.Problem, h.Next = engine.Unknown, "", ""
		h.Version = e.api.Model
	default:
		h.State = engine.Broken
	}
	return h
}

// learnEnd records what the end of a turn shows of the API.
func (e *Engine) learnEnd(r engine.Result) {
	var proved engine.Health
	switch {
	case r.Outcome == engine.Success:
	case r.Problem == engine.SignedOut:
		proved = engine.Health{State: engine.NeedSignIn, Problem: r.Error, Next: r.Next}
	default:
		return
	}
	e.health.mu.Lock()
	defer e.health.mu.Unlock()
	e.health.proved, e.health.at = proved, e.opts.Now()
}
