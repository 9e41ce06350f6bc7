package modelapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"conch/engine"
	"conch/program"
)

// maxSteps is how many answers one turn may take: the guard of a turn pauses long
// before.
const maxSteps = 1000

// turn is one message on its way to the model and back.
type turn struct {
	e      *Engine
	in     engine.TurnInput
	sink   engine.Sink
	s      *session
	key    string // of its rows and messages
	model  string
	system string
	tools  []offered
	facts  model
	lost   bool

	accepted bool // something of an answer came
	answered string
	usage    engine.Usage
	cost     float64
	botched  int // answers in a row of which no call could be run
	folded   int // how often the history was folded because it was refused
	silence  program.Silence
}

// Turn sends a message and runs what the model calls, until it has said all.
func (e *Engine) Turn(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
	ctx, done, ok := e.begin(ctx)
	if !ok {
		return engine.Result{Outcome: engine.Interrupted}
	}
	defer done()
	t := &turn{e: e, in: in, sink: sink, key: shortID()}
	t.silence = program.NewSilence(e.times.Silence, sink.Emit)
	r := t.run(ctx)
	t.silence.Say("")
	e.learnEnd(r)
	return r
}

// begin ties something to the life of the engine. ok is false behind Close.
func (e *Engine) begin(ctx context.Context) (tied context.Context, done func(), ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return ctx, nil, false
	}
	e.work.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(e.life, cancel)
	return ctx, func() { stop(); cancel(); e.work.Done() }, true
}

func shortID() string {
	b := make([]byte, 6)
	rand.Read(b) //nolint:errcheck // it never fails
	return hex.EncodeToString(b)
}

func (t *turn) run(ctx context.Context) engine.Result {
	if t.e.problem != nil {
		return t.e.unusable(t.e.problem)
	}
	if err := t.choose(ctx); err != nil {
		return t.end(ctx, err)
	}
	t.s, t.lost = t.e.openSession(ctx, t.in.ConversationID, t.in.ResumeID)
	t.s.busy.Lock()
	defer t.s.busy.Unlock()
	t.equip()
	before, known, upTo := t.s.history, t.s.known, t.s.upTo
	t.s.history = append(before[:len(before):len(before)], t.prompt())
	err := t.talk(ctx)
	if !t.accepted {
		// It was not taken: it comes again with the next message.
		t.s.history, t.s.known, t.s.upTo = before, known, upTo
		return t.end(ctx, err)
	}
	t.settle(ctx, err)
	t.e.keepWarm(t.in.ConversationID, t.s)
	t.e.sweep.Do(t.e.kept.sweep)
	if kept := t.e.kept.save(t.s, t.e.secrets()); kept != nil {
		t.e.logf("session-unkept", "%v", kept)
	}
	return t.end(ctx, err)
}

// choose settles which model answers.
func (t *turn) choose(ctx context.Context) error {
	if _, err := t.e.key(); err != nil {
		return err
	}
	known := t.e.look(ctx, t.e.times.Remembered*15)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var err error
	if t.model, err = t.e.pick(known, t.in.Options.Model); err != nil {
		return err
	}
	t.facts = t.e.factsOf(ctx, known, t.model)
	if offers, ok := t.e.offers(known, t.model, t.in.Options.Effort); ok {
		t.sink.Emit(offers)
	}
	return nil
}

// equip fixes what the model is told beside the messages.
func (t *turn) equip() {
	var small func(string) bool
	if t.e.api.Lean {
		small = t.e.opts.Small
	}
	tools := t.in.Tools
	if t.in.ReadOnly {
		tools = reading(tools)
	}
	t.tools = offer(tools, small)
	t.system = strings.TrimSpace(t.in.SystemAppend + "\n\n" + t.place())
	if t.wordsOnly() {
		t.unarm()
	}
	if t.facts.noPictures {
		t.e.learned(t.model, noPictures)
	}
}

// place says where the tools work: it is the same in every turn of a chat.
func (t *turn) place() string {
	if t.in.Cwd == "" {
		return ""
	}
	return fmt.Sprintf("# Where you are\n\nThe person's folder is %s, on %s. Paths that are not absolute are below it.", t.in.Cwd, system())
}

func system() string {
	switch runtime.GOOS {
	case "darwin":
		return "macOS"
	case "windows":
		return "Windows"
	}
	return "Linux"
}

func (t *turn) wordsOnly() bool {
	return t.facts.noTools || !t.e.takes(t.model, noTools)
}

// unarm goes on without tools.
func (t *turn) unarm() {
	t.tools = nil
	t.system = t.e.opts.Swap(t.system, engine.FormWordsOnly)
}

// prompt is the person's message. A chat whose history is gone is told again.
func (t *turn) prompt() message {
	text := t.in.Prompt
	if t.lost && t.in.FreshPrompt != nil {
		text = t.in.FreshPrompt()
	}
	m := message{Role: ofPerson, Text: text, Images: pictures(t.in.Attachments)}
	for _, a := range t.in.Attachments {
		if !isPicture(a) {
			m.Text += "\n\n" + attached(a)
		}
	}
	m.Text = strings.TrimSpace(m.Text)
	if len(m.Images) > 0 && !t.e.takes(t.model, noPictures) {
		t.notice("no-pictures", noPictures.said(t.e.name, t.model))
	}
	return m
}

// attached is an attachment that is no picture, in words.
func attached(a engine.Attachment) string {
	if a.Data != nil {
		return fmt.Sprintf("The file %s, attached by the person:\n\n%s", a.Name, strings.ToValidUTF8(string(a.Data), "\uFFFD"))
	}
	return "The person attached the file " + a.Path
}

var errOutOfSteps = errors.New("it took too many steps")

// talk asks the model and runs its calls, until it calls nothing more.
func (t *turn) talk(ctx context.Context) error {
	for range maxSteps {
		if err := t.fit(ctx); err != nil {
			return err
		}
		a, err := t.ask(ctx)
		var no *refusal
		if errors.As(err, &no) && no.tooLong() && t.folded == 0 {
			t.folded++
			if err := t.foldRefused(ctx, no); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		t.take(a)
		if len(a.calls) == 0 {
			t.ended(a)
			return nil
		}
		if t.runCalls(ctx, t.s.history[len(t.s.history)-1].Calls, a.stop); ctx.Err() != nil {
			return ctx.Err()
		}
		if t.botched >= mostBotched && len(t.tools) > 0 {
			t.e.learned(t.model, noTools)
			t.unarm()
			t.notice("words-only", t.model+" does not call tools in a way that can be used, so "+t.e.name+" goes on in words only.")
		}
	}
	return errOutOfSteps
}

// take puts a whole answer into the history.
func (t *turn) take(a *answer) {
	t.s.serial++
	m := a.message(t.s.serial)
	m.backOf = t.model
	t.s.history = append(t.s.history, m)
	t.answered = a.model
	t.count(a)
	t.folded = 0
}

// ended says what is odd about the last answer.
func (t *turn) ended(a *answer) {
	switch {
	case a.stop == stopLength:
		t.notice("cut-off", t.e.name+" stopped in the middle: its answer had reached the longest that it may be. Ask it to go on.")
	case a.stop == stopRefused:
		t.notice("kept-back", t.e.name+" kept the rest of its answer back.")
	case a.text.Len() == 0:
		t.notice("nothing-said", t.e.name+" ended without a word.")
	}
}

// count adds what the API counted, notes how full the window is, and tells both.
func (t *turn) count(a *answer) {
	size := int64(t.window())
	t.usage.ContextSize = &size
	t.s.known, t.s.upTo = 0, 0
	if u := a.usage; u.said {
		t.spend(u)
		used := u.in + u.out
		t.usage.ContextUsed = &used
		t.s.known, t.s.upTo = int(used), len(t.s.history)
	}
	t.sink.Emit(t.usage)
}

// spend adds what one answer cost to what the turn did.
func (t *turn) spend(u usage) {
	sum := func(to **int64, n int64) {
		if *to != nil {
			n += **to
		}
		*to = &n
	}
	sum(&t.usage.InputTokens, u.in)
	sum(&t.usage.OutputTokens, u.out)
	sum(&t.usage.CachedTokens, u.cached)
	if u.costed {
		t.cost += u.cost
		cost := t.cost
		t.usage.Cost, t.usage.Currency = &cost, "USD"
	}
}

// settle makes the history of a turn that broke off one that can be carried on:
// each call has an answer, and the model has the last word.
func (t *turn) settle(ctx context.Context, err error) {
	if err == nil {
		return
	}
	why := "(This answer broke off: the connection failed.)"
	if ctx.Err() != nil {
		why = "(This answer was stopped here.)" // by the person, or by the guard of the turn
	}
	if last := t.s.history[len(t.s.history)-1]; last.Role != ofModel || len(last.Calls) > 0 {
		t.s.history = append(t.s.history, message{Role: ofModel, Text: why})
	} else {
		t.s.history[len(t.s.history)-1].Text = strings.TrimSpace(last.Text + "\n\n" + why)
	}
	t.s.known, t.s.upTo = 0, 0
}

// accept notes that the model took the message in, with the first thing that shows
// it.
func (t *turn) accept() {
	if t.accepted {
		return
	}
	t.accepted = true
	start := engine.Session{ResumeID: t.s.id, Model: t.model}
	if t.lost {
		start.Restarted = engine.Lost
	}
	t.sink.Emit(start)
}

func (t *turn) notice(code, words string) {
	t.sink.Emit(engine.Notice{Code: code, Message: words})
}

// end is the one end of the turn.
func (t *turn) end(ctx context.Context, err error) engine.Result {
	r := engine.Result{Outcome: engine.Success}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		r.Outcome = engine.Interrupted
	case errors.Is(err, errOutOfSteps):
		r.Paused = true
	default:
		r = t.e.explain(err, t.model)
	}
	r.Usage, r.Accepted, r.Model = t.usage, t.accepted, t.answered
	if r.Model == "" {
		r.Model = t.model
	}
	return r
}
