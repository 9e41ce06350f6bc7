package modelapi

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"conch/engine"
	"conch/program"
)

// The window of a model of which nothing says it, in tokens.
const (
	unknownLocal     = 32_000
	unknownFar       = 128_000
	unknownAnthropic = 200_000
	leastWindow      = 2_000
)

// modelless is that no model is named and none can be chosen.
type modelless struct{ there []model }

func (m modelless) Error() string {
	if len(m.there) == 0 {
		return "no model is named, and it lists none"
	}
	var ids []string
	for _, each := range m.there[:min(len(m.there), 5)] {
		ids = append(ids, each.id)
	}
	more := ""
	if len(m.there) > 5 {
		more = fmt.Sprintf(" and %d more", len(m.there)-5)
	}
	return "no model is named; it has " + strings.Join(ids, ", ") + more
}

// pick settles the model of a turn: the chosen one, that of config.toml, else the
// only one, or the first of a server of one's own.
func (e *Engine) pick(s said, chosen string) (string, error) {
	if id := cmp.Or(chosen, e.api.Model); id != "" {
		return id, nil
	}
	if len(s.models) == 1 || len(s.models) > 0 && e.at.local() {
		return s.models[0].id, nil
	}
	if s.err != nil {
		return "", s.err
	}
	return "", modelless{s.models}
}

// factsOf is what is known of a model.
func (e *Engine) factsOf(ctx context.Context, s said, id string) model {
	m := model{id: id}
	if i := slices.IndexFunc(s.models, func(m model) bool { return m.id == id }); i >= 0 {
		m = s.models[i]
	}
	if s.server == ollama {
		e.askOllama(ctx, &m)
	}
	return m
}

// offers lists what can be chosen. ok is false when nothing is known.
func (e *Engine) offers(s said, current, effort string) (engine.Offers, bool) {
	if len(s.models) == 0 {
		return engine.Offers{}, false
	}
	o := engine.Offers{Model: current, Effort: effort}
	efforts := usualEfforts
	for _, m := range s.models {
		if m.id == current && m.efforts != nil {
			efforts = m.efforts
		}
		c := engine.Choice{ID: m.id, Name: program.OneLine(m.name, 80)}
		if m.window > 0 {
			c.Description = fmt.Sprintf("%s tokens", thousands(m.window))
		}
		o.Models = append(o.Models, c)
	}
	if e.Local() && s.server != ollama {
		efforts = nil // most such servers leave it out silently
	}
	for _, each := range efforts {
		o.Efforts = append(o.Efforts, engine.Choice{ID: each, Name: each})
	}
	return o, true
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Form is how much the instructions say: little for small models, and without a
// word of tools for those that take none.
func (e *Engine) Form(ctx context.Context, o engine.Options) engine.Form {
	s := e.look(ctx, 15*e.times.Remembered)
	id, err := e.pick(s, o.Model)
	if err == nil && (!e.takes(id, noTools) || e.factsOf(ctx, s, id).noTools) {
		return engine.FormWordsOnly
	}
	if e.api.Lean {
		return engine.FormCompact
	}
	return engine.FormWhole
}

// Open says what can be chosen, before the first message.
func (e *Engine) Open(ctx context.Context, in engine.TurnInput, sink engine.Sink) error {
	ctx, done, ok := e.begin(ctx)
	if !ok {
		return context.Canceled
	}
	defer done()
	s := e.look(ctx, e.times.Remembered)
	if s.err != nil {
		return &program.Unopened{Result: e.explain(s.err, in.Options.Model)}
	}
	id, err := e.pick(s, in.Options.Model)
	if err != nil {
		id = ""
	}
	if offers, ok := e.offers(s, id, in.Options.Effort); ok {
		sink.Emit(offers)
	}
	return nil
}

// window is the model's window, in tokens.
func (t *turn) window() int {
	t.e.mu.Lock()
	learned := t.e.quirks.windows[t.model]
	t.e.mu.Unlock()
	for _, n := range []int{learned, t.e.api.Context, t.facts.window} {
		if n > 0 {
			return max(n, leastWindow)
		}
	}
	switch {
	case t.e.api.Kind == Anthropic && !t.e.at.local():
		return unknownAnthropic
	case t.e.at.local():
		return unknownLocal
	}
	return unknownFar
}

// most is how long an answer may be, in tokens; 0 leaves it to the API.
func (t *turn) most(q quirks) int {
	if t.e.api.Kind != Anthropic {
		return 0
	}
	most := usualMost
	for _, n := range []int{q.most[t.model], t.facts.most, t.window() / 4} {
		if n > 0 {
			most = min(most, n)
		}
	}
	return most
}
